# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dispatch of a mixture of experts: each rank sends its tokens to the ranks that have their experts. All ranks launch it.

  torchrun --nproc-per-node 2 moe_dispatch.py

Each rank has `local` experts. out has the rows of expert 0 of this rank, then those of its expert 1, and so on. Within an
expert they are in the order of the senders, and of their tokens. ends has where each expert's rows end. The host need not
know any count.
"""
import triton
import triton.language as tl

from signals import at_rank, main, meet, meetings, pads_for, shared, signal, wait


@triton.jit
def moe_dispatch(x_ptr, experts_ptr, buffers_ptr, counts_ptr, pads_ptr, out_ptr, ends_ptr, rank, world, entries, chosen, local, n,
                 ENTRIES: tl.constexpr, RANKS: tl.constexpr, LOCAL: tl.constexpr, BLOCK: tl.constexpr):
    """experts: i32[entries], of the tokens' choices: `chosen` of each. buffers: of each rank, `entries` rows of every sender.
    counts: of each rank, i32[world, local]. pads: of the programs' meetings, then one more slot for each rank."""
    dtype = x_ptr.dtype.element_ty
    columns = tl.arange(0, BLOCK)
    others = tl.arange(0, ENTRIES)
    experts = tl.load(experts_ptr + others, mask=others < entries, other=-1)
    turn = meetings(pads_ptr, rank, world)
    pad = at_rank(pads_ptr, rank, tl.int32)
    for entry in range(tl.program_id(0), entries, tl.num_programs(0)):
        expert = tl.load(experts_ptr + entry)
        owner = expert // local
        before = (experts >= owner * local) & ((experts < expert) | ((experts == expert) & (others < entry)))
        row = rank * entries + tl.sum(before.to(tl.int32))  # sorted by expert, then by entry
        x = tl.load(x_ptr + entry // chosen * n + columns, mask=columns < n)
        tl.store(at_rank(buffers_ptr, owner, dtype) + row * n + columns, x, mask=columns < n)
    for expert in range(tl.program_id(0), world * local, tl.num_programs(0)):
        count = tl.sum((experts == expert).to(tl.int32))
        tl.store(at_rank(counts_ptr, expert // local, tl.int32) + rank * local + expert % local, count)
    for step in range(world):
        signal(at_rank(pads_ptr, (rank + step) % world, tl.int32) + tl.num_programs(0) * world + rank)
    for step in range(world):  # for all programs of all ranks
        wait(pad + tl.num_programs(0) * world + (rank + step) % world, (turn + 1) * tl.num_programs(0) - 1)
    senders, locals = tl.arange(0, RANKS)[:, None], tl.arange(0, LOCAL)[None, :]
    counts = tl.load(at_rank(counts_ptr, rank, tl.int32) + senders * local + locals, mask=(senders < world) & (locals < local), other=0)
    totals = tl.sum(counts, 0)
    for row in range(tl.program_id(0), world * entries, tl.num_programs(0)):
        sender, number = row // entries, row % entries
        sent = tl.sum(tl.where(senders == sender, counts, 0), 0)
        expert = tl.sum((tl.cumsum(sent, 0) <= number).to(tl.int32))
        if expert < LOCAL:
            earlier = tl.sum(tl.where(tl.arange(0, LOCAL) < expert, totals - sent, 0))  # of experts before it, by other senders
            earlier += tl.sum(tl.where((locals == expert) & (senders < sender), counts, 0))
            x = tl.load(at_rank(buffers_ptr, rank, dtype) + row * n + columns, mask=columns < n)
            tl.store(out_ptr + (earlier + number) * n + columns, x, mask=columns < n)
    if tl.program_id(0) == 0:
        tl.store(ends_ptr + tl.arange(0, LOCAL), tl.cumsum(totals, 0), mask=tl.arange(0, LOCAL) < local)
    meet(pads_ptr, rank, world, turn)  # nobody reads a buffer any more


def case(rank, world):
    import torch
    import torch.distributed as dist

    tokens, chosen, local, n, programs = 512, 2, 4, 2048, 128
    entries = tokens * chosen
    x = torch.randn(tokens, n, device="cuda", dtype=torch.bfloat16)
    experts = torch.rand(tokens, world * local, device="cuda").topk(chosen).indices.to(torch.int32).flatten().contiguous()
    every_x, every_expert = torch.empty(world * tokens, n, device="cuda", dtype=x.dtype), torch.empty(world * entries, device="cuda", dtype=torch.int32)
    dist.all_gather_into_tensor(every_expert, experts)
    mine = (every_expert // local == rank).nonzero().flatten()
    order = mine[torch.sort(every_expert[mine], stable=True).indices]
    room, ends = torch.empty(world * entries, n, device="cuda", dtype=x.dtype), torch.empty(local, device="cuda", dtype=torch.int32)
    _, buffers = shared((world * entries, n), x.dtype)
    _, counts = shared((world * local,), torch.int32)
    pads = pads_for(programs, world, 1)

    def launch():
        moe_dispatch[(programs,)](x, experts, buffers, counts, pads, room, ends, rank, world, entries, chosen, local, n,
                                  ENTRIES=triton.next_power_of_2(entries), RANKS=triton.next_power_of_2(world), LOCAL=triton.next_power_of_2(local),
                                  BLOCK=triton.next_power_of_2(n))

    def results():
        dist.all_gather_into_tensor(every_x, x)
        assert ends.tolist() == every_expert[mine].sub(rank * local).bincount(minlength=local).cumsum(0).tolist()
        return [(room[:len(order)], every_x[order // chosen].double())]

    return launch, results, [x]


if __name__ == "__main__":
    main(case)
