// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON writer: separators at every depth, rows, tight arrays, escapes, numbers.
#include <math.h>
#include "tests/unit/unit.h"
#include "base/json.h"

TEST(test_nesting) {
  Buf out = {0};
  Json json = {.out = &out};
  json_object(&json, NULL);
  json_uint(&json, "line", 3);
  json_array(&json, "notes");
  json_object(&json, NULL);
  json_object_end(&json);
  json_array(&json, NULL);
  json_int(&json, NULL, -1);
  json_int(&json, NULL, INT64_MIN);
  json_array_end(&json);
  json_array_end(&json);
  json_null(&json, "none");
  json_bool(&json, "yes", true);
  json_object(&json, "empty");
  json_object_end(&json);
  json_object_end(&json);
  assert_string_equal(out.at, "{\"line\": 3, \"notes\": [{}, [-1, -9223372036854775808]], \"none\": null, "
                              "\"yes\": true, \"empty\": {}}");
  buf_free(&out);
}

// Whatever the bytes are, the text is JSON of valid UTF-8 without a control.
TEST(test_bytes_of_others) {
  Buf out = {0};
  Json json = {.out = &out};
  json_text(&json, NULL,
            "\x1b\x7f\t\n\"\\ \xff\xc0\xaf\xed\xa0\x80 \xc3\xa9 \xe2\x80\xae \xf3\xa0\x81\x81 "
            "\xf0\x9f\x98\x80 \xe4\xb8");
  assert_string_equal(
      out.at, "\"\\u001b\\u007f\\t\\n\\\"\\\\ \\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd \xc3\xa9 \\u202e "
              "\\udb40\\udc41 \xf0\x9f\x98\x80 \\ufffd\\ufffd\"");
  buf_free(&out);
}

TEST(test_rows) {
  Buf out = {0};
  Json json = {.out = &out, .rows = true};
  json_array(&json, NULL);
  for (uint64_t i = 0; i < 2; i++) {
    json_object(&json, NULL);
    json_uint(&json, "a", i);
    json_uint(&json, "b", i + 1);
    json_object_end(&json);
  }
  json_array_end(&json);
  assert_string_equal(out.at, "[\n  {\"a\": 0, \"b\": 1},\n  {\"a\": 1, \"b\": 2}\n]");
  buf_reset(&out);
  json = (Json){.out = &out, .rows = true};
  json_array(&json, NULL);
  json_array_end(&json);
  assert_string_equal(out.at, "[]");
  buf_free(&out);
}

TEST(test_tight_arrays) {
  Buf out = {0};
  Json json = {.out = &out};
  json_array(&json, NULL);
  json_tight_array(&json, NULL);
  json_int(&json, NULL, 1);
  json_tight_array(&json, NULL);
  json_int(&json, NULL, 2);
  json_int(&json, NULL, 3);
  json_array_end(&json);
  json_int(&json, NULL, 4);
  json_array_end(&json);
  json_int(&json, NULL, 5);
  json_array_end(&json);
  assert_string_equal(out.at, "[[1,[2,3],4], 5]");
  buf_free(&out);
}

TEST(test_texts_and_numbers) {
  Buf out = {0};
  Json json = {.out = &out};
  json_object(&json, NULL);
  json_text(&json, "a \"b\"", "line\nnext\t\\ \x01");
  json_str(&json, "part", (Str){"abcdef", 3});
  json_uint(&json, "most", UINT64_MAX);
  json_double(&json, "tenth", 0.1);
  json_double(&json, "low", -INFINITY);
  json_double(&json, "none", NAN);
  json_rounded(&json, "third", 1.0 / 3, 3);
  json_rounded(&json, "nothing", INFINITY, 3);
  json_written(&json, "version");
  buf_printf(&out, "%d.%d", 8, 7);
  json_written_end(&json);
  json_object_end(&json);
  assert_string_equal(out.at,
                      "{\"a \\\"b\\\"\": \"line\\nnext\\t\\\\ \\u0001\", \"part\": \"abc\", "
                      "\"most\": 18446744073709551615, \"tenth\": 0.1, \"low\": \"-inf\", \"none\": \"nan\", "
                      "\"third\": 0.333, \"nothing\": null, \"version\": \"8.7\"}");
  buf_free(&out);
}

WHOLE_SUITE(json)
