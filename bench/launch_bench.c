// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's cost of a launch: compares tilec_launch with the bare cuLaunchKernel of the same PTX. With 4 and with 20
// arguments, and with three tensor maps, which tilec_launch makes and keeps: for one set of arguments, and for 32 that
// rotate. Median of 20,000 launches each, with a synchronisation every 100. The two alternate.
//
//   launch_bench bench/kernels/launch.py
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/median.h"
#include "tilec/tilec.h"

enum { LAUNCHES = 20000, GROUP = 100, MAX_ARGS = 20, MAPS = 3, MAP_BYTES = 128, SETS = 32, SET_BYTES = 64 };

typedef struct Driver {
  int (*init)(unsigned);
  int (*retain)(void **, int);
  int (*set_current)(void *);
  int (*load)(void **, const void *, unsigned, int *, void **);
  int (*function)(void **, void *, const char *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                void **);
  int (*synchronize)(void);
} Driver;

// One kernel, both ways.
typedef struct Work {
  tilec_kernel *kernel;
  void *function;
  unsigned threads;
  tilec_arg args[MAX_ARGS];
  uint64_t bits[MAX_ARGS];
  void *pointers[MAX_ARGS];
  size_t count;
  unsigned sets; // of arguments, that differ in the pointers; 1 or SETS
  unsigned set;  // the next launch's
  uint64_t base;
} Work;

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "launch_bench: %s failed: %s\n", what, tilec_last_error());
  exit(1);
}

static void *symbol(void *library, const char *name) {
  void *at = dlsym(library, name);
  must(at != NULL, name);
  return at;
}

static Driver open_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    puts("launch_bench: no CUDA driver here");
    exit(0);
  }
  static const char *const names[] = {"cuInit",           "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
                                      "cuModuleLoadDataEx", "cuModuleGetFunction",    "cuLaunchKernel",
                                      "cuCtxSynchronize"};
  void *found[sizeof names / sizeof *names];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) found[i] = symbol(library, names[i]);
  Driver driver;
  _Static_assert(sizeof driver == sizeof found, "a function for each name");
  memcpy(&driver, found, sizeof driver);
  return driver;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// pointers first: the buffer's address; then integers 1, 2, ... as the JIT
// gets them (17: not divisible by 16).
static void fill_arguments(Work *work, size_t pointers, size_t integers, uint64_t address) {
  work->count = pointers + integers;
  for (size_t i = 0; i < work->count; i++) {
    work->bits[i] = i < pointers ? address : 17 + i;
    work->args[i] = i < pointers ? tilec_arg_pointer(TILEC_FP32, address) : tilec_arg_int((int64_t)(17 + i));
    work->pointers[i] = &work->bits[i];
  }
}

// The same PTX, loaded by hand.
static void load_bare(const Driver *driver, Work *work, tilec_program *program, const char *name,
                      const char *signature) {
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  tilec_compiled *compiled = NULL;
  const char *ptx, *meta;
  void *module;
  options.kernel = name;
  options.signature = signature;
  must(tilec_compile(program, &options, &compiled) == TILEC_OK, "tilec_compile");
  must(tilec_compiled_output(compiled, TILEC_OUTPUT_PTX, &ptx, NULL) == TILEC_OK, "the PTX");
  must(tilec_compiled_output(compiled, TILEC_OUTPUT_META, &meta, NULL) == TILEC_OK, "the meta data");
  const char *threads = strstr(meta, "\"threads\":");
  must(threads && sscanf(threads, "\"threads\": %u", &work->threads) == 1, "reading the threads");
  must(driver->load(&module, ptx, 0, NULL, NULL) == 0, "cuModuleLoadDataEx");
  must(driver->function(&work->function, module, name) == 0, "cuModuleGetFunction");
  tilec_compiled_free(compiled);
}

static void next_set(Work *work) {
  if (work->sets < 2) return;
  work->set = (work->set + 1) % work->sets;
  uint64_t address = work->base + work->set * SET_BYTES;
  for (size_t i = 0; i < MAPS; i++) work->args[i] = tilec_arg_pointer(TILEC_FP16, work->bits[i] = address);
}

static void launch_tilec(const Driver *driver, Work *work) {
  (void)driver;
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.grid[0] = 1;
  next_set(work);
  must(tilec_launch(work->kernel, &options, work->args, work->count) == TILEC_OK, "tilec_launch");
}

static void launch_bare(const Driver *driver, Work *work) {
  next_set(work);
  must(driver->launch(work->function, 1, 1, 1, work->threads, 1, 1, 0, NULL, work->pointers, NULL) == 0,
       "cuLaunchKernel");
}

// Nanoseconds of each of GROUP launches, after which the device is waited for.
static void measure_group(const Driver *driver, Work *work, void (*launch)(const Driver *, Work *),
                          double *out) {
  for (int i = 0; i < GROUP; i++) {
    double start = now();
    launch(driver, work);
    out[i] = now() - start;
  }
  must(driver->synchronize() == 0, "cuCtxSynchronize");
}

static void measure_in_turn(const Driver *driver, Work *work, const char *what) {
  static double ours[LAUNCHES], bare[LAUNCHES];
  for (int i = 0; i < LAUNCHES; i += GROUP) {
    measure_group(driver, work, launch_tilec, ours + i);
    measure_group(driver, work, launch_bare, bare + i);
  }
  double x = median_of(ours, LAUNCHES), y = median_of(bare, LAUNCHES);
  printf("launch with %s: tilec_launch %.0f ns, cuLaunchKernel %.0f ns, ratio %.3f, difference "
         "%.0f ns\n",
         what, x, y, x / y, x - y);
}

static void measure_work(const Driver *driver, tilec_device *device, tilec_program *program, const char *name,
                         const char *signature, size_t pointers, size_t integers, uint64_t address) {
  char what[40];
  Work work = {0};
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.kernel = name;
  must(tilec_kernel_new(device, program, &options, &work.kernel) == TILEC_OK, "tilec_kernel_new");
  fill_arguments(&work, pointers, integers, address);
  load_bare(driver, &work, program, name, signature);
  launch_tilec(driver, &work); // compiles
  launch_bare(driver, &work);
  snprintf(what, sizeof what, "%zu arguments", work.count);
  measure_in_turn(driver, &work, what);
  tilec_kernel_free(work.kernel);
}

static const char maps_source[] =
    "module target = \"sm_90a\", num_warps = 8 { kernel @maps(%a: *fp16 {divisible16}, %b: *fp16 {divisible16}, "
    "%c: *fp16 {divisible16}, %m: i32, %n: i32, %k: i32, %s: i32 {divisible16}, %t: i32 {divisible16}, "
    "%u: i32 {divisible16})\n"
    "map %ma: tensor_map<fp16, box=[128, 64], swizzle=128, fill=zero> { %x = cast %m : i64 %y = cast %k : i64 "
    "%z = cast %s : i64 yield %a, %x, %y, %z }\n"
    "map %mb: tensor_map<fp16, box=[64, 64], swizzle=128, fill=zero> { %x = cast %k : i64 %y = cast %n : i64 "
    "%z = cast %t : i64 yield %b, %x, %y, %z }\n"
    "map %mc: tensor_map<fp16, box=[64, 64], swizzle=128, fill=zero> { %x = cast %m : i64 %y = cast %n : i64 "
    "%z = cast %u : i64 yield %c, %x, %y, %z }\n"
    "{ return } }\n";

static void fill_maps(Work *work, uint64_t address, void *maps) {
  static const int sizes[] = {4095, 4097, 4099, 4112, 4112, 4112};
  work->base = address;
  work->count = MAPS + sizeof sizes / sizeof *sizes;
  for (size_t i = 0; i < MAPS; i++) work->args[i] = tilec_arg_pointer(TILEC_FP16, work->bits[i] = address);
  for (size_t i = MAPS; i < work->count; i++)
    work->args[i] = tilec_arg_int((int64_t)(work->bits[i] = (uint64_t)sizes[i - MAPS]));
  for (size_t i = 0; i < work->count; i++) work->pointers[i] = &work->bits[i];
  for (size_t i = 0; i < MAPS; i++) work->pointers[work->count + i] = (char *)maps + i * MAP_BYTES;
}

// The bare launch passes maps that are made already.
static void measure_maps(const Driver *driver, tilec_device *device, uint64_t address) {
  static _Alignas(64) char maps[MAPS * MAP_BYTES];
  Work work = {.sets = 1};
  tilec_program *program;
  must(tilec_program_from_source("maps.tir", maps_source, strlen(maps_source), &program) == TILEC_OK, "the tile IR");
  must(tilec_kernel_new(device, program, NULL, &work.kernel) == TILEC_OK, "tilec_kernel_new");
  fill_maps(&work, address, maps);
  load_bare(driver, &work, program, "maps", NULL);
  launch_tilec(driver, &work); // compiles
  launch_bare(driver, &work);
  measure_in_turn(driver, &work, "3 tensor maps");
  work.sets = SETS;
  for (int i = 0; i < SETS; i++) launch_tilec(driver, &work);
  measure_in_turn(driver, &work, "3 tensor maps, 32 argument sets in turn");
  tilec_kernel_free(work.kernel);
  tilec_program_free(program);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fputs("usage: launch_bench KERNELS.py\n", stderr);
    return 2;
  }
  Driver driver = open_driver();
  void *context;
  must(driver.init(0) == 0 && driver.retain(&context, 0) == 0 && driver.set_current(context) == 0,
       "the CUDA context");
  tilec_device *device;
  tilec_program *program;
  tilec_buffer *buffer;
  must(tilec_device_open("cuda", &device) == TILEC_OK, "tilec_device_open");
  must(tilec_program_from_file(argv[1], &program) == TILEC_OK, "tilec_program_from_file");
  must(tilec_buffer_new(device, 4096, &buffer) == TILEC_OK, "tilec_buffer_new");
  uint64_t address = tilec_buffer_address(buffer);
  measure_work(&driver, device, program, "few", "a=*fp32:16,b=*fp32:16,c=*fp32:16,n=i32", 3, 1, address);
  measure_work(&driver, device, program, "many",
               "a=*fp32:16,b=*fp32:16,c=*fp32:16,d=*fp32:16,e=*fp32:16,f=*fp32:16,g=*fp32:16,h=*fp32:16,"
               "n0=i32,n1=i32,n2=i32,n3=i32,n4=i32,n5=i32,n6=i32,n7=i32,n8=i32,n9=i32,n10=i32,n11=i32",
               8, 12, address);
  measure_maps(&driver, device, address);
  tilec_buffer_free(buffer);
  tilec_program_free(program);
  tilec_device_close(device);
  return 0;
}
