# Imports bind as in Python. Each kernel stores the number of the function that it should reach.
# file PATH < TEXT; jit PATH NUMBER: a file with `f`; main PATH IMPORT STATEMENT: a kernel.
file() { mkdir -p "$(dirname "$1")" && cat >"$1"; }
jit() { printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef f(p):\n    tl.store(p, %s)\n' "$2" | file "$1"; }
main() { printf 'import triton\nimport triton.language as tl\n%b\n@triton.jit\ndef kernel(p):\n    %s\n' "$2" "$3" | file "$1"; }
run() { t "tilec run $1 --device eval --grid 1 'p=full(77):fp32[1]'"; }
# The sub-package u, which the package itself imports by `from . import u`.
printf 'from . import u as u\n' | file a/__init__.py
file a/k/__init__.py </dev/null
printf 'from .m import f\n' | file a/u/__init__.py
jit a/u/m.py 1
main a/k/k.py 'from .. import u as v' 'v.f(p)'
run a/k/k.py
main a/k.py 'from . import u' 'u.f(p)'
run a/k.py
# A function of the package that is named as its module.
printf 'from .u import f as u\n' | file b/__init__.py
jit b/u.py 2
main b/k.py 'from . import u' 'u(p)'
run b/k.py
# Dotted names, with and without an alias.
file c/__init__.py </dev/null
file c/d/__init__.py </dev/null
jit c/d/e.py 3
main k.py 'import c.d.e' 'c.d.e.f(p)'
run k.py
main k.py 'import c.d.e as q' 'q.f(p)'
run k.py
# Stars of a package, of files that lead to each other, and of what is listed.
printf 'from .e import *\n' | file c/d/__init__.py
main k.py 'from c.d import *' 'f(p)'
run k.py
printf 'N = 4\nfrom s import *\n' | file r.py
printf 'from r import N\nM = N\n' | file s.py
main k.py 'from r import M' 'tl.store(p, M)'
run k.py
# Names of target_info, with and without its module.
main k.py 'from triton.language.target_info import cuda_capability_geq, is_cuda as on' 'tl.store(p, 5 if on() and not cuda_capability_geq(10, 0) else 77)'
run k.py
main k.py 'from triton.language.target_info import *' 'tl.store(p, 5 if is_cuda() else 77)'
run k.py
# A file that is not a regular file is not read, and nothing waits for it.
mkfifo fifo.py
mkdir folder.py
main k.py 'from fifo import N' 'tl.store(p, N)'
t 'tilec k.py -o -'
main k.py 'import fifo as q' 'tl.store(p, q.N)'
t 'tilec k.py -o -'
main k.py 'from folder import N' 'tl.store(p, N)'
t 'tilec k.py -o -'
t 'tilec fifo.py -o -'
t 'tilec run fifo.py'
# One PTX, however the path is spelled.
mkdir -p here/there
main here/k.py '' 'tl.device_assert(tl.load(p) > 0)'
cd here
for path in k.py ./k.py .//k.py ../here/k.py there/../k.py "$PWD/k.py"; do tilec "$path" --signature 'p=*fp32' -o - | cksum; done | sort | uniq -c | wc -l
cd ..
# Text that a kernel prints is shown, whatever its prefix does to a terminal.
main k.py '' 'tl.device_print("\\x1b[2Jcleared", tl.load(p))'
for device in sim eval; do tilec run k.py --device $device --grid 1 'p=ones:fp32[1]' | head -n 1; done
# Many functions, each of which calls the next, or none.
{
  printf 'import triton\nimport triton.language as tl\n'
  for ((i = 0; i < 10000; i++)); do printf '@triton.jit\ndef f%d(x):\n    return f%d(x)\n' $i $((i + 1)); done
  printf '@triton.jit\ndef f10000(x):\n    return x\n@triton.jit\ndef k(p):\n    tl.store(p, f9990(tl.load(p)))\n'
} >many.py
t "tilec many.py --kernel k --signature 'p=*fp32' -o many.ptx"
t "tilec many.py --signature 'p=*fp32' -o many.ptx"
