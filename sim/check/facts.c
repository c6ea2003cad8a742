// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/check/facts.h"
#include "sim/exec/exec.h"

static const uint64_t least_global = (uint64_t)1 << 32; // as in sim/machine/global_memory.c; offsets in other
                                                        // spaces are smaller

bool site_same(const Site *a, const Site *b) {
  for (; a && b; a = a->call, b = b->call)
    if (a->file != b->file || a->line != b->line || a->column != b->column || a->length != b->length ||
        a->param != b->param || a->element != b->element || !a->header != !b->header ||
        (a->header && !site_same(a->header, b->header)))
      return false;
  return a == b;
}

void report_block(const Launch *launch, uint32_t block, uint32_t id[3]) {
  block %= (uint32_t)launch->blocks;
  id[0] = block % launch->grid[0];
  id[1] = block / launch->grid[0] % launch->grid[1];
  id[2] = block / launch->grid[0] / launch->grid[1];
}

tilec_sim_access access_of(const Insn *insn) {
  ExecFn *exec = insn->exec;
  if (exec == exec_load || exec == exec_multimem_load) return TILEC_SIM_ACCESS_LOAD;
  if (exec == exec_store || exec == exec_multimem_store) return TILEC_SIM_ACCESS_STORE;
  return exec == exec_atomic || exec == exec_multimem_red ? TILEC_SIM_ACCESS_ATOMIC : TILEC_SIM_ACCESS_NONE;
}

bool is_multimem(const Insn *insn) { return access_of(insn) && insn->u.access->multimem; }

static bool is_global(const Insn *insn, uint64_t address) {
  if (address >= least_global) return true;
  if (!access_of(insn)) return false;
  return insn->u.access->space == SPACE_GLOBAL || insn->u.access->space == SPACE_GENERIC;
}

// The allocation that contains the address, or the nearest one.
static const Allocation *nearest(const Memory *memory, uint64_t address) {
  const Allocation *below = memory_below(memory, address), *above = memory_above(memory, address);
  if (!below || !above) return below ? below : above;
  uint64_t offset = address - below->base, past = offset < below->size ? 0 : offset - below->size;
  return past <= above->base - address ? below : above;
}

static void instruction(tilec_sim_report *report, const Program *program, const Insn *insn) {
  const char *at = program->text.at, *end = at + program->text.n;
  for (uint32_t line = 1; at && line < insn->ptx_line; line++) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (at) at++;
  }
  if (!at) return;
  const char *line_end = memchr(at, '\n', (size_t)(end - at));
  end = line_end ? line_end : end;
  while (at < end && (*at == ' ' || *at == '\t' || *at == '{')) at++;
  report->ptx = at;
  report->ptx_bytes = (size_t)(end - at);
}

void report_facts(tilec_sim_report *report, const Launch *launch, const Insn *insn, uint32_t block) {
  const Program *program = launch->program;
  report->place = program->sites.at[insn->site];
  report->file = report->place.file;
  report->line = report->place.line;
  report->ptx_line = insn->ptx_line;
  report_block(launch, block, report->block);
  report->device = block / (uint32_t)launch->blocks;
  instruction(report, program, insn);
  report->access = access_of(insn);
  if (report->access) report->bytes = insn->u.access->bytes * insn->u.access->count;
  report->is_global = is_global(insn, report->address);
  const Allocation *allocation = report->is_global ? nearest(launch->memory, report->address) : NULL;
  if (!allocation) return;
  report->allocation = allocation->base;
  report->allocation_bytes = allocation->size;
}
