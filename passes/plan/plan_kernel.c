// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plan_kernel: decides how a kernel with dots runs on Hopper and Blackwell.
//
// before  kernel @k(...) { ... dot ... }
// after   kernel @k(...) plan = [tma_loads, tma_pointer_loads, warp_specialize] { ... dot ... }
//
// needs   simplified IR without layouts; the module's options, and whether libtilec launches its kernels
// keeps   every op
// breaks  nothing
//
// pays    One place decides what is done, and reports why. passes/analysis/plan.h lists the passes that do it.
#include "passes/analysis/plan.h"

#include "base/integer.h"
#include "passes/analysis/hopper_limits.h"
#include "ir/dot/dot_fits.h"
#include "passes/analysis/overlapped_dots.h"

enum { CHAINING_WARPS = 8 };

typedef struct Products {
  Arena *arena;
  const Func *func;
  const Op *first; // taken by wgmma or tcgen05; NULL: none
  uint32_t dots;
  uint32_t matrices; // Those that wgmma or tcgen05 takes.
  uint32_t chained;  // In loops where a later dot takes what is computed from the first.
  uint32_t padded;   // Rows, padded to a power of two, leave a quarter of the warps or more without any.
} Products;

typedef struct WayPlanner {
  PassContext *context;
  Func *func;
  const Target *target;
  Products products;
} WayPlanner;

// True if wgmma or tcgen05 takes the dot. If the IR has layouts, choose_dot has decided it.
static bool takes_matrices(const Op *dot) {
  if (op_attr(dot, ATTR_INSTRUCTION)) return dot_reads_matrices(dot);
  return !op_result(dot)->type->layout && can_read_matrices(dot);
}

static void count_dots(Products *p, Op *op) {
  p->chained += chained_dots(p->arena, p->func, op);
  if (op->kind != OP_DOT) return;
  const Type *result = op_result(op)->type;
  uint32_t rows = result->shape[result->rank - 2];
  p->dots++;
  p->padded += 4 * rows <= 3u << log2_ceil(rows);
  if (!takes_matrices(op)) return;
  p->matrices++;
  if (!p->first) p->first = op;
}

// --- remarks: for kernels that have such a dot, or an option that asks

static Loc place(const WayPlanner *p) { return p->products.first ? p->products.first->loc : p->func->loc; }

static void decline(const WayPlanner *p, bool asked, const char *what, const char *why) {
  if (p->products.matrices || asked)
    diag_remark(p->context->diags, place(p), "plan_kernel", "%s: %s", what, why);
}

static void tell(const WayPlanner *p, const char *what, const char *why) {
  diag_remark(p->context->diags, place(p), "plan_kernel", "%s: %s", what, why);
}

// --- TMA copies and stores

// Why the kernel cannot have tensor maps. NULL: it can.
static const char *why_no_maps(const WayPlanner *p) {
  if (!p->target->arch->tensor_rank) return "the architecture has none";
  if (p->target->tma == TMA_OFF) return "--tma=off";
  return module_takes_maps(p->func->module) ? NULL
                                            : "the launcher must make the tensor maps for that (--tma=on)";
}

// True if loads through pointers may become TMA copies. By default these are kernels with one dot, and attention,
// forward and backward. overlap_dots takes attention loops whose loads are TMA tiles. Other kernels with several dots
// are not measured.
static bool raises_pointers(const WayPlanner *p) {
  const Products *of = &p->products;
  if (of->dots == 1 || (of->dots && p->target->tma == TMA_ON)) return true;
  uint32_t warps = p->target->num_warps;
  bool padded = warps == 2 * CHAINING_WARPS && of->dots == of->padded;
  return of->dots && of->dots == of->chained && (warps == CHAINING_WARPS || padded);
}

static bool plan_copies(const WayPlanner *p) {
  static const char none[] = "no TMA copies";
  bool asked = p->target->tma == TMA_ON;
  const char *why = why_no_maps(p);
  if (!why && !asked && !p->products.matrices) return false;
  if (why) return decline(p, asked, none, why), false;
  bool pointers = raises_pointers(p);
  func_set_plan(p->func, PLAN_TMA_LOADS, true);
  func_set_plan(p->func, PLAN_TMA_ALL_LOADS, asked);
  func_set_plan(p->func, PLAN_TMA_POINTER_LOADS, pointers);
  tell(p, "TMA copies",
       asked      ? "wherever they can be, as --tma=on says"
       : pointers ? "of dot operands, through pointers too"
                  : "of dot operands, through block pointers and descriptors");
  if (!pointers && p->products.matrices)
    diag_remark(p->context->diags, place(p), "plan_kernel",
                "no TMA copies through pointers: kernels of %u dots by %u warps, %u of them chained, are not "
                "measured",
                p->products.dots, p->target->num_warps, p->products.chained);
  return true;
}

static void plan_stores(const WayPlanner *p) {
  static const char none[] = "no TMA stores";
  bool asked = p->target->epilogue == EPILOGUE_ON;
  const char *why = p->target->epilogue == EPILOGUE_OFF ? "--epilogue=off"
                    : !asked                            ? "their gain is not measured"
                                                        : why_no_maps(p);
  if (why) {
    decline(p, asked, none, why);
    return;
  }
  func_set_plan(p->func, PLAN_TMA_STORES, true);
  tell(p, "TMA stores", "wherever they can be, as --epilogue=on says");
}

// --- programs

// Why two programs cannot be fused. NULL: they can. Their tile must be as wide as the instruction. It must have the
// number of sums that a persistent kernel needs (plan_pipeline).
static const char *why_no_pairs(const WayPlanner *p) {
  enum { STAGES = 3 };
  const Target *target = p->target;
  const Op *dot = p->products.first;
  if (target->persistent != PERSIST_AUTO) return "the kernel says whether it is persistent";
  if (target->warp_roles == WARP_ROLES_OFF) return "--warp-specialize=off";
  if (!target->arch->setmaxnreg_most || !target->arch->multiprocessors || !can_wgmma(dot))
    return "no measurements for this architecture";
  if (target->maxnreg) return "registers are limited";
  if (p->products.dots != 1) return "there are several dots";
  const Type *type = op_result(dot)->type, *operand = op_operand(dot, 0)->type;
  if (target->num_stages < STAGES) return "there are fewer than three stages";
  if (type->rank != 2 || !type_sizes_are_powers(operand)) return "the dot's blocks are not TMA copies";
  if (type_element_bytes(operand) > 2) return "elements have more than two bytes";
  if (fused_programs_pay(type->shape[0], type->shape[1], target->num_warps)) return NULL;
  return arena_printf(p->context->scratch,
                      "two dots of %ux%u by %u warps are narrower than the instruction, or have too few sums",
                      type->shape[0], type->shape[1], target->num_warps);
}

static void plan_pairs(const WayPlanner *p) {
  if (!p->func->module->launched || !p->products.matrices) return;
  const char *why = why_no_pairs(p);
  if (why) {
    decline(p, false, "programs are not fused", why);
    return;
  }
  func_set_plan(p->func, PLAN_FUSE_PROGRAMS, true);
  tell(p, "fused programs", "where blocks of the grid's second dimension are neighbours");
}

static void plan_order(const WayPlanner *p) {
  const Op *growing = programs_grow(p->func);
  func_set_plan(p->func, PLAN_LONGEST_FIRST, growing != NULL);
  if (growing)
    diag_remark(p->context->diags, growing->loc, "plan_kernel",
                "the last programs along axis 0 start first: their loops are the longest");
}

static void plan_roles(const WayPlanner *p) {
  bool off = p->target->warp_roles == WARP_ROLES_OFF;
  func_set_plan(p->func, PLAN_WARP_SPECIALIZE, !off && p->products.dots && p->target->arch->setmaxnreg_most);
}

bool pass_plan_kernel(PassContext *context, Func *func) {
  if (func->plan) return false; // the text has a plan
  WayPlanner p = {context, func, &func->module->target, {.arena = context->scratch, .func = func}};
  func_number(func);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) count_dots(&p.products, w.op);
  if (plan_copies(&p)) plan_pairs(&p);
  plan_stores(&p);
  plan_order(&p);
  plan_roles(&p);
  return func->plan != 0;
}
