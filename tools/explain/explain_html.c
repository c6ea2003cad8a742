// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec explain as a page: tools/explain/page.html with the JSON that it draws inserted.
#include <string.h>

#include "tools/explain/explain.h"

extern const char explain_page[], explain_page_end[]; // tools/explain/page.html

static const char *find(const char *at, const char *end, const char *text) {
  size_t n = strlen(text);
  for (; at + n <= end; at++)
    if (memcmp(at, text, n) == 0) return at;
  return NULL;
}

// Writes the line without each loc("file":LINE:...). " @LINE" replaces the last one.
static void put_ir_line(Str line, Buf *out) {
  const char *at = line.at, *end = at + line.n, *loc, *number = NULL;
  while ((loc = find(at, end, " loc(")) != NULL) {
    const char *named = find(loc, end, "\":"), *closed = find(named ? named : loc, end, ")");
    if (!closed) break;
    if (named) number = named + 2;
    buf_bytes(out, at, (size_t)(loc - at));
    at = closed + 1;
  }
  buf_bytes(out, at, (size_t)(end - at));
  if (number) buf_text(out, " @");
  while (number && *number >= '0' && *number <= '9') buf_char(out, *number++);
}

static Str ir_text(Str text, Buf *out) {
  while (text.n) {
    put_ir_line(str_take_until(&text, '\n'), out);
    buf_char(out, '\n');
  }
  return buf_view(out);
}

static void put_passes(const Explanation *e, Json *json) {
  Buf text = {0};
  json_array(json, "passes");
  for (uint32_t i = 0; i < e->passes.n; i++) {
    json_object(json, NULL);
    json_text(json, "name", e->passes.at[i].pass);
    buf_reset(&text);
    json_str(json, "text", ir_text(e->passes.at[i].text, &text));
    json_object_end(json);
  }
  json_array_end(json);
  buf_free(&text);
}

static void put_sources(const Explanation *e, Json *json) {
  const Sources *sources = &e->run->c->sources;
  json_array(json, "sources");
  for (uint32_t i = 0; i < sources->files.n; i++) {
    bool used = false;
    for (uint32_t k = 0; k < e->lines.n && !used; k++) used = e->lines.at[k].loc.file == i;
    if (!used || !sources->files.at[i].text.n) continue;
    json_object(json, NULL);
    json_text(json, "name", sources_name(sources, (uint16_t)i));
    json_str(json, "text", sources->files.at[i].text);
    json_object_end(json);
  }
  json_array_end(json);
}

// PTX or SASS: the text, and by line the line of the source; 0: none.
static void put_code(const CodeLines *lines, Json *json, const char *name) {
  Buf text = {0};
  if (!lines->n) return;
  json_object(json, name);
  for (uint32_t i = 0; i < lines->n; i++) {
    buf_str(&text, lines->at[i].text);
    buf_char(&text, '\n');
  }
  json_str(json, "text", buf_view(&text));
  json_tight_array(json, "lines");
  for (uint32_t i = 0; i < lines->n; i++)
    json_uint(json, NULL, lines->at[i].op ? lines->at[i].op->loc.line : 0);
  json_array_end(json);
  json_object_end(json);
  buf_free(&text);
}

// A buffer in shared memory: where it is, and its tile.
static void put_buffer(const CostEvent *event, Json *json) {
  const Type *type = op_result(event->alloc)->type;
  json_int(json, "offset", op_int(event->alloc, ATTR_OFFSET, 0));
  json_uint(json, "from", event->alloc->loc.line);
  json_text(json, "element", elem_info(type->elem)->name);
  json_tight_array(json, "shape");
  for (uint32_t i = 0; i < type->rank; i++) json_uint(json, NULL, type->shape[i]);
  json_array_end(json);
}

static void put_events(const Explanation *e, Json *json) {
  json_array(json, "events");
  for (uint32_t i = 0; i < e->events.n; i++) {
    const CostEvent *event = &e->events.at[i];
    json_object(json, NULL);
    json_text(json, "op", op_info(event->op->kind)->name);
    json_uint(json, "line", event->op->loc.line);
    json_uint(json, "group", event->group);
    json_uint(json, "trip", event->trip);
    if (event->follows) json_bool(json, "follows", true);
    if (event->alloc) put_buffer(event, json);
    if (event->slot >= 0) json_int(json, "slot", event->slot);
    if (op_attr(event->op, ATTR_PENDING)) json_int(json, "pending", op_int(event->op, ATTR_PENDING, 0));
    json_object_end(json);
  }
  json_array_end(json);
}

// Only "</script" ends a <script> element, so every '<' is escaped.
static void put_data(const Explanation *e, Buf *out) {
  Buf data = {0};
  Json json = {.out = &data};
  json_object(&json, NULL);
  explain_json_object(e, &json, "explain");
  put_sources(e, &json);
  put_passes(e, &json);
  put_events(e, &json);
  put_code(&e->code.ptx, &json, "ptx");
  put_code(&e->code.sass, &json, "sass");
  json_object_end(&json);
  Str text = buf_view(&data);
  for (size_t i = 0; i < text.n; i++) {
    if (text.at[i] == '<')
      buf_text(out, "\\u003c");
    else
      buf_char(out, text.at[i]);
  }
  buf_free(&data);
}

void explain_html(const Explanation *e, Buf *out) {
  static const char place[] = "@DATA@";
  const char *at = strstr(explain_page, place);
  buf_bytes(out, explain_page, (size_t)(at - explain_page));
  put_data(e, out);
  buf_text(out, at + sizeof place - 1);
}
