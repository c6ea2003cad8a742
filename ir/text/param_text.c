// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text form of run-time parameters: [TYPE][:16][:1], None, (ELEMENT, NAME=ELEMENT, ...),
// tensordesc<fp16[64,32]>, constexpr(LITERAL). Signatures and annotations consist of it.
#include <stdarg.h>
#include <stdio.h>

#include "base/diag.h"
#include "ir/ir.h"
#include "ir/spec.h"

typedef struct ParamReader {
  IrContext *ir;
  const char *start; // of the whole text
  const char *name;  // of the parameter
  uint32_t depth;
  ParamTextError *error;
} ParamReader;

// --- Pieces ---

static Str piece(Str text, size_t from, size_t to) { return (Str){text.at + from, to - from}; }

// Skips the string literal at `at`. Returns the text's end if it is not closed.
static size_t skip_string(Str text, size_t at) {
  char quote = text.at[at++];
  while (at < text.n && text.at[at] != quote) at += text.at[at] == '\\' ? 2 : 1;
  return at < text.n ? at + 1 : text.n;
}

size_t param_text_until(Str text, char stop) {
  int depth = 0;
  for (size_t i = 0; i < text.n; i++) {
    char c = text.at[i];
    if (c == stop && depth <= 0) return i;
    if (c == '"' || c == '\'')
      i = skip_string(text, i) - 1;
    else if (c == '(' || c == '[' || c == '<')
      depth++;
    else if (c == ')' || c == ']' || c == '>')
      depth--;
  }
  return text.n;
}

// Takes the text up to the next `stop`. *rest is the text after it, with `at` NULL at the end. Returns false
// if there is no more.
static bool next_piece(Str *rest, char stop, Str *part) {
  if (!rest->at) return false;
  size_t n = param_text_until(*rest, stop);
  *part = str_trimmed(piece(*rest, 0, n));
  *rest = n < rest->n ? piece(*rest, n + 1, rest->n) : (Str){0};
  return true;
}

bool name_is_plain(Str text) {
  for (size_t i = 0; i < text.n; i++) {
    unsigned char ch = (unsigned char)text.at[i];
    bool letter = (ch | 0x20) >= 'a' && (ch | 0x20) <= 'z';
    if (!letter && ch != '_' && ch < 0x80 && !(i > 0 && ch >= '0' && ch <= '9')) return false;
  }
  return text.n > 0;
}

__attribute__((format(printf, 3, 4))) static bool wrong(const ParamReader *r, Str at, const char *format,
                                                        ...) {
  va_list args;
  char text[400];
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  *r->error = (ParamTextError){(size_t)(at.at - r->start), at.n, arena_copy(r->ir->arena, str_from(text))};
  return false;
}

// --- Types and facts ---

static bool parse_elem(const ParamReader *r, Str whole, Str name, Elem *elem) {
  Elem meant;
  if (elem_parse(name, elem)) return true;
  if (str_is(name, "u1")) { // Triton's signatures call i1 so
    *elem = ELEM_I1;
    return true;
  }
  if (elem_meant(name, &meant))
    return wrong(r, whole, "'%.*s' is not a type; did you mean '%.*s%s'?", STR_ARG(whole),
                 (int)strspn(whole.at, "*"), whole.at, elem_info(meant)->name);
  return wrong(r, whole, "'%.*s' is not a type; types are i32, fp16, *fp32 ...", STR_ARG(whole));
}

static bool parse_type(const ParamReader *r, Str text, const Type **type) {
  Str name = text;
  uint32_t stars = 0;
  Elem elem;
  for (; name.n && name.at[0] == '*' && stars < TYPE_MAX_STARS; stars++) name = piece(name, 1, name.n);
  if (str_starts(name, "tl.")) name = piece(name, 3, name.n);
  bool is_const = stars && str_starts(name, "k"); // "*kfp32", as Triton's signatures say it
  if (is_const) name = piece(name, 1, name.n);
  if (!parse_elem(r, text, name, &elem)) return false;
  *type = type_scalar(r->ir, elem);
  for (; stars; stars--, is_const = false)
    *type = is_const ? type_const_ptr(r->ir, *type) : type_ptr(r->ir, *type);
  return true;
}

// Each fact at most once.
static bool parse_fact(const ParamReader *r, Str fact, ParamFacts *facts) {
  bool *flag = str_is(fact, "16") ? &facts->divisible16 : str_is(fact, "1") ? &facts->equal1 : NULL;
  if (!flag) return wrong(r, fact, "expected the fact 16 or 1, found '%.*s'", STR_ARG(fact));
  if (*flag) return wrong(r, fact, "the fact %.*s is given twice", STR_ARG(fact));
  return *flag = true;
}

static bool check_facts(const ParamReader *r, Str text, const ParamSpec *param) {
  const Type *type = param->type;
  if (param->facts.divisible16 && param->facts.equal1)
    return wrong(r, text, "1 is not a multiple of 16: the facts contradict one another");
  if (type && param->facts.equal1 && type->kind == TYPE_PTR)
    return wrong(r, text, "a pointer cannot be known to be 1");
  if (type && type->kind == TYPE_SCALAR && elem_is_float(type->elem) &&
      (param->facts.equal1 || param->facts.divisible16))
    return wrong(r, text, "floating-point parameters have no facts about their values");
  return true;
}

// --- Tensor descriptors ---

// Parses "64, 32]"; *used is past the bracket.
static bool parse_block(const ParamReader *r, Str text, uint32_t *rank, uint32_t *shape, size_t *used) {
  size_t n = param_text_until(text, ']');
  Str rest = piece(text, 0, n), size;
  if (n == text.n) return wrong(r, text, "the bracket of the descriptor's block is not closed");
  for (*rank = 0; next_piece(&rest, ',', &size); (*rank)++) {
    uint64_t value;
    if (*rank == DESCRIPTOR_MAX_RANK)
      return wrong(r, size, "a descriptor's block has at most %d dimensions", DESCRIPTOR_MAX_RANK);
    if (!u64_parse(size, &value) || value == 0 || value > TILE_MAX_ELEMENTS || (value & (value - 1)))
      return wrong(r, size, "the sizes of a descriptor's block must be powers of two, up to %d, not '%.*s'",
                   TILE_MAX_ELEMENTS, STR_ARG(size));
    shape[*rank] = (uint32_t)value;
  }
  *used = n + 1;
  return true;
}

// Sets every part's known facts: those of `facts`, and those common to all descriptors.
static void fill_parts(IrContext *ir, ParamSpec *param, ParamFacts facts) {
  uint32_t rank = param->type->rank;
  param->item_count = descriptor_parts(rank);
  param->items = ARENA_ARRAY(ir->arena, ParamSpec, param->item_count);
  for (uint32_t i = 0; i < param->item_count; i++) {
    param->items[i].facts = facts;
    param->items[i].aligned = i > rank;
  }
  param->items[0].facts = (ParamFacts){.divisible16 = true};
  param->items[2 * rank].facts = (ParamFacts){.equal1 = true};
}

// Reads what follows a descriptor's block: ", nan", ", tf32", ", nan, tf32".
static bool parse_loads(const ParamReader *r, Str after, ParamSpec *param) {
  Str rest = after, word;
  while (rest.n) {
    if (rest.at[0] == ',') rest = str_trimmed(piece(rest, 1, rest.n));
    const char *comma = rest.n ? memchr(rest.at, ',', rest.n) : NULL;
    word = str_trimmed(piece(rest, 0, comma ? (size_t)(comma - rest.at) : rest.n));
    rest = comma ? piece(rest, (size_t)(comma - rest.at), rest.n) : piece(rest, rest.n, rest.n);
    if (!str_is(word, "nan") && !str_is(word, "zero") && !str_is(word, "tf32"))
      return wrong(r, word, "expected the padding zero or nan, or tf32, found '%.*s'", STR_ARG(word));
    param->pads_nan |= str_is(word, "nan");
    param->rounds_tf32 |= str_is(word, "tf32");
  }
  return true;
}

// Parses "tensordesc<fp16[64, 32]>", "tensordesc<fp16[64, 32], nan>", with ":16".
static bool parse_descriptor(const ParamReader *r, Str text, ParamSpec *param) {
  Str rest = text, part, inner;
  uint32_t rank = 0, shape[DESCRIPTOR_MAX_RANK];
  size_t used = 0;
  Elem elem;
  ParamFacts facts = {0};
  next_piece(&rest, ':', &part);
  inner = str_trimmed(piece(part, strlen("tensordesc"), part.n));
  if (inner.n < 2 || inner.at[0] != '<' || inner.at[inner.n - 1] != '>')
    return wrong(r, part, "a descriptor's type must be like tensordesc<fp16[64, 32]>, not '%.*s'",
                 STR_ARG(part));
  inner = piece(inner, 1, inner.n - 1);
  const char *open = memchr(inner.at, '[', inner.n);
  if (!open) return wrong(r, part, "the descriptor's block is missing, as in tensordesc<fp16[64, 32]>");
  size_t n = (size_t)(open - inner.at);
  Str name = str_trimmed(piece(inner, 0, n));
  if (!parse_elem(r, name, name, &elem)) return false;
  if (!parse_block(r, piece(inner, n + 1, inner.n), &rank, shape, &used)) return false;
  Str after = str_trimmed(piece(inner, n + 1 + used, inner.n));
  if (!parse_loads(r, after, param)) return false;
  param->form = PARAM_DESCRIPTOR;
  param->type = type_block_ptr(r->ir, type_scalar(r->ir, elem), rank, shape);
  while (next_piece(&rest, ':', &part))
    if (!parse_fact(r, part, &facts)) return false;
  if (facts.equal1) return wrong(r, text, "a descriptor's sizes and strides can have only the fact 16");
  fill_parts(r->ir, param, facts);
  return true;
}

// --- Tuples, constexprs ---

static bool parse_param(ParamReader *r, Str text, ParamSpec *param);

static bool parse_item(ParamReader *r, Str text, ParamSpec *item) {
  size_t n = param_text_until(text, '=');
  if (n < text.n) {
    Str name = str_trimmed(piece(text, 0, n));
    if (!name_is_plain(name)) return wrong(r, name, "'%.*s' is not the name of an element", STR_ARG(name));
    item->name = ir_name(r->ir, name);
    text = str_trimmed(piece(text, n + 1, text.n));
  }
  return parse_param(r, text, item);
}

static bool check_names(ParamReader *r, Str text, const ParamSpec *tuple) {
  for (uint32_t i = 0; i < tuple->item_count; i++) {
    if (!tuple->items[i].name != !tuple->items[0].name)
      return wrong(r, text, "either all elements of a tuple must have names, or none");
    for (uint32_t k = 0; k < i; k++)
      if (tuple->items[i].name && tuple->items[i].name == tuple->items[k].name)
        return wrong(r, text, "two elements of the tuple are called '%s'", tuple->items[i].name);
  }
  return true;
}

static bool parse_tuple(ParamReader *r, Str text, ParamSpec *param) {
  Str inner = str_trimmed(piece(text, 1, text.n - 1)), rest = inner, part;
  uint32_t count = 0;
  if (++r->depth > PARAM_MAX_DEPTH) return wrong(r, text, "there are too many tuples within tuples");
  if (!inner.n) rest = (Str){0};
  for (Str left = rest; next_piece(&left, ',', &part);) count += part.n || left.at;
  param->form = PARAM_TUPLE;
  param->items = ARENA_ARRAY(r->ir->arena, ParamSpec, count);
  for (uint32_t i = 0; i < count; i++) {
    next_piece(&rest, ',', &part);
    if (!part.n) return wrong(r, inner, "an element of the tuple is missing");
    if (!parse_item(r, part, &param->items[param->item_count++])) return false;
  }
  r->depth--;
  return check_names(r, text, param);
}

// Parses "constexpr(64)": a literal, a type, or a function's name.
static bool parse_constexpr(const ParamReader *r, Str text, ParamSpec *param) {
  Str inner = str_trimmed(piece(text, strlen("constexpr("), text.n - 1));
  ConstValue *value = ARENA_NEW(r->ir->arena, ConstValue);
  param->form = PARAM_CONSTEXPR;
  param->value = value;
  if (const_parse(r->ir, inner, value)) return true;
  if (!name_is_plain(inner)) return wrong(r, inner, "'%.*s' is not a Python literal", STR_ARG(inner));
  *value = (ConstValue){.kind = CONST_NAME, .str = ir_name(r->ir, inner)};
  return true;
}

static bool parse_plain(const ParamReader *r, Str text, ParamSpec *param) {
  Str rest = text, part;
  if (text.n == 0) return wrong(r, text, "expected [TYPE][:16][:1] or None for '%s'", r->name);
  if (str_is(text, "None")) return param->facts.none = true;
  next_piece(&rest, ':', &part);
  if (part.n > 0 && !parse_type(r, part, &param->type)) return false;
  while (next_piece(&rest, ':', &part))
    if (!parse_fact(r, part, &param->facts)) return false;
  return check_facts(r, text, param);
}

static bool parse_param(ParamReader *r, Str text, ParamSpec *param) {
  bool closed = text.n > 1 && text.at[text.n - 1] == ')';
  if (text.n && text.at[0] == '(')
    return closed ? parse_tuple(r, text, param) : wrong(r, text, "the bracket of the tuple is not closed");
  if (str_starts(text, "constexpr("))
    return closed ? parse_constexpr(r, text, param)
                  : wrong(r, text, "the bracket of constexpr( is not closed");
  return str_starts(text, "tensordesc") ? parse_descriptor(r, text, param) : parse_plain(r, text, param);
}

bool param_parse(IrContext *ir, Str text, const char *name, ParamSpec *param, ParamTextError *error) {
  ParamReader r = {.ir = ir, .start = text.at, .name = name, .error = error};
  const char *kept = param->name;
  *param = (ParamSpec){.name = kept};
  return parse_param(&r, str_trimmed(text), param);
}

// --- Printing ---

static void print_descriptor(const ParamSpec *param, Buf *out) {
  const Type *type = param->type;
  buf_printf(out, "tensordesc<%s[", elem_info(type->elem)->name);
  for (uint32_t i = 0; i < type->rank; i++) buf_printf(out, "%s%u", i ? ", " : "", type->shape[i]);
  buf_printf(out, "]%s%s>", param->pads_nan ? ", nan" : "", param->rounds_tf32 ? ", tf32" : "");
}

void param_print(const ParamSpec *param, Buf *out) {
  switch (param->form) {
  case PARAM_PLAIN:
    if (param->facts.none)
      buf_text(out, "None");
    else if (param->type)
      type_print(param->type, out);
    break;
  case PARAM_DESCRIPTOR: print_descriptor(param, out); break;
  case PARAM_CONSTEXPR:
    buf_text(out, "constexpr(");
    const_print(param->value, out);
    buf_text(out, ")");
    break;
  case PARAM_TUPLE:
    buf_text(out, "(");
    for (uint32_t i = 0; i < param->item_count; i++) {
      if (i) buf_text(out, ", ");
      if (param->items[i].name) buf_printf(out, "%s=", param->items[i].name);
      param_print(&param->items[i], out);
    }
    buf_text(out, param->item_count == 1 ? ",)" : ")");
    break;
  }
}
