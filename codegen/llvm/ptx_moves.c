// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/ptx_moves.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/fault.h"
#include "base/vec.h"

typedef struct Move {
  Str to, from;
  struct Move *source; // the move that writes `from`; NULL: none
  uint32_t readers;    // moves not yet printed that read `to`
  bool printed;
} Move;

typedef struct Moves {
  Arena *arena;
  Buf *out;
  VEC(Move) all;
  Move **by_result; // sorted by `to`
  Move **ready;     // their `to` is no longer read by other moves
  uint32_t ready_count;
} Moves;

static int order(Str a, Str b) {
  if (a.n != b.n) return a.n < b.n ? -1 : 1;
  return memcmp(a.at, b.at, a.n);
}

static int order_results(const void *a, const void *b) {
  return order((*(Move *const *)a)->to, (*(Move *const *)b)->to);
}

static int order_source(const void *name, const void *move) {
  return order(*(const Str *)name, (*(Move *const *)move)->to);
}

// The next name of a list, which ends at its brace.
static bool next_name(const char **at, Str *name) {
  *at += strspn(*at, ",{ \t");
  *name = (Str){*at, strcspn(*at, ",} \t\n")};
  *at += name->n;
  return name->n > 0;
}

// Reads both lists after the name. Returns where the instruction ends.
static const char *read_lists(Moves *m, const char *at) {
  const char *second = strchr(at, '}');
  Str to, from;
  if (!second) BUG("a move without lists");
  second++;
  while (next_name(&at, &to)) {
    if (!next_name(&second, &from)) BUG("a move of %u registers to more", m->all.n);
    if (!str_eq(to, from)) vec_push(m->arena, &m->all, ((Move){.to = to, .from = from}));
  }
  const char *end = strchr(second, ';');
  if (!end) BUG("a move without an end");
  return end + 1;
}

static void link_moves(Moves *m) {
  m->by_result = ARENA_ARRAY(m->arena, Move *, m->all.n);
  m->ready = ARENA_ARRAY(m->arena, Move *, m->all.n);
  for (uint32_t i = 0; i < m->all.n; i++) m->by_result[i] = &m->all.at[i];
  if (m->all.n) qsort(m->by_result, m->all.n, sizeof *m->by_result, order_results);
  for (uint32_t i = 0; i < m->all.n; i++) {
    Move *move = &m->all.at[i];
    Move **source = bsearch(&move->from, m->by_result, m->all.n, sizeof *m->by_result, order_source);
    if (!source) continue;
    move->source = *source;
    move->source->readers++;
  }
}

static void print_move(Moves *m, Str to, Str from) {
  buf_printf(m->out, "prmt.b32 %.*s, %.*s, %.*s, 0x3210;\n\t", STR_ARG(to), STR_ARG(from), STR_ARG(from));
}

static void print_ready(Moves *m) {
  for (uint32_t i = 0; i < m->all.n; i++)
    if (!m->all.at[i].readers) m->ready[m->ready_count++] = &m->all.at[i];
  for (uint32_t i = 0; i < m->ready_count; i++) {
    Move *move = m->ready[i];
    print_move(m, move->to, move->from);
    move->printed = true;
    if (move->source && --move->source->readers == 0) m->ready[m->ready_count++] = move->source;
  }
}

// The rest are cycles: each move's result is read only by the next move.
static void print_cycle(Moves *m, Move *first) {
  print_move(m, STR("%held"), first->to);
  Move *move = first;
  for (; move->source != first; move = move->source) {
    print_move(m, move->to, move->from);
    move->printed = true;
  }
  print_move(m, move->to, STR("%held"));
  move->printed = true;
}

static void print_cycles(Moves *m) {
  bool any = false;
  for (uint32_t i = 0; i < m->all.n; i++) {
    if (m->all.at[i].printed) continue;
    if (!any) buf_text(m->out, "{ .reg .b32 %held;\n\t");
    any = true;
    print_cycle(m, &m->all.at[i]);
  }
  if (any) buf_text(m->out, "}\n\t");
}

static void print_copies(Arena *arena, Buf *ptx, size_t first) {
  const char *done = ptx->at, *at = strstr(ptx->at + first, PTX_COPY);
  Buf out = {0};
  if (!at) return;
  for (; at; at = strstr(done, PTX_COPY)) {
    Moves m = {.arena = arena, .out = &out};
    buf_bytes(&out, done, (size_t)(at - done));
    done = read_lists(&m, at + sizeof PTX_COPY - 1);
    link_moves(&m);
    print_ready(&m);
    print_cycles(&m);
    // The last move ends with the line's own newline. Without moves there is no line.
    while (out.n && (out.at[out.n - 1] == '\t' || out.at[out.n - 1] == '\n')) out.n--;
  }
  buf_text(&out, done);
  buf_free(ptx);
  *ptx = out;
}

void ptx_expand_moves(Arena *arena, Buf *ptx, size_t first) {
  if (first >= ptx->n) return;
  print_copies(arena, ptx, first);
  buf_replace(ptx, first, "\t// begin inline asm\n\t" PTX_HOLD "\n\t// end inline asm\n", "");
}
