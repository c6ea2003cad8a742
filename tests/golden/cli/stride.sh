# A parameter that is 1, and without a type, is an i32.
printf '@kernel\ndef k(x: *fp32, stride, n: i32):\n    i = arange(0, 64)\n    store(x + i * stride, 1.0, mask=i < n)\n\n\n@kernel\ndef other(x: *fp32, m):\n    store(x, m)\n' >k.tile
t 'tilec k.tile --kernel k --signature stride=:1 --emit=tir --stop-after=elaborate -o - | grep kernel'
t 'tilec k.tile --kernel k --signature stride=i64:1 --emit=tir --stop-after=elaborate -o - | grep kernel'
t 'tilec k.tile --signature stride=:1 --emit=meta -o - | cut -c 1-40' # other is left out: m has no type
t 'tilec k.tile --kernel k --signature stride=:16 -o -'
