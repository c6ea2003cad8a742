// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Detects endless while loops of the evaluator. A loop is endless if three conditions hold:
// * its loop-carried values equal those some rounds ago;
// * no byte of memory has changed since;
// * every op since then was a function of values and memory.
//
// Programs run one after another, so no other program can change anything. Every later round is the same.
#include <inttypes.h>
#include <string.h>
#include "eval/eval_machine.h"
#include "ir/number.h"

enum { WATCHED_FROM = 64 }; // rounds: a loop that ends early is not watched

bool eval_is_function(const Op *op) {
  switch ((int)op->kind) {
  case OP_STORE: // these report themselves if they change a byte
  case OP_ATOMIC_RMW:
  case OP_ATOMIC_CAS:
  case OP_BLOCK_STORE:
  case OP_BARRIER:
  case OP_GDC_WAIT:
  case OP_GDC_LAUNCH_DEPENDENTS: return true;
  default: return !op_has(op, WRITES);
  }
}

static uint64_t carried_bytes(const Machine *m, const Region *region) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < region->arg_count; i++)
    bytes += m->values[region->args[i]->id].n * (sizeof(uint64_t) + 1);
  return bytes;
}

// The bits and states of the loop-carried values: saves them, or compares them with the saved ones.
static bool carried(const Machine *m, const Region *region, uint8_t *kept, bool keep) {
  for (uint32_t i = 0; i < region->arg_count; i++) {
    const Tile *tile = &m->values[region->args[i]->id];
    size_t bits = tile->n * sizeof *tile->bits;
    if (keep) {
      memcpy(kept, tile->bits, bits);
      memcpy(kept + bits, tile->state, tile->n);
    } else if (memcmp(kept, tile->bits, bits) != 0 || memcmp(kept + bits, tile->state, tile->n) != 0) {
      return false;
    }
    kept += bits + tile->n;
  }
  return true;
}

// The first op in the loop that reads memory; NULL: none.
static const Op *first_read(const Region *region) {
  OpWalk w = ops_in(region);
  while (ops_next(&w) && (!op_has(w.op, GLOBAL | READS) || w.op->kind == OP_COPY_ASYNC)) {
  }
  return w.op;
}

static void note_read(Machine *m, const Op *read) {
  const Tile *tile = &m->values[op_result(read)->id];
  const char *verb = read->kind == OP_LOAD || read->kind == OP_BLOCK_LOAD ? "reads" : "finds";
  Diag *diag = vec_last(&m->diags->list);
  if (!tile->block)
    return;
  else if (eval_code_is_float(tile->code))
    diag_note(m->diags, diag, read->loc, "%s %g here again and again", verb,
              number_decode((Elem)tile->code, tile->bits[0]));
  else
    diag_note(m->diags, diag, read->loc, "%s %" PRId64 " here again and again", verb, (int64_t)tile->bits[0]);
}

static bool is_last_program(const Machine *m) {
  for (int d = 0; d < 3; d++)
    if (m->program[d] + 1 < m->grid[d]) return false;
  return true;
}

static bool report(Machine *m, const Op *loop) {
  const Op *read = first_read(loop->regions[0]);
  if (!read) read = first_read(loop->regions[1]);
  if (!read)
    eval_error(m, loop, NO_ELEMENT, "[T1404] endless loop: it reads no memory and changes nothing");
  else if (m->host || is_last_program(m))
    eval_error(m, loop, NO_ELEMENT,
               "[T1404] deadlock: the loop waits for memory to change, but no program is left to change it");
  else if ((m->memory->gave_up = true))
    eval_error(
        m, loop, NO_ELEMENT,
        "[T1404] the loop waits for memory that no earlier program changed (the evaluator runs programs one "
        "after another, so none can wait for a later one)");
  if (read) note_read(m, read);
  return false;
}

bool eval_watch(Machine *m, const Op *loop, LoopWatch *watch) {
  const Region *region = loop->regions[0];
  EvalMemory *memory = m->memory;
  if (++watch->rounds < WATCHED_FROM) return true;
  bool same = watch->kept && watch->changes == memory->changes;
  if (same && carried(m, region, watch->kept, false)) return report(m, loop);
  if (watch->kept && watch->rounds < watch->next) return true;
  if (!watch->kept) {
    watch->bytes = carried_bytes(m, region) + 1;
    watch->kept = eval_block(memory, watch->bytes);
  }
  carried(m, region, watch->kept, true);
  watch->changes = memory->changes;
  watch->next = 2 * watch->rounds; // Brent's way to find a cycle of any length
  return true;
}

void eval_watch_end(Machine *m, LoopWatch *watch) {
  if (watch->kept) eval_block_free(m->memory, watch->kept, watch->bytes);
}
