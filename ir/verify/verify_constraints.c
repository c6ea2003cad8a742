// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constraints on operands and results that ops.def states.
#include "base/fault.h"
#include "ir/verify/verify_parts.h"

// A class of elements, and the words for it.
typedef struct ElementClass {
  const char *name, *words;
  bool (*holds)(const Type *element); // NULL: of the element type `name`
} ElementClass;

static bool is_int(const Type *t) { return type_is_int(t); }
static bool is_float(const Type *t) { return type_is_float(t); }
static bool is_ptr(const Type *t) { return t->kind == TYPE_PTR; }
static bool is_index(const Type *t) { return type_is_int(t) && t->elem != ELEM_I1; }
static bool is_number(const Type *t) { return t->kind == TYPE_SCALAR; }
static bool is_address(const Type *t) { return is_int(t) || is_ptr(t); }
static bool is_data(const Type *t) { return is_number(t) || is_ptr(t); }
static bool is_math(const Type *t) { return type_is_elem(t, ELEM_FP32) || type_is_elem(t, ELEM_FP64); }

static const ElementClass elements[] = {
    {"int", "integers", is_int},
    {"index", "integers other than i1", is_index},
    {"float", "floats", is_float},
    {"math", "fp32 or fp64", is_math},
    {"number", "integers or floats", is_number},
    {"ptr", "pointers", is_ptr},
    {"address", "integers or pointers", is_address},
    {"data", "numbers or pointers", is_data},
    {"i1", "i1", NULL},
    {"i32", "i32", NULL},
    {"i64", "i64", NULL},
    {"fp32", "fp32", NULL},
};

// A class of types that hold elements. The element's words come between `words` and `after`.
typedef struct FormClass {
  const char *name, *words, *after;
  bool (*holds)(const Type *type);
} FormClass;

static bool is_scalar(const Type *t) { return t->kind == TYPE_SCALAR; }
static bool is_row(const Type *t) { return type_is_tile(t) && t->rank == 1; }
static bool has_values(const Type *t) { return is_data(type_element(t)); }
static bool is_shared(const Type *t) { return t->kind == TYPE_SHARED; }
static bool is_buffer(const Type *t) { return is_shared(t) && t->layout; }
static bool is_bins(const Type *t) { return is_buffer(t) && t->rank == 1; }
static bool is_mbarrier(const Type *t) { return is_shared(t) && type_elements(t) == 1; }
static bool is_tmem(const Type *t) { return t->kind == TYPE_TMEM; }
static bool is_token(const Type *t) { return t->kind == TYPE_TOKEN; }
static bool is_ring_type(const Type *t) { return t->kind == TYPE_RING; }
static bool is_map(const Type *t) { return t->kind == TYPE_TENSOR_MAP; }

static const FormClass forms[] = {
    {"scalar", "", "", is_scalar},
    {"tile", "a tile", "", type_is_tile},
    {"row", "a tile", " with one dimension", is_row},
    {"values", "numbers or pointers", "", has_values},
    {"buffer", "a shared buffer with its layout", "", is_buffer},
    {"bins", "a shared buffer", " with one dimension", is_bins},
    {"mbarriers", "a shared buffer", "", is_shared},
    {"mbarrier", "a shared buffer", " with one element", is_mbarrier},
    {"tmem", "tensor memory", "", is_tmem},
    {"token", "a token", "", is_token},
    {"ring", "a ring", "", is_ring_type},
    {"block_ptr", "a block pointer", "", type_is_block_ptr},
    {"tensor_map", "a tensor map", "", is_map},
};

// The class that a word names: a form, an element, or both with a dot between them.
typedef struct TypeClass {
  const FormClass *form;
  const ElementClass *element;
} TypeClass;

static TypeClass class_of(Str word) {
  TypeClass class = {0};
  size_t dot = 0;
  while (dot < word.n && word.at[dot] != '.') dot++;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (str_is((Str){word.at, dot}, forms[i].name)) class.form = &forms[i];
  Str rest = class.form ? (Str){word.at + dot + 1, dot < word.n ? word.n - dot - 1 : 0} : word;
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
    if (str_is(rest, elements[i].name)) class.element = &elements[i];
  if (rest.n && !class.element) BUG("no class of types '%.*s'", (int)word.n, word.at);
  return class;
}

static bool class_holds(const TypeClass *class, const Type *type) {
  if (class->form && !class->form->holds(type)) return false;
  if (!class->element) return true;
  const Type *element = type_element(type);
  if (class->element->holds) return has_values(type) && class->element->holds(element);
  return (is_shared(type) || is_scalar(element)) &&
         strcmp(elem_info(element->elem)->name, class->element->name) == 0;
}

// The values that a name means: `result`, `operands`, or an operand; from one with `...` on, the rest.
typedef struct Named {
  Str name;
  uint32_t from, to;
  bool results;
} Named;

static Named find_values(const Op *op, Str name) {
  Named found = {.name = name, .to = op_input_count(op)};
  if (str_is(name, "operands")) return found;
  if (str_is(name, "result")) return (Named){.name = name, .to = op->result_count, .results = true};
  const char *words = op_info(op->kind)->operands;
  for (Str word; words_next(&words, &word); found.from++) {
    size_t n = 0;
    while (n < word.n && word.at[n] != '?' && word.at[n] != '.') n++;
    if (!str_eq((Str){word.at, n}, name)) continue;
    if (word.at[word.n - 1] != '.' && found.to > found.from) found.to = found.from + 1;
    return found;
  }
  BUG("%s has no operand '%.*s'", op_info(op->kind)->name, (int)name.n, name.at);
}

static const Type *type_at(const Op *op, const Named *values, uint32_t i) {
  return values->results ? op->results[i].type : operand_type(op, i);
}

// "the result", "operand mask", "operand 3" of several.
static const char *value_text(Verifier *v, const Named *values, uint32_t i) {
  Buf text = {0};
  if (values->results)
    buf_text(&text, "the result");
  else if (values->to - values->from > 1)
    buf_printf(&text, "operand %u", i);
  else
    buf_printf(&text, "operand %.*s", (int)values->name.n, values->name.at);
  const char *copy = arena_copy(&v->scratch, buf_view(&text));
  buf_free(&text);
  return copy;
}

static void fail_class(Verifier *v, const Op *op, const Named *values, uint32_t i, const TypeClass *class) {
  const FormClass *form = class->form;
  const char *element = class->element ? class->element->words : "";
  const char *of = !form || (form->words[0] && element[0]) ? " of " : " ";
  const char *type = verify_type_text(v, type_at(op, values, i));
  if (!form && str_is(values->name, "operands"))
    verify_fail(v, op, "the operands are %s, not %s", element, type);
  else
    verify_fail(v, op, "%s is%s%s%s%s%s, not %s", value_text(v, values, i), form && form->words[0] ? " " : "",
                form ? form->words : "", element[0] ? of : "", element, form ? form->after : "", type);
}

static bool same_place(const Type *a, const Type *b) {
  return type_same_shape(a, b) && a->layout == b->layout;
}

static bool points_to(const Type *pointer, const Type *values) {
  return type_element(pointer)->inner == type_element(values);
}

// Compares with the first value of the other name.
static bool check_relation(Verifier *v, const Op *op, const Named *values, uint32_t i, char relation,
                           Str other) {
  Named against = find_values(op, other);
  if (against.from >= against.to) return true;
  const Type *type = type_at(op, values, i), *wanted = type_at(op, &against, against.from);
  bool holds = relation == '='   ? type == wanted
               : relation == '~' ? same_place(type, wanted)
                                 : points_to(type, wanted);
  if (holds) return true;
  const char *name = value_text(v, values, i), *its = value_text(v, &against, against.from);
  const char *text = verify_type_text(v, type), *other_text = verify_type_text(v, wanted);
  if (relation == '*')
    verify_fail(v, op, "%s is %s, but %s is %s", its, other_text, name, text);
  else
    verify_fail(v, op, "%s has the %s of %s, %s, not %s", name, relation == '=' ? "type" : "shape and layout",
                its, other_text, text);
  return false;
}

// One constraint: a name, a sign, and the rest.
static bool check_constraint(Verifier *v, const Op *op, Str word) {
  size_t n = strcspn(word.at, ":=~*@");
  Str rest = {word.at + n + 1, word.n - n - 1};
  if (word.at[n] == '@') return verify_axis(v, op, type_at(op, &(Named){0}, find_values(op, rest).from));
  Named values = find_values(op, (Str){word.at, n});
  TypeClass class = {0};
  if (word.at[n] == ':') class = class_of(rest);
  for (uint32_t i = values.from; i < values.to; i++) {
    if (word.at[n] != ':' && !check_relation(v, op, &values, i, word.at[n], rest)) return false;
    if (word.at[n] != ':' || class_holds(&class, type_at(op, &values, i))) continue;
    fail_class(v, op, &values, i, &class);
    return false;
  }
  return true;
}

bool verify_constraints(Verifier *v, const Op *op) {
  const char *words = op_info(op->kind)->types;
  for (Str word; words_next(&words, &word);)
    if (!check_constraint(v, op, word)) return false;
  return true;
}
