// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON text: the only writer for the library and the tools. The output depends only on the calls. Members
// keep the order of the calls, with ", " between items and ": " after names, on one line.
//
// ```
//   Json json = {.out = &out};
//   json_object(&json, NULL);
//   json_uint(&json, "line", 3);
//   json_array(&json, "notes");
//   json_text(&json, NULL, "a \"quoted\" word");
//   json_array_end(&json);
//   json_object_end(&json); // closes the object
// ```
//
// makes `{"line": 3, "notes": ["a \"quoted\" word"]}`.
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdint.h>
#include "base/buf.h"

// Ready when everything except `out` is zero.
typedef struct Json {
  Buf *out;
  bool rows;           // Each item of the outermost array or object has its own line.
  bool follows;        // An item precedes the next one.
  uint32_t depth;      // Number of open arrays and objects
  uint32_t tight_from; // depth of the outermost tight array; 0: none is open
} Json;

// `name`: of an object's member; NULL in arrays and at the top. Names and texts are escaped.
void json_object(Json *json, const char *name);
void json_object_end(Json *json);
void json_array(Json *json, const char *name);
void json_tight_array(Json *json, const char *name); // with no blanks between items, nested ones included
void json_array_end(Json *json);

void json_null(Json *json, const char *name);
void json_bool(Json *json, const char *name, bool value);
void json_int(Json *json, const char *name, int64_t value);
void json_uint(Json *json, const char *name, uint64_t value);
// The shortest decimal with the value's bits. Infinities and NaN, which JSON lacks, are strings.
void json_double(Json *json, const char *name, double value);
// A number's text. Text that is not a JSON number (nan, 0x1f) becomes a string.
void json_decimal(Json *json, const char *name, const char *text);
// The value to `digits` significant digits; null if it is not finite.
void json_rounded(Json *json, const char *name, double value, int digits);
void json_text(Json *json, const char *name, const char *text);
void json_str(Json *json, const char *name, Str text);
// A value that is JSON text already.
void json_value(Json *json, const char *name, Str text);
// Between the two calls, the caller writes text to `out` that needs no escapes.
void json_written(Json *json, const char *name);
void json_written_end(Json *json);

#endif
