# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several simulated GPUs: arrays that all of them reach, and a launch on all."""

from __future__ import annotations

import array
from typing import Any, Dict, Sequence

from . import _arrays, _devices, _elsewhere
from ._errors import ArgumentError


class Symmetric:
    """An array on each simulated GPU, which kernels of all GPUs can access; `symmetric` returns it. As an argument of a
    kernel it is the table of the arrays' addresses by rank, i64[ranks]. `arrays` are the arrays, and `multicast_ptr` is
    their multicast address.

    Example::

        pads = tilec.symmetric([np.zeros(4, np.int32) for rank in range(2)])
        print(len(pads), pads[1].shape)  # 2 (4,)
    """

    def __init__(self, arrays: Sequence[Any]):
        self.arrays = list(arrays)
        device = _devices.opened("sim")
        described = [_described(each) for each in self.arrays]
        found = [device._map(address, size) for address, size, _ in described]
        self._kept = [(keep, mapping) for (_, _, keep), (_, mapping) in zip(described, found)]
        self._multicast: Any = None
        self._table = array.array("Q", [address for address, _ in found])

    @property
    def multicast_ptr(self) -> int:
        """The multicast address of the arrays, an integer, as PyTorch's symmetric memory has it. multimem instructions
        access the arrays of all ranks through it. Nothing else may use it. Arrays begin at multiples of 16 bytes."""
        if not self._multicast:
            self._multicast = _devices.opened("sim")._multicast(tuple(mapping for _, mapping in self._kept))
        return int(self._multicast[0])

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        return {"shape": (len(self.arrays),), "typestr": "<i8", "data": (self._table.buffer_info()[0], False), "version": 3}

    def __getitem__(self, rank: int) -> Any:
        """Returns the array of a rank."""
        return self.arrays[rank]

    def __len__(self) -> int:
        """Returns the number of ranks."""
        return len(self.arrays)


def _described(each: Any) -> Any:
    """Address, bytes, and what has to live as long as they are used."""
    kind, describe = _arrays.classify(type(each), functions=False)
    if kind not in (_arrays.ARRAY, _arrays.POINTER) or describe is None:
        raise ArgumentError(f"symmetric takes an array for each rank, not {type(each).__name__}")
    address, dtype, where, _, shape, strides, kept = describe(each)
    if where != _devices.CPU or dtype < 0 or shape is None or isinstance(kept, _arrays.ReadOnly):
        raise ArgumentError("symmetric takes arrays in the host's memory that may be written")
    if tuple(strides or ()) != _arrays._contiguous(shape):
        raise ArgumentError("symmetric takes contiguous arrays")
    size = _arrays.BYTES[dtype]
    for extent in shape:
        size *= extent
    return address, size, kept


def symmetric(arrays: Sequence[Any]) -> Symmetric:
    """Makes an array of each rank accessible to the kernels of all ranks, like PyTorch's symmetric memory. Only for the
    simulator.

    Args:
        arrays: rank 0's array, rank 1's, and so on: contiguous ones in the host's memory. They are used in place, as
            long as the result lives. A kernel gets the result as an argument, and loads an array's address from it.
            Do not pass such an array itself as an argument too: races between the two ways are not found.

    Returns a Symmetric.

    Errors: ArgumentError for other arrays.

    Example::

        @tilec.jit
        def ring(x, buffers, rank, world, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            to = tl.load(buffers + (rank + 1) % world).to(tl.pointer_type(tl.float32))
            tl.store(to + i, tl.load(x + i))

        buffers = tilec.symmetric([np.zeros(64, np.float32) for rank in range(2)])
        xs = [np.full(64, rank, np.float32) for rank in range(2)]
        tilec.launch_ranks(ring, (1,), [(xs[rank], buffers, rank, 2) for rank in range(2)], BLOCK=64)
        print(buffers[0][0], buffers[1][0])  # 1.0 0.0
    """
    return Symmetric(arrays)


def launch_ranks(kernel: Any, grid: Any, ranks: Sequence[Sequence[Any]], **kwargs: Any) -> Any:
    """Launches a kernel on several simulated GPUs, which make progress together. Without `set_check` it runs once. With it,
    it runs under each schedule, with every checker on. Races between ranks are reported: only accesses and atomics of
    scope "sys" order them.

    Args:
        kernel: of `tilec.jit`.
        grid: as for a launch. Each rank has a grid of its own.
        ranks: the arguments of rank 0, of rank 1, and so on: at most 16 ranks. No tuples and no tensor descriptors.
            All ranks run one code, so the number of a rank is no constexpr.
        kwargs: arguments by name, and options. They are the same for all ranks.

    Returns a CompiledKernel.

    Errors: as for a launch. A LaunchError names the rank: "device 1" is rank 1.

    Example::

        @tilec.jit
        def number(out, rank):
            tl.store(out, rank)

        outs = [np.zeros(1, np.int32) for rank in range(3)]
        tilec.launch_ranks(number, (1,), [(outs[rank], rank) for rank in range(3)])
        print(*outs)  # [0] [1] [2]
    """
    check = int(_elsewhere.get_check() and _elsewhere._is_wanted(kernel))
    return kernel._launch_ranks(_devices.opened("sim"), check, grid, tuple(tuple(args) for args in ranks), **kwargs)
