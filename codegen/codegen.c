// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles a module from tile IR through LLVM to PTX. The steps are: check, emit, link libclc, optimise,
// print.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "codegen/codegen.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include "base/seconds.h"
#include "base/fault.h"
#include "codegen/emit/emit.h"
#include "codegen/llvm/out_of_memory.h"
#include "codegen/nvvm/nvvm.h"
#include "codegen/llvm/pass_gate.h"
#include "codegen/llvm/ptx_moves.h"
#include "codegen/llvm/ptx_text.h"
#include "ir/memory/scratch.h"

static const char triple[] = "nvptx64-nvidia-cuda";

// --- LLVM's state of the process

static void on_fatal_error(const char *reason) { BUG("LLVM: %s", reason); }

// LLVM options, read when a target machine is made:
// - Shared-memory addresses have 32 bits.
// - CodeGenPrepare revisits only the basic blocks that changed. By default it restarts with all of them after
//   each change. A convolution of eight basic blocks takes 0.9 ms instead of 16; random numbers take 3.5 s
//   instead of 9.2. The PTX is the same for all of scripts/compile-list.
static void initialise_once(void) {
  static const char *const options[] = {"tilec", "-nvptx-short-ptr", "-cgpp-huge-func=1"};
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  LLVMInstallFatalErrorHandler(on_fatal_error);
  LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, "");
}

// --- Running out of memory

// LLVM does some work once a process: tables, locks, statics made at first use. Running out of memory there
// would leave it half done. So each step first checks that this much memory is available. A kernel that needs
// more may run out anywhere.
enum { ROOM_BYTES = 8 << 20 };

// The current step of this thread's compilation, for the message; and true if LLVM was left in the middle of
// it.
static _Thread_local const char *doing;
static _Thread_local bool left_llvm;

void codegen_out_of_memory(const char *reason) {
  (void)reason;
  left_llvm = true;
  fault_raise(FAULT_MEMORY, "out of memory in LLVM, in %s", doing);
}

// Begins a step of LLVM. Raises a fault if there is not enough memory for it.
static void begin_step(const char *what) {
  doing = what;
  void *room =
      mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    fault_raise(FAULT_MEMORY, "out of memory (%d bytes for LLVM, before %s)", ROOM_BYTES, what);
  munmap(room, ROOM_BYTES);
}

// Like pthread_once, but safe with faults. If memory runs out halfway, LLVM cannot be used any more.
static void initialise(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static enum { NOT_YET, HALF, DONE } state;
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == DONE) return;
  begin_step("its initialisation");
  pthread_mutex_lock(&lock);
  FaultFrame frame;
  fault_enter(&frame);
  bool failed = setjmp(frame.env) != 0;
  if (!failed && state == HALF) fault_raise(FAULT_MEMORY, "LLVM ran out of memory while it was initialised");
  if (!failed && state == NOT_YET) {
    __atomic_store_n(&state, HALF, __ATOMIC_RELEASE);
    llvm_watch_memory();
    llvm_working(true);
    initialise_once();
    llvm_working(false);
    __atomic_store_n(&state, DONE, __ATOMIC_RELEASE);
  }
  fault_leave(&frame);
  pthread_mutex_unlock(&lock);
  if (failed) fault_pass_on(&frame);
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *data) {
  (void)data;
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
  char *text = LLVMGetDiagInfoDescription(info);
  char copy[512];
  strncpy(copy, text, sizeof copy - 1);
  copy[sizeof copy - 1] = '\0';
  LLVMDisposeMessage(text);
  BUG("LLVM: %s", copy);
}

// --- one module

static void emitter_begin(Emitter *e) {
  LLVMContextRef context = e->context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(context, on_diagnostic, NULL);
  e->llvm = LLVMModuleCreateWithNameInContext("tilec", context);
  e->builder = LLVMCreateBuilderInContext(context);
  e->i1 = LLVMInt1TypeInContext(context);
  e->i8 = LLVMInt8TypeInContext(context);
  e->i16 = LLVMInt16TypeInContext(context);
  e->i32 = LLVMInt32TypeInContext(context);
  e->i64 = LLVMInt64TypeInContext(context);
  e->f16 = LLVMHalfTypeInContext(context);
  e->bf16 = LLVMBFloatTypeInContext(context);
  e->f32 = LLVMFloatTypeInContext(context);
  e->f64 = LLVMDoubleTypeInContext(context);
  e->ptr = LLVMPointerTypeInContext(context, NVVM_GLOBAL);
  e->ptx_version = e->target->arch->ptx;
}

static void emitter_end(Emitter *e) {
  if (e->debug.builder) LLVMDisposeDIBuilder(e->debug.builder);
  if (e->machine) LLVMDisposeTargetMachine(e->machine);
  if (e->builder) LLVMDisposeBuilder(e->builder);
  if (e->llvm) LLVMDisposeModule(e->llvm);
  LLVMContextDispose(e->context);
  pass_gate_free(e->gate);
}

// The target without its `a` suffix if nothing emitted needs it. The kernel's own assembly may need it.
static const TargetInfo *emitted_arch(const Emitter *e) {
  return e->arch_specific || e->has_assembly ? e->target->arch : target_base(e->target->arch);
}

// wgmma's accumulator registers must not be copied between the fence, the wgmma instructions and the wait.
// Without optimisation, LLVM copies the inputs and outputs of each instruction. So kernels that use wgmma
// (which needs the arch's suffix) get level 1: its register coalescing removes the copies. Level 3 repeats
// value numbering where level 2 merges plain repetitions. It costs 1/14 of the compile time. It changes the
// machine code of 33 of 795 kernels, and the total size stays the same (60,066 instructions, 60,082).
static LLVMCodeGenOptLevel codegen_level(const Emitter *e) {
  static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                               LLVMCodeGenLevelDefault, LLVMCodeGenLevelDefault};
  uint8_t level = e->level;
  if (level == 0 && e->arch_specific) level = 1;
  return levels[level > 3 ? 3 : level];
}

static LLVMTargetMachineRef target_machine(const Emitter *e) {
  LLVMTargetRef target = NULL;
  char *message = NULL, features[16];
  if (LLVMGetTargetFromTriple(triple, &target, &message)) BUG("LLVM: %s", message);
  snprintf(features, sizeof features, "+ptx%u", e->ptx_version);
  return LLVMCreateTargetMachine(target, triple, emitted_arch(e)->name, features, codegen_level(e),
                                 LLVMRelocDefault, LLVMCodeModelDefault);
}

static void set_target(Emitter *e, LLVMTargetMachineRef machine) {
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(e->llvm, layout);
  LLVMDisposeTargetData(layout);
  LLVMSetTarget(e->llvm, triple);
}

static void verify(const Emitter *e) {
#ifndef NDEBUG
  char *message = NULL;
  if (LLVMVerifyModule(e->llvm, LLVMReturnStatusAction, &message))
    BUG("the LLVM module is not valid: %s", message);
  LLVMDisposeMessage(message);
#else
  (void)e;
#endif
}

// A short pipeline. Tile IR passes have already folded, merged and hoisted. LLVM cleans up what spreading
// tiles over registers adds.
static void optimise(const Emitter *e, LLVMTargetMachineRef machine) {
  static const char *const pipelines[] = {
      "always-inline",
      "always-inline,function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,adce)",
      "always-inline,function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),gvn,"
      "instcombine<no-verify-fixpoint>,simplifycfg)",
  };
  const char *pipeline = pipelines[e->level > 2 ? 2 : e->level];
  if (e->has_variables) pipeline = arena_printf(e->arena, "function(mem2reg),%s", pipeline);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(e->llvm, pipeline, machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) BUG("LLVM: %s", LLVMGetErrorMessage(error));
}

static void print_llvm(const Emitter *e, Buf *out) {
  char *text = LLVMPrintModuleToString(e->llvm);
  buf_text(out, text);
  LLVMDisposeMessage(text);
}

// LLVM ends with an empty macro section even when it emits no debug sections.
static void print_ptx(const Emitter *e, LLVMTargetMachineRef machine, Buf *out) {
  static const char macros[] = "\t.section\t.debug_macinfo\t{\t}\n";
  LLVMMemoryBufferRef text = NULL;
  size_t first = out->n;
  char *message = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, e->llvm, LLVMAssemblyFile, &message, &text))
    BUG("LLVM: %s", message);
  const char *begin_text = LLVMGetBufferStart(text); // NUL-terminated
  const char *cut = e->target->debug ? NULL : strstr(begin_text, macros);
  const char *rest = cut ? cut + sizeof macros - 1 : begin_text;
  if (cut) debug_print_places(e, begin_text, (size_t)(cut - begin_text), out);
  debug_print_places(e, rest, LLVMGetBufferSize(text) - (size_t)(rest - begin_text), out);
  if (out->n && out->at[out->n - 1] != '\n') buf_char(out, '\n');
  LLVMDisposeMemoryBuffer(text);
  ptx_expand_moves(e->arena, out, first);
  ptx_mend(e->arena, out, first);
  ptx_make_functions_local(out, first);
  ptx_date_files(out, first);
}

static void describe(const Emitter *e, CodegenResult *result) {
  const IrModule *module = e->module;
  result->kernels = ARENA_ARRAY(e->arena, KernelMeta, module->funcs.n);
  result->kernel_count = module->funcs.n;
  for (uint32_t i = 0; i < module->funcs.n; i++) {
    const Func *func = module->funcs.at[i];
    uint32_t dynamic = e->dynamic_shared.at[i], fixed = func_shared_bytes(func) - dynamic;
    result->kernels[i] = (KernelMeta){func->name, 32 * func_warps(func), dynamic, fixed, e->ptx_version};
  }
  result->target = module->target;
  result->target.arch = emitted_arch(e);
}

static void generate(Emitter *e, const CodegenOptions *options, CodegenResult *result) {
  double start = seconds_now();
  begin_step("the emission of LLVM IR");
  emitter_begin(e);
  debug_begin_module(e, options->emit_llvm || e->target->debug);
  for (uint32_t i = 0; i < e->module->funcs.n; i++) emit_func(e, e->module->funcs.at[i]);
  debug_end_module(e);
  e->level = emit_choose_level(e);
  e->machine = target_machine(e);
  set_target(e, e->machine);
  link_libclc(e);
  verify(e);
  double emitted = seconds_now();
  begin_step("its passes");
  optimise(e, e->machine);
  e->gate = pass_gate_new(e->context, e->level >= 2);
  double optimised = seconds_now();
  begin_step("its code generation");
  if (options->emit_llvm) print_llvm(e, &result->llvm);
  if (options->emit_ptx) print_ptx(e, e->machine, &result->ptx);
  describe(e, result);
  result->times = (CodegenTimes){emitted - start, optimised - emitted, seconds_now() - optimised};
}

bool codegen_module(IrModule *module, Diags *diags, const CodegenOptions *options, CodegenResult *result) {
  bool good = true;
  for (uint32_t i = 0; i < module->funcs.n; i++)
    good &= check_func(module->funcs.at[i], &module->target, diags);
  if (!good) return false;
  initialise();
  Emitter e = {.module = module, .target = &module->target, .arena = module->ir->arena, .diags = diags};
  e.timeline.asked = options->timeline;
  FaultFrame frame;
  fault_enter(&frame);
  left_llvm = false;
  bool failed = setjmp(frame.env) != 0;
  llvm_working(true);
  volatile bool refused = false;
  if (!failed && setjmp(e.refused) == 0)
    generate(&e, options, result);
  else
    refused = true;
  fault_leave(&frame);
  // After a fault inside LLVM its state is unknown, so its context is abandoned.
  if (e.context && (!failed || (frame.kind == FAULT_MEMORY && !left_llvm))) emitter_end(&e);
  llvm_working(false);
  if (failed) fault_pass_on(&frame);
  return !refused;
}

const char *codegen_llvm_version(void) { return LLVM_VERSION_STRING; }
