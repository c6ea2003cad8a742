// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace: a track for each warp, for each warp's dots, and for each stage that copies fill.
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "sim/timeline/timeline_parts.h"

enum { DOTS = 1000, STAGES = 2000 }; // numbers of tracks

typedef struct Track {
  uint64_t address;
  bool out;
} Track;

typedef VEC(Track) TrackList;

static void put_name(Json *json, const char *what, uint32_t track, const char *name) {
  json_object(json, NULL);
  json_text(json, "ph", "M");
  json_text(json, "name", what);
  json_uint(json, "pid", 0);
  json_uint(json, "tid", track);
  json_object(json, "args");
  json_text(json, "name", name);
  json_object_end(json);
  json_object_end(json);
}

static uint32_t track_of(Arena *arena, TrackList *tracks, const Slice *slice) {
  for (uint32_t i = 0; i < tracks->n; i++)
    if (tracks->at[i].address == slice->address && tracks->at[i].out == slice->out) return STAGES + i;
  vec_push(arena, tracks, ((Track){slice->address, slice->out}));
  return STAGES + tracks->n - 1;
}

static void put_slice(Json *json, Arena *arena, TrackList *tracks, const Slice *slice) {
  static const char *const kinds[] = {"run", "wait", "mma", "copy"};
  uint32_t track = slice->kind == SLICE_MMA    ? DOTS + slice->warp
                   : slice->kind == SLICE_COPY ? track_of(arena, tracks, slice)
                                               : slice->warp;
  const char *line = slice->line ? arena_printf(arena, "line %u", slice->line) : "code";
  json_object(json, NULL);
  json_text(json, "ph", "X");
  json_text(json, "name", slice->name ? slice->name : line);
  json_text(json, "cat", kinds[slice->kind]);
  json_uint(json, "pid", 0);
  json_uint(json, "tid", track);
  json_rounded(json, "ts", slice->begin * 1e-3, 9);
  json_rounded(json, "dur", (slice->end - slice->begin) * 1e-3, 9);
  json_object(json, "args");
  if (slice->line) json_uint(json, "line", slice->line);
  if (slice->kind == SLICE_COPY) json_uint(json, "bytes", slice->bytes), json_uint(json, "warp", slice->warp);
  json_object_end(json);
  json_object_end(json);
}

static void put_names(const Timeline *t, Json *json, Arena *arena, const TrackList *tracks) {
  bool dots = false;
  for (uint32_t i = 0; i < t->slices.n; i++) dots |= t->slices.at[i].kind == SLICE_MMA;
  put_name(json, "process_name", 0, arena_printf(arena, "%s, CTA 0", t->kernel));
  for (uint32_t i = 0; i < t->warp_count; i++) {
    put_name(json, "thread_name", i, arena_printf(arena, "warp %u", i));
    if (dots) put_name(json, "thread_name", DOTS + i, arena_printf(arena, "warp %u: dots", i));
  }
  for (uint32_t i = 0; i < tracks->n; i++)
    put_name(json, "thread_name", STAGES + i,
             arena_printf(arena, "%s at %llu", tracks->at[i].out ? "store from shared memory" : "stage",
                          (unsigned long long)tracks->at[i].address));
}

static int by_begin(const void *a, const void *b) {
  const Slice *x = a, *y = b;
  return x->begin != y->begin ? x->begin < y->begin ? -1 : 1 : (x->warp > y->warp) - (x->warp < y->warp);
}

bool timeline_write(const Timeline *t, bool whole, Buf *out) {
  Json json = {.out = out};
  Arena arena = {0};
  TrackList tracks = {0};
  if (!t->slices.n) return false;
  qsort(t->slices.at, t->slices.n, sizeof *t->slices.at, by_begin);
  json_object(&json, NULL);
  json_text(&json, "displayTimeUnit", "ns");
  json_object(&json, "otherData");
  json_text(&json, "kernel", t->kernel);
  json_text(&json, "times",
            t->times
                ? t->times
                : arena_printf(&arena,
                               "modelled with the latencies of %s; one CTA that has a multiprocessor alone",
                               t->model.card));
  json_bool(&json, "whole", whole && t->slices.n < TIMELINE_MOST);
  json_object_end(&json);
  json_array(&json, "traceEvents");
  for (uint32_t i = 0; i < t->slices.n; i++) put_slice(&json, &arena, &tracks, &t->slices.at[i]);
  put_names(t, &json, &arena, &tracks);
  json_array_end(&json);
  json_object_end(&json);
  buf_char(out, '\n');
  arena_free(&arena);
  return true;
}
