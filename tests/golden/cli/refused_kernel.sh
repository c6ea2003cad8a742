# A kernel with an instruction that the simulator lacks does not block the other kernels of its file.
cat >two.ptx <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry matrix(.param .u64 p)
{
.reg .b32 %r<9>;
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [p];
wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1];
ret;
}
.visible .entry seven(.param .u64 p)
{
.reg .b32 %r<2>;
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [p];
mov.u32 %r1, 7;
st.global.u32 [%rd1], %r1;
ret;
}
PTX
launch='--grid 1 --threads 1 empty:i32[1]'
t "tilec run two.ptx --device sim --kernel seven $launch"
t "tilec check two.ptx --kernel seven $launch"
t "tilec run two.ptx --device sim --kernel matrix $launch"
t "tilec check two.ptx --kernel matrix $launch"
t "tilec run two.ptx --device sim --kernel eight $launch"
sed '/seven/,$d' two.ptx >one.ptx
for kernel in seven matrix; do t "tilec run one.ptx --device sim --kernel $kernel $launch"; done
