// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/plain.h"

static bool is_tight(const Json *json) { return json->tight_from && json->depth >= json->tight_from; }

// Writes what precedes an item: the separator, and the name.
static void json_item(Json *json, const char *name) {
  bool row = json->rows && json->depth == 1;
  if (json->follows) buf_char(json->out, ',');
  if (row)
    buf_text(json->out, "\n  ");
  else if (json->follows && !is_tight(json))
    buf_char(json->out, ' ');
  if (name) {
    buf_json_quoted(json->out, str_from(name));
    buf_text(json->out, ": ");
  }
  json->follows = true;
}

static void json_open(Json *json, const char *name, char bracket) {
  json_item(json, name);
  buf_char(json->out, bracket);
  json->follows = false;
  json->depth++;
}

static void json_close(Json *json, char bracket) {
  if (json->rows && json->depth == 1 && json->follows) buf_char(json->out, '\n');
  if (json->depth == json->tight_from) json->tight_from = 0;
  json->depth--;
  buf_char(json->out, bracket);
  json->follows = true;
}

void json_object(Json *json, const char *name) { json_open(json, name, '{'); }
void json_object_end(Json *json) { json_close(json, '}'); }
void json_array(Json *json, const char *name) { json_open(json, name, '['); }
void json_array_end(Json *json) { json_close(json, ']'); }

void json_tight_array(Json *json, const char *name) {
  json_array(json, name);
  if (!json->tight_from) json->tight_from = json->depth;
}

void json_null(Json *json, const char *name) {
  json_item(json, name);
  buf_text(json->out, "null");
}

void json_bool(Json *json, const char *name, bool value) {
  json_item(json, name);
  buf_text(json->out, value ? "true" : "false");
}

void json_int(Json *json, const char *name, int64_t value) {
  json_item(json, name);
  buf_printf(json->out, "%lld", (long long)value);
}

void json_uint(Json *json, const char *name, uint64_t value) {
  json_item(json, name);
  buf_printf(json->out, "%llu", (unsigned long long)value);
}

void json_double(Json *json, const char *name, double value) {
  json_item(json, name);
  if (!isfinite(value)) buf_char(json->out, '"');
  buf_double(json->out, value);
  if (!isfinite(value)) buf_char(json->out, '"');
}

void json_decimal(Json *json, const char *name, const char *text) {
  size_t sign = text[0] == '-';
  if (!text[sign] || text[sign + strspn(text + sign, "0123456789.e+-")]) {
    json_text(json, name, text);
    return;
  }
  json_item(json, name);
  buf_text(json->out, text);
}

void json_rounded(Json *json, const char *name, double value, int digits) {
  if (!isfinite(value)) {
    json_null(json, name);
    return;
  }
  json_item(json, name);
  buf_printf(json->out, "%.*g", digits, value);
}

void json_str(Json *json, const char *name, Str text) {
  json_item(json, name);
  buf_json_quoted(json->out, text);
}

void json_text(Json *json, const char *name, const char *text) { json_str(json, name, str_from(text)); }

void json_value(Json *json, const char *name, Str text) {
  json_item(json, name);
  buf_str(json->out, text);
}

void json_written(Json *json, const char *name) {
  json_item(json, name);
  buf_char(json->out, '"');
}

void json_written_end(Json *json) { buf_char(json->out, '"'); }
