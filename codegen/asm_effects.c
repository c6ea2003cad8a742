// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how often inline assembly with side effects runs for an element that several threads hold. Assembly
// that writes memory runs once, in the element's first holder. It runs in every thread that holds the element
// in these cases:
// - it synchronises threads, or reads which thread runs it;
// - other threads need its result.
#include <ctype.h>
#include <string.h>
#include "base/integer.h"
#include "codegen/inline_asm.h"
#include "ir/queries.h"

enum { MAX_USES_DEEP = 8 };

// Instructions with these prefixes change memory, so running them twice has another effect than running them
// once.
static const char *const writes[] = {"red.",        "atom.", "st.",    "multimem.red", "multimem.st",
                                     "multimem.cp", "sust.", "sured.", "call",         NULL};
// Instructions that every thread must run: barriers, warp-wide operations, groups of copies.
static const char *const by_threads[] = {"bar.",   "barrier",    "mbarrier", "cp.", "wgmma",      "tcgen05",
                                         "elect.", "activemask", "exit",     "ret", "setmaxnreg", NULL};
static const char *const thread_numbers[] = {"%tid",       "%laneid",    "%warpid", "%lanemask",
                                             "elect.sync", "activemask", NULL};

static bool is_word(char c) { return isalnum((unsigned char)c) || strchr("_.%$", c); }

// True if an instruction of the text begins with one of the words.
static bool has_instruction(const char *text, const char *const *words) {
  for (; *words; words++)
    for (const char *at = strstr(text, *words); at; at = strstr(at + 1, *words))
      if (at == text || !is_word(at[-1])) return true;
  return false;
}

static bool mentions(const char *text, const char *const *words) {
  while (*words && !strstr(text, *words)) words++;
  return *words != NULL;
}

static const char *text_of(const Op *op) { return op_attr(op, ATTR_ASM)->str; }

static bool means_each_thread(const char *text) {
  return has_instruction(text, by_threads) || mentions(text, thread_numbers) || strstr(text, ".sync") ||
         strstr(text, ".aligned");
}

// True if scalars may differ between threads, because some assembly reads which thread runs it.
static bool scalars_differ(const Op *op) {
  for (OpWalk w = ops_in(op->region->func->body); ops_next(&w);)
    if (w.op->kind == OP_INLINE_ASM && mentions(text_of(w.op), thread_numbers)) return true;
  return false;
}

// True if only the elements' first holders need the value: they do the stores and atomics.
static bool only_first_holders_use(const Value *value, uint32_t depth) {
  for (const Use *use = value->first_use; use; use = use->next) {
    const Op *user = use->user;
    bool access = op_has(user, ATOMIC) || (user->kind == OP_STORE && !op_attr(user, ATTR_WRITER));
    if (access) continue;
    if (!depth || !op_has(user, PURE | ELEMENTWISE)) return false;
    if (!only_first_holders_use(op_result(user), depth - 1)) return false;
  }
  return true;
}

static uint32_t holders_of(const Op *op) {
  const Type *type = op->results[0].type;
  uint32_t free_bits[DIM_COUNT];
  if (!type_is_tile(type)) return TARGET_WARP * region_warps_of(op->region).count;
  layout_free_bits(type->layout, free_bits);
  return 1u << (bit_count(free_bits[DIM_LANE]) + bit_count(free_bits[DIM_WARP]));
}

bool asm_has_effects(const Op *op) { return !op_attr(op, ATTR_PURE) && has_instruction(text_of(op), writes); }

bool asm_runs_once(const Op *op) {
  if (!asm_has_effects(op) || means_each_thread(text_of(op))) return false;
  if (!type_is_tile(op->results[0].type) && scalars_differ(op)) return false;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (!only_first_holders_use(&op->results[i], MAX_USES_DEEP)) return false;
  return true;
}

uint32_t asm_replicas(const Op *op) {
  bool is_scalar = !type_is_tile(op->results[0].type);
  if (!asm_has_effects(op) || asm_runs_once(op) || mentions(text_of(op), thread_numbers)) return 1;
  if (is_scalar && op->region->parent && scalars_differ(op))
    return 1; // the branch decides which threads run
              // it
  return holders_of(op);
}
