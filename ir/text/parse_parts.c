// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Basic functions of the parser: tokens, numbers, types, layouts, locations.
#include "ir/text/parse_parts.h"
#include "base/integer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { MAX_CALLS = 256, MAX_FILES = 1000 };

void parser_fail(Parser *p, Loc loc, const char *format, ...) {
  if (p->failed) return;
  char message[400];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  diag_error(p->ir->diags, loc, "[T0000] %s", message);
  p->failed = true;
  p->token.kind = TOKEN_END;
}

static int shown_length(Str text) { return text.n > 60 ? 60 : (int)text.n; }

void parser_expected(Parser *p, const char *what) {
  const IrToken *token = &p->token;
  if (token->kind == TOKEN_END)
    parser_fail(p, token->loc, "expected %s, found the end of the file", what);
  else if (token->kind == TOKEN_BAD && token->text.at[0] == '"')
    parser_fail(p, token->loc, "expected %s, found a string without its closing quote", what);
  else {
    const char *sigil = token->kind == TOKEN_VALUE    ? "%"
                        : token->kind == TOKEN_SYMBOL ? "@"
                        : token->kind == TOKEN_ALIAS  ? "#"
                                                      : "";
    parser_fail(p, token->loc, "expected %s, found '%s%.*s'", what, sigil, shown_length(token->text),
                token->text.at);
  }
}

void parser_unknown(Parser *p, const char *what, const char *const *names, size_t n) {
  Str text = p->token.text;
  const char *nearest = diag_nearest(text, names, n);
  if (nearest)
    parser_fail(p, p->token.loc, "unknown %s '%.*s'; did you mean '%s'?", what, shown_length(text), text.at,
                nearest);
  else
    parser_fail(p, p->token.loc, "unknown %s '%.*s'", what, shown_length(text), text.at);
}

void parser_advance(Parser *p) {
  if (!p->failed) p->token = lexer_next(&p->lexer);
}

bool parser_is(const Parser *p, char punct) {
  return p->token.kind == TOKEN_PUNCT && p->token.text.at[0] == punct;
}

bool parser_is_word(const Parser *p, const char *word) {
  return p->token.kind == TOKEN_WORD && str_is(p->token.text, word);
}

bool parser_either(Parser *p, const char *first, const char *second, const char *both) {
  bool is_first = parser_is_word(p, first);
  if (!is_first && !parser_is_word(p, second)) parser_expected(p, both);
  parser_advance(p);
  return is_first;
}

bool parser_take(Parser *p, char punct) {
  if (!parser_is(p, punct)) return false;
  parser_advance(p);
  return true;
}

bool parser_take_word(Parser *p, const char *word) {
  if (!parser_is_word(p, word)) return false;
  parser_advance(p);
  return true;
}

bool parser_expect(Parser *p, char punct) {
  char what[4] = {'\'', punct, '\'', '\0'};
  if (!parser_is(p, punct)) parser_expected(p, what);
  parser_advance(p);
  return !p->failed;
}

bool parser_expect_word(Parser *p, const char *word) {
  char what[40];
  snprintf(what, sizeof what, "'%s'", word);
  if (!parser_is_word(p, word)) parser_expected(p, what);
  parser_advance(p);
  return !p->failed;
}

const char *parser_name(Parser *p, TokenKind kind, const char *what) {
  if (p->token.kind != kind) parser_expected(p, what);
  if (p->failed) return NULL;
  const char *name = ir_name(p->ir, p->token.text);
  parser_advance(p);
  return name;
}

uint64_t parser_u64(Parser *p, uint64_t max, const char *what) {
  uint64_t value = 0;
  if (p->token.kind != TOKEN_NUMBER || !u64_parse(p->token.text, &value))
    parser_expected(p, what);
  else if (value > max)
    parser_fail(p, p->token.loc, "%s may be at most %llu", what, (unsigned long long)max);
  parser_advance(p);
  return p->failed ? 0 : value;
}

int64_t parser_i64(Parser *p) {
  Str text = p->token.text;
  bool negative = text.n > 0 && p->token.kind == TOKEN_NUMBER && text.at[0] == '-';
  uint64_t magnitude = 0, limit = negative ? UINT64_C(1) << 63 : INT64_MAX;
  if (p->token.kind != TOKEN_NUMBER || !u64_parse((Str){text.at + negative, text.n - negative}, &magnitude))
    parser_expected(p, "an integer");
  else if (magnitude > limit)
    parser_fail(p, p->token.loc, "the integer does not fit in 64 bits");
  parser_advance(p);
  if (p->failed) return 0;
  return (int64_t)(negative ? 0 - magnitude : magnitude);
}

double parser_double(Parser *p) {
  double value = 0;
  if (parser_take_word(p, "inf")) return (double)INFINITY;
  if (parser_take_word(p, "nan")) {
    uint64_t bits = UINT64_C(0x7ff8000000000000);
    Loc loc = p->token.loc;
    if (parser_take(p, '(')) {
      bits = parser_u64(p, UINT64_MAX, "the bits of a NaN");
      parser_expect(p, ')');
    }
    memcpy(&value, &bits, sizeof value);
    if (!isnan(value)) parser_fail(p, loc, "these are not the bits of a NaN");
    return value;
  }
  bool is_number = p->token.kind == TOKEN_NUMBER;
  if (is_number && str_is(p->token.text, "-inf"))
    value = -(double)INFINITY;
  else if (!is_number || !double_parse(p->token.text, &value))
    parser_expected(p, "a floating-point number");
  parser_advance(p);
  return value;
}

const char *parser_string(Parser *p) {
  if (p->token.kind != TOKEN_STRING) parser_expected(p, "a string");
  if (p->failed) return "";
  Buf text = {0};
  size_t used = 0;
  bool ok = string_parse(p->token.text, &used, &text) && used == p->token.text.n;
  const char *interned = ir_name(p->ir, buf_view(&text));
  buf_free(&text);
  if (!ok) parser_fail(p, p->token.loc, "a bad escape in a string");
  parser_advance(p);
  return interned;
}

static const Type *scalar_by_name(Parser *p, Str name, Loc loc) {
  Elem elem;
  if (elem_parse(name, &elem)) return type_scalar(p->ir, elem);
  const char *names[2 * ELEM_COUNT];
  for (int i = 0; i < ELEM_COUNT; i++) {
    names[2 * i] = elem_info((Elem)i)->name;
    names[2 * i + 1] = elem_info((Elem)i)->long_name;
  }
  p->token.text = name;
  p->token.loc = loc;
  parser_unknown(p, "type", names, sizeof names / sizeof *names);
  return NULL;
}

// element := '*'* WORD
static const Type *parse_element(Parser *p) {
  uint32_t stars = 0;
  while (parser_take(p, '*'))
    if (++stars > TYPE_MAX_STARS) parser_fail(p, p->token.loc, "more than %d '*'", TYPE_MAX_STARS);
  if (p->token.kind != TOKEN_WORD) parser_expected(p, "a type");
  if (p->failed) return NULL;
  const Type *type = scalar_by_name(p, p->token.text, p->token.loc);
  parser_advance(p);
  for (; type && stars > 0; stars--) type = type_ptr(p->ir, type);
  return type;
}

// shape := (SIZE 'x')+, the last followed by the element type in the same token or by '*'. Gives the rank,
// and in *element the rest of the token, empty where there is none.
static uint32_t parse_shape(Parser *p, uint32_t *shape, Str *element) {
  if (p->token.kind != TOKEN_NUMBER) parser_expected(p, "a shape");
  if (p->failed) return 0;
  Str rest = p->token.text;
  uint32_t rank = 0;
  while (rest.n > 0 && rest.at[0] >= '0' && rest.at[0] <= '9') {
    uint64_t size = 0;
    size_t i = 0;
    for (; i < rest.n && rest.at[i] >= '0' && rest.at[i] <= '9'; i++)
      if (size <= UINT32_MAX) size = size * 10 + (uint64_t)(rest.at[i] - '0');
    if (i == rest.n || rest.at[i] != 'x')
      parser_expected(p, "a size followed by 'x'");
    else if (size > UINT32_MAX)
      parser_fail(p, p->token.loc, "a tile's size is too large");
    else if (rank == TILE_MAX_RANK)
      parser_fail(p, p->token.loc, "a tile has at most %d dimensions", TILE_MAX_RANK);
    if (p->failed) return 0;
    shape[rank++] = (uint32_t)size;
    rest = (Str){rest.at + i + 1, rest.n - i - 1};
  }
  if (rank == 0) parser_expected(p, "a shape");
  *element = rest;
  return rank;
}

static const Type *shaped_type(Parser *p, TypeKind kind, const Type *element, uint32_t rank,
                               const uint32_t *shape, const Layout *layout) {
  if (kind == TYPE_SHARED) return type_shared(p->ir, element->elem, rank, shape, layout);
  if (kind == TYPE_TMEM) return type_tmem(p->ir, element->elem, rank, shape);
  if (kind == TYPE_BLOCK_PTR) return type_block_ptr(p->ir, element, rank, shape);
  return type_tile(p->ir, element, rank, shape, layout);
}

// shaped := ('tile' | 'shared' | 'tmem' | 'block_ptr') '<' shape [',' layout] '>'
static const Type *parse_shaped(Parser *p, TypeKind kind) {
  parser_advance(p);
  parser_expect(p, '<');
  uint32_t shape[TILE_MAX_RANK];
  Str rest = {0};
  Loc loc = p->token.loc;
  uint32_t rank = parse_shape(p, shape, &rest);
  const Type *element = NULL;
  if (!p->failed && rest.n) element = scalar_by_name(p, rest, loc);
  parser_advance(p);
  if (!p->failed && !rest.n) element = parse_element(p);
  if ((kind == TYPE_BLOCK_PTR || kind == TYPE_TMEM) && parser_is(p, ','))
    parser_fail(p, p->token.loc, "%s has no layout", kind == TYPE_TMEM ? "tensor memory" : "a block pointer");
  const Layout *layout = parser_take(p, ',') ? parse_layout(p) : NULL;
  parser_expect(p, '>');
  if (p->failed) return NULL;
  if ((kind == TYPE_SHARED || kind == TYPE_TMEM) && element->kind != TYPE_SCALAR)
    parser_fail(p, loc, "%s holds scalars", kind == TYPE_TMEM ? "tensor memory" : "a shared buffer");
  return p->failed ? NULL : shaped_type(p, kind, element, rank, shape, layout);
}

// bytes := 'bytes' '<' SIZE '>'     of one size
static const Type *parse_bytes(Parser *p) {
  parser_expect(p, '<');
  Loc loc = p->token.loc;
  uint64_t size = parser_u64(p, UINT32_MAX, "the size");
  if (!p->failed && size != BY_VALUE_BYTES)
    parser_fail(p, loc, "%d bytes are passed by value, no other number", BY_VALUE_BYTES);
  parser_expect(p, '>');
  return type_bytes(p->ir);
}

static uint32_t parse_box(Parser *p, uint32_t *box) {
  uint32_t rank = 0;
  parser_expect_word(p, "box");
  parser_expect(p, '=');
  parser_expect(p, '[');
  do {
    if (rank == TENSOR_MAP_MAX_RANK)
      parser_fail(p, p->token.loc, "a tensor map has at most %d dimensions", TENSOR_MAP_MAX_RANK);
    uint32_t size = (uint32_t)parser_u64(p, UINT32_MAX, "the box's size");
    if (!p->failed) box[rank++] = size;
  } while (parser_take(p, ',') && !p->failed);
  parser_expect(p, ']');
  return rank;
}

// tensor_map := 'tensor_map' '<' ELEMENT ',' 'box' '=' '[' SIZE {',' SIZE} ']' ',' 'swizzle' '=' BYTES ','
//               'fill' '=' ('zero' | 'nan') '>'
static const Type *parse_tensor_map(Parser *p) {
  uint32_t box[TENSOR_MAP_MAX_RANK];
  parser_expect(p, '<');
  Loc loc = p->token.loc;
  const Type *element = parse_element(p);
  if (element && element->kind != TYPE_SCALAR) parser_fail(p, loc, "a tensor map is of scalars");
  parser_expect(p, ',');
  uint32_t rank = parse_box(p, box);
  parser_expect(p, ',');
  parser_expect_word(p, "swizzle");
  parser_expect(p, '=');
  uint64_t swizzle = parser_u64(p, UINT8_MAX, "the swizzle");
  parser_expect(p, ',');
  parser_expect_word(p, "fill");
  parser_expect(p, '=');
  bool nan = parser_either(p, "nan", "zero", "zero or nan");
  parser_expect(p, '>');
  return p->failed ? NULL : type_tensor_map(p->ir, element->elem, rank, box, (uint32_t)swizzle, nan);
}

const Type *parse_type(Parser *p) {
  if (parser_take_word(p, "token")) return type_token(p->ir);
  if (parser_take_word(p, "bytes")) return parse_bytes(p);
  if (parser_take_word(p, "tensor_map")) return parse_tensor_map(p);
  if (parser_take_word(p, "ring")) return type_ring(p->ir);
  if (parser_is_word(p, "tile")) return parse_shaped(p, TYPE_TILE);
  if (parser_is_word(p, "shared")) return parse_shaped(p, TYPE_SHARED);
  if (parser_is_word(p, "tmem")) return parse_shaped(p, TYPE_TMEM);
  if (parser_is_word(p, "block_ptr")) return parse_shaped(p, TYPE_BLOCK_PTR);
  return parse_element(p);
}

static bool parse_basis_list(Parser *p, Layout *layout, LayoutDim dim) {
  parser_expect(p, '=');
  parser_expect(p, '[');
  uint32_t n = layout_in_bits(layout);
  if (parser_is(p, ']')) parser_expected(p, "a basis");
  do {
    if (n == LAYOUT_MAX_BITS) parser_fail(p, p->token.loc, "a layout has at most %d bases", LAYOUT_MAX_BITS);
    uint64_t basis = parser_u64(p, UINT32_MAX, "a basis");
    if (p->failed) return false;
    layout->basis[n++] = (uint32_t)basis;
    layout->bits[dim]++;
  } while (parser_take(p, ','));
  return parser_expect(p, ']');
}

static int dim_by_name(const Parser *p) {
  for (int d = 0; d < DIM_COUNT; d++)
    if (parser_is_word(p, layout_dim_name((LayoutDim)d))) return d;
  return -1;
}

static const Layout *find_alias(Parser *p) {
  for (uint32_t i = 0; i < p->aliases.n; i++)
    if (str_is(p->token.text, p->aliases.at[i].name)) return p->aliases.at[i].layout;
  parser_fail(p, p->token.loc, "there is no layout '#%.*s'", shown_length(p->token.text), p->token.text.at);
  return NULL;
}

// "layout" '<' [DIM = [...] {, DIM = [...]} ;] SIZE '>', dimensions in LayoutDim order.
static const Layout *parse_layout_literal(Parser *p) {
  Layout layout = {0};
  parser_expect_word(p, "layout");
  parser_expect(p, '<');
  for (int last = -1; p->token.kind == TOKEN_WORD;) {
    int dim = dim_by_name(p);
    if (dim < 0)
      parser_expected(p, "reg, lane, warp, block or offset");
    else if (dim <= last)
      parser_fail(p, p->token.loc, "a layout's dimensions are in the order reg, lane, warp, block, offset");
    parser_advance(p);
    if (p->failed || !parse_basis_list(p, &layout, (LayoutDim)dim)) return NULL;
    last = dim;
    if (parser_take(p, ',')) continue;
    parser_expect(p, ';');
    break;
  }
  Loc loc = p->token.loc;
  uint64_t size = parser_u64(p, UINT32_C(1) << 31, "a layout's size");
  parser_expect(p, '>');
  if (p->failed) return NULL;
  if (size == 0 || (size & (size - 1)) != 0)
    parser_fail(p, loc, "a layout's size is a power of two");
  else
    layout.out_bits = (uint8_t)log2_of(size);
  for (uint32_t i = 0; i < layout_in_bits(&layout); i++)
    if (layout.basis[i] >= size)
      parser_fail(p, loc, "the basis %u is not below the layout's size", layout.basis[i]);
  return p->failed ? NULL : layout_intern(p->ir, &layout);
}

const Layout *parse_layout(Parser *p) {
  if (p->token.kind != TOKEN_ALIAS) return parse_layout_literal(p);
  const Layout *layout = find_alias(p);
  parser_advance(p);
  return layout;
}

static uint16_t file_by_name(Parser *p, const char *name, Loc loc) {
  Sources *sources = p->ir->sources;
  for (uint32_t i = 0; i < sources->files.n; i++)
    if (strcmp(sources->files.at[i].name, name) == 0) return (uint16_t)i;
  if (sources->files.n >= MAX_FILES) parser_fail(p, loc, "more than %d source files", MAX_FILES);
  return p->failed ? 0 : sources_named(sources, name);
}

// place := STRING ':' LINE ':' COLUMN ['+' LENGTH]
static Loc parse_place(Parser *p) {
  Loc place = {0}, at = p->token.loc;
  const char *file = parser_string(p);
  parser_expect(p, ':');
  Loc line = p->token.loc;
  place.line = (uint32_t)parser_u64(p, UINT32_MAX, "a line");
  if (!p->failed && place.line == 0) parser_fail(p, line, "lines are counted from 1");
  parser_expect(p, ':');
  place.col = (uint16_t)parser_u64(p, UINT16_MAX, "a column");
  if (parser_take(p, '+')) place.len = (uint16_t)parser_u64(p, UINT16_MAX, "a length");
  if (!p->failed) place.file = file_by_name(p, file, at);
  return place;
}

Loc parse_loc(Parser *p, Loc otherwise) {
  if (!parser_take_word(p, "loc")) return otherwise;
  parser_expect(p, '(');
  if (parser_take_word(p, "none")) {
    parser_expect(p, ')');
    return LOC_NONE;
  }
  Loc chain[MAX_CALLS];
  uint32_t n = 0;
  do {
    if (n == MAX_CALLS) parser_fail(p, p->token.loc, "a chain of more than %d calls", MAX_CALLS);
    if (p->failed) return otherwise;
    chain[n++] = parse_place(p);
  } while (parser_take_word(p, "at"));
  parser_expect(p, ')');
  if (p->failed) return otherwise;
  for (uint32_t i = n - 1; i > 0; i--) chain[i - 1].call = sources_call(p->ir->sources, chain[i]);
  return chain[0];
}
