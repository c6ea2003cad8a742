# --grid: numbers, and expressions over the arguments and constexprs, as @grid takes them.
buffers='x=ones:fp32[1000] out=empty:fp32[1000]'
scale="tilec run two.tile --kernel scale --device eval factor=2.0 $buffers"
t "$scale n=1000 --grid 'cdiv(n, BLOCK)'"
t "$scale n=1000 --grid '(n + BLOCK - 1) // BLOCK, 1' -D BLOCK=64"
t "$scale n=1000 --grid '(cdiv(n, BLOCK), 2)' BLOCK=256"
t "$scale n=1000 --grid 8,1"
# It replaces the kernel's own grid, on every device.
for device in sim eval; do t "tilec run add.tile --device $device x=ones:fp32[1000] y=ones:fp32[1000] out=empty:fp32[1000] n=1000 --grid '2 * cdiv(n, BLOCK), 1, 2' --check"; done
t "tilec check two.tile --kernel scale factor=2.0 $buffers n=1000 --grid 'cdiv(n, BLOCK)'"
t "tilec bench two.tile --kernel scale --device eval factor=2.0 $buffers n=1000 --grid 'cdiv(n, BLOCK)' | sed -n 2p"
# A .py file, by its own names and by these.
cat >scale.py <<'END'
import triton
import triton.language as tl
UNIT = 2
@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
END
for grid in 'triton.cdiv(n, BLOCK)' 'cdiv(n, BLOCK)' 'tl.cdiv(n, BLOCK) * UNIT' 'min(n, 8)'; do t "tilec run scale.py --device eval $buffers n=1000 -D BLOCK=128 --grid '$grid'"; done
# Errors.
for grid in 'cdiv(n, BLOK)' 'cdiv(n, BLOCK' 'n / BLOCK' '1, 2, 3, 4, n' 'n - 1001' '()' 'x' 'factor' 'n,' '' 'n n'; do t "$scale n=1000 --grid '$grid'"; done
t "$scale n=1000 --grid 1,2,3,4"
t "$scale n=1000 --grid 99999999999"
t 'tilec two.tile --kernel scale --stop-after=elaborate -o scale.tir && tilec run scale.tir --device eval n=1 factor=1.0 x=ones:fp32[1] out=empty:fp32[1] --grid n'
t 'tilec two.tile --kernel scale -o scale.ptx && tilec run scale.ptx --device sim --kernel scale --threads 128 --grid n ones:fp32[1] empty:fp32[1] 1.0 1'
