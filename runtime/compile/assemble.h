// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembles PTX to GPU code, with the cache on disk.
#ifndef RUNTIME_COMPILE_ASSEMBLE_H
#define RUNTIME_COMPILE_ASSEMBLE_H

#include "base/buf.h"
#include "base/str.h"
#include "cubin/cubin.h"
#include "ir/ir.h"
#include "runtime/device/device.h"
#include "runtime/tilec.h"

// Adds the cubin of `ptx` (NUL-terminated) to `cubin`. Uses ptxas if it is on PATH, else the driver of a GPU
// of that architecture. TILEC_ERROR_NOT_SUPPORTED if there is neither, or the assembler rejects the PTX. Sets
// the last error.
tilec_status cubin_assemble(Str ptx, const Target *target, Buf *cubin);

// Adds the cubin's machine code as text to `text`: by nvdisasm if it is on PATH, else by cuobjdump.
// TILEC_ERROR_NOT_SUPPORTED if there is neither, or it rejects the cubin. Sets the last error.
tilec_status cubin_disassemble(Str cubin, Buf *text);

// As device_load, for a kernel as compiled. With TILEC_CACHE_CUBINS=on, the driver assembles it once for all
// processes, and the cache keeps the result. If that fails, or if the kernel is to be debugged, the driver
// gets the PTX.
tilec_status cubin_load(tilec_device *device, const KernelImage *image, DeviceKernel *kernel);

// Returns true if ptxas is on PATH.
bool cubin_has_ptxas(void);
// The output of "ptxas -v" for the PTX, as text. cubin: if not NULL, gets the cubin with line information.
// False: there is no ptxas, or it rejects the PTX.
bool cubin_ptxas_log(Str ptx, const Target *target, Buf *log, Buf *cubin);
// Uses ptxas if it is on PATH, else the driver of a GPU that can run the PTX of `kernel`.
void cubin_usage(Str ptx, const Target *target, const char *kernel, CubinUsage *usage);

#endif
