// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --emit=header and --emit=object: compiles every kernel for every architecture and variant. Each image is a
// separate compile, equal to `tilec FILE --kernel NAME --arch SM --signature ...`.
#include <stdlib.h>
#include <unistd.h>

#include "runtime/compile/assemble.h"
#include "runtime/launch/tuned.h"
#include "aot/aot.h"
#include "tools/tool.h"

typedef struct AotRun {
  const Options *o;
  Arena *arena;
  Str text;
  Compilation first; // only parsed: the file's kernels and its imports
  AotFile file;
  ExitStatus status; // of the first failure
} AotRun;

// --- What is compiled ---

// True if an option asks for code that needs hidden parameters at launch.
static bool asks_for_hidden(const Target *target) {
  return target->tma == TMA_ON || target->warp_roles == WARP_ROLES_ON || target->persistent == PERSIST_ON ||
         target->epilogue == EPILOGUE_ON;
}

static tilec_status compile_code(const AotRun *run, Compilation *c, SpecLevel level) {
  PassReport report;
  PassRunOptions passes = tool_passes(run->o, &report);
  c->launched = level != SPEC_WHOLE || asks_for_hidden(&c->module->target);
  tilec_status status = compile_passes(c, &passes);
  tool_passes_end(&report);
  return status ? status : compile_codegen(c, &(CodegenOptions){.emit_ptx = true});
}

// --- Compiling ---

static void failed(AotRun *run, ExitStatus status) {
  if (run->status == EXIT_DONE) run->status = status;
}

// The next level to compile, for launches that this code does not serve. The same level: there is none.
static SpecLevel next_level(const Func *func, const AotHidden *hidden, SpecLevel level) {
  if (!hidden || level == SPEC_PLAIN) return level;
  return level == SPEC_WHOLE && func_asks_programs(func) ? SPEC_ALONE : SPEC_PLAIN;
}

// Keeps the image and steps to the next level. Tile IR that already has hidden parameters has no lower level.
static void keep_level(AotRun *run, AotKernel *k, const Compilation *c, const AotHidden *hidden,
                       SpecLevel *level) {
  AotImage image = aot_keep_image(run->arena, k, c);
  image.hidden = hidden;
  image.in_levels = hidden || *level != SPEC_WHOLE;
  if (!hidden || *level != SPEC_PLAIN) aot_add_image(run->arena, k, image);
  *level = next_level(c->module->funcs.at[0], hidden, *level);
}

// *level becomes the next level to compile. It stays the same if there is none.
static void compile_level(AotRun *run, uint32_t number, const TargetInfo *arch, const ImageFacts *variant,
                          SpecLevel *level) {
  AotKernel *k = &run->file.kernels.at[number];
  const AotHidden *hidden = NULL;
  Compilation c;
  Spec spec;
  compilation_init(&c);
  tilec_status status = tool_parse(&c, run->o->file, run->text);
  if (!status) status = tool_image_spec(&(ImageRequest){run->o, number, arch, *variant}, &c, &spec);
  if (!status) status = tuned_take(&c, NULL, &spec);
  if (!status) tool_lower_spec(&spec, *level);
  if (!status) status = compile_elaborate(&c, &spec);
  if (!status) status = compile_launchable(&c);
  if (!status && !k->params) {
    aot_keep_params(run->arena, k, c.module->funcs.at[0]);
    aot_keep_constexprs(run->arena, &run->file, k, c.module->funcs.at[0]);
  }
  if (!status) status = aot_check_constexprs(&c, k);
  if (!status && variant->none && !k->grid_function && !aot_grid(run->arena, c.module->funcs.at[0], k))
    status = TILEC_ERROR_COMPILE;
  if (!status) status = compile_code(run, &c, *level);
  if (!status) status = aot_keep_hidden(run->arena, &c, k, &hidden);
  if (!status) keep_level(run, k, &c, hidden, level);
  if (k->images.n <= 1 || status) failed(run, tool_report(run->o, &c, status)); // warnings once per kernel
  compilation_free(&c);
}

static void compile_image(AotRun *run, uint32_t number, const TargetInfo *arch, const ImageFacts *variant) {
  SpecLevel level = SPEC_WHOLE, compiled;
  do {
    compiled = level;
    compile_level(run, number, arch, variant, &level);
  } while (level != compiled && run->status == EXIT_DONE);
}

// The variant without facts comes first, so that code that is the same for all arguments is kept once.
static void compile_archs(AotRun *run, uint32_t number) {
  const Options *o = run->o;
  uint32_t count = o->archs.n ? o->archs.n : 1;
  for (uint32_t a = 0; a < count && run->status == EXIT_DONE; a++) {
    const TargetInfo *arch = o->archs.n ? o->archs.at[a] : NULL;
    compile_image(run, number, arch, &(ImageFacts){.none = true});
    if (run->first.is_tir) continue; // its only variant
    for (uint32_t i = 0; i < o->variants.n && run->status == EXIT_DONE; i++)
      compile_image(run, number, arch, &(ImageFacts){.text = o->variants.at[i]});
    if (run->status == EXIT_DONE) compile_image(run, number, arch, &(ImageFacts){0});
  }
}

// Numbers the facts that images need.
static void number_facts(AotRun *run, AotKernel *k) {
  int next = 0;
  for (uint32_t p = 0; p < k->param_count; p++)
    for (uint32_t i = 0; i < k->images.n; i++) {
      const ParamFacts *facts = &k->images.at[i].facts[p];
      if (facts->divisible16 && k->params[p].divisible16 < 0) k->params[p].divisible16 = next++;
      if (facts->equal1 && k->params[p].equal1 < 0) k->params[p].equal1 = next++;
    }
  if ((uint32_t)next > run->file.fact_count) run->file.fact_count = (uint32_t)next;
}

static bool is_on_path(const char *program) {
  const char *at = getenv("PATH");
  bool found = false;
  for (Buf file = {0}; at && *at && !found; at += strspn(at, ":")) {
    size_t n = strcspn(at, ":");
    buf_bytes(&file, at, n);
    buf_printf(&file, "/%s", program);
    found = access(file.at, X_OK) == 0;
    buf_free(&file);
    at += n;
  }
  return found;
}

static void add_cubins(AotRun *run, AotKernel *k) {
  for (uint32_t i = 0; i < k->images.n; i++) {
    Buf cubin = {0};
    const Target target = {.arch = k->images.at[i].arch};
    if (cubin_assemble(str_from(k->images.at[i].ptx), &target, &cubin))
      failed(run, tool_error("[T1007] %s: %s", k->name, tilec_last_error()));
    else
      k->images.at[i].cubin = (Str){arena_copy(run->arena, buf_view(&cubin)), cubin.n};
    buf_free(&cubin);
  }
}

// --- The file ---

static void add_kernel(AotRun *run, const char *name) {
  const AotKernel kernel = {.name = arena_copy(run->arena, str_from(name)),
                            .launcher = aot_launcher_name(run->arena, run->file.prefix, name)};
  for (uint32_t i = 0; i < run->file.kernels.n; i++)
    if (strcmp(run->file.kernels.at[i].launcher, kernel.launcher) == 0)
      failed(
          run,
          tool_error(
              "[T1006] the kernels '%s' and '%s' would both be launched by %s(); give another --aot-prefix",
              run->file.kernels.at[i].name, name, kernel.launcher));
  static const char *const own[] = {"load", "unload", "error", "status_name"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (strcmp(kernel.launcher, arena_printf(run->arena, "%s_aot_%s", run->file.prefix, own[i])) == 0)
      failed(run, tool_error(
                      "[T1006] the kernel '%s' has the name of the function %s(); give another --aot-prefix",
                      name, kernel.launcher));
  vec_push(run->arena, &run->file.kernels, kernel);
}

// The names of the kernels to compile.
static void list_kernels(AotRun *run) {
  Compilation *c = &run->first;
  Spec spec;
  SpecList list = {0};
  tilec_status status = tool_parse(c, run->o->file, run->text);
  if (!status) status = tool_spec(run->o, c, &spec);
  if (!status) status = tool_entries(run->o, c, &spec, &list);
  if (!status) status = tool_check_variants(c, run->o, &list);
  if (status) {
    failed(run, tool_report(run->o, c, status));
    return;
  }
  bool all_of_tir = c->is_tir && !spec.kernel;
  for (uint32_t i = 0; i < (all_of_tir ? c->module->funcs.n : list.n); i++) {
    const char *name = all_of_tir ? c->module->funcs.at[i]->name : list.at[i].kernel;
    if (!name) { // the file's only kernel
      KernelInfo *kernels;
      name = frontend_entries(&c->ir, c->syntax, &spec, &kernels) == 1 ? kernels[0].name : "";
    }
    const char *dot = strrchr(name, '.');
    add_kernel(run, dot ? dot + 1 : name);
  }
}

static void compile_file(AotRun *run) {
  bool cubins = run->o->cubins != CUBINS_OFF && is_on_path("ptxas");
  if (!cubins && run->o->cubins == CUBINS_ON)
    failed(run, tool_error("[T1007] --cubins on: there is no ptxas on PATH"));
  list_kernels(run);
  for (uint32_t i = 0; i < run->file.kernels.n && run->status == EXIT_DONE; i++) {
    compile_archs(run, i);
    if (run->status == EXIT_DONE) number_facts(run, &run->file.kernels.at[i]);
    if (run->status == EXIT_DONE && cubins) add_cubins(run, &run->file.kernels.at[i]);
  }
}

static Str stem_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return (Str){name, dot && dot != name ? (size_t)(dot - name) : strlen(name)};
}

static const char *with_suffix(Arena *arena, const char *path, const char *suffix) {
  Str stem = stem_of(path);
  return arena_printf(arena, "%.*s%s", (int)(stem.at + stem.n - path), path, suffix);
}

// Writes the header, and the object or the source. -o names the header or the object; the other file is next
// to it.
static bool write_files(AotRun *run, const char *const *outputs, const char *rule) {
  Buf header = {0}, source = {0}, object = {0};
  aot_print_header(&run->file, &header);
  aot_print_source(&run->file, &source);
  bool is_object = run->o->emit == EMIT_OBJECT;
  const char *all[] = {outputs[0], outputs[1], rule};
  bool good = files_apart(run->arena, run->o, &run->first, all, rule ? 3 : 2);
  if (is_object)
    good = good && aot_compile_object(run->file.header_name, buf_view(&header), buf_view(&source), &object);
  good = good && tool_write(outputs[0], buf_view(&header)) &&
         tool_write(outputs[1], buf_view(is_object ? &object : &source)) &&
         (!rule || tool_write_dependencies(&run->first, outputs, 2, rule));
  buf_free(&header);
  buf_free(&source);
  buf_free(&object);
  return good;
}

ExitStatus command_aot(const Options *o, Str text, Arena *arena) {
  const char *given = o->output ? o->output : tool_default_output(o, arena);
  if (strcmp(given, "-") == 0)
    return tool_error("[T1006] --emit=%s writes two files: name one of them with -o",
                      o->emit == EMIT_HEADER ? "header" : "object");
  const char *outputs[] = {with_suffix(arena, given, ".h"),
                           with_suffix(arena, given, o->emit == EMIT_HEADER ? ".c" : ".o")};
  if (strcmp(given, outputs[0]) != 0 && strcmp(given, outputs[1]) != 0)
    return tool_error("[T1006] --emit=%s writes '%s' and '%s': name one of them with -o, not '%s'",
                      o->emit == EMIT_HEADER ? "header" : "object", outputs[0], outputs[1], given);
  AotRun run = {.o = o, .arena = arena, .text = text, .status = EXIT_DONE};
  Str stem = stem_of(strcmp(o->file, "-") == 0 ? given : o->file);
  run.file.prefix = o->aot_prefix ? o->aot_prefix : aot_identifier(arena, stem);
  run.file.source = strcmp(o->file, "-") == 0 ? "standard input" : path_name(o->file);
  run.file.header_name = path_name(outputs[0]);
  compilation_init(&run.first);
  compile_file(&run);
  const char *rule = tool_dependencies_path(o, outputs[0], arena);
  if (run.status == EXIT_DONE && !write_files(&run, outputs, rule)) run.status = EXIT_DIAGNOSED;
  compilation_free(&run.first);
  return run.status;
}
