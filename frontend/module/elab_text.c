// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Methods of strings for Python code: at the module level and in constexpr functions.
#include "frontend/module/elab_module.h"

#include <ctype.h>
#include <stdlib.h>

static Obj wrong(Elab *e, const Expr *call, const char *name) {
  return elab_error(e, call->loc, "[T0404] '%s' of a string is not known with these arguments", name);
}

static Obj in_case(Elab *e, const char *text, bool upper) {
  char *copy = arena_copy(e->arena, str_from(text));
  for (char *at = copy; *at; at++)
    *at = (char)(upper ? toupper((unsigned char)*at) : tolower((unsigned char)*at));
  return obj_string(e, str_from(copy));
}

// True if strip() removes it: one of `some`, or white space if that is NULL.
static bool goes(char c, const char *some) {
  return some ? strchr(some, c) != NULL : isspace((unsigned char)c) != 0;
}

static Obj stripped(Elab *e, const char *text, const char *some, bool left, bool right) {
  Str rest = str_from(text);
  while (left && rest.n && goes(rest.at[0], some)) rest = (Str){rest.at + 1, rest.n - 1};
  while (right && rest.n && goes(rest.at[rest.n - 1], some)) rest.n--;
  return obj_string(e, rest);
}

static Obj found(const char *text, const char *part, bool last) {
  const char *at = strstr(text, part);
  for (const char *next = at; last && next && *next; next = strstr(next + 1, part)) at = next;
  return obj_int(at ? at - text : -1);
}

// True if there are characters and all are of the kind.
static bool all_are(const char *text, int (*kind)(int)) {
  for (const char *at = text; *at; at++)
    if (!kind((unsigned char)*at)) return false;
  return *text != 0;
}

static Obj counted(const char *text, const char *part) {
  int64_t n = 0;
  for (const char *at = text; *part && (at = strstr(at, part)); at += strlen(part)) n++;
  return obj_int(n);
}

// Splits at white space.
static Obj words_of(Elab *e, const char *text) {
  Obj parts = obj_tuple(e, (uint32_t)strlen(text) / 2 + 1);
  parts.items.n = 0;
  while (*text) {
    while (isspace((unsigned char)*text)) text++;
    size_t n = 0;
    while (text[n] && !isspace((unsigned char)text[n])) n++;
    if (n) parts.items.at[parts.items.n++] = obj_string(e, (Str){text, n});
    text += n;
  }
  return parts;
}

typedef struct TextKind {
  const char *name;
  int (*of)(int);
} TextKind;

static bool kind_call(const char *name, const char *text, Obj *obj) {
  static const TextKind kinds[] = {{"isdigit", isdigit}, {"isdecimal", isdigit}, {"isnumeric", isdigit},
                                   {"isalpha", isalpha}, {"isalnum", isalnum},   {"isspace", isspace},
                                   {"islower", islower}, {"isupper", isupper}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, name) == 0) return *obj = obj_bool(all_are(text, kinds[i].of)), true;
  return false;
}

// Splits at each `by`, which is not empty.
static Obj parted(Elab *e, const char *text, const char *by) {
  uint32_t n = 1;
  for (const char *at = text; (at = strstr(at, by)); at += strlen(by)) n++;
  Obj parts = obj_tuple(e, n);
  for (uint32_t i = 0; i < n; i++) {
    const char *end = strstr(text, by);
    parts.items.at[i] = obj_string(e, end ? (Str){text, (size_t)(end - text)} : str_from(text));
    text = end ? end + strlen(by) : text;
  }
  return parts;
}

static Obj joined(Elab *e, const Expr *call, const char *between, const Obj *parts) {
  Buf buf = {0};
  bool good = parts->kind == OBJ_TUPLE;
  for (uint32_t i = 0; good && i < parts->items.n; i++) {
    good = obj_is(&parts->items.at[i], CONST_STR) && buf.n <= ELAB_MAX_STRING;
    if (!good) break;
    if (i) buf_text(&buf, between);
    buf_text(&buf, parts->items.at[i].constant.str);
  }
  elab_work(e, (uint32_t)buf.n / BYTES_A_STEP);
  const char *text = elab_text(e, &buf);
  return good ? obj_string(e, str_from(text)) : wrong(e, call, "join");
}

static Obj replaced(Elab *e, const Expr *call, const char *text, const GivenArgs *args) {
  if (!args->at[0].obj.constant.str[0]) return wrong(e, call, "replace");
  Obj parts = parted(e, text, args->at[0].obj.constant.str);
  return joined(e, call, args->at[1].obj.constant.str, &parts);
}

// The argument of a format field: the next one, one by its index, or one by its name.
static const Given *field(const GivenArgs *args, Str name, uint32_t *next) {
  char *end;
  unsigned long at = name.n == 0 ? (*next)++ : strtoul(name.at, &end, 10);
  if (name.n == 0 || (isdigit((unsigned char)name.at[0]) && end == name.at + name.n))
    return at < args->n && !args->at[at].name ? &args->at[at] : NULL;
  for (uint32_t i = 0; i < args->n; i++)
    if (args->at[i].name && str_is(name, args->at[i].name)) return &args->at[i];
  return NULL;
}

// Fields without format specifications.
static Obj formatted(Elab *e, const Expr *call, const char *text, const GivenArgs *args) {
  Buf buf = {0};
  uint32_t next = 0;
  bool good = true;
  for (const char *at = text; *at && good; at++) {
    if ((*at == '{' || *at == '}') && at[1] == *at)
      buf_char(&buf, *at++);
    else if (*at == '{') {
      size_t n = strcspn(at + 1, "}");
      const Given *given = at[n + 1] ? field(args, (Str){at + 1, n}, &next) : NULL;
      good = given && obj_is_static(&given->obj) && buf.n <= ELAB_MAX_STRING;
      if (good) buf_text(&buf, obj_text(e, &given->obj));
      at += good ? n + 1 : 0;
    } else
      buf_char(&buf, *at);
  }
  elab_work(e, (uint32_t)buf.n / BYTES_A_STEP);
  const char *made = elab_text(e, &buf);
  return good ? obj_string(e, str_from(made)) : wrong(e, call, "format");
}

static bool are_strings(const GivenArgs *args) {
  for (uint32_t i = 0; i < args->n; i++)
    if (args->at[i].name || !obj_is(&args->at[i].obj, CONST_STR)) return false;
  return true;
}

static bool text_is(const char *name, const char *wanted, const GivenArgs *args, uint32_t n) {
  return strcmp(name, wanted) == 0 && args->n == n && are_strings(args);
}

Obj elab_text_call(Elab *e, const Expr *call, const char *text) {
  const char *name = call->call.callee->attribute.name;
  GivenArgs args = {0};
  if (!elab_given_args(e, call, &args)) return obj_error();
  const char *first = args.n && obj_is(&args.at[0].obj, CONST_STR) ? args.at[0].obj.constant.str : "";
  size_t n = strlen(text), m = strlen(first);
  if (text_is(name, "lower", &args, 0)) return in_case(e, text, false);
  if (text_is(name, "upper", &args, 0)) return in_case(e, text, true);
  const char *some = args.n ? first : NULL;
  Obj obj;
  if (args.n == 0 && kind_call(name, text, &obj)) return obj;
  if (args.n <= 1 && are_strings(&args)) {
    if (strcmp(name, "strip") == 0) return stripped(e, text, some, true, true);
    if (strcmp(name, "lstrip") == 0) return stripped(e, text, some, true, false);
    if (strcmp(name, "rstrip") == 0) return stripped(e, text, some, false, true);
  }
  if (text_is(name, "split", &args, 0)) return words_of(e, text);
  if (text_is(name, "find", &args, 1)) return found(text, first, false);
  if (text_is(name, "rfind", &args, 1)) return found(text, first, true);
  if (text_is(name, "count", &args, 1) && m) return counted(text, first);
  if (text_is(name, "removeprefix", &args, 1))
    return obj_string(e, str_from(text + (strncmp(text, first, m) == 0 ? m : 0)));
  if (text_is(name, "removesuffix", &args, 1))
    return obj_string(e, (Str){text, n - (n >= m && strcmp(text + n - m, first) == 0 ? m : 0)});
  if (text_is(name, "startswith", &args, 1)) return obj_bool(strncmp(text, first, m) == 0);
  if (text_is(name, "endswith", &args, 1)) return obj_bool(n >= m && strcmp(text + n - m, first) == 0);
  if (text_is(name, "split", &args, 1) && m) return parted(e, text, first);
  if (text_is(name, "replace", &args, 2)) return replaced(e, call, text, &args);
  if (strcmp(name, "join") == 0 && args.n == 1) return joined(e, call, text, &args.at[0].obj);
  if (strcmp(name, "format") == 0) return formatted(e, call, text, &args);
  return wrong(e, call, name);
}
