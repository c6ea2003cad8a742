// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <string.h>
#include <tilec/sim.h>

static const char ptx[] = ".version 7.0\n"
                          ".target sm_80\n"
                          ".address_size 64\n"
                          ".visible .entry put(.param .u64 to, .param .u32 value) {\n"
                          "  .reg .b64 %address;\n"
                          "  .reg .b32 %number;\n"
                          "  ld.param.u64 %address, [to];\n"
                          "  ld.param.u32 %number, [value];\n"
                          "  st.global.u32 [%address], %number;\n"
                          "  ret;\n"
                          "}\n";

int main(void) {
  const uint32_t one[3] = {1, 1, 1};
  uint32_t value = 42, found = 0;
  uint64_t address = 0;
  tilec_sim *sim = NULL;
  tilec_sim_module *module = NULL;
  const tilec_sim_kernel *put = NULL;
  tilec_sim_result result = tilec_sim_create(NULL, &sim);
  if (!result) result = tilec_sim_load(sim, ptx, strlen(ptx), &module);
  if (!result) result = tilec_sim_find(sim, module, "put", &put);
  if (!result) result = tilec_sim_alloc(sim, sizeof found, &address);
  if (!result) {
    const void *params[] = {&address, &value};
    result = tilec_sim_launch(sim, put, one, one, 0, params);
  }
  if (!result) result = tilec_sim_read(sim, &found, address, sizeof found);
  if (result)
    fprintf(stderr, "%s\n", sim ? tilec_sim_message(sim) : "no memory");
  else
    printf("%u\n", (unsigned)found); // prints: 42
  tilec_sim_destroy(sim);
  return result != TILEC_SIM_OK;
}
