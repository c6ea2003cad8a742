// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec cache [list|verify|clear|path]: the compiled code that is kept on disk.
#include "tools/tool.h"

#include <stdio.h>

#include "base/json.h"
#include "base/plain.h"
#include "runtime/cache/cache.h"

enum { KEY_SHOWN = 12 }; // digits of a key in the table: enough to distinguish entries

typedef struct Listing {
  Buf text;
  Json json;
  time_t now;
  uint64_t entries, bytes; // valid ones
  uint64_t bad, removed, foreign;
} Listing;

// "812 B", "12.4 KiB".
static void print_bytes(Buf *out, uint64_t bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = (double)bytes;
  int unit = 0;
  for (; value >= 1024 && unit < 4; unit++) value /= 1024;
  buf_printf(out, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

// "3 min ago".
static void print_age(Buf *out, double seconds) {
  static const struct {
    double seconds;
    const char *name;
  } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (seconds >= units[i].seconds) {
      buf_printf(out, "%.0f %s ago", seconds / units[i].seconds, units[i].name);
      return;
    }
  buf_text(out, "now");
}

static void count(Listing *l, const CacheListed *e) {
  l->entries += e->state == CACHE_GOOD;
  l->bytes += e->state == CACHE_GOOD ? e->bytes : 0;
  l->bad += e->state == CACHE_BAD;
  l->foreign += e->state == CACHE_FOREIGN;
}

static void pad(Buf *out, size_t start, size_t width) {
  size_t n = out->n - start;
  buf_spaces(out, n < width ? (int)(width - n) : 1);
}

static void list_row(const CacheListed *e, void *data) {
  Listing *l = data;
  Buf *out = &l->text;
  enum { BYTES = 12, USED = 12, KIND = 7, ARCH = 10 };
  if (!(l->entries + l->bad + l->foreign))
    buf_printf(out, "%-*s  %-*s%-*s%-*s%-*s%s\n", KEY_SHOWN, "key", BYTES, "size", USED, "last used", KIND,
               "kind", ARCH, "arch", "kernel");
  count(l, e);
  buf_printf(out, "%.*s  ", KEY_SHOWN, e->name);
  size_t start = out->n;
  print_bytes(out, e->bytes);
  pad(out, start, BYTES);
  start = out->n;
  print_age(out, difftime(l->now, e->used.tv_sec));
  pad(out, start, USED);
  if (e->state != CACHE_GOOD) {
    buf_printf(out, "not used: %s\n", e->reason);
    return;
  }
  const char *const names[] = {"kind", "arch"};
  const size_t widths[] = {KIND, ARCH};
  for (int i = 0; i < 2; i++) {
    start = out->n;
    buf_plain(out, cache_field(&e->entry, names[i]), 40);
    pad(out, start, widths[i]);
  }
  buf_plain(out, cache_field(&e->entry, "kernel"), 200);
  buf_char(out, '\n');
}

static void json_field(Json *json, const CacheEntry *entry, const char *name) {
  Str value = cache_field(entry, name);
  if (value.at) json_str(json, name, value);
}

static void list_json(const CacheListed *e, void *data) {
  static const char *const states[] = {"good", "bad", "foreign"};
  Listing *l = data;
  Json *json = &l->json;
  count(l, e);
  json_object(json, NULL);
  json_text(json, "key", e->name);
  json_uint(json, "bytes", e->bytes);
  json_int(json, "used", (int64_t)e->used.tv_sec);
  json_text(json, "state", states[e->state]);
  if (e->reason) json_text(json, "reason", e->reason);
  json_field(json, &e->entry, "kind");
  json_field(json, &e->entry, "kernel");
  json_field(json, &e->entry, "arch");
  json_object_end(json);
}

static ExitStatus refuse(Buf *error) {
  ExitStatus status = tool_error("[T1006] %s", buf_view(error).at);
  buf_free(error);
  return status;
}

static ExitStatus print(Listing *l, ExitStatus status) {
  if (!tool_write("-", buf_view(&l->text))) status = EXIT_DIAGNOSED;
  buf_free(&l->text);
  return status;
}

// The folder as text for the user. "" if there is none.
static const char *folder(Arena *arena) {
  char path[4096];
  return cache_path(path, sizeof path) ? arena_copy(arena, str_from(path)) : "";
}

static void print_sum(Listing *l, Arena *arena) {
  uint64_t limit = cache_size_limit();
  buf_printf(&l->text, "%llu entr%s, ", (unsigned long long)l->entries, l->entries == 1 ? "y" : "ies");
  print_bytes(&l->text, l->bytes);
  if (limit) {
    buf_text(&l->text, " of ");
    print_bytes(&l->text, limit);
  }
  buf_printf(&l->text, ", in %s\n", folder(arena));
}

static ExitStatus list(const Options *o, Arena *arena) {
  Listing l = {.now = time(NULL)};
  Buf error = {0};
  l.json = (Json){.out = &l.text, .rows = true};
  if (o->json) json_array(&l.json, NULL);
  if (!cache_list(o->json ? list_json : list_row, &l, &error)) return buf_free(&l.text), refuse(&error);
  if (o->json) {
    json_array_end(&l.json);
    buf_char(&l.text, '\n');
  } else {
    print_sum(&l, arena);
  }
  return print(&l, EXIT_DONE);
}

static void verify_one(const CacheListed *e, void *data) {
  Listing *l = data;
  count(l, e);
  if (e->state == CACHE_GOOD) return;
  bool removed = e->state == CACHE_BAD && cache_remove(e->name);
  l->removed += removed;
  buf_printf(&l->text, "%s: %s%s\n", e->name, e->reason, removed ? "; removed" : "");
}

static ExitStatus verify(const Options *o, Arena *arena) {
  Listing l = {.now = time(NULL)};
  Buf error = {0};
  if (!cache_list(verify_one, &l, &error)) return buf_free(&l.text), refuse(&error);
  if (o->json) {
    buf_reset(&l.text);
    l.json = (Json){.out = &l.text};
    json_object(&l.json, NULL);
    json_uint(&l.json, "entries", l.entries);
    json_uint(&l.json, "bytes", l.bytes);
    json_uint(&l.json, "bad", l.bad);
    json_uint(&l.json, "removed", l.removed);
    json_uint(&l.json, "foreign", l.foreign);
    json_object_end(&l.json);
    buf_char(&l.text, '\n');
  } else {
    print_sum(&l, arena);
    l.text.n--; // the newline
    if (l.bad + l.foreign)
      buf_printf(&l.text, ": those are good; %llu bad, of which %llu removed; %llu of others\n",
                 (unsigned long long)l.bad, (unsigned long long)l.removed, (unsigned long long)l.foreign);
    else
      buf_text(&l.text, ": all are good\n");
  }
  return print(&l, l.bad + l.foreign ? EXIT_DIAGNOSED : EXIT_DONE);
}

static ExitStatus clear(const Options *o, Arena *arena) {
  CacheCleared cleared;
  Listing l = {0};
  Buf error = {0};
  if (!cache_clear(&cleared, &error)) return refuse(&error);
  if (o->json) {
    l.json = (Json){.out = &l.text};
    json_object(&l.json, NULL);
    json_uint(&l.json, "removed", cleared.entries);
    json_uint(&l.json, "bytes", cleared.bytes);
    json_uint(&l.json, "left", cleared.left);
    json_object_end(&l.json);
    buf_char(&l.text, '\n');
  } else {
    buf_printf(&l.text, "removed %llu entr%s, ", (unsigned long long)cleared.entries,
               cleared.entries == 1 ? "y" : "ies");
    print_bytes(&l.text, cleared.bytes);
    buf_printf(&l.text, ", from %s\n", folder(arena));
  }
  ExitStatus status = print(&l, EXIT_DONE);
  if (!cleared.left) return status;
  return tool_error("[T1007] %llu entr%s could not be removed: %s", (unsigned long long)cleared.left,
                    cleared.left == 1 ? "y" : "ies", strerror(cleared.reason));
}

static ExitStatus path(const Options *o, Arena *arena) {
  Listing l = {0};
  const char *name = folder(arena);
  if (!name[0])
    return tool_error(
        "[T1007] there is no folder for the cache: TILEC_CACHE_DIR, XDG_CACHE_HOME and HOME are not set");
  if (o->json)
    buf_json_quoted(&l.text, str_from(name));
  else
    buf_text(&l.text, name);
  buf_char(&l.text, '\n');
  return print(&l, EXIT_DONE);
}

ExitStatus command_cache(const Options *options, Arena *arena) {
  static const struct {
    const char *name;
    ExitStatus (*run)(const Options *o, Arena *arena);
  } verbs[] = {{"list", list}, {"verify", verify}, {"clear", clear}, {"path", path}};
  enum { VERBS = sizeof verbs / sizeof *verbs };
  const char *names[VERBS], *word = options->file;
  if (!word) return list(options, arena);
  for (size_t i = 0; i < VERBS; i++) {
    if (strcmp(verbs[i].name, word) == 0) return verbs[i].run(options, arena);
    names[i] = verbs[i].name;
  }
  const char *near = diag_nearest(str_from(word), names, VERBS);
  if (near)
    tool_error("[T1006] 'tilec cache' does not know '%s'; did you mean '%s'?", word, near);
  else
    tool_error("[T1006] 'tilec cache' takes one of list, verify, clear and path, not '%s'", word);
  return EXIT_USAGE;
}
