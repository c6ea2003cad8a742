# Messages name functions as the file imports them; .tile files have them without a module.
body() {
  printf '%s\n' '@triton.jit' 'def f(x, out, B: tl.constexpr):' '    i = tl.arange(0, B)' '    v = tl.load(x + i)' "    tl.store(out + i, $1)"
}
under() { # FILE IMPORT PREFIX EXPRESSION
  { printf 'import triton\n%s\n' "$2"; body "$4" | sed "s/tl\\./$3/g"; } >"$1"
  t "tilec $1 --signature 'x=*fp32,out=*fp32' -D B=64 -o f.ptx |& sed -n '1,2p'"
}
for expression in 'v @ v' 'x[i]' 'v[0]' 'v[v > 0]' 'v[i]' 'v.mean()' 'tl.dot(v, v)' 'tl.lod(x)'; do under "tl.py" 'import triton.language as tl' 'tl.' "$expression"; done
for expression in 'v @ v' 'v[0]' 'v.mean()' 'tl.dot(v, v)'; do
  under "lang.py" 'import triton.language as lang' 'lang.' "$expression"
  under "whole.py" '' 'triton.language.' "$expression"
  under "some.py" 'from triton.language import arange, load, store, constexpr, dot' '' "$expression"
  under "star.py" 'from triton.language import *' '' "$expression"
  under "parent.py" 'from triton import language as L' 'L.' "$expression"
done
under "some.py" 'from triton.language import arange, load, store, constexpr' '' 'sum(v, 0) + tl.max(v, 0)'
printf '%s\n' '@kernel' 'def f(x: *fp32, out: *fp32, B: constexpr):' '    i = arange(0, B)' '    v = load(x + i)' '    store(out + i, v[0])' '    store(out + i, v @ v)' '    store(out, x[i])' >bare.tile
t "tilec bare.tile -D B=64 -o f.ptx"
