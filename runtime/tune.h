/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * tilec: finds a kernel's fastest configuration for given arguments, as the command `tilec tune` does (docs/tune.md): all
 * configurations are ranked by the time that the compiler's model predicts, those ranked first are compiled on all cores
 * and measured, and the best is kept in the cache on disk, for kernels that are made later.
 *
 *   #include <tilec/tune.h>
 *
 *   static const char *const blocks[] = {"256", "512", "1024"}, *const warps[] = {"4", "8"};
 *   const tilec_tune_range ranges[] = {{"BLOCK", 0, blocks, 3}, {"num_warps", 1, warps, 2}};
 *   tilec_tune_options options = TILEC_TUNE_OPTIONS_INIT;
 *   options.ranges = ranges;
 *   options.range_count = 2;
 *   tilec_tuning *tuning = NULL;
 *   tilec_status status = tilec_tune(device, program, NULL, &options, args, 4, &tuning);
 *   if (!status) {
 *     tilec_configuration best = TILEC_CONFIGURATION_INIT;
 *     if (!tilec_tuning_configuration(tuning, 0, &best)) printf("%s: %g s\n", best.text, best.seconds);
 *   }
 *   tilec_tuning_free(tuning);
 *
 * Errors, threads, lifetime and growing structs are as tilec.h says at its head. Nothing is printed.
 */
#ifndef TILEC_TUNE_H
#define TILEC_TUNE_H

#include <tilec/tilec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values that are tried of a constexpr parameter, or of an option. Given in arrays, it does not grow. */
typedef struct tilec_tune_range {
  const char *name; /* "BLOCK"; of an option "num_warps", "num_stages" or "maxnreg" */
  int is_option;    /* 1: it is one of these three */
  const char *const
      *values;  /* as in `defines` behind the '=': "128", "fp16"; of an option a number that it may have */
  size_t count; /* 1 or more */
} tilec_tune_range;

/* One configuration of a list, with a grid of its own. Given in arrays, it does not grow. */
typedef struct tilec_tune_listed {
  const tilec_tune_range *settings; /* of each values[0] */
  size_t count;
  int64_t grid[3]; /* grid[0] 0: the options' */
} tilec_tune_listed;

typedef enum tilec_tune_step {
  TILEC_TUNE_PREDICTING = 0, /* done, all: configurations */
  TILEC_TUNE_COMPILING = 1,  /* of them those that are to be measured */
  TILEC_TUNE_MEASURING = 2   /* rounds of one configuration */
} tilec_tune_step;

typedef struct tilec_tune_progress {
  size_t size; /* as the library has it: what is beyond is not there */
  tilec_tune_step step;
  size_t done, all;    /* of the step */
  double seconds_left; /* of the step, about */
  const char
      *best; /* the settings of the fastest so far, "BLOCK=512 num_warps=4"; NULL: none is measured yet */
  double best_seconds; /* of a launch with it */
} tilec_tune_progress;

/* How is searched. Begin with TILEC_TUNE_OPTIONS_INIT; a zero means the default. */
typedef struct tilec_tune_options {
  size_t size; /* set by the initialiser */
  /* The space: all combinations, those of `configurations`, or where there are none of the kernel's @autotune (where it has
     one), with each of these. Without either there is one configuration. */
  const tilec_tune_range *ranges;
  size_t range_count;
  /* Programs of a launch: grid[0] -1: grid_text, "cdiv(n, BLOCK), m", expressions over the kernel's parameters as @grid
     takes them, or where that is NULL the kernel's @grid */
  int64_t grid[3];
  const char *grid_text;
  size_t top;  /* how many of those ranked first are measured; 0: a tenth, and no fewer than 4 */
  int predict; /* 1: the configurations are only ranked: nothing is launched, and nothing kept */
  int no_keep; /* 1: what is found is only told */
  /* The end before the end: what is known then is the result. */
  double timeout;    /* seconds of all together; 0: no limit */
  const int *cancel; /* NULL, or what another thread or a signal handler makes other than 0 */
  /* NULL, or what is called after each step, from the threads that work, by one at a time. It may not use the program, device
     or arguments. Other than 0: no further step is begun. */
  int (*progress)(void *progress_data, const tilec_tune_progress *progress);
  void *progress_data;
  uint64_t max_instructions; /* as tilec_launch_options says, of each launch */
  uint32_t max_programs;     /* so too */
  /* A list of configurations, in the place of @autotune's. What `compile` or a range gives stands in it. */
  const tilec_tune_listed *configurations;
  size_t configuration_count;
  /* Names of parameters whose buffers are set to zero, or to what was given, before each round of a configuration, beside
     those of @autotune. */
  const char *const *reset_to_zero;
  size_t reset_count;
  const char *const *restore_value;
  size_t restore_count;
} tilec_tune_options;

#define TILEC_TUNE_OPTIONS_INIT                                                                              \
  { sizeof(tilec_tune_options), NULL, 0, {-1, 1, 1}, NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0,               \
    NULL, 0, NULL, 0, NULL, 0 }

/* What a tuning found. */
typedef struct tilec_tuning tilec_tuning;

/*
 * Tunes a kernel of the program for `arg_count` arguments, as tilec_launch takes them. `compile`, which may be NULL, is as for
 * tilec_kernel_new; its constexprs and options stand for all configurations, and its log is not called.
 *
 * The arguments' memory is read and never written: what is measured are launches on copies of it, so many that together they
 * are larger than the L2 cache. Pointers have to lead into tilec_buffers of the device (tilec_buffer_wrap makes one of any
 * memory), or come as DLPack tensors. What a kernel reaches by addresses that it reads from memory is not copied.
 *
 *   TILEC_ERROR_INVALID_ARGUMENT  ranges or options that cannot be, arguments that do not fit, a pointer that leads nowhere
 *   TILEC_ERROR_COMPILE           no configuration can be had: tilec_last_error() has the first one's reason
 *   TILEC_ERROR_NOT_SUPPORTED     on eval, which runs what is not compiled; of .tir text, which has one configuration
 *   TILEC_ERROR_LAUNCH            on cuda, where a launch has made the context unusable
 * Ended by `cancel`, `timeout` or `progress` it is TILEC_OK, and tilec_tuning_summary.interrupted 1.
 */
TILEC_API tilec_status tilec_tune(tilec_device *device, tilec_program *program,
                                  const tilec_compile_options *compile, const tilec_tune_options *options,
                                  const tilec_arg *args, size_t arg_count, tilec_tuning **tuning);

TILEC_API void tilec_tuning_free(tilec_tuning *tuning);

typedef struct tilec_tuning_summary {
  size_t size;           /* set by the initialiser */
  const char *kernel;    /* its name; texts live as long as the tuning */
  const char *device;    /* where it was measured */
  const char *arch;      /* what was compiled for */
  size_t configurations; /* of the space */
  size_t failed;         /* of them cannot be had */
  size_t measured;       /* of them were measured, once at least */
  size_t remarks;        /* how many tilec_tuning_remark has */
  int interrupted;       /* 1: it was ended before its end */
  int kept;              /* 1: the best is in the cache */
  int predicted; /* 1: the card is one whose times the model knows; 0: without a measurement the order is as given */
} tilec_tuning_summary;

#define TILEC_TUNING_SUMMARY_INIT                                                                            \
  { sizeof(tilec_tuning_summary), NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0 }

/* Fills *summary, whose size is set. */
TILEC_API tilec_status tilec_tuning_get_summary(const tilec_tuning *tuning, tilec_tuning_summary *summary);

typedef struct tilec_configuration {
  size_t size;            /* set by the initialiser */
  const char *text;       /* "BLOCK=512 num_warps=4"; texts live as long as the tuning */
  size_t settings;        /* how many tilec_tuning_setting has */
  const char *error;      /* why it cannot be had, or could not be measured; NULL: it can */
  double seconds;         /* of a launch: the median of its rounds; 0: it was not measured */
  uint32_t rounds;        /* that it was measured in */
  double predicted;       /* seconds; 0: not known */
  const char *bottleneck; /* of the prediction: "memory", "tensor cores"; NULL: not known */
  uint32_t registers;     /* a thread, estimated */
  uint32_t shared_bytes;  /* a block */
  uint32_t blocks;        /* that a multiprocessor holds, estimated */
} tilec_configuration;

#define TILEC_CONFIGURATION_INIT                                                                             \
  { sizeof(tilec_configuration), NULL, 0, NULL, 0, 0, 0, NULL, 0, 0, 0 }

/* Fills *configuration, whose size is set: 0 is the best; those that cannot be had come last. An index beyond
 * tilec_tuning_summary.configurations is TILEC_ERROR_INVALID_ARGUMENT. */
TILEC_API tilec_status tilec_tuning_configuration(const tilec_tuning *tuning, size_t index,
                                                  tilec_configuration *configuration);

typedef struct tilec_tune_setting {
  size_t size; /* set by the initialiser */
  const char *name, *value;
  int is_option;
} tilec_tune_setting;

#define TILEC_TUNE_SETTING_INIT                                                                              \
  { sizeof(tilec_tune_setting), NULL, NULL, 0 }

/* One value of a configuration: a constexpr's for tilec_compile_options.defines, or an option's. */
TILEC_API tilec_status tilec_tuning_setting(const tilec_tuning *tuning, size_t configuration, size_t index,
                                            tilec_tune_setting *setting);

/* What of @autotune was not applied, with its place; NULL beyond the last. */
TILEC_API const char *tilec_tuning_remark(const tilec_tuning *tuning, size_t index);

/* ------------------------------------------------------------ What is kept */

/*
 * What is kept for such arguments, by tilec_tune, tilec_tune_keep or the command: *found has one configuration then, with the time
 * that it was found with, and is NULL where nothing is. What it hangs on is in docs/tune.md: the text of the program's first
 * source, the kernel, types, the values that @autotune's key names, what `compile` gives, and the device. Of the arguments only
 * types and values are read: pointers may lead anywhere. The errors are tilec_tune's for `compile` and the arguments.
 */
TILEC_API tilec_status tilec_tune_find(tilec_device *device, tilec_program *program, const tilec_compile_options *compile,
                                       const tilec_arg *args, size_t arg_count, tilec_tuning **found);

/* Keeps what the caller has measured: settings[i].values[0] of each, and the seconds of a launch. *kept (NULL: nobody asks) is
 * 0 where there is no cache that serves. */
TILEC_API tilec_status tilec_tune_keep(tilec_device *device, tilec_program *program, const tilec_compile_options *compile,
                                       const tilec_tune_range *settings, size_t setting_count, double seconds,
                                       const tilec_arg *args, size_t arg_count, int *kept);

#ifdef __cplusplus
}
#endif

#endif
