// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/machine/counters.h"

#include <stdbool.h>
#include <string.h>

enum { WARP = 32, SECTOR = 32, BANKS = 32, WORD = 4 };

// Sorts and removes duplicates. Returns the number left. Insertion sort, because lanes are mostly in order.
static uint32_t distinct(uint64_t *keys, uint32_t n) {
  uint32_t ascending = 1;
  while (ascending < n && keys[ascending - 1] < keys[ascending]) ascending++;
  uint32_t kept = ascending < n ? ascending : n;
  for (uint32_t i = kept; i < n; i++) {
    uint64_t key = keys[i];
    uint32_t at = kept;
    while (at > 0 && keys[at - 1] > key) at--;
    if (at > 0 && keys[at - 1] == key) continue;
    memmove(&keys[at + 1], &keys[at], (kept - at) * sizeof *keys);
    keys[at] = key;
    kept++;
  }
  return kept;
}

void counters_global(tilec_sim_counters *counters, const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  uint64_t keys[WARP], last = UINT64_MAX;
  uint32_t n = 0, sectors = 0;
  // Aligned accesses of one size are equal or disjoint.
  for (uint32_t l = 0; l < WARP; l++)
    if (mask >> l & 1) keys[n++] = addresses[l];
  n = distinct(keys, n);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t sector = keys[i] / SECTOR;
    sectors += sector != last;
    last = sector;
  }
  counters->global_requests++;
  counters->global_sectors += sectors;
  counters->global_sectors_ideal += ((uint64_t)n * bytes + SECTOR - 1) / SECTOR;
}

// The maximum number of distinct words in one bank, over the lanes [from, from + count) of the mask.
static uint32_t phase_wavefronts(const uint64_t *addresses, uint32_t mask, uint32_t from, uint32_t count,
                                 uint32_t bytes) {
  uint64_t words[2 * WARP]; // a phase of pairs has twice the lanes
  uint32_t n = 0, in_bank[BANKS] = {0}, most = 0;
  for (uint32_t l = from; l < from + count; l++) {
    if (!(mask >> l & 1)) continue;
    for (uint32_t b = 0; b < bytes; b += WORD) words[n++] = (addresses[l] + b) / WORD;
  }
  n = distinct(words, n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t now = ++in_bank[words[i] % BANKS];
    if (now > most) most = now;
  }
  return most;
}

// True if each active lane and its partner, if that is active too, have one address.
static bool are_pairs(const uint64_t *addresses, uint32_t mask, uint32_t apart) {
  for (uint32_t l = 0; l < WARP; l++)
    if (mask >> l & mask >> (l ^ apart) & 1 && addresses[l] != addresses[l ^ apart]) return false;
  return true;
}

void counters_shared(tilec_sim_counters *counters, const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                     bool loads) {
  uint32_t phases = bytes > WORD ? bytes / WORD : 1;
  if (loads && phases > 1 && (are_pairs(addresses, mask, 1) || are_pairs(addresses, mask, 2))) phases /= 2;
  uint32_t lanes = WARP / phases;
  counters->shared_requests++;
  for (uint32_t phase = 0; phase < phases; phase++) {
    uint32_t wavefronts = phase_wavefronts(addresses, mask, phase * lanes, lanes, bytes);
    counters->shared_wavefronts += wavefronts;
    counters->shared_wavefronts_ideal += wavefronts > 0;
  }
}

void counters_global_contiguous(tilec_sim_counters *counters, uint64_t first, uint32_t bytes) {
  uint64_t last = first + (WARP - 1) * (uint64_t)bytes;
  counters->global_requests++;
  counters->global_sectors += last / SECTOR - first / SECTOR + 1;
  counters->global_sectors_ideal += ((uint64_t)WARP * bytes + SECTOR - 1) / SECTOR;
}

void counters_shared_contiguous(tilec_sim_counters *counters, uint32_t bytes) {
  uint32_t phases = bytes > WORD ? bytes / WORD : 1;
  counters->shared_requests++;
  counters->shared_wavefronts += phases;
  counters->shared_wavefronts_ideal += phases;
}

void counters_add(tilec_sim_counters *sum, const tilec_sim_counters *more) {
  sum->instructions += more->instructions;
  sum->global_requests += more->global_requests;
  sum->global_sectors += more->global_sectors;
  sum->global_sectors_ideal += more->global_sectors_ideal;
  sum->shared_requests += more->shared_requests;
  sum->shared_wavefronts += more->shared_wavefronts;
  sum->shared_wavefronts_ideal += more->shared_wavefronts_ideal;
  sum->barriers += more->barriers;
}
