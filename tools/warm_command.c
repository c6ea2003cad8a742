// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec warm: compiles the kernels of a file or of a list, as libtilec's launches do, into a bundle. Packs the
// folder of a recorded run (TILEC_RECORD) too. Lists the entries of a bundle.
#define _XOPEN_SOURCE 700 // nftw
#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/json.h"
#include "base/plain.h"
#include "runtime/cache/bundle.h"
#include "runtime/cache/cache_folder.h"
#include "runtime/compile/assemble.h"
#include "runtime/compile/compile_ptx.h"
#include "runtime/compile/specialised.h"
#include "runtime/error.h"
#include "runtime/launch/tuned.h"
#include "tools/options/options_parts.h"
#include "tools/tool.h"

typedef struct WarmJob {
  ImageRequest image;
  Str text; // of the image's file
} WarmJob;

typedef struct Warm {
  Arena *arena;
  VEC(WarmJob) jobs;
  ExitStatus status; // of the first failure
  pthread_mutex_t lock;
} Warm;

// --- What is compiled ---

static void add_images(Warm *w, const Options *o, Str text, uint32_t kernels) {
  uint32_t archs = o->archs.n ? o->archs.n : 1;
  for (uint32_t a = 0; a < archs; a++)
    for (uint32_t k = 0; k < kernels; k++)
      for (uint32_t v = 0; v <= o->variants.n; v++) {
        WarmJob job = {{o, k, o->archs.n ? o->archs.at[a] : NULL, {.text = v ? o->variants.at[v - 1] : NULL}},
                       text};
        vec_push(w->arena, &w->jobs, job);
      }
}

static ExitStatus add_file(Warm *w, const Options *o) {
  Compilation c;
  Spec spec;
  SpecList list = {0};
  Str text;
  if (!tool_read(w->arena, o->file, &text)) return EXIT_DIAGNOSED;
  compilation_init(&c);
  tilec_status status = tool_parse(&c, o->file, text);
  if (!status) status = tool_spec(o, &c, &spec);
  if (!status) status = tool_entries(o, &c, &spec, &list);
  if (!status) status = tool_check_variants(&c, o, &list);
  if (!status) add_images(w, o, text, c.is_tir && !spec.kernel ? c.module->funcs.n : list.n);
  ExitStatus result = tool_report(o, &c, status);
  compilation_free(&c);
  return result;
}

// A line: FILE and options, as of the command.
static ExitStatus add_line(Warm *w, const Options *o, Str line, uint32_t number) {
  Buf error = {0};
  Options *own = ARENA_NEW(w->arena, Options);
  int argc;
  char **argv;
  options_split(w->arena, arena_printf(w->arena, "tilec warm %.*s", STR_ARG(line)), &argc, &argv);
  bool good = options_parse(argc, argv, w->arena, own, &error);
  if (good && own->output)
    good = false, buf_text(&error, "-o belongs to the command, not to a line of a list");
  if (!good) tool_error("[T1006] %s:%u: %s", o->file, number, buf_view(&error).at);
  buf_free(&error);
  if (!good) return EXIT_USAGE;
  if (!own->arch_given && o->arch_given)
    own->target.arch = o->target.arch, own->arch_given = true, own->archs = o->archs;
  return add_file(w, own);
}

static ExitStatus add_list(Warm *w, const Options *o) {
  Str text;
  ExitStatus status = EXIT_DONE;
  if (!tool_read(w->arena, o->file, &text)) return EXIT_DIAGNOSED;
  for (uint32_t number = 1; text.n && !status; number++) {
    Str bare = str_trimmed(str_take_until(&text, '\n'));
    if (bare.n && bare.at[0] != '#') status = add_line(w, o, bare, number);
  }
  return status;
}

// --- Compiling ---

// The next level to compile, for launches that this code does not serve. The same level: there is none.
static SpecLevel next_level(const Func *host, SpecLevel level) {
  if (level == SPEC_PLAIN || !hidden_any(hidden_params(host))) return level;
  return level == SPEC_WHOLE && func_asks_programs(host) ? SPEC_ALONE : SPEC_PLAIN;
}

static SpecLevel compile_level(Warm *w, const WarmJob *job, SpecLevel level) {
  Compilation c;
  Spec spec;
  SpecLevel next = level;
  compilation_init(&c);
  tilec_status status = tool_parse(&c, job->image.o->file, job->text);
  if (!status) status = tool_image_spec(&job->image, &c, &spec);
  if (!status) status = tuned_take(&c, NULL, &spec);
  if (!status) tool_lower_spec(&spec, level);
  if (!status) status = compile_elaborate(&c, &spec);
  if (!status) status = compile_launchable(&c);
  if (!status) status = compile_ptx(&c, &(PtxOptions){.told = true});
  if (!status) next = next_level(c.host, level);
  pthread_mutex_lock(&w->lock);
  if (status || level == SPEC_WHOLE) {
    ExitStatus result = tool_report(job->image.o, &c, status);
    if (!w->status) w->status = result;
  }
  pthread_mutex_unlock(&w->lock);
  compilation_free(&c);
  return next;
}

typedef struct JobRun {
  Warm *w;
  const WarmJob *job;
} JobRun;

static tilec_status compile_levels(void *data) {
  const JobRun *run = data;
  SpecLevel level = SPEC_WHOLE, compiled;
  do {
    compiled = level;
    level = compile_level(run->w, run->job, level);
  } while (level != compiled);
  return TILEC_OK;
}

static bool compile_job(void *data, uint32_t i) {
  Warm *w = data;
  if (error_guard(compile_levels, &(JobRun){w, &w->jobs.at[i]})) {
    pthread_mutex_lock(&w->lock);
    w->status = tool_error("[T0000] %s", tilec_last_error());
    pthread_mutex_unlock(&w->lock);
  }
  return true;
}

// --- The bundle ---

// An entry's fields, and the hash of its PTX. The parts of a cubin are those of the PTX that it is made of.
typedef struct Listed {
  Str texts[3], parts[SPECIALISED_PARTS], ptx;
  bool is_ptx;
} Listed;

static const char *const listed_fields[3] = {"kernel", "arch", "kind"};

typedef struct Contents {
  Arena *arena;
  bool as_json;
  VEC(Listed) entries;
  VEC(const char *) lines;
} Contents;

static Str field_of(Arena *arena, const CacheEntry *entry, const char *name) {
  Str field = cache_field(entry, name);
  return field.at ? (Str){arena_copy(arena, field), field.n} : field;
}

static void add_entry(const CacheEntry *entry, void *data) {
  Contents *contents = data;
  Listed listed = {.is_ptx = str_is(cache_field(entry, "kind"), "ptx")};
  for (uint32_t i = 0; i < 3; i++) listed.texts[i] = field_of(contents->arena, entry, listed_fields[i]);
  for (uint32_t i = 0; i < SPECIALISED_PARTS; i++)
    listed.parts[i] = field_of(contents->arena, entry, specialised_fields[i]);
  listed.ptx = field_of(contents->arena, entry, "ptx");
  if (listed.is_ptx) {
    char hash[DIGEST_HEX + 1];
    cache_hash_hex(entry->blob.at, entry->blob.n, hash);
    listed.ptx = (Str){arena_copy(contents->arena, str_from(hash)), DIGEST_HEX};
  }
  vec_push(contents->arena, &contents->entries, listed);
}

static void add_json(Json *json, const Listed *entry, const Str *parts) {
  json_object(json, NULL);
  for (uint32_t i = 0; i < 3; i++) json_str(json, listed_fields[i], entry->texts[i]);
  for (uint32_t i = 0; i < SPECIALISED_PARTS; i++) {
    Str part = parts[i], item;
    if (!part.at) continue;
    json_array(json, specialised_fields[i]);
    while (specialised_next(&part, &item)) json_str(json, NULL, item);
    json_array_end(json);
  }
  json_object_end(json);
}

static void add_text(Buf *line, const Listed *entry, const Str *parts) {
  static const size_t most[3] = {200, 40, 40};
  Specialised made = {0};
  for (uint32_t i = 0; i < 3; i++) {
    if (i) buf_char(line, '\t');
    buf_plain(line, entry->texts[i], most[i]);
  }
  for (uint32_t i = 0; i < SPECIALISED_PARTS; i++) buf_str(&made.parts[i], parts[i]);
  if (made.parts[0].n || made.parts[1].n || made.parts[2].n) buf_char(line, '\t');
  specialised_show(&made, line);
  specialised_free(&made);
}

static void add_line_of(Contents *contents, const Listed *entry, const Str *parts) {
  Buf line = {0};
  if (contents->as_json)
    add_json(&(Json){.out = &line}, entry, parts);
  else
    add_text(&line, entry, parts);
  vec_push(contents->arena, &contents->lines, arena_copy(contents->arena, buf_view(&line)));
  buf_free(&line);
}

// One for each entry. A cubin of several entries' PTX has one for each of them.
static void add_lines(Contents *contents) {
  for (uint32_t i = 0; i < contents->entries.n; i++) {
    const Listed *entry = &contents->entries.at[i];
    uint32_t before = contents->lines.n;
    for (uint32_t k = 0; !entry->is_ptx && entry->ptx.n && k < contents->entries.n; k++) {
      const Listed *from = &contents->entries.at[k];
      if (from->is_ptx && str_eq(from->ptx, entry->ptx)) add_line_of(contents, entry, from->parts);
    }
    if (contents->lines.n == before) add_line_of(contents, entry, entry->parts);
  }
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Prints each kind of entry once, with its number.
static bool print_contents(const Contents *contents, const char *path) {
  Buf out = {0};
  uint32_t n = contents->lines.n;
  if (n) qsort(contents->lines.at, n, sizeof *contents->lines.at, by_text);
  for (uint32_t i = 0, same; i < n; i += same) {
    for (same = 1; i + same < n && strcmp(contents->lines.at[i], contents->lines.at[i + same]) == 0;) same++;
    if (contents->as_json)
      buf_printf(&out, "%s%s", i ? ",\n " : "[", contents->lines.at[i]), same = 1;
    else
      buf_printf(&out, "%u\t%s\n", same, contents->lines.at[i]);
  }
  if (contents->as_json)
    buf_text(&out, n ? "]\n" : "[]\n");
  else
    buf_printf(&out, "%u entr%s in %s\n", contents->entries.n, contents->entries.n == 1 ? "y" : "ies", path);
  bool good = tool_write("-", buf_view(&out));
  buf_free(&out);
  return good;
}

// Packs a folder into a bundle, and prints its entries. No folder: prints those of a bundle.
static ExitStatus pack(Warm *w, const Options *o, const char *folder, const char *path) {
  Contents contents = {.arena = w->arena, .as_json = o->json};
  Buf error = {0};
  bool good = folder ? bundle_write(folder, path, add_entry, &contents, &error)
                     : bundle_list(path, add_entry, &contents, &error);
  if (!good) {
    ExitStatus status = tool_error("[T1007] %s", buf_view(&error).at);
    buf_free(&error);
    return status;
  }
  add_lines(&contents);
  return print_contents(&contents, path) ? EXIT_DONE : EXIT_DIAGNOSED;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
  (void)info, (void)kind, (void)place;
  return remove(path);
}

// Compiles as a recorded run.
static ExitStatus compile_all(Warm *w, const Options *o) {
  const char *base = getenv("TMPDIR");
  char *folder = arena_printf(w->arena, "%s/tilec-XXXXXX", base && base[0] ? base : "/tmp");
  if (!mkdtemp(folder))
    return tool_error("[T1007] no folder for temporary files '%s': %s", folder, strerror(errno));
  setenv("TILEC_RECORD", folder, 1); // before anything has read it
  if (o->cubins == CUBINS_OFF) setenv("TILEC_RECORD_CUBINS", "off", 1);
  parallel_run(w->jobs.n, compile_job, w);
  if (!w->status) w->status = pack(w, o, folder, o->output);
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return w->status;
}

static bool is_list(const char *path) {
  size_t n = strlen(path);
  return n > 5 && strcmp(path + n - 5, ".list") == 0;
}

ExitStatus command_warm(const Options *o, Arena *arena) {
  Warm w = {.arena = arena, .lock = PTHREAD_MUTEX_INITIALIZER};
  struct stat info;
  if (!o->output && bundle_is(o->file)) return pack(&w, o, NULL, o->file);
  if (o->output && bundle_is(o->file))
    return tool_error("[T1006] '%s' is a bundle: without -o its entries are listed", o->file), EXIT_USAGE;
  if (!o->output && stat(o->file, &info))
    return tool_error("[T1007] cannot read '%s': %s", o->file, strerror(errno));
  if (!o->output || strcmp(o->output, "-") == 0)
    return tool_error("[T1006] 'tilec warm' writes a bundle: name its file with -o"), EXIT_USAGE;
  if (o->cubins == CUBINS_ON && !cubin_has_ptxas())
    return tool_error("[T1007] --cubins on: there is no ptxas on PATH");
  if (stat(o->file, &info) == 0 && S_ISDIR(info.st_mode)) return pack(&w, o, o->file, o->output);
  w.status = is_list(o->file) ? add_list(&w, o) : add_file(&w, o);
  return w.status ? w.status : compile_all(&w, o);
}
