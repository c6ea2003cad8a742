// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers that reduce, and calls of the functions that the CUDA runtime provides to every kernel.
#include "sim/decode/decode.h"
#include "sim/exec/exec.h"

// bar.red.popc.u32 d, barrier[, threads], [!]p and bar.red.and.pred, .or.pred.
static void barrier_reduction(Decoder *d) {
  mod_take(d, "aligned");
  static const Operation reductions[] = {OP_POPC, OP_AND, OP_OR};
  d->insn.to = (uint16_t)mod_operation(d, reductions, 3);
  PtxType type = mod_need_type(d);
  if (!d->insn.to || type != (d->insn.to == OP_POPC ? PTX_U32 : PTX_PRED))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.kind = KIND_BARRIER;
  d->insn.extra = BARRIER_ALIGNED;
  d->insn.dst = operand_dest(d, type);
  d->insn.src[0] = operand_source(d, PTX_U32);
  bool threads = d->operand && d->operand->next;
  d->insn.src[1] = threads ? operand_source(d, PTX_U32) : slot_constant(d, 0, 4);
  bool negated;
  d->insn.src[2] = operand_predicate(d, &negated);
  if (negated) d->insn.flags |= FLAG_NOT;
  decode_emit(d);
}

void decode_bar(Decoder *d) {
  bool reduces = false;
  for (uint32_t i = 0; i < d->mod_count; i++) reduces |= str_is(d->mods[i], "red");
  if (!reduces) {
    decode_barrier(d);
    return;
  }
  mod_take(d, "cta");
  mod_take(d, "red");
  barrier_reduction(d);
}

// The location of argument i (or of the result) in the thread's memory.
static bool argument(Decoder *d, const PtxOperand *list, uint32_t i, uint32_t *slot) {
  const PtxOperand *item = list ? list->items : NULL;
  while (item && i-- > 0) item = item->next;
  const Symbol *symbol = item && item->kind == OPERAND_NAME ? symbol_find(d, item->name) : NULL;
  if (!symbol || symbol->kind != SYMBOL_ADDRESS || symbol->space != SPACE_LOCAL) return false;
  *slot = slot_constant(d, symbol->address, 8);
  return true;
}

bool decode_system_call(Decoder *d, Str name, const PtxOperand *results, const PtxOperand *args) {
  static const char *const missing[] = {"malloc", "free", "cudaDeviceSynchronize", "cudaLaunchDeviceV2",
                                        "cudaGetParameterBufferV2"};
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
    if (str_is(name, missing[i])) {
      decode_error(d, "%s on the device is not supported", missing[i]);
      return true;
    }
  bool prints = str_is(name, "vprintf"), asserts = str_is(name, "__assertfail");
  if (!prints && !asserts) return false;
  for (uint32_t i = 0; i < (prints ? 2u : 4u); i++) // the last two of __assertfail: the function and a size
    if (!argument(d, args, i, &d->insn.src[i]))
      decode_error(d, "%.*s: an argument is missing", STR_ARG(name));
  if (prints && !argument(d, results, 0, &d->insn.src[2])) decode_error(d, "vprintf gives a result");
  d->insn.kind = KIND_CHECKED;
  d->insn.exec = prints ? exec_vprintf : exec_assertfail;
  decode_emit(d);
  return true;
}
