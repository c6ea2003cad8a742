// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports everything that a command line lacks, at once: the kernel, the arguments, the types. It proposes a
// command line that has them, made for this kernel, as a start.
#include "tools/run/ask.h"

#include "ir/number.h"

// ---- the command line so far ----

static bool needs_quotes(const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^[]";
  return !word[0] || strspn(word, plain) != strlen(word);
}

// Quotes the word for a shell.
static void put_word(Buf *out, const char *word) {
  bool quotes = needs_quotes(word);
  buf_text(out, quotes ? " '" : " ");
  for (; *word; word++) {
    char one[] = {*word, '\0'};
    buf_text(out, quotes && *word == '\'' ? "'\\''" : one);
  }
  if (quotes) buf_char(out, '\'');
}

// The given words, but not the option `without`. NULL: all of them.
static void put_given(Buf *out, const Options *o, const char *without) {
  buf_text(out, "tilec");
  for (int i = 0; i < o->word_count; i++)
    if (!without || !options_word_is_of(o, i, without)) put_word(out, o->words[i]);
}

static void tell_command(Diags *diags, Diag *error, Buf *command) {
  diag_note(diags, error, LOC_NONE, "for instance: %s", command->at);
  buf_free(command);
}

// ---- guesses ----

static bool has_text(const char *name, const char *part) {
  for (; *name; name++) {
    size_t i = 0;
    while (part[i] && (name[i] | 0x20) == part[i]) i++;
    if (!part[i]) return true;
  }
  return false;
}

static bool is_descriptor(const KernelParam *param, uint32_t use) {
  return !param->type && !param->wide && (use & PARAM_DESCRIBES);
}

static bool is_pointer(const KernelParam *param, uint32_t use) {
  if (param->wide || is_descriptor(param, use)) return false;
  if (param->type) return param->type->kind == TYPE_PTR;
  return use & (PARAM_LOADED | PARAM_STORED) || has_text(param->name, "ptr");
}

// A guess for a constexpr: a power of two that suits small tiles.
static const char *constexpr_value(const char *name) {
  if (has_text(name, "type")) return "fp32";
  if (strncmp(name, "IS_", 3) == 0 || strncmp(name, "HAS_", 4) == 0 || strncmp(name, "USE_", 4) == 0)
    return "False";
  return "64";
}

// The purpose of an argument without a type, and the grid.
typedef struct Guess {
  const KernelInfo *kernel;
  const uint32_t *uses;
  GridUse grid;
  AskGiven given;
  uint64_t number, elements; // of each integer, and of each buffer
  bool partial;              // programs need not write all elements of a buffer of that size
} Guess;

static bool is_integer(const KernelParam *param, uint32_t use) {
  if (param->is_constexpr || param->wide || is_descriptor(param, use) || is_pointer(param, use)) return false;
  if (!param->type) return use & PARAM_INTEGER;
  return param->type->kind == TYPE_SCALAR && type_is_int(param->type);
}

// The only part of the grid, if one dimension with one part is used; else NULL.
static const GridPart *only_part(const GridUse *grid) {
  const GridAxis *axes = grid->axes;
  return axes[0].count == 1 && !axes[1].used && !axes[2].used ? &axes[0].parts[0] : NULL;
}

// Consistent sizes. If the only integer bounds the only dimension, buffers have that number of elements.
// Otherwise they have room for dimensions multiplied together.
static void choose_sizes(Guess *g) {
  const uint64_t given = g->given.elements, row = g->given.rows ? given / g->given.rows : given;
  const GridPart *part = only_part(&g->grid);
  uint32_t integers = 0;
  for (uint32_t i = 0; i < g->kernel->param_count; i++)
    integers += !g->kernel->params[i].has_default && is_integer(&g->kernel->params[i], g->uses[i]);
  bool exact = part && part->block && integers == (part->bound ? 1u : 0u);
  g->number = exact ? (given ? given : 1024) : given && integers == 1 ? row : 16;
  g->elements = exact ? g->number : given && integers < 2 ? given : integers ? 60000 : 4096;
  g->partial = !exact;
}

static Guess guess(Compilation *c, const KernelInfo *kernel, AskGiven given) {
  Guess g = {.kernel = kernel, .uses = frontend_param_uses(&c->ir, c->syntax, kernel), .given = given};
  g.grid = frontend_grid_use(&c->ir, c->syntax, kernel);
  choose_sizes(&g);
  return g;
}

static void put_plain_item(Buf *out, const ParamSpec *item, const Guess *sizes) {
  const Type *type = item->type && item->type->kind == TYPE_PTR ? item->type->inner : item->type;
  bool pointer = type != item->type,
       is_float = type && type->kind == TYPE_SCALAR && elem_is_float(type->elem);
  if (pointer && type->kind == TYPE_SCALAR)
    buf_printf(out, "%s:%s[%llu]", is_float ? "randn" : "zeros", elem_info(type->elem)->name,
               (unsigned long long)sizes->elements);
  else
    buf_printf(out, "%llu%s", (unsigned long long)(is_float ? 1 : sizes->number), is_float ? ".0" : "");
}

static void put_sizes(Buf *out, uint32_t rank, const uint32_t *sizes, uint32_t times) {
  for (uint32_t i = 0; i < rank; i++) buf_printf(out, "%s%u", i ? "," : "", times * sizes[i]);
}

// A tensor twice as long as its block in every dimension.
static void put_descriptor(Buf *out, Elem elem, uint32_t rank, const uint32_t *block, const char *fill) {
  buf_printf(out, "desc(%s:%s[", fill, elem_info(elem)->name);
  put_sizes(out, rank, block, 2);
  buf_text(out, "],block=[");
  put_sizes(out, rank, block, 1);
  buf_text(out, "]");
}

// A guess for an undeclared block: sizes that suit small tiles.
static uint32_t guessed_block(uint32_t use, uint32_t block[TILE_MAX_RANK]) {
  static const uint32_t sizes[] = {1024, 64, 16, 8, 4};
  uint32_t rank = use >> PARAM_RANK_SHIFT;
  for (uint32_t i = 0; i < rank; i++) block[i] = sizes[rank - 1];
  return rank;
}

static void put_wide(Buf *out, const ParamSpec *param, const Guess *sizes) {
  switch (param->form) {
  case PARAM_PLAIN: put_plain_item(out, param, sizes); return;
  case PARAM_CONSTEXPR: param_print(param, out); return;
  case PARAM_DESCRIPTOR:
    put_descriptor(out, param->type->elem, param->type->rank, param->type->shape,
                   elem_is_float(param->type->elem) ? "randn" : "zeros");
    buf_printf(out, "%s%s)", param->pads_nan ? ",padding=nan" : "", param->rounds_tf32 ? ",round=tf32" : "");
    return;
  case PARAM_TUPLE: break;
  }
  buf_text(out, "(");
  for (uint32_t i = 0; i < param->item_count; i++) {
    if (i) buf_text(out, ",");
    if (param->items[i].name) buf_printf(out, "%s=", param->items[i].name);
    put_wide(out, &param->items[i], sizes);
  }
  buf_text(out, param->item_count == 1 ? ",)" : ")");
}

// The element of a pointer without a type.
static Elem pointee(uint32_t use) {
  return use & PARAM_POINTS_INTEGER ? ELEM_I32 : use & PARAM_POINTS_HALF ? ELEM_FP16 : ELEM_FP32;
}

static void put_spec(Buf *out, const KernelParam *param, uint32_t use, const Guess *sizes) {
  if (param->wide) {
    buf_printf(out, "%s=", param->name);
    put_wide(out, param->wide, sizes);
    return;
  }
  if (is_descriptor(param, use)) {
    uint32_t block[TILE_MAX_RANK], rank = guessed_block(use, block);
    buf_printf(out, "%s=", param->name);
    put_descriptor(out, ELEM_FP32, rank, block, use & PARAM_LOADED ? "randn" : "empty");
    buf_text(out, ")");
    return;
  }
  const Type *type = param->type;
  if (type && type->kind == TYPE_PTR) type = type->inner;
  Elem elem = type && type->kind == TYPE_SCALAR ? type->elem : pointee(use);
  bool is_float = elem_is_float(elem);
  if (is_pointer(param, use)) {
    bool output = (use & PARAM_STORED) && !(use & PARAM_LOADED);
    const char *fill = output            ? (sizes->partial ? "zeros" : "empty")
                       : is_float        ? "randn"
                       : elem == ELEM_I1 ? "randint(0,2)"
                                         : "randint(0,100)";
    buf_printf(out, "%s=%s:%s[%llu]", param->name, fill, elem_info(elem)->name,
               (unsigned long long)sizes->elements);
  } else if (type ? is_float : !(use & PARAM_INTEGER))
    buf_printf(out, "%s=1.0", param->name);
  else if (type && type->elem == ELEM_I1)
    buf_printf(out, "%s=True", param->name);
  else
    buf_printf(out, "%s=%llu", param->name, (unsigned long long)sizes->number);
}

// ---- arguments ----

// "'x', 'y' and 'n'"
static void put_names(Buf *out, const KernelInfo *kernel, const bool *missing, uint32_t count) {
  for (uint32_t i = 0, n = 0; i < kernel->param_count; i++) {
    if (!missing[i]) continue;
    n++;
    buf_printf(out, "%s'%s'", n == 1 ? "" : n == count ? " and " : ", ", kernel->params[i].name);
  }
}

// One dimension of the grid: "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)".
static void put_axis(Buf *out, const Guess *g, uint32_t axis) {
  const GridAxis *of = &g->grid.axes[axis];
  size_t start = out->n;
  for (uint32_t i = 0; i < of->count; i++) {
    const GridPart *part = &of->parts[i];
    const char *times = out->n > start ? " * " : "";
    if (part->bound && part->block)
      buf_printf(out, "%scdiv(%s, %s)", times, part->bound, part->block);
    else if (part->bound)
      buf_printf(out, "%s%s", times, part->bound);
    else if (part == only_part(&g->grid))
      buf_printf(out, "cdiv(%llu, %s)", (unsigned long long)g->elements, part->block);
  }
  if (out->n > start) return;
  buf_printf(out, "%llu",
             (unsigned long long)(!of->count && of->used && !axis && g->given.rows ? g->given.rows : 1));
}

static void put_grid(Buf *out, const Guess *g) {
  uint32_t count = g->grid.axes[2].used ? 3 : g->grid.axes[1].used ? 2 : 1;
  Buf text = {0};
  for (uint32_t axis = 0; axis < count; axis++) {
    if (axis) buf_char(&text, ',');
    put_axis(&text, g, axis);
  }
  buf_text(out, " --grid");
  put_word(out, text.at);
  buf_free(&text);
}

// Notes a -D name that is nearly the name of a missing constexpr.
static void note_misspelt(const Options *o, Compilation *c, Diag *error, const KernelInfo *kernel,
                          const bool *missing) {
  const char **names = ARENA_ARRAY(c->ir.arena, const char *, kernel->param_count);
  size_t n = 0;
  for (uint32_t i = 0; i < kernel->param_count; i++)
    if (missing[i] && kernel->params[i].is_constexpr) names[n++] = kernel->params[i].name;
  for (uint32_t i = 0; i < o->defines.n; i++) {
    Str name = {o->defines.at[i], strcspn(o->defines.at[i], "= ")};
    const char *near = diag_nearest_words(name, names, n);
    for (uint32_t k = 0; near && k < kernel->param_count; k++)
      if (str_is(name, kernel->params[k].name)) near = NULL;
    if (near)
      diag_note(&c->diags, error, LOC_NONE, "'%.*s' of -D is not a parameter; did you mean '%s'?",
                STR_ARG(name), near);
  }
}

bool ask_arguments(const Options *o, Compilation *c, const KernelInfo *kernel, const bool *missing,
                   AskGiven given) {
  uint32_t count = 0, first = kernel->param_count;
  for (uint32_t i = kernel->param_count; i-- > 0;)
    if (missing[i]) count++, first = i;
  if (!count) return true;
  Guess g = guess(c, kernel, given);
  bool no_grid = !kernel->has_grid && !o->grid_given && !o->grid_text;
  Buf text = {0}, command = {0};
  put_names(&text, kernel, missing, count);
  put_given(&command, o, NULL);
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    Buf spec = {0};
    const KernelParam *p = &kernel->params[i];
    if (!missing[i]) continue;
    if (p->is_constexpr)
      buf_printf(&spec, "%s=%s", p->name, constexpr_value(p->name));
    else
      put_spec(&spec, p, g.uses[i], &g);
    put_word(&command, spec.at);
    buf_free(&spec);
  }
  if (no_grid) put_grid(&command, &g);
  Diag *error = diag_error(&c->diags, kernel->params[first].loc, "[T1005] argument%s %s %s missing%s",
                           count == 1 ? "" : "s", text.at, count == 1 ? "is" : "are",
                           no_grid ? ", and so is --grid, as the kernel has no @grid" : "");
  note_misspelt(o, c, error, kernel, missing);
  tell_command(&c->diags, error, &command);
  buf_free(&text);
  return false;
}

void ask_grid(const Options *o, Compilation *c, const KernelInfo *kernel, AskGiven given) {
  Guess g = guess(c, kernel, given);
  Buf command = {0};
  Diag *error = diag_error(&c->diags, kernel->loc,
                           "[T1001] kernel '%s' has no @grid; give --grid X[,Y[,Z]], how many programs run",
                           kernel->name);
  put_given(&command, o, NULL);
  put_grid(&command, &g);
  tell_command(&c->diags, error, &command);
}

void ask_unknown(Compilation *c, const KernelInfo *kernel, const char *name, const char *const *names,
                 size_t n) {
  const char *near = diag_nearest_words(str_from(name), names, n);
  Buf text = {0};
  if (near) buf_printf(&text, "; did you mean '%s'?", near);
  buf_printf(&text, "%s%s", near ? " Its " : "; its ", n == 1 ? "parameter is" : "parameters are");
  for (size_t i = 0; i < n; i++)
    buf_printf(&text, "%s'%s'", i == 0 ? " " : i + 1 == n ? " and " : ", ", names[i]);
  if (kernel)
    diag_error(&c->diags, kernel->loc, "[T1002] kernel '%s' has no parameter '%s'%s", kernel->name, name,
               n ? text.at : "");
  else
    diag_error(&c->diags, LOC_NONE, "[T1002] the kernel has no parameter '%s'%s", name, n ? text.at : "");
  buf_free(&text);
}

void ask_kernel(Compilation *c, const KernelInfo *kernels, uint32_t count) {
  Diags *diags = &c->diags;
  Diag *error =
      diag_error(diags, LOC_NONE, "[T1004] the file has %u kernels; choose one with --kernel", count);
  for (uint32_t i = 0; i < count; i++) {
    Buf text = {0};
    for (uint32_t k = 0; k < kernels[i].param_count; k++) {
      const KernelParam *p = &kernels[i].params[k];
      buf_printf(&text, "%s%s", k ? ", " : "", p->name);
      if (p->is_constexpr) buf_text(&text, ": constexpr");
      if (p->type || p->wide) buf_text(&text, ": ");
      if (p->type) type_print(p->type, &text);
      if (p->wide) param_print(p->wide, &text);
      if (p->has_default) buf_text(&text, " = ");
      if (p->has_default) const_print(&p->default_value, &text);
    }
    diag_note(diags, error, kernels[i].loc, "--kernel %s: %s", kernels[i].path,
              text.n ? text.at : "no parameters");
    buf_free(&text);
  }
}

// ---- types ----

bool ask_is_given(const Spec *spec, const KernelParam *param) {
  for (uint32_t i = 0; i < spec->param_count; i++)
    if (spec->params[i].name == param->name && !param->is_constexpr) return true;
  for (uint32_t i = 0; i < spec->constexpr_count; i++)
    if (spec->constexprs[i].name == param->name) return true;
  return false;
}

// TYPE is no type: a guess would compile, and a host that passes another type would get wrong results.
static bool is_open(const KernelParam *param, uint32_t use) {
  return !is_descriptor(param, use) && !is_pointer(param, use) && !(use & PARAM_INTEGER);
}

static void put_type(Buf *out, const KernelParam *param, uint32_t use) {
  uint32_t block[TILE_MAX_RANK];
  if (!is_descriptor(param, use)) {
    if (is_pointer(param, use))
      buf_printf(out, "*%s", elem_info(pointee(use))->name);
    else
      buf_text(out, is_open(param, use) ? "TYPE" : "i32");
    return;
  }
  uint32_t rank = guessed_block(use, block);
  buf_text(out, "tensordesc<fp32[");
  put_sizes(out, rank, block, 1);
  buf_text(out, "]>");
}

void ask_guess_type(const KernelParam *param, uint32_t use, uint32_t guess, Buf *out) {
  static const Elem others[] = {ELEM_FP32, ELEM_FP16, ELEM_I32};
  if (is_descriptor(param, use) || guess == 0) {
    if (is_open(param, use))
      buf_text(out, "fp32");
    else
      put_type(out, param, use);
    return;
  }
  bool pointer = is_pointer(param, use);
  Elem elem = pointer || is_open(param, use) ? others[guess % 3] : guess % 2 ? ELEM_I64 : ELEM_I32;
  buf_printf(out, "%s%s", pointer ? "*" : "", elem_info(elem)->name);
}

const char *ask_guess_value(const char *name, uint32_t guess) {
  static const char *const types[] = {"fp32", "fp16", "i32"}, *const sizes[] = {"64", "32", "128"};
  const char *likely = constexpr_value(name);
  if (strcmp(likely, "fp32") == 0) return types[guess % 3];
  if (strcmp(likely, "False") == 0) return guess % 2 ? "True" : likely;
  return sizes[guess % 3];
}

// The items of --signature that are the kernel's: others belong to the file's other kernels.
static void put_own_types(Buf *out, const KernelInfo *kernel, const char *signature) {
  int depth = 0;
  for (const char *at = signature, *end; at && *at; at = *end ? end + 1 : end) {
    for (end = at; *end && (depth || *end != ','); end++)
      depth += strchr("([", *end) ? 1 : strchr(")]", *end) ? -1 : 0;
    Str name = str_trimmed((Str){at, strcspn(at, "=:")});
    for (uint32_t i = 0; i < kernel->param_count; i++)
      if (str_is(name, kernel->params[i].name))
        buf_printf(out, "%s%.*s", out->n ? "," : "", (int)(end - at), at);
  }
}

void ask_types(const Options *o, Compilation *c, const KernelInfo *kernel, const Spec *spec) {
  if (!c->diags.list.n) return;
  const uint32_t *uses = frontend_param_uses(&c->ir, c->syntax, kernel);
  Buf types = {0}, values = {0}, command = {0};
  put_own_types(&types, kernel, o->signature);
  bool typed = false;
  const char *open = NULL; // the first parameter whose type is TYPE
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    const KernelParam *p = &kernel->params[i];
    if (p->has_default || p->type || p->wide || ask_is_given(spec, p)) continue;
    if (p->is_constexpr && (uses[i] & PARAM_DECIDED)) continue;
    if (p->is_constexpr) {
      buf_printf(&values, " -D %s=%s", p->name, constexpr_value(p->name));
      continue;
    }
    buf_printf(&types, "%s%s=", types.n ? "," : "", p->name);
    put_type(&types, p, uses[i]);
    if (!open && is_open(p, uses[i])) open = p->name;
    typed = true;
  }
  if (typed || values.n) {
    put_given(&command, o, "--signature");
    if (!o->kernel && spec->kernel) put_word(&command, "--kernel");
    if (!o->kernel && spec->kernel) put_word(&command, spec->kernel);
    if (types.n) buf_text(&command, " --signature");
    if (types.n) put_word(&command, types.at);
    buf_text(&command, values.n ? values.at : "");
    Diag *error = vec_last(&c->diags.list);
    tell_command(&c->diags, error, &command);
    if (open)
      diag_note(&c->diags, error, LOC_NONE,
                "replace TYPE: the kernel's text does not decide the type of '%s', such as fp32 or i32",
                open);
  }
  buf_free(&types);
  buf_free(&values);
}
