// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports about accesses: the argument and its element, and suggestions.
#include "eval/eval_machine.h"

// Names a pointer argument's buffer after the argument. If several point into one, the first counts.
static void add_name(Machine *m, const FuncParam *param, uint64_t bits) {
  const Type *pointee = param->type->inner;
  for (uint32_t i = 0; i < m->memory->buffers.n; i++) {
    const EvalBuffer *buffer = m->memory->buffers.at[i];
    if (bits < buffer->address || bits - buffer->address > buffer->bytes) continue;
    for (uint32_t k = 0; k < m->name_count; k++)
      if (m->names[k].address == buffer->address) return;
    BufferName *name = &((BufferName *)m->names)[m->name_count++];
    *name = (BufferName){.name = param->name,
                         .address = buffer->address,
                         .bytes = buffer->bytes,
                         .elem = pointee->kind == TYPE_SCALAR ? pointee->elem : ELEM_U64};
    return;
  }
}

void eval_names_begin(Machine *m, const EvalArg *args) {
  const Func *func = m->func;
  m->args = args;
  m->names = m->options.names;
  m->name_count = m->options.name_count;
  if (m->name_count) return;
  m->names = ARENA_ARRAY(m->arena, BufferName, func->param_count);
  for (uint32_t i = 0; i < func->param_count; i++)
    if (func->params[i].type->kind == TYPE_PTR && func->params[i].hidden == HIDDEN_NONE)
      add_name(m, &func->params[i], args[i].bits);
}

const BufferName *eval_buffer_named(const Machine *m, const Op *op, uint64_t address, bool may_miss) {
  int32_t param = may_miss && op->operand_count ? pointer_param(op->operands[0].value) : -1;
  const BufferName *meant = param >= 0 ? buffer_pointed(m->names, m->name_count, m->args[param].bits) : NULL;
  return meant ? meant : buffer_near(m->names, m->name_count, address);
}

static bool is_address(const Op *op) {
  return op->kind == OP_BITCAST && type_is_ptr(op->operands[0].value->type) &&
         !type_is_ptr(op_result(op)->type);
}

static void begin_params(Machine *m) {
  for (OpWalk w = ops_in(m->func->body); ops_next(&w);) m->counts_addresses |= is_address(w.op);
  m->op_params = ARENA_ARRAY(m->arena, int32_t, m->func->op_count);
}

bool eval_strays(Machine *m, const Op *op, const EvalBuffer *buffer) {
  if (!m->op_params) begin_params(m);
  if (m->counts_addresses) return false;
  int32_t *param = &m->op_params[op->id];
  if (!*param) *param = pointer_param(op->operands[0].value) + 2;
  if (*param < 2) return false;
  uint64_t bits = m->args[*param - 2].bits;
  if (bits >= buffer->address && bits - buffer->address <= buffer->bytes) return false;
  return buffer_pointed(m->names, m->name_count, bits) != NULL;
}

const char *eval_access_name(const Op *op) {
  switch ((int)op->kind) {
  case OP_LOAD:
  case OP_BLOCK_LOAD: return "load";
  case OP_STORE:
  case OP_BLOCK_STORE: return "store";
  case OP_ATOMIC_RMW:
  case OP_ATOMIC_CAS: return "atomic";
  default: return op_info(op->kind)->name;
  }
}

static bool is_masked(const Op *op) {
  switch ((int)op->kind) {
  case OP_LOAD: return op_operand(op, 1) != NULL;
  case OP_STORE:
  case OP_ATOMIC_RMW: return op_operand(op, 2) != NULL;
  default: return op_attr(op, ATTR_BOUNDARY) != NULL;
  }
}

// The argument that the op's pointer comes from, if it points to no buffer. NULL: none.
static const char *stray_of(const Machine *m, const Op *op) {
  int32_t param = op->operand_count ? pointer_param(op->operands[0].value) : -1;
  if (param < 0 || buffer_pointed(m->names, m->name_count, m->args[param].bits)) return NULL;
  return m->func->params[param].name;
}

static AccessFacts facts_of(const Machine *m, const Access *access, bool may_miss) {
  return (AccessFacts){.what = eval_access_name(access->op),
                       .stray = may_miss ? stray_of(m, access->op) : NULL,
                       .buffer = eval_buffer_named(m, access->op, access->address, may_miss),
                       .address = access->address,
                       .bytes = eval_code_bytes(access->code),
                       .masked = is_masked(access->op)};
}

DiagRun *eval_diag_run(Machine *m, Diag *diag, const char *kind, const BufferName *buffer, uint64_t address) {
  DiagRun *run = ARENA_NEW(m->diags->arena, DiagRun);
  if (diag->run) *run = *diag->run; // the element
  run->kind = kind, run->count = 1;
  memcpy(run->program, m->program, sizeof run->program);
  if (buffer) {
    run->buffer = arena_copy(m->diags->arena, str_from(buffer->name));
    run->index = buffer_index(buffer, address);
    run->rank = buffer_indices(buffer, address, run->indices);
  }
  diag->run = run;
  return run;
}

static bool report_access(Machine *m, const Access *access, const AccessFacts *facts, const char *kind,
                          void (*words)(const AccessFacts *access, Buf *message, Buf *advice)) {
  Buf message = {0}, advice = {0};
  words(facts, &message, &advice);
  Diag *diag = eval_diag(m, access->op, access->element, "%s", message.at);
  eval_diag_run(m, diag, kind, facts->buffer, facts->address);
  diag_note(m->diags, diag, access->op->loc, "%s", advice.at);
  buf_free(&message);
  buf_free(&advice);
  return false;
}

bool eval_out_of_bounds(Machine *m, const Access *access) {
  AccessFacts facts = facts_of(m, access, true);
  return report_access(m, access, &facts, "out of bounds", say_out_of_bounds);
}

void eval_stray_note(Machine *m, const Access *access) {
  const BufferName *met = buffer_near(m->names, m->name_count, access->address);
  if (!met || !m->diags->list.n) return;
  Buf place = {0};
  buffer_place(met, access->address, &place);
  diag_note(m->diags, vec_last(&m->diags->list), access->op->loc, "%s lies there", place.at);
  buf_free(&place);
}

bool eval_misaligned(Machine *m, const Access *access) {
  AccessFacts facts = facts_of(m, access, false);
  return report_access(m, access, &facts, "misaligned", say_misaligned);
}

void eval_unwritten(Machine *m, const Access *access) {
  const BufferName *buffer = eval_buffer_named(m, access->op, access->address, true);
  Buf place = {0};
  if (buffer)
    buffer_place(buffer, access->address, &place);
  else
    buf_text(&place, "memory");
  Diag *diag = eval_diag(m, access->op, access->element, "[T1301] %s of %s, which was never written",
                         eval_access_name(access->op), place.at);
  eval_diag_run(m, diag, "undefined", buffer, access->address);
  diag_note(m->diags, diag, access->op->loc,
            "an atomic reads the old value: fill the buffer first, for example with torch.zeros");
  buf_free(&place);
}
