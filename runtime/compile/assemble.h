// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX to the GPU's own code, by way of the cache on disk.
#ifndef RUNTIME_COMPILE_ASSEMBLE_H
#define RUNTIME_COMPILE_ASSEMBLE_H

#include "base/buf.h"
#include "base/str.h"
#include "cubin/cubin.h"
#include "ir/ir.h"
#include "runtime/device/device.h"
#include "runtime/tilec.h"

// Adds the cubin of `ptx` (NUL-terminated) to `cubin`: by ptxas where it is on PATH, else by the driver of a
// GPU of that architecture. TILEC_ERROR_NOT_SUPPORTED where there is neither, or the assembler refuses; the
// last error says why.
tilec_status cubin_assemble(Str ptx, const Target *target, Buf *cubin);

// As device_load, of a kernel as compiled. With TILEC_CACHE_CUBINS=on the driver's assembler of a GPU runs once for all
// processes, as the cache has what it made; where that cannot be had, and of kernels to be debugged, the driver
// gets the PTX.
tilec_status cubin_load(tilec_device *device, const KernelImage *image, DeviceKernel *kernel);

// Whether there is a ptxas on PATH.
bool cubin_has_ptxas(void);
// What "ptxas -v" says of the PTX, as text; cubin not NULL: what it makes of it too, with its lines. False: there is no ptxas, or it
// refuses.
bool cubin_ptxas_log(Str ptx, const Target *target, Buf *log, Buf *cubin);
// By ptxas where it is on PATH, else by the driver of a GPU that runs the PTX of `kernel`.
void cubin_usage(Str ptx, const Target *target, const char *kernel, CubinUsage *usage);

#endif
