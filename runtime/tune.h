/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * tilec: finds a kernel's fastest configuration for given arguments, like the command `tilec tune`
 * (docs/tune.md). The compiler's model predicts each configuration's time and ranks them. The first ones are
 * compiled on all cores and measured. The best is kept in the cache on disk, for kernels that are made later.
 *
 * ```
 *   #include <tilec/tune.h>
 *
 *   static const char *const blocks[] = {"256", "512", "1024"}, *const warps[] = {"4", "8"};
 *
 *   const tilec_tune_range ranges[] = {{"BLOCK", 0, blocks, 3}, {"num_warps", 1, warps, 2}};
 *
 *   tilec_tune_options options = TILEC_TUNE_OPTIONS_INIT;
 *   options.ranges = ranges;
 *   options.range_count = 2;
 *
 *   tilec_tuning *tuning = NULL;
 *   tilec_status status = tilec_tune(device, program, NULL, &options, args, 4, &tuning);
 *
 *   if (!status) {
 *     tilec_configuration best = TILEC_CONFIGURATION_INIT;
 *
 *     if (!tilec_tuning_configuration(tuning, 0, &best)) printf("%s: %g s\n", best.text, best.seconds);
 *   }
 *   tilec_tuning_free(tuning); // the configuration stays kept
 * ```
 *
 * Errors, threads, lifetime and growing structs follow the rules at the head of tilec.h. Nothing is printed.
 */
#ifndef TILEC_TUNE_H
#define TILEC_TUNE_H

#include <tilec/tilec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values to try for a constexpr parameter or an option. Used in arrays, so it does not grow. */
typedef struct tilec_tune_range {
  const char *name;          /* "BLOCK"; for an option "num_warps", "num_stages" or "maxnreg" */
  int is_option;             /* 1: it is one of these three options */
  const char *const *values; /* as after the '=' in `defines`: "128", "fp16"; for an option a valid number */
  size_t count;              /* 1 or more */
} tilec_tune_range;

/* One configuration of a list, with its own grid. Used in arrays, so it does not grow. */
typedef struct tilec_tune_listed {
  const tilec_tune_range *settings; /* values[0] of each is used */
  size_t count;                     /* of settings */
  int64_t grid[3];                  /* grid[0] 0: the grid of the options */
} tilec_tune_listed;

/* The steps of a search, in order. */
typedef enum tilec_tune_step {
  TILEC_TUNE_PREDICTING = 0, /* done, all: configurations */
  TILEC_TUNE_COMPILING = 1,  /* only those to be measured */
  TILEC_TUNE_MEASURING = 2   /* rounds of one configuration */
} tilec_tune_step;

/* What the progress callback gets. It is valid during the call. */
typedef struct tilec_tune_progress {
  size_t size; /* as the library has it; an older library has no fields beyond it */
  tilec_tune_step step;
  size_t done, all;    /* of the step */
  double seconds_left; /* of the step, estimated */
  const char *best; /* settings of the fastest so far, "BLOCK=512 num_warps=4"; NULL: none is measured yet */
  double best_seconds; /* of a launch with it */
} tilec_tune_progress;

/* Options of the search. Begin with TILEC_TUNE_OPTIONS_INIT. A zero means the default. */
typedef struct tilec_tune_options {
  size_t size; /* set by the initialiser */
  /* The space: all combinations of the ranges, each combined with the list. The list is `configurations`, or
     else the kernel's @autotune. If there are neither ranges nor a list, the space has one configuration. */
  const tilec_tune_range *ranges;
  size_t range_count; /* of ranges */
  /* Number of programs of a launch. If grid[0] is -1, grid_text is used: "cdiv(n, BLOCK), m", expressions
     over the kernel's parameters as in @grid. If that is NULL too, the kernel's @grid is used */
  int64_t grid[3];
  const char *grid_text; /* see `grid` */
  size_t top;            /* how many of the best ranked are measured; 0: a tenth, at least 4 */
  int predict;           /* 1: the configurations are only ranked; nothing is launched or kept */
  int no_keep;           /* 1: the result is reported, not kept */
  /* An early end. The results so far are then the result. */
  double timeout;    /* total seconds; 0: no limit */
  const int *cancel; /* NULL, or a flag that another thread or a signal handler sets to a nonzero value */
  /* NULL, or a callback after each step. It runs on the working threads, one at a time. It must not use the
     program, device or arguments. A nonzero result: no further step is started */
  int (*progress)(void *progress_data, const tilec_tune_progress *progress);
  void *progress_data;       /* passed to `progress` */
  uint64_t max_instructions; /* as in tilec_launch_options, for each launch */
  uint32_t max_programs;     /* as in tilec_launch_options */
  /* A list of configurations, instead of @autotune's. Values given by `compile` or a range take precedence. */
  const tilec_tune_listed *configurations;
  size_t configuration_count; /* of configurations */
  /* Names of parameters whose buffers are set to zero, or to their initial contents, before each round of a
     configuration. Those of @autotune are added. */
  const char *const *reset_to_zero; /* set to zero */
  size_t reset_count;               /* of reset_to_zero */
  const char *const *restore_value; /* set to their initial contents */
  size_t restore_count;             /* of restore_value */
  const char *lock; /* NULL, or a file that gets the best configuration as text; with `predict` too */
} tilec_tune_options;

/* A tilec_tune_options with the defaults, and its size. */
#define TILEC_TUNE_OPTIONS_INIT                                                                              \
  {                                                                                                          \
    sizeof(tilec_tune_options), NULL, 0, {-1, 1, 1}, NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, NULL, 0,      \
        NULL, 0, NULL, 0, NULL                                                                               \
  }

/* The result of a tuning. */
typedef struct tilec_tuning tilec_tuning;

/*
 * Finds the fastest configuration of a kernel for given arguments.
 *
 * The arguments' memory is read and never written. The measured launches run on copies. There are enough copies
 * to exceed the L2 cache together. Pointers must point into tilec_buffers of the device (tilec_buffer_wrap makes
 * one of any memory), or be DLPack tensors. Memory that a kernel reaches by addresses in memory is not copied.
 *
 * If `cancel`, `timeout` or `progress` of the options ends it, the result is TILEC_OK, and
 * tilec_tuning_summary.interrupted is 1.
 *   compile: As for tilec_kernel_new, also NULL. Its constexprs and options are fixed for all configurations, and its
 *     log is not called
 *   options: NULL: the configurations of the kernel's @autotune
 *   args: As for tilec_launch
 *   arg_count: The number of args
 *   TILEC_ERROR_INVALID_ARGUMENT: invalid ranges or options, arguments that do not fit, or a pointer into no buffer.
 *   TILEC_ERROR_COMPILE: no configuration works. tilec_last_error() has the first one's reason.
 *   TILEC_ERROR_NOT_SUPPORTED: on eval, which runs uncompiled IR, or for .tir text, which has one configuration.
 *   TILEC_ERROR_LAUNCH: on cuda, a launch has made the context unusable.
 */
TILEC_API tilec_status tilec_tune(tilec_device *device, tilec_program *program,
                                  const tilec_compile_options *compile, const tilec_tune_options *options,
                                  const tilec_arg *args, size_t arg_count, tilec_tuning **tuning);

/* Releases a result, with its strings. NULL is allowed. */
TILEC_API void tilec_tuning_free(tilec_tuning *tuning);

/* The result as a whole. */
typedef struct tilec_tuning_summary {
  size_t size;           /* set by the initialiser */
  const char *kernel;    /* its name; strings live as long as the tuning */
  const char *device;    /* the device of the measurements */
  const char *arch;      /* the architecture of the compiles */
  size_t configurations; /* of the space */
  size_t failed;         /* number of configurations that do not work */
  size_t measured;       /* number of configurations measured at least once */
  size_t remarks;        /* number for tilec_tuning_remark */
  int interrupted;       /* 1: ended early */
  int kept;              /* 1: the best is in the cache */
  int predicted; /* 1: the model knows this card's times; 0: configurations without a measurement keep the
                    given order */
} tilec_tuning_summary;

/* An empty tilec_tuning_summary, with its size. */
#define TILEC_TUNING_SUMMARY_INIT                                                                            \
  { sizeof(tilec_tuning_summary), NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0 }

/* Reads the result as a whole: how many configurations there were, worked and were measured. */
TILEC_API tilec_status tilec_tuning_get_summary(const tilec_tuning *tuning, tilec_tuning_summary *summary);

/* One configuration, with its measured and its predicted time. */
typedef struct tilec_configuration {
  size_t size;            /* set by the initialiser */
  const char *text;       /* "BLOCK=512 num_warps=4"; strings live as long as the tuning */
  size_t settings;        /* number for tilec_tuning_setting */
  const char *error;      /* why it does not work, or could not be measured; NULL: it works */
  double seconds;         /* of a launch: the median of its rounds; 0: not measured */
  uint32_t rounds;        /* number of measured rounds */
  double predicted;       /* seconds; 0: not known */
  const char *bottleneck; /* of the prediction: "memory", "tensor cores"; NULL: not known */
  uint32_t registers;     /* per thread, estimated */
  uint32_t shared_bytes;  /* per CTA */
  uint32_t blocks;        /* CTAs that fit on one multiprocessor, estimated */
} tilec_configuration;

/* An empty tilec_configuration, with its size. */
#define TILEC_CONFIGURATION_INIT                                                                             \
  { sizeof(tilec_configuration), NULL, 0, NULL, 0, 0, 0, NULL, 0, 0, 0 }

/* Reads one configuration of the result, with its times.
 *   index: The best has 0. Those that do not work come last.
 *   TILEC_ERROR_INVALID_ARGUMENT: an index beyond tilec_tuning_summary.configurations. */
TILEC_API tilec_status tilec_tuning_configuration(const tilec_tuning *tuning, size_t index,
                                                  tilec_configuration *configuration);

/* One value of a configuration. Texts live as long as the tuning. */
typedef struct tilec_tune_setting {
  size_t size;              /* set by the initialiser */
  const char *name, *value; /* "BLOCK", "512" */
  int is_option;            /* 1: num_warps, num_stages or maxnreg */
} tilec_tune_setting;

/* An empty tilec_tune_setting, with its size. */
#define TILEC_TUNE_SETTING_INIT                                                                              \
  { sizeof(tilec_tune_setting), NULL, NULL, 0 }

/* Reads one value of a configuration: a constexpr for tilec_compile_options.defines, or an option.
 *   configuration: Its index, from 0
 *   index: Number of the value, from 0. tilec_configuration.settings says how many there are.
 *   TILEC_ERROR_INVALID_ARGUMENT: an index beyond the counts. */
TILEC_API tilec_status tilec_tuning_setting(const tilec_tuning *tuning, size_t configuration, size_t index,
                                            tilec_tune_setting *setting);

/* Returns a remark: a part of @autotune that was not applied, with its location. NULL beyond the last.
 *   index: From 0 */
TILEC_API const char *tilec_tuning_remark(const tilec_tuning *tuning, size_t index);

/* ------------------------------------------------------------ Kept results */

/*
 * Looks up the kept result for such arguments, from tilec_tune, tilec_tune_keep or the command. A result is found for
 * the same text of the program's first source, kernel, types, values in @autotune's key, values in `compile`, and
 * device (docs/tune.md). The errors are those of tilec_tune for `compile` and the arguments.
 *   compile: As for tilec_tune
 *   args: As for tilec_launch. Only types and values are read: pointers may point anywhere
 *   arg_count: The number of args
 *   found: Set to a tuning of one configuration, with the time of its measurement, or to NULL if nothing is kept. The
 *     caller releases it with tilec_tuning_free
 */
TILEC_API tilec_status tilec_tune_find(tilec_device *device, tilec_program *program,
                                       const tilec_compile_options *compile, const tilec_arg *args,
                                       size_t arg_count, tilec_tuning **found);

/* Keeps a measurement of the caller for such arguments. The other errors are those of tilec_tune_find.
 *   compile: As for tilec_tune
 *   settings: The configuration; values[0] of each is used
 *   setting_count: The number of settings
 *   seconds: Time of a launch
 *   args: As for tilec_tune_find
 *   arg_count: The number of args
 *   kept: Set to 1, or to 0 if no working cache exists; may be NULL
 *   TILEC_ERROR_INVALID_ARGUMENT: seconds that are not above 0, or invalid settings. */
TILEC_API tilec_status tilec_tune_keep(tilec_device *device, tilec_program *program,
                                       const tilec_compile_options *compile, const tilec_tune_range *settings,
                                       size_t setting_count, double seconds, const tilec_arg *args,
                                       size_t arg_count, int *kept);

#ifdef __cplusplus
}
#endif

#endif
