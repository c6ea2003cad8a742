# A bundle, a launch from it, and what is forbidden.
w() { tilec warm "$@" --cubins off; }
from() { TILEC_BUNDLE=$1 TILEC_JIT=forbid tilec run --device sim "${@:2}"; }
words='x=arange:fp32[99] y=ones:fp32[99] out=empty:fp32[99] n=99'
t "w add.tile --arch sm_90a --signature x=:16,y=:16,out=:16 --variant x=:16,y=:16,out=:16,n=:16 -o add.bundle"
t "from add.bundle add.tile $words"
t "tilec warm add.bundle"
t "tilec warm add.bundle --json"
t "tilec warm add.bundle -o more.bundle"
t "from add.bundle add.tile ${words/n=99/n=96}"
# A grid is not part of the kernel.
t "from add.bundle add.tile --grid 'n // 99 + 1' $words"
# Another constexpr; a misaligned argument.
t "from add.bundle add.tile -D BLOCK=64 $words"
t "from add.bundle add.tile ${words/fp32\[99\]/fp32[100]+4}"
# The file may be elsewhere; its text may not change.
mkdir other && cp add.tile other/sum.tile
t "from add.bundle other/sum.tile $words"
sed -i 's/# /#  /; s/) + /) - /' other/sum.tile
t "from add.bundle other/sum.tile $words | head -n 1"
# Lists, and recorded runs.
printf '# two kernels\nadd.tile --signature x=:16,y=:16,out=:16\nadd.tile -D BLOCK=64 --signature x=:16,y=:16,out=:16 # smaller\n' >bad.list
t "w bad.list --arch sm_90a -o bad.bundle"
sed -i 's/ # smaller//' bad.list
t "w bad.list --arch sm_80,sm_90a -o both.bundle"
t "from both.bundle add.tile -D BLOCK=64 $words | head -n 1"
t "TILEC_RECORD=seen TILEC_RECORD_CUBINS=off tilec run --device sim add.tile -D BLOCK=128 $words | head -n 1"
t "tilec warm seen -o seen.bundle"
t "from seen.bundle add.tile -D BLOCK=128 $words | head -n 1"
t "TILEC_RECORD=/proc/nope tilec run --device sim add.tile $words |& head -n 1"
# What differs, where the launch has the facts of an entry.
t "w add.tile --arch sm_90 --signature x=:16,y=:16,out=:16 --restrict -o other.bundle"
t "from other.bundle add.tile $words |& tail -n 1"
t "TILEC_JIT=forbid tilec run --device sim add.tile $words |& tail -n 1"
printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef mm(x):\n    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]\n    tl.store(x + i, tl.dot(tl.load(x + i), tl.load(x + i)))\n' >mm.py
t "w mm.py --arch sm_90a --signature x=*fp32:16 --fp32-dot=ieee -o mm.bundle"
t "from mm.bundle mm.py --grid 1 --fp32-dot=tf32 x=ones:fp32[256] |& tail -n 1"
# Files that cannot be used.
head -c 3000 add.bundle >cut.bundle
sed 's/kernel=add/kernel=adx/' add.bundle >altered.bundle
sed 's/^\(tilec-bundle 1 [0-9a-f]* \)./\1x/' add.bundle >foreign.bundle
for name in cut altered foreign no; do t "from $name.bundle add.tile $words"; done
t "TILEC_JIT=maybe tilec run --device sim add.tile $words"
# Wrong use.
t "tilec warm add.tile"
t "tilec warm nope.bundle"
t "tilec warm none -o none.bundle"
t "w add.tile --variant z=:16 -o none.bundle"
# A cubin is listed with what its PTX was compiled for.
mkdir bin && printf '#!/bin/sh\nfor word; do [ "$last" = -o ] && echo code >"$word"; last=$word; done\n' >bin/ptxas && chmod +x bin/ptxas
t "PATH=\$PWD/bin:\$PATH tilec warm add.tile --arch sm_90a --signature x=:16 -o cubin.bundle"
