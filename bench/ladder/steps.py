# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The four ladders: each step a kernel and options, what it changes, and which of its counts that lowers."""
from dataclasses import dataclass


@dataclass
class Step:
    name: str
    file: str  # of this folder, or of examples/
    kernel: str
    options: str
    text: str  # what it changes and why that pays
    show: tuple  # texts of the source's lines whose part of `explain` is shown
    less: str = ""  # the simulator's count, or "conflicts", of which the step before has more
    differs: str = ""  # a count that is not the simulator's, for a reason that tests/cost/differs has
    dtype: str = "fp32"
    error: float = 1e-4  # at most, of the largest of |got - reference| over the reference's root mean square
    outputs: int = 0  # of reductions: elements that a program adds up; 0: all go into one


@dataclass
class Ladder:
    name: str
    title: str
    intro: str
    small: int  # on the simulator
    large: int  # as measured
    words: object  # (step, size, fill) -> the arguments, where fill(name, dtype, shape) is a buffer's
    steps: list


def product_words(step, n, fill):
    kind, shape = step.dtype, (n, n)
    buffers = [f"{x}_ptr={fill(x, kind, shape)}" for x in "ab"] + [f"c_ptr=empty:{kind}[{n},{n}]"]
    if step.kernel != "matmul":
        return [*buffers, f"n={n}"]
    return [*buffers, f"M={n}", f"N={n}", f"K={n}", f"stride_am={n}", "stride_ak=1", f"stride_bk={n}", "stride_bn=1"]


TILES = "-D BLOCK_M={} -D BLOCK_N={} -D BLOCK_K={} --num-warps 8".format
HALF = {"dtype": "fp16", "error": 5e-3}
DOT = ("tl.dot(",)

PRODUCT = Ladder(
    "product", "A product of matrices, from an element a thread to programs in turn",
    "c = a b of row-major matrices. Up to the tensor cores operands are fp32, then tf32 (the same numbers, of which the tensor cores take 10 bits behind the point), then fp16.",
    256, 4096, product_words, [
        Step("naive", "matmul/product.tile", "naive", "", "An element of c a thread, and a piece of a *column* a program: neighbouring lanes are on neighbouring rows. Of each sector of 32 bytes "
             "that a load of `a` fetches it uses 4, and a warp's request is 32 sectors.", ("acc +=",)),
        Step("coalesced", "matmul/product.tile", "coalesced", "", "A piece of a *row* a program: neighbouring lanes read neighbouring words of `b`, four sectors a request, and all the same word of `a`. The same "
             "additions, a seventh of the sectors. Still both operands of every multiply-add are asked of the cache.", ("acc +=",), "global_sectors"),
        Step("shared tiles", "examples/matmul.tile", "matmul", TILES(16, 16, 16) + " --num-stages 1", "Tiles of 16 x 16 of both operands go through shared memory, where 256 threads read each element 16 times: "
             "a ninth of the sectors. Now shared memory is asked for both operands of every multiply-add, and each tile is waited for.", (*DOT, "x = tl.load"), "global_sectors"),
        Step("registers", "matmul/plain.tir", "matmul", "", "Tiles of 64 x 64: a thread has 4 x 4 sums in registers, and what it reads is used four times. This is the compiler's final IR, but for the buffers of shared memory, "
             "which lie in plain rows (`matmul/plain.tir`): lanes that read rows apart meet in a bank.", ("dot %", "shared_store %x"), "shared_wavefronts"),
        Step("swizzle", "examples/matmul.tile", "matmul", TILES(64, 64, 16) + " --num-stages 1", "The same from source. The compiler lets rows that are read together lie in different banks, by XOR of the address with the row's number; "
             "the conflicts are gone, and issue slots bound it.", DOT, "conflicts"),
        Step("stages", "examples/matmul.tile", "matmul", TILES(64, 64, 16) + " --num-stages 3", "Tiles are copied by cp.async two iterations ahead, so that no load is waited for, and one barrier an iteration is enough instead of two. "
             "But issue slots bound the step before already, and `a`, which is turned round for the multiply-adds, is copied a word at a time, which takes more of them: prediction and clock agree that here this gains nothing.",
             (*DOT, "x = tl.load"), "barriers"),
        Step("more registers", "examples/matmul.tile", "matmul", TILES(128, 128, 32), "Tiles of 128 x 128: 8 x 8 sums a thread, half the traffic of both memories for each multiply-add. What is left are the multiply-adds themselves.", DOT, "shared_wavefronts"),
        Step("tensor cores: mma.sync", "examples/matmul.tile", "matmul", TILES(128, 128, 32) + " --arch sm_90 --fp32-dot tf32", "One instruction of a warp multiplies 16 x 8 x 8: a twelfth of the instructions. "
             "The operands still go through registers.", DOT, "instructions", error=1e-2),
        Step("tensor cores: wgmma", "examples/matmul.tile", "matmul", TILES(128, 128, 32) + " --arch sm_90a --fp32-dot tf32", "Four warps multiply together, and the instruction reads an operand in shared memory itself: wavefronts of loads go.",
             DOT, "shared_wavefronts", error=1e-2),
        Step("half the bytes", "examples/matmul.tile", "matmul", TILES(128, 128, 64) + " --arch sm_90a --tma=off", "fp16: half the bytes of every copy, and twice the products a clock.", DOT, "global_sectors", **HALF),
        Step("larger tiles", "examples/matmul.tile", "matmul", TILES(256, 128, 64) + " --num-stages 4 --arch sm_90a --tma=off", "256 x 128: two warpgroups of 128 rows each share `b`, a quarter less traffic. Four stages, as a step takes longer.",
             (*DOT, "x = tl.load"), "global_sectors", **HALF),
        Step("TMA copies", "examples/matmul.tile", "matmul", TILES(256, 128, 64) + " --num-stages 4 --arch sm_90a --tma=on --warp-specialize=off",
             "One thread asks for a whole tile (TMA); no thread computes addresses and masks, and an mbarrier counts the bytes that have come.", ("x = tl.load", "y = tl.load"), "global_requests", **HALF),
        Step("roles", "examples/matmul.tile", "matmul", TILES(256, 128, 64) + " --num-stages 4 --arch sm_90a --tma=on --warp-specialize=on --persistent=off",
             "A warp copies, the others multiply: slots are handed over by mbarriers, and no barrier stops all warps in the loop. In the model, whose bounds overlap perfectly, nothing moves, and at this size neither does the clock: it is the tensor cores that are waited for.",
             ("for k in", *DOT), **HALF),
        Step("programs in turn", "examples/matmul.tile", "matmul", TILES(256, 128, 64) + " --num-stages 4 --arch sm_90a --tma=on --warp-specialize=on --persistent=on",
             "As many blocks as the device has room for take one tile of `c` after the other: the next tile's copies run while the last one is stored. That pays launches of many short programs ([products](../matmul.md#programs-in-turn-persist)); "
             "512 tiles on 132 multiprocessors are not such.", ("tl.store(",), **HALF),
    ])


def sum_words(step, n, fill):
    return [f"x_ptr={fill('x', 'fp32', (n,))}", f"out_ptr=zeros:fp32[{n // step.outputs if step.outputs else 1}]", f"n={n}"]


OFF = "--disable-pass defer_reductions --disable-pass unroll_loads"
REDUCTION = Ladder(
    "reduction", "A vector's sum, from scattered loads to one pass",
    "The sum of 2^26 floats, 268 MB, which memory gives in {memory}. Each program leaves the sum of 16384 elements (of 4096 in the last two steps).",
    65536, 67108864, sum_words, [
        Step("scattered", "reduction/sum.tile", "apart", "", "Each thread walks along elements of its own, 16 of them. In every step neighbouring lanes are 64 bytes apart: a sector each, of which 4 bytes are used; that the cache still has "
             "the sector when the thread comes back is luck.", ("acc +=",), outputs=16384),
        Step("neighbours", "reduction/sum.tile", "total", f"-D BLOCK=128 {OFF}", "Neighbouring lanes on neighbouring elements: four sectors a request, all of them used. Each iteration loads 4 bytes a thread, adds up across the block, and waits for both.",
             ("acc +=",), "global_sectors", outputs=16384),
        Step("16 bytes a lane", "reduction/sum.tile", "total", OFF, "Eight elements a thread, in two loads of 16 bytes: an eighth of the iterations, and with them of the waits and of the sums across the block.", ("acc +=",), "global_requests", outputs=16384),
        Step("combined once", "reduction/sum.tile", "total", "--disable-pass unroll_loads", "The loop adds into each thread's own registers (`defer_reductions`); shuffles, shared memory and the barrier come once, behind it. Memory bounds it "
             "already, here and in what follows: what is spared are instructions and barriers.", ("acc +=",), "barriers",
             outputs=16384),
        Step("loads ahead", "reduction/sum.tile", "total", "", "The loop loads for two iterations at once (`unroll_loads`): twice the bytes are under way while a thread waits.", ("acc +=",), outputs=16384),
        Step("no loop", "examples/reduce.tile", "partial_sum", "--num-warps 8", "A program has 4096 elements, all of whose loads are under way at once: there is nothing left to wait for a second time.", ("tl.store(out_ptr + tl.program_id(0), tl.sum",),
             outputs=4096),
        Step("one pass", "examples/reduce.tile", "atomic_sum", "--num-warps 8", "The programs' sums are added where they meet, by an atomic each: no second launch that adds 16384 numbers up.", ("atomic_add",)),
    ])


def convolution_words(step, n, fill):
    taps = ["taps=15"] if step.kernel == "looped" else []
    return [f"x_ptr={fill('x', 'fp32', (n + 14,))}", f"w_ptr={fill('w', 'fp32', (15,))}", f"out_ptr=empty:fp32[{n}]", f"n={n}", *taps]


TAPS = ("acc +=",)
CONVOLUTION = Ladder(
    "convolution", "A convolution of 15 taps, from loads of each tap to a window a warp",
    "out[i] = sum of w[t] x[i + t] over 15 taps, 2^26 elements: 268 MB are read and as many written, which memory does in {memory}.",
    65536, 67108864, convolution_words, [
        Step("taps in a loop", "convolution/convolution.tile", "looped", "", "Each iteration loads what the one before has loaded, an element further. All 15 come from global memory, and as an odd distance is no multiple of 16 bytes, 4 bytes a lane. "
             "The model has no first-level cache, which gives most of these reads: its prediction is far too long.",
             TAPS),
        Step("each tap loaded", "convolution/convolution.tile", "convolution", "--disable-pass share_windows", "The taps are unrolled: their loads are under way together, the weights come once. The sectors are the same: a cache is asked 15 times for every element.", TAPS,
             "instructions"),
        Step("shared window", "convolution/convolution.tile", "convolution", "", "`share_windows`: a program's loads overlap, so it reads its 1024 elements and a halo of 14 once, 16 bytes a lane, into shared memory, and each tap reads there: an eighth of the sectors. "
             "Four warps meet at a barrier. Now memory bounds it. (The compiler's estimate has the tile of every tap in "
             "registers at a time; ptxas keeps each number once.)", TAPS, "global_sectors"),
        Step("a window a warp", "convolution/convolution.tile", "convolution", "-D BLOCK=512 --num-warps 1", "One warp has its own window: no barrier, so that no warp waits for another.", TAPS, "barriers"),
        Step("longer windows", "convolution/convolution.tile", "convolution", "-D BLOCK=4096", "Windows of 4096 elements by four warps: halos and the fixed cost of a program are spread over four times as many elements.", TAPS, "global_sectors"),
    ])


def softmax_words(step, n, fill):
    columns = max(2 * n, 2048)  # two blocks at least
    return [f"x_ptr={fill('x', 'fp32', (n, columns))}", f"out_ptr=empty:fp32[{n},{columns}]", f"R={n}", f"C={columns}"]


SOFTMAX = Ladder(
    "softmax", "Softmax of rows, from three passes to rows in registers",
    "4096 rows of 8192 floats, a row a program: 134 MB are read and as many written, which memory does in {memory}.",
    16, 4096, softmax_words, [
        Step("three passes", "softmax/softmax.tile", "three_passes", "", "A loop for the maximum, one for the sum, one for the quotients: the row is read three times. Whether it comes from memory again depends on what all programs beside it touch in between: 16 rows a "
             "multiprocessor are more than the L2 cache keeps.",
             ("most =", "sums +=", "x = tl.load")),
        Step("one pass", "softmax/softmax.tile", "one_pass", "", "Maximum and sum in one loop: where the maximum grows, the sum is rescaled. The row is read twice. Each iteration takes a maximum and a sum across the block, with barriers, which other programs on the multiprocessor cover.",
             ("most =", "s = s", "x = tl.load"), "global_sectors"),
        Step("one pass, each lane its own", "softmax/softmax.tile", "one_pass_a_lane", "", "Every thread keeps maxima and sums of its own columns, which meet once behind the loop: no barrier in it. More registers, and so fewer programs side by side.", ("larger =", "sums =", "m = tl.max"), "barriers"),
        Step("rows in registers", "softmax/softmax.tile", "in_registers", "", "The whole row is a tile: 64 elements a thread. It is read once, there is no loop, and nothing is computed twice.", ("x = tl.load", "e = tl.exp"), "global_sectors"),
        Step("more warps", "softmax/softmax.tile", "in_registers", "--num-warps 8", "The same row by 8 warps: 32 elements a thread, so that registers let more warps in, and while one program waits another's loads are under way.", ("x = tl.load",)),
    ])

LADDERS = [PRODUCT, REDUCTION, CONVOLUTION, SOFTMAX]
