# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The four ladders: each step a kernel and options, what it changes, and which of its counts that lowers."""
from dataclasses import dataclass


@dataclass
class Step:
    name: str
    file: str  # of this folder, or of examples/
    kernel: str
    options: str
    text: str  # what it changes and why that pays; a paragraph of Markdown
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


def matmul_words(step, n, fill):
    kind, shape = step.dtype, (n, n)
    buffers = [f"{x}_ptr={fill(x, kind, shape)}" for x in "ab"] + [f"c_ptr=empty:{kind}[{n},{n}]"]
    if step.kernel != "matmul":
        return [*buffers, f"n={n}"]
    return [*buffers, f"M={n}", f"N={n}", f"K={n}", f"stride_am={n}", "stride_ak=1", f"stride_bk={n}", "stride_bn=1"]


TILES = "-D BLOCK_M={} -D BLOCK_N={} -D BLOCK_K={} --num-warps 8".format
LARGE = TILES(256, 128, 64) + " --num-stages 4 --arch sm_90a --tma="
HALF = {"dtype": "fp16", "error": 5e-3}
DOT = ("tl.dot(",)

MATMUL = Ladder(
    "matmul", "Matmul, from one element per thread to a persistent kernel",
    "c = a b of row-major matrices of 4096 x 4096. The first steps have fp32 operands. The tensor cores begin with tf32: the same "
    "numbers, rounded to 10 bits after the point. The last steps have fp16.",
    256, 4096, matmul_words, [
        Step("naive", "matmul/product.tile", "naive", "",
             "A thread computes one element of c. A program computes a piece of a *column*, so neighbouring lanes are in neighbouring "
             "rows. A load of `a` uses 4 bytes of each sector of 32 bytes. A warp's request is 32 sectors.", ("acc +=",)),
        Step("coalesced", "matmul/product.tile", "coalesced", "",
             "A program computes a piece of a *row*. Neighbouring lanes read neighbouring words of `b`, which are four sectors a "
             "request. All lanes read the same word of `a`. The additions are the same, with a seventh of the sectors. But each "
             "multiply-add still reads both operands from the cache.", ("acc +=",), "global_sectors"),
        Step("shared tiles", "examples/matmul.tile", "matmul", TILES(16, 16, 16) + " --num-stages 1",
             "Tiles of 16 x 16 of both operands go through shared memory. 256 threads read each element there 16 times. This takes a "
             "ninth of the sectors. Now each multiply-add reads both operands from shared memory, and the loop waits for each tile.",
             (*DOT, "x = tl.load"), "global_sectors"),
        Step("registers", "matmul/plain.tir", "matmul", "",
             "Tiles of 64 x 64: a thread has 4 x 4 sums in registers. It uses each value that it reads four times. The file "
             "`matmul/plain.tir` is the compiler's final IR with one change: rows in shared memory are not swizzled. So lanes that "
             "read different rows have bank conflicts.", ("dot %", "shared_store %x"), "shared_wavefronts"),
        Step("swizzle", "examples/matmul.tile", "matmul", TILES(64, 64, 16) + " --num-stages 1",
             "The same from source. The compiler swizzles: it combines the address with the row's number by XOR. Rows that are read "
             "together are then in different banks. There are no conflicts, and issue slots are the bottleneck.", DOT, "conflicts"),
        Step("stages", "examples/matmul.tile", "matmul", TILES(64, 64, 16) + " --num-stages 3",
             "cp.async copies tiles two iterations ahead, so no load is waited for. One barrier an iteration is enough instead of "
             "two. But issue slots were the bottleneck already. `a` is transposed for the multiply-adds, and copied one word at a "
             "time, which takes more of them. So this step gains nothing, as predicted and as measured.", (*DOT, "x = tl.load"), "barriers"),
        Step("more registers", "examples/matmul.tile", "matmul", TILES(128, 128, 32),
             "Tiles of 128 x 128: 8 x 8 sums per thread. Each multiply-add needs half the traffic of both memories. The rest of the time "
             "is multiply-adds.", DOT, "shared_wavefronts"),
        Step("tensor cores: mma.sync", "examples/matmul.tile", "matmul", TILES(128, 128, 32) + " --arch sm_90 --fp32-dot tf32",
             "One instruction of a warp multiplies 16 x 8 x 8. This takes a twelfth of the instructions. The operands still go through "
             "registers.", DOT, "instructions", error=1e-2),
        Step("tensor cores: wgmma", "examples/matmul.tile", "matmul", TILES(128, 128, 32) + " --arch sm_90a --fp32-dot tf32",
             "Four warps multiply together. The instruction reads an operand from shared memory itself. So the wavefronts of these "
             "loads disappear.", DOT, "shared_wavefronts", error=1e-2),
        Step("half the bytes", "examples/matmul.tile", "matmul", TILES(128, 128, 64) + " --arch sm_90a --tma=off",
             "fp16: each copy has half the bytes, and the tensor cores do twice the multiply-adds per clock.", DOT, "global_sectors", **HALF),
        Step("larger tiles", "examples/matmul.tile", "matmul", LARGE + "off",
             "Tiles of 256 x 128. Two warpgroups with 128 rows each share `b`: a quarter less traffic. There are four stages, because "
             "an iteration takes longer.", (*DOT, "x = tl.load"), "global_sectors", **HALF),
        Step("TMA copies", "examples/matmul.tile", "matmul", LARGE + "on --warp-specialize=off",
             "One thread orders the copy of a whole tile (TMA). No thread computes addresses or masks. An mbarrier counts the bytes "
             "that have arrived.", ("x = tl.load", "y = tl.load"), "global_requests", **HALF),
        Step("warp specialization", "examples/matmul.tile", "matmul", LARGE + "on --warp-specialize=on --persistent=off",
             "One warp copies, and the others multiply. They pass slots by mbarriers, so no barrier stops all warps in the loop. The "
             "prediction does not change, because the model lets all bounds overlap. Nor does the measured time: the tensor cores "
             "are the bottleneck.", ("for k in", *DOT), **HALF),
        Step("persistent", "examples/matmul.tile", "matmul", LARGE + "on --warp-specialize=on --persistent=on",
             "As many CTAs as fit on the device compute one tile of `c` after another. The next tile's copies run while the last tile "
             "is stored. This helps launches with many short programs ([matmul](../matmul.md#persistent-kernels-persist)). This launch "
             "has only 512 tiles on 132 multiprocessors.", ("tl.store(",), **HALF),
    ])


def sum_words(step, n, fill):
    return [f"x_ptr={fill('x', 'fp32', (n,))}", f"out_ptr=zeros:fp32[{n // step.outputs if step.outputs else 1}]", f"n={n}"]


OFF = "--disable-pass accumulate --disable-pass unroll_loads"
REDUCTION = Ladder(
    "reduction", "A vector's sum, from scattered loads to one pass",
    "The sum of 2^26 floats. These are 268 MB, which memory delivers in {memory}. Each program stores the sum of 16384 elements, or "
    "of 4096 in the last two steps.",
    65536, 67108864, sum_words, [
        Step("scattered", "reduction/sum.tile", "apart", "",
             "Each thread adds 16 consecutive elements. In every step neighbouring lanes are 64 bytes apart, so each lane reads a "
             "sector of its own and uses 4 bytes of it. The cache may still have the sector when the thread needs the next 4 bytes.",
             ("acc +=",), outputs=16384),
        Step("neighbours", "reduction/sum.tile", "total", f"-D BLOCK=128 {OFF}",
             "Neighbouring lanes read neighbouring elements: four sectors per request, and all bytes are used. Each iteration loads 4 "
             "bytes per thread, adds up across the block, and waits for both.", ("acc +=",), "global_sectors", outputs=16384),
        Step("16 bytes per lane", "reduction/sum.tile", "total", OFF,
             "A thread has eight elements, in two loads of 16 bytes. So there is an eighth of the iterations, of the waits, and of "
             "the sums across the block. From here on memory is the bottleneck.", ("acc +=",), "global_requests", outputs=16384),
        Step("combined once", "reduction/sum.tile", "total", "--disable-pass unroll_loads",
             "The loop adds into each thread's registers (`accumulate`). Shuffles, shared memory and the barrier come once, after "
             "the loop. This saves instructions and barriers.",
             ("acc +=",), "barriers", outputs=16384),
        Step("loads ahead", "reduction/sum.tile", "total", "",
             "The loop loads for two iterations at once (`unroll_loads`). Twice the bytes are in flight while a thread waits.",
             ("acc +=",), outputs=16384),
        Step("no loop", "examples/reduce.tile", "partial_sum", "--num-warps 8",
             "A program has 4096 elements, and all of their loads are in flight at once. It waits only once.",
             ("tl.store(out_ptr + tl.program_id(0), tl.sum",), outputs=4096),
        Step("one pass", "examples/reduce.tile", "atomic_sum", "--num-warps 8",
             "Each program adds its sum to the result with one atomic. No second launch has to add 16384 numbers.", ("atomic_add",)),
    ])


def convolution_words(step, n, fill):
    taps = ["taps=15"] if step.kernel == "looped" else []
    return [f"x_ptr={fill('x', 'fp32', (n + 14,))}", f"w_ptr={fill('w', 'fp32', (15,))}", f"out_ptr=empty:fp32[{n}]", f"n={n}", *taps]


TAPS = ("acc +=",)
CONVOLUTION = Ladder(
    "convolution", "A convolution of 15 taps, from loads of each tap to a window for each warp",
    "out[i] is the sum of w[t] x[i + t] over 15 taps. There are 2^26 elements: 268 MB are read and 268 MB written. Memory does this "
    "in {memory}.",
    65536, 67108864, convolution_words, [
        Step("taps in a loop", "convolution/convolution.tile", "looped", "",
             "Each iteration loads the elements of the one before, shifted by one. All 15 loads read global memory. An odd distance is "
             "not a multiple of 16 bytes, so a lane loads 4 bytes at a time. The model has no L1 cache, but the L1 cache serves most "
             "of these loads. So the prediction is far too long.", TAPS),
        Step("each tap loaded", "convolution/convolution.tile", "convolution", "--disable-pass load_once",
             "The taps are unrolled. Their loads are in flight together, and the weights are loaded once. The sectors are the same: a "
             "cache delivers each element 15 times.", TAPS, "instructions"),
        Step("shared window", "convolution/convolution.tile", "convolution", "",
             "The loads of a program overlap. With `load_once` it reads its 1024 elements and a halo of 14 once, 16 bytes per lane, "
             "into shared memory. Each tap reads there. This takes an eighth of the sectors. Four warps meet at a barrier. Now memory "
             "is the bottleneck. (The compiler's estimate has the tiles of all taps in registers. ptxas keeps each number once.)",
             TAPS, "global_sectors"),
        Step("a window per warp", "convolution/convolution.tile", "convolution", "-D BLOCK=512 --num-warps 1",
             "Each warp has its own window. There is no barrier, so no warp waits for another.", TAPS, "barriers"),
        Step("longer windows", "convolution/convolution.tile", "convolution", "-D BLOCK=4096",
             "Four warps share windows of 4096 elements. The halo and the fixed cost of a program are spread over four times as many "
             "elements.", TAPS, "global_sectors"),
    ])


def softmax_words(step, n, fill):
    columns = max(2 * n, 2048)  # two blocks at least
    return [f"x_ptr={fill('x', 'fp32', (n, columns))}", f"out_ptr=empty:fp32[{n},{columns}]", f"R={n}", f"C={columns}"]


SOFTMAX = Ladder(
    "softmax", "Softmax of rows, from three passes to rows in registers",
    "4096 rows of 8192 floats, one row for each program. 134 MB are read and 134 MB written. Memory does this in {memory}.",
    16, 4096, softmax_words, [
        Step("three passes", "softmax/softmax.tile", "three_passes", "",
             "The first loop computes the maximum, the second the sum, the third the quotients. So the row is read three times. It "
             "comes from memory again if other programs have replaced it in the L2 cache. 16 rows per multiprocessor are more than "
             "this cache keeps.", ("most =", "sums +=", "x = tl.load")),
        Step("one pass", "softmax/softmax.tile", "one_pass", "",
             "One loop computes maximum and sum. When the maximum grows, the sum is rescaled. The row is read twice. Each iteration "
             "takes a maximum and a sum across the block, with barriers. Meanwhile other programs on the multiprocessor work.",
             ("most =", "s = s", "x = tl.load"), "global_sectors"),
        Step("one pass, each lane its own", "softmax/softmax.tile", "one_pass_a_lane", "",
             "Every thread keeps the maximum and the sum of its own columns. They are combined once, after the loop, which has no "
             "barrier. This takes more registers, so fewer programs fit on a multiprocessor.", ("larger =", "sums =", "m = tl.max"), "barriers"),
        Step("rows in registers", "softmax/softmax.tile", "in_registers", "",
             "The whole row is one tile: 64 elements per thread. It is read once. There is no loop, and nothing is computed twice.",
             ("x = tl.load", "e = tl.exp"), "global_sectors"),
        Step("more warps", "softmax/softmax.tile", "in_registers", "--num-warps 8",
             "8 warps have the same row: 32 elements per thread. With fewer registers per thread, more warps fit. While one program waits, "
             "loads of others are in flight.", ("x = tl.load",)),
    ])

LADDERS = [MATMUL, REDUCTION, CONVOLUTION, SOFTMAX]
