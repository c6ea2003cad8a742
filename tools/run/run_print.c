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

// "A:B", "A:", ":B", ":" or "A". False: none of these.
static bool parse_bounds(Str text, uint64_t *begin, uint64_t *end) {
  const char *colon = memchr(text.at, ':', text.n);
  Str first = {text.at, colon ? (size_t)(colon - text.at) : text.n};
  Str last = {colon ? colon + 1 : "", colon ? text.n - first.n - 1 : 0};
  *begin = 0;
  *end = UINT64_MAX;
  if (!colon && !first.n) return false;
  if (first.n && !u64_parse(first, begin)) return false;
  if (last.n && !u64_parse(last, end)) return false;
  if (!colon) *end = *begin + 1;
  return true;
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
  if (!parse_bounds(bounds, &printed->begin, &printed->end) || printed->begin > printed->end)
    return tool_error(wrong_range, text), false;
  uint64_t elements = printed->param->value.elements;
  if (printed->end == UINT64_MAX) printed->end = elements;
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

// "3,0": the indices in the buffer's shape.
static void print_index(const Argument *a, uint64_t index, Buf *out) {
  uint64_t indices[NPY_MAX_RANK];
  if (a->rank < 2) {
    buf_printf(out, "%llu", (unsigned long long)index);
    return;
  }
  for (uint32_t d = a->rank; d-- > 0; index /= a->shape[d]) indices[d] = index % a->shape[d];
  for (uint32_t d = 0; d < a->rank; d++)
    buf_printf(out, "%s%llu", d ? "," : "", (unsigned long long)indices[d]);
}

// The widest index and element, in characters.
static void measure(const Argument *a, const uint8_t *bytes, const Printed *p, size_t *index,
                    size_t *element) {
  Buf text = {0};
  *index = *element = 0;
  for (uint64_t i = p->begin; i < p->end; i++) {
    buf_reset(&text);
    run_print_element(a, bytes, i, &text);
    if (text.n > *element) *element = text.n;
    buf_reset(&text);
    print_index(a, i, &text);
    if (text.n > *index) *index = text.n;
  }
  buf_free(&text);
}

static void print_right(Buf *out, const Buf *text, size_t width) {
  buf_spaces(out, text->n < width ? (int)(width - text->n) : 0);
  buf_str(out, buf_view(text));
}

// Lines end with a row of the buffer, and with a full line.
static void print_rows(const Argument *a, const uint8_t *bytes, const Printed *p, Buf *out) {
  size_t index, element;
  measure(a, bytes, p, &index, &element);
  uint64_t fits = (COLUMNS - 3 - index) / (element + 1), row = a->rank ? a->shape[a->rank - 1] : 1;
  uint64_t line = fits > 10 ? 10 : fits ? fits : 1, left = 0;
  Buf text = {0};
  for (uint64_t i = p->begin; i < p->end; i++) {
    bool starts = !left || i % row == 0;
    if (starts) {
      if (i > p->begin) buf_char(out, '\n');
      buf_reset(&text);
      print_index(a, i, &text);
      buf_spaces(out, 2);
      print_right(out, &text, index);
      buf_char(out, ':');
      left = line;
    }
    buf_reset(&text);
    run_print_element(a, bytes, i, &text);
    buf_char(out, ' ');
    print_right(out, &text, element);
    left--;
  }
  if (p->end > p->begin) buf_char(out, '\n');
  buf_free(&text);
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
    print_rows(a, p.param->result, &p, &out);
  }
  fwrite(out.at ? out.at : "", 1, out.n, stdout);
  buf_free(&out);
}
