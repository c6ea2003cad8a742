// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers of host libraries at the module level: math and numpy on numbers, torch's limits of types, and
// queries about the machine. The machine is the target: an NVIDIA GPU of the architecture that is compiled
// for. So `torch.cuda.is_available()` is true and the capability is known. Kernels can use none of this.
#include "frontend/module/elab_module.h"

#include <math.h>

bool elab_on_host(const Elab *e) { return !e->frame->function || e->frame->python; }

// --- The target ---

static Obj capability(Elab *e) {
  uint32_t major, minor;
  target_capability(elab_target(e), &major, &minor);
  Obj pair = obj_tuple(e, 2);
  pair.items.at[0] = obj_int(major);
  pair.items.at[1] = obj_int(minor);
  return pair;
}

static bool target_member(Elab *e, const char *name, Obj *obj) {
  if (strcmp(name, "backend") == 0)
    *obj = obj_string(e, STR("cuda"));
  else if (strcmp(name, "warp_size") == 0)
    *obj = obj_int(TARGET_WARP);
  else if (strcmp(name, "arch") == 0)
    *obj = obj_int(10 * capability(e).items.at[0].constant.i + capability(e).items.at[1].constant.i);
  else
    return false;
  return true;
}

static bool properties_member(Elab *e, const char *name, Obj *obj) {
  bool major = strcmp(name, "major") == 0;
  if (!major && strcmp(name, "minor") != 0) return false;
  *obj = capability(e).items.at[!major];
  return true;
}

// --- torch.finfo, torch.iinfo ---

typedef struct FloatLimits {
  const char *name; // torch's name
  uint32_t bits;
  double max, eps, tiny;
} FloatLimits;

static const FloatLimits floats[] = {
    {"float16", 16, 65504, 0x1p-10, 0x1p-14},
    {"half", 16, 65504, 0x1p-10, 0x1p-14},
    {"bfloat16", 16, 0x1.fep127, 0x1p-7, 0x1p-126},
    {"float32", 32, 0x1.fffffep127, 0x1p-23, 0x1p-126},
    {"float", 32, 0x1.fffffep127, 0x1p-23, 0x1p-126},
    {"float64", 64, 0x1.fffffffffffffp1023, 0x1p-52, 0x1p-1022},
    {"double", 64, 0x1.fffffffffffffp1023, 0x1p-52, 0x1p-1022},
    {"float8_e4m3fn", 8, 448, 0x1p-3, 0x1p-6},
    {"float8_e5m2", 8, 57344, 0x1p-2, 0x1p-14},
    {"float8_e4m3fnuz", 8, 240, 0x1p-3, 0x1p-7},
    {"float8_e5m2fnuz", 8, 57344, 0x1p-2, 0x1p-15},
};

static const FloatLimits *float_limits(const char *name) {
  for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
    if (strcmp(floats[i].name, name) == 0) return &floats[i];
  return NULL;
}

static const struct {
  const char *name;
  uint32_t bits;
  bool is_signed;
} integers[] = {{"int8", 8, true},     {"int16", 16, true},   {"int32", 32, true},  {"int64", 64, true},
                {"int", 32, true},     {"long", 64, true},    {"short", 16, true},  {"uint8", 8, false},
                {"uint16", 16, false}, {"uint32", 32, false}, {"uint64", 64, false}};

static bool float_limit(const FloatLimits *limits, const char *name, Obj *obj) {
  if (strcmp(name, "bits") == 0) return *obj = obj_int(limits->bits), true;
  double value = strcmp(name, "max") == 0                                            ? limits->max
                 : strcmp(name, "min") == 0                                          ? -limits->max
                 : strcmp(name, "eps") == 0                                          ? limits->eps
                 : strcmp(name, "tiny") == 0 || strcmp(name, "smallest_normal") == 0 ? limits->tiny
                                                                                     : 0;
  *obj = obj_float(value);
  return value != 0;
}

static bool integer_limit(const char *type, const char *name, Obj *obj) {
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
    uint32_t bits = integers[i].bits;
    if (strcmp(integers[i].name, type) != 0) continue;
    bool wide = bits == 64 && !integers[i].is_signed;
    int64_t high = (int64_t)(UINT64_MAX >> (64 - bits + integers[i].is_signed));
    if (strcmp(name, "max") == 0)
      *obj = obj_const((ConstValue){.kind = CONST_INT, .is_u64 = wide, .i = high});
    else if (strcmp(name, "min") == 0)
      *obj = obj_int(integers[i].is_signed ? -high - 1 : 0);
    else if (strcmp(name, "bits") == 0)
      *obj = obj_int(bits);
    else
      return false;
    return true;
  }
  return false;
}

static bool is_torch_type(const char *name) {
  Obj obj;
  return float_limits(name) || integer_limit(name, "bits", &obj) || strcmp(name, "bool") == 0;
}

// --- Members ---

// True for path.name that a module-level expression may continue from.
static bool has_member(const char *path, const char *name) {
  static const char *const torch[] = {"finfo", "iinfo", "cuda", "version", "xpu", "backends", "mps", NULL};
  static const char *const cuda[] = {"is_available", "get_device_capability", "get_device_properties", NULL};
  static const char *const numpy[] = {"finfo", "iinfo", NULL};
  static const char *const jit[] = {"constexpr_function", "jit", NULL};
  if (strcmp(path, "torch") == 0) return str_is_one_of(name, torch) || is_torch_type(name);
  if (strcmp(path, "numpy") == 0) return str_is_one_of(name, numpy) || is_torch_type(name);
  if (strcmp(path, "torch.cuda") == 0) return str_is_one_of(name, cuda);
  if (strcmp(path, "torch.xpu") == 0 || strcmp(path, "torch.mps") == 0 ||
      strcmp(path, "torch.backends.mps") == 0)
    return strcmp(name, "is_available") == 0;
  if (strcmp(path, "torch.backends") == 0) return strcmp(name, "mps") == 0;
  if (strcmp(path, "triton") == 0) return str_is_one_of(name, jit);
  if (strcmp(path, "triton.runtime") == 0) return strcmp(name, "driver") == 0 || strcmp(name, "jit") == 0;
  if (strcmp(path, "triton.runtime.jit") == 0) return str_is_one_of(name, jit);
  if (strcmp(path, "triton.runtime.driver") == 0) return strcmp(name, "active") == 0;
  return strcmp(path, "triton.runtime.driver.active") == 0 && strcmp(name, "get_current_target") == 0;
}

static bool is_function(const char *path);

bool host_member(Elab *e, const char *path, const char *name, Obj *obj) {
  if (!elab_on_host(e)) return false;
  if (strcmp(path, "triton target") == 0) return target_member(e, name, obj);
  if (strcmp(path, "torch properties") == 0) return properties_member(e, name, obj);
  if (str_starts(str_from(path), "finfo ")) return float_limit(float_limits(path + 6), name, obj);
  if (str_starts(str_from(path), "iinfo ")) return integer_limit(path + 6, name, obj);
  if (strcmp(path, "numpy") == 0 && strcmp(name, "tau") != 0 && elab_math_number(name, obj)) return true;
  if (strcmp(path, "torch.version") == 0 && strcmp(name, "cuda") == 0)
    return *obj = obj_string(e, STR(CUDA_VERSION_TEXT)), true;
  if (strcmp(path, "torch.version") == 0 && (strcmp(name, "hip") == 0 || strcmp(name, "xpu") == 0))
    return *obj = obj_none(), true;
  const char *full = arena_printf(e->arena, "%s.%s", path, name);
  if (!has_member(path, name) && !is_function(full) && !functional_has(full) &&
      strcmp(full, ITERTOOLS_PRODUCT) != 0)
    return false;
  *obj = obj_namespace(e, full);
  return true;
}

// --- Functions of numbers ---

// Functions of one number: those that return a float, and those that return an integer.
static const struct {
  const char *name;
  double (*of)(double);
  bool integer;
} unary[] = {
    {"sqrt", sqrt, false},     {"exp", exp, false},   {"exp2", exp2, false},   {"expm1", expm1, false},
    {"log", log, false},       {"log2", log2, false}, {"log10", log10, false}, {"log1p", log1p, false},
    {"sin", sin, false},       {"cos", cos, false},   {"tan", tan, false},     {"tanh", tanh, false},
    {"sinh", sinh, false},     {"cosh", cosh, false}, {"asin", asin, false},   {"acos", acos, false},
    {"atan", atan, false},     {"erf", erf, false},   {"erfc", erfc, false},   {"gamma", tgamma, false},
    {"lgamma", lgamma, false}, {"fabs", fabs, false}, {"ceil", ceil, true},    {"floor", floor, true},
    {"trunc", trunc, true}};

static const struct {
  const char *name;
  double (*of)(double, double);
} binary[] = {{"pow", pow}, {"atan2", atan2}, {"fmod", fmod}, {"hypot", hypot}, {"copysign", copysign}};

// math functions that take integers, test a number, or take a list.
static const char *const integer_functions[] = {"gcd",   "lcm",   "isqrt",    "factorial", "comb", "perm",
                                                "isinf", "isnan", "isfinite", "ldexp",     "prod", NULL};

static int64_t divisor(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  while (y) {
    uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  return (int64_t)x;
}

// The number of ways to choose `k` of `n` things. False if it needs more than 63 bits.
static bool ways(int64_t n, int64_t k, bool ordered, int64_t *count) {
  if (n < 0 || k < 0) return false;
  *count = k <= n;
  for (int64_t i = 0; i < k && k <= n; i++) {
    if (__builtin_mul_overflow(*count, ordered ? n - i : n - k + 1 + i, count)) return false;
    if (!ordered) *count /= i + 1;
  }
  return true;
}

static bool root(int64_t n, int64_t *of) {
  if (n < 0) return false;
  int64_t r = (int64_t)sqrt((double)n);
  while (r > 0 && r > n / r) r--;
  while ((r + 1) <= n / (r + 1)) r++;
  return *of = r, true;
}

static bool call_of_integers(const char *name, const GivenArgs *args, int64_t *value) {
  for (uint32_t i = 0; i < args->n; i++)
    if (args->at[i].name || !obj_is_int(&args->at[i].obj) || args->at[i].obj.constant.is_u64) return false;
  int64_t a = args->n ? args->at[0].obj.constant.i : 0, b = args->n > 1 ? args->at[1].obj.constant.i : 0;
  bool lcm = strcmp(name, "lcm") == 0;
  if (lcm || strcmp(name, "gcd") == 0) {
    *value = lcm;
    for (uint32_t i = 0; i < args->n; i++) {
      int64_t x = args->at[i].obj.constant.i, common = divisor(*value, x);
      if (!lcm)
        *value = common;
      else if (common <= 0 || x == INT64_MIN ||
               __builtin_mul_overflow(*value / common, x < 0 ? -x : x, value))
        return *value = 0, common == 0;
    }
    return true;
  }
  if (args->n == 1 && strcmp(name, "isqrt") == 0) return root(a, value);
  if (args->n == 1 && strcmp(name, "factorial") == 0) return ways(a, a, true, value);
  if (args->n == 2 && strcmp(name, "comb") == 0)
    return ways(a, 2 * b > a && b <= a ? a - b : b, false, value);
  return args->n == 2 && strcmp(name, "perm") == 0 && ways(a, b, true, value);
}

static Obj product(Elab *e, Loc loc, const Obj *list) {
  Obj all = obj_int(1);
  for (uint32_t i = 0; i < list->items.n && all.kind != OBJ_ERROR; i++)
    all = const_binary(e, loc, BINARY_MUL, &all, &list->items.at[i]);
  return all;
}

static Obj integer_function(Elab *e, const Expr *call, const char *name) {
  GivenArgs args = {0};
  int64_t value;
  if (!elab_given_args(e, call, &args)) return obj_error();
  const Obj *x = args.n && !args.at[0].name ? &args.at[0].obj : NULL;
  double number = x && obj_is_number(x) ? const_number(&x->constant) : 0;
  if (call_of_integers(name, &args, &value)) return obj_int(value);
  if (x && args.n == 1 && obj_is_number(x) && name[0] == 'i' && strcmp(name, "isqrt") != 0)
    return obj_bool(strcmp(name, "isinf") == 0   ? isinf(number)
                    : strcmp(name, "isnan") == 0 ? isnan(number)
                                                 : isfinite(number));
  if (x && args.n == 2 && strcmp(name, "ldexp") == 0 && obj_is_number(x) && obj_is_int(&args.at[1].obj))
    return obj_float(scalbln(number, (long)args.at[1].obj.constant.i));
  if (x && args.n == 1 && strcmp(name, "prod") == 0 && x->kind == OBJ_TUPLE) return product(e, call->loc, x);
  return elab_error(e, call->loc, "[T0404] '%s' is not known for these arguments",
                    elab_expr_text(e, call->call.callee));
}

static bool is_numpy(const char *path) { return str_starts(str_from(path), "numpy."); }

// The function's name in "math.sqrt" or "numpy.sqrt"; NULL: another module.
static const char *function_name(const char *path) {
  if (str_starts(str_from(path), "math.")) return path + 5;
  return is_numpy(path) ? path + 6 : NULL;
}

static bool is_function(const char *path) {
  const char *name = function_name(path);
  if (name && path[0] == 'm' && str_is_one_of(name, integer_functions)) return true;
  for (size_t i = 0; name && i < sizeof unary / sizeof *unary; i++)
    if (strcmp(unary[i].name, name) == 0) return true;
  for (size_t i = 0; name && i < sizeof binary / sizeof *binary; i++)
    if (strcmp(binary[i].name, name) == 0) return true;
  return false;
}

// Gives an error for a C result where Python raises an exception: the argument is out of the function's
// domain.
static Obj checked(Elab *e, const Expr *call, double value, bool exact) {
  if (isfinite(value) || !exact) return obj_float(value);
  return elab_error(e, call->loc, "[T0404] the function is not defined there");
}

static Obj call_number(Elab *e, const Expr *call, const char *path, const double *x, uint32_t n) {
  const char *name = function_name(path);
  bool finite = true;
  for (uint32_t i = 0; i < n; i++) finite = finite && isfinite(x[i]);
  if (n == 2 && strcmp(name, "log") == 0) return checked(e, call, log(x[0]) / log(x[1]), true);
  for (size_t i = 0; n == 1 && i < sizeof unary / sizeof *unary; i++) {
    if (strcmp(unary[i].name, name) != 0) continue;
    double value = unary[i].of(x[0]);
    if (!unary[i].integer || is_numpy(path)) return checked(e, call, value, finite);
    if (fabs(value) < 0x1p62) return obj_int((int64_t)value);
  }
  for (size_t i = 0; n == 2 && i < sizeof binary / sizeof *binary; i++)
    if (strcmp(binary[i].name, name) == 0) return checked(e, call, binary[i].of(x[0], x[1]), finite);
  return elab_error(e, call->loc, "[T0404] '%s' is not known for these arguments",
                    elab_expr_text(e, call->call.callee));
}

static Obj function_of_numbers(Elab *e, const Expr *call, const char *path) {
  enum { MOST = 2 };
  if (path[0] == 'm' && str_is_one_of(function_name(path), integer_functions))
    return integer_function(e, call, function_name(path));
  double x[MOST];
  uint32_t n = call->call.args.n;
  for (uint32_t i = 0; i < n; i++) {
    const Arg *arg = &call->call.args.at[i];
    Obj obj = i < MOST && !arg->name && !arg->stars ? elab_expr(e, arg->value) : obj_none();
    if (obj.kind == OBJ_ERROR) return obj;
    if (!obj_is_number(&obj))
      return elab_error(e, arg->value->loc,
                        "[T0404] '%s' takes one or two numbers at the module level, not %s",
                        elab_expr_text(e, call->call.callee), obj_describe(e, &obj));
    x[i] = const_number(&obj.constant);
  }
  return call_number(e, call, path, x, n);
}

// If an argument is not a number, the call is an error. Values made during the evaluation do no harm.
static bool are_numbers(Elab *e, const Expr *call) {
  Said before = elab_said(e);
  bool numbers = call->call.args.n > 0;
  for (uint32_t i = 0; i < call->call.args.n && numbers; i++) {
    Obj obj = elab_expr(e, call->call.args.at[i].value);
    numbers = obj_is_number(&obj);
  }
  return !elab_take_back(e, &before) && numbers;
}

bool host_constant(Elab *e, const Expr *call, Obj *obj) {
  const Expr *callee = call->call.callee;
  if (callee->kind != EXPR_ATTRIBUTE || callee->attribute.object->kind != EXPR_NAME) return false;
  const char *path = arena_printf(e->arena, "math.%s", callee->attribute.name);
  if (!is_function(path)) return false;
  Obj module = elab_name(e, callee->attribute.object->loc, callee->attribute.object->name);
  if (module.kind != OBJ_NAMESPACE || strcmp(module.path, "math") != 0 || !are_numbers(e, call)) return false;
  *obj = function_of_numbers(e, call, path);
  return true;
}

// --- Calls ---

// The only argument, which has no keyword. OBJ_ABSENT: another number of arguments.
static Obj only_arg(Elab *e, const Expr *call) {
  const ArgList *args = &call->call.args;
  if (args->n != 1 || args->at[0].name || args->at[0].stars) return (Obj){.kind = OBJ_ABSENT};
  return elab_expr(e, args->at[0].value);
}

static Obj limits_of(Elab *e, const Expr *call, const char *path) {
  Obj type = only_arg(e, call);
  bool named = type.kind == OBJ_NAMESPACE && !type.file && strrchr(type.path, '.');
  const char *name = named ? strrchr(type.path, '.') + 1 : "";
  Obj bits;
  bool is_float = strcmp(path + strlen(path) - 5, "finfo") == 0;
  bool good = is_float ? float_limits(name) != NULL : integer_limit(name, "bits", &bits);
  if (good) return obj_namespace(e, arena_printf(e->arena, "%s %s", is_float ? "finfo" : "iinfo", name));
  return type.kind == OBJ_ERROR ? type
                                : elab_error(e, call->loc, "[T0404] '%s' of this type is not known", path);
}

// triton.jit(f) returns f, and a kernel may call it. constexpr_function(f) returns f if it is the language's.
static Obj decorated(Elab *e, const Expr *call, const char *name) {
  Obj obj = only_arg(e, call);
  if (obj.kind == OBJ_BUILTIN || obj.kind == OBJ_ERROR) return obj;
  if (obj.kind != OBJ_FUNCTION)
    return elab_error(e, call->loc, "[T0404] '%s' is called of a function of the file",
                      elab_expr_text(e, call->call.callee));
  if (obj.function->plain && strcmp(name, "jit") == 0) obj.function = elab_unplain(e, obj.function);
  return obj;
}

static bool is_limits(const char *path) {
  static const char *const paths[] = {"torch.finfo", "torch.iinfo", "numpy.finfo", "numpy.iinfo", NULL};
  return str_is_one_of(path, paths);
}

bool host_call(Elab *e, const Expr *call, const char *path, Obj *obj) {
  if (!elab_on_host(e)) return false;
  const char *dot = strrchr(path, '.');
  if (host_product(e, call, path, obj) || functional_call(e, call, path, obj)) return true;
  if (str_starts(str_from(path), "builtins."))
    *obj = host_function(e, call, path + 9);
  else if (is_function(path))
    *obj = function_of_numbers(e, call, path);
  else if (is_limits(path))
    *obj = limits_of(e, call, path);
  else if (strcmp(path, "torch.cuda.is_available") == 0)
    *obj = obj_bool(true);
  else if (strcmp(path, "torch.cuda.get_device_capability") == 0)
    *obj = capability(e);
  else if (strcmp(path, "torch.cuda.get_device_properties") == 0)
    *obj = obj_namespace(e, "torch properties");
  else if (str_starts(str_from(path), "torch.") && dot && strcmp(dot, ".is_available") == 0)
    *obj = obj_bool(false);
  else if (strcmp(path, "triton.runtime.driver.active.get_current_target") == 0)
    *obj = obj_namespace(e, "triton target");
  else if (elab_is_triton(path) && dot &&
           (strcmp(dot, ".constexpr_function") == 0 || strcmp(dot, ".jit") == 0))
    *obj = decorated(e, call, dot + 1);
  else
    return false;
  return true;
}
