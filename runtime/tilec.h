/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * tilec: compiles block programs (Triton-like kernels) to PTX, loads and launches them.
 *
 *   #include <stdio.h>
 *   #include <string.h>
 *   #include <tilec/tilec.h>
 *
 *   static const char source[] =
 *       "@kernel\n"
 *       "@grid(cdiv(n, BLOCK))\n"
 *       "def add(x, y, out, n, BLOCK: constexpr = 1024):\n"
 *       "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
 *       "    store(out + i, load(x + i, mask=i < n) + load(y + i, mask=i < n), mask=i < n)\n";
 *
 *   static int add(tilec_device *device, tilec_kernel *kernel, float *sum, const float *a, size_t n) {
 *     tilec_buffer *x = NULL, *out = NULL;
 *     tilec_status status = tilec_buffer_new(device, n * sizeof *a, &x);
 *     if (!status) status = tilec_buffer_new(device, n * sizeof *a, &out);
 *     if (!status) status = tilec_buffer_write(x, 0, a, n * sizeof *a);
 *     if (!status) {
 *       const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, x), tilec_arg_buffer(TILEC_FP32, x),
 *                                 tilec_arg_buffer(TILEC_FP32, out), tilec_arg_int((int64_t)n)};
 *       status = tilec_launch(kernel, NULL, args, 4); // compiled at the first launch, then kept
 *     }
 *     if (!status) status = tilec_buffer_read(out, 0, sum, n * sizeof *sum); // after the launch
 *     tilec_buffer_free(x);
 *     tilec_buffer_free(out);
 *     return status == TILEC_OK;
 *   }
 *
 *   int main(void) {
 *     const float a[] = {1, 2, 3};
 *     float sum[3] = {0};
 *     tilec_device *device = NULL;
 *     tilec_program *program = NULL;
 *     tilec_kernel *kernel = NULL;
 *     int good = tilec_device_open(NULL, &device) == TILEC_OK && // a GPU, else the simulator
 *                tilec_program_from_source("add.tile", source, strlen(source), &program) == TILEC_OK &&
 *                tilec_kernel_new(device, program, NULL, &kernel) == TILEC_OK &&
 *                add(device, kernel, sum, a, 3);
 *     if (good)
 *       printf("%g %g %g\n", sum[0], sum[1], sum[2]); // 2 4 6
 *     else
 *       fprintf(stderr, "%s\n", tilec_last_error());
 *     tilec_kernel_free(kernel);
 *     tilec_program_free(program);
 *     tilec_device_close(device);
 *     return good ? 0 : 1;
 *   }
 *
 * Errors.   Every function that can fail returns a tilec_status; tilec_last_error() has the details. Where it
 *           is not TILEC_OK nothing was made. Any function may return
 *             TILEC_ERROR_INVALID_ARGUMENT  for NULL where none may be
 *             TILEC_ERROR_OUT_OF_MEMORY
 *             TILEC_ERROR_DRIVER            on cuda
 *           and a function's own errors stand with it. The library never prints, exits or aborts.
 * Threads.  Different objects may be used by different threads at once. One object is used by one thread at a
 *           time, except that launches of one kernel from several threads are safe. A launch of what is
 *           compiled already does not wait for what another thread compiles.
 * Lifetime. What a call makes is the caller's to release, in any order: an object keeps what it was made
 *           from. Releasing NULL does nothing. Strings that are given are read during the call only; strings
 *           that are returned live as long as the object that they are asked of.
 * Cache.    What launches have compiled is kept on disk, for the next process of the same user, in
 *           $TILEC_CACHE_DIR, $XDG_CACHE_HOME/tilec or ~/.cache/tilec, and verified when it is read. The
 *           environment's TILEC_CACHE=off switches that off; TILEC_CACHE_SIZE is its limit (1G). A cache that
 *           cannot be used is no error: kernels are compiled, and options.log is told why.
 * Units.    Sizes and offsets are bytes unless said otherwise.
 * Binary    A program that was built with an older header runs with this library. Structs that begin with their
 *           size grow at their end: what an older program's lacks has its default. A newer program's works as
 *           long as what it has beyond is zero. Enums get new values, and no value changes; tilec_arg keeps its
 *           16 bytes.
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

/* Casts of the functions below, as either language has them. */
#ifdef __cplusplus
#define TILEC_CAST(type, value) (static_cast<type>(value))
#define TILEC_ADDRESS(pointer) (reinterpret_cast<uintptr_t>(pointer))
#else
#define TILEC_CAST(type, value) ((type)(value))
#define TILEC_ADDRESS(pointer) ((uintptr_t)(pointer))
#endif

typedef enum tilec_status {
  TILEC_OK = 0,
  TILEC_ERROR_INVALID_ARGUMENT = 1, /* a call that can never work: NULL where none may be, wrong arguments */
  TILEC_ERROR_OUT_OF_MEMORY = 2,    /* of the host or the device */
  TILEC_ERROR_IO = 3,               /* a file could not be read or written */
  TILEC_ERROR_COMPILE = 4,          /* the source is wrong: tilec_last_error() has the diagnostics */
  TILEC_ERROR_NO_DEVICE = 5,        /* no such device, or no CUDA driver */
  TILEC_ERROR_DRIVER = 6,           /* a call of the CUDA driver failed */
  TILEC_ERROR_LAUNCH = 7,           /* the kernel did wrong: out of bounds, misaligned, undefined values; on
                                       cuda a later call reports it, and the context is lost */
  TILEC_ERROR_NOT_SUPPORTED = 8,    /* legal, and not built or not possible on this device */
  TILEC_ERROR_INTERNAL = 70         /* our bug: tilec_last_error() names the pass and a file to replay */
} tilec_status;

TILEC_API const char *tilec_version(void); /* "0.1.0" */

/* "TILEC_ERROR_COMPILE"; never NULL. */
TILEC_API const char *tilec_status_name(tilec_status status);

/* What went wrong in the last call of this thread that failed: one line, or diagnostics of several; at
 * most 16 KiB. Valid until the next call of this thread that fails. Never NULL; "" where none has failed. */
TILEC_API const char *tilec_last_error(void);

typedef enum tilec_severity {
  TILEC_SEVERITY_ERROR = 0,
  TILEC_SEVERITY_WARNING = 1,
  TILEC_SEVERITY_REMARK = 2, /* what a pass did or declined */
  TILEC_SEVERITY_NOTE = 3    /* of the diagnostic before it */
} tilec_severity;

typedef struct tilec_diagnostic {
  size_t size; /* set by the initialiser */
  tilec_severity severity;
  const char *file;              /* NULL: it has no place */
  uint32_t line, column, length; /* from 1, the columns in bytes; length 0: a point */
  const char *text;              /* one line, without the place */
  size_t parent;                 /* of a note: the index of what it belongs to; else its own */
} tilec_diagnostic;

#define TILEC_DIAGNOSTIC_INIT                                                                                \
  { sizeof(tilec_diagnostic), TILEC_SEVERITY_ERROR, NULL, 0, 0, 0, NULL, 0 }

/* Diagnostics in the order in which they are printed, each followed by its notes. */
typedef struct tilec_diagnostics tilec_diagnostics;

TILEC_API size_t tilec_diagnostics_count(const tilec_diagnostics *list); /* 0 for NULL */

/* Fills *diagnostic, whose size is set; its texts live as long as the list. */
TILEC_API tilec_status tilec_diagnostics_get(const tilec_diagnostics *list, size_t index,
                                             tilec_diagnostic *diagnostic);

/* tilec_last_error() as a list: valid as long as it is. What is not about a source is one error without a place.
 * Never NULL. */
TILEC_API const tilec_diagnostics *tilec_last_diagnostics(void);

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

/* Of an element in memory: 1, 2, 4 or 8 (i1 takes one byte); 0 for what is none of them. */
TILEC_API size_t tilec_dtype_bytes(tilec_dtype dtype);

/* ------------------------------------------------------------------ Devices */

typedef struct tilec_device tilec_device;

/*
 * Opens a device by its name:
 *   "cuda", "cuda:N"  a GPU, by libcuda.so.1, which is opened at run time. The calling thread's current
 *                     context is used where it is one of that GPU, else the GPU's primary context.
 *   "sim"             the simulator, which runs the same PTX on this CPU
 *   "eval"            the reference evaluator, which runs the tile IR on this CPU
 *   NULL, "auto"      a GPU if there is one that is supported, else the simulator
 * TILEC_ERROR_NO_DEVICE: no such name, driver or GPU.
 * TILEC_ERROR_NOT_SUPPORTED: a GPU older than compute capability 7.5.
 */
TILEC_API tilec_status tilec_device_open(const char *name, tilec_device **device);

/*
 * The GPU of a CUcontext of the caller's: all is made and launched in it. The context stays the caller's, and
 * outlives what is made on *device. It need not be current, and what is current does not change.
 */
TILEC_API tilec_status tilec_device_from_context(void *cu_context, tilec_device **device);

/* The device ends when all that was made on it has been released too. */
TILEC_API void tilec_device_close(tilec_device *device);

/* "cuda:0", "sim", "eval"; "" for NULL. */
TILEC_API const char *tilec_device_name(const tilec_device *device);

/* What kernels are compiled for: "sm_90a"; "" for NULL. */
TILEC_API const char *tilec_device_arch(const tilec_device *device);

/* Waits until everything launched on the device, on any stream, is done. TILEC_ERROR_LAUNCH: what a kernel
 * of it did wrong. */
TILEC_API tilec_status tilec_device_synchronize(tilec_device *device);

/* ------------------------------------------------------------------ Streams */

/* Work on one stream runs in order. Where a function takes a stream beside something that has a device, NULL
 * stands for that device's default stream. On sim and eval all work is done when its call returns. */
typedef struct tilec_stream tilec_stream;

/* A new stream; on cuda it does not wait for the default stream. */
TILEC_API tilec_status tilec_stream_new(tilec_device *device, tilec_stream **stream);

/* A CUstream of the caller's, in the device's context, which stays the caller's and outlives *stream.
 * TILEC_ERROR_NOT_SUPPORTED on sim and eval. */
TILEC_API tilec_status tilec_stream_wrap(tilec_device *device, void *cu_stream, tilec_stream **stream);

/* Waits until all work of the stream, which is not NULL, is done. TILEC_ERROR_LAUNCH as for the device. */
TILEC_API tilec_status tilec_stream_synchronize(tilec_stream *stream);

/* Work that is on the stream still runs to its end. */
TILEC_API void tilec_stream_free(tilec_stream *stream);

/* A point in a stream's work. */
typedef struct tilec_event tilec_event;

TILEC_API tilec_status tilec_event_new(tilec_device *device, tilec_event **event);
TILEC_API void tilec_event_free(tilec_event *event);

/* The event is what is on the stream by now; it happens when that is done. May be called again: the event is
 * then the later point. A stream of another device is TILEC_ERROR_INVALID_ARGUMENT, and so is below an event
 * that has never been recorded. */
TILEC_API tilec_status tilec_event_record(tilec_event *event, tilec_stream *stream);

/* Waits until the event has happened. TILEC_ERROR_LAUNCH as for the device. */
TILEC_API tilec_status tilec_event_synchronize(tilec_event *event);

/* What is put on the stream from now on waits for the event; the caller does not. */
TILEC_API tilec_status tilec_stream_wait(tilec_stream *stream, tilec_event *event);

/* Waits for `end`; the seconds between the two. On sim and eval by the host's clock, from record to record. */
TILEC_API tilec_status tilec_event_elapsed(tilec_event *start, tilec_event *end, double *seconds);

/* ------------------------------------------------------------------ Buffers */

/* Memory of a device. */
typedef struct tilec_buffer tilec_buffer;

/* `bytes` bytes, which may be 0, aligned to 256; what is in them is not defined. */
TILEC_API tilec_status tilec_buffer_new(tilec_device *device, size_t bytes, tilec_buffer **buffer);

/* The caller's memory, which stays the caller's, outlives the buffer and is used in place: `address` is a
 * CUdeviceptr on cuda, a host pointer on sim and eval. tilec_buffer_address tells where the device sees
 * it. */
TILEC_API tilec_status tilec_buffer_wrap(tilec_device *device, uint64_t address, size_t bytes,
                                         tilec_buffer **buffer);

/* No launch that is not done may use it. */
TILEC_API void tilec_buffer_free(tilec_buffer *buffer);

/* In the device's address space; 0 for NULL. */
TILEC_API uint64_t tilec_buffer_address(const tilec_buffer *buffer);

TILEC_API size_t tilec_buffer_bytes(const tilec_buffer *buffer); /* 0 for NULL */

/* Copy `bytes` bytes between host memory and the buffer from `offset` on, after all work put before on the
 * default stream and on the device's tilec_streams, but for those that are being captured; done when they
 * return. Bytes beyond the buffer's end are TILEC_ERROR_INVALID_ARGUMENT, and nothing is copied;
 * TILEC_ERROR_LAUNCH: what a kernel launched before did wrong. */
TILEC_API tilec_status tilec_buffer_write(tilec_buffer *buffer, size_t offset, const void *from,
                                          size_t bytes);
TILEC_API tilec_status tilec_buffer_read(const tilec_buffer *buffer, size_t offset, void *to, size_t bytes);

/* Sets every byte of the buffer; the same order and errors. */
TILEC_API tilec_status tilec_buffer_fill(tilec_buffer *buffer, uint8_t byte);

/* The same on a stream, in its order: they do not wait for other streams, and may return before they are done.
 * The host's memory is left alone until then (pinned, it is copied beside what the host does). */
TILEC_API tilec_status tilec_buffer_write_async(tilec_buffer *buffer, size_t offset, const void *from,
                                                size_t bytes, tilec_stream *stream);
TILEC_API tilec_status tilec_buffer_read_async(const tilec_buffer *buffer, size_t offset, void *to,
                                               size_t bytes, tilec_stream *stream);
TILEC_API tilec_status tilec_buffer_fill_async(tilec_buffer *buffer, size_t offset, uint8_t byte, size_t bytes,
                                               tilec_stream *stream);

/* Between two buffers of one device, whose bytes do not overlap. */
TILEC_API tilec_status tilec_buffer_copy_async(tilec_buffer *to, size_t to_offset, const tilec_buffer *from,
                                               size_t from_offset, size_t bytes, tilec_stream *stream);

/* ----------------------------------------------------------------- Programs */

/* The source text of one file (.tile, .py or .tir by its name), parsed. Needs no device. */
typedef struct tilec_program tilec_program;

/* Reads and parses the file, and the files that it imports as far as their names are used. TILEC_ERROR_IO:
 * it cannot be read; TILEC_ERROR_COMPILE: it cannot be parsed. */
TILEC_API tilec_status tilec_program_from_file(const char *path, tilec_program **program);

/* The same from `bytes` bytes of text, copied; no imported file is read. name: for diagnostics; its suffix
 * tells the language. */
TILEC_API tilec_status tilec_program_from_source(const char *name, const char *text, size_t bytes,
                                                 tilec_program **program);

/* A file that is only in memory. Given in arrays, it does not grow. */
typedef struct tilec_source {
  const char *name; /* as a path: "kernels/add.py" */
  const char *text;
  size_t bytes;
} tilec_source;

/* The same from the first source; what it imports is found among the others, by their names, as it would be in
 * files of these names. No file is read. */
TILEC_API tilec_status tilec_program_from_sources(const tilec_source *sources, size_t count,
                                                  tilec_program **program);

/* The same of texts that were made from other files, line by line, as a binding for another language makes them:
 * diagnostics, reports and debug information name shown[i].name in the place of sources[i].name, and quote
 * shown[i].text, with the same lines and columns. A NULL name: the source is shown as itself; a NULL text: its own is
 * quoted. Several may be shown by one name. */
TILEC_API tilec_status tilec_program_from_shown_sources(const tilec_source *sources, const tilec_source *shown,
                                                        size_t count, tilec_program **program);

TILEC_API void tilec_program_free(tilec_program *program);

/* ------------------------------------------------------- Compiling, offline */

/* How products of fp32 are computed: exactly, rounded to tf32, in three products of tf32, or in three or six
 * products of bf16. */
typedef enum tilec_fp32_dot {
  TILEC_FP32_DOT_IEEE,
  TILEC_FP32_DOT_TF32,
  TILEC_FP32_DOT_TF32X3,
  TILEC_FP32_DOT_BF16X3,
  TILEC_FP32_DOT_BF16X6
} tilec_fp32_dot;

/* Whether loads may become tensor copies (TMA; sm_90a). Their tensor maps are made of a launch's arguments: tilec_launch
 * makes them, and where that is impossible (an array without elements, an address that is no multiple of 16 bytes) takes
 * the same kernel compiled without. What tilec_compile gives is launched by the caller, who then makes them
 * (docs/ahead-of-time.md). */
typedef enum tilec_tma {
  TILEC_TMA_AUTO,    /* where they pay, of kernels that tilec_launch launches; of tilec_compile none */
  TILEC_TMA_ON,      /* wherever they can be */
  TILEC_TMA_OFF,
  TILEC_TMA_LAUNCHED /* tilec_compile: as AUTO is for tilec_launch */
} tilec_tma;

/* Whether loops of products that tensor copies feed are parted into warps that copy and warps that multiply (sm_90a). */
typedef enum tilec_warp_specialize {
  /* attention's by 8 warps, loops that ask for it, tl.range(warp_specialize=True), and products of persistent kernels */
  TILEC_WARP_SPECIALIZE_AUTO,
  TILEC_WARP_SPECIALIZE_ON,   /* wherever they can be */
  TILEC_WARP_SPECIALIZE_OFF
} tilec_warp_specialize;

/* Whether tiles that are stored through descriptors and block pointers go through shared memory and by tensor stores (sm_90 and
   later); only where tma lets kernels have tensor maps. */
typedef enum tilec_epilogue {
  TILEC_EPILOGUE_AUTO, /* nowhere: their gain is not measured */
  TILEC_EPILOGUE_ON,   /* wherever they can be */
  TILEC_EPILOGUE_OFF
} tilec_epilogue;

/* Whether a launch runs a kernel's programs in turn, in as many blocks as the device has room for at once: with warps that copy,
   these are at the next program while the others store the one before. Kernels that print, assert, use atomics, inline
   PTX or volatile accesses stay as they are. The numbers of programs are hidden parameters: of what tilec_compile gives, the
   caller's to pass (docs/ahead-of-time.md). */
typedef enum tilec_persistent {
  TILEC_PERSISTENT_AUTO, /* large products by tensor copies, of kernels that tilec_launch launches: with warps that copy */
  TILEC_PERSISTENT_ON,   /* wherever they can be */
  TILEC_PERSISTENT_OFF
} tilec_persistent;

/* How a kernel is compiled. Begin with TILEC_COMPILE_OPTIONS_INIT; a zero means the default. */
typedef struct tilec_compile_options {
  size_t size;           /* set by the initialiser; structs with it grow (Binary, above) */
  const char *kernel;    /* NULL: the program's only entry */
  const char *signature; /* "x=*fp32:16,n=i32:16,stride=:1,b=None": types and facts of run-time parameters */
  const char *const *defines; /* "NAME=VALUE": constexpr parameters as Python literals, or a function's name */
  size_t define_count;
  const char *arch; /* "sm_80" ... ; NULL: sm_90a, without the "a" where no such instruction is used */
  int num_warps;    /* a power of two, 1 .. 32; default 4 */
  int num_stages;   /* how far loops prefetch, 1 .. 64; default 3 */
  int maxnreg;      /* registers a thread, 1 .. 255; default: no limit */
  tilec_fp32_dot fp32_dot;
  int no_fp_contract; /* 1: a*b+c is never fused */
  int no_optimize;    /* 1: -O0; 0: -O3 */
  int debug;          /* 1: line tables for debuggers; .loc is always there */
  int remarks;        /* 1: the log tells what each pass did and declined */
  int overlap;        /* 1: a launch may start while the one before it in its stream ends (sm_90 and newer).
                         The kernel waits for that one before it touches memory; kernels of others that are
                         launched so must do the same */
  /* NULL, or what is called with each diagnostic of a compile once it has ended, well or not, by the thread that
     compiles: that of tilec_compile, or of the launch that a variant is compiled for. What keeps the cache on
     disk from serving is a warning of it, each kind once a process. It may not use the kernel. */
  void (*log)(void *log_data, const tilec_diagnostic *diagnostic);
  void *log_data;
  int fast_math; /* 1: quotients and functions of fp32 are the approximate instructions (docs/language.md) */
  int restrict_pointers; /* 1: what a pointer argument leads to is reached through no other argument, as with CUDA's
                            __restrict__ on all of them: loops read ahead of what they write through another. A
                            launch with arrays that overlap is wrong then, where one of them is written */
  tilec_tma tma;
  tilec_warp_specialize warp_specialize;
  tilec_epilogue epilogue;
  tilec_persistent persistent;
} tilec_compile_options;

#define TILEC_COMPILE_OPTIONS_INIT                                                                           \
  {                                                                                                          \
    sizeof(tilec_compile_options), NULL, NULL, NULL, 0, NULL, 0, 0, 0, TILEC_FP32_DOT_IEEE, 0, 0, 0, 0, 0,   \
        NULL, NULL, 0, 0, TILEC_TMA_AUTO, TILEC_WARP_SPECIALIZE_AUTO, TILEC_EPILOGUE_AUTO,                   \
        TILEC_PERSISTENT_AUTO                                                                                \
  }

typedef enum tilec_output {
  TILEC_OUTPUT_PTX = 0,
  TILEC_OUTPUT_TIR = 1,  /* tile IR after the last pass */
  TILEC_OUTPUT_LLVM = 2, /* optimised LLVM IR */
  TILEC_OUTPUT_META = 3, /* one JSON object: threads, shared memory, parameters with offsets, grid, and what the
                            assembler tells where there is one: it is asked at the first request */
  TILEC_OUTPUT_CUBIN = 4, /* the GPU's own code, which is no text */
  TILEC_OUTPUT_LAUNCH = 5 /* META without what the assembler tells */
} tilec_output;

/* One kernel compiled offline. Its texts live until it is freed. */
typedef struct tilec_compiled tilec_compiled;

/* Compiles one kernel of the program; options may be NULL. TILEC_ERROR_COMPILE: the kernel, the signature
 * or a define is wrong; tilec_last_error() has the diagnostics. */
TILEC_API tilec_status tilec_compile(tilec_program *program, const tilec_compile_options *options,
                                     tilec_compiled **compiled);

TILEC_API void tilec_compiled_free(tilec_compiled *compiled);

/* *text is NUL-terminated; *bytes (bytes may be NULL) is its length without the NUL. A cubin is made at
 * the first request, by ptxas where it is on PATH, else by the driver of a GPU of that architecture:
 * TILEC_ERROR_NOT_SUPPORTED where there is neither, TILEC_ERROR_IO where ptxas's files cannot be written
 * or read. */
TILEC_API tilec_status tilec_compiled_output(tilec_compiled *compiled, tilec_output output, const char **text,
                                             size_t *bytes);

/* Warnings, and remarks where asked for, as clang prints them; never NULL. */
TILEC_API const char *tilec_compiled_log(const tilec_compiled *compiled);

/* The same as a list, which lives as long as `compiled`; NULL for NULL. */
TILEC_API const tilec_diagnostics *tilec_compiled_diagnostics(const tilec_compiled *compiled);

/* ------------------------------------------------------ Launching, compiled at need */

/*
 * A kernel of a program on a device. At the first launch with arguments of certain types and facts (divisible
 * by 16, equal to 1, None) it is compiled for them, and what was compiled is kept.
 */
typedef struct tilec_kernel tilec_kernel;

/* options may be NULL; options->signature must be NULL (types come from the arguments), on cuda arch too
 * (it is the device's). TILEC_ERROR_COMPILE: there is no such kernel, or none that is the only one. Names
 * in `defines` that are no constexpr parameters are TILEC_ERROR_INVALID_ARGUMENT here; errors of the
 * kernel's body come at the launch. */
TILEC_API tilec_status tilec_kernel_new(tilec_device *device, tilec_program *program,
                                        const tilec_compile_options *options, tilec_kernel **kernel);

/* No launch of it may be running. */
TILEC_API void tilec_kernel_free(tilec_kernel *kernel);

/* One argument of a launch: for each run-time parameter in order (constexpr parameters take none). */
typedef enum tilec_arg_kind {
  TILEC_ARG_NONE,
  TILEC_ARG_POINTER,
  TILEC_ARG_INT,
  TILEC_ARG_FLOAT,
  TILEC_ARG_DEFAULT,
  TILEC_ARG_BOOL, /* True or False: i1, as Triton's */
  TILEC_ARG_UINT, /* an integer without a sign */
  TILEC_ARG_DL,   /* address: a DLTensor's, on the host */
  TILEC_ARG_DIM,  /* one of its sizes; dtype is the dimension's number */
  TILEC_ARG_STRIDE,
  TILEC_ARG_TUPLE,      /* address: a tilec_tuple's, on the host */
  TILEC_ARG_DESCRIPTOR, /* address: a tilec_descriptor's, on the host */
  TILEC_ARG_CONSTEXPR   /* address: a text's, on the host */
} tilec_arg_kind;

typedef struct tilec_arg {
  tilec_arg_kind kind;
  tilec_dtype dtype; /* what a pointer points to; otherwise not read: an int is i32 where it fits, else i64,
                        else u64, and a float is fp32, unless the parameter is annotated. What the type does
                        not hold (3000000000 of an i32, -1 of a u32 or u64, 1e39 of an fp32) is an error */
  union {
    uint64_t address; /* in the device's address space */
    int64_t i;        /* of a BOOL 0 or 1 */
    uint64_t u;       /* UINT */
    double f;
  } value;
} tilec_arg;

/* `address` is the device's: a buffer's address, or one within it. */
static inline tilec_arg tilec_arg_pointer(tilec_dtype pointee, uint64_t address) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_POINTER;
  arg.dtype = pointee;
  arg.value.address = address;
  return arg;
}

/* The buffer's start. */
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

/* For what an int64_t does not hold. */
static inline tilec_arg tilec_arg_uint(uint64_t u) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_UINT;
  arg.dtype = TILEC_U64;
  arg.value.u = u;
  return arg;
}

static inline tilec_arg tilec_arg_bool(int b) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_BOOL;
  arg.dtype = TILEC_I1;
  arg.value.i = b != 0;
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

/*
 * A DLTensor (dlpack.h) as a pointer to its elements, and its sizes and strides, in elements, as integers; it is read
 * by the launch. Its address is data + byte_offset, which decides what is known of its alignment. Strides of NULL are
 * those of a compact tensor in row-major order. Wrong, and an error of the launch: lanes other than 1, a type that is
 * none of tilec_dtype, a tensor of another device: on cuda it is of the same GPU (or managed, or pinned), on sim and
 * eval of the CPU, and its memory is used in place while the launch lasts.
 */
static inline tilec_arg tilec_arg_dl(const void *dl_tensor) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_DL;
  arg.dtype = TILEC_I1;
  arg.value.address = TILEC_ADDRESS(dl_tensor);
  return arg;
}

static inline tilec_arg tilec_arg_dim(const void *dl_tensor, int i) {
  tilec_arg arg = tilec_arg_dl(dl_tensor);
  arg.kind = TILEC_ARG_DIM;
  arg.dtype = TILEC_CAST(tilec_dtype, i);
  return arg;
}

static inline tilec_arg tilec_arg_stride(const void *dl_tensor, int i) {
  tilec_arg arg = tilec_arg_dim(dl_tensor, i);
  arg.kind = TILEC_ARG_STRIDE;
  return arg;
}

/*
 * A tuple: what its items are, which may be tuples. It is read by the launch. Types and facts are known of each item;
 * another count, other names and other constexprs are another variant.
 */
typedef struct tilec_tuple {
  size_t size; /* set by the initialiser */
  const tilec_arg *items;
  size_t count;
  const char *const *names; /* of a named tuple, one an item; else NULL */
} tilec_tuple;

#define TILEC_TUPLE_INIT                                                                                     \
  { sizeof(tilec_tuple), NULL, 0, NULL }

static inline tilec_arg tilec_arg_tuple(const tilec_tuple *tuple) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_TUPLE;
  arg.dtype = TILEC_I1;
  arg.value.address = TILEC_ADDRESS(tuple);
  return arg;
}

#define TILEC_MAX_RANK 5 /* dimensions of a tensor descriptor */

typedef enum tilec_padding {
  TILEC_PADDING_ZERO = 0,
  TILEC_PADDING_NAN = 1 /* of floats */
} tilec_padding;

/*
 * A tensor descriptor, as tl.make_tensor_descriptor makes one in a kernel: a tensor of the device's memory, and the
 * block that is loaded or stored at once. It is read by the launch. What is not as said here is an error of the launch.
 */
typedef struct tilec_descriptor {
  size_t size;                     /* set by the initialiser */
  tilec_arg base;                  /* of kind POINTER or DL: the first element; aligned to 16 bytes */
  uint32_t rank;                   /* 1 to TILEC_MAX_RANK; what is beyond is not read */
  uint32_t block[TILEC_MAX_RANK];  /* elements: powers of two; in the last dimension 16 bytes or more */
  int64_t shape[TILEC_MAX_RANK];   /* elements, outermost first: 1 to 2^31 - 1 */
  int64_t strides[TILEC_MAX_RANK]; /* in elements: the last one 1, the others multiples of 16 bytes */
  tilec_padding padding;           /* what loads give outside of the tensor */
} tilec_descriptor;

#define TILEC_DESCRIPTOR_INIT                                                                                \
  {                                                                                                          \
    sizeof(tilec_descriptor), {TILEC_ARG_NONE, TILEC_I1, {0}}, 0, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0},          \
        {0, 0, 0, 0, 0}, TILEC_PADDING_ZERO                                                                  \
  }

static inline tilec_arg tilec_arg_descriptor(const tilec_descriptor *descriptor) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_DESCRIPTOR;
  arg.dtype = TILEC_I1;
  arg.value.address = TILEC_ADDRESS(descriptor);
  return arg;
}

/* A value that is known when the kernel is compiled, as text as in `defines`: "64", "1.5", "fp16", "(1, 2)", a
 * function's name. For items of tuples, and for parameters that are not declared constexpr. */
static inline tilec_arg tilec_arg_constexpr(const char *text) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_CONSTEXPR;
  arg.dtype = TILEC_I1;
  arg.value.address = TILEC_ADDRESS(text);
  return arg;
}

/* The same for languages that call functions of the library alone: each fills the tilec_arg (16 bytes, aligned to
 * 8) that `arg` points to. */
TILEC_API void tilec_arg_set_pointer(tilec_arg *arg, tilec_dtype pointee, uint64_t address);
TILEC_API void tilec_arg_set_buffer(tilec_arg *arg, tilec_dtype pointee, const tilec_buffer *buffer);
TILEC_API void tilec_arg_set_int(tilec_arg *arg, int64_t i);
TILEC_API void tilec_arg_set_uint(tilec_arg *arg, uint64_t u);
TILEC_API void tilec_arg_set_bool(tilec_arg *arg, int b);
TILEC_API void tilec_arg_set_float(tilec_arg *arg, double f);
TILEC_API void tilec_arg_set_none(tilec_arg *arg);
TILEC_API void tilec_arg_set_default(tilec_arg *arg);
TILEC_API void tilec_arg_set_dl(tilec_arg *arg, const void *dl_tensor);
TILEC_API void tilec_arg_set_dim(tilec_arg *arg, const void *dl_tensor, int i);
TILEC_API void tilec_arg_set_stride(tilec_arg *arg, const void *dl_tensor, int i);
TILEC_API void tilec_arg_set_tuple(tilec_arg *arg, const tilec_tuple *tuple);
TILEC_API void tilec_arg_set_descriptor(tilec_arg *arg, const tilec_descriptor *descriptor);
TILEC_API void tilec_arg_set_constexpr(tilec_arg *arg, const char *text);

typedef struct tilec_launch_options {
  size_t size;          /* set by the initialiser */
  int64_t grid[3];      /* programs; grid[0] = -1: the kernel's @grid (the others are not read). A zero
                           launches nothing and succeeds */
  tilec_stream *stream; /* NULL: the default stream */
  /* Limits of a launch on sim and eval: past one it is TILEC_ERROR_LAUNCH, and tilec_last_error() says where
     the kernel stood. On cuda, where nothing is waited for, they are not read.
       max_instructions  warp instructions on sim (0: 2^40), ops of the tile IR on eval (0: no limit)
       timeout           seconds; 0: no limit
       cancel            NULL, or what another thread or a signal handler makes other than 0 */
  uint64_t max_instructions;
  double timeout;
  const int *cancel;
  /* 1, on sim: the launch is run under each schedule of warps and asynchronous copies with every checker on, each time
     with what its arguments point to as it was at first: races, barriers that not all reach, shared memory that is
     read before it is written are TILEC_ERROR_LAUNCH, beside what any launch there reports. The first schedule that
     something is found under is the last one run. It takes some ten times as long. On eval, which tells races and
     undefined values in every launch, 1 is as 0; on cuda it is TILEC_ERROR_NOT_SUPPORTED */
  int check;
  /* NULL, or what on sim and eval is called with what the kernel has printed, if it has: once its launch has ended, well or
     not, by the thread that launches. On cuda the driver prints it itself */
  void (*print)(void *print_data, const char *text, size_t bytes);
  void *print_data;
  /* Of a persistent kernel: at most so many blocks run its programs in turn, so that others have room beside them. 0: as many
     as the device has room for at once (on sim as many as it has multiprocessors, on eval 2) */
  uint32_t max_programs;
} tilec_launch_options;

#define TILEC_LAUNCH_OPTIONS_INIT                                                                            \
  { sizeof(tilec_launch_options), {-1, 1, 1}, NULL, 0, 0, NULL, 0, NULL, NULL, 0 }

/*
 * Launches the kernel with `arg_count` arguments. options NULL: the kernel's @grid on the default stream.
 * Parameters left out at the end take their default values. On cuda it does not wait for the launch's end,
 * and may be captured in a graph.
 *   TILEC_ERROR_INVALID_ARGUMENT  arguments that do not fit the parameters or point into a buffer of
 *                                 another device (of sim and eval every one has its own), a grid that is negative or too
 *                                 large, no @grid where one is needed, a stream of another device
 *   TILEC_ERROR_COMPILE           compiled now, for these arguments, and wrong
 *   TILEC_ERROR_NOT_SUPPORTED     the device lacks what the kernel needs
 *   TILEC_ERROR_LAUNCH            what the kernel did wrong (sim, eval)
 */
TILEC_API tilec_status tilec_launch(tilec_kernel *kernel, const tilec_launch_options *options,
                                    const tilec_arg *args, size_t arg_count);

/* Compiles the variant for these arguments and loads it, where it is not yet: a launch with arguments of the same
 * types and facts is quick then, from the first on. The errors are tilec_launch's, but for those of grid and run. */
TILEC_API tilec_status tilec_kernel_prepare(tilec_kernel *kernel, const tilec_arg *args, size_t arg_count);

/* ------------------------------------------------------------ What a kernel is */

typedef enum tilec_param_kind {
  TILEC_PARAM_ANY = 0,     /* without a type: the argument's; dtype is not set */
  TILEC_PARAM_POINTER = 1, /* to dtype */
  TILEC_PARAM_SCALAR = 2,  /* of dtype */
  TILEC_PARAM_TUPLE = 3,   /* declared as a tuple */
  TILEC_PARAM_DESCRIPTOR = 4 /* declared as a tensor descriptor; dtype is its elements' */
} tilec_param_kind;

typedef struct tilec_param_info {
  size_t size;      /* set by the initialiser */
  const char *name; /* lives as long as the kernel */
  tilec_param_kind kind;
  tilec_dtype dtype;
  size_t bytes;    /* of the parameter; 0: of its argument's type */
  int has_default; /* 1: it may be left out */
  uint32_t count;  /* of a tuple its items, of a descriptor its dimensions; else 0 */
  uint32_t block[TILEC_MAX_RANK]; /* of a descriptor */
  tilec_padding padding;
} tilec_param_info;

#define TILEC_PARAM_INFO_INIT                                                                                \
  {                                                                                                          \
    sizeof(tilec_param_info), NULL, TILEC_PARAM_ANY, TILEC_I1, 0, 0, 0, {0, 0, 0, 0, 0}, TILEC_PADDING_ZERO  \
  }

/* Run-time parameters, which tilec_launch takes arguments for; 0 for NULL. */
TILEC_API size_t tilec_kernel_param_count(const tilec_kernel *kernel);

/* Fills *info, whose size is set. An index beyond the count is TILEC_ERROR_INVALID_ARGUMENT. */
TILEC_API tilec_status tilec_kernel_param(const tilec_kernel *kernel, size_t index, tilec_param_info *info);

/* Of one compiled variant; -1: the device does not tell (sim: registers, local_bytes and blocks, eval: all). */
typedef struct tilec_kernel_attributes {
  size_t size;        /* set by the initialiser */
  int threads;        /* a block */
  int registers;      /* a thread */
  int shared_static;  /* bytes a block */
  int shared_dynamic; /* bytes a block, beside the static ones */
  int local_bytes;    /* a thread: spilled registers, arrays, the stack */
  int blocks;         /* that a multiprocessor holds at once */
} tilec_kernel_attributes;

#define TILEC_KERNEL_ATTRIBUTES_INIT                                                                         \
  { sizeof(tilec_kernel_attributes), 0, 0, 0, 0, 0, 0 }

/* Of the variant for these arguments, prepared where it is not yet. */
TILEC_API tilec_status tilec_kernel_get_attributes(tilec_kernel *kernel, const tilec_arg *args,
                                                   size_t arg_count, tilec_kernel_attributes *attributes);

/* ------------------------------------------------------- PTX and code of others */

typedef struct tilec_image_options {
  size_t size;           /* set by the initialiser */
  uint32_t threads[3];   /* a block; at most 1024 */
  uint32_t shared_bytes; /* dynamic shared memory a block */
} tilec_image_options;

#define TILEC_IMAGE_OPTIONS_INIT                                                                             \
  { sizeof(tilec_image_options), {1, 1, 1}, 0 }

/*
 * The entry `name` of PTX text (no NUL is needed), or of a cubin or fatbin, as a kernel: its launches need a grid,
 * and take an argument for each parameter, by its bytes: an integer that fits, a float for 4 bytes (fp32) or
 * 8 (fp64), a pointer for 8. tilec_kernel_param has the parameters' bytes; their names are their numbers.
 *   TILEC_ERROR_INVALID_ARGUMENT  no such entry; wrong options
 *   TILEC_ERROR_NOT_SUPPORTED     PTX that the device does not know; a cubin on sim; eval; a driver older than
 *                                 CUDA 12.4, which cannot tell the parameters
 */
TILEC_API tilec_status tilec_kernel_from_image(tilec_device *device, const char *name, const void *image,
                                               size_t bytes, const tilec_image_options *options,
                                               tilec_kernel **kernel);

#ifdef __cplusplus
}
#endif

#endif
