# What imports bind, as in Python: each kernel stores the number of the function that it should reach.
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
# What is no regular file is not read, and nothing waits for it.
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
