target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n) "nvvm.reqntid"="128" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr <8 x half>, ptr addrspace(1) %x, i32 %t
  %v = load <8 x half>, ptr addrspace(1) %p, align 16
  %e = fpext <8 x half> %v to <8 x float>
  %f = fmul <8 x float> %e, %e
  %g = fptrunc <8 x float> %f to <8 x bfloat>
  %q = getelementptr <8 x bfloat>, ptr addrspace(1) %y, i32 %t
  store <8 x bfloat> %g, ptr addrspace(1) %q, align 16
  ret void
}
define ptx_kernel void @i8k(ptr addrspace(1) %x, i8 %k, i16 %m, i1 %b) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i8, ptr addrspace(1) %x, i32 %t
  %v = load i8, ptr addrspace(1) %p
  %w = sdiv i8 %v, %k
  %s = trunc i16 %m to i8
  %z = select i1 %b, i8 %w, i8 %s
  %u = sitofp i8 %z to half
  %u2 = fcmp ogt half %u, 0.0
  %u3 = zext i1 %u2 to i8
  %u4 = fptosi half %u to i8
  %u5 = xor i8 %u3, %u4
  store i8 %u5, ptr addrspace(1) %p
  ret void
}
