// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Internal to eval/*.c: one element as the evaluator holds it, and the memory that keeps such elements.
//
// A buffer has its bytes and, from the first store on, a shadow in pages. The shadow has one meta word per
// byte: a program wrote it; an element of some type starts there. Floats also keep r and e. A load of exactly
// the stored element gets its r and e. Any other load (type punning) reads the bytes: r = v, e = 0.
#ifndef EVAL_EVAL_MEMORY_H
#define EVAL_EVAL_MEMORY_H

#include "eval/eval.h"

// The type of one element: an Elem, or a pointer.
typedef uint8_t ElemCode;
enum { CODE_POINTER = ELEM_COUNT };

// Bits of an element's state.
enum {
  // No value: it may be read, but not stored, branched on, or used as an address.
  UNDEFINED = 1,
  // Depends on a comparison or conversion closer than its bound: correct implementations may differ.
  UNCERTAIN = 2,
  COMPUTED = 4, // a float from arithmetic, compared by its bound; without it, a float is compared to the bit
  // An infinity that two multiplied numbers overflowed to. Within a multiply-add the value is still a finite
  // number. The bit lasts until the element is used in a computation or stored.
  OVERFLOWED = 8,
  // With UNDEFINED: depends on what a masked load without `other` did not read, 0 in generated code. It may
  // be used, and is then uncertain. With UNCERTAIN: this was the reason.
  UNREAD = 16,
  ASSEMBLED = 32, // with UNCERTAIN: depends on inline assembly, which the evaluator does not run
};

enum { STATE_MISSING = UNDEFINED | UNCERTAIN | UNREAD | ASSEMBLED }; // defects of a value of any type

// Returns true if correct implementations may differ in the element's bits.
static inline bool state_is_doubtful(uint8_t state) { return (state & (UNCERTAIN | UNREAD)) != 0; }

typedef enum CommonKind { COMMON_NONE, COMMON_TERM, COMMON_FACTOR } CommonKind;
enum { COMMON_ERRORS = 2 };

// Errors that an element shares with others: eval_common.c.
typedef struct Common {
  uint8_t kind; // CommonKind
  uint32_t id[COMMON_ERRORS];
  float by[COMMON_ERRORS];   // 0: no error
  float most[COMMON_ERRORS]; // the error's own size
} Common;

// v as bits (ir/number.h). For floats also r, the reference in float64, and e, the bound on the error.
typedef struct Element {
  uint64_t bits;
  double r, e;
  uint8_t state;
  Common common; // floats in tiles only
} Element;

enum {
  META_CODE = 0x0f,       // ElemCode of the element that the byte belongs to
  META_UNCERTAIN = 0x10,  // UNCERTAIN
  META_COMPUTED = 0x20,   // COMPUTED
  META_START = 0x40,      // the element's first byte
  META_WRITTEN = 0x80,    // a program stored here
  META_UNREAD = 0x100,    // UNREAD
  META_ASSEMBLED = 0x200, // ASSEMBLED
};

enum { PAGE_BYTES = 4096 };

// Pages start at multiples of PAGE_BYTES from the buffer's origin: its address rounded down to a multiple of
// 8.
typedef struct ReferencePage {
  uint16_t meta[PAGE_BYTES];
  uint32_t unit; // bytes per entry of r and e: the smallest float stored; 0: none yet
  double *r, *e; // PAGE_BYTES / unit entries
} ReferencePage;

typedef struct EvalBuffer {
  uint64_t address, bytes, origin;
  uint8_t *data;          // the current bytes
  ReferencePage **shadow; // NULL before the first store; entries too
  struct RacePage **race; // of the current launch: eval_race.c; NULL before the first access; entries too
  bool initialised, has_initial;
  bool stored_to; // an op of a launch may store to it if the op runs
  bool assembled; // inline assembly had its address, and may have changed it
} EvalBuffer;

struct EvalMemory {
  Arena *arena;
  VEC(EvalBuffer *) buffers; // By address.
  EvalBuffer *last;          // Used by the last access.
  uint64_t changes;          // Counts changes of memory bytes, and ops that are no functions.
  bool gave_up;              // eval_gave_up.
  bool uncertain;            // Control flow or an address was uncertain: nothing can be compared.
  bool assembled;            // Because of inline assembly.
  VEC(void *) blocks[32];    // Free blocks of 2^i bytes, for eval_block.
};

// Zeroed memory for a launch. eval_block_free returns it for later launches.
void *eval_block(EvalMemory *memory, uint64_t bytes);
void eval_block_free(EvalMemory *memory, void *block, uint64_t bytes);

uint32_t eval_code_bytes(ElemCode code);
bool eval_code_is_float(ElemCode code);

// The buffer that contains address .. address + bytes; NULL: none.
EvalBuffer *eval_buffer_at(EvalMemory *memory, uint64_t address, uint32_t bytes);
// The buffer that starts there; NULL: none.
const EvalBuffer *eval_buffer_start(const EvalMemory *memory, uint64_t address);

// All bytes and shadows at this point, in `arena`.
typedef struct EvalSnapshot EvalSnapshot;
EvalSnapshot *eval_memory_save(const EvalMemory *memory, Arena *arena);
void eval_memory_restore(EvalMemory *memory, const EvalSnapshot *snapshot);

// The address must be within the buffer, and a multiple of the element's bytes.
Element eval_memory_load(const EvalBuffer *buffer, uint64_t address, ElemCode code);
void eval_memory_store(EvalMemory *memory, EvalBuffer *buffer, uint64_t address, ElemCode code,
                       const Element *element);
// The element may or may not have been stored, so the memory there becomes uncertain. `state`: of the cause.
void eval_memory_doubt(EvalMemory *memory, EvalBuffer *buffer, uint64_t address, ElemCode code,
                       uint8_t state);

// The shadow at byte `offset` of the buffer; NULL: never written. *at: the byte's index in the page.
const ReferencePage *eval_shadow(const EvalBuffer *buffer, uint64_t offset, uint32_t *at);
// Returns true if exactly one whole element starts at meta[at]; *code: its type.
bool eval_shadow_element(const ReferencePage *page, uint32_t at, ElemCode *code);

#endif
