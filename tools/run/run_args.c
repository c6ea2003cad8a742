// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/run/ask.h"
#include "tools/run/run.h"

// Finds the name among the first `count` arguments.
static RunArg *find_of(const Run *run, const char *name, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(run->params[i].name, name) == 0) return &run->params[i];
  return NULL;
}

static RunArg *find_param(const Run *run, const char *name) { return find_of(run, name, run->param_count); }

// Also by the name in the source of PTX, once that is read.
static RunArg *find_holder(const Run *run, const char *name) {
  RunArg *found = find_of(run, name, run->holder_count);
  for (uint32_t i = 0; !found && i < run->holder_count; i++)
    if (strcmp(run_source_name(run, run->params[i].name), name) == 0) found = &run->params[i];
  return found;
}

const RunArg *run_find_holder(const Run *run, const char *name) { return find_holder(run, name); }

const RunArg *run_find_buffer(const Run *run, const char *name) {
  const RunArg *param = find_holder(run, name);
  return param ? param->buffer : NULL;
}

const char *run_arg_name(const Run *run, const RunArg *param) {
  bool number = options_file_is_ptx(run->options) && param < run->params + run->param_count;
  if (!number) return param->name;
  const char *name = run_source_name(run, param->name);
  return arena_printf(run->arena, name == param->name ? "argument %s" : "argument %s (%s)", param->name,
                      name);
}

static bool is_constexpr(const KernelInfo *kernel, const char *name) {
  for (uint32_t i = 0; kernel && i < kernel->param_count; i++)
    if (kernel->params[i].is_constexpr && strcmp(kernel->params[i].name, name) == 0) return true;
  return false;
}

static void add_param(Run *run, const KernelParam *param) {
  run->params[run->param_count++] =
      (RunArg){.name = param->name, .param = run_param(run->arena, param), .loc = param->loc};
}

// Allocates room for the parameters, those of --buffer, and possible items of tuples.
static void make_room(Run *run, uint32_t param_count) {
  const Options *o = run->options;
  uint32_t items = 0;
  for (uint32_t i = 0; i < o->args.n; i++) {
    const char *text = o->args.at[i].text;
    if (text[strspn(text, " ")] != '(') continue;
    for (items++; *text; text++) items += *text == ',' || *text == '(';
  }
  run->params = ARENA_ARRAY(run->arena, RunArg, o->devices * (param_count + items + o->buffers.n));
}

// Lists the kernel's run-time parameters, from the source or from the one function of a .tir file.
static bool list_params(Run *run, const KernelInfo **kernel) {
  Compilation *c = run->c;
  *kernel = NULL;
  if (c->is_tir) {
    if (c->module->funcs.n != 1)
      return tool_error("[T1004] '%s' has %u kernels; run needs one", run->options->file, c->module->funcs.n),
             false;
    const Func *func = c->module->funcs.at[0];
    make_room(run, func->param_count);
    for (uint32_t i = 0; i < func_visible_params(func); i++)
      add_param(run, &(KernelParam){.name = func->params[i].name, .type = func->params[i].type});
    return true;
  }
  KernelInfo *entries;
  uint32_t count = 1;
  if (run->spec.kernel)
    *kernel = frontend_kernel(&c->ir, c->syntax, &run->spec, run->spec.kernel);
  else {
    count = frontend_entries(&c->ir, c->syntax, &run->spec, &entries);
    *kernel = count == 1 ? entries : NULL;
  }
  if ((!*kernel && run->spec.kernel) || count == 0) frontend_no_kernel(&c->ir, c->syntax, run->spec.kernel);
  if (c->diags.errors) return tool_report(run->options, c, TILEC_ERROR_COMPILE), false;
  if (!*kernel)
    return ask_kernel(c, entries, count), tool_report(run->options, c, TILEC_ERROR_COMPILE), false;
  make_room(run, (*kernel)->param_count);
  for (uint32_t i = 0; i < (*kernel)->param_count; i++) {
    const KernelParam *p = &(*kernel)->params[i];
    if (p->is_constexpr) continue;
    add_param(run, p);
  }
  return true;
}

static bool unknown_argument(const Run *run, const KernelInfo *kernel, const char *name) {
  const char **names =
      ARENA_ARRAY(run->arena, const char *, run->param_count + (kernel ? kernel->param_count : 0));
  size_t n = 0;
  for (uint32_t i = 0; !kernel && i < run->param_count; i++) names[n++] = run->params[i].name;
  for (uint32_t i = 0; kernel && i < kernel->param_count; i++) names[n++] = kernel->params[i].name;
  ask_unknown(run->c, kernel, name, names, n);
  tool_report(run->options, run->c, TILEC_ERROR_COMPILE);
  return false;
}

bool run_refuse(Run *run, const RunArg *param, const char *text) {
  diag_error(&run->c->diags, param->loc, "[T1003] %s", text);
  tool_report(run->options, run->c, TILEC_ERROR_COMPILE);
  return false;
}

static bool take_value(Run *run, RunArg *param, Str text, uint32_t depth);

// The seed for random data. NULL if the run has no data.
static const uint64_t *data_seed(const Run *run) { return run->has_data ? &run->options->seed : NULL; }

static bool wrong_value(Run *run, RunArg *param, Str text, const char *why) {
  return run_refuse(
      run, param, arena_printf(run->arena, "[T1003] argument %s=%.*s: %s", param->name, STR_ARG(text), why));
}

// NUMBER:TYPE in a tuple of a PTX file. Returns the number, or the text as it is.
static Str take_type(const Run *run, RunArg *item, Str text) {
  size_t n = param_text_until(text, ':');
  if (!options_file_is_ptx(run->options) || n == text.n || !strchr("-.0123456789", text.at[0])) return text;
  item->typed = elem_parse((Str){text.at + n + 1, text.n - n - 1}, &item->elem);
  return item->typed ? (Str){text.at, n} : text;
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"; // of a name

// "SPEC" or "NAME=SPEC"
static bool take_item(Run *run, const RunArg *tuple, RunArg *item, Str text, uint32_t depth) {
  uint32_t number = (uint32_t)(item - tuple->items);
  Str name = {text.at, param_text_until(text, '=')};
  bool named = name.n < text.n && name.n && strspn(text.at, letters) >= str_trimmed(name).n;
  *item = (RunArg){.loc = tuple->loc, .given = true, .param = {.name = tuple->name}};
  if (named) {
    item->field = arena_copy(run->arena, str_trimmed(name));
    text = str_trimmed((Str){text.at + name.n + 1, text.n - name.n - 1});
  }
  text = take_type(run, item, text);
  if (str_is(text, "device"))
    return wrong_value(run, item, text, "the device's number must be an argument of its own");
  item->name = named ? arena_printf(run->arena, "%s.%s", tuple->name, item->field)
                     : arena_printf(run->arena, "%s[%u]", tuple->name, number);
  return take_value(run, item, text, depth);
}

// "(SPEC,NAME=SPEC,...)". A single element may have a trailing comma.
static bool take_tuple(Run *run, RunArg *tuple, Str text, uint32_t depth) {
  Str inner = str_trimmed((Str){text.at + 1, text.n - 2}), rest = inner;
  if (depth > PARAM_MAX_DEPTH)
    return wrong_value(run, tuple, text, "there are too many tuples within tuples");
  if (inner.n && inner.at[inner.n - 1] == ',') inner.n--, rest = inner;
  tuple->value = (Argument){.kind = ARGUMENT_TUPLE};
  tuple->items = &run->params[run->holder_count];
  for (Str left = inner; left.n; tuple->item_count++) {
    size_t n = param_text_until(left, ',');
    left = n < left.n ? (Str){left.at + n + 1, left.n - n - 1} : (Str){0};
  }
  run->holder_count += tuple->item_count;
  for (uint32_t i = 0; i < tuple->item_count; i++) {
    size_t n = param_text_until(rest, ',');
    if (!take_item(run, tuple, &tuple->items[i], str_trimmed((Str){rest.at, n}), depth)) return false;
    if (!tuple->items[i].field != !tuple->items[0].field)
      return wrong_value(run, tuple, text, "either all elements of a tuple must have names, or none");
    rest = n < rest.n ? (Str){rest.at + n + 1, rest.n - n - 1} : (Str){0};
  }
  return true;
}

static bool take_value(Run *run, RunArg *param, Str text, uint32_t depth) {
  const char *why;
  Str value = str_trimmed(text);
  bool is_ptx = options_file_is_ptx(run->options), one_each = run->c->is_tir || is_ptx;
  size_t name = param_text_until(value, '=');
  if (is_ptx && name && name < value.n && strspn(value.at, letters) == name)
    return wrong_value(run, param, text,
                       arena_printf(run->arena, "parameters of PTX have no names here: leave out '%.*s='",
                                    (int)name, value.at));
  if (value.n > 1 && value.at[0] == '(' && value.at[value.n - 1] == ')' && !run->c->is_tir)
    return take_tuple(run, param, value, depth + 1);
  if (value.n && value.at[0] == '(')
    return wrong_value(run, param, text,
                       run->c->is_tir ? "a tuple is several parameters here, and each takes one argument"
                                      : "the bracket of the tuple is not closed");
  if (!argument_parse(run->arena, arena_copy(run->arena, text), data_seed(run),
                      (uint32_t)(param - run->params), &param->value, &why))
    return wrong_value(run, param, text, why);
  const TensorBlock *block = param->value.descriptor;
  why = block ? descriptor_unfit(block, is_ptx) : NULL;
  if (why) return wrong_value(run, param, text, why);
  if (block && is_ptx && depth)
    return wrong_value(run, param, text, "a struct with a tensor map is not built");
  if (one_each && ((block && !is_ptx) || param->value.kind == ARGUMENT_CONSTEXPR))
    return wrong_value(run, param, text, "that is more than one parameter, and here each takes one argument");
  if (param->value.is_device && param->param.in_heuristic)
    return wrong_value(run, param, text, "a heuristic reads it, so it must be the same on all devices");
  return true;
}

// Several values of a constexpr are a range of -D, and only tune takes ranges.
static bool has_bar(const char *text) { return strchr(text, '|') && !strpbrk(text, "\"'"); }

static bool refuse_range(const Run *run, const NamedText *arg) {
  const char *where = run->options->command == COMMAND_TUNE ? "give it with -D" : "only tilec tune takes it";
  return tool_error("[T1003] argument %s=%s is a range: %s: -D '%s=%s'", arg->name, arg->text, where,
                    arg->name, arg->text),
         false;
}

static bool take_argument(Run *run, const KernelInfo *kernel, const NamedText *arg) {
  RunArg *param = find_param(run, arg->name);
  if (is_constexpr(kernel, arg->name)) {
    if (has_bar(arg->text)) return refuse_range(run, arg);
    if (strcmp(arg->text, "device") == 0)
      return tool_error(
                 "[T1003] argument %s=device is a constexpr: all devices run one code, so make it a plain "
                 "parameter",
                 arg->name),
             false;
    const char *define = arena_printf(run->arena, "%s=%s", arg->name, arg->text);
    vec_push(run->arena, &run->defines, define);
    tilec_status status = compile_define(run->c, define, &run->spec);
    return status == TILEC_OK || (tool_report(run->options, run->c, status), false);
  }
  if (!param) return unknown_argument(run, kernel, arg->name);
  if (param->given) return tool_error("[T1003] argument '%s' is given twice", arg->name), false;
  param->given = true;
  param->text = arg->text;
  return take_value(run, param, str_from(arg->text), 0);
}

// Resolves &NAME, which points into the buffer of another argument.
static bool link_buffer(Run *run, RunArg *param) {
  Argument *value = &param->value;
  if (value->kind == ARGUMENT_BUFFER) param->buffer = param;
  if (value->kind != ARGUMENT_SAME) return true;
  param->buffer = find_holder(run, value->same);
  if (!param->buffer || param->buffer->value.kind != ARGUMENT_BUFFER)
    return tool_error("[T1003] argument %s=&%s: there is no buffer '%s'", param->name, value->same,
                      value->same),
           false;
  return value->offset <= param->buffer->value.bytes ||
         (tool_error("[T1003] argument %s: the offset is past the end of '%s'", param->name, value->same),
          false);
}

static bool complete_descriptor(Run *run, RunArg *param) {
  const char *why;
  if (!param->value.descriptor) return true;
  return descriptor_complete(run->arena, &param->buffer->value, param->value.descriptor, &why) ||
         run_refuse(run, param, arena_printf(run->arena, "argument '%s': %s", param->name, why));
}

static bool check_pointee(const Run *run, const RunArg *table, const Pointee *pointee) {
  const RunArg *holder = pointee->name ? find_holder(run, pointee->name) : NULL;
  if (!pointee->name) return true;
  if (!holder || !holder->buffer)
    return tool_error("[T1003] %s=ptrs(...): there is no buffer '%s'", run_arg_name(run, table),
                      pointee->name),
           false;
  const Argument *value = &holder->buffer->value;
  if (holder->value.offset + pointee->offset > value->bytes)
    return tool_error("[T1003] %s=ptrs(...): the offset is past the end of '%s'", run_arg_name(run, table),
                      pointee->name),
           false;
  if (!table->value.pointee_typed || value->elem == table->value.pointee) return true;
  tool_error("[T1003] %s=ptrs(...): the elements of '%s' are %s, not %s", run_arg_name(run, table),
             pointee->name, elem_info(value->elem)->name, elem_info(table->value.pointee)->name);
  return false;
}

static bool check_multicast(const Run *run, const RunArg *param) {
  const RunArg *holder = find_holder(run, param->value.multicast);
  const char *why = !holder || !holder->buffer ? "there is no buffer" : NULL;
  if (!why && holder->value.offset + param->value.offset > holder->buffer->value.bytes)
    why = "the offset is past the end of";
  return !why || (tool_error("[T1003] %s=multicast(...): %s '%s'", run_arg_name(run, param), why,
                             param->value.multicast),
                  false);
}

// Appends the buffers of --buffer after the parameters.
static bool take_buffers(Run *run) {
  const Options *o = run->options;
  for (uint32_t i = 0; i < o->buffers.n; i++) {
    const NamedText *given = &o->buffers.at[i];
    const char *why;
    if (find_holder(run, given->name))
      return tool_error("[T1003] --buffer %s: there is one of that name", given->name), false;
    RunArg *holder = &run->params[run->holder_count];
    *holder = (RunArg){.name = given->name, .given = true, .text = given->text};
    if (!argument_parse(run->arena, given->text, data_seed(run), run->holder_count, &holder->value, &why))
      return tool_error("[T1003] --buffer %s=%s: %s", given->name, given->text, why), false;
    if (holder->value.kind != ARGUMENT_BUFFER)
      return tool_error("[T1003] --buffer %s=%s: it is not a buffer", given->name, given->text), false;
    run->holder_count++;
  }
  return true;
}

// Call once all arguments are known.
static bool link_buffers(Run *run) {
  if (!take_buffers(run)) return false;
  run->device_holders = run->holder_count;
  for (uint32_t i = 0; i < run->holder_count; i++)
    if (!link_buffer(run, &run->params[i]) || !complete_descriptor(run, &run->params[i])) return false;
  for (uint32_t i = 0; i < run->holder_count; i++) {
    const Argument *value = &run->params[i].value;
    if (value->multicast && !check_multicast(run, &run->params[i])) return false;
    for (uint64_t k = 0; value->pointees && k < value->elements; k++)
      if (!check_pointee(run, &run->params[i], &value->pointees[k])) return false;
  }
  return run_copy_devices(run);
}

static bool has_constexpr(const Run *run, const char *name) {
  for (uint32_t i = 0; i < run->spec.constexpr_count; i++)
    if (run->spec.constexprs[i].name == name) return true;
  return false;
}

AskGiven run_given(const Run *run) {
  const int64_t most_number = 1 << 20;
  AskGiven given = {0};
  uint64_t number = 0, largest = 0;
  for (uint32_t i = 0; i < run->param_count; i++) {
    const Argument *value = &run->params[i].value;
    if (!run->params[i].given) continue;
    if (value->elements > given.elements) given.elements = value->elements;
    if (value->rank > 1 && value->elements > largest) {
      largest = value->elements;
      given.rows = value->elements / value->shape[value->rank - 1];
    }
    if (value->kind == ARGUMENT_INT && value->i > 0 && value->i <= most_number) number = (uint64_t)value->i;
  }
  if (!given.elements) given.elements = number;
  return given;
}

// False, with an error in c->diags, if an argument is missing. `tuned`: a result of tilec tune may have the constexprs,
// so run_compile asks for them.
static bool all_given(Run *run, const KernelInfo *kernel, bool tuned) {
  Compilation *c = run->c;
  bool *missing = ARENA_ARRAY(run->arena, bool, kernel->param_count), any = false;
  for (uint32_t i = 0, k = 0; i < kernel->param_count; i++) {
    const KernelParam *p = &kernel->params[i];
    const RunArg *arg = p->is_constexpr ? NULL : &run->params[k++];
    missing[i] = !p->has_default && (arg ? !arg->given : !has_constexpr(run, p->name));
    any |= missing[i];
  }
  if (!any) return true;
  const uint32_t *uses = frontend_param_uses(&c->ir, c->syntax, kernel);
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    if (kernel->params[i].is_constexpr && (uses[i] & PARAM_DECIDED)) missing[i] = false;
    if (missing[i] && !kernel->params[i].is_constexpr) tuned = false;
  }
  if (tuned) run->lacks = kernel;
  return tuned || ask_arguments(run->options, c, kernel, missing, run_given(run));
}

bool run_takes_tuned(const Run *run) {
  return run->options->command == COMMAND_RUN || run->options->command == COMMAND_BENCH;
}

tilec_status run_ask(Run *run) {
  return run->lacks && !all_given(run, run->lacks, false) ? TILEC_ERROR_COMPILE : TILEC_OK;
}

bool run_match_arguments(Run *run) {
  const KernelInfo *kernel;
  if (!list_params(run, &kernel)) return false;
  run->holder_count = run->param_count;
  for (uint32_t i = 0; i < run->options->args.n; i++)
    if (!take_argument(run, kernel, &run->options->args.at[i])) return false;
  if (kernel && !all_given(run, kernel, run_takes_tuned(run)))
    return tool_report(run->options, run->c, TILEC_ERROR_COMPILE), false;
  for (uint32_t i = 0; !kernel && i < run->param_count; i++)
    if (!run->params[i].given)
      return tool_error("[T1005] argument '%s' is missing", run->params[i].name), false; // of a .tir file
  return link_buffers(run);
}

bool run_match_ptx(Run *run) {
  const Options *o = run->options;
  make_room(run, o->args.n);
  for (uint32_t i = 0; i < o->args.n; i++)
    run->params[run->param_count++] = (RunArg){.name = o->args.at[i].name};
  run->holder_count = run->bit_count = run->param_count;
  for (uint32_t i = 0; i < run->param_count; i++)
    if (!take_argument(run, NULL, &o->args.at[i])) return false;
  return link_buffers(run);
}
