// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills and reads a buffer on a stream, and measures the time by two events.
#include <stdio.h>
#include <tilec/tilec.h>

int main(void) {
  unsigned char bytes[1000];
  double seconds = -1;
  tilec_device *device = NULL;
  tilec_buffer *buffer = NULL;
  tilec_stream *stream = NULL;
  tilec_event *start = NULL, *end = NULL;
  tilec_status s = tilec_device_open("sim", &device);
  if (!s) s = tilec_buffer_new(device, sizeof bytes, &buffer);
  if (!s) s = tilec_stream_new(device, &stream);
  if (!s) s = tilec_event_new(device, &start);
  if (!s) s = tilec_event_new(device, &end);
  if (!s) s = tilec_event_record(start, stream);
  if (!s) s = tilec_buffer_fill_async(buffer, 0, 7, sizeof bytes, stream);
  if (!s) s = tilec_buffer_read_async(buffer, 0, bytes, sizeof bytes, stream);
  if (!s) s = tilec_event_record(end, stream);
  if (!s) s = tilec_event_elapsed(start, end, &seconds); // waits for the end
  if (s)
    fprintf(stderr, "%s\n", tilec_last_error());
  else
    printf("%d, %d\n", bytes[999], seconds >= 0); // prints: 7, 1
  tilec_event_free(end);
  tilec_event_free(start);
  tilec_stream_free(stream);
  tilec_buffer_free(buffer);
  tilec_device_close(device);
  return s != TILEC_OK;
}
