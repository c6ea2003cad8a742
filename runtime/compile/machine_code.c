// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compile/machine_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/object_code.h"

enum { INSN_BYTES = 16 };

typedef struct Places {
  Arena *arena;
  VEC(Op *) ops; // by number, from 1
  VEC(Loc) locs; // their original locations
  Loc func;
} Places;

// Instructions before the first op belong to no op.
static void number_ops(Places *places, Func *func) {
  func->loc.line = 0;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    vec_push(places->arena, &places->ops, w.op);
    vec_push(places->arena, &places->locs, w.op->loc);
    w.op->loc = (Loc){.line = places->ops.n, .file = places->func.file};
  }
}

static void restore_ops(const Places *places, Func *func) {
  for (uint32_t i = 0; i < places->ops.n; i++) places->ops.at[i]->loc = places->locs.at[i];
  func->loc = places->func;
}

typedef struct Request {
  CodegenResult code;
  Places places;
  Buf cubin, log, sass;
  CodeText *text;
  const MachineCode *found;
} Request;

static const Op *op_of(const Places *places, uint32_t number) {
  return number && number <= places->ops.n ? places->ops.at[number - 1] : NULL;
}

static void add_line(Compilation *c, CodeLines *lines, Str line, const Op *op) {
  vec_push(&c->arena, lines, ((CodeLine){{arena_copy(&c->arena, line), line.n}, op}));
}

// ".loc FILE LINE COLUMN" begins the code of an op. Its own labels and the lists of files are left out.
static void take_ptx(Compilation *c, Request *request) {
  Str text = buf_view(&request->code.ptx);
  const Op *op = NULL;
  while (text.n) {
    Str line = str_take_until(&text, '\n'), bare = line;
    while (bare.n && (*bare.at == '\t' || *bare.at == ' ')) bare.at++, bare.n--;
    if (str_starts_word(bare, ".loc")) {
      unsigned file, number;
      if (sscanf(bare.at, ".loc %u %u", &file, &number) == 2) op = op_of(&request->places, number);
    } else if (!str_starts(bare, ".file") && !str_starts(bare, "$L__tmp") && !str_starts(bare, "$L__func")) {
      add_line(c, &request->text->ptx, line, *line.at == '\t' ? op : NULL);
    }
  }
}

// An instruction follows its address in a comment of hexadecimal digits.
static void take_sass(Compilation *c, Request *request) {
  Str text = buf_view(&request->sass);
  while (text.n) {
    Str line = str_take_until(&text, '\n'), bare = str_trimmed(line);
    bool insn = str_starts(bare, "/*") && bare.n > 2 && digit_of(bare.at[2]) >= 0;
    unsigned long at = insn ? strtoul(bare.at + 2, NULL, 16) / INSN_BYTES : 0;
    if (insn && memchr(bare.at, ';', bare.n))
      add_line(c, &request->text->sass, bare, at < request->found->count ? request->found->ops[at] : NULL);
    else if (!insn && str_starts(bare, ".L_") && bare.at[bare.n - 1] == ':')
      add_line(c, &request->text->sass, bare, NULL);
  }
}

static tilec_status take_text(Compilation *c, void *data) {
  Request *request = data;
  take_ptx(c, request);
  if (request->found && cubin_disassemble(buf_view(&request->cubin), &request->sass) == TILEC_OK)
    take_sass(c, request);
  return TILEC_OK;
}

static tilec_status generate(Compilation *c, void *data) {
  Request *request = data;
  number_ops(&request->places, c->module->funcs.at[0]);
  return codegen_module(c->module, &c->diags, &(CodegenOptions){.emit_ptx = true}, &request->code)
             ? TILEC_OK
             : TILEC_ERROR_COMPILE;
}

static tilec_status take_code(Compilation *c, void *data) {
  Request *request = data;
  const Func *func = c->module->funcs.at[0];
  const void *code;
  size_t bytes;
  const char *section = arena_printf(&c->arena, ".text.%s", func->name);
  if (!object_code(request->cubin.at, request->cubin.n, section, &code, &bytes)) return TILEC_OK;
  uint32_t count = (uint32_t)(bytes / INSN_BYTES),
           *lines = ARENA_ARRAY(&c->arena, uint32_t, (size_t)count + 1);
  if (!object_lines(request->cubin.at, request->cubin.n, INSN_BYTES, lines, count)) return TILEC_OK;
  const Op **ops = ARENA_ARRAY(&c->arena, const Op *, (size_t)count + 1);
  uint64_t *words = ARENA_ARRAY(&c->arena, uint64_t, 2 * (size_t)count + 1);
  memcpy(words, code, (size_t)count * INSN_BYTES);
  for (uint32_t i = 0; i < count; i++) ops[i] = op_of(&request->places, lines[i]);
  MachineCode *found = ARENA_NEW(&c->arena, MachineCode);
  *found = (MachineCode){words, ops, count, c->module->target.arch->sm};
  request->found = found;
  return TILEC_OK;
}

const MachineCode *machine_code(Compilation *c, CubinUsage *usage, CodeText *text) {
  Func *func = c->module->funcs.at[0];
  Request request = {.places = {.arena = &c->arena, .func = func->loc}, .text = text};
  const Diags before = c->diags;
  if (c->module->funcs.n != 1 || c->module->target.debug || (!text && !cubin_has_ptxas())) return NULL;
  tilec_status status = compile_guard(c, generate, &request);
  restore_ops(&request.places, func);
  c->diags.list.n = before.list.n;
  c->diags.warnings = before.warnings;
  c->diags.errors = before.errors;
  if (!status &&
      cubin_ptxas_log(buf_view(&request.code.ptx), &request.code.target, &request.log, &request.cubin)) {
    cubin_usage_of_log(buf_view(&request.log).at, func->name, usage);
    status = compile_guard(c, take_code, &request);
  }
  if (text && request.code.ptx.n) (void)compile_guard(c, take_text, &request);
  buf_free(&request.code.ptx);
  buf_free(&request.code.llvm);
  buf_free(&request.cubin);
  buf_free(&request.log);
  buf_free(&request.sass);
  return request.found;
}
