target triple = "nvptx64-nvidia-cuda"
declare half @llvm.fma.f16(half,half,half)
declare bfloat @llvm.fma.bf16(bfloat,bfloat,bfloat)
declare float @llvm.maxnum.f32(float,float)
declare float @llvm.minimum.f32(float,float)
declare float @llvm.floor.f32(float)
declare float @llvm.rint.f32(float)
declare float @llvm.roundeven.f32(float)
declare float @llvm.trunc.f32(float)
declare double @llvm.ceil.f64(double)
declare half @llvm.floor.f16(half)
declare i32 @llvm.ctlz.i32(i32,i1)
declare i64 @llvm.ctlz.i64(i64,i1)
declare i32 @llvm.fshl.i32(i32,i32,i32)
declare i64 @llvm.abs.i64(i64,i1)
declare i16 @llvm.smax.i16(i16,i16)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.cttz.i32(i32,i1)
declare float @llvm.sqrt.f32(float)
declare double @llvm.sqrt.f64(double)
declare float @llvm.fabs.f32(float)
declare half @llvm.fabs.f16(half)
declare bfloat @llvm.fabs.bf16(bfloat)
declare float @llvm.copysign.f32(float,float)
declare half @llvm.maxnum.f16(half,half)
declare bfloat @llvm.maximum.bf16(bfloat,bfloat)
declare i32 @llvm.uadd.sat.i32(i32,i32)
define ptx_kernel void @f(ptr addrspace(1) %p, float %a, float %b, half %h, half %g, bfloat %k, bfloat %m, double %d, i32 %i, i64 %l, i16 %s, i8 %c, i1 %t) {
  %1 = call half @llvm.fma.f16(half %h, half %g, half %h)
  store volatile half %1, ptr addrspace(1) %p
  %2 = fadd half %h, %g
  store volatile half %2, ptr addrspace(1) %p
  %3 = fadd bfloat %k, %m
  store volatile bfloat %3, ptr addrspace(1) %p
  %4 = fmul bfloat %k, %m
  store volatile bfloat %4, ptr addrspace(1) %p
  %5 = fdiv half %h, %g
  store volatile half %5, ptr addrspace(1) %p
  %6 = call float @llvm.maxnum.f32(float %a, float %b)
  store volatile float %6, ptr addrspace(1) %p
  %7 = call float @llvm.minimum.f32(float %a, float %b)
  store volatile float %7, ptr addrspace(1) %p
  %8 = call float @llvm.floor.f32(float %a)
  store volatile float %8, ptr addrspace(1) %p
  %9 = call float @llvm.rint.f32(float %a)
  store volatile float %9, ptr addrspace(1) %p
  %10 = call double @llvm.ceil.f64(double %d)
  store volatile double %10, ptr addrspace(1) %p
  %11 = call half @llvm.floor.f16(half %h)
  store volatile half %11, ptr addrspace(1) %p
  %12 = call i32 @llvm.ctlz.i32(i32 %i, i1 0)
  store volatile i32 %12, ptr addrspace(1) %p
  %13 = call i64 @llvm.ctlz.i64(i64 %l, i1 0)
  store volatile i64 %13, ptr addrspace(1) %p
  %14 = call i32 @llvm.fshl.i32(i32 %i, i32 %12, i32 %i)
  store volatile i32 %14, ptr addrspace(1) %p
  %15 = call i64 @llvm.abs.i64(i64 %l, i1 0)
  store volatile i64 %15, ptr addrspace(1) %p
  %16 = call i16 @llvm.smax.i16(i16 %s, i16 3)
  store volatile i16 %16, ptr addrspace(1) %p
  %17 = call i32 @llvm.bswap.i32(i32 %i)
  store volatile i32 %17, ptr addrspace(1) %p
  %18 = call i32 @llvm.cttz.i32(i32 %i, i1 0)
  store volatile i32 %18, ptr addrspace(1) %p
  %19 = call float @llvm.sqrt.f32(float %a)
  store volatile float %19, ptr addrspace(1) %p
  %20 = call double @llvm.sqrt.f64(double %d)
  store volatile double %20, ptr addrspace(1) %p
  %21 = frem float %a, %b
  store volatile float %21, ptr addrspace(1) %p
  %22 = call half @llvm.fabs.f16(half %h)
  store volatile half %22, ptr addrspace(1) %p
  %23 = call bfloat @llvm.fabs.bf16(bfloat %k)
  store volatile bfloat %23, ptr addrspace(1) %p
  %24 = call bfloat @llvm.maximum.bf16(bfloat %k, bfloat %m)
  store volatile bfloat %24, ptr addrspace(1) %p
  %25 = call i32 @llvm.uadd.sat.i32(i32 %i, i32 %12)
  store volatile i32 %25, ptr addrspace(1) %p
  %26 = uitofp i64 %l to half
  store volatile half %26, ptr addrspace(1) %p
  %27 = sitofp i8 %c to bfloat
  store volatile bfloat %27, ptr addrspace(1) %p
  %28 = fptosi bfloat %k to i64
  store volatile i64 %28, ptr addrspace(1) %p
  %29 = fptoui half %h to i8
  store volatile i8 %29, ptr addrspace(1) %p
  %30 = uitofp i1 %t to float
  store volatile float %30, ptr addrspace(1) %p
  %31 = fptrunc double %d to bfloat
  store volatile bfloat %31, ptr addrspace(1) %p
  %32 = fpext bfloat %k to double
  store volatile double %32, ptr addrspace(1) %p
  %33 = sdiv i64 %l, %15
  store volatile i64 %33, ptr addrspace(1) %p
  %34 = fneg half %h
  store volatile half %34, ptr addrspace(1) %p
  %35 = fcmp une bfloat %k, %m
  %36 = select i1 %35, i1 %t, i1 false
  %37 = zext i1 %36 to i8
  store volatile i8 %37, ptr addrspace(1) %p
  %38 = atomicrmw fadd ptr addrspace(1) %p, float %a seq_cst
  %39 = cmpxchg ptr addrspace(1) %p, i32 %i, i32 3 acq_rel monotonic
  %40 = atomicrmw umax ptr addrspace(1) %p, i64 %l seq_cst
  %41 = atomicrmw fadd ptr addrspace(1) %p, half %h seq_cst
  %42 = ashr i64 %l, 3
  %43 = mul i64 %42, %15
  %44 = lshr i16 %s, 3
  store volatile i64 %43, ptr addrspace(1) %p
  store volatile i16 %44, ptr addrspace(1) %p
  %45 = call half @llvm.maxnum.f16(half %h, half %g)
  store volatile half %45, ptr addrspace(1) %p
  %46 = call float @llvm.copysign.f32(float %a, float %b)
  store volatile float %46, ptr addrspace(1) %p
  fence acq_rel
  ret void
}
define ptx_kernel void @v(ptr addrspace(1) %p, <2 x half> %h, <2 x bfloat> %k, <4 x i8> %c) {
  %1 = fmul <2 x half> %h, %h
  %2 = fadd <2 x half> %1, %h
  store volatile <2 x half> %2, ptr addrspace(1) %p
  %3 = fadd <2 x bfloat> %k, %k
  store volatile <2 x bfloat> %3, ptr addrspace(1) %p
  %4 = add <4 x i8> %c, %c
  store volatile <4 x i8> %4, ptr addrspace(1) %p
  %5 = load <8 x i16>, ptr addrspace(1) %p, align 16
  %6 = add <8 x i16> %5, %5
  store <8 x i16> %6, ptr addrspace(1) %p, align 16
  %7 = load <16 x i8>, ptr addrspace(1) %p, align 16
  %8 = icmp slt <16 x i8> %7, zeroinitializer
  %9 = select <16 x i1> %8, <16 x i8> zeroinitializer, <16 x i8> %7
  store <16 x i8> %9, ptr addrspace(1) %p, align 16
  %10 = fcmp ogt <2 x half> %h, %1
  %11 = select <2 x i1> %10, <2 x half> %h, <2 x half> %1
  store volatile <2 x half> %11, ptr addrspace(1) %p
  ret void
}
