// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries about the machine through libraries that are not read. They are recognised by their usual names:
// `current_platform.is_rocm()`, `is_hip()`, `has_triton()`, `find_spec("triton")`. The machine is the target,
// as in elab_host.c. Triton is installed, since a kernel is compiled.
#include "frontend/module/elab_module.h"

typedef struct Question {
  const char *name;
  bool answer;
} Question;

static const Question questions[] = {
    {"is_cuda", true},
    {"is_cuda_alike", true},
    {"is_cuda_available", true},
    {"cuda_is_available", true},
    {"is_nvidia", true},
    {"has_cuda", true},
    {"has_triton", true},
    {"is_triton_available", true},
    {"has_triton_package", true},
    {"is_hip", false},
    {"is_hip_available", false},
    {"is_rocm", false},
    {"is_amd", false},
    {"is_xpu", false},
    {"is_xpu_available", false},
    {"is_intel", false},
    {"is_npu", false},
    {"is_npu_available", false},
    {"is_ascend", false},
    {"is_musa", false},
    {"is_hpu", false},
    {"is_tpu", false},
    {"is_mps", false},
    {"is_cpu", false},
    {"is_out_of_tree", false},
};

// The query of a call without arguments; NULL: none.
static const Question *asked(const Expr *call) {
  const char *name = expr_last_name(call->call.callee);
  if (call->call.args.n) return NULL;
  while (*name == '_') name++;
  for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
    if (strcmp(questions[i].name, name) == 0) return &questions[i];
  return NULL;
}

bool machine_answers(Elab *e, const Expr *call, Obj (*evaluate)(Elab *e, const Expr *call), Obj *obj) {
  const Question *question = elab_on_host(e) ? asked(call) : NULL;
  if (!question) return false;
  Said before = elab_said(e);
  *obj = evaluate(e, call);
  if (elab_take_back(e, &before) || obj->kind == OBJ_ERROR || obj_is_unread(obj))
    *obj = obj_bool(question->answer);
  return true;
}

#define LOADER "loader "

// For a module of Triton or Python. Nothing is known about others.
Obj machine_find_spec(Elab *e, const Expr *call, const char *module) {
  bool triton = elab_is_triton(module);
  if (!triton && !python_has_module(module))
    return elab_error(e, call->loc, "[T0404] it is unknown whether there is a module '%s'", module);
  if (triton && !triton_has_module(module)) return obj_none();
  return obj_namespace(e, arena_printf(e->arena, MODULE_SPEC "%s", module));
}

// find_spec returns an object with a `name` and a `loader`, which runs the module.
bool machine_spec_member(Elab *e, const char *path, const char *name, Obj *obj) {
  bool of_spec = str_starts(str_from(path), MODULE_SPEC), of_loader = str_starts(str_from(path), LOADER);
  if (of_spec && strcmp(name, "name") == 0)
    *obj = obj_string(e, str_from(path + strlen(MODULE_SPEC)));
  else if (of_spec && strcmp(name, "loader") == 0)
    *obj = obj_namespace(e, arena_printf(e->arena, LOADER "%s", path + strlen(MODULE_SPEC)));
  else if (of_loader && strcmp(name, "exec_module") == 0)
    *obj = obj_namespace(e, LOADER "exec_module");
  else
    return false;
  return true;
}

// Imports a module of Triton or Python by its name: importlib.import_module, `__import__`.
Obj machine_import(Elab *e, const Expr *call, const char *module) {
  bool triton = elab_is_triton(module) && triton_has_module(module);
  if (triton || python_has_module(module)) return obj_namespace(e, module);
  return elab_error(e, call->loc, "[T0404] it is unknown whether there is a module '%s'", module);
}

Obj machine_module_from_spec(Elab *e, const Expr *call, const Obj *spec) {
  bool good = spec->kind == OBJ_NAMESPACE && !spec->file && str_starts(str_from(spec->path), MODULE_SPEC);
  if (!good) return elab_error(e, call->loc, "[T0404] module_from_spec() takes what find_spec() has given");
  return obj_namespace(e, spec->path + strlen(MODULE_SPEC));
}

static bool finds_triton(const Expr *expr, void *data) {
  (void)data;
  const Expr *callee = expr->kind == EXPR_CALL && expr->call.args.n ? expr->call.callee : NULL;
  if (strcmp(expr_last_name(callee), "find_spec") != 0) return false;
  const Expr *module = expr->call.args.at[0].value;
  return module->kind == EXPR_STRING && str_starts(module->string.text, "triton");
}

bool machine_asks_for_triton(const Definition *definition) {
  const Stmt *stmt = definition->kind == DEFINES_CONSTANT ? definition->stmt : NULL;
  return stmt && stmt->kind == STMT_ASSIGN && expr_walk(stmt->assign.value, &(AstWalk){.expr = finds_triton});
}
