/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What old_program.c uses of the first header of 0.1.0. */
/* clang-format off */
#include <stddef.h>
#include <stdint.h>
#define TILEC_API
typedef enum tilec_status { TILEC_OK = 0, TILEC_ERROR_INVALID_ARGUMENT = 1, TILEC_ERROR_OUT_OF_MEMORY = 2,
    TILEC_ERROR_IO = 3, TILEC_ERROR_COMPILE = 4, TILEC_ERROR_NO_DEVICE = 5, TILEC_ERROR_DRIVER = 6, TILEC_ERROR_LAUNCH
    = 7, TILEC_ERROR_NOT_SUPPORTED = 8, TILEC_ERROR_INTERNAL = 70 } tilec_status;
TILEC_API const char *tilec_status_name(tilec_status status);
TILEC_API const char *tilec_last_error(void);
typedef enum tilec_dtype { TILEC_I1, TILEC_I8, TILEC_I16, TILEC_I32, TILEC_I64, TILEC_U8, TILEC_U16, TILEC_U32,
    TILEC_U64, TILEC_FP8E4NV, TILEC_FP8E5, TILEC_FP16, TILEC_BF16, TILEC_FP32, TILEC_FP64 } tilec_dtype;
typedef struct tilec_device tilec_device;
TILEC_API tilec_status tilec_device_open(const char *name, tilec_device **device);
TILEC_API void tilec_device_close(tilec_device *device);
typedef struct tilec_stream tilec_stream;
TILEC_API tilec_status tilec_stream_new(tilec_device *device, tilec_stream **stream);
TILEC_API tilec_status tilec_stream_synchronize(tilec_stream *stream);
TILEC_API void tilec_stream_free(tilec_stream *stream);
typedef struct tilec_buffer tilec_buffer;
TILEC_API tilec_status tilec_buffer_new(tilec_device *device, size_t bytes, tilec_buffer **buffer);
TILEC_API void tilec_buffer_free(tilec_buffer *buffer);
TILEC_API uint64_t tilec_buffer_address(const tilec_buffer *buffer);
TILEC_API tilec_status tilec_buffer_write(tilec_buffer *buffer, size_t offset, const void *from, size_t bytes);
TILEC_API tilec_status tilec_buffer_read(const tilec_buffer *buffer, size_t offset, void *to, size_t bytes);
TILEC_API tilec_status tilec_buffer_fill(tilec_buffer *buffer, uint8_t byte);
typedef struct tilec_program tilec_program;
TILEC_API tilec_status tilec_program_from_source(const char *name, const char *text, size_t bytes, tilec_program
    **program);
TILEC_API void tilec_program_free(tilec_program *program);
typedef enum tilec_fp32_dot { TILEC_FP32_DOT_IEEE, TILEC_FP32_DOT_TF32, TILEC_FP32_DOT_TF32X3 } tilec_fp32_dot;
typedef struct tilec_compile_options { size_t size; const char *kernel; const char *signature; const char *const
    *defines; size_t define_count; const char *arch; int num_warps; int num_stages; int maxnreg; tilec_fp32_dot
    fp32_dot; int no_fp_contract; int no_optimize; int debug; int remarks; int overlap; } tilec_compile_options;
#define TILEC_COMPILE_OPTIONS_INIT                                                                           \
  { sizeof(tilec_compile_options), NULL, NULL, NULL, 0, NULL, 0, 0, 0, TILEC_FP32_DOT_IEEE, 0, 0, 0, 0, 0 }
typedef enum tilec_output { TILEC_OUTPUT_PTX = 0, TILEC_OUTPUT_TIR = 1, TILEC_OUTPUT_LLVM = 2, TILEC_OUTPUT_META = 3,
    TILEC_OUTPUT_CUBIN = 4 } tilec_output;
typedef struct tilec_compiled tilec_compiled;
TILEC_API tilec_status tilec_compile(tilec_program *program, const tilec_compile_options *options, tilec_compiled
    **compiled);
TILEC_API void tilec_compiled_free(tilec_compiled *compiled);
TILEC_API tilec_status tilec_compiled_output(tilec_compiled *compiled, tilec_output output, const char **text, size_t
    *bytes);
typedef struct tilec_kernel tilec_kernel;
TILEC_API tilec_status tilec_kernel_new(tilec_device *device, tilec_program *program, const tilec_compile_options
    *options, tilec_kernel **kernel);
TILEC_API void tilec_kernel_free(tilec_kernel *kernel);
typedef enum tilec_arg_kind { TILEC_ARG_NONE, TILEC_ARG_POINTER, TILEC_ARG_INT, TILEC_ARG_FLOAT, TILEC_ARG_DEFAULT,
    TILEC_ARG_BOOL, TILEC_ARG_UINT } tilec_arg_kind;
typedef struct tilec_arg { tilec_arg_kind kind; tilec_dtype dtype; union { uint64_t address; int64_t i; uint64_t u;
    double f; } value; } tilec_arg;
static inline tilec_arg tilec_arg_pointer(tilec_dtype pointee, uint64_t address) { tilec_arg arg; arg.kind =
    TILEC_ARG_POINTER; arg.dtype = pointee; arg.value.address = address; return arg; }
static inline tilec_arg tilec_arg_buffer(tilec_dtype pointee, const tilec_buffer *buffer) { return
    tilec_arg_pointer(pointee, tilec_buffer_address(buffer)); }
static inline tilec_arg tilec_arg_int(int64_t i) { tilec_arg arg; arg.kind = TILEC_ARG_INT; arg.dtype = TILEC_I64;
    arg.value.i = i; return arg; }
static inline tilec_arg tilec_arg_uint(uint64_t u) { tilec_arg arg; arg.kind = TILEC_ARG_UINT; arg.dtype = TILEC_U64;
    arg.value.u = u; return arg; }
static inline tilec_arg tilec_arg_bool(int b) { tilec_arg arg; arg.kind = TILEC_ARG_BOOL; arg.dtype = TILEC_I1;
    arg.value.i = b != 0; return arg; }
static inline tilec_arg tilec_arg_float(double f) { tilec_arg arg; arg.kind = TILEC_ARG_FLOAT; arg.dtype = TILEC_FP64;
    arg.value.f = f; return arg; }
static inline tilec_arg tilec_arg_none(void) { tilec_arg arg = tilec_arg_int(0); arg.kind = TILEC_ARG_NONE; return
    arg; }
static inline tilec_arg tilec_arg_default(void) { tilec_arg arg = tilec_arg_int(0); arg.kind = TILEC_ARG_DEFAULT;
    return arg; }
typedef struct tilec_launch_options { size_t size; int64_t grid[3]; tilec_stream *stream; uint64_t max_instructions;
    double timeout; const int *cancel; } tilec_launch_options;
#define TILEC_LAUNCH_OPTIONS_INIT                                                                            \
  { sizeof(tilec_launch_options), {-1, 1, 1}, NULL, 0, 0, NULL }
TILEC_API tilec_status tilec_launch(tilec_kernel *kernel, const tilec_launch_options *options, const tilec_arg *args,
    size_t arg_count);
