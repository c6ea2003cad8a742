/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * tilec: compiles tile programs (Triton-like kernels) to PTX, loads and launches them.
 *
 * A program calls these functions, in this order. docs/reference/c-api/README.md has a whole program.
 *
 * ```
 *   tilec_device_open(NULL, &device);                          // a GPU, else the simulator
 *   tilec_program_from_file("add.py", &program);
 *   tilec_kernel_new(device, program, NULL, &kernel);
 *   tilec_buffer_new(device, bytes, &x);                       // and tilec_buffer_write
 *   const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, x), tilec_arg_int(n)};
 *   tilec_launch(kernel, NULL, args, 2);                       // compiled at the first launch, then kept
 *   tilec_buffer_read(x, 0, result, bytes);                    // after the launch
 *   tilec_buffer_free(x);                                      // and the others
 * ```
 *
 * Errors.   Every function that can fail returns a tilec_status. tilec_last_error() has the details. After an
 *           error nothing was made. The library never prints, exits or aborts. These errors are possible in
 *           any function; others are listed with the function.
 *             TILEC_ERROR_INVALID_ARGUMENT: a NULL that is not allowed.
 *             TILEC_ERROR_OUT_OF_MEMORY.
 *             TILEC_ERROR_DRIVER: on cuda.
 * Threads.  Different threads may use different objects at the same time. An object must be used by one thread at a
 *           time. Exception: several threads may launch one kernel. The launch of a compiled variant does not
 *           wait for another thread's compile.
 * Lifetime. The caller releases each object that a call makes, in any order: an object keeps the objects it was
 *           made from alive. Releasing NULL does nothing. Strings passed in are read only during the call. A
 *           returned string lives as long as the object it was read from.
 * Cache.    Code compiled by launches is kept on disk, for later processes of the same user. The folder is
 *           $TILEC_CACHE_DIR, $XDG_CACHE_HOME/tilec or ~/.cache/tilec. Entries are verified when they are read.
 *           The environment variable TILEC_CACHE=off disables the cache. TILEC_CACHE_SIZE is its limit (1G).
 *           A cache that fails is not an error: kernels are compiled, and options.log gets the reason.
 * Units.    Sizes and offsets are in bytes unless stated otherwise.
 * Binary    A program built with an older header runs with this library. Structs that begin with their size grow
 *           at their end. Fields that an older program lacks have their defaults. A newer program works as long
 *           as its additional fields are zero. Enums get new values, and existing values never change.
 *           tilec_arg stays at 16 bytes.
 */
#ifndef TILEC_TILEC_H
#define TILEC_TILEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TILEC_VERSION_MAJOR 0 /* first number of the header's version; tilec_version() has the library's */
#define TILEC_VERSION_MINOR 2 /* the second number */
#define TILEC_VERSION_PATCH 0 /* the third number */

#if defined(__GNUC__)
/* Marks the functions that the library exports. */
#define TILEC_API __attribute__((visibility("default")))
#else
#define TILEC_API
#endif

#ifdef __cplusplus
/* Casts value to type, in C or C++ form. */
#define TILEC_CAST(type, value) (static_cast<type>(value))
/* The pointer as an integer, in C or C++ form. */
#define TILEC_ADDRESS(pointer)  (reinterpret_cast<uintptr_t>(pointer))
#else
#define TILEC_CAST(type, value) ((type)(value))
#define TILEC_ADDRESS(pointer)  ((uintptr_t)(pointer))
#endif

/* ------------------------------------------------------------------- Errors */

/* The result of a call. Zero is success. */
typedef enum tilec_status {
  TILEC_OK = 0, /* success */
  TILEC_ERROR_INVALID_ARGUMENT =
      1,                         /* a call that can never work: a NULL that is not allowed, wrong arguments */
  TILEC_ERROR_OUT_OF_MEMORY = 2, /* of the host or the device */
  TILEC_ERROR_IO = 3,            /* a file could not be read or written; also TILEC_BUNDLE's, TILEC_LOCK's */
  TILEC_ERROR_COMPILE = 4,       /* the source is wrong, or TILEC_JIT=forbid: tilec_last_error() says it */
  TILEC_ERROR_NO_DEVICE = 5,     /* no such device, or no CUDA driver */
  TILEC_ERROR_DRIVER = 6,        /* a call of the CUDA driver failed */
  TILEC_ERROR_LAUNCH = 7,        /* an error of the kernel: out of bounds, misaligned, undefined values; on
                                       cuda a later call reports it, and the context is lost */
  TILEC_ERROR_NOT_SUPPORTED = 8, /* legal, but not built in or not possible on this device */
  TILEC_ERROR_INTERNAL = 70      /* a bug of tilec: tilec_last_error() names the pass and a file to replay */
} tilec_status;

/* Returns the library's version: "0.2.0". Never NULL. */
TILEC_API const char *tilec_version(void);

/* Returns the name of a status: "TILEC_ERROR_COMPILE". Never NULL. */
TILEC_API const char *tilec_status_name(tilec_status status);

/* Returns the message of this thread's last failed call. It is one line, or several diagnostics, of at most 16 KiB.
 * Valid until this thread's next failed call. Never NULL. "" if no call has failed. */
TILEC_API const char *tilec_last_error(void);

/* The kind of a diagnostic. */
typedef enum tilec_severity {
  TILEC_SEVERITY_ERROR = 0,   /* the call fails */
  TILEC_SEVERITY_WARNING = 1, /* probably a mistake, or a lost convenience such as the cache;
                                 does not make the call fail */
  TILEC_SEVERITY_REMARK = 2,  /* what a pass did or declined */
  TILEC_SEVERITY_NOTE = 3     /* on the previous diagnostic */
} tilec_severity;

/* One message with its location, for tools that show it themselves. Texts live as long as the list. */
typedef struct tilec_diagnostic {
  size_t size; /* set by the initialiser */
  tilec_severity severity;
  const char *file;              /* NULL: no location */
  uint32_t line, column, length; /* from 1, the columns in bytes; length 0: a point */
  const char *text;              /* one line, without the location */
  size_t parent;                 /* of a note: index of its diagnostic; else its own index */
  const char *code;              /* of the kind of mistake, as in `tilec help T0301`; NULL: none */
  const char *kind;              /* of an error while a kernel ran: "out of bounds", "race" ..., as in
                               --diagnostics=json. NULL: another message, and all that follows is 0 */
  const char *buffer;            /* the argument that the memory belongs to; NULL: not known */
  int64_t index;                 /* of the element in the buffer; may be outside of it */
  uint32_t program[3];           /* program_id of each axis; of PTX the CTA */
  uint32_t element_rank;         /* numbers in `element`; 0: not known, or no tile */
  uint32_t element[8];      /* of the tile that is loaded or stored, by dimension: the first that fails */
  const char *access;       /* of a race: "load", "store" or "atomic", at the location; else NULL */
  const char *other_access; /* of a race: the access of the first note, or of the same operation */
} tilec_diagnostic;

/* An empty tilec_diagnostic, with its size. */
#define TILEC_DIAGNOSTIC_INIT                                                                                \
  {                                                                                                          \
    sizeof(tilec_diagnostic), TILEC_SEVERITY_ERROR, NULL, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0, {0, 0, 0},  \
        0, {0, 0, 0, 0, 0, 0, 0, 0}, NULL, NULL                                                              \
  }

/* Diagnostics in the order in which they are printed. Each is followed by its notes. */
typedef struct tilec_diagnostics tilec_diagnostics;

/* Returns the number of diagnostics, notes included. 0 for NULL. */
TILEC_API size_t tilec_diagnostics_count(const tilec_diagnostics *list);

/* Reads one diagnostic of a list. Its strings live as long as the list.
 *   index: From 0
 *   TILEC_ERROR_INVALID_ARGUMENT: an index beyond the count. */
TILEC_API tilec_status tilec_diagnostics_get(const tilec_diagnostics *list, size_t index,
                                             tilec_diagnostic *diagnostic);

/* Returns tilec_last_error() as a list, valid for the same time. An error that is not about a source is one error
 * without a location. Never NULL. */
TILEC_API const tilec_diagnostics *tilec_last_diagnostics(void);

/* ------------------------------------------------------------ Element types */

/* Element types, with Triton's short names. */
typedef enum tilec_dtype {
  TILEC_I1,      /* a bool: 0 or 1 */
  TILEC_I8,      /* signed, 8 bits */
  TILEC_I16,     /* signed, 16 bits */
  TILEC_I32,     /* signed, 32 bits */
  TILEC_I64,     /* signed, 64 bits */
  TILEC_U8,      /* unsigned, 8 bits */
  TILEC_U16,     /* unsigned, 16 bits */
  TILEC_U32,     /* unsigned, 32 bits */
  TILEC_U64,     /* unsigned, 64 bits */
  TILEC_FP8E4NV, /* 8 bits: 4 of exponent, 3 of mantissa; NaN, no infinity */
  TILEC_FP8E5,   /* 8 bits: 5 of exponent, 2 of mantissa */
  TILEC_FP16,    /* IEEE half */
  TILEC_BF16,    /* upper half of an fp32 */
  TILEC_FP32,    /* IEEE single */
  TILEC_FP64     /* IEEE double */
} tilec_dtype;

/* Returns the bytes of one element in memory: 1, 2, 4 or 8. i1 takes one byte. 0 for an invalid type. */
TILEC_API size_t tilec_dtype_bytes(tilec_dtype dtype);

/* ------------------------------------------------------------------ Devices */

/* A GPU, the simulator or the evaluator. */
typedef struct tilec_device tilec_device;

/* Opens a device by its name.
 *   "cuda", "cuda:N"  A GPU. libcuda.so.1 is opened at run time. The thread's current context is used if it is
 *                     on that GPU, else the primary context. No call changes the thread's current context.
 *   "sim"             The simulator, which runs the same PTX on this CPU.
 *   "eval"            The reference evaluator, which runs the tile IR on this CPU.
 *   NULL, "auto"      A GPU if there is a supported one, else the simulator.
 *   name: One of these, or NULL
 *   TILEC_ERROR_NO_DEVICE: no such name, driver or GPU.
 *   TILEC_ERROR_NOT_SUPPORTED: a GPU older than compute capability 7.5. */
TILEC_API tilec_status tilec_device_open(const char *name, tilec_device **device);

/* Opens the GPU of a CUDA context. Everything on the device is made and launched in this context. It need not be
 * current, and the current context does not change.
 *   cu_context: A CUcontext. The caller keeps ownership. It must outlive all objects that are made on the device */
TILEC_API tilec_status tilec_device_from_context(void *cu_context, tilec_device **device);

/* Closes the device. It ends when all objects made on it have been released too. */
TILEC_API void tilec_device_close(tilec_device *device);

/* Returns the device's name: "cuda:0", "sim", "eval". "" for NULL. */
TILEC_API const char *tilec_device_name(const tilec_device *device);

/* Returns the architecture that kernels are compiled for: "sm_90a". "" for NULL. */
TILEC_API const char *tilec_device_arch(const tilec_device *device);

/* Waits until all launches on the device are done, on all streams.
 *   TILEC_ERROR_LAUNCH: the error of a kernel. */
TILEC_API tilec_status tilec_device_synchronize(tilec_device *device);

/* ------------------------------------------------------------------ Streams */

/* A queue of work that runs in order. In functions that also take an object with a device, a NULL stream means the
 * device's default stream: CUDA's legacy one. On sim and eval all work is done when its call returns. */
typedef struct tilec_stream tilec_stream;

/* Makes a stream. On cuda it does not wait for the default stream. */
TILEC_API tilec_status tilec_stream_new(tilec_device *device, tilec_stream **stream);

/* Makes a stream of a CUDA stream, on cuda.
 *   cu_stream: A CUstream of the device's context. The caller keeps ownership. It must outlive the new stream
 *   TILEC_ERROR_NOT_SUPPORTED: a device sim or eval. */
TILEC_API tilec_status tilec_stream_wrap(tilec_device *device, void *cu_stream, tilec_stream **stream);

/* Waits until all work of the stream is done.
 *   stream: Must not be NULL. In other functions NULL is the default stream
 *   TILEC_ERROR_LAUNCH: the error of a kernel. */
TILEC_API tilec_status tilec_stream_synchronize(tilec_stream *stream);

/* Releases the stream. Work that is already on it runs to its end. */
TILEC_API void tilec_stream_free(tilec_stream *stream);

/* A point in a stream's work. */
typedef struct tilec_event tilec_event;

/* Makes an event. It marks no point until tilec_event_record. */
TILEC_API tilec_status tilec_event_new(tilec_device *device, tilec_event **event);

/* Releases the event. NULL is allowed. */
TILEC_API void tilec_event_free(tilec_event *event);

/* Records the current end of the stream's work, when the event happens. Another call moves it to a later point.
 *   stream: A stream of the event's device; NULL: the default stream
 *   TILEC_ERROR_INVALID_ARGUMENT: a stream of another device. */
TILEC_API tilec_status tilec_event_record(tilec_event *event, tilec_stream *stream);

/* Waits until the event has happened.
 *   TILEC_ERROR_INVALID_ARGUMENT: the event was never recorded.
 *   TILEC_ERROR_LAUNCH: the error of a kernel. */
TILEC_API tilec_status tilec_event_synchronize(tilec_event *event);

/* Makes later work on the stream wait for the event. The caller does not wait.
 *   stream: A stream of the event's device; NULL: the default stream
 *   TILEC_ERROR_INVALID_ARGUMENT: the event was never recorded, or the stream is of another device. */
TILEC_API tilec_status tilec_stream_wait(tilec_stream *stream, tilec_event *event);

/* Measures the time between two events, and waits until `end` has happened. On sim and eval it is the host's time.
 *   seconds: Set to the time
 *   TILEC_ERROR_INVALID_ARGUMENT: an event was never recorded. */
TILEC_API tilec_status tilec_event_elapsed(tilec_event *start, tilec_event *end, double *seconds);

/* ------------------------------------------------------------------ Buffers */

/* Memory of a device. */
typedef struct tilec_buffer tilec_buffer;

/* Allocates memory, aligned to 256 bytes. The contents are undefined.
 *   bytes: Its size, also 0 */
TILEC_API tilec_status tilec_buffer_new(tilec_device *device, size_t bytes, tilec_buffer **buffer);

/* Makes a buffer of the caller's memory, which is used in place. tilec_buffer_address returns the device's address.
 *   address: A CUdeviceptr on cuda, a host pointer on sim and eval. The memory stays the caller's
 *   bytes: Its size */
TILEC_API tilec_status tilec_buffer_wrap(tilec_device *device, uint64_t address, size_t bytes,
                                         tilec_buffer **buffer);

/* Makes a multicast address for memory of several devices: multimem instructions reach all copies. Only on sim.
 *   copies: A buffer for each device. They must outlive the new buffer
 *   count: Their number, at most 16 */
TILEC_API tilec_status tilec_buffer_multicast(tilec_buffer *const *copies, size_t count,
                                              tilec_buffer **buffer);

/* Releases the buffer, but not the caller's memory of tilec_buffer_wrap. No unfinished launch may use it. */
TILEC_API void tilec_buffer_free(tilec_buffer *buffer);

/* Returns the address in the device's address space. 0 for NULL. */
TILEC_API uint64_t tilec_buffer_address(const tilec_buffer *buffer);

/* Returns the buffer's size in bytes. 0 for NULL. */
TILEC_API size_t tilec_buffer_bytes(const tilec_buffer *buffer);

/* Both copy between host memory and a buffer, and return when the copy is done. The copy waits for earlier work on
 * the default stream and on the device's other streams, except streams that are being captured.
 *   offset: Bytes from the buffer's start
 *   from: Host memory that is copied to the buffer
 *   to: Host memory that gets the buffer's bytes
 *   bytes: How many
 *   TILEC_ERROR_INVALID_ARGUMENT: bytes beyond the buffer's end. Then nothing is copied.
 *   TILEC_ERROR_LAUNCH: the error of a kernel that was launched before. */
TILEC_API tilec_status tilec_buffer_write(tilec_buffer *buffer, size_t offset, const void *from,
                                          size_t bytes);
TILEC_API tilec_status tilec_buffer_read(const tilec_buffer *buffer, size_t offset, void *to, size_t bytes);

/* Sets every byte of the buffer to `byte`. Order and errors are those of tilec_buffer_write. */
TILEC_API tilec_status tilec_buffer_fill(tilec_buffer *buffer, uint8_t byte);

/* Each copies or sets bytes of a buffer on a stream, in its order. It does not wait for other streams, and may
 * return before the copy is done. If the host memory is pinned, the copy runs while the host works.
 *   offset: Bytes from the buffer's start
 *   from: Host memory; do not change or free it until the copy is done
 *   to: Host memory; do not read, change or free it until the copy is done
 *   byte: The value of all bytes
 *   bytes: How many
 *   stream: A stream of the buffer's device; NULL: the default stream
 *   TILEC_ERROR_INVALID_ARGUMENT: bytes beyond the buffer's end, or a stream of another device. */
TILEC_API tilec_status tilec_buffer_write_async(tilec_buffer *buffer, size_t offset, const void *from,
                                                size_t bytes, tilec_stream *stream);
TILEC_API tilec_status tilec_buffer_read_async(const tilec_buffer *buffer, size_t offset, void *to,
                                               size_t bytes, tilec_stream *stream);
TILEC_API tilec_status tilec_buffer_fill_async(tilec_buffer *buffer, size_t offset, uint8_t byte,
                                               size_t bytes, tilec_stream *stream);

/* Copies between two buffers of one device, on a stream. The bytes must not overlap.
 *   to_offset: Bytes from the start of `to`
 *   from_offset: Bytes from the start of `from`
 *   bytes: How many
 *   stream: NULL: the default stream
 *   TILEC_ERROR_INVALID_ARGUMENT: bytes beyond a buffer's end, or buffers of two devices. */
TILEC_API tilec_status tilec_buffer_copy_async(tilec_buffer *to, size_t to_offset, const tilec_buffer *from,
                                               size_t from_offset, size_t bytes, tilec_stream *stream);

/* ----------------------------------------------------------------- Programs */

/* The parsed source text of one file. Its name ends in .tile, .py or .tir. Needs no device. */
typedef struct tilec_program tilec_program;

/* Reads and parses a file. Imported files are read if their names are used.
 *   path: Its name, relative to the working directory; the suffix selects the language
 *   TILEC_ERROR_IO: the file cannot be read.
 *   TILEC_ERROR_COMPILE: it cannot be parsed. */
TILEC_API tilec_status tilec_program_from_file(const char *path, tilec_program **program);

/* Parses source text in memory. No imported file is read.
 *   name: For diagnostics; its suffix, .tile, .py or .tir, selects the language
 *   text: Copied; it needs no NUL
 *   bytes: Its length
 *   TILEC_ERROR_COMPILE: it cannot be parsed. */
TILEC_API tilec_status tilec_program_from_source(const char *name, const char *text, size_t bytes,
                                                 tilec_program **program);

/* A file that exists only in memory. Used in arrays, so it does not grow. */
typedef struct tilec_source {
  const char *name; /* as a path: "kernels/add.py" */
  const char *text; /* needs no NUL */
  size_t bytes;     /* of the text */
} tilec_source;

/* Parses the first of several sources in memory. Its imports are looked up among the others by name, as if they
 * were files with these names. No file is read.
 *   sources: copied
 *   count: How many, 1 or more
 *   TILEC_ERROR_COMPILE: one cannot be parsed. */
TILEC_API tilec_status tilec_program_from_sources(const tilec_source *sources, size_t count,
                                                  tilec_program **program);

/* Parses sources that were generated line by line from other files, as a binding for another language does.
 * Otherwise it is tilec_program_from_sources.
 *   sources: copied
 *   shown: One for each source. Diagnostics, reports and debug information show its name, and quote its text, with the
 *     same lines and columns. A NULL name: the source is shown as itself. A NULL text: its own text is quoted. Several
 *     sources may be shown under one name
 *   count: How many sources, 1 or more
 *   TILEC_ERROR_COMPILE: one cannot be parsed. */
TILEC_API tilec_status tilec_program_from_shown_sources(const tilec_source *sources,
                                                        const tilec_source *shown, size_t count,
                                                        tilec_program **program);

/* Releases the program. Kernels of it keep it alive. NULL is allowed. */
TILEC_API void tilec_program_free(tilec_program *program);

/* ------------------------------------------------------- Compiling, offline */

/* How dots of fp32 operands are computed. */
typedef enum tilec_fp32_dot {
  TILEC_FP32_DOT_IEEE,   /* exactly, with fp32 multiply-adds */
  TILEC_FP32_DOT_TF32,   /* one dot of operands rounded to tf32 */
  TILEC_FP32_DOT_TF32X3, /* three tf32 dots of split operands */
  TILEC_FP32_DOT_BF16X3, /* three bf16 dots of split operands */
  TILEC_FP32_DOT_BF16X6  /* six bf16 dots of split operands */
} tilec_fp32_dot;

/* Controls TMA copies for loads (sm_90a). Their tensor maps are made from a launch's arguments. tilec_launch
 * makes them. If a map is impossible (an array without elements, an address that is not a multiple of 16
 * bytes), tilec_launch uses the same kernel compiled without TMA. For code from tilec_compile, the caller
 * launches and makes the maps (docs/ahead-of-time.md). */
typedef enum tilec_tma {
  TILEC_TMA_AUTO,    /* where profitable, for kernels launched by tilec_launch; none for tilec_compile */
  TILEC_TMA_ON,      /* wherever possible */
  TILEC_TMA_OFF,     /* never */
  TILEC_TMA_LAUNCHED /* tilec_compile: like AUTO for tilec_launch */
} tilec_tma;

/* Warp specialization: splits matmul loops fed by TMA copies into producer (copy) and consumer (compute)
   warps (sm_90a). */
typedef enum tilec_warp_specialize {
  /* attention with 8 warps, loops with tl.range(warp_specialize=True), and dots of persistent kernels */
  TILEC_WARP_SPECIALIZE_AUTO,
  TILEC_WARP_SPECIALIZE_ON, /* wherever possible */
  TILEC_WARP_SPECIALIZE_OFF /* never */
} tilec_warp_specialize;

/* Controls TMA stores: tiles stored through descriptors and block pointers go through shared memory (sm_90
   and later). Needs tensor maps, so tma must allow them. */
typedef enum tilec_epilogue {
  TILEC_EPILOGUE_AUTO, /* never: the gain has not been measured */
  TILEC_EPILOGUE_ON,   /* wherever possible */
  TILEC_EPILOGUE_OFF   /* never */
} tilec_epilogue;

/* Controls persistent kernels: one launch runs all programs in a fixed set of CTAs, all that fit on the
   device at once. With warp specialization, the producer warps load for the next program while the consumer
   warps store the previous one. Kernels that print, assert, use atomics, inline PTX or volatile accesses are
   not made persistent.
   The numbers of programs along the three axes are hidden parameters. For code from tilec_compile the caller
   passes them (docs/ahead-of-time.md). */
typedef enum tilec_persistent {
  TILEC_PERSISTENT_AUTO, /* large warp-specialized matmuls with TMA copies, in kernels launched by
                            tilec_launch */
  TILEC_PERSISTENT_ON,   /* wherever possible */
  TILEC_PERSISTENT_OFF   /* never */
} tilec_persistent;

/* Options for compiling a kernel. Begin with TILEC_COMPILE_OPTIONS_INIT. A zero means the default. */
typedef struct tilec_compile_options {
  size_t size;           /* set by the initialiser; the struct may grow (docs/reference/c-api/README.md) */
  const char *kernel;    /* NULL: the program's only entry */
  const char *signature; /* "x=*fp32:16,n=i32:16,stride=:1,b=None": types and facts of run-time parameters */
  const char *const
      *defines;        /* "NAME=VALUE": constexpr parameters as Python literals, or a function's name */
  size_t define_count; /* of defines */
  const char *arch;    /* "sm_80" ...; NULL: sm_90a, without the "a" if no such instruction is used */
  int num_warps;       /* a power of two, 1 .. 32; default 4 */
  int num_stages;      /* prefetch distance of loops, 1 .. 64; default 3 */
  int maxnreg;         /* registers per thread, 1 .. 255; default: no limit */
  tilec_fp32_dot fp32_dot;
  int no_fp_contract; /* 1: a*b+c is never fused */
  int no_optimize;    /* 1: -O0; 0: -O3 */
  int debug;          /* 1: line tables for debuggers; .loc is always emitted */
  int remarks;        /* 1: the log reports what each pass did and declined */
  int overlap;        /* 1: a launch may start while the previous one in its stream ends (sm_90 and newer).
                         The kernel waits for that one before it accesses memory. Other kernels that are
                         launched this way must do the same */
  /* Callback for the diagnostics of a compile. NULL: none. It is called once the compile has ended, with or
     without success, for each diagnostic. It runs on the compiling thread: that of tilec_compile, or of the
     launch that compiles a variant. Problems of the cache on disk are warnings, each kind once per process.
     Launches on the evaluator log warnings of the run. The callback must not use the kernel. */
  void (*log)(void *log_data, const tilec_diagnostic *diagnostic);
  void *log_data; /* passed to `log` */
  int fast_math;  /* 1: division and functions of fp32 use the approximate instructions (docs/language.md) */
  int restrict_pointers; /* 1: memory reached through one pointer argument is reached through no other
                            argument, as with CUDA's __restrict__ on all of them. Loops then prefetch past
                            writes through other arguments. Results are wrong if arrays overlap and one of
                            them is written */
  tilec_tma tma;
  tilec_warp_specialize warp_specialize;
  tilec_epilogue epilogue;
  tilec_persistent persistent;
} tilec_compile_options;

/* A tilec_compile_options with the defaults, and its size. */
#define TILEC_COMPILE_OPTIONS_INIT                                                                           \
  {                                                                                                          \
    sizeof(tilec_compile_options), NULL, NULL, NULL, 0, NULL, 0, 0, 0, TILEC_FP32_DOT_IEEE, 0, 0, 0, 0, 0,   \
        NULL, NULL, 0, 0, TILEC_TMA_AUTO, TILEC_WARP_SPECIALIZE_AUTO, TILEC_EPILOGUE_AUTO,                   \
        TILEC_PERSISTENT_AUTO                                                                                \
  }

/* What a compiled kernel can be read as. */
typedef enum tilec_output {
  TILEC_OUTPUT_PTX = 0,   /* PTX text */
  TILEC_OUTPUT_TIR = 1,   /* tile IR after the last pass */
  TILEC_OUTPUT_LLVM = 2,  /* optimised LLVM IR */
  TILEC_OUTPUT_META = 3,  /* one JSON object: threads, shared memory, parameters with offsets, grid, and the
                            assembler's resource usage. An available assembler runs at the first request */
  TILEC_OUTPUT_CUBIN = 4, /* the GPU's machine code, which is not text */
  TILEC_OUTPUT_LAUNCH = 5 /* META without the assembler's resource usage */
} tilec_output;

/* One kernel compiled offline. Its strings live until it is freed. */
typedef struct tilec_compiled tilec_compiled;

/* Compiles one kernel of the program. It needs no device.
 *   options: NULL: the defaults
 *   TILEC_ERROR_COMPILE: the kernel, the signature or a define is wrong. tilec_last_error() has the diagnostics. */
TILEC_API tilec_status tilec_compile(tilec_program *program, const tilec_compile_options *options,
                                     tilec_compiled **compiled);

/* Releases what was compiled, with its strings. NULL is allowed. */
TILEC_API void tilec_compiled_free(tilec_compiled *compiled);

/* Returns one form of the compiled kernel, such as PTX. A cubin is made at the first request, by ptxas if it is on
 * PATH, else by the driver of a GPU of that architecture.
 *   text: Set to the bytes, which `compiled` owns; a NUL follows them
 *   bytes: Set to their number without the NUL; may be NULL
 *   TILEC_ERROR_NOT_SUPPORTED: a cubin, and there is neither ptxas nor such a GPU.
 *   TILEC_ERROR_IO: ptxas's files cannot be written or read. */
TILEC_API tilec_status tilec_compiled_output(tilec_compiled *compiled, tilec_output output, const char **text,
                                             size_t *bytes);

/* Returns the warnings, and remarks if asked for, in clang's format. Never NULL. It lives as long as `compiled`. */
TILEC_API const char *tilec_compiled_log(const tilec_compiled *compiled);

/* Returns the text of tilec_compiled_log as a list, which lives as long as `compiled`. NULL for NULL. */
TILEC_API const tilec_diagnostics *tilec_compiled_diagnostics(const tilec_compiled *compiled);

/* ------------------------------------------------------ Launching, compiled at need */

/* A kernel of a program on a device. It is compiled at the first launch with arguments of certain types and
 * facts (divisible by 16, equal to 1, None). The compiled variant is kept. */
typedef struct tilec_kernel tilec_kernel;

/* Makes a kernel of a program on a device. Errors in the kernel's body are reported at the launch.
 *   options: NULL: the defaults. `signature` must be NULL, because types come from the arguments. On cuda `arch` must
 *     be NULL too, because it is the device's
 *   TILEC_ERROR_COMPILE: no such kernel, or none is named and the program has not exactly one.
 *   TILEC_ERROR_INVALID_ARGUMENT: a name in `defines` is not a constexpr parameter. */
TILEC_API tilec_status tilec_kernel_new(tilec_device *device, tilec_program *program,
                                        const tilec_compile_options *options, tilec_kernel **kernel);

/* Releases the kernel and its compiled variants. No launch of it may be running. */
TILEC_API void tilec_kernel_free(tilec_kernel *kernel);

/* --------------------------------------------------------------- Arguments */

/* The kind of an argument of a launch. Each run-time parameter takes one argument, in order. Constexprs take none. */
typedef enum tilec_arg_kind {
  TILEC_ARG_NONE,       /* None; no value */
  TILEC_ARG_POINTER,    /* address: in device memory */
  TILEC_ARG_INT,        /* a signed integer */
  TILEC_ARG_FLOAT,      /* a float */
  TILEC_ARG_DEFAULT,    /* the parameter's default value; no value */
  TILEC_ARG_BOOL,       /* True or False: i1, as in Triton */
  TILEC_ARG_UINT,       /* an unsigned integer */
  TILEC_ARG_DL,         /* address: of a DLTensor, on the host */
  TILEC_ARG_DIM,        /* one of its sizes; dtype is the dimension's index */
  TILEC_ARG_STRIDE,     /* one of its strides, likewise */
  TILEC_ARG_TUPLE,      /* address: of a tilec_tuple, on the host */
  TILEC_ARG_DESCRIPTOR, /* address: of a tilec_descriptor, on the host */
  TILEC_ARG_CONSTEXPR   /* address: of a string, on the host */
} tilec_arg_kind;

/* One argument of 16 bytes. The functions below make it. */
typedef struct tilec_arg {
  tilec_arg_kind kind;
  tilec_dtype dtype; /* Of a pointer: the pointee's type. Of a struct's member: its type. Otherwise not read:
                        an int is i32 if it fits, else i64, else u64, and a float is fp32, unless the
                        parameter is annotated. A value that the type cannot hold is an error:
                        3000000000 for an i32, -1 for a u32 or u64, 1e39 for an fp32 */
  union {
    uint64_t address; /* in the device's address space */
    int64_t i;        /* of a BOOL: 0 or 1 */
    uint64_t u;       /* of a UINT */
    double f;         /* of a FLOAT */
  } value;
} tilec_arg;

/* Passes a pointer to device memory.
 *   pointee: The type of the elements
 *   address: Any memory of the device, such as cudaMalloc's or a buffer's. Host memory: use tilec_buffer_wrap */
static inline tilec_arg tilec_arg_pointer(tilec_dtype pointee, uint64_t address) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_POINTER;
  arg.dtype = pointee;
  arg.value.address = address;
  return arg;
}

/* Passes a pointer to the buffer's start. The buffer must outlive the launch.
 *   pointee: The type of the elements */
static inline tilec_arg tilec_arg_buffer(tilec_dtype pointee, const tilec_buffer *buffer) {
  return tilec_arg_pointer(pointee, tilec_buffer_address(buffer));
}

/* Passes the integer i. Its type is the parameter's, else i32 if it fits, else i64. */
static inline tilec_arg tilec_arg_int(int64_t i) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_INT;
  arg.dtype = TILEC_I64;
  arg.value.i = i;
  return arg;
}

/* Passes the unsigned integer u, for values beyond int64_t. */
static inline tilec_arg tilec_arg_uint(uint64_t u) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_UINT;
  arg.dtype = TILEC_U64;
  arg.value.u = u;
  return arg;
}

/* Passes True if b is not 0, else False. */
static inline tilec_arg tilec_arg_bool(int b) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_BOOL;
  arg.dtype = TILEC_I1;
  arg.value.i = b != 0;
  return arg;
}

/* Passes the number f. Its type is fp32 if the parameter has none. */
static inline tilec_arg tilec_arg_float(double f) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_FLOAT;
  arg.dtype = TILEC_FP64;
  arg.value.f = f;
  return arg;
}

/* Passes None, for a pointer or scalar that the kernel tests with `is None`. */
static inline tilec_arg tilec_arg_none(void) {
  tilec_arg arg = tilec_arg_int(0);
  arg.kind = TILEC_ARG_NONE;
  return arg;
}

/* Passes the parameter's default value. Parameters left out at the end also get theirs. */
static inline tilec_arg tilec_arg_default(void) {
  tilec_arg arg = tilec_arg_int(0);
  arg.kind = TILEC_ARG_DEFAULT;
  return arg;
}

/* Passes a pointer to the elements of a DLTensor, the tensor of other libraries (DLPack). Facts about the alignment
 * come from the address. On cuda the tensor must be on the same GPU, or managed, or pinned. On sim and eval it must
 * be on the CPU. These are errors of the launch: lanes other than 1, a type that tilec_dtype lacks, a tensor of
 * another device.
 *   dl_tensor: A DLTensor of dlpack.h. The launch reads it, and uses its memory in place from data + byte_offset on.
 *     NULL strides mean a compact tensor in row-major order */
static inline tilec_arg tilec_arg_dl(const void *dl_tensor) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_DL;
  arg.dtype = TILEC_I1;
  arg.value.address = TILEC_ADDRESS(dl_tensor);
  return arg;
}

/* Passes a size of a DLTensor, in elements, as an integer.
 *   dl_tensor: As for tilec_arg_dl
 *   i: The dimension, from 0 */
static inline tilec_arg tilec_arg_dim(const void *dl_tensor, int i) {
  tilec_arg arg = tilec_arg_dl(dl_tensor);
  arg.kind = TILEC_ARG_DIM;
  arg.dtype = TILEC_CAST(tilec_dtype, i);
  return arg;
}

/* Passes a stride of a DLTensor, in elements, as an integer.
 *   dl_tensor: As for tilec_arg_dl
 *   i: The dimension, from 0 */
static inline tilec_arg tilec_arg_stride(const void *dl_tensor, int i) {
  tilec_arg arg = tilec_arg_dim(dl_tensor, i);
  arg.kind = TILEC_ARG_STRIDE;
  return arg;
}

/* A tuple of items, which may be tuples. The launch reads it. Each item has its own type and facts. Another
 * count, other names or other constexprs select another variant. */
typedef struct tilec_tuple {
  size_t size;              /* set by the initialiser */
  const tilec_arg *items;   /* in order; the caller owns them */
  size_t count;             /* of items */
  const char *const *names; /* for a named tuple: one per item; else NULL */
} tilec_tuple;

/* An empty tilec_tuple, with its size. */
#define TILEC_TUPLE_INIT                                                                                     \
  { sizeof(tilec_tuple), NULL, 0, NULL }

/* Passes a tuple. It must stay valid until the launching call returns. */
static inline tilec_arg tilec_arg_tuple(const tilec_tuple *tuple) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_TUPLE;
  arg.dtype = TILEC_I1;
  arg.value.address = TILEC_ADDRESS(tuple);
  return arg;
}

#define TILEC_MAX_RANK 5 /* dimensions of a tensor descriptor */

/* The value of loads outside of a tensor, and whether loads of fp32 are rounded to tf32, to nearest even. */
typedef enum tilec_padding {
  TILEC_PADDING_ZERO = 0,      /* zero */
  TILEC_PADDING_NAN = 1,       /* for floats */
  TILEC_PADDING_ZERO_TF32 = 2, /* zero, and loads of fp32 are rounded */
  TILEC_PADDING_NAN_TF32 = 3   /* NaN, and loads of fp32 are rounded */
} tilec_padding;

/* A tensor descriptor, like one from tl.make_tensor_descriptor in a kernel: a tensor in device memory, and the block
 * that is loaded or stored at once. The launch reads it, and refuses values that violate the limits below. */
typedef struct tilec_descriptor {
  size_t size;                     /* set by the initialiser */
  tilec_arg base;                  /* of kind POINTER or DL: the first element, aligned to 16 bytes */
  uint32_t rank;                   /* 1 to TILEC_MAX_RANK; later array elements are not read */
  uint32_t block[TILEC_MAX_RANK];  /* in elements: powers of two; the last dimension at least 16 bytes */
  int64_t shape[TILEC_MAX_RANK];   /* in elements, outermost first: 1 to 2^31 - 1 */
  int64_t strides[TILEC_MAX_RANK]; /* in elements: the last one 1, the others multiples of 16 bytes */
  tilec_padding padding;           /* the value of loads outside of the tensor */
} tilec_descriptor;

/* An empty tilec_descriptor, with its size. */
#define TILEC_DESCRIPTOR_INIT                                                                                \
  {                                                                                                          \
    sizeof(tilec_descriptor), {TILEC_ARG_NONE, TILEC_I1, {0}}, 0, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0},          \
        {0, 0, 0, 0, 0}, TILEC_PADDING_ZERO                                                                  \
  }

/* Passes a tensor descriptor. It must stay valid until the launching call returns. */
static inline tilec_arg tilec_arg_descriptor(const tilec_descriptor *descriptor) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_DESCRIPTOR;
  arg.dtype = TILEC_I1;
  arg.value.address = TILEC_ADDRESS(descriptor);
  return arg;
}

/* Passes a compile-time value, for items of tuples, and for parameters that are not declared constexpr.
 *   text: As in `defines`: "64", "1.5", "fp16", "(1, 2)", a function's name. It must stay valid until the launching
 *     call returns */
static inline tilec_arg tilec_arg_constexpr(const char *text) {
  tilec_arg arg;
  arg.kind = TILEC_ARG_CONSTEXPR;
  arg.dtype = TILEC_I1;
  arg.value.address = TILEC_ADDRESS(text);
  return arg;
}

/* Each fills an argument as the inline function of the same name without `set` does. These are for languages that can
 * only call functions of the library.
 *   arg: A tilec_arg: 16 bytes, aligned to 8 */
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

/* ----------------------------------------------------------------- Launches */

/* Options of a launch. Begin with TILEC_LAUNCH_OPTIONS_INIT. A launch that passes a limit ends with
 * TILEC_ERROR_LAUNCH, and tilec_last_error() reports the kernel's position. */
typedef struct tilec_launch_options {
  size_t size;          /* set by the initialiser */
  int64_t grid[3];      /* in programs; grid[0] = -1: the kernel's @grid (the others are not read). A zero
                           launches nothing and succeeds */
  tilec_stream *stream; /* NULL: the default stream */
  uint64_t max_instructions; /* on sim warp instructions (0: 2^40), on eval tile IR ops (0: no limit). Not
                                read on cuda, where the launch does not wait */
  double timeout;            /* on sim and eval: seconds; 0: no limit */
  const int *cancel; /* on sim and eval: NULL, or a flag that another thread or a signal handler sets to
                        nonzero */
  /* 1, on sim: the launch runs under each schedule of warps and asynchronous copies, with every checker on.
     Each run starts from the same initial memory. TILEC_ERROR_LAUNCH is returned for races, barriers that not
     all threads reach, and reads of unwritten shared memory, in addition to the errors of any launch there.
     The first schedule with an error is the last one run. The launch takes about ten times as long. On eval 1
     adds races between elements of a tile, also where one thread has them. On cuda it is TILEC_ERROR_NOT_SUPPORTED */
  int check;
  /* Callback for the kernel's printed text, on sim and eval. NULL: none. It is called if there is text, once
     the launch has ended, with or without success, on the launching thread. On cuda the driver prints the
     text itself */
  void (*print)(void *print_data, const char *text, size_t bytes);
  void *print_data; /* passed to `print` */
  /* Persistent kernel: the maximum number of CTAs, to leave room for other kernels. 0: all CTAs that fit on
     the device at once. (For sim that is one per multiprocessor, for eval 2) */
  uint32_t max_programs;
  /* Nonzero, on sim: so many simulated GPUs run the grid together. `args` has the arguments of each, one GPU after
     another, which are no tuples or descriptors. Facts that not all have are not used. At most 16 */
  size_t ranks;
} tilec_launch_options;

/* A tilec_launch_options with the kernel's @grid and the defaults, and its size. */
#define TILEC_LAUNCH_OPTIONS_INIT                                                                            \
  { sizeof(tilec_launch_options), {-1, 1, 1}, NULL, 0, 0, NULL, 0, NULL, NULL, 0, 0 }

/* Launches the kernel. It is compiled first if no launch had arguments of these types and facts. On cuda the call
 * does not wait for the end of the launch. A graph may capture it after tilec_kernel_prepare.
 *   options: NULL: the kernel's @grid on the default stream
 *   args: One for each run-time parameter, in order; parameters left out at the end get their default values
 *   arg_count: The number of args
 *   TILEC_ERROR_INVALID_ARGUMENT: arguments that do not fit the parameters. Pointers into a buffer of another
 *     device, where every sim or eval device counts separately. A grid that is negative, too large, or missing
 *     when the kernel has no @grid. A stream of another device.
 *   TILEC_ERROR_COMPILE: the compile for these arguments failed, or TILEC_JIT=forbid forbids it (T1007).
 *   TILEC_ERROR_NOT_SUPPORTED: the device lacks a feature that the kernel needs.
 *   TILEC_ERROR_LAUNCH: the error of the kernel (sim, eval). */
TILEC_API tilec_status tilec_launch(tilec_kernel *kernel, const tilec_launch_options *options,
                                    const tilec_arg *args, size_t arg_count);

/* Compiles and loads the kernel for such arguments, if necessary, without a launch. Then even the first launch with
 * arguments of the same types and facts is quick. The errors are those of tilec_launch before the kernel runs.
 *   args: As for tilec_launch
 *   arg_count: The number of args */
TILEC_API tilec_status tilec_kernel_prepare(tilec_kernel *kernel, const tilec_arg *args, size_t arg_count);

/* ------------------------------------------------------------ What a kernel is */

/* What arguments a parameter takes. */
typedef enum tilec_param_kind {
  TILEC_PARAM_ANY = 0,       /* without a type: it takes the argument's; dtype is not set */
  TILEC_PARAM_POINTER = 1,   /* to dtype */
  TILEC_PARAM_SCALAR = 2,    /* of dtype */
  TILEC_PARAM_TUPLE = 3,     /* declared as a tuple */
  TILEC_PARAM_DESCRIPTOR = 4 /* declared as a tensor descriptor; dtype is its element type */
} tilec_param_kind;

/* One run-time parameter of a kernel. */
typedef struct tilec_param_info {
  size_t size;      /* set by the initialiser */
  const char *name; /* lives as long as the kernel */
  tilec_param_kind kind;
  tilec_dtype dtype;              /* of a pointee, scalar or element */
  size_t bytes;                   /* of the parameter; 0: depends on its argument's type */
  int has_default;                /* 1: it may be left out */
  uint32_t count;                 /* items of a tuple, or dimensions of a descriptor; else 0 */
  uint32_t block[TILEC_MAX_RANK]; /* of a descriptor */
  tilec_padding padding;          /* of a descriptor */
} tilec_param_info;

/* An empty tilec_param_info, with its size. */
#define TILEC_PARAM_INFO_INIT                                                                                \
  { sizeof(tilec_param_info), NULL, TILEC_PARAM_ANY, TILEC_I1, 0, 0, 0, {0, 0, 0, 0, 0}, TILEC_PADDING_ZERO }

/* Returns the number of run-time parameters, which tilec_launch takes arguments for. 0 for NULL. */
TILEC_API size_t tilec_kernel_param_count(const tilec_kernel *kernel);

/* Describes one run-time parameter.
 *   index: From 0
 *   TILEC_ERROR_INVALID_ARGUMENT: an index beyond the count. */
TILEC_API tilec_status tilec_kernel_param(const tilec_kernel *kernel, size_t index, tilec_param_info *info);

/* Attributes of one compiled variant. -1: the device does not report it (sim: registers, local_bytes and
   blocks; eval: all). */
typedef struct tilec_kernel_attributes {
  size_t size;        /* set by the initialiser */
  int threads;        /* per CTA */
  int registers;      /* per thread */
  int shared_static;  /* bytes per CTA */
  int shared_dynamic; /* bytes per CTA, in addition to the static ones */
  int local_bytes;    /* per thread: spilled registers, arrays, the stack */
  int blocks;         /* CTAs that fit on one multiprocessor at once */
} tilec_kernel_attributes;

/* An empty tilec_kernel_attributes, with its size. */
#define TILEC_KERNEL_ATTRIBUTES_INIT                                                                         \
  { sizeof(tilec_kernel_attributes), 0, 0, 0, 0, 0, 0 }

/* Reads what the code uses (-1: not reported, as registers on sim). Errors are as of tilec_kernel_prepare.
 *   args: As for tilec_launch
 *   arg_count: The number of args */
TILEC_API tilec_status tilec_kernel_get_attributes(tilec_kernel *kernel, const tilec_arg *args,
                                                   size_t arg_count, tilec_kernel_attributes *attributes);

/* ------------------------------------------------------- PTX and code of others */

/* The shape of launches of tilec_kernel_from_image. */
typedef struct tilec_image_options {
  size_t size;           /* set by the initialiser */
  uint32_t threads[3];   /* of a CTA along x, y, z; default 1, 1, 1; at most 1024 in all */
  uint32_t shared_bytes; /* dynamic shared memory per CTA */
} tilec_image_options;

/* A tilec_image_options of one thread, with its size. */
#define TILEC_IMAGE_OPTIONS_INIT                                                                             \
  { sizeof(tilec_image_options), {1, 1, 1}, 0 }

/* Makes a kernel of PTX or machine code, also of another compiler. Its launches need a grid, and one argument per
 * parameter, which must fit its size (tilec_kernel_param). Integers must be in range. A float fits 4 bytes (fp32) or 8
 * (fp64), a pointer 8, a tuple a struct by value: an item's dtype is its type. Types are not known: an integer for a
 * float parameter passes its bits, so give 2.0f. Parameters are named by their index. Set the options' threads.
 *   name: The entry, as in the PTX: mangled if C++ made it without extern "C"
 *   image: PTX text (no NUL is needed), a cubin or a fatbin; copied
 *   bytes: Its size
 *   TILEC_ERROR_INVALID_ARGUMENT: no such entry, or wrong options.
 *   TILEC_ERROR_NOT_SUPPORTED: PTX that the device does not support. A cubin on sim. Any image on eval. A driver older
 *     than CUDA 12.4, which cannot report the parameters. */
TILEC_API tilec_status tilec_kernel_from_image(tilec_device *device, const char *name, const void *image,
                                               size_t bytes, const tilec_image_options *options,
                                               tilec_kernel **kernel);

#ifdef __cplusplus
}
#endif

#endif
