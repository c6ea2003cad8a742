# Reports as JSON: the argument's element, the tile's element, and the accesses of a race.
cat >fields.tile <<'END'
@kernel
@grid(2)
def rows(x: *fp32, out: *fp32, n: i32):
    i = arange(0, 4)[:, None]
    j = arange(0, 16)[None, :]
    store(out + program_id(0) * 64 + i * 16 + j, load(x + program_id(0) * 64 + i * n + j))

@kernel
@grid(2)
def sums(x: *fp32, out: *fp32):
    store(out, load(out) + sum(load(x + arange(0, 16)), axis=0))
END
fields='python3 -c '\''import json, sys; [print({k: d.get(k) for k in ("kind", "buffer", "index", "indices", "program", "element", "access", "other_access")}) for d in json.load(sys.stdin)]'\'
t "tilec check fields.tile --kernel rows --diagnostics=json x=ones:fp32[4,23] out=zeros:fp32[128] n=16 2>&1 >/dev/null | $fields"
t "tilec check fields.tile --kernel sums --diagnostics=json x=ones:fp32[16] out=zeros:fp32[1] 2>&1 >/dev/null | $fields"
