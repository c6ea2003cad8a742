// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compile/assemble.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "runtime/cache/build_id.h"
#include "runtime/cache/bundle.h"
#include "runtime/cache/cache.h"
#include "runtime/cache/cache_folder.h"
#include "runtime/compile/tool_files.h"
#include "runtime/device/driver.h"
#include "runtime/error.h"
#include "runtime/device/ptx_version.h"

#define WHERE_IT_IS                                                                                          \
  "the CUDA toolkit has it, and so has Triton's Python package, in triton/backends/nvidia/bin"

// Assembles the PTX in its file. If ptxas is older than the PTX version, tries again with its own version.
// This works if the code does not need the newer one.
static int assemble_text(const ToolFiles *files, Str ptx, char *const words[]) {
  int status = tool_files_run(files, words);
  if (status <= 0 || status == 127) return status;
  Buf log = {0}, lowered = {0};
  bool again = tool_files_read(files->log, &log) && log.at && ptx_lower_version(ptx, log.at, &lowered);
  if (again && tool_files_write(files->in, buf_view(&lowered))) status = tool_files_run(files, words);
  buf_free(&log);
  buf_free(&lowered);
  return status;
}

// --- The cache's part ---

typedef struct CubinKey {
  bool cached; // true if there is a cache; then `key` is set
  CacheKey key;
} CubinKey;

// Makes the key for the PTX and `assembler`. Returns true if the cache has the cubin, and adds it to `cubin`.
static bool cached_cubin(Str ptx, const char *arch, Str assembler, CubinKey *key, Buf *cubin) {
  Digest digest;
  CacheEntry entry;
  Buf local = {0};
  key->cached = cache_key_begin(&digest, "cubin");
  if (!key->cached) return false;
  digest_str(&digest, ptx);
  buf_printf(&local, "%s %.*s", arch, STR_ARG(assembler));
  key->key = cache_key_end(&digest, buf_view(&local));
  key->key.in_folder &= assembler.n > 0;
  buf_free(&local);
  bool found = cache_get(&key->key, &entry);
  if (found) buf_str(cubin, entry.blob);
  cache_entry_free(&entry);
  return found;
}

// The name of the PTX's first entry.
static Str entry_name(Str ptx) {
  static const char word[] = ".entry ";
  const char *at = strstr(ptx.at, word), *name = at ? at + sizeof word - 1 : "";
  return (Str){name, strcspn(name, "( \t\n")};
}

static void keep_cubin(const CubinKey *key, Str ptx, const char *arch, const Buf *cubin) {
  enum { NAME_MOST = 200 };
  Buf fields = {0};
  if (!key->cached || !cubin->n) return;
  buf_text(&fields, "kind=cubin\nkernel=");
  buf_plain(&fields, entry_name(ptx), NAME_MOST);
  char hash[DIGEST_HEX + 1];
  cache_hash_hex(ptx.at, ptx.n, hash);
  buf_printf(&fields, "\narch=%s\nptx=%s", arch, hash);
  cache_put(&key->key, buf_view(&fields), buf_view(cubin));
  buf_free(&fields);
}

// --- By ptxas ---

// The output of "ptxas --version". Empty if there is none, or no cache to use it for.
static void ptxas_version(const ToolFiles *files, Buf *version) {
  char *words[] = {"ptxas", "--version", NULL};
  Digest digest;
  if (cache_key_begin(&digest, "cubin") && tool_files_run(files, words) == 0)
    tool_files_read(files->log, version);
}

// *found: true if ptxas was available.
static tilec_status ask_ptxas(ToolFiles *files, Str ptx, const Target *target, Buf *cubin, bool *found) {
  char arch[24];
  snprintf(arch, sizeof arch, "-arch=%s", target->arch->name);
  char *words[] = {"ptxas", arch, files->in, "-o", files->out, NULL};
  bool written = tool_files_write(files->in, ptx);
  int status = written ? assemble_text(files, ptx, words) : 0;
  *found = status != -1 && status != 127;
  if (!written || (status == 0 && !tool_files_read(files->out, cubin)))
    return error_set(TILEC_ERROR_IO, "ptxas's files in %s: %s", files->folder, strerror(errno));
  if (!*found || status == 0) return TILEC_OK;
  Buf log = {0};
  tool_files_read(files->log, &log);
  tilec_status result =
      error_set(TILEC_ERROR_NOT_SUPPORTED, "ptxas refuses the PTX: %.2000s", log.at ? log.at : "");
  buf_free(&log);
  return result;
}

static tilec_status by_ptxas(Str ptx, const Target *target, Buf *cubin, bool *found) {
  ToolFiles files;
  CubinKey key;
  Buf version = {0};
  tilec_status status = TILEC_OK;
  *found = true;
  if (!tool_files_make(&files))
    return error_set(TILEC_ERROR_IO, "no folder for temporary files: %s", strerror(errno));
  ptxas_version(&files, &version);
  if (!cached_cubin(ptx, target->arch->name, buf_view(&version), &key, cubin)) {
    status = ask_ptxas(&files, ptx, target, cubin, found);
    if (!status && *found) keep_cubin(&key, ptx, target->arch->name, cubin);
  }
  buf_free(&version);
  tool_files_remove(&files);
  return status;
}

bool cubin_has_ptxas(void) {
  ToolFiles files;
  char *words[] = {"ptxas", "--version", NULL};
  if (!tool_files_make(&files)) return false;
  int status = tool_files_run(&files, words);
  tool_files_remove(&files);
  return status == 0;
}

bool cubin_ptxas_log(Str ptx, const Target *target, Buf *log, Buf *cubin) {
  ToolFiles files;
  char arch[24];
  if (!tool_files_make(&files)) return false;
  snprintf(arch, sizeof arch, "-arch=%s", target->arch->name);
  char *words[] = {"ptxas", "-v", arch, files.in, "-o", files.out, cubin ? "-lineinfo" : NULL, NULL};
  bool good = tool_files_write(files.in, ptx) && assemble_text(&files, ptx, words) == 0 &&
              tool_files_read(files.log, log);
  good = good && (!cubin || tool_files_read(files.out, cubin));
  tool_files_remove(&files);
  return good;
}

// --- By the driver ---

// The driver's version and build. Empty if there is none. Nothing is loaded: the library is already open.
static void driver_identity(Buf *identity) {
  CudaResult (*get_version)(int *version);
  int version = 0;
  BuildId build;
  void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  void *function = library ? dlsym(library, "cuDriverGetVersion") : NULL;
  if (function && build_id_of(function, &build)) {
    memcpy(&get_version, &function, sizeof get_version);
    // The file name ends in the driver's full version.
    if (get_version(&version) == 0 && build.file[0]) {
      buf_printf(identity, "driver %d %s ", version, build.file);
      buf_bytes(identity, build.bytes, build.n);
    }
  }
  if (library) dlclose(library);
}

static tilec_status assemble_on(tilec_device *device, Str ptx, Buf *cubin) {
  const char *arch = tilec_device_arch(device);
  CubinKey key;
  Buf driver = {0};
  driver_identity(&driver);
  tilec_status status = TILEC_OK;
  if (!cached_cubin(ptx, arch, buf_view(&driver), &key, cubin)) {
    status = device->kind->assemble(device, ptx, cubin);
    if (!status) keep_cubin(&key, ptx, arch, cubin);
  }
  buf_free(&driver);
  return status;
}

static tilec_status by_driver(Str ptx, const Target *target, Buf *cubin) {
  tilec_device *device;
  if (device_open("cuda", &device) != TILEC_OK)
    return error_set(TILEC_ERROR_NOT_SUPPORTED,
                     "a cubin needs ptxas on PATH, or an NVIDIA GPU: there is no ptxas (" WHERE_IT_IS
                     "), and %s",
                     tilec_last_error());
  tilec_status status;
  if (!target_runs_on(target->arch, device->target.arch))
    status = error_set(TILEC_ERROR_NOT_SUPPORTED,
                       "a cubin for %s needs ptxas on PATH: the driver makes them only for %s",
                       target->arch->name, tilec_device_arch(device));
  else
    status = assemble_on(device, ptx, cubin);
  device_release(device);
  return status;
}

tilec_status cubin_assemble(Str ptx, const Target *target, Buf *cubin) {
  bool found;
  CubinKey key;
  if (bundle_is_used() && cached_cubin(ptx, target->arch->name, (Str){NULL, 0}, &key, cubin)) return TILEC_OK;
  if (bundle_forbids())
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "TILEC_JIT=forbid: the bundle has no cubin of '%.*s' for %s",
                     STR_ARG(entry_name(ptx)), target->arch->name);
  tilec_status status = by_ptxas(ptx, target, cubin, &found);
  return found || status ? status : by_driver(ptx, target, cubin);
}

// --- Disassembly ---

// -1 if the first word is no program on PATH.
static int disassemble(const ToolFiles *files, char *const words[], Buf *text) {
  int status = tool_files_run(files, words);
  if (status == 0 && !tool_files_read(files->out, text)) status = 127;
  return status == 127 ? -1 : status;
}

tilec_status cubin_disassemble(Str cubin, Buf *text) {
  ToolFiles files;
  if (!tool_files_make(&files) || !tool_files_write(files.in, cubin))
    return error_set(TILEC_ERROR_IO, "no folder for temporary files: %s", strerror(errno));
  char *nvdisasm[] = {"nvdisasm", "-c", files.in, NULL},
       *cuobjdump[] = {"cuobjdump", "-sass", files.in, NULL};
  int status = disassemble(&files, nvdisasm, text);
  const char *name = status < 0 ? cuobjdump[0] : nvdisasm[0];
  if (status < 0) status = disassemble(&files, cuobjdump, text);
  tilec_status result = TILEC_OK;
  if (status < 0) {
    result = error_set(TILEC_ERROR_NOT_SUPPORTED,
                       "SASS needs nvdisasm or cuobjdump on PATH, and there is neither: " WHERE_IT_IS);
  } else if (status > 0) {
    Buf log = {0};
    tool_files_read(files.log, &log);
    result =
        error_set(TILEC_ERROR_NOT_SUPPORTED, "%s refuses the cubin: %.2000s", name, log.at ? log.at : "");
    buf_free(&log);
  }
  tool_files_remove(&files);
  return result;
}

typedef struct LoadRequest {
  tilec_device *device;
  Str ptx;
  Buf cubin;
} LoadRequest;

// Off by default. The code from the driver's linker was not benchmarked against the code that its loader
// makes from PTX.
static bool keeps_cubins(void) { return cache_switch("TILEC_CACHE_CUBINS", false); }

static tilec_status make_for_load(void *data) {
  LoadRequest *request = data;
  CubinKey key;
  if (bundle_is_used() && cached_cubin(request->ptx, "", (Str){NULL, 0}, &key, &request->cubin))
    return TILEC_OK;
  if (!keeps_cubins()) return TILEC_ERROR_NOT_SUPPORTED;
  return assemble_on(request->device, request->ptx, &request->cubin);
}

tilec_status cubin_load(tilec_device *device, const KernelImage *image, DeviceKernel *kernel) {
  Digest digest;
  if (!device->kind->assemble || !image->func || image->debug || !cache_key_begin(&digest, "cubin") ||
      !(keeps_cubins() || bundle_is_used()))
    return device_load(device, image, kernel);
  LoadRequest request = {.device = device, .ptx = image->ptx};
  KernelImage assembled = *image;
  tilec_status status = error_guard(make_for_load, &request);
  assembled.ptx = buf_view(&request.cubin);
  if (!status) status = device_load(device, &assembled, kernel);
  buf_free(&request.cubin);
  if (!status) return TILEC_OK;
  error_clear();
  return device_load(device, image, kernel);
}
