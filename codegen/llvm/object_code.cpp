// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++, because LLVM's C interface has no line tables. LLVM's reader makes the library 1.5 MB larger. The
// alternative is libdw of elfutils. It would be the first library that libtilec.so and the wheel need besides
// the C library, and it needs four more.
#include "codegen/llvm/object_code.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDebugLine.h>
#include <llvm/Object/ObjectFile.h>

#include "codegen/llvm/out_of_memory.h"

using namespace llvm;

static std::unique_ptr<object::ObjectFile> object_of(const void *file, size_t n) {
  MemoryBufferRef buffer(StringRef(static_cast<const char *>(file), n), "");
  Expected<std::unique_ptr<object::ObjectFile>> object = object::ObjectFile::createELFObjectFile(buffer);
  if (object) return std::move(*object);
  consumeError(object.takeError());
  return nullptr;
}

static StringRef contents_of(const object::ObjectFile &object, StringRef wanted) {
  for (const object::SectionRef &section : object.sections()) {
    Expected<StringRef> name = section.getName();
    bool is = name && *name == wanted;
    if (!name) consumeError(name.takeError());
    if (!is) continue;
    Expected<StringRef> contents = section.getContents();
    if (contents) return *contents;
    consumeError(contents.takeError());
  }
  return {};
}

bool object_code(const void *file, size_t n, const char *section, const void **code, size_t *code_bytes) {
  llvm_working(true);
  StringRef found;
  if (std::unique_ptr<object::ObjectFile> object = object_of(file, n)) found = contents_of(*object, section);
  llvm_working(false);
  *code = found.data();
  *code_bytes = found.size();
  return !found.empty();
}

static void fill(uint32_t *lines, uint64_t from, uint64_t to, uint32_t line) {
  for (uint64_t i = from; i < to; i++) lines[i] = line;
}

// Reads the rows of one sequence, by address. False: there are other sequences, or the rows do not end with
// the code.
static bool take_rows(const DWARFDebugLine::LineTable &table, size_t bytes, uint32_t *lines, size_t count) {
  uint64_t at = 0;
  uint32_t line = 0;
  for (const DWARFDebugLine::Row &row : table.Rows) {
    uint64_t to = row.Address.Address / bytes;
    if (to < at || to > count) return false;
    fill(lines, at, to, line);
    at = to;
    line = row.Line;
    if (row.EndSequence) return &row == &table.Rows.back() && at == count;
  }
  return false;
}

static bool read_lines(const object::ObjectFile &object, size_t bytes, uint32_t *lines, size_t count) {
  bool good = true;
  auto fail = [&good](Error error) {
    consumeError(std::move(error));
    good = false;
  };
  StringRef section = contents_of(object, ".debug_line");
  if (section.empty()) return false;
  std::unique_ptr<DWARFContext> context =
      DWARFContext::create(object, DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "", fail, fail);
  DWARFDataExtractor data(section, true, 8);
  DWARFDebugLine::SectionParser parser(data, *context, context->normal_units());
  DWARFDebugLine::LineTable table = parser.parseNext(fail, fail);
  return good && parser.done() && take_rows(table, bytes, lines, count);
}

bool object_lines(const void *file, size_t n, size_t bytes, uint32_t *lines, size_t count) {
  llvm_working(true);
  std::unique_ptr<object::ObjectFile> object = object_of(file, n);
  bool good = object && read_lines(*object, bytes, lines, count);
  object.reset();
  llvm_working(false);
  return good;
}
