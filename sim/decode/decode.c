// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes kernels, scopes, declarations and labels. The instructions are in decode_*.c.
#include "sim/decode/decode.h"
#include "base/demangle.h"
#include "sim/check/facts.h"
#include "sim/decode/reconvergence.h"

enum { MAX_SCOPES = 300, NEAR_SITES = 8 };

typedef struct InsnRow {
  const char *name;
  Operation op;
  void (*decode)(Decoder *d);
} InsnRow;

static const InsnRow insns[] = {
#define INSN(mnemonic, family, operation, meaning) {#mnemonic, OP_##operation, decode_##family},
#include "sim/ptx/insn.def"
#undef INSN
};

// ---- scopes and labels ----

void scope_open(Decoder *d) {
  if (++d->scope > MAX_SCOPES) decode_error(d, "scopes are nested too deeply");
}

static void fix(Decoder *d, const Fixup *fixup, const Symbol *label) {
  Insn *insn = &d->program->code.at[fixup->insn];
  if (fixup->entry == UINT32_MAX)
    insn->target = (uint32_t)label->address;
  else
    insn->u.targets[fixup->entry] = (uint32_t)label->address;
}

// Branches find their labels in the innermost scope that has them. Labels missing in this scope are left to
// the outer one.
void scope_close(Decoder *d) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < d->fixups.n; i++) {
    Fixup *fixup = &d->fixups.at[i];
    const Symbol *label = symbol_find(d, fixup->name);
    bool here = label && label->kind == SYMBOL_LABEL && label->scope == d->scope;
    if (here)
      fix(d, fixup, label);
    else
      d->fixups.at[left++] = *fixup;
  }
  d->fixups.n = left;
  while (d->symbols.n && vec_last(&d->symbols).scope == d->scope) {
    Symbol symbol = vec_pop(&d->symbols);
    d->buckets[symbol.hash % SYMBOL_BUCKETS] = symbol.shadows;
  }
  d->scope--;
}

static void declare_label(Decoder *d, Str name) {
  const Symbol *old = symbol_find(d, name);
  if (old && old->scope == d->scope && old->kind == SYMBOL_LABEL)
    decode_error(d, "label '%.*s' is here twice", STR_ARG(name));
  symbol_add(d, SYMBOL_LABEL, name)->address = d->program->code.n;
  d->branched = true;
}

// ---- declarations ----

static uint32_t place_variable(Decoder *d, uint32_t *end, const PtxVar *var) {
  uint64_t at = ((uint64_t)*end + var->align - 1) / var->align * var->align;
  if (at + var->bytes > (1u << 24)) {
    ptx_error(d->error, var->pos, "'%.*s' does not fit", STR_ARG(var->name));
    return 0;
  }
  *end = (uint32_t)(at + var->bytes);
  return (uint32_t)at;
}

static const char elements[] = "xyzw";

// A vector's elements are registers NAME.x, NAME.y and so on (PTX ISA 5.4.2).
static void declare_registers(Decoder *d, const PtxVar *var) {
  if (var->vector > 1) {
    d->has_vectors = true;
    symbol_add(d, SYMBOL_VECTOR, var->name)->count = var->vector;
    PtxVar element = *var;
    element.vector = 1;
    for (uint32_t i = 0; i < var->vector; i++) {
      element.name = str_from(arena_printf(d->arena, "%.*s.%c", STR_ARG(var->name), elements[i]));
      declare_registers(d, &element);
    }
    return;
  }
  uint32_t count = var->range ? var->range : 1;
  if (count > MAX_REGISTERS - d->register_count) {
    ptx_error(d->error, var->pos, "too many registers");
    return;
  }
  d->register_count += count;
  Symbol *symbol = symbol_add(d, var->range ? SYMBOL_REGS : SYMBOL_REG, var->name);
  symbol->type = var->type;
  symbol->count = count;
  symbol->slots = ARENA_ARRAY(d->arena, uint32_t, count);
}

static uint32_t place_shared(Decoder *d, const PtxVar *var) {
  uint32_t address = place_variable(d, &d->program->shared_bytes, var);
  SharedVar shared = {demangled(d->arena, var->name), address, var->bytes};
  vec_push(d->arena, &d->program->shared_vars, shared);
  return address;
}

// .extern: the dynamic part, after all static variables (Program.dynamic_shared).
static void declare_shared(Decoder *d, const PtxVar *var, Symbol *symbol) {
  symbol->space = SPACE_SHARED;
  if (var->init) ptx_error(d->error, var->pos, "shared memory has no initial value");
  symbol->address = UINT64_MAX;
  for (uint32_t i = 0; i < d->function_shared.n && d->calls; i++)
    if (d->function_shared.at[i].var == var) symbol->address = d->function_shared.at[i].address;
  if (!d->calls && !var->is_extern) symbol->address = place_shared(d, var);
}

static void decode_declare(Decoder *d, const PtxVar *var) {
  if (var->space == SPACE_REG) {
    declare_registers(d, var);
    return;
  }
  Symbol *symbol = symbol_add(d, SYMBOL_ADDRESS, var->name);
  if (var->space == SPACE_SHARED)
    declare_shared(d, var, symbol);
  else if (var->space == SPACE_LOCAL || var->space == SPACE_PARAM) {
    // A call's .param variables belong to the thread.
    symbol->space = SPACE_LOCAL;
    symbol->address = place_variable(d, &d->program->local_bytes, var);
  } else
    ptx_error(d->error, var->pos, "'%.*s': .global and .const variables belong to the module",
              STR_ARG(var->name));
}

// The module's variables. All static shared ones are placed before those of the kernel.
static void declare_module(Decoder *d) {
  for (const PtxVar *var = d->in->module->vars.first; var; var = var->next)
    if (var->space == SPACE_SHARED) decode_declare(d, var);
  for (uint32_t i = 0; i < d->in->global_count; i++) {
    const GlobalVar *global = &d->in->globals[i];
    Symbol *symbol = symbol_add(d, SYMBOL_ADDRESS, global->var->name);
    symbol->space = global->var->space;
    symbol->address = global->address;
  }
}

static const PtxFunc *callee_of(const Decoder *d, const PtxStmt *stmt) {
  const PtxOperand *callee = stmt->operands;
  if (stmt->kind != STMT_INSN || !str_starts(stmt->name, "call")) return NULL;
  if (callee && callee->kind == OPERAND_LIST) callee = callee->next;
  return callee ? function_named(d, callee) : NULL;
}

static void place_variables(Decoder *d, const PtxFunc *func) {
  for (const PtxStmt *stmt = func->body; stmt; stmt = stmt->next)
    for (const PtxVar *var = stmt->vars; var; var = var->next) {
      if (var->space != SPACE_SHARED || var->is_extern) continue;
      FunctionShared placed = {var, place_shared(d, var)};
      vec_push(d->arena, &d->function_shared, placed);
    }
}

// The functions that the kernel may call, each once. Their .shared variables come after the module's.
static void place_function_shared(Decoder *d, const PtxFunc *kernel) {
  VEC(const PtxFunc *) reached = {0};
  vec_push(d->arena, &reached, kernel);
  for (uint32_t i = 0; i < reached.n; i++)
    for (const PtxStmt *stmt = reached.at[i]->body; stmt; stmt = stmt->next) {
      const PtxFunc *func = callee_of(d, stmt);
      bool known = !func;
      for (uint32_t k = 0; k < reached.n && !known; k++) known = reached.at[k] == func;
      if (known) continue;
      vec_push(d->arena, &reached, func);
      place_variables(d, func);
    }
}

// Dynamic shared memory begins after the static part. The kernel's own declarations count, wherever they are.
static void place_dynamic_shared(Decoder *d, const PtxFunc *kernel) {
  uint64_t end = d->program->shared_bytes, align = 16;
  for (const PtxVar *var = d->in->module->vars.first; var; var = var->next)
    if (var->space == SPACE_SHARED && var->is_extern && var->align > align) align = var->align;
  for (const PtxStmt *stmt = kernel->body; stmt; stmt = stmt->next)
    for (const PtxVar *var = stmt->vars; var; var = var->next)
      if (var->space == SPACE_SHARED && !var->is_extern)
        end = (end + var->align - 1) / var->align * var->align + var->bytes;
  if (end > (1u << 24)) ptx_error(d->error, kernel->pos, "too much shared memory");
  d->program->dynamic_shared = (uint32_t)((end + align - 1) / align * align);
}

static void declare_params(Decoder *d, const PtxFunc *kernel) {
  uint32_t end = 0;
  for (const PtxVar *var = kernel->params; var; var = var->next) {
    PtxParam param = {arena_copy(d->arena, var->name), place_variable(d, &end, var), (uint32_t)var->bytes,
                      var->align};
    vec_push(d->arena, &d->program->params, param);
    Symbol *symbol = symbol_add(d, SYMBOL_ADDRESS, var->name);
    symbol->space = SPACE_PARAM;
    symbol->address = param.offset;
  }
  d->program->param_bytes = end;
}

// ---- statements ----

// The file name for a number in .loc. NULL: unknown.
static const char *file_name(const Decoder *d, uint32_t number) {
  for (uint32_t i = 0; i < d->in->module->files.n; i++)
    if (d->in->module->files.at[i].number == number) return d->in->module->files.at[i].name;
  return NULL;
}

// The location, and in .call those of its calls.
static Site site_at(Decoder *d, const PtxLoc *loc, const char *file) {
  Site first = {0}, *site = &first;
  for (uint32_t calls = 0; loc && calls < MAX_CALLS; loc = loc->call, calls++) {
    if (calls) {
      if (loc->file) file = file_name(d, loc->file);
      if (loc->name) file = loc->name;
      if (!file) break;
      Site *call = ARENA_NEW(d->arena, Site);
      site->call = call;
      site = call;
    }
    *site = (Site){.file = file,
                   .line = loc->line,
                   .column = loc->column,
                   .length = loc->length,
                   .param = loc->param,
                   .element = loc->element};
  }
  return first;
}

// The bytes of a file's name up to its last slash.
static size_t folder_bytes(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? (size_t)(slash - file) + 1 : 0;
}

// The innermost location in the folder of the outermost call's file, which is the kernel's. Inner ones are in
// headers, such as the CUDA toolkit's.
static Site user_site(Decoder *d, const Site *inner) {
  const Site *last = inner, *user = inner;
  while (last->call) last = last->call;
  size_t n = folder_bytes(last->file);
  while (folder_bytes(user->file) != n || memcmp(user->file, last->file, n) != 0) user = user->call;
  if (user == inner) return *inner;
  Site site = *user, *header = ARENA_NEW(d->arena, Site);
  *header = *inner;
  header->call = NULL;
  site.header = header;
  return site;
}

// The location of the statement. It is its .loc, or for a function without one the call's location, or the
// PTX line.
static uint32_t site_of(Decoder *d) {
  const PtxStmt *stmt = d->stmt->loc || !d->caller ? d->stmt : d->caller;
  Program *program = d->program;
  const char *file = stmt->loc ? file_name(d, stmt->loc->file) : NULL;
  if (file && stmt->loc == d->site_loc) return d->site;
  Site site = file ? site_at(d, stmt->loc, file) : (Site){.line = stmt->pos.line};
  if (file && stmt->loc->inlined_at) site = user_site(d, &site);
  d->site_loc = file ? stmt->loc : NULL;
  for (uint32_t i = program->sites.n; i-- > 0 && program->sites.n - i < NEAR_SITES;)
    if (site_same(&program->sites.at[i], &site)) return d->site = i;
  vec_push(d->arena, &program->sites, site);
  return d->site = program->sites.n - 1;
}

// True if the instruction is the first to name its result, and every thread runs it once before any other
// instruction that names it.
static bool writes_first(const Decoder *d) {
  const Insn *insn = &d->insn;
  if (!d->made.bytes || insn->dst != d->made.slot || d->branched || d->stmt->guard.n) return false;
  if ((insn->kind != KIND_LANES && insn->kind != KIND_ROUNDED) || insn->u.access) return false;
  for (int i = 0; i < 4; i++)
    if (insn->src[i] == insn->dst) return false;
  return true;
}

void decode_emit(Decoder *d) {
  d->insn.guard = 0;
  d->insn.guard_flip = 0;
  if (d->stmt->guard.n) {
    PtxOperand guard = {.kind = OPERAND_NAME, .name = d->stmt->guard, .pos = d->stmt->pos};
    d->insn.guard = source_of(d, &guard, PTX_PRED);
    d->insn.guard_flip = d->stmt->guard_not ? ALL_LANES : 0;
  }
  if (writes_first(d)) vec_push(d->arena, &d->program->written, d->made);
  d->made.bytes = 0;
  d->branched |= d->insn.kind == KIND_BRANCH || d->insn.kind == KIND_INDEXED || d->insn.kind == KIND_EXIT;
  d->insn.site = site_of(d);
  d->insn.ptx_line = d->stmt->pos.line;
  if (d->program->code.n >= MAX_INSNS)
    decode_error(d, "too many instructions");
  else
    vec_push(d->arena, &d->program->code, d->insn);
}

void decode_emit_exec(Decoder *d, ExecFn *exec, InsnKind kind) {
  d->insn.exec = exec;
  d->insn.kind = (uint8_t)kind;
  decode_emit(d);
}

static void split_opcode(Decoder *d, Str name) {
  d->mod_count = 0;
  d->cluster = false;
  const char *at = name.at, *end = name.at + name.n, *dot = memchr(at, '.', name.n);
  d->base = (Str){at, dot ? (size_t)(dot - at) : name.n};
  while (dot) {
    at = dot + 1;
    dot = memchr(at, '.', (size_t)(end - at));
    if (d->mod_count == MAX_MODIFIERS) {
      decode_error(d, "too many modifiers");
      return;
    }
    d->taken[d->mod_count] = false;
    d->mods[d->mod_count++] = (Str){at, (size_t)((dot ? dot : end) - at)};
  }
}

// The operands, with {NAME.x, NAME.y} in place of a register vector's name.
static const PtxOperand *with_elements(Decoder *d, const PtxOperand *operands) {
  PtxOperands list = {0};
  for (const PtxOperand *from = operands; from; from = from->next) {
    PtxOperand *to = ARENA_NEW(d->arena, PtxOperand);
    *to = *from;
    to->next = NULL;
    const Symbol *symbol = from->kind == OPERAND_NAME ? symbol_find(d, from->name) : NULL;
    if (symbol && symbol->kind == SYMBOL_VECTOR) {
      PtxOperands items = {0};
      for (uint32_t i = 0; i < symbol->count; i++) {
        PtxOperand *item = ARENA_NEW(d->arena, PtxOperand);
        *item = (PtxOperand){.kind = OPERAND_NAME, .pos = from->pos};
        item->name = str_from(arena_printf(d->arena, "%.*s.%c", STR_ARG(from->name), elements[i]));
        items = parse_append(items, item);
      }
      to->kind = OPERAND_VECTOR;
      to->items = items.first;
    } else if (from->items)
      to->items = (PtxOperand *)with_elements(d, from->items);
    list = parse_append(list, to);
  }
  return list.first;
}

static void decode_insn(Decoder *d) {
  split_opcode(d, d->stmt->name);
  d->operand = d->has_vectors ? with_elements(d, d->stmt->operands) : d->stmt->operands;
  d->insn = (Insn){.dst2 = UINT32_MAX, .round = ROUND_RN};
  d->made.bytes = 0;
  const InsnRow *row = NULL;
  for (size_t i = 0; i < sizeof insns / sizeof *insns && !row; i++)
    if (str_is(d->base, insns[i].name)) row = &insns[i];
  if (!row) {
    decode_error(d, "unknown instruction '%.*s'", STR_ARG(d->stmt->name));
    return;
  }
  d->op = row->op;
  row->decode(d);
  for (uint32_t i = 0; i < d->mod_count; i++)
    if (!d->taken[i])
      decode_error(d, "%.*s: modifier '.%.*s' is not known here", STR_ARG(d->base), STR_ARG(d->mods[i]));
  if (operand_more(d)) decode_error(d, "%.*s has too many operands", STR_ARG(d->stmt->name));
}

static void decode_stmt(Decoder *d) {
  switch (d->stmt->kind) {
  case STMT_INSN: decode_insn(d); break;
  case STMT_LABEL: declare_label(d, d->stmt->name); break;
  case STMT_OPEN: scope_open(d); break;
  case STMT_CLOSE: scope_close(d); break;
  case STMT_TARGETS: symbol_add(d, SYMBOL_TABLE, d->stmt->name)->table = d->stmt; break;
  case STMT_VARS:
    for (const PtxVar *var = d->stmt->vars; var; var = var->next) decode_declare(d, var);
    break;
  }
}

void decode_body(Decoder *d, const PtxFunc *func) {
  const PtxStmt *outer = d->stmt, *caller = d->caller;
  if (d->calls && outer->loc) d->caller = outer;
  for (const PtxStmt *stmt = func->body; stmt && !decode_failed(d); stmt = stmt->next) {
    d->stmt = stmt;
    decode_stmt(d);
  }
  d->stmt = outer;
  d->caller = caller;
}

bool decode_kernel(const DecodeInput *input, const PtxFunc *kernel, Program *program, PtxError *error) {
  PtxStmt begin = {.kind = STMT_LABEL, .pos = kernel->pos};
  Decoder *d = ARENA_NEW(input->arena, Decoder);
  *d = (Decoder){.in = input, .arena = input->arena, .program = program, .error = error, .stmt = &begin};
  program->name = arena_copy(d->arena, kernel->name);
  program->text = d->in->module->text;
  memcpy(program->reqntid, kernel->reqntid, sizeof program->reqntid);
  memcpy(program->maxntid, kernel->maxntid, sizeof program->maxntid);
  memcpy(program->cluster, kernel->cluster, sizeof program->cluster);
  slot_constant(d, 1, 0); // slot 0
  slot_new(d, 8);         // read by unused sources (src[] is 0)
  declare_module(d);
  place_function_shared(d, kernel);
  place_dynamic_shared(d, kernel);
  declare_params(d, kernel);
  scope_open(d);
  decode_body(d, kernel);
  // The end has the last statement's line.
  for (const PtxStmt *stmt = kernel->body; stmt; stmt = stmt->next) begin = *stmt;
  begin.guard = (Str){"", 0};
  d->insn = (Insn){.kind = KIND_END};
  decode_emit(d);
  decode_entry_registers(d, kernel);
  if (!decode_failed(d)) scope_close(d);
  if (!decode_failed(d) && d->fixups.n)
    ptx_error(error, d->fixups.at[0].pos, "no label '%.*s'", STR_ARG(d->fixups.at[0].name));
  if (!decode_failed(d)) order_code(d->arena, program);
  return !decode_failed(d);
}
