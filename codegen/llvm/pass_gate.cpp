// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/pass_gate.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/OptBisect.h>

// Of 1,188 compiles (scripts/compile-list) nary-reassociate, the early-cse that follows it and the vectoriser of loads
// change the PTX of 10. Straight-line strength reduction (slsr) takes time quadratic in
// the accesses (a second for a hundred registers a thread), and with LLVM 22 it takes sext(x + c) for sext(x) + c
// where x + c may wrap.
struct PassGate : llvm::OptPassGate {
  bool optimised;
  mutable bool reassociated = false;

  explicit PassGate(bool optimised) : optimised(optimised) {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef name, llvm::StringRef) const override {
    if (name == "slsr") return false;
    if (!optimised) return true;
    bool after = reassociated;
    reassociated = name == "nary-reassociate";
    if (name == "early-cse") return !after;
    return name != "nary-reassociate" && name != "load-store-vectorizer";
  }
};

PassGate *pass_gate_new(LLVMContextRef context, bool optimised) {
  PassGate *gate = new PassGate(optimised);
  llvm::unwrap(context)->setOptPassGate(*gate);
  return gate;
}

void pass_gate_free(PassGate *gate) { delete gate; }
