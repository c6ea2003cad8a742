# Inline assembly: immediates, effects once for each element, the target's suffix, an assembler older than the PTX.
cat >asm.py <<'EOF'
import triton
import triton.language as tl

@triton.jit
def immediates(x, y, MASK: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.inline_asm_elementwise("lop3.b32 $0, $1, $2, $3, $4;", "=r,r,n,n,n", [tl.load(x + i), MASK, 0x64006400, (0xf0 & 0xcc) | 0xaa],
                                  dtype=tl.int32, is_pure=True, pack=1)
    w = tl.inline_asm_elementwise("add.s64 $0, $1, $2; // $3", "=l,l,i,ri", [v.to(tl.int64), -1099511627776, 7], dtype=tl.int64, is_pure=True, pack=1)
    tl.store(y + i, w)

@triton.jit
def counts(c, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.inline_asm_elementwise("red.global.add.u32 [$1], 1; mov.u32 $0, 0;", "=r,l", [c + i], dtype=tl.int32, is_pure=False, pack=1)
    tl.inline_asm_elementwise("red.global.add.u32 [$1], 1; mov.u32 $0, 0;", "=r,l", [c + N], dtype=tl.int32, is_pure=False, pack=1)

@triton.jit
def summed(c, out, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.inline_asm_elementwise("atom.global.add.u32 $0, [$1], 1;", "=r,l", [c + i], dtype=tl.uint32, is_pure=False, pack=1)
    tl.store(out, tl.sum(old))

@triton.jit
def unknown(x, y, n):
    tl.store(y, tl.inline_asm_elementwise("add.u32 $0, $1, $2;", "=r,r,n", [tl.load(x), n], dtype=tl.int32, is_pure=True, pack=1))
EOF
t 'tilec run asm.py --kernel immediates --device sim --grid 1 -D N=32 -D MASK=983055 x=arange:i32[32] y=zeros:i64[32]'
t 'tilec run asm.py --kernel counts --device sim --grid 1 -D N=32 c=zeros:u32[33]'
t 'tilec run asm.py --kernel counts --device sim --grid 1 -D N=256 c=zeros:u32[257] --num-warps 8'
t 'tilec run asm.py --kernel summed --device sim --grid 1 -D N=32 c=zeros:u32[32] out=zeros:u32[1]'
t 'tilec run asm.py --kernel summed --device sim --grid 1 -D N=32 c=zeros:u32[32] out=zeros:u32[1] --num-warps 1'
t 'tilec run asm.py --kernel unknown --device sim --grid 1 n=3 x=ones:i32[1] y=zeros:i32[1]'
for arch in sm_80 sm_90a sm_100a sm_120a; do
  t "tilec asm.py --kernel counts --signature 'c=*u32:16' -D N=32 --arch $arch -o - | grep -e '^.version' -e '^.target'"
done
# This ptxas knows PTX up to 8.7.
mkdir bin
cat >bin/ptxas <<'EOF'
#!/bin/sh
while [ "$1" != -o ]; do file=$1; shift; done
if grep -q '^.version 9' "$file"; then
  echo "ptxas $file, line 5; fatal   : Unsupported .version 9.0; current version is '8.7'"
  exit 255
fi
grep '^.version' "$file" >"$2"
EOF
chmod +x bin/ptxas
t "PATH=\$PWD/bin:\$PATH tilec asm.py --kernel counts --signature 'c=*u32:16' -D N=32 --emit=cubin -o old.cubin && cat old.cubin"
# A pack larger than what a thread holds: elements of its own are right, of others a warning, of memory an error.
cat >pack.py <<'END'
import triton
import triton.language as tl

@triton.jit
def widen(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.inline_asm_elementwise("""{ .reg .b8 b<4>; mov.b32 {b0, b1, b2, b3}, $4;
                                       cvt.u32.u8 $0, b0; cvt.u32.u8 $1, b1; cvt.u32.u8 $2, b2; cvt.u32.u8 $3, b3; }""",
                                  "=r,=r,=r,=r,r", [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=4)
    tl.store(y + i, v)

@triton.jit
def scratch(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.inline_asm_elementwise("{ .reg .b32 t; mad.lo.s32 t, $2, $4, 1; mov.b32 $0, t; mad.lo.s32 t, $3, $4, 1; mov.b32 ${1}, t; // $2\n }",
                                  "=r,=r,r,r,n,n", [tl.load(x + i), 3], dtype=tl.int32, is_pure=True, pack=2)
    tl.store(y + i, v)

@triton.jit
def differences(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.inline_asm_elementwise("{ .reg .b32 t; mov.b32 t, $3; sub.s32 $0, t, $2; mov.b32 $1, 0; }", "=r,=r,r,r", [tl.load(x + i)], dtype=tl.int32,
                                  is_pure=True, pack=2)
    tl.store(y + i, v)

@triton.jit
def guarded(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.inline_asm_elementwise("{ .reg .pred p; setp.lt.s32 p, ${3}, 0; mov.b32 $0, 5; @!p mov.b32 $0, 6; mov.b32 $1, $3; }", "=r,=r,r,r",
                                  [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=2)
    tl.store(y + i, v)

@triton.jit
def counts(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.inline_asm_elementwise("red.global.add.u32 [$2], 1; red.global.add.u32 [$3], 1; mov.u32 $0, 0; mov.u32 $1, 0;", "=r,=r,l,l", [x + i],
                              dtype=tl.int32, is_pure=False, pack=2)
END
for n in 64 256 1024; do t "tilec run pack.py --kernel widen --device sim --grid 1 -D N=$n x=arange:u8[$n] y=zeros:i32[$n]"; done
for kernel in scratch differences guarded; do
  for n in 64 256; do t "tilec run pack.py --kernel $kernel --device sim --grid 1 -D N=$n x=arange:i32[$n] y=zeros:i32[$n]"; done
done
for n in 64 256; do t "tilec run pack.py --kernel counts --device sim --grid 1 -D N=$n x=zeros:i32[$n]"; done
