// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot/aot.h"

// Names that a kernel may have but C cannot: keywords of C and C++, macros of compilers, and functions that
// compilers know.
static const char taken[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const "
    "constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit "
    "export extern false final float for friend goto if inline int long main mutable namespace new "
    "noexcept not not_eq nullptr operator or or_eq override private protected public register "
    "reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast "
    "struct switch template this thread_local throw true try typedef typeid typename typeof union "
    "unsigned using virtual void volatile wchar_t while xor xor_eq concept co_await co_return "
    "co_yield linux unix i386 NULL EOF errno stdin stdout stderr abort abs acos acosh asin asinh atan "
    "atan2 atanh calloc cbrt ceil copysign cos cosh div erf erfc exit exp exp2 expm1 fabs fdim floor "
    "fma fmax fmin fmod free frexp gamma hypot ilogb index isinf isnan j0 j1 jn labs ldexp lgamma log "
    "log10 log1p log2 logb malloc memchr memcmp memcpy memmove memset modf nan nearbyint nextafter "
    "pow printf putc puts rand random realloc remainder rint rindex round scalb scalbn signbit sin "
    "sinh sqrt strcpy strlen system tan tanh tgamma time trunc y0 y1 yn ";

static bool is_taken(const char *name) {
  size_t n = strlen(name);
  for (const char *at = strstr(taken, name); at; at = strstr(at + 1, name))
    if (at[-1] == ' ' && at[n] == ' ') return true;
  return false;
}

const char *aot_identifier(Arena *arena, Str name) {
  Buf text = {0};
  if (name.n == 0 || (name.at[0] >= '0' && name.at[0] <= '9')) buf_char(&text, 'k');
  for (size_t i = 0; i < name.n; i++)
    if (char_is_word(name.at[i]))
      buf_char(&text, name.at[i]);
    else if ((unsigned char)name.at[i] < 0x80)
      buf_char(&text, '_');
    else
      buf_printf(&text, "_%02x", (unsigned)(unsigned char)name.at[i]);
  // Names with this prefix are reserved for the implementation or for this tool.
  if (text.at[0] == '_' || strncmp(text.at, "tilec_", 6) == 0) {
    Buf more = {0};
    buf_printf(&more, "k%s%s", text.at[0] == '_' ? "" : "_", text.at);
    buf_free(&text);
    text = more;
  }
  if (is_taken(text.at)) buf_char(&text, '_');
  const char *result = arena_copy(arena, buf_view(&text));
  buf_free(&text);
  return result;
}

const char *aot_launcher_name(Arena *arena, const char *prefix, const char *kernel) {
  const char *name = aot_identifier(arena, str_from(kernel));
  size_t n = strlen(prefix);
  if (strcmp(kernel, prefix) == 0 || (strncmp(kernel, prefix, n) == 0 && kernel[n] == '_')) return name;
  return aot_identifier(arena, str_from(arena_printf(arena, "%s_%s", prefix, kernel)));
}

static bool is_used(const AotParam *params, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(params[i].c_name, name) == 0) return true;
  return strcmp(name, "stream") == 0 || strcmp(name, "grid") == 0;
}

void aot_name_params(Arena *arena, AotParam *params, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const char *name = aot_identifier(arena, str_from(params[i].name));
    while (is_used(params, i, name)) name = arena_printf(arena, "%s_", name);
    params[i].c_name = name;
  }
}

const char *aot_c_type(const Type *type) {
  if (type->kind == TYPE_PTR) return "uint64_t";
  switch ((int)type->elem) {
  case ELEM_I1: return "bool";
  case ELEM_I8: return "int8_t";
  case ELEM_I16: return "int16_t";
  case ELEM_I32: return "int32_t";
  case ELEM_I64: return "int64_t";
  case ELEM_FP32: return "float";
  case ELEM_FP64: return "double";
  default: break;
  }
  static const char *const by_bytes[] = {
      [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"};
  return by_bytes[elem_bytes(type->elem)];
}
