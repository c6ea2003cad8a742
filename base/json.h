// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON text: the one writer of all that the library and the tools print. What comes out is a function of the
// calls alone: members stand in the order of the calls, ", " between items and ": " after names, on one line.
//
//   Json json = {.out = &out};
//   json_object(&json, NULL);
//   json_uint(&json, "line", 3);
//   json_array(&json, "notes");
//   json_text(&json, NULL, "a \"quoted\" word");
//   json_array_end(&json);
//   json_object_end(&json);             {"line": 3, "notes": ["a \"quoted\" word"]}
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdint.h>
#include "base/buf.h"

// Ready when all but `out` is zero.
typedef struct Json {
  Buf *out;
  bool rows;           // the outermost array or object has each item on a line of its own
  bool follows;        // an item has been written where the next one comes
  uint32_t depth;      // arrays and objects that are open
  uint32_t tight_from; // the depth of the outermost tight array; 0: none is open
} Json;

// `name`: of a member of an object; NULL in arrays and at the top. Names and texts are escaped.
void json_object(Json *json, const char *name);
void json_object_end(Json *json);
void json_array(Json *json, const char *name);
void json_tight_array(Json *json, const char *name); // with no blanks between items, also within them
void json_array_end(Json *json);

void json_null(Json *json, const char *name);
void json_bool(Json *json, const char *name, bool value);
void json_int(Json *json, const char *name, int64_t value);
void json_uint(Json *json, const char *name, uint64_t value);
// The shortest decimal with the value's bits; infinities and NaN, which JSON has not, as strings.
void json_double(Json *json, const char *name, double value);
// A number's text; what JSON has no number for (nan, 0x1f) as a string.
void json_decimal(Json *json, const char *name, const char *text);
// The value to `digits` significant digits; null where it is not finite.
void json_rounded(Json *json, const char *name, double value, int digits);
void json_text(Json *json, const char *name, const char *text);
void json_str(Json *json, const char *name, Str text);
// A text that the caller writes to `out` between the two: what needs no escapes.
void json_written(Json *json, const char *name);
void json_written_end(Json *json);

#endif
