// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/ptx_version.h"

#include <string.h>

// ptxas and the driver use the same text: "Unsupported .version 9.0; current version is '8.7'".
static Str version_of_log(const char *log) {
  static const char too_new[] = "Unsupported .version", known[] = "current version is '";
  const char *at = strstr(log, too_new);
  at = at ? strstr(at, known) : NULL;
  if (!at) return (Str){"", 0};
  at += sizeof known - 1;
  size_t n = strspn(at, "0123456789.");
  return (Str){at, at[n] == '\'' ? n : 0};
}

bool ptx_lower_version(Str ptx, const char *log, Buf *lowered) {
  static const char word[] = "\n.version ";
  Str known = version_of_log(log);
  const char *at = strstr(ptx.at, word);
  if (!known.n || !at || !strstr(ptx.at, "begin inline asm")) return false;
  at += sizeof word - 1;
  const char *rest = at + strspn(at, "0123456789.");
  buf_bytes(lowered, ptx.at, (size_t)(at - ptx.at));
  buf_str(lowered, known);
  buf_bytes(lowered, rest, ptx.n - (size_t)(rest - ptx.at));
  return true;
}
