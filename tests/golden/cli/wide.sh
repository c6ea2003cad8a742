# Tuples and tensor descriptors as arguments.
cat >wide.tile <<'EOF'
@jit
def scaled(x, factor):
    return x * factor


@kernel
@grid(cdiv(d.shape[0], d.block_shape[0]), cdiv(d.shape[1], d.block_shape[1]))
def copy(d, out, t):
    at = [program_id(0) * d.block_shape[0], program_id(1) * d.block_shape[1]]
    out.store(at, t.fn(d.load(at), t.factor) + load(t.bias))


@kernel
def typed(d: "tensordesc<fp16[16, 32], nan>", t: "(out=*fp32, n=i32, more=(fp32, *i32))", m: (i64,)):
    store(t.out, t.n + m[0])


@kernel
def plain(t, out: *i32):
    total = 0
    for i in static_range(len(t)):
        total += t[i][0] * t[i][1]
    store(out, total)
EOF
# A descriptor's tensor is its buffer, or less of it; a tuple's buffers are compared, reported and saved as others are.
copy="'d=desc(arange:fp16[40,72],block=[16,32],shape=[37,64])' 'out=desc(empty:fp16[37,64],block=[16,32])' 't=(fn=constexpr(scaled),factor=2.0,bias=full(3):fp16[1])'"
t "tilec run wide.tile --check --device sim --kernel copy $copy --save t.bias=bias.npy --save out=out.npy"
t "tilec run wide.tile --check --device eval --kernel copy $copy --expect out=@out.npy --expect t.bias=@bias.npy"
t "tilec run wide.tile --check --kernel copy $copy --stats |& tail -n 1 | sed 's/.*comparisons/comparisons/'"
t "tilec check wide.tile --kernel copy 'd=desc(randn:fp32[64],block=[8,16],shape=[4,16])' 'out=desc(&d,block=[8,16],shape=[4,16],strides=[16,1])' 't=(fn=constexpr(scaled),factor=1.0,bias=&d)' 2>&1 | sed -n 1,3p"
t "tilec bench wide.tile --device sim --kernel copy $copy | sed 's/: .*over/: over/'"
t "tilec run wide.tile --device eval --kernel plain --grid 1 't=((2,3),(4,constexpr(5)),(True,1))' out=empty:i32[1]"
t "tilec run wide.tile --device eval --kernel plain --grid 1 't=()' out=empty:i32[1]"
t "tilec run wide.tile --device eval --kernel plain --grid 't[0][1]' 't=((2,3),)' out=empty:i32[1]"
# A missing argument is named with its type, and with a command line that works.
t "tilec run wide.tile"
t "tilec run wide.tile --kernel typed --grid 1"
t "$(tilec run wide.tile --kernel typed --grid 1 2>&1 | sed -n 's/^tilec: note: for instance: //p')"
t "tilec wide.tile --kernel typed --emit=meta -o - | sed 's/.*\"arguments\"/\"arguments\"/'"
t "tilec wide.tile --kernel plain --signature 't=((i32:16,i32),(i32,constexpr(5)))' --stop-after=elaborate -o - | grep kernel | sed 's/ loc([^)]*)//g'"
# A descriptor that is not declared is known by what is done with it.
t "tilec run wide.tile --kernel copy 't=(fn=constexpr(scaled),factor=2.0,bias=zeros:fp32[1])' --device eval"
t "$(tilec run wide.tile --kernel copy 't=(fn=constexpr(scaled),factor=2.0,bias=zeros:fp32[1])' --device eval 2>&1 | sed -n 's/^tilec: note: for instance: //p')"
printf '@kernel\n@grid(cdiv(a.shape[0], a.block_shape[0]))\ndef move(a, b, n):\n    i = program_id(0) * a.block_shape[0]\n    b.store([i], a.load([i]) + n)\n' >move.tile
t "tilec run move.tile --device eval"
t "$(tilec run move.tile --device eval 2>&1 | sed -n 's/^tilec: note: for instance: //p')"
t "tilec move.tile -o move.ptx"
t "$(tilec move.tile -o move.ptx 2>&1 | sed -n 's/^tilec: note: for instance: //p') && grep -c entry move.ptx"
# Values that do not fit.
typed() { t "tilec run wide.tile --kernel typed --grid 1 $* |& sed -n 1p"; }
good="'d=desc(ones:fp16[16,32],block=[16,32],padding=nan)'"
typed d=3 t=4 m=5
typed "'d=desc(ones:fp16[16,32],block=[16,32])'" "'t=(1,2,3)'" m=5
typed "$good" "'t=(&d,2)'" "'m=(5,)'"
typed "$good" "'t=(full(3):fp32[2],2,(3,4))'" "'m=(5,)'"
typed "$good" "'t=(full(3):fp32[2],2,(3,zeros:i64[4]))'" "'m=(5,)'"
typed "$good" "'t=(a=full(3):fp32[2],2)'" "'m=(5,)'"
typed "$good" "'t=(full(3):fp32[2],,3)'" "'m=(5,)'"
typed "$good" "'t=(1,2'" "'m=(5,)'"
for spec in '1,block=[16]' 'ones:fp16[16,32]' 'ones:fp16[16,32],block=[16]' 'ones:fp16[16,32],block=[16,3]' 'ones:fp16[16,32],block=[16,32],shape=[4]' \
  'ones:fp16[16,32],block=[16,32],pading=nan' 'ones:fp16[16,32],block=[16,32],padding=one' 'ones:fp16[16,32],block=16' 'ones:fp16[16,32],block=[a,b]' \
  'ones:fp16[16,32],block=[16,32],strides=[33,1]' 'ones:fp16[16,32],block=[16,32],strides=[32,2]' 'ones:fp16[16,32],block=[16,4]' \
  'ones:fp16[16,32]+4,block=[16,32]' 'ptrs(t),block=[16]' 'ones:i32[16,32],block=[16,32],padding=nan' 'ones:fp16[16,0],block=[16,32]'; do
  typed "'d=desc($spec)'" "'t=(full(3):fp32[2],2,(3,zeros:i32[4]))'" "'m=(5,)'"
done
