// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Internal to eval/*.c: one element as the evaluator holds it, and the memory that keeps such elements.
//
// A buffer is its bytes and, from the first store on, a shadow in pages: one meta word a byte of the buffer
// says whether a program wrote it, and where an element of which type begins; floats keep r and e beside. A
// load that finds exactly the element that was stored takes r and e from there; any other (type punning)
// reads the bytes: r = v, e = 0.
#ifndef EVAL_EVAL_MEMORY_H
#define EVAL_EVAL_MEMORY_H

#include "eval/eval.h"

// What one element is: an Elem, or a pointer.
typedef uint8_t ElemCode;
enum { CODE_POINTER = ELEM_COUNT };

// Of an element's state.
enum {
  // Has no value: reading it is allowed, storing it, branching on it or addressing with it is not.
  UNDEFINED = 1,
  // Hangs on a comparison or conversion closer than its bound: right implementations may differ.
  UNCERTAIN = 2,
  COMPUTED = 4, // a float from arithmetic, compared by its bound; without it, a float is compared to the bit
  // The infinity that a product of two numbers is for the type's range; within a multiply-add the product is a number. It lasts until
  // the element is computed with or stored.
  OVERFLOWED = 8,
  // With UNDEFINED: depends on what a masked load without `other` did not read, 0 in generated code. It may be used, and is then
  // uncertain. With UNCERTAIN: so it came to be that.
  UNREAD = 16,
  ASSEMBLED = 32, // with UNCERTAIN: depends on inline assembly, which the evaluator does not run
};

enum { STATE_MISSING = UNDEFINED | UNCERTAIN | UNREAD | ASSEMBLED }; // what is wrong with a value, in any type

// Whether right implementations may differ in the element's bits.
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

// v by its bits (ir/number.h); r and e of floats: the reference
// in float64, and how far a right implementation may be off.
typedef struct Element {
  uint64_t bits;
  double r, e;
  uint8_t state;
  Common common; // floats in tiles only
} Element;

enum {
  META_CODE = 0x0f,      // ElemCode of the element that the byte belongs to
  META_UNCERTAIN = 0x10, // UNCERTAIN
  META_COMPUTED = 0x20,  // COMPUTED
  META_START = 0x40,     // the element's first byte
  META_WRITTEN = 0x80,   // a program stored here
  META_UNREAD = 0x100,   // UNREAD
  META_ASSEMBLED = 0x200, // ASSEMBLED
};

enum { PAGE_BYTES = 4096 };

// Pages begin at multiples of PAGE_BYTES from the buffer's
// origin, its address rounded down to a multiple of 8.
typedef struct ReferencePage {
  uint16_t meta[PAGE_BYTES];
  uint32_t unit; // bytes an entry of r and e stands for: the smallest float stored; 0: none yet
  double *r, *e; // PAGE_BYTES / unit entries
} ReferencePage;

typedef struct EvalBuffer {
  uint64_t address, bytes, origin;
  uint8_t *data;          // the bytes now
  ReferencePage **shadow; // NULL before the first store; entries too
  struct RacePage **race; // of the launch that runs: eval_race.c; NULL before the first access; entries too
  bool initialised, has_initial;
  bool stored_to; // an op of a launch may store to it, if ever it runs
  bool assembled; // inline assembly had its address, and may have changed it
} EvalBuffer;

struct EvalMemory {
  Arena *arena;
  VEC(EvalBuffer *) buffers; // by address
  EvalBuffer *last;          // where the last access was
  uint64_t changes;          // counts what changed bytes of memory, and ops that are no functions
  bool gave_up;              // eval_gave_up
  bool uncertain;            // control flow or an address was uncertain: nothing can be compared
  bool assembled;            // and that because of inline assembly
  VEC(void *) blocks[32];    // free blocks of 2^i bytes, for eval_block
};

// Zeroed memory for a launch, given back with eval_block_free and used again by later launches.
void *eval_block(EvalMemory *memory, uint64_t bytes);
void eval_block_free(EvalMemory *memory, void *block, uint64_t bytes);

uint32_t eval_code_bytes(ElemCode code);
bool eval_code_is_float(ElemCode code);

// The buffer that holds all of address .. address + bytes; NULL: none.
EvalBuffer *eval_buffer_at(EvalMemory *memory, uint64_t address, uint32_t bytes);
// The buffer that begins there; NULL: none.
const EvalBuffer *eval_buffer_start(const EvalMemory *memory, uint64_t address);
// The nearest buffer to an access that is in none, NULL where there is no buffer;
// `distance`: bytes from the buffer's end to the access's first byte past it,
// or from the access's first byte to the buffer's start (negative).
const EvalBuffer *eval_buffer_near(const EvalMemory *memory, uint64_t address, uint32_t bytes,
                                   int64_t *distance);

// All bytes and shadows as they are now, in `arena`.
typedef struct EvalSnapshot EvalSnapshot;
EvalSnapshot *eval_memory_save(const EvalMemory *memory, Arena *arena);
void eval_memory_restore(EvalMemory *memory, const EvalSnapshot *snapshot);

// Within the buffer, and `address` a multiple of the element's bytes.
Element eval_memory_load(const EvalBuffer *buffer, uint64_t address, ElemCode code);
void eval_memory_store(EvalMemory *memory, EvalBuffer *buffer, uint64_t address, ElemCode code,
                       const Element *element);
// The element may or may not have been stored: what is there is uncertain from now on. `state`: of what that depends on.
void eval_memory_doubt(EvalMemory *memory, EvalBuffer *buffer, uint64_t address, ElemCode code, uint8_t state);

// The shadow at byte `offset` of the buffer; NULL: never written. *at: the byte's place in the page.
const ReferencePage *eval_shadow(const EvalBuffer *buffer, uint64_t offset, uint32_t *at);
// Whether exactly one whole element starts at meta[at], and which.
bool eval_shadow_element(const ReferencePage *page, uint32_t at, ElemCode *code);

#endif
