/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * tilec: compiles block programs (Triton-like kernels) to PTX, loads and launches them.
 *
 *   tilec_device *device;   tilec_device_open(NULL, &device);            // a GPU if there is one, else the
 * simulator tilec_program *program; tilec_program_from_file("add.tile", &program); tilec_kernel *add;
 * tilec_kernel_new(device, program, NULL, &add); tilec_buffer *x, *y, *out; ... tilec_buffer_new(device, n *
 * 4, &x) ... tilec_buffer_write(x, 0, host, n * 4) ... tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, x),
 * tilec_arg_buffer(TILEC_FP32, y), tilec_arg_buffer(TILEC_FP32, out), tilec_arg_int(n)}; tilec_launch(add,
 * NULL, args, 4);                                    // compiled at the first launch, then kept
 *   tilec_buffer_read(out, 0, host, n * 4);
 *
 * Errors: every function that can fail returns a tilec_status; tilec_last_error() has the details, for this
 * thread, until the next call that fails. The library never prints, exits or aborts. Threads: different
 * objects may be used by different threads at once; one object by one thread at a time, except that launches
 * of one kernel from several threads are safe. Objects are released in any order; a NULL release does
 * nothing. Sizes are bytes unless said otherwise.
 */
#ifndef TILEC_TILEC_H
#define TILEC_TILEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TILEC_VERSION_MAJOR 0
#define TILEC_VERSION_MINOR 1
#define TILEC_VERSION_PATCH 0

#if defined(__GNUC__)
#define TILEC_API __attribute__((visibility("default")))
#else
#define TILEC_API
#endif

typedef enum tilec_status {
  TILEC_OK = 0,
  TILEC_ERROR_INVALID_ARGUMENT =
      1, /* a call that can never work: NULL where none may be, a wrong count or kind of arguments */
  TILEC_ERROR_OUT_OF_MEMORY = 2, /* of the host or the device */
  TILEC_ERROR_IO = 3,            /* a file could not be read or written */
  TILEC_ERROR_COMPILE = 4,       /* the source is wrong: tilec_last_error() has the diagnostics */
  TILEC_ERROR_NO_DEVICE = 5,     /* no such device, or no CUDA driver */
  TILEC_ERROR_DRIVER = 6,        /* a call of the CUDA driver failed */
  /* the kernel did wrong: out of bounds, misaligned, undefined values; on cuda a later call reports it, and
     the context is lost */
  TILEC_ERROR_LAUNCH = 7,
  TILEC_ERROR_NOT_SUPPORTED = 8, /* legal, and not built or not possible on this device */
  TILEC_ERROR_INTERNAL = 70 /* our bug: tilec_last_error() names the pass and the files that reproduce it */
} tilec_status;

TILEC_API const char *tilec_version(void);                    /* "0.1.0" */
TILEC_API const char *tilec_status_name(tilec_status status); /* "TILEC_ERROR_COMPILE" */
TILEC_API const char *tilec_last_error(void); /* never NULL; "" where no call of this thread has failed */

/* Element types, with Triton's short names. */
typedef enum tilec_dtype {
  TILEC_I1,
  TILEC_I8,
  TILEC_I16,
  TILEC_I32,
  TILEC_I64,
  TILEC_U8,
  TILEC_U16,
  TILEC_U32,
  TILEC_U64,
  TILEC_FP8E4NV,
  TILEC_FP8E5,
  TILEC_FP16,
  TILEC_BF16,
  TILEC_FP32,
  TILEC_FP64
} tilec_dtype;

TILEC_API size_t tilec_dtype_bytes(tilec_dtype dtype); /* i1 takes one byte */

/* ------------------------------------------------------------------ Devices */

typedef struct tilec_device tilec_device;

/*
 * name: "cuda" or "cuda:N" (libcuda.so.1 is opened at run time), "sim" (the simulator runs the same PTX on
 * this CPU), "eval" (the reference evaluator runs the tile IR), NULL or "auto" (a GPU if there is one, else
 * the simulator). On cuda the calling thread's current context is used where it is one of that device, else
 * the device's primary context.
 */
TILEC_API tilec_status tilec_device_open(const char *name, tilec_device **device);
TILEC_API void tilec_device_close(tilec_device *device);
TILEC_API const char *tilec_device_name(const tilec_device *device); /* "cuda:0", "sim", "eval" */
TILEC_API const char *
tilec_device_arch(const tilec_device *device); /* what kernels are compiled for: "sm_90a" */
/* Waits until everything launched on the device, on any stream, is done; reports what went wrong in it. */
TILEC_API tilec_status tilec_device_synchronize(tilec_device *device);

/* Streams: work on one stream runs in order. NULL stands for the default stream. On sim and eval a launch is
 * done when it returns. */
typedef struct tilec_stream tilec_stream;
TILEC_API tilec_status tilec_stream_new(tilec_device *device, tilec_stream **stream);
/* A CUstream of the caller's, which stays the caller's; cuda devices only. */
TILEC_API tilec_status tilec_stream_wrap(tilec_device *device, void *cu_stream, tilec_stream **stream);
TILEC_API tilec_status tilec_stream_synchronize(tilec_stream *stream);
TILEC_API void tilec_stream_free(tilec_stream *stream);

/* Memory of a device. Allocations are aligned to 256 bytes; 0 bytes are legal. */
typedef struct tilec_buffer tilec_buffer;
TILEC_API tilec_status tilec_buffer_new(tilec_device *device, size_t bytes, tilec_buffer **buffer);
/* The caller's memory, which stays the caller's and is used in place: `address` is a CUdeviceptr on cuda, a
 * host pointer on sim and eval. tilec_buffer_address tells where the device sees it. */
TILEC_API tilec_status tilec_buffer_wrap(tilec_device *device, uint64_t address, size_t bytes,
                                         tilec_buffer **buffer);
TILEC_API void tilec_buffer_free(tilec_buffer *buffer);
TILEC_API uint64_t tilec_buffer_address(const tilec_buffer *buffer); /* in the device's address space */
TILEC_API size_t tilec_buffer_bytes(const tilec_buffer *buffer);
/* Copies between host memory and a buffer, after all work launched before; done when they return. */
TILEC_API tilec_status tilec_buffer_write(tilec_buffer *buffer, size_t offset, const void *from,
                                          size_t bytes);
TILEC_API tilec_status tilec_buffer_read(const tilec_buffer *buffer, size_t offset, void *to, size_t bytes);
TILEC_API tilec_status tilec_buffer_fill(tilec_buffer *buffer, uint8_t byte);

/* ----------------------------------------------------------------- Programs */

/* The source text of one file (.tile, .py or .tir by its name), parsed. Needs no device. */
typedef struct tilec_program tilec_program;
TILEC_API tilec_status tilec_program_from_file(const char *path, tilec_program **program);
/* name: for diagnostics; its suffix tells the language. text: `bytes` bytes, copied. */
TILEC_API tilec_status tilec_program_from_source(const char *name, const char *text, size_t bytes,
                                                 tilec_program **program);
TILEC_API void tilec_program_free(tilec_program *program);

/* ------------------------------------------------------- Compiling, offline */

typedef enum tilec_fp32_dot {
  TILEC_FP32_DOT_IEEE,
  TILEC_FP32_DOT_TF32,
  TILEC_FP32_DOT_TF32X3
} tilec_fp32_dot;

/*
 * How a kernel is compiled. Begin with TILEC_COMPILE_OPTIONS_INIT; a zero means the default. Strings are read
 * during the call only.
 */
typedef struct tilec_compile_options {
  size_t size;           /* sizeof(tilec_compile_options): set by the initialiser */
  const char *kernel;    /* NULL: the program's only entry */
  const char *signature; /* "x=*fp32:16,n=i32:16,stride=:1,b=None": types and facts of run-time parameters */
  const char *const *defines; /* "NAME=VALUE": constexpr parameters as Python literals */
  size_t define_count;
  const char
      *arch;      /* "sm_80" ... ; NULL: sm_90a, with the suffix dropped where no such instruction is used */
  int num_warps;  /* a power of two, 1 .. 32; default 4 */
  int num_stages; /* default 3 */
  int maxnreg;    /* registers a thread; default: no limit */
  tilec_fp32_dot fp32_dot;
  int no_fp_contract; /* 1: a*b+c is never fused */
  int no_optimize;    /* 1: -O0; 0: -O3 */
  int debug;          /* 1: line tables for debuggers; .loc is always there */
  int remarks;        /* 1: the log tells what each pass did and declined */
  int overlap; /* 1: a launch may start while the one before it in its stream ends (sm_90 and newer). The
                  kernel waits for that one before it touches memory; kernels of others that are launched
                  so must do the same */
} tilec_compile_options;

#define TILEC_COMPILE_OPTIONS_INIT                                                                           \
  { sizeof(tilec_compile_options), NULL, NULL, NULL, 0, NULL, 0, 0, 0, TILEC_FP32_DOT_IEEE, 0, 0, 0, 0, 0 }

typedef enum tilec_output {
  TILEC_OUTPUT_PTX = 0,
  TILEC_OUTPUT_TIR = 1,  /* tile IR after the last pass */
  TILEC_OUTPUT_LLVM = 2, /* optimised LLVM IR */
  TILEC_OUTPUT_META = 3, /* one JSON object: threads, shared memory, parameters with offsets, grid */
  TILEC_OUTPUT_CUBIN = 4 /* the GPU's own code, made at the first request by ptxas, which must be on PATH, or
                            by the driver of a GPU of that architecture; else TILEC_ERROR_NOT_SUPPORTED */
} tilec_output;

/* One kernel compiled offline. Its texts live until it is freed. */
typedef struct tilec_compiled tilec_compiled;
/* options may be NULL. On TILEC_ERROR_COMPILE *compiled is NULL and tilec_last_error() has the diagnostics.
 */
TILEC_API tilec_status tilec_compile(tilec_program *program, const tilec_compile_options *options,
                                     tilec_compiled **compiled);
TILEC_API void tilec_compiled_free(tilec_compiled *compiled);
/* *text is NUL-terminated; bytes (may be NULL) gets its length. */
TILEC_API tilec_status tilec_compiled_output(tilec_compiled *compiled, tilec_output output, const char **text,
                                             size_t *bytes);
TILEC_API const char *
tilec_compiled_log(const tilec_compiled *compiled); /* warnings, and remarks where asked for */

/* ------------------------------------------------------ Launching, compiled at need */

/*
 * A kernel of a program on a device. It is compiled for the types and facts (divisible by 16, equal to 1,
 * None) of its arguments at the first launch with such arguments, and kept. options->signature must be NULL,
 * arch too on cuda devices; options may be NULL. Wrong names in `defines` are errors here; errors of the
 * kernel's body come at the launch.
 */
typedef struct tilec_kernel tilec_kernel;
TILEC_API tilec_status tilec_kernel_new(tilec_device *device, tilec_program *program,
                                        const tilec_compile_options *options, tilec_kernel **kernel);
TILEC_API void tilec_kernel_free(tilec_kernel *kernel);

/* One argument of a launch: for each run-time parameter in order (constexpr parameters take none). */
typedef enum tilec_arg_kind {
  TILEC_ARG_NONE,
  TILEC_ARG_POINTER,
  TILEC_ARG_INT,
  TILEC_ARG_FLOAT,
  TILEC_ARG_DEFAULT
} tilec_arg_kind;

typedef struct tilec_arg {
  tilec_arg_kind kind;
  tilec_dtype dtype; /* pointee of a pointer; otherwise not read: an int is i32 where it fits, else i64, and a
                        float is fp32, unless the parameter is annotated */
  union {
    uint64_t address; /* in the device's address space */
    int64_t i;
    double f;
  } value;
} tilec_arg;

static inline tilec_arg tilec_arg_pointer(tilec_dtype pointee, uint64_t address) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_POINTER;
  arg.dtype = pointee;
  arg.value.address = address;
  return arg;
}
static inline tilec_arg tilec_arg_buffer(tilec_dtype pointee, const tilec_buffer *buffer) {
  return tilec_arg_pointer(pointee, tilec_buffer_address(buffer));
}
static inline tilec_arg tilec_arg_int(int64_t i) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_INT;
  arg.dtype = TILEC_I64;
  arg.value.i = i;
  return arg;
}
static inline tilec_arg tilec_arg_float(double f) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_FLOAT;
  arg.dtype = TILEC_FP64;
  arg.value.f = f;
  return arg;
}
/* None: for a pointer or scalar that the kernel tests with `is None`. */
static inline tilec_arg tilec_arg_none(void) {
  tilec_arg arg = tilec_arg_int(0);
  arg.kind = TILEC_ARG_NONE;
  return arg;
}
/* The parameter's default value; parameters left out at the end take theirs too. */
static inline tilec_arg tilec_arg_default(void) {
  tilec_arg arg = tilec_arg_int(0);
  arg.kind = TILEC_ARG_DEFAULT;
  return arg;
}

typedef struct tilec_launch_options {
  size_t size;          /* sizeof(tilec_launch_options): set by the initialiser */
  int64_t grid[3];      /* programs; grid[0] = -1: the kernel's @grid. A zero launches nothing and succeeds */
  tilec_stream *stream; /* NULL: the default stream */
} tilec_launch_options;

#define TILEC_LAUNCH_OPTIONS_INIT                                                                            \
  { sizeof(tilec_launch_options), {-1, 1, 1}, NULL }

/* Launches asynchronously (on cuda). options NULL: the kernel's @grid on the default stream. */
TILEC_API tilec_status tilec_launch(tilec_kernel *kernel, const tilec_launch_options *options,
                                    const tilec_arg *args, size_t arg_count);

#ifdef __cplusplus
}
#endif

#endif
