// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports: one per kind and pair of instructions, with the locations of both.
#include <stdarg.h>
#include "base/text.h"
#include "sim/check/check_parts.h"
#include "sim/check/facts.h"
#include "sim/machine/block.h"

static void set_other_place(tilec_sim_report *api, const Program *program, uint32_t insn) {
  const Insn *at = &program->code.at[insn];
  api->other_place = program->sites.at[at->site];
  api->other_file = api->other_place.file;
  api->other_line = api->other_place.line;
  api->other_ptx_line = at->ptx_line;
}

// Instructions of one op count as one cause. A line of CUDA may have a load and a store. An op may be several tcgen05,
// of which each can lack its own wait or fence.
static bool same_cause(const Program *program, tilec_sim_report_kind kind, uint32_t a, uint32_t b) {
  if (a == b) return true;
  if (a == UINT32_MAX || b == UINT32_MAX || kind == TILEC_SIM_TMEM || kind == TILEC_SIM_TMEM_FENCE)
    return false;
  if (access_of(&program->code.at[a]) != access_of(&program->code.at[b])) return false;
  return site_same(&program->sites.at[program->code.at[a].site],
                   &program->sites.at[program->code.at[b].site]);
}

// Accesses before an allocation and past its end are two mistakes, in one line of CUDA too.
static bool same_side(const tilec_sim_report *old, uint64_t address) {
  return old->kind != TILEC_SIM_OUT_OF_BOUNDS ||
         (address < old->allocation) == (old->address < old->allocation);
}

Report *report_new(Warp *warp, const Insn *insn, uint32_t lanes, tilec_sim_report_kind kind, uint64_t address,
                   uint32_t other_insn) {
  LaunchChecker *checker = checker_of(warp);
  const Program *program = warp->block->program;
  uint32_t index = insn_index(warp, insn);
  for (uint32_t i = 0; i < checker->n; i++) {
    Report *old = &checker->reports[i];
    if (old->api.kind != kind || !same_side(&old->api, address) ||
        !same_cause(program, kind, old->insn, index) ||
        !same_cause(program, kind, old->other_insn, other_insn))
      continue;
    old->api.count++;
    checker->current = old;
    return NULL;
  }
  checker->current = NULL;
  if (checker->n == REPORT_LIMIT) return NULL;
  Report *report = checker->current = &checker->reports[checker->n++];
  *report = (Report){.insn = index, .other_insn = other_insn};
  tilec_sim_report *api = &report->api;
  *api = (tilec_sim_report){
      .kind = kind, .message = "", .warp = warp->index, .lane_mask = lanes, .address = address, .count = 1};
  report_facts(api, checker->launch, insn, warp->block->index);
  return report;
}

void report_free(Report *report) {
  waits_free(report->waits);
  text_free(report->message);
  text_free(report->order);
  text_free(report->buffer);
}

static const char *say(char **text, const char *format, va_list args) {
  char *made = text_make_list(format, args);
  text_free(*text);
  return *text = made;
}

void report_message(Report *report, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report->api.message = say(&report->message, format, args);
  va_end(args);
}

void report_order(Report *report, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report->api.order = say(&report->order, format, args);
  va_end(args);
}

static char *variable_name(const char *space, Str name, uint64_t offset) {
  return text_make("%s variable '%.*s' + %llu", space, STR_ARG(name), (unsigned long long)offset);
}

static char *shared_name(const Program *program, uint64_t address) {
  for (uint32_t i = 0; i < program->shared_vars.n; i++) {
    const SharedVar *var = &program->shared_vars.at[i];
    if (address >= var->offset && address - var->offset < var->bytes)
      return variable_name("shared", str_from(var->name), address - var->offset);
  }
  if (address >= program->dynamic_shared)
    return text_make("dynamic shared memory + %llu", (unsigned long long)(address - program->dynamic_shared));
  return text_make("shared memory at %llu", (unsigned long long)address);
}

void report_buffer(Report *report, const Warp *warp, PtxSpace space, uint64_t address) {
  const Memory *memory = warp->block->worker->launch->memory;
  const Allocation *allocation = space == SPACE_SHARED ? NULL : memory_below(memory, address);
  text_free(report->buffer);
  if (space == SPACE_SHARED)
    report->buffer = shared_name(warp->block->program, address);
  else if (allocation && allocation->name.n)
    report->buffer = variable_name(allocation->read_only ? "constant" : "global", allocation->name,
                                   address - allocation->base);
  else if (allocation)
    report->buffer =
        text_make("allocation %zu (%llu bytes) + %llu", (size_t)(allocation - memory->at),
                  (unsigned long long)allocation->size, (unsigned long long)(address - allocation->base));
  else
    report->buffer = text_make("%s", "");
  report->api.buffer = report->buffer;
}

void strand_name(const LaunchChecker *checker, uint32_t strand, uint32_t *block, StrandKind *kind,
                 uint32_t *which) {
  uint32_t local = (strand - 1) % checker->block_strands, warps = checker->warps;
  uint32_t after = STRAND_MBARRIER * warps + checker->mbarriers; // the first of STRAND_TENSOR_CORE
  uint32_t rank = (strand - 1) % checker->strands / checker->block_strands;
  *block = block_of_cluster(checker->launch, (strand - 1) / checker->strands, rank);
  if (local < after) {
    *kind = local / warps < STRAND_MBARRIER ? (StrandKind)(local / warps) : STRAND_MBARRIER;
    *which = *kind == STRAND_MBARRIER ? local - STRAND_MBARRIER * warps : local % warps;
  } else {
    *kind = (StrandKind)(STRAND_TENSOR_CORE + (local - after) / warps);
    *which = (local - after) % warps;
  }
}

void report_other(Report *report, const Warp *warp, const Mark *mark, bool read) {
  const LaunchChecker *checker = checker_of(warp);
  tilec_sim_report *api = &report->api;
  StrandKind kind;
  uint32_t block, which;
  strand_name(checker, mark->strand, &block, &kind, &which);
  set_other_place(api, warp->block->program, mark_insn(mark));
  report_block(checker->launch, block, api->other_block);
  api->other_device = block / (uint32_t)checker->launch->blocks;
  api->other_access = access_of(&warp->block->program->code.at[mark_insn(mark)]);
  api->other_warp = kind == STRAND_MBARRIER ? 0 : which;
  api->other_lane = mark_lane(mark);
  api->other_message = kind == STRAND_WARP ? (read ? "the earlier read" : "the earlier write")
                       : read              ? "the earlier read, asynchronous"
                                           : "the earlier write, asynchronous";
}

void report_blame(Report *report, const Warp *warp, uint32_t insn, uint32_t other_warp, const char *what) {
  tilec_sim_report *api = &report->api;
  set_other_place(api, warp->block->program, insn);
  memcpy(api->other_block, api->block, sizeof api->other_block);
  api->other_device = api->device;
  api->other_warp = other_warp;
  api->other_lane = UINT32_MAX;
  api->other_message = what;
}
