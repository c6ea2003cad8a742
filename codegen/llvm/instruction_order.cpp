// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves instructions to the end of their basic block: each after its operands, one result after another.
#include "codegen/llvm/instruction_order.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

using Set = llvm::DenseSet<const llvm::Instruction *>;

static const llvm::InlineAsm *assembly_of(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
}

static bool is_pure(const llvm::Instruction &instruction) {
  const llvm::InlineAsm *text = assembly_of(instruction);
  if (text) return !text->hasSideEffects() && text->getConstraintString().find("memory") == std::string::npos;
  return !llvm::isa<llvm::PHINode>(instruction) && !llvm::isa<llvm::AllocaInst>(instruction) &&
         !instruction.isTerminator() && !instruction.mayReadOrWriteMemory() &&
         !instruction.mayHaveSideEffects();
}

static llvm::Instruction *inside(llvm::Value *value, const llvm::BasicBlock *block) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction && instruction->getParent() == block ? instruction : nullptr;
}

// The pure instructions that the results are computed from, back to the first impure ones.
static Set find_parts(const llvm::BasicBlock *block, llvm::ArrayRef<llvm::Instruction *> results) {
  llvm::SmallVector<llvm::Instruction *> left(results.begin(), results.end());
  Set parts;
  while (!left.empty()) {
    llvm::Instruction *at = left.pop_back_val();
    if (!is_pure(*at) || !parts.insert(at).second) continue;
    for (llvm::Value *operand : at->operands())
      if (llvm::Instruction *made = inside(operand, block)) left.push_back(made);
  }
  return parts;
}

static bool calls_function(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function *function = call ? call->getCalledFunction() : nullptr;
  return function && !function->isIntrinsic();
}

// Drops instructions that must stay: operands of those that stay and, unless `begun`, those before the first
// assembly.
static void drop_those_that_stay(llvm::BasicBlock *block, Set &parts, bool begun) {
  Set taken;
  for (llvm::Instruction &at : llvm::reverse(*block)) {
    if (is_pure(at) && !taken.contains(&at)) continue;
    parts.erase(&at);
    for (llvm::Value *operand : at.operands())
      if (llvm::Instruction *made = inside(operand, block)) taken.insert(made);
  }
  for (llvm::Instruction &at : *block) {
    begun |= parts.contains(&at) && assembly_of(at);
    if (!begun) parts.erase(&at);
  }
}

// Moves the result to the end, after the parts that it is computed from. Removes these from `parts`.
static void place(llvm::BasicBlock *block, Set &parts, llvm::Instruction *result) {
  llvm::SmallVector<std::pair<llvm::Instruction *, unsigned>> left;
  if (parts.erase(result)) left.push_back({result, 0});
  while (!left.empty()) {
    llvm::Instruction *at = left.back().first;
    unsigned next = left.back().second++;
    if (next < at->getNumOperands()) {
      llvm::Instruction *made = inside(at->getOperand(next), block);
      if (made && parts.erase(made)) left.push_back({made, 0});
      continue;
    }
    at->moveBefore(*block, block->end());
    left.pop_back();
  }
}

static void move(llvm::BasicBlock *block, Set &parts, llvm::ArrayRef<llvm::Instruction *> results) {
  llvm::SmallVector<llvm::Instruction *> others;
  Set later = parts; // and their other users
  for (llvm::Instruction &at : *block)
    for (llvm::Value *operand : at.operands()) {
      llvm::Instruction *made = inside(operand, block);
      if (made && later.contains(made) && later.insert(&at).second) others.push_back(&at);
    }
  for (llvm::Instruction *result : results) place(block, parts, result);
  for (llvm::Instruction *other : others) other->moveBefore(*block, block->end());
}

static llvm::SmallVector<llvm::Instruction *> find_results(llvm::BasicBlock *block,
                                                           const LLVMValueRef *values, uint32_t count) {
  llvm::SmallVector<llvm::Instruction *> results;
  for (uint32_t i = 0; i < count; i++)
    if (llvm::Instruction *result = inside(llvm::unwrap(values[i]), block)) results.push_back(result);
  return results;
}

void llvm_order_by_result(LLVMBasicBlockRef in, const LLVMValueRef *values, uint32_t count) {
  llvm::BasicBlock *block = llvm::unwrap(in);
  llvm::SmallVector<llvm::Instruction *> results = find_results(block, values, count);
  Set parts = find_parts(block, results);
  drop_those_that_stay(block, parts, false);
  move(block, parts, results);
}

void llvm_sink(LLVMBasicBlockRef in, const LLVMValueRef *values, uint32_t count) {
  llvm::BasicBlock *block = llvm::unwrap(in);
  llvm::SmallVector<llvm::Instruction *> results = find_results(block, values, count), order;
  Set parts = find_parts(block, results), kept;
  for (llvm::Instruction &at : llvm::reverse(*block)) {
    bool moves = parts.contains(&at);
    for (const llvm::User *user : at.users()) {
      auto *other = llvm::dyn_cast<llvm::Instruction>(user);
      moves &= other && other->getParent() == block && kept.contains(other);
    }
    if (!moves) continue;
    kept.insert(&at);
    order.push_back(&at);
  }
  for (llvm::Instruction *at : llvm::reverse(order)) at->moveBefore(*block, block->end());
}

bool llvm_order_by_calls(LLVMBasicBlockRef in, const LLVMValueRef *values, uint32_t count) {
  llvm::BasicBlock *block = llvm::unwrap(in);
  llvm::SmallVector<llvm::Instruction *> results = find_results(block, values, count);
  Set parts = find_parts(block, results);
  bool calls = false;
  for (const llvm::Instruction *part : parts) calls |= calls_function(*part);
  if (!calls) return false;
  drop_those_that_stay(block, parts, true);
  move(block, parts, results);
  return true;
}

// What stays where it is: all that touches memory, and what is computed from what was read, up to the last read. It frees
// the registers of what it takes.
static Set find_fixed(const llvm::BasicBlock *block) {
  Set fixed, read;
  llvm::SmallVector<const llvm::Instruction *> results;
  for (const llvm::Instruction &at : *block) {
    bool pure = is_pure(at), taken = !pure && !at.getType()->isVoidTy();
    for (llvm::Value *operand : at.operands()) {
      const llvm::Instruction *made = inside(operand, block);
      taken |= pure && made && read.contains(made);
    }
    if (taken) read.insert(&at);
    if (!pure) fixed.insert(&at);
    if (pure && taken) results.push_back(&at);
    if (pure || !taken) continue;
    fixed.insert(results.begin(), results.end());
    results.clear();
  }
  return fixed;
}

void llvm_order_by_access(LLVMBasicBlockRef in) {
  llvm::BasicBlock *block = llvm::unwrap(in);
  llvm::SmallVector<llvm::Instruction *> order;
  Set fixed = find_fixed(block), parts;
  for (llvm::Instruction &at : llvm::reverse(*block)) {
    if (llvm::isa<llvm::PHINode>(at) || llvm::isa<llvm::AllocaInst>(at)) continue;
    order.push_back(&at);
    if (!fixed.contains(&at) && !parts.contains(&at)) continue;
    for (llvm::Value *operand : at.operands()) {
      llvm::Instruction *made = inside(operand, block);
      if (made && !fixed.contains(made)) parts.insert(made);
    }
  }
  for (llvm::Instruction *at : llvm::reverse(order)) {
    if (parts.contains(at)) continue; // it comes before the first that needs it
    for (llvm::Value *operand : at->operands())
      if (llvm::Instruction *made = inside(operand, block)) place(block, parts, made);
    at->moveBefore(*block, block->end());
  }
}
