// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compile/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"
#include "base/sized.h"
#include "runtime/device/device.h"
#include "runtime/error.h"
#include "runtime/compile/imports.h"

// --- Errors ---

static tilec_status take_diags(Compilation *c, void *data) {
  (void)data;
  return error_diags(TILEC_OK, &c->diags);
}

tilec_status compilation_error(Compilation *c, tilec_status status) {
  if (status == TILEC_ERROR_COMPILE || (status == TILEC_ERROR_IO && c->diags.errors)) {
    tilec_status printed = compile_guard(c, take_diags, NULL);
    if (!printed) return status;
    status = printed;
  }
  return error_set(status, "%s", c->fault);
}

// --- Programs ---

void program_hold(tilec_program *program) { __atomic_add_fetch(&program->users, 1, __ATOMIC_RELAXED); }

static void free_files(ProgramFile *first) {
  for (ProgramFile *file = first, *next; file; file = next) {
    next = file->next;
    free(file->path);
    free(file->text);
    free(file->shown);
    free(file->shown_text);
    free(file);
  }
}

void tilec_program_free(tilec_program *program) {
  if (!program || __atomic_sub_fetch(&program->users, 1, __ATOMIC_ACQ_REL) > 0) return;
  free_files(program->files);
  free(program->name);
  free(program->text);
  free(program);
}

// Keeps a copy of the disk's text, so that every compilation sees the same text.
static ProgramFile *keep_file(tilec_program *program, Arena *arena, const char *path) {
  Str text = {0};
  bool found = program->reads && import_read_file(NULL, arena, path, &text, NULL);
  ProgramFile *file = calloc(1, sizeof *file);
  if (file) file->path = malloc(strlen(path) + 1);
  if (file && found) file->text = malloc(text.n + 1);
  if (!file || !file->path || (found && !file->text))
    fault_raise(FAULT_MEMORY, "out of memory (an imported file)");
  memcpy(file->path, path, strlen(path) + 1);
  if (found) memcpy(file->text, text.at, text.n + 1);
  file->bytes = text.n;
  file->next = program->files;
  return program->files = file;
}

static Shown shown_of(const ProgramFile *file) {
  return file->shown ? (Shown){file->shown, {file->shown_text, file->shown_bytes}} : (Shown){0};
}

static bool program_read(void *data, Arena *arena, const char *path, Str *text, Shown *shown) {
  tilec_program *program = data;
  const ProgramFile *file = program->files;
  while (file && strcmp(file->path, path) != 0) file = file->next;
  if (!file && program->reads) file = keep_file(program, arena, path);
  if (!file || !file->text) return false;
  *text = (Str){file->text, file->bytes};
  *shown = shown_of(file);
  return true;
}

tilec_status program_parse(const tilec_program *program, Compilation *c) {
  tilec_status status = compilation_init(c);
  c->reader = (ImportReader){program_read, (void *)(uintptr_t)program, program->reads};
  if (program->main) c->shown = shown_of(program->main);
  if (!status) status = compile_parse(c, program->name, (Str){program->text, program->bytes});
  return status ? compilation_error(c, status) : TILEC_OK;
}

// Takes ownership of `text`, malloc'ed, and `files`, on failure too. main: the file with that text. NULL:
// none.
static tilec_status program_make(const char *name, char *text, size_t bytes, ProgramFile *files,
                                 const ProgramFile *main, bool reads, tilec_program **program) {
  tilec_program *p = calloc(1, sizeof *p);
  size_t n = strlen(name) + 1;
  char *copy = malloc(n);
  if (!p || !copy) {
    free(p);
    free(copy);
    free(text);
    free_files(files);
    return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a program)");
  }
  memcpy(copy, name, n);
  *p = (tilec_program){
      .users = 1, .reads = reads, .files = files, .main = main, .name = copy, .text = text, .bytes = bytes};
  Compilation c;
  tilec_status status = program_parse(p, &c);
  compilation_free(&c);
  p->reads = false;
  if (status)
    tilec_program_free(p);
  else
    *program = p;
  return status;
}

// A copy followed by a NUL. NULL: out of memory.
static char *copy_bytes(const char *text, size_t bytes) {
  char *copy = bytes == SIZE_MAX ? NULL : malloc(bytes + 1);
  if (!copy) return NULL;
  if (bytes) memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  return copy;
}

tilec_status tilec_program_from_source(const char *name, const char *text, size_t bytes,
                                       tilec_program **program) {
  if (!name || !program || (!text && bytes))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "tilec_program_from_source: %s is NULL",
                     !name      ? "name"
                     : !program ? "program"
                                : "text");
  *program = NULL;
  char *copy = copy_bytes(text, bytes);
  if (!copy) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a program of %zu bytes)", bytes);
  return program_make(name, copy, bytes, NULL, NULL, false, program);
}

// A copy of a caller's source and of how it is shown (NULL: as itself). NULL: out of memory.
static ProgramFile *copy_source(const tilec_source *source, const tilec_source *shown, ProgramFile *next) {
  ProgramFile *file = calloc(1, sizeof *file);
  if (!file) return NULL;
  bool other = shown && shown->name;
  file->path = copy_bytes(source->name, strlen(source->name));
  file->text = copy_bytes(source->text, source->bytes);
  file->bytes = source->bytes;
  if (other) file->shown = copy_bytes(shown->name, strlen(shown->name));
  if (other && shown->text) {
    file->shown_text = copy_bytes(shown->text, shown->bytes);
    file->shown_bytes = shown->bytes;
  }
  if (!file->path || !file->text || (other && (!file->shown || (shown->text && !file->shown_text)))) {
    free_files(file);
    return NULL;
  }
  file->next = next;
  return file;
}

static tilec_status check_sources(const char *function, const tilec_source *sources, size_t count) {
  if (!sources || !count)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: there are no sources", function);
  for (size_t i = 0; i < count; i++)
    if (!sources[i].name || (!sources[i].text && sources[i].bytes))
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: sources[%zu].%s is NULL", function, i,
                       sources[i].name ? "text" : "name");
  return TILEC_OK;
}

static tilec_status from_sources(const char *function, const tilec_source *sources, const tilec_source *shown,
                                 size_t count, tilec_program **program) {
  if (!program) return null_argument(function, "program");
  *program = NULL;
  tilec_status status = check_sources(function, sources, count);
  if (status) return status;
  ProgramFile *files = NULL, *main = NULL;
  for (size_t i = 0; i < count; i++) {
    ProgramFile *file = copy_source(&sources[i], shown ? &shown[i] : NULL, files);
    if (!file) {
      free_files(files);
      return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a program of %zu sources)", count);
    }
    files = file;
    if (i == 0) main = file;
  }
  char *text = copy_bytes(sources[0].text, sources[0].bytes);
  if (!text) {
    free_files(files);
    return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a program)");
  }
  return program_make(sources[0].name, text, sources[0].bytes, files, main, false, program);
}

tilec_status tilec_program_from_sources(const tilec_source *sources, size_t count, tilec_program **program) {
  return from_sources("tilec_program_from_sources", sources, NULL, count, program);
}

tilec_status tilec_program_from_shown_sources(const tilec_source *sources, const tilec_source *shown,
                                              size_t count, tilec_program **program) {
  if (!shown && count) return null_argument("tilec_program_from_shown_sources", "shown");
  return from_sources("tilec_program_from_shown_sources", sources, shown, count, program);
}

// The file's bytes and a NUL. NULL with errno if it cannot be read.
static char *read_file(FILE *file, size_t *bytes) {
  size_t cap = 16384, n = 0;
  char *text = malloc(cap);
  while (text) {
    size_t got = fread(text + n, 1, cap - 1 - n, file);
    n += got;
    if (got == 0) break;
    if (n < cap - 1) continue;
    char *grown = realloc(text, cap *= 2);
    if (!grown) free(text);
    text = grown;
  }
  if (!text) {
    errno = ENOMEM;
  } else if (ferror(file)) {
    free(text);
    return NULL;
  } else {
    text[n] = '\0';
    *bytes = n;
  }
  return text;
}

tilec_status tilec_program_from_file(const char *path, tilec_program **program) {
  if (!path || !program)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "tilec_program_from_file: %s is NULL",
                     path ? "program" : "path");
  *program = NULL;
  if (import_is_irregular(path))
    return error_set(TILEC_ERROR_IO, "cannot read %s: it is not a regular file", path);
  FILE *file = fopen(path, "rb");
  if (!file) return error_set(TILEC_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
  size_t bytes = 0;
  char *text = read_file(file, &bytes);
  int reason = errno;
  fclose(file);
  if (!text && reason == ENOMEM)
    return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (reading %s)", path);
  if (!text) return error_set(TILEC_ERROR_IO, "cannot read %s: %s", path, strerror(reason));
  return program_make(path, text, bytes, NULL, NULL, true, program);
}

// --- Choosing the kernel ---

typedef struct KernelSearch {
  const Spec *spec; // for module-level names
  const char *name;
  const KernelInfo *info;
} KernelSearch;

// The information in a function of .tir text.
static const KernelInfo *tir_info(Compilation *c, const Func *func) {
  KernelInfo *info = ARENA_NEW(&c->arena, KernelInfo);
  *info = (KernelInfo){.name = func->name,
                       .loc = func->loc,
                       .param_count = func_visible_params(func),
                       .has_grid = func_host(func, HOST_GRID, NULL) != NULL};
  info->params = ARENA_ARRAY(&c->arena, KernelParam, info->param_count);
  for (uint32_t i = 0; i < info->param_count; i++)
    info->params[i] =
        (KernelParam){.name = func->params[i].name, .type = func->params[i].type, .loc = func->params[i].loc};
  return info;
}

static const KernelInfo *tir_kernel(Compilation *c, const char *name) {
  for (uint32_t i = 0; i < c->module->funcs.n; i++)
    if (name ? strcmp(c->module->funcs.at[i]->name, name) == 0 : c->module->funcs.n == 1)
      return tir_info(c, c->module->funcs.at[i]);
  diag_error(&c->diags, LOC_NONE,
             name ? "[T1004] the file has no function '%s'"
                  : "[T1004] the file has several functions%s; name one",
             name ? name : "");
  return NULL;
}

static tilec_status find_kernel(Compilation *c, void *data) {
  KernelSearch *search = data;
  if (c->is_tir) {
    search->info = tir_kernel(c, search->name);
    return c->diags.errors ? TILEC_ERROR_COMPILE : TILEC_OK;
  }
  if (search->name) {
    search->info = frontend_kernel(&c->ir, c->syntax, search->spec, ir_name(&c->ir, str_from(search->name)));
    if (!search->info && !c->diags.errors) frontend_no_kernel(&c->ir, c->syntax, search->name);
    return c->diags.errors ? TILEC_ERROR_COMPILE : TILEC_OK;
  }
  KernelInfo *kernels;
  uint32_t count = frontend_entries(&c->ir, c->syntax, search->spec, &kernels);
  if (c->diags.errors) return TILEC_ERROR_COMPILE;
  if (count == 1) {
    search->info = &kernels[0];
    return TILEC_OK;
  }
  if (count == 0) {
    frontend_no_kernel(&c->ir, c->syntax, NULL);
    return TILEC_ERROR_COMPILE;
  }
  Diag *error = diag_error(&c->diags, LOC_NONE, "[T1004] the file has %u kernels; name one", count);
  for (uint32_t i = 0; i < count; i++)
    diag_note(&c->diags, error, kernels[i].loc, "'%s' is declared here", kernels[i].path);
  return TILEC_ERROR_COMPILE;
}

tilec_status program_kernel(Compilation *c, const char *name, const Spec *spec, const KernelInfo **info) {
  KernelSearch search = {.name = name, .spec = spec};
  tilec_status status = compile_guard(c, find_kernel, &search);
  *info = search.info;
  return status ? compilation_error(c, status) : TILEC_OK;
}

// --- Options ---

static tilec_status check_ranges(const tilec_compile_options *o) {
  int w = o->num_warps;
  if (w < 0 || w > NUM_WARPS_MAX || (w & (w - 1)) != 0)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "num_warps is %d; it must be a power of two, 1 .. %d", w,
                     NUM_WARPS_MAX);
  if (o->num_stages < 0 || o->num_stages > NUM_STAGES_MAX)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "num_stages is %d; it must be 1 .. %d", o->num_stages,
                     NUM_STAGES_MAX);
  if (o->maxnreg < 0 || o->maxnreg > MAXNREG_MAX)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "maxnreg is %d; it must be 1 .. %d", o->maxnreg,
                     MAXNREG_MAX);
  if ((int)o->fp32_dot < 0 || o->fp32_dot > TILEC_FP32_DOT_BF16X6)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "fp32_dot is %d, which is not a tilec_fp32_dot",
                     (int)o->fp32_dot);
  if ((int)o->tma < 0 || o->tma > TILEC_TMA_LAUNCHED)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "tma is %d, which is not a tilec_tma", (int)o->tma);
  if ((int)o->warp_specialize < 0 || o->warp_specialize > TILEC_WARP_SPECIALIZE_OFF)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "warp_specialize is %d, which is not a tilec_warp_specialize", (int)o->warp_specialize);
  if ((int)o->epilogue < 0 || o->epilogue > TILEC_EPILOGUE_OFF)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "epilogue is %d, which is not a tilec_epilogue",
                     (int)o->epilogue);
  if ((int)o->persistent < 0 || o->persistent > TILEC_PERSISTENT_OFF)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "persistent is %d, which is not a tilec_persistent",
                     (int)o->persistent);
  if (o->define_count && !o->defines)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "defines is NULL, define_count %zu", o->define_count);
  for (size_t i = 0; i < o->define_count; i++)
    if (!o->defines[i]) return error_set(TILEC_ERROR_INVALID_ARGUMENT, "defines[%zu] is NULL", i);
  Target target;
  uint32_t count;
  if (o->arch && !target_parse_arch(str_from(o->arch), &target))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "'%.32s' is not an architecture; %s and newer are supported", o->arch,
                     target_list(&count)->name);
  return TILEC_OK;
}

tilec_status options_check(const tilec_compile_options *options, tilec_compile_options *out) {
  *out = (tilec_compile_options)TILEC_COMPILE_OPTIONS_INIT;
  if (!options) return TILEC_OK;
  if (!sized_take(out, sizeof *out, options))
    return error_options("TILEC_COMPILE_OPTIONS_INIT", options->size);
  return check_ranges(out);
}

static void options_target(const tilec_compile_options *o, Spec *spec) {
  Target *target = &spec->target;
  if (o->arch) target_parse_arch(str_from(o->arch), target);
  if (o->num_warps) target->num_warps = (uint16_t)o->num_warps;
  if (o->num_stages) target->num_stages = (uint16_t)o->num_stages;
  if (o->maxnreg) target->maxnreg = (uint16_t)o->maxnreg;
  spec->arch_given = o->arch != NULL;
  spec->num_warps_given = o->num_warps != 0;
  spec->num_stages_given = o->num_stages != 0;
  spec->maxnreg_given = o->maxnreg != 0;
  target->fp32_dot = (Fp32Dot)o->fp32_dot;
  spec->fp32_dot_given = o->fp32_dot != TILEC_FP32_DOT_IEEE;
  target->fp_contract = !o->no_fp_contract;
  if (o->no_optimize) target->opt_level = 0;
  target->debug = o->debug != 0;
  target->overlap = o->overlap != 0;
  target->fast_math = o->fast_math != 0;
  target->restrict_pointers = o->restrict_pointers != 0;
  target->tma = o->tma == TILEC_TMA_LAUNCHED ? TMA_AUTO : (TmaUse)o->tma;
  target->warp_roles = (WarpRoles)o->warp_specialize;
  target->epilogue = (EpilogueUse)o->epilogue;
  target->persistent = (PersistUse)o->persistent;
}

tilec_status spec_own_kernel(Compilation *c, void *data) {
  Spec *spec = data;
  if (spec->kernel) spec->kernel = ir_name(&c->ir, str_from(spec->kernel));
  return TILEC_OK;
}

tilec_status options_spec(Compilation *c, const tilec_compile_options *o, const tilec_device *device,
                          Spec *spec) {
  *spec = (Spec){.kernel = o->kernel, .target = device ? device->target : target_default()};
  options_target(o, spec);
  spec->arch_given |= device && device->is_gpu;
  tilec_status status = compile_guard(c, spec_own_kernel, spec);
  if (!status && o->signature) status = compile_signature(c, o->signature, spec);
  for (size_t i = 0; i < o->define_count && !status; i++) status = compile_define(c, o->defines[i], spec);
  return status ? compilation_error(c, status) : TILEC_OK;
}
