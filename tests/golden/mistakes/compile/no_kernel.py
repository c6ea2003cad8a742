# compile: --signature x=*fp32,n=i32 -D BLOCK=64
# mistake: a file without a kernel
# instead: the file that has it
import triton
import triton.language as tl

BLOCK = 64
