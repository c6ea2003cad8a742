// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses --signature, -D and --grid: NAME=TYPE (ir/text/param_text.c) separated by commas, and NAME=LITERAL.
#include "frontend/syntax/syntax.h"
#include "runtime/compile/compile.h"

// A slice of a text that is a file of the sources, so that errors have a location.
typedef struct TextPiece {
  Str text;
  uint16_t file;
  uint32_t start; // offset in the file
} TextPiece;

static Loc piece_loc(TextPiece p) {
  uint32_t col = p.start + 1;
  return (Loc){.line = 1,
               .col = col > UINT16_MAX ? UINT16_MAX : (uint16_t)col,
               .len = p.text.n > UINT16_MAX ? UINT16_MAX : (uint16_t)p.text.n,
               .file = p.file};
}

static TextPiece piece_part(TextPiece p, size_t from, size_t to) {
  return (TextPiece){{p.text.at + from, to - from}, p.file, p.start + (uint32_t)from};
}

static TextPiece trimmed(TextPiece p) {
  Str text = str_trimmed(p.text);
  return (TextPiece){text, p.file, p.start + (uint32_t)(text.at - p.text.at)};
}

// The text up to the next `stop` outside of brackets, or to the end. *rest is the remaining text. False at
// the end.
static bool next_piece(TextPiece *rest, char stop, TextPiece *piece) {
  if (!rest->text.at) return false;
  size_t n = param_text_until(rest->text, stop);
  *piece = trimmed(piece_part(*rest, 0, n));
  *rest = n < rest->text.n ? piece_part(*rest, n + 1, rest->text.n) : (TextPiece){0};
  return true;
}

// Splits NAME=VALUE. False with an error if there is no '='.
static bool split_at_equals(Compilation *c, TextPiece item, TextPiece *name, TextPiece *value) {
  TextPiece rest = item;
  if (!next_piece(&rest, '=', name) || !rest.text.at) {
    diag_error(&c->diags, piece_loc(item), "[T1006] expected NAME=VALUE, found '%.*s'", STR_ARG(item.text));
    return false;
  }
  *value = trimmed(rest);
  if (name_is_plain(name->text)) return true;
  diag_error(&c->diags, piece_loc(*name), "[T1006] '%.*s' is not the name of a parameter",
             STR_ARG(name->text));
  return false;
}

static void parse_value(Compilation *c, TextPiece value, ParamSpec *param) {
  ParamTextError error;
  if (param_parse(&c->ir, value.text, param->name, param, &error)) return;
  diag_error(&c->diags, piece_loc(piece_part(value, error.at, error.at + error.n)), "[T0403] %s",
             error.message);
}

static void add_param(Compilation *c, TextPiece name, const ParamSpec *param, Spec *spec) {
  for (uint32_t i = 0; i < spec->param_count; i++)
    if (spec->params[i].name == param->name) {
      diag_error(&c->diags, piece_loc(name), "[T1006] '%s' is given twice", param->name);
      return;
    }
  ParamSpec *params = ARENA_ARRAY(&c->arena, ParamSpec, spec->param_count + 1);
  if (spec->param_count) memcpy(params, spec->params, spec->param_count * sizeof *params);
  params[spec->param_count++] = *param;
  spec->params = params;
}

typedef struct Request {
  const char *text;
  Spec *spec;
} Request;

static TextPiece open_text(Compilation *c, const char *file_name, const char *text) {
  uint16_t file = sources_add(&c->sources, file_name, str_from(text));
  return (TextPiece){c->sources.files.at[file].text, file, 0};
}

static tilec_status signature(Compilation *c, void *data) {
  const Request *request = data;
  TextPiece rest = open_text(c, "<signature>", request->text), item, name, value;
  if (trimmed(rest).text.n == 0) return TILEC_OK;
  while (next_piece(&rest, ',', &item)) {
    if (!split_at_equals(c, item, &name, &value)) continue;
    ParamSpec param = {.name = ir_name(&c->ir, name.text)};
    parse_value(c, value, &param);
    add_param(c, name, &param, request->spec);
  }
  return c->diags.errors ? TILEC_ERROR_COMPILE : TILEC_OK;
}

tilec_status compile_signature(Compilation *c, const char *text, Spec *spec) {
  return compile_guard(c, signature, &(Request){text, spec});
}

static void add_constexpr(Compilation *c, TextPiece name, const Constexpr *constexpr_, Spec *spec) {
  for (uint32_t i = 0; i < spec->constexpr_count; i++)
    if (spec->constexprs[i].name == constexpr_->name) {
      diag_error(&c->diags, piece_loc(name), "[T1006] '%s' is given twice", constexpr_->name);
      return;
    }
  Constexpr *list = ARENA_ARRAY(&c->arena, Constexpr, spec->constexpr_count + 1);
  if (spec->constexpr_count) memcpy(list, spec->constexprs, spec->constexpr_count * sizeof *list);
  list[spec->constexpr_count++] = *constexpr_;
  spec->constexprs = list;
}

// True if `from m import name` may give a function, of a file or of the language.
static bool imports_function(const Import *import, const ImportName *item) {
  size_t root = strcspn(import->module, ".");
  bool language = import->from && !import->dots && str_is((Str){import->module, root}, "triton");
  return item->module || language;
}

// True if the file knows the name as a function (defined or imported) or as a constant.
static bool is_known(Compilation *c, Str text) {
  if (!c->syntax || !name_is_plain(text)) return false;
  const char *name = ir_name(&c->ir, text);
  for (uint32_t i = 0; i < c->syntax->definitions.n; i++) {
    const Definition *definition = &c->syntax->definitions.at[i];
    if (definition->kind == DEFINES_CONSTANT && strcmp(definition->name, name) == 0) return true;
  }
  for (uint32_t i = 0; i < c->syntax->functions.n; i++)
    if (strcmp(c->syntax->functions.at[i]->name, name) == 0) return true;
  for (uint32_t i = 0; i < c->syntax->imports.n; i++)
    for (uint32_t k = 0; k < c->syntax->imports.at[i]->names.n; k++) {
      const ImportName *item = &c->syntax->imports.at[i]->names.at[k];
      if (imports_function(c->syntax->imports.at[i], item) &&
          strcmp(item->alias ? item->alias : item->name, name) == 0)
        return true;
    }
  return false;
}

static tilec_status define(Compilation *c, void *data) {
  const Request *request = data;
  TextPiece item = trimmed(open_text(c, "<define>", request->text)), name, value;
  if (!split_at_equals(c, item, &name, &value)) return TILEC_ERROR_COMPILE;
  Constexpr entry = {.name = ir_name(&c->ir, name.text)};
  if (is_known(c, value.text))
    entry.value = (ConstValue){.kind = CONST_NAME, .str = ir_name(&c->ir, value.text)};
  if (entry.value.kind == CONST_NAME || const_parse(&c->ir, value.text, &entry.value))
    add_constexpr(c, name, &entry, request->spec);
  else if (number_text(value.text, &entry.value) == TEXT_TOO_LARGE)
    diag_error(&c->diags, piece_loc(value),
               "[T1003] '%.*s' is too large: integers have 64 bits, floats are below 1.8e308",
               STR_ARG(value.text));
  else
    diag_error(
        &c->diags, piece_loc(value),
        "[T1003] '%.*s' is not a Python literal%s; values are 128, 1.5, True, None, \"relu\", fp16, (1, 2)",
        STR_ARG(value.text), name_is_plain(value.text) ? ", nor a function or constant of the file" : "");
  return c->diags.errors ? TILEC_ERROR_COMPILE : TILEC_OK;
}

tilec_status compile_define(Compilation *c, const char *text, Spec *spec) {
  return compile_guard(c, define, &(Request){text, spec});
}

static tilec_status grid(Compilation *c, void *data) {
  const Request *request = data;
  TextPiece text = open_text(c, "<grid>", request->text);
  request->spec->grid = syntax_parse_expression(&c->arena, &c->ir.names, &c->diags, &c->sources, text.file);
  return c->diags.errors ? TILEC_ERROR_COMPILE : TILEC_OK;
}

tilec_status compile_grid(Compilation *c, const char *text, Spec *spec) {
  return compile_guard(c, grid, &(Request){text, spec});
}
