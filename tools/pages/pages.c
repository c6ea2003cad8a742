// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec_pages man|bash|zsh|fish: writes to standard output.
#include <stdio.h>

#include "tools/options/options.h"
#include "tools/pages/pages.h"

const PageOption *page_options(size_t *count) {
  static const PageOption options[] = {
#define X(id, name, short_name, value, commands, effect, help) {name, short_name, value, commands, help},
#include "tools/options/options.def"
#undef X
  };
  *count = sizeof options / sizeof *options;
  return options;
}

const PageVerb *page_verbs(size_t *count) {
  static const PageVerb verbs[] = {
#define X(name, letter, arguments, summary) {#name, letter, arguments, summary},
#include "tools/options/verbs.def"
#undef X
  };
  *count = sizeof verbs / sizeof *verbs;
  return verbs;
}

bool page_takes(const PageVerb *verb, const PageOption *option) {
  return strstr(option->commands, verb->letter) != NULL;
}

void page_verb_words(Buf *out, const PageVerb *verb) {
  size_t n = strcspn(verb->arguments, " ");
  if (!memchr(verb->arguments, '|', n)) return;
  for (size_t i = 0; i < n; i++) {
    char c = verb->arguments[i];
    if (c != '[' && c != ']') buf_char(out, c == '|' ? ' ' : c);
  }
}

// Takes the choices from the parser's error for an invalid value: "--emit is one of tokens, ast; not '?'".
static const char *refused_choices(const PageOption *option, Arena *arena) {
  Options options;
  Buf error = {0};
  const char *word = arena_printf(arena, "%s=?", option->name);
  char *argv[] = {"tilec", strchr(option->commands, 'C') ? "compile" : "run", (char *)(uintptr_t)word,
                  "x.tile"};
  const char *choices = "", *begin = NULL;
  if (option->name[0] && !options_parse(4, argv, arena, &options, &error))
    begin = strstr(error.at, "is one of ");
  if (begin) {
    begin += strlen("is one of ");
    const char *end = strchr(begin, ';');
    Buf list = {0};
    for (const char *c = begin; end && c < end; c++)
      if (*c != ',') buf_char(&list, *c);
    choices = arena_printf(arena, "%.*s", (int)list.n, list.n ? list.at : "");
    buf_free(&list);
  }
  buf_free(&error);
  return choices;
}

static const char *architectures(Arena *arena) {
  uint32_t count;
  const TargetInfo *list = target_list(&count);
  const char *all = "";
  for (uint32_t i = 0; i < count; i++) all = arena_printf(arena, "%s%s%s", all, i ? " " : "", list[i].name);
  return all;
}

static const char pass_names[] = ""
#define X(name, ...) #name " "
#include "passes/passes.def"
#undef X
    ;

const char *page_choices(const PageOption *option) {
  static Arena arena; // never freed: the program ends soon
  if (option->value[0] == '\0') return "";
  if (strcmp(option->value, "SM") == 0) return architectures(&arena);
  if (strcmp(option->value, "PASS") == 0) return pass_names;
  if (strcmp(option->value, "DEVICE") == 0) return "auto cuda sim eval";
  return refused_choices(option, &arena);
}

bool page_takes_file(const PageOption *option) { return strcmp(option->value, "FILE") == 0; }

int main(int argc, char **argv) {
  static const struct Page {
    const char *name;
    void (*print)(Buf *out);
  } pages[] = {{"man", page_man}, {"bash", page_bash}, {"zsh", page_zsh}, {"fish", page_fish}};
  Buf out = {0};
  for (size_t i = 0; argc == 2 && i < sizeof pages / sizeof *pages; i++)
    if (strcmp(argv[1], pages[i].name) == 0) pages[i].print(&out);
  if (!out.n) {
    fprintf(stderr, "usage: tilec_pages man|bash|zsh|fish\n");
    return 2;
  }
  bool written = fwrite(out.at, 1, out.n, stdout) == out.n && fflush(stdout) == 0;
  buf_free(&out);
  return written ? 0 : 1;
}
