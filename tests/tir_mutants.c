// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile IR with one error. Every attribute of every op is out of range, of another kind, left out or added. Every type
// and operand is replaced. Every line is left out or doubled. Each mutant is compiled to PTX. The result is a located error, or
// code, never an internal error.
//
// ```
//   tir_mutants [--every N] [--from K] FILE.tir...      closes with 'N mutants, N compiled, N refused, N internal errors'
//   tir_mutants --only K [--print] FILE.tir             one of them again; its text
// ```
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/compile/compile.h"

typedef struct Mutants {
  const char *file;
  Str text;
  Arena arena;
  VEC(Str) layouts, values, types; // what the file has of them
  uint64_t next, every, only;      // number of the next mutant; UINT64_MAX: all
  bool print;
} Mutants;

// Shared between the processes that try the mutants and the one that waits for them. If one
// crashes, the next continues after its mutant.
static struct Shared {
  uint64_t begun; // mutants up to this one, by their number and 1, of the file
  uint64_t tried, compiled, refused, bugs;
  char name[600];
} * shared;

static Buf current; // the mutant's text

// --- One mutant

static tilec_status compile_all(Compilation *c, Str text) {
  Spec spec = {.target = target_default()};
  tilec_status status = compilation_init(c);
  if (!status) status = compile_parse(c, "mutant.tir", text);
  if (!status) status = compile_elaborate(c, &spec);
  if (!status) status = compile_passes(c, &(PassRunOptions){.verify_each = true});
  if (!status) status = compile_codegen(c, &(CodegenOptions){.emit_ptx = true});
  return status;
}

// An error without a line of the text; NULL where there is none. The module's own have none.
static const char *lost_error(const Compilation *c) {
  for (uint32_t i = 0; i < c->diags.list.n; i++) {
    const Diag *diag = c->diags.list.at[i];
    if (diag->severity == DIAG_ERROR && !diag->loc.line && strncmp(diag->message, "module", 6) != 0)
      return diag->message;
  }
  return c->diags.errors ? NULL : "no error";
}

static void report(const char *what, const char *message) {
  shared->bugs++;
  printf("%s: %s: %s\n", shared->name, what, message);
  fflush(stdout);
}

// Ends this process after that much of its processor time; 0: does not.
static void limit_seconds(int seconds) {
  setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = seconds}}, NULL);
}

// The text with [from, to) replaced.
static void try_mutant(Mutants *m, size_t from, size_t to, Str by) {
  uint64_t number = m->next++; // --from: others of every N
  if (m->only != UINT64_MAX ? number != m->only : number % m->every != 0) return;
  if (number < shared->begun) return;
  shared->begun = number + 1;
  snprintf(shared->name, sizeof shared->name, "%s --only %llu", m->file, (unsigned long long)number);
  buf_reset(&current);
  buf_bytes(&current, m->text.at, from);
  buf_str(&current, by);
  buf_bytes(&current, m->text.at + to, m->text.n - to);
  if (m->print) printf("%s", current.at);
  shared->tried++;
  limit_seconds(20);
  Compilation c;
  tilec_status status = compile_all(&c, buf_view(&current));
  limit_seconds(0);
  if (status == TILEC_OK)
    shared->compiled++;
  else if (status != TILEC_ERROR_COMPILE)
    report("internal error", c.fault);
  else if (lost_error(&c))
    report("an error without a place", lost_error(&c));
  else
    shared->refused++;
  compilation_free(&c);
}

static void try_text(Mutants *m, size_t from, size_t to, const char *by) {
  try_mutant(m, from, to, str_from(by));
}

// --- What the file has

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t end_of_word(Str text, size_t at) {
  while (at < text.n && is_word(text.at[at])) at++;
  return at;
}

// The end of a type that begins here; `at` where none does.
static size_t end_of_type(Str text, size_t at) {
  static const char *const elems[] = {"i1",  "i8",    "i16",  "i32",  "i64",     "u8",   "u16", "u32",
                                      "u64", "fp8e5", "fp16", "bf16", "fp8e4nv", "fp32", "fp64"};
  size_t start = at;
  while (at < text.n && text.at[at] == '*') at++;
  size_t end = end_of_word(text, at);
  Str word = {text.at + at, end - at};
  if (str_is(word, "tile") || str_is(word, "shared") || str_is(word, "ring")) {
    if (end >= text.n || text.at[end] != '<') return start;
    for (int depth = 0; end < text.n && text.at[end] != '\n'; end++) {
      if (text.at[end] == '<' || text.at[end] == '(') depth++;
      if ((text.at[end] == '>' || text.at[end] == ')') && --depth == 0) return end + 1;
    }
    return start;
  }
  for (size_t i = 0; i < sizeof elems / sizeof *elems; i++)
    if (str_is(word, elems[i])) return end;
  return start;
}

static void add_once(Mutants *m, void *list, Str text) {
  VEC(Str) *all = list;
  for (uint32_t i = 0; i < all->n; i++)
    if (str_eq(all->at[i], text)) return;
  vec_push(&m->arena, all, text);
}

static void collect(Mutants *m) {
  for (size_t at = 0; at < m->text.n; at++) {
    char c = m->text.at[at];
    bool begins = at == 0 || !is_word(m->text.at[at - 1]);
    size_t end = c == '#' || c == '%' ? end_of_word(m->text, at + 1) : begins ? end_of_type(m->text, at) : at;
    Str word = {m->text.at + at, end - at};
    if (word.n < 2) continue;
    if (c == '#')
      add_once(m, &m->layouts, word);
    else if (c == '%')
      add_once(m, &m->values, word);
    else if (word.at[0] != '*' || m->text.at[at - 1] != '*')
      add_once(m, &m->types, word);
  }
}

// --- Mutants of one place

static const char *const wrong_integers[] = {"-1",
                                             "0",
                                             "1",
                                             "2",
                                             "3",
                                             "4",
                                             "7",
                                             "8",
                                             "16",
                                             "33",
                                             "64",
                                             "129",
                                             "4096",
                                             "1048577",
                                             "2147483648",
                                             "-9223372036854775808",
                                             "9223372036854775807"};
static const char *const wrong_lists[] = {"[]",
                                          "[0]",
                                          "[1]",
                                          "[0, 1]",
                                          "[1, 0]",
                                          "[0, 0]",
                                          "[7]",
                                          "[-1]",
                                          "[0, 16]",
                                          "[4, 2]",
                                          "[0, 0, 0]",
                                          "[2, 1, 0]",
                                          "[0, 9223372036854775807]",
                                          "[-9223372036854775808, 1]"};
static const char *const wrong_words[] = {
    "",       "x",      "exp",         "sqrt",    "pow",     "fma",    "add",
    "max",    "xchg",   "and",         "relaxed", "release", "sys",    ".cg",
    ".cs",    ".wt",    "zero",        "nan",     "ieee",    "tf32",   "tf32x3",
    "bf16x3", "bf16x6", "evict_first", "=r",      "=r,r",    "=f,f,f", "mov.u32 $0, $1;",
    "%",      "$99"};
static const char *const wrong_floats[] = {"0", "-1.5", "inf", "nan", "1e300", "65520.0"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void try_list(Mutants *m, size_t from, size_t to, const char *const *list, size_t n) {
  for (size_t i = 0; i < n; i++) try_text(m, from, to, list[i]);
}

static void try_strings(Mutants *m, size_t from, size_t to, const char *const *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\"", list[i]);
    try_text(m, from, to, quoted);
  }
}

// Values of the attribute's kind, and one of another.
static void try_values(Mutants *m, AttrKey key, size_t from, size_t to) {
  switch (attr_info(key)->kind) {
  case ATTR_KIND_INT: try_list(m, from, to, wrong_integers, COUNT(wrong_integers)); break;
  case ATTR_KIND_INTS: try_list(m, from, to, wrong_lists, COUNT(wrong_lists)); break;
  case ATTR_KIND_STR: try_strings(m, from, to, wrong_words, COUNT(wrong_words)); break;
  case ATTR_KIND_ENUM: try_strings(m, from, to, attr_words(key).at, attr_words(key).n); break;
  case ATTR_KIND_FLOAT: try_list(m, from, to, wrong_floats, COUNT(wrong_floats)); break;
  case ATTR_KIND_LAYOUT:
    for (uint32_t i = 0; i < m->layouts.n; i++) try_mutant(m, from, to, m->layouts.at[i]);
    break;
  case ATTR_KIND_FLAG: break;
  }
  try_text(m, from, to, attr_info(key)->kind == ATTR_KIND_STR ? "7" : "\"x\"");
}

// The end of an attribute's value: a comma or brace outside of brackets and strings.
static size_t end_of_value(Str text, size_t at) {
  int depth = 0;
  for (; at < text.n && text.at[at] != '\n'; at++) {
    char c = text.at[at];
    if (c == '"')
      for (at++; at < text.n && text.at[at] != '"' && text.at[at] != '\n'; at++)
        if (text.at[at] == '\\') at++;
    if (depth == 0 && (c == ',' || c == '}')) return at;
    if (c == '[' || c == '(' || c == '{' || c == '<') depth++;
    if (c == ']' || c == ')' || c == '}' || c == '>') depth--;
  }
  return at;
}

// `at` is after the opening brace of an op's attributes; returns where they end.
static size_t try_attributes(Mutants *m, size_t at) {
  Str text = m->text;
  for (;;) {
    size_t key = at, name = end_of_word(text, at), end = end_of_value(text, at), value = name;
    AttrKey known;
    while (value < end && (text.at[value] == ' ' || text.at[value] == '=')) value++;
    if (name == key || end >= text.n || text.at[end] == '\n') return end;
    if (value < end && attr_parse_key((Str){text.at + key, name - key}, &known))
      try_values(m, known, value, end);
    bool last = text.at[end] == '}';
    if (!last || text.at[key - 1] != '{')
      try_text(m, last ? key - 2 : key, last ? end : end + 2, "");
    else
      try_text(m, key - 1, end + 1, "");
    if (last) return end;
    at = end + 2;
  }
}

// Returns true if the line has the attribute in its braces.
static bool has_attribute(const Mutants *m, size_t at, const char *name) {
  for (; at < m->text.n && m->text.at[at] != '}' && m->text.at[at] != '\n'; at = end_of_word(m->text, at) + 1)
    if (str_is((Str){m->text.at + at, end_of_word(m->text, at) - at}, name)) return true;
  return false;
}

// Each attribute that the op may have. `before` and `behind` are the text around it.
static void try_more_attributes(Mutants *m, OpKind kind, size_t at, const char *before, const char *behind) {
  static const char *const values[] = {
      [ATTR_KIND_INT] = "1",      [ATTR_KIND_INTS] = "[0]",  [ATTR_KIND_STR] = "\"x\"",
      [ATTR_KIND_ENUM] = "\"x\"", [ATTR_KIND_FLOAT] = "1.5", [ATTR_KIND_LAYOUT] = "#l0",
      [ATTR_KIND_FLAG] = ""};
  for (int key = 0; key < ATTR_COUNT; key++) {
    const AttrInfo *info = attr_info((AttrKey)key);
    bool taken = op_attr_use(kind, (AttrKey)key) != ATTR_UNKNOWN;
    if (has_attribute(m, at, info->name)) continue;
    if (!taken && key % 8 != (int)kind % 8) continue; // those that it does not take are refused alike
    Buf by = {0};
    buf_printf(&by, "%s%s%s", before, info->name, info->kind == ATTR_KIND_FLAG ? "" : " = ");
    size_t from = by.n;
    const char *const *list = info->kind == ATTR_KIND_INT    ? wrong_integers
                              : info->kind == ATTR_KIND_INTS ? wrong_lists
                                                             : &values[info->kind];
    size_t n = !taken                         ? 1
               : info->kind == ATTR_KIND_INT  ? COUNT(wrong_integers)
               : info->kind == ATTR_KIND_INTS ? COUNT(wrong_lists)
                                              : 1;
    for (size_t i = 0; i < n; i++) {
      by.n = from;
      buf_printf(&by, "%s%s", list[i], behind);
      try_mutant(m, at, at, buf_view(&by));
    }
    buf_free(&by);
  }
}

// For a type with a shape: its sizes, its element's type and its layout, each replaced.
static void try_parts_of_type(Mutants *m, size_t from, size_t to) {
  static const char *const elems[] = {"i1",      "i8",   "u8",   "i32",  "i64",  "u64",
                                      "fp8e4nv", "fp16", "bf16", "fp32", "fp64", "*fp32"};
  static const char *const sizes[] = {"0",  "1",  "2",   "3",       "8",         "16",
                                      "32", "64", "256", "1048576", "4294967296"};
  size_t at = from;
  while (at < to && m->text.at[at] != '<') at++;
  while (at < to && m->text.at[at] != ',') {
    size_t end = at + 1;
    if (m->text.at[at] >= '0' && m->text.at[at] <= '9') {
      while (m->text.at[end] >= '0' && m->text.at[end] <= '9') end++;
      try_list(m, at, end, sizes, COUNT(sizes));
      if (m->text.at[end] == 'x') {
        try_text(m, at, end + 1, "");
        try_text(m, at, at, "2x");
      }
    } else if ((end = end_of_type(m->text, at)) > at)
      try_list(m, at, end, elems, COUNT(elems));
    else
      end = at + 1;
    at = end;
  }
  if (at < to) try_text(m, at, to, ">"); // without the layout
}

static void try_types(Mutants *m, size_t from, size_t to) {
  static const char *const others[] = {
      "i1",   "i32", "u64", "fp32", "*i8", "*fp16", "tile<1xi1>", "tile<16x16xfp32>", "shared<2x64x64xfp16>",
      "bytes"};
  try_list(m, from, to, others, COUNT(others));
  try_parts_of_type(m, from, to);
}

static void try_operands(Mutants *m, size_t from, size_t to) {
  try_text(m, from, to, "%nowhere");
  for (uint32_t i = 0; i < m->values.n; i += 1 + m->values.n / 12) try_mutant(m, from, to, m->values.at[i]);
}

static size_t try_word(Mutants *m, size_t at) {
  size_t name = end_of_word(m->text, at);
  OpKind kind;
  if (!op_parse_kind((Str){m->text.at + at, name - at}, &kind)) return name - 1;
  size_t brace = name;
  while (brace < m->text.n && !strchr("{:\n", m->text.at[brace])) brace++;
  if (brace < m->text.n && m->text.at[brace] == '{' && is_word(m->text.at[brace + 1])) {
    try_more_attributes(m, kind, brace + 1, "", ", ");
    try_attributes(m, brace + 1);
  } else if (m->text.at[brace - 1] == ' ')
    try_more_attributes(m, kind, brace, "{", "} ");
  else
    try_more_attributes(m, kind, brace, " {", "}");
  return name - 1;
}

static void try_line(Mutants *m, size_t from, size_t to) {
  Str text = m->text;
  try_text(m, from, to, "");
  Buf twice = {0};
  buf_printf(&twice, "%.*s\n%.*s", (int)(to - from), text.at + from, (int)(to - from), text.at + from);
  try_mutant(m, from, to, buf_view(&twice));
  buf_free(&twice);
  for (size_t at = from; at < to; at++) {
    bool begins = at == 0 || !is_word(text.at[at - 1]);
    size_t end = begins ? end_of_type(text, at) : at;
    if (text.at[at] == '%' || text.at[at] == '#') {
      end = end_of_word(text, at + 1);
      if (text.at[at] == '%')
        try_operands(m, at, end);
      else
        for (uint32_t i = 0; i < m->layouts.n; i++) try_mutant(m, at, end, m->layouts.at[i]);
      at = end - 1;
    } else if (end > at) {
      try_types(m, at, end);
      at = end - 1;
    } else if (begins && is_word(text.at[at]))
      at = try_word(m, at);
  }
}

static void try_file(Mutants *m) {
  collect(m);
  for (size_t at = 0; at < m->text.n;) {
    const char *newline = memchr(m->text.at + at, '\n', m->text.n - at);
    size_t end = newline ? (size_t)(newline - m->text.at) : m->text.n;
    Str line = {m->text.at + at, end - at};
    if (line.n && !str_starts(line, "//")) try_line(m, at, end);
    at = end + 1;
  }
}

static bool read_whole(const char *path, Buf *text) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char block[4096];
  for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) buf_bytes(text, block, n);
  return fclose(file) == 0;
}

// In separate processes: one more than the number of crashes.
static void try_in_children(Mutants *m) {
  shared->begun = 0;
  for (int status = 1; status;) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      try_file(m);
      fflush(stdout);
      _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) exit(2);
    if (status)
      report("crashed, or took more than 20 seconds",
             WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
  }
}

static void try_path(Mutants m, const char *path) {
  Buf text = {0};
  m.file = path;
  if (!read_whole(path, &text)) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(2);
  }
  m.text = buf_view(&text);
  try_in_children(&m);
  arena_free(&m.arena);
  buf_free(&text);
}

int main(int argc, char **argv) {
  Mutants m = {.every = 1, .only = UINT64_MAX};
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--every") == 0 && i + 1 < argc)
      m.every = strtoull(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc)
      m.next = strtoull(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      m.only = strtoull(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--print") == 0)
      m.print = true;
    else
      try_path(m, argv[i]);
  printf("%llu mutants, %llu compiled, %llu refused, %llu internal errors\n",
         (unsigned long long)shared->tried, (unsigned long long)shared->compiled,
         (unsigned long long)shared->refused, (unsigned long long)shared->bugs);
  return shared->bugs || !shared->tried;
}
