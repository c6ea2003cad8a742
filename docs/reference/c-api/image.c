// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches a kernel of PTX, which may come from another compiler.
#include <stdio.h>
#include <string.h>
#include <tilec/tilec.h>

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
  int32_t found = 0;
  tilec_device *device = NULL;
  tilec_buffer *buffer = NULL;
  tilec_kernel *put = NULL;
  tilec_image_options image = TILEC_IMAGE_OPTIONS_INIT; // one thread
  tilec_launch_options launch = TILEC_LAUNCH_OPTIONS_INIT;
  launch.grid[0] = 1;
  tilec_status s = tilec_device_open("sim", &device);
  if (!s) s = tilec_buffer_new(device, sizeof found, &buffer);
  if (!s) s = tilec_kernel_from_image(device, "put", ptx, strlen(ptx), &image, &put);
  if (!s) {
    const tilec_arg args[] = {tilec_arg_buffer(TILEC_I32, buffer), tilec_arg_int(42)};
    s = tilec_launch(put, &launch, args, 2);
  }
  if (!s) s = tilec_buffer_read(buffer, 0, &found, sizeof found);
  if (s)
    fprintf(stderr, "%s\n", tilec_last_error());
  else
    printf("%d\n", (int)found); // prints: 42
  tilec_kernel_free(put);
  tilec_buffer_free(buffer);
  tilec_device_close(device);
  return s != TILEC_OK;
}
