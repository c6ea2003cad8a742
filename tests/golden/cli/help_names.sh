# Help of element types, advice for names that the language lacks, no private names; messages of the parser.
t "tilec help tl.float32 | head -n 6"
t "tilec help float16 | head -n 2"
t "tilec help tl.mean"
t "for name in tl.argsort tl.prod tl.any tl.isnan; do tilec help \$name; done"
t "tilec help tl.lod"
t "tilec help language | grep -c 'tl\\._'"
t "tilec help tl._log2 | head -n 1"
printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef f(x, n:\n    for i in range(3):\n        tl.store(x, n)\n' >open.py
t "tilec open.py -o open.ptx"
printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef f(x, n):\n    tl.store(x, tl.load(x).astype(tl.float16))\n' >astype.py
t "tilec astype.py --signature 'x=*fp32,n=i32' -o astype.ptx"
