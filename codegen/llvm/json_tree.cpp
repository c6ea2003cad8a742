// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++: LLVM's JSON parser.
#include <llvm/Support/JSON.h>

extern "C" {
#include "codegen/json_tree.h"
}

struct JsonTree {
  llvm::json::Value root;
};

static const llvm::json::Value *value_of(const JsonNode *node) {
  return reinterpret_cast<const llvm::json::Value *>(node);
}

static const JsonNode *node_of(const llvm::json::Value *value) {
  return reinterpret_cast<const JsonNode *>(value);
}

// LLVM's parser recurses for each level.
static bool is_too_deep(Str text) {
  size_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.n; i++) {
    char c = text.at[i];
    if (quoted) {
      if (c == '\\') i++;
      quoted = c != '"';
    } else if (c == '"')
      quoted = true;
    else if (c == '[' || c == '{') {
      if (++depth > JSON_MAX_DEPTH) return true;
    } else if ((c == ']' || c == '}') && depth > 0)
      depth--;
  }
  return false;
}

JsonTree *json_tree_parse(Str text, Buf *error) {
  if (is_too_deep(text)) {
    buf_printf(error, "more than %d levels of arrays and objects", JSON_MAX_DEPTH);
    return nullptr;
  }
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(llvm::StringRef(text.at, text.n));
  if (parsed) return new JsonTree{std::move(*parsed)};
  std::string reason = llvm::toString(parsed.takeError());
  buf_bytes(error, reason.data(), reason.size());
  return nullptr;
}

void json_tree_free(JsonTree *tree) { delete tree; }

const JsonNode *json_tree_root(const JsonTree *tree) { return node_of(&tree->root); }

const JsonNode *json_node_get(const JsonNode *object, const char *name) {
  const llvm::json::Object *members = object ? value_of(object)->getAsObject() : nullptr;
  return members ? node_of(members->get(name)) : nullptr;
}

const JsonNode *json_node_at(const JsonNode *array, size_t i) {
  const llvm::json::Array *items = array ? value_of(array)->getAsArray() : nullptr;
  return items && i < items->size() ? node_of(&(*items)[i]) : nullptr;
}

static bool is_kind(const JsonNode *node, llvm::json::Value::Kind kind) {
  return node && value_of(node)->kind() == kind;
}

bool json_node_is_object(const JsonNode *node) { return is_kind(node, llvm::json::Value::Object); }
bool json_node_is_null(const JsonNode *node) { return is_kind(node, llvm::json::Value::Null); }

bool json_node_text(const JsonNode *node, Str *text) {
  std::optional<llvm::StringRef> string = node ? value_of(node)->getAsString() : std::nullopt;
  if (string) *text = Str{string->data(), string->size()};
  return string.has_value();
}

bool json_node_integer(const JsonNode *node, int64_t *value) {
  std::optional<int64_t> number = node ? value_of(node)->getAsInteger() : std::nullopt;
  if (number) *value = *number;
  return number.has_value();
}
