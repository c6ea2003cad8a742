# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from scale import scale

signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"}
source = ASTSource(fn=scale, signature=signature, constexprs={"BLOCK": 256})
compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32))
open("triton.ptx", "w").write(compiled.asm["ptx"])
