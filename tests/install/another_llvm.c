// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Another LLVM in the same process: it makes PTX before and after tilec compiles and launches a kernel, on two threads too. Each
// keeps its own state, whichever of the two libraries the linker finds first.
//   another_llvm FILE      FILE: saxpy.tile
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <tilec/tilec.h>

enum { N = 300, ROUNDS = 20 };

static int fail(const char *what, const char *why) {
  fprintf(stderr, "another_llvm: %s: %s\n", what, why ? why : "");
  return 1;
}

// int twice(int x) { return x + x; }
static LLVMModuleRef twice(LLVMContextRef context) {
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("twice", context);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
  LLVMValueRef function = LLVMAddFunction(module, "twice", LLVMFunctionType(i32, &i32, 1, 0));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, "entry"));
  LLVMValueRef x = LLVMGetParam(function, 0);
  LLVMBuildRet(builder, LLVMBuildAdd(builder, x, x, "sum"));
  LLVMDisposeBuilder(builder);
  return module;
}

static int emit(LLVMModuleRef module) {
  char *error = NULL;
  LLVMTargetRef target;
  LLVMMemoryBufferRef ptx;
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &error)) return fail("verify", error);
  LLVMDisposeMessage(error);
  if (LLVMGetTargetFromTriple("nvptx64-nvidia-cuda", &target, &error)) return fail("target", error);
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachine(target, "nvptx64-nvidia-cuda", "sm_70", "", LLVMCodeGenLevelDefault,
                              LLVMRelocDefault, LLVMCodeModelDefault);
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile, &error, &ptx))
    return fail("emit", error);
  int found = strstr(LLVMGetBufferStart(ptx), "twice") != NULL;
  LLVMDisposeMemoryBuffer(ptx);
  LLVMDisposeTargetMachine(machine);
  return found ? 0 : fail("emit", "no function in the PTX");
}

static int use_llvm(void) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = twice(context);
  int bad = emit(module);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return bad;
}

static void *llvm_rounds(void *bad) {
  for (int i = 0; i < ROUNDS && !*(int *)bad; i++) *(int *)bad = use_llvm();
  return NULL;
}

static int use_tilec(const char *file) {
  static float ones[N], out[N];
  tilec_device *device = NULL;
  tilec_program *program = NULL;
  tilec_kernel *saxpy = NULL;
  tilec_buffer *in = NULL, *to = NULL;
  for (int i = 0; i < N; i++) ones[i] = 1;
  tilec_status status = tilec_device_open("sim", &device);
  if (!status) status = tilec_program_from_file(file, &program);
  if (!status) status = tilec_kernel_new(device, program, NULL, &saxpy);
  if (!status) status = tilec_buffer_new(device, sizeof ones, &in);
  if (!status) status = tilec_buffer_new(device, sizeof out, &to);
  if (!status) status = tilec_buffer_write(in, 0, ones, sizeof ones);
  if (!status) {
    tilec_arg args[] = {tilec_arg_float(2), tilec_arg_buffer(TILEC_FP32, in),
                        tilec_arg_buffer(TILEC_FP32, in), tilec_arg_buffer(TILEC_FP32, to), tilec_arg_int(N)};
    status = tilec_launch(saxpy, NULL, args, 5);
  }
  if (!status) status = tilec_buffer_read(to, 0, out, sizeof out);
  int bad = status ? fail("tilec", tilec_last_error()) : 0;
  for (int i = 0; i < N && !bad; i++)
    if (out[i] != 3) bad = fail("tilec", "a wrong sum");
  tilec_buffer_free(in);
  tilec_buffer_free(to);
  tilec_kernel_free(saxpy);
  tilec_program_free(program);
  tilec_device_close(device);
  return bad;
}

int main(int argc, char **argv) {
  int bad_there = 0;
  pthread_t other;
  if (argc < 2) return 2;
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  int bad = use_llvm() || use_tilec(argv[1]) || use_llvm();
  if (pthread_create(&other, NULL, llvm_rounds, &bad_there)) return fail("thread", NULL);
  for (int i = 0; i < ROUNDS && !bad; i++) bad = use_tilec(argv[1]);
  pthread_join(other, NULL);
  LLVMShutdown();
  if (!bad && !bad_there) bad = use_tilec(argv[1]);
  if (!bad && !bad_there) printf("OK\n");
  return bad || bad_there;
}
