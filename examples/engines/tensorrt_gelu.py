# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GELU as a plugin of TensorRT, compiled ahead of time. gelu_trt.py is what
`tilec gelu.py --emit=tensorrt --signature 'x=*fp32:16,n=i32,out=*fp32:16'` writes."""

from typing import Tuple

import gelu_trt
import tensorrt.plugin as trtp


@trtp.register("tilec_examples::gelu")
def gelu(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


@trtp.aot_impl("tilec_examples::gelu")
def gelu_ahead(
    x: trtp.TensorDesc, outputs: Tuple[trtp.TensorDesc], tactic: int
) -> Tuple[str, str, trtp.KernelLaunchParams, trtp.SymExprs]:
    n = x.shape_expr.numel()
    return gelu_trt.gelu(n, grid=(trtp.cdiv(n, 1024), 1, 1))
