# --kernel takes the name in the CUDA source, if one entry of the PTX has it: a function, one of a namespace, a template.
cat >names.ptx <<'PTX'
.version 8.0
.target sm_80
.address_size 64
PTX
for name in _Z4normPi _ZN3app4sealEPi _Z4foldIfEvPi _Z4foldIdEvPi; do
  cat >>names.ptx <<PTX
.visible .entry $name(.param .u64 p)
{
.reg .b32 %r<2>;
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [p];
mov.u32 %r1, ${#name};
st.global.u32 [%rd1], %r1;
ret;
}
PTX
done
launch='--grid 1 --threads 1 empty:i32[1]'
for kernel in norm seal app::seal _Z4foldIdEvPi fold app nor; do t "tilec run names.ptx --device sim --kernel $kernel $launch"; done
t "tilec check names.ptx --kernel norm $launch"
