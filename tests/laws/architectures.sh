# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For the group laws: every architecture of the table compiles. ptxas assembles the PTX if it knows the name.
# The simulator runs it. ptxas takes exactly the instructions that the table says.
list=$("$tilec" --list-targets)
archs=$(awk '/^sm_/ { print $1 }' <<<"$list" | sort -uV)
known=$([ -z "$ptxas" ] || "$ptxas" --help | grep -o "'sm_[0-9]*a\?'" | tr -d "'" | sort -u)
help=$("$tilec" help compile)

assembled() { # ARCH WHAT
  grep -qx "$1" <<<"$known" || return 0
  expect "ptxas, $2 for $1" "$ptxas" -arch="$1" -o /dev/null "$work/k.ptx"
}

# Compiled, assembled, and run on the simulator against the evaluator.
on_simulator() { # ARCH KERNEL OPTION... NAME=SPEC...
  local arch=$1 kernel=$2
  shift 2
  expect "$kernel for $arch on sim: $*" "$tilec" run tests/laws/architectures.tile --kernel "$kernel" --arch "$arch" --device sim --check "$@"
}

compiled() { # ARCH KERNEL SIGNATURE OPTION...
  local arch=$1 kernel=$2 signature=$3
  shift 3
  expect "$kernel for $arch: $signature $*" "$tilec" tests/laws/architectures.tile --kernel "$kernel" --arch "$arch" --signature "$signature" "$@" -o "$work/k.ptx"
  assembled "$arch" "$kernel $signature"
}

for arch in $archs; do
  if grep -qw "$arch" <<<"$help"; then pass; else fail "help compile does not name $arch"; fi
  for file in add elu; do
    expect "$file for $arch" "$tilec" tests/acceptance/$file.tile --arch "$arch" -o "$work/k.ptx"
    assembled "$arch" $file
  done
  for type in fp16 bf16 fp8e4nv fp8e5; do
    compiled "$arch" product "a_ptr=*$type:16,b_ptr=*$type:16,c_ptr=*fp32:16,K=i32:16"
    on_simulator "$arch" product "a_ptr=randn:$type[64,96]" "b_ptr=randn:$type[96,64]" "c_ptr=empty:fp32[64,64]" K=96
  done
  compiled "$arch" product 'a_ptr=*fp32:16,b_ptr=*fp32:16,c_ptr=*fp32:16,K=i32:16' --fp32-dot=tf32
  on_simulator "$arch" product --fp32-dot=tf32 'a_ptr=randn:fp32[64,96]' 'b_ptr=randn:fp32[96,64]' 'c_ptr=empty:fp32[64,64]' K=96
  compiled "$arch" product 'a_ptr=*fp16:16,b_ptr=*fp16:16,c_ptr=*fp32:16,K=i32:16' -D M=128 -D N=128 -D BLOCK_K=64 --num-stages 64
  compiled "$arch" atomics 'x_ptr=*fp32:16,sum_ptr=*bf16:16,most_ptr=*i32'
  on_simulator "$arch" atomics 'x_ptr=randn:fp32[512]' 'sum_ptr=zeros:bf16[512]' 'most_ptr=empty:i32[1]'
done

on_simulator sm_80 product -D M=16 -D N=16 -D BLOCK_K=16 --num-stages 64 'a_ptr=randn:fp16[16,1536]' 'b_ptr=randn:fp16[1536,16]' 'c_ptr=empty:fp32[16,16]' K=1536

# has COLUMN ARCH: what the first part of the table says.
has() {
  awk -F '  +' -v column="$1" -v arch="$2" '
    /PTX  / && !head { for (i = 1; i <= NF; i++) if ($i == column) at = i; head = 1 }
    head && $1 == arch && !done { print $at; done = 1 }' <<<"$list"
}

instruction() { # COLUMN WORD TEXT: in the rows whose cell has the word (none: is not "-"), and in no other, ptxas takes the text
  local arch cell says takes
  for arch in $known; do
    grep -qx "$arch" <<<"$archs" || continue
    cell=$(has "$1" "$arch")
    says=no takes=no
    [ -n "$cell" ] || fail "the table has no $1"
    if [ -z "$2" ]; then [ "$cell" = - ] || says=yes; elif [[ ",$cell," == *",$2,"* ]]; then says=yes; fi
    cat >"$work/i.ptx" <<END
.version 9.0
.target $arch
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b16 %h<4>; .reg .b32 %r<10>; .reg .f32 %f<10>; .reg .f64 %g<4>; .reg .b64 %d<4>;
  .shared .align 128 .b8 s[1024];
  ld.param.u64 %d1, [p];
  cvta.to.global.u64 %d2, %d1;
  mov.u32 %r1, s;
  ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d2];
  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d2+16];
  ld.global.f64 %g1, [%d2+32];
  ld.global.b16 %h1, [%d2+40];
  $3
  ret;
}
END
    "$ptxas" -arch="$arch" -o /dev/null "$work/i.ptx" >"$work/log" 2>&1 && takes=yes
    if [ $says = $takes ]; then pass; else fail "$1 $2 on $arch: the table says $says, ptxas $takes"; fi
  done
}
mma() { # WORD SHAPE TYPES: sums in fp32
  instruction mma.sync "$1" "mma.sync.aligned.$2.row.col.f32.$3.f32 {%f5,%f6,%f7,%f8}, {%r2,%r3}, {%r4}, {%f1,%f2,%f3,%f4}; st.global.f32 [%d2], %f5;"
}
if [ -n "$ptxas" ]; then
  mma fp16 m16n8k8 f16.f16
  mma bf16 m16n8k8 bf16.bf16
  mma tf32 m16n8k4 tf32.tf32
  mma fp8 m16n8k16 e4m3.e4m3
  instruction mma.sync int8 'mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r6,%r7,%r8,%r9}, {%r2,%r3}, {%r4}, {%r2,%r3,%r4,%r5}; st.global.b32 [%d2], %r6;'
  instruction mma.sync fp64 'mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g2,%g3}, {%g1}, {%g1}, {%g1,%g1}; st.global.f64 [%d2], %g2;'
  instruction wgmma '' 'wgmma.fence.sync.aligned;'
  instruction cp.async '' 'cp.async.cg.shared.global [%r1], [%d2], 16;'
  instruction 'TMA copies' '' 'cp.async.bulk.prefetch.tensor.5d.L2.global [%d1, {%r2, %r3, %r4, %r5, %r2}];'
  instruction cluster '' 'barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;'
  instruction barriers 16 'bar.sync 15, 32;'
  instruction barriers 17 'bar.sync 16, 32;'
  instruction setmaxnreg '24 to 256' 'setmaxnreg.dec.sync.aligned.u32 24; setmaxnreg.inc.sync.aligned.u32 256;'
  instruction setmaxnreg 'more' 'setmaxnreg.inc.sync.aligned.u32 264;'
  instruction redux '' 'redux.sync.add.s32 %r6, %r2, -1; st.global.b32 [%d2], %r6;'
  instruction fp8 '' 'cvt.rn.satfinite.e4m3x2.f32 %h2, %f1, %f2; st.global.b16 [%d2], %h2;'
  instruction 'bf16 atomics' '' 'atom.global.add.noftz.bf16 %h2, [%d2], %h1; st.global.b16 [%d2], %h2;'
  instruction 'vector atomics' '' 'red.global.add.v4.f32 [%d2], {%f1,%f2,%f3,%f4}; red.global.add.noftz.v4.bf16x2 [%d2], {%r2,%r3,%r4,%r5};'
  instruction 'cache policy' '' 'createpolicy.fractional.L2::evict_first.b64 %d3; ld.global.L2::cache_hint.b32 %r6, [%d2], %d3; st.global.b32 [%d2], %r6;'
  instruction 'async proxy' '' 'fence.proxy.async;'
  instruction overlap '' 'griddepcontrol.wait;'
fi
