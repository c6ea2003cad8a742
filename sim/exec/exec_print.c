// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vprintf and __assertfail, which kernels call. The text is kept for the API.
#include <stdio.h>
#include <stdlib.h>
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

enum { MAX_PRINTED = 1 << 24, MAX_STRING = 4096, MAX_FORMAT = 4096 };

static void print_text(Worker *worker, const char *text, size_t n) {
  if (n > MAX_PRINTED - worker->printed_bytes) n = MAX_PRINTED - worker->printed_bytes;
  if (worker->printed_bytes + n + 1 > worker->printed_cap) {
    size_t cap = 2 * (worker->printed_bytes + n) + 256;
    char *grown = realloc(worker->printed, cap);
    if (!grown) return;
    worker->printed = grown;
    worker->printed_cap = cap;
  }
  memcpy(worker->printed + worker->printed_bytes, text, n);
  worker->printed_bytes += n;
}

// The host pointer for a generic address, and the number of readable bytes there. NULL: none.
static const unsigned char *readable(const Warp *warp, uint32_t lane, uint64_t address, uint64_t *bytes) {
  const Block *block = warp->block;
  uint64_t local = block->program->local_bytes;
  const unsigned char *base;
  if (address >= SHARED_WINDOW)
    address -= SHARED_WINDOW, base = block->shared, *bytes = block->shared_bytes;
  else if (address >= LOCAL_WINDOW)
    address -= LOCAL_WINDOW, base = warp->local + lane * local, *bytes = local;
  else {
    const Allocation *found = memory_find(block->worker->launch->memory, &block->worker->cache, address, 1);
    if (!found) return NULL;
    address -= found->base, base = found->host, *bytes = found->size;
  }
  if (address >= *bytes) return NULL;
  *bytes -= address;
  return base + address;
}

// A string of the kernel, cut at `cap` - 1 bytes. "(null)" if it is unreadable.
static void read_string(const Warp *warp, uint32_t lane, uint64_t address, char *to, size_t cap) {
  uint64_t bytes = 0;
  const unsigned char *from = readable(warp, lane, address, &bytes);
  size_t n = 0;
  if (!from) from = (const unsigned char *)"(null)", bytes = 6;
  for (; n < bytes && n + 1 < cap && from[n]; n++) to[n] = (char)from[n];
  to[n] = 0;
}

typedef struct Arguments { // laid out like a struct of the arguments: each is aligned to its size
  const unsigned char *at;
  uint64_t bytes, used;
} Arguments;

static uint64_t argument(Arguments *arguments, uint32_t bytes) {
  uint64_t value = 0, at = (arguments->used + bytes - 1) / bytes * bytes;
  if (at > arguments->bytes || bytes > arguments->bytes - at) return 0;
  memcpy(&value, arguments->at + at, bytes);
  arguments->used = at + bytes;
  return value;
}

typedef struct Directive { // %[flags][width][.precision][length]conversion
  char text[32];           // without the length
  bool wide;               // 64 bits
  char conversion;
} Directive;

// Reads the directive at format, which is after the %. `*` takes an argument. Returns the rest of the text.
static const char *read_directive(const char *format, Arguments *arguments, Directive *directive) {
  size_t n = 0;
  directive->text[n++] = '%';
  directive->wide = false;
  int digits = 0; // limits a number to three digits
  for (; *format && strchr("-+ #0123456789.*", *format); format++) {
    digits = *format >= '0' && *format <= '9' ? digits + 1 : 0;
    if (digits > 3) continue;
    if (*format == '*' && n < 18) {
      int number = (int)(int32_t)argument(arguments, 4);
      n += (size_t)snprintf(directive->text + n, 8, "%d", number % 1000);
    } else if (n < 18)
      directive->text[n++] = *format;
  }
  for (; *format && strchr("hlLjzt", *format); format++)
    if (*format != 'h') directive->wide = true;
  directive->conversion = *format;
  directive->text[n] = 0;
  return *format ? format + 1 : format;
}

static void print_directive(Worker *worker, const Warp *warp, uint32_t lane, const Directive *directive,
                            Arguments *arguments) {
  char format[40], text[MAX_STRING + 400], string[MAX_STRING];
  char conversion = directive->conversion;
  int n = 0;
  if (conversion && strchr("diouxX", conversion)) {
    uint64_t bits = argument(arguments, directive->wide ? 8 : 4);
    bool is_signed = conversion == 'd' || conversion == 'i';
    if (!directive->wide && is_signed) bits = (uint64_t)(int64_t)(int32_t)bits;
    snprintf(format, sizeof format, "%sll%c", directive->text, conversion);
    n = is_signed ? snprintf(text, sizeof text, format, (long long)bits)
                  : snprintf(text, sizeof text, format, (unsigned long long)bits);
  } else if (conversion && strchr("aAeEfFgG", conversion)) {
    uint64_t bits = argument(arguments, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    snprintf(format, sizeof format, "%s%c", directive->text, conversion);
    n = snprintf(text, sizeof text, format, value);
  } else if (conversion == 'c') {
    snprintf(format, sizeof format, "%sc", directive->text);
    n = snprintf(text, sizeof text, format, (int)argument(arguments, 4));
  } else if (conversion == 's') {
    read_string(warp, lane, argument(arguments, 8), string, sizeof string);
    snprintf(format, sizeof format, "%ss", directive->text);
    n = snprintf(text, sizeof text, format, string);
  } else if (conversion == 'p')
    n = snprintf(text, sizeof text, "0x%llx", (unsigned long long)argument(arguments, 8));
  else
    n = snprintf(text, sizeof text, "%s%c", directive->text, conversion ? conversion : ' ');
  if (n > 0) print_text(worker, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

// Returns the number of arguments printed.
static int print_lane(const Warp *warp, uint32_t lane, uint64_t format_address, uint64_t list) {
  Worker *worker = warp->block->worker;
  char format[MAX_FORMAT];
  Arguments arguments = {0};
  int printed = 0;
  arguments.at = readable(warp, lane, list, &arguments.bytes);
  read_string(warp, lane, format_address, format, sizeof format);
  for (const char *at = format; *at;) {
    const char *percent = strchr(at, '%');
    print_text(worker, at, percent ? (size_t)(percent - at) : strlen(at));
    if (!percent) break;
    if (percent[1] == '%') {
      print_text(worker, "%", 1);
      at = percent + 2;
      continue;
    }
    Directive directive;
    at = read_directive(percent + 1, &arguments, &directive);
    print_directive(worker, warp, lane, &directive, &arguments);
    printed++;
  }
  return printed;
}

// The `bytes` bytes of a call's argument. src[i] is its address in local memory.
static uint64_t local_value(const Warp *warp, const Insn *insn, int i, uint32_t lane, uint32_t bytes) {
  uint64_t at = ((const uint64_t *)lanes_at(warp, insn->src[i]))[lane], value = 0,
           size = warp->block->program->local_bytes;
  if (at <= size && bytes <= size - at) memcpy(&value, warp->local + lane * size + at, bytes);
  return value;
}

void exec_vprintf(Warp *warp, const Insn *insn, uint32_t mask) {
  for (uint32_t l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    int32_t printed = print_lane(warp, l, local_value(warp, insn, 0, l, 8), local_value(warp, insn, 1, l, 8));
    uint64_t at = ((const uint64_t *)lanes_at(warp, insn->src[2]))[l],
             size = warp->block->program->local_bytes;
    if (at <= size && sizeof printed <= size - at)
      memcpy(warp->local + l * size + at, &printed, sizeof printed);
  }
}

void exec_assertfail(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t lane = lowest_lane(mask);
  char what[100], file[60];
  read_string(warp, lane, local_value(warp, insn, 0, lane, 8), what, sizeof what);
  read_string(warp, lane, local_value(warp, insn, 1, lane, 8), file, sizeof file);
  warp_fault(warp, insn, mask, TILEC_SIM_ASSERT, 0, "assertion '%s' failed at %s:%u", what, file,
             (unsigned)local_value(warp, insn, 2, lane, 4));
}
