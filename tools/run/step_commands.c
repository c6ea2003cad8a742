// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands of the stepper, read from standard input.
#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

#include "base/plain.h"
#include "tools/run/step.h"

enum { SHOWN = 1000, AROUND = 5 };

static const char help[] =
    "  step, s              runs to the next line\n"
    "  next, n              the same, but runs functions that the line calls as one\n"
    "  continue, c          runs to the next breakpoint, error or end\n"
    "  break LINE, b LINE   stops where LINE begins; break: lists them\n"
    "  delete LINE          removes a breakpoint\n"
    "  print NAME, p NAME   the elements of a variable; NAME[A:B]: from A to below B, "
    "counted along the rows; NAME[A:B, C]: by dimension\n"
    "  print EXPRESSION     a value of numbers, variables, + - * / // % & | and comparisons\n"
    "  expect               compares the buffers of --expect as they are now\n"
    "  vars, v              all variables\n"
    "  program I[,J,K]      runs to the start of another program; to an earlier one "
    "from the start of the launch\n"
    "  list, l              the lines around\n"
    "  quit, q              ends the run; so does the end of the input\n"
    "An empty line repeats the last command.\n";

typedef struct Commands {
  Stepper *s;
  const EvalStop *stop;
  Str argument;
  bool continues, ends;
} Commands;

static void say(Commands *c, const char *text) { buf_printf(&c->s->out, "%s\n", text); }

static bool is_current(const Stepper *s, const Variable *v) { return v->call == s->last.call; }

const Variable *step_find(const Stepper *s, Str name) {
  const Variable *found = NULL;
  for (uint32_t i = 0; i < s->variables.n; i++) {
    const Variable *v = &s->variables.at[i];
    if (str_is(name, v->name) && (is_current(s, v) || (!found && v->call == 0))) found = v;
  }
  return found;
}

static void no_variable(Commands *c, Str name) {
  const char *names[100];
  size_t n = 0;
  for (uint32_t i = 0; i < c->s->variables.n && n < 100; i++)
    if (is_current(c->s, &c->s->variables.at[i])) names[n++] = c->s->variables.at[i].name;
  buf_printf(&c->s->out, "'%.*s' has no value here", STR_ARG(name));
  if (n) buf_text(&c->s->out, "; there are ");
  if (n) diag_list_names(name, names, n, &c->s->out);
  buf_char(&c->s->out, '\n');
}

static bool print_constexpr(Commands *c, Str name) {
  for (uint32_t i = 0; i < c->s->func->constexpr_count; i++) {
    const Constexpr *constant = &c->s->func->constexprs[i];
    if (!str_is(name, constant->name)) continue;
    buf_printf(&c->s->out, "  %-10s constexpr    ", constant->name);
    const_print(&constant->value, &c->s->out);
    buf_char(&c->s->out, '\n');
    return true;
  }
  return false;
}

// "NAME" or "NAME[A:B]"
typedef struct Printed {
  Str name, range; // range: with its closing bracket
  bool has_range;
  uint64_t begin, end;
} Printed;

static Printed parse_printed(Str text) {
  const char *open = text.n ? memchr(text.at, '[', text.n) : NULL;
  if (!open) return (Printed){.name = text};
  size_t n = (size_t)(open - text.at);
  return (Printed){
      .name = str_trimmed((Str){text.at, n}), .range = {open + 1, text.n - n - 1}, .has_range = true};
}

// Sets begin and end, for `n` elements. False after a message.
static bool take_range(Commands *c, Printed *p, uint64_t n) {
  bool closed = p->range.n && p->range.at[p->range.n - 1] == ']';
  p->begin = 0;
  p->end = n < SHOWN ? n : SHOWN;
  if (!p->has_range) return true;
  Str range = {p->range.at, p->range.n - closed};
  if (closed && run_parse_range(range, n, &p->begin, &p->end) && p->end <= n) return true;
  buf_printf(&c->s->out,
             "'%.*s' has %llu elements: a range is [A:B], [A:], [:B] or [A], counted along the rows\n",
             STR_ARG(p->name), (unsigned long long)n);
  return false;
}

static void tell_others(Commands *c, const Printed *p, uint64_t n) {
  if (!p->has_range && p->end < n)
    buf_printf(&c->s->out, "  ... (print %.*s[%llu:%llu] prints the others)\n", STR_ARG(p->name),
               (unsigned long long)p->end, (unsigned long long)n);
}

// The buffer that an argument points into, as it is now.
static void print_buffer(Commands *c, Printed *p, const RunArg *arg) {
  Stepper *s = c->s;
  const Argument *value = &arg->value;
  uint8_t *written = NULL;
  if (!value->bytes || !take_range(c, p, value->elements)) return;
  if (!value->initialised) {
    written = arena_alloc(s->run->arena, value->bytes);
    eval_memory_written(s->memory, arg->base, written);
  }
  step_print_buffer(value, eval_memory_bytes(s->memory, arg->base), written, p->begin, p->end, &s->out);
  tell_others(c, p, value->elements);
}

// "NAME", or NAME with a range of numbers: elements as the kernel has them, also of a buffer.
static bool is_plain(Str text) {
  size_t i = 0;
  while (i < text.n && (isalnum((unsigned char)text.at[i]) || text.at[i] == '_')) i++;
  bool name = i > 0 && !isdigit((unsigned char)text.at[0]);
  while (i < text.n && text.at[i] == ' ') i++;
  if (!name || i == text.n) return name;
  if (text.at[i++] != '[') return false;
  while (i < text.n && (isdigit((unsigned char)text.at[i]) || text.at[i] == ':' || text.at[i] == ' ')) i++;
  return i == text.n || (text.at[i] == ']' && i + 1 == text.n);
}

static void print_expression(Commands *c) {
  StepNumbers numbers;
  const char *error;
  if (step_evaluate(c->s, c->stop, c->argument, &numbers, &error))
    step_print_numbers(c->argument, &numbers, SHOWN, &c->s->out);
  else
    say(c, error);
}

static void do_print(Commands *c) {
  Stepper *s = c->s;
  Printed p = parse_printed(c->argument);
  const Variable *v = step_find(s, p.name);
  if (!p.name.n) {
    say(c, "print needs a name or an expression: print x, print x[0:8], print n // BLOCK");
    return;
  }
  if (!is_plain(c->argument)) {
    print_expression(c);
    return;
  }
  if (!v) {
    if (!print_constexpr(c, p.name)) no_variable(c, p.name);
    return;
  }
  const RunArg *arg = v->value->region == s->func->body ? run_find_buffer(s->run, v->name) : NULL;
  uint64_t n = eval_stop_elements(c->stop, v->value);
  if (!arg && !take_range(c, &p, n)) return;
  step_print_summary(c->stop, v, &s->out);
  if (arg) {
    print_buffer(c, &p, arg);
    return;
  }
  if (n > 1) step_print_elements(c->stop, v->value, (uint32_t)p.begin, (uint32_t)p.end, &s->out);
  tell_others(c, &p, n);
}

static void do_vars(Commands *c) {
  for (uint32_t i = 0; i < c->s->variables.n; i++)
    if (is_current(c->s, &c->s->variables.at[i]))
      step_print_summary(c->stop, &c->s->variables.at[i], &c->s->out);
}

static void do_list(Commands *c) {
  Stepper *s = c->s;
  Sources *sources = &s->run->c->sources;
  uint32_t line = s->last.line;
  for (uint32_t i = line > AROUND ? line - AROUND : 1; i <= line + AROUND; i++) {
    Str text = sources_line(sources, s->last.file, i);
    if (!text.at) continue;
    buf_printf(&s->out, "%c %4u  ", i == line ? '>' : ' ', i);
    buf_plain(&s->out, text, SIZE_MAX);
    buf_char(&s->out, '\n');
  }
}

// A line of the kernel's file, for `word`. False after a message.
static bool take_line(Commands *c, const char *word, uint32_t *line) {
  uint64_t number;
  Sources *sources = &c->s->run->c->sources;
  if (u64_parse(c->argument, &number) && number && number < UINT32_MAX &&
      sources_line(sources, c->s->func->loc.file, (uint32_t)number).at) {
    *line = (uint32_t)number;
    return true;
  }
  buf_printf(&c->s->out, "%s needs the number of a line of %s\n", word,
             sources_name(sources, c->s->func->loc.file));
  return false;
}

static bool has_op(const Stepper *s, uint32_t line) {
  for (OpWalk w = ops_in(s->func->body); ops_next(&w);)
    if (w.op->loc.line == line && w.op->loc.file == s->func->loc.file) return true;
  return false;
}

static void do_break(Commands *c) {
  Stepper *s = c->s;
  uint32_t line;
  if (!c->argument.n) {
    for (uint32_t i = 0; i < s->breakpoints.n; i++) buf_printf(&s->out, "  line %u\n", s->breakpoints.at[i]);
    if (!s->breakpoints.n) say(c, "there are no breakpoints");
    return;
  }
  if (!take_line(c, "break", &line)) return;
  for (uint32_t i = 0; i < s->breakpoints.n; i++)
    if (s->breakpoints.at[i] == line) return;
  vec_push(s->run->arena, &s->breakpoints, line);
  if (!has_op(s, line))
    buf_printf(&s->out, "nothing is computed at line %u: the run will not stop there\n", line);
}

static void do_delete(Commands *c) {
  Stepper *s = c->s;
  uint32_t line;
  if (!take_line(c, "delete", &line)) return;
  for (uint32_t i = 0; i < s->breakpoints.n; i++) {
    if (s->breakpoints.at[i] != line) continue;
    s->breakpoints.at[i] = s->breakpoints.at[--s->breakpoints.n];
    return;
  }
  buf_printf(&s->out, "there is no breakpoint at line %u\n", line);
}

// "I", "I,J" or "I,J,K"
static bool parse_program(Str text, uint32_t program[3]) {
  memset(program, 0, 3 * sizeof *program);
  for (uint32_t d = 0; d < 3; d++) {
    const char *comma = text.n ? memchr(text.at, ',', text.n) : NULL;
    Str part = {text.at, comma ? (size_t)(comma - text.at) : text.n};
    uint64_t number;
    if (!u64_parse(str_trimmed(part), &number) || number > UINT32_MAX) return false;
    program[d] = (uint32_t)number;
    if (!comma) return true;
    text = (Str){comma + 1, text.n - part.n - 1};
  }
  return false;
}

static void do_program(Commands *c) {
  const uint32_t *grid = c->stop->grid, *now = c->stop->program;
  uint32_t wanted[3];
  if (!parse_program(c->argument, wanted) || wanted[0] >= grid[0] || wanted[1] >= grid[1] ||
      wanted[2] >= grid[2]) {
    buf_printf(&c->s->out, "program needs a program of the grid %u,%u,%u: program 0 or program 1,0,0\n",
               grid[0], grid[1], grid[2]);
    return;
  }
  uint64_t to = ((uint64_t)wanted[2] * grid[1] + wanted[1]) * grid[0] + wanted[0];
  uint64_t at = ((uint64_t)now[2] * grid[1] + now[1]) * grid[0] + now[0];
  memcpy(c->s->wanted, wanted, sizeof wanted);
  c->s->mode = STEP_PROGRAM;
  c->continues = true;
  c->ends = c->s->restarts = to <= at || c->stop->failed;
}

static void go(Commands *c, StepMode mode) {
  c->s->mode = mode;
  c->continues = true;
}

static void do_expect(Commands *c) {
  Run *run = c->s->run;
  if (!run->options->expectations.n) say(c, "nothing to compare: run with --expect NAME=@FILE.npy");
  for (uint32_t i = 0; i < run->options->expectations.n; i++) {
    const RunExpected *e = &run->expected[i];
    const Argument *a = &e->param->value;
    uint8_t *written = arena_alloc(run->arena, a->bytes + 1);
    memset(written, 0, a->bytes);
    eval_memory_written(c->s->memory, e->param->base, written);
    const uint8_t *bytes = eval_memory_bytes(c->s->memory, e->param->base);
    ExpectResult result;
    expect_compare(&e->array, bytes, written, &result);
    buf_printf(&c->s->out, "  %s: %llu of the %llu elements that are written differ from %s\n",
               e->param->name, (unsigned long long)result.wrong, (unsigned long long)result.compared,
               e->array.path);
    for (uint32_t k = 0; k < EXPECT_SHOWN && k < result.wrong; k++) {
      buf_text(&c->s->out, "    ");
      expect_print_pair(e->param->name, &e->array, bytes, result.first[k], &c->s->out);
      buf_char(&c->s->out, '\n');
    }
  }
}

static void do_step(Commands *c) { go(c, STEP_LINE); }
static void do_next(Commands *c) { go(c, STEP_OVER); }
static void do_continue(Commands *c) { go(c, STEP_BREAK); }
static void do_help(Commands *c) { buf_text(&c->s->out, help); }
static void do_quit(Commands *c) { c->continues = c->ends = c->s->quits = true; }

static const struct {
  const char *name, *letter;
  void (*run)(Commands *c);
} commands[] = {
    {"step", "s", do_step},   {"next", "n", do_next},     {"continue", "c", do_continue},
    {"break", "b", do_break}, {"delete", "d", do_delete}, {"print", "p", do_print},
    {"vars", "v", do_vars},   {"list", "l", do_list},     {"program", "program", do_program},
    {"help", "h", do_help},   {"quit", "q", do_quit},     {"expect", "e", do_expect},
};

static void run_command(Commands *c, Str line) {
  size_t n = 0;
  while (n < line.n && line.at[n] != ' ') n++;
  Str word = {line.at, n};
  c->argument = str_trimmed((Str){line.at + n, line.n - n});
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (str_is(word, commands[i].name) || str_is(word, commands[i].letter)) {
      commands[i].run(c);
      return;
    }
  const char *names[sizeof commands / sizeof *commands];
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) names[i] = commands[i].name;
  const char *near = diag_nearest(word, names, sizeof commands / sizeof *commands);
  buf_printf(&c->s->out, "there is no command '%.*s'; %s%s\n", STR_ARG(word),
             near ? "did you mean " : "help lists them", near ? near : "");
}

// Reads a line into s->command. An empty one leaves it. False: the input has ended.
static bool read_command(Stepper *s) {
  char line[sizeof s->command];
  buf_text(&s->out, "(step) ");
  step_flush(s);
  bool read = fgets(line, sizeof line, stdin) != NULL;
  size_t n = read ? strcspn(line, "\r\n") : 0;
  // Commands from a pipe are shown, as a terminal shows what was typed.
  if (!isatty(STDIN_FILENO)) buf_plain(&s->out, read ? (Str){line, n} : STR("quit"), SIZE_MAX);
  if (!isatty(STDIN_FILENO) || !read) buf_char(&s->out, '\n');
  line[n] = '\0';
  if (str_trimmed(str_from(line)).n) memcpy(s->command, line, n + 1);
  return read;
}

bool step_commands(Stepper *s, const EvalStop *stop) {
  Commands c = {.s = s, .stop = stop};
  while (!c.continues) {
    if (!read_command(s)) {
      do_quit(&c);
      break;
    }
    Str line = str_trimmed(str_from(s->command));
    if (line.n) run_command(&c, line);
  }
  step_flush(s);
  return !c.ends;
}
