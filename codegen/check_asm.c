// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the constraints and text of inline_asm as LLVM does.
#include <string.h>
#include "codegen/inline_asm.h"

uint32_t asm_elements(const Type *type, uint32_t pack) {
  uint32_t bytes = type_element_bytes(type), most = bytes >= 4 ? 1 : 4 / bytes;
  return most < pack ? most : pack;
}

// Registers that `pack` elements of the type take.
static uint32_t asm_registers(const Type *type, uint32_t pack) { return pack / asm_elements(type, pack); }

static uint32_t letter_bits(char letter) {
  switch (letter) {
  case ASM_PREDICATE: return 1;
  case ASM_INT16:
  case 'c': return 16;
  case ASM_INT32:
  case ASM_FP32: return 32;
  case ASM_INT64:
  case ASM_FP64:
  case 'N': return 64;
  default: return 0;
  }
}

// "r", "n", "rn": a register where one will do; 0: another letter is among them.
static char letter_among(const char *text, size_t n) {
  char letter = ASM_IMMEDIATE;
  for (size_t i = 0; i < n; i++) {
    bool immediate = text[i] == 'n' || text[i] == 'i';
    if (!immediate && !letter_bits(text[i])) return 0;
    if (!immediate && letter == ASM_IMMEDIATE) letter = text[i];
  }
  return letter == 'c' ? ASM_INT16 : letter == 'N' ? ASM_INT64 : letter;
}

// The input's letter, or the letter of the output with that number; 0: neither.
static char letter_of(const AsmShape *shape, const char *text, size_t n) {
  if (n && letter_among(text, n)) return letter_among(text, n);
  uint32_t output = 0;
  for (size_t i = 0; i < n; i++) {
    if (text[i] < '0' || text[i] > '9' || output > ASM_MAX_REGISTERS) return 0;
    output = 10 * output + (uint32_t)(text[i] - '0');
  }
  return n && output < shape->outputs ? shape->letter[output] : 0;
}

static bool read_one(AsmShape *shape, const char *text, size_t n) {
  bool is_output = n && text[0] == '=';
  if (n && text[0] == '~') return n > 3 && text[1] == '{' && text[n - 1] == '}';
  if (shape->outputs + shape->inputs == ASM_MAX_REGISTERS || (is_output && shape->inputs)) return false;
  if (is_output) text++, n--;
  if (is_output && n && text[0] == '&') text++, n--;
  char letter = letter_of(shape, text, n);
  if (!letter || (is_output && (n != 1 || letter == ASM_IMMEDIATE))) return false;
  shape->letter[shape->outputs + shape->inputs] = letter;
  is_output ? shape->outputs++ : shape->inputs++;
  return true;
}

static const char *read_constraints(Arena *arena, const char *text, AsmShape *shape) {
  while (*text) {
    while (*text == ' ') text++;
    size_t n = strcspn(text, ","), used = n;
    while (used && text[used - 1] == ' ') used--;
    if (!read_one(shape, text, used))
      return arena_printf(arena,
                          "unknown constraint '%.*s': use b, h, r, l, f, d, or for inputs n or an output's "
                          "number; outputs come first",
                          (int)(used < 40 ? used : 40), text);
    text += n + (text[n] == ',');
  }
  return NULL;
}

// Accepts $0, ${0} and $$. LLVM crashes on a number past the registers, or on anything else after a $.
static const char *read_text(Arena *arena, const char *text, uint32_t registers) {
  for (const char *at = strchr(text, '$'); at; at = strchr(at, '$')) {
    bool braces = at[1] == '{';
    const char *number = at + 1 + braces;
    uint32_t n = 0;
    if (at[1] == '$') {
      at += 2;
      continue;
    }
    at = number;
    while (*at >= '0' && *at <= '9' && n < 10000) n = 10 * n + (uint32_t)(*at++ - '0');
    if (at == number || n >= registers || (braces && *at != '}'))
      return arena_printf(arena, "the text's '$%.*s' names none of the %u registers", 4, number, registers);
  }
  return NULL;
}

static uint32_t register_bits(const Type *type, uint32_t pack) {
  return 8 * type_element_bytes(type) * asm_elements(type, pack);
}

static bool fits(const Type *type, uint32_t pack, char letter) {
  if (letter == ASM_IMMEDIATE) return register_bits(type, pack) <= 64;
  if (letter == ASM_PREDICATE) return type_is_elem(type, ELEM_I1) && pack == 1;
  return register_bits(type, pack) <= letter_bits(letter);
}

// An immediate is written into the text, so its value must be known.
static const char *check_immediates(Arena *arena, const Op *op, uint32_t pack, AsmShape *shape) {
  uint32_t at = shape->outputs;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Value *x = op_operand(op, i);
    int64_t number;
    bool known = type_is_int(x->type) && value_int_constant(x, &number);
    for (uint32_t r = 0; r < asm_registers(x->type, pack); r++, at++) {
      if (shape->letter[at] != ASM_IMMEDIATE) continue;
      if (!known)
        return arena_printf(
            arena, "register %u has the constraint 'n': it takes an integer that is known at compile time",
            at);
      if (register_bits(x->type, pack) > 32) shape->letter[at] = ASM_WIDE_IMMEDIATE;
    }
  }
  return NULL;
}

// Checks that each value fits its register. A pointer made from 32 bits has zeros above them.
// Symmetric-memory barriers pass such a pointer and never use it.
static const char *check_widths(Arena *arena, const Op *op, uint32_t pack, const AsmShape *shape) {
  uint32_t at = 0, values = op->result_count + op->operand_count;
  for (uint32_t i = 0; i < values; i++) {
    const Type *type =
        i < op->result_count ? op->results[i].type : op_operand(op, i - op->result_count)->type;
    for (uint32_t r = 0; r < asm_registers(type, pack); r++, at++)
      if (!fits(type, pack, shape->letter[at]) &&
          !(i < op->result_count && type_is_ptr(type) && shape->letter[at] == ASM_INT32))
        return arena_printf(arena, "%u bits do not fit the constraint '%c' of register %u",
                            register_bits(type, pack), shape->letter[at], at);
  }
  return NULL;
}

const char *asm_read(Arena *arena, const Op *op, AsmShape *shape) {
  uint32_t pack = (uint32_t)op_int(op, ATTR_PACK, 1), outputs = 0, inputs = 0;
  *shape = (AsmShape){0};
  const char *wrong = read_constraints(arena, op_attr(op, ATTR_CONSTRAINTS)->str, shape);
  if (wrong) return wrong;
  for (uint32_t i = 0; i < op->result_count; i++) outputs += asm_registers(op->results[i].type, pack);
  for (uint32_t i = 0; i < op->operand_count; i++) inputs += asm_registers(op_operand(op, i)->type, pack);
  if (outputs != shape->outputs || inputs != shape->inputs)
    return arena_printf(
        arena, "the constraints name %u outputs and %u inputs, but the types and 'pack' ask for %u and %u",
        shape->outputs, shape->inputs, outputs, inputs);
  wrong = read_text(arena, op_attr(op, ATTR_ASM)->str, outputs + inputs);
  if (!wrong) wrong = check_widths(arena, op, pack, shape);
  return wrong ? wrong : check_immediates(arena, op, pack, shape);
}
