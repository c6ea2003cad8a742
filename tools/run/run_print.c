// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --print: elements of a buffer after the run, in lines that begin with the index of their first element.
#include "tools/run/run.h"

#include <stdio.h>

enum { SHOWN = 1000, COLUMNS = 100 };

typedef struct Printed {
  const RunArg *param; // NULL: there is none
  uint64_t begin, end; // end 0 if `all`
  bool all;
} Printed;

static const char wrong_range[] =
    "[T1006] --print %s: a range is [A:B], [A:], [:B] or [A], of numbers from 0";

bool run_parse_range(Str text, uint64_t n, uint64_t *begin, uint64_t *end) {
  const char *colon = memchr(text.at, ':', text.n);
  Str first = {text.at, colon ? (size_t)(colon - text.at) : text.n};
  Str last = {colon ? colon + 1 : "", colon ? text.n - first.n - 1 : 0};
  *begin = 0;
  *end = n;
  if (first.n ? !u64_parse(first, begin) : !colon) return false;
  if (last.n && !u64_parse(last, end)) return false;
  if (!colon) *end = *begin + 1;
  return *begin <= *end;
}

// The owner of the buffer. Names of tuples' items may end in brackets too: t[0].
static const RunArg *holder_of(const Run *run, Str name) {
  return run_find_buffer(run, arena_copy(run->arena, name));
}

static bool parse_printed(const Run *run, const char *text, Printed *printed) {
  Str name = str_from(text);
  *printed = (Printed){.param = holder_of(run, name), .all = true};
  const char *open = strrchr(text, '[');
  if (printed->param || !open || text[name.n - 1] != ']') return printed->param != NULL;
  Str bounds = {open + 1, (size_t)(text + name.n - 1 - (open + 1))};
  *printed = (Printed){.param = holder_of(run, (Str){text, (size_t)(open - text)})};
  if (!printed->param) return false;
  uint64_t elements = printed->param->value.elements;
  bool open_end = bounds.n && bounds.at[bounds.n - 1] == ':';
  if (!run_parse_range(bounds, open_end ? UINT64_MAX : elements, &printed->begin, &printed->end))
    return tool_error(wrong_range, text), false;
  if (open_end) printed->end = elements;
  if (printed->begin > elements || printed->end > elements)
    return tool_error("[T1006] --print %s: '%s' has %llu elements", text, printed->param->name,
                      (unsigned long long)elements),
           false;
  return true;
}

bool run_check_prints(const Run *run) {
  for (uint32_t i = 0; i < run->options->prints.n; i++) {
    const char *text = run->options->prints.at[i];
    Printed printed;
    if (parse_printed(run, text, &printed)) continue;
    if (printed.param) return false;
    Str name = {text, strcspn(text, "[")};
    if (holder_of(run, name)) return tool_error(wrong_range, text), false;
    return run_no_buffer(run, "--print", text, name);
  }
  return true;
}

static size_t measured(const Rows *rows, void (*print)(const void *, uint64_t, Buf *)) {
  Buf text = {0};
  size_t width = 0;
  for (uint64_t i = rows->begin; i < rows->end; i++) {
    buf_reset(&text);
    print(rows->of, i, &text);
    if (text.n > width) width = text.n;
  }
  buf_free(&text);
  return width;
}

static void print_right(const Rows *rows, void (*print)(const void *, uint64_t, Buf *), uint64_t i,
                        size_t width, Buf *out) {
  Buf text = {0};
  print(rows->of, i, &text);
  buf_spaces(out, (int)(width - text.n));
  buf_str(out, buf_view(&text));
  buf_free(&text);
}

// Lines end with a row, and where they are full.
void run_print_rows(const Rows *rows, Buf *out) {
  size_t index = measured(rows, rows->index), element = measured(rows, rows->element);
  uint64_t left = 0;
  for (uint64_t i = rows->begin; i < rows->end; i++, left--) {
    if (!left || i % rows->row == 0) {
      if (i > rows->begin) buf_char(out, '\n');
      buf_spaces(out, 2);
      print_right(rows, rows->index, i, index, out);
      buf_char(out, ':');
      left = index + 3 < COLUMNS ? (COLUMNS - 3 - index) / (element + 1) : 0;
      if (!left || (rows->most && left > rows->most)) left = left ? rows->most : 1;
    }
    buf_char(out, ' ');
    print_right(rows, rows->element, i, element, out);
  }
  if (rows->end > rows->begin) buf_char(out, '\n');
}

typedef struct ShownBuffer {
  const Argument *a;
  const uint8_t *bytes;
} ShownBuffer;

static void shown_index(const void *of, uint64_t i, Buf *out) {
  argument_index(((const ShownBuffer *)of)->a, i, ",", out);
}

static void shown_element(const void *of, uint64_t i, Buf *out) {
  const ShownBuffer *shown = of;
  run_print_element(shown->a, shown->bytes, i, out);
}

void run_print_elements(const Run *run) {
  Buf out = {0};
  for (uint32_t i = 0; i < run->options->prints.n; i++) {
    Printed p;
    if (!parse_printed(run, run->options->prints.at[i], &p)) continue; // run_check_prints has reported it
    const Argument *a = &p.param->value;
    if (p.all) p.end = a->elements > SHOWN ? SHOWN : a->elements;
    buf_printf(&out, "%s:", run->options->prints.at[i]);
    if (p.all && p.end < a->elements)
      buf_printf(&out, " the first %d of %llu elements (--print '%s[%d:%llu]' prints the others)", SHOWN,
                 (unsigned long long)a->elements, p.param->name, SHOWN, (unsigned long long)a->elements);
    buf_char(&out, '\n');
    run_print_rows(&(Rows){.of = &(ShownBuffer){a, p.param->result},
                           .index = shown_index,
                           .element = shown_element,
                           .begin = p.begin,
                           .end = p.end,
                           .row = a->rank ? a->shape[a->rank - 1] : 1,
                           .most = 10},
                   &out);
  }
  fwrite(out.at ? out.at : "", 1, out.n, stdout);
  buf_free(&out);
}
