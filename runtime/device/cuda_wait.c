// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda_wait.h"

#include <time.h>

#include "runtime/error.h"

static void pause_for(long nanoseconds) {
  const struct timespec time = {0, nanoseconds};
  nanosleep(&time, NULL); // a signal ends the sleep early, on purpose
}

tilec_status cuda_wait(const CudaApi *api, CudaEvent event, const CudaWait *wait, bool *gave_up,
                       CudaResult *result) {
  enum { FIRST_PAUSE = 20000, LONGEST_PAUSE = 1000000 };
  const LaunchLimits *limits = wait->limits;
  *gave_up = false;
  if (limits->timeout <= 0 && !limits->cancel) {
    *result = api->EventSynchronize(event);
    return TILEC_OK;
  }
  for (long pause = FIRST_PAUSE; (*result = api->EventQuery(event)) == CUDA_NOT_READY;) {
    bool cancelled = limits->cancel && __atomic_load_n(limits->cancel, __ATOMIC_RELAXED);
    *gave_up =
        cancelled || (limits->timeout > 0 && limits->spent + seconds_now() - wait->begin > limits->timeout);
    if (cancelled)
      return error_set(TILEC_ERROR_LAUNCH, "the launch was interrupted; it still runs on the GPU");
    if (*gave_up)
      return error_set(TILEC_ERROR_LAUNCH,
                       "the launch has not ended within %.3g seconds and still runs on the GPU (is a loop "
                       "endless? --timeout SECONDS waits longer; --device sim reports where it hangs)",
                       limits->timeout);
    pause_for(pause);
    if (pause < LONGEST_PAUSE) pause *= 2;
  }
  return TILEC_OK;
}
