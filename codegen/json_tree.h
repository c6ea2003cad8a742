// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads JSON text, with LLVM's parser. base/json.h writes it.
//
// Every getter takes NULL for a value that is not there, so that calls can be nested:
//   json_node_text(json_node_get(json_node_get(root, "params"), "uri"), &uri)
#ifndef CODEGEN_JSON_TREE_H
#define CODEGEN_JSON_TREE_H

#include <stdint.h>

#include "base/buf.h"

enum { JSON_MAX_DEPTH = 200 }; // arrays and objects within one another

typedef struct JsonTree JsonTree;
typedef struct JsonNode JsonNode; // lives as long as its tree

// NULL if the text is not one JSON value, with the reason in `error`. Free the tree with json_tree_free.
JsonTree *json_tree_parse(Str text, Buf *error);
void json_tree_free(JsonTree *tree);
const JsonNode *json_tree_root(const JsonTree *tree);

const JsonNode *json_node_get(const JsonNode *object, const char *name); // NULL: no object, or no such member
const JsonNode *json_node_at(const JsonNode *array, size_t i);           // NULL: no array, or past its end
bool json_node_is_object(const JsonNode *node);
bool json_node_is_null(const JsonNode *node);
// False if the value is of another kind. Text is UTF-8 and lives as long as the tree.
bool json_node_text(const JsonNode *node, Str *text);
bool json_node_integer(const JsonNode *node, int64_t *value);

#endif
