// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events.
#include <pthread.h>
#include <stdlib.h>

#include "runtime/error.h"
#include "runtime/device/stream.h"

// --- Streams ---

// All streams of the process, including wrapped streams of callers.
static struct {
  pthread_mutex_t lock;
  tilec_stream *first;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

tilec_status streams_join(tilec_device *device) {
  tilec_status status = TILEC_OK;
  if (!device->kind->stream_join) return TILEC_OK;
  pthread_mutex_lock(&all.lock);
  for (const tilec_stream *s = all.first; s && !status; s = s->next)
    if (s->device == device) status = device->kind->stream_join(device, s->state);
  pthread_mutex_unlock(&all.lock);
  return status;
}

tilec_status stream_check(const char *function, const tilec_stream *stream, const tilec_device *device) {
  if (!stream || stream->device == device) return TILEC_OK;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: the stream is of device %s, not of %s", function,
                   stream->device->name, device->name);
}

static tilec_status stream_make(tilec_device *device, void *state, bool owned, tilec_stream **stream) {
  tilec_stream *s = calloc(1, sizeof *s);
  if (!s) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (a stream)");
  *s = (tilec_stream){.device = device, .state = state, .owned = owned};
  device_hold(device);
  pthread_mutex_lock(&all.lock);
  s->next = all.first;
  if (s->next) s->next->previous = s;
  all.first = s;
  pthread_mutex_unlock(&all.lock);
  *stream = s;
  return TILEC_OK;
}

static void list_remove(tilec_stream *s) {
  pthread_mutex_lock(&all.lock);
  if (s->previous)
    s->previous->next = s->next;
  else
    all.first = s->next;
  if (s->next) s->next->previous = s->previous;
  pthread_mutex_unlock(&all.lock);
}

tilec_status tilec_stream_new(tilec_device *device, tilec_stream **stream) {
  if (!device || !stream) return null_argument("tilec_stream_new", device ? "stream" : "device");
  *stream = NULL;
  void *state = NULL;
  const DeviceKind *kind = device->kind;
  tilec_status status = kind->stream_new ? kind->stream_new(device, &state) : TILEC_OK;
  if (status) return status;
  status = stream_make(device, state, true, stream);
  if (status && kind->stream_free) kind->stream_free(device, state);
  return status;
}

tilec_status tilec_stream_wrap(tilec_device *device, void *cu_stream, tilec_stream **stream) {
  if (!device || !stream) return null_argument("tilec_stream_wrap", device ? "stream" : "device");
  *stream = NULL;
  if (device->kind != &device_cuda)
    return error_set(TILEC_ERROR_NOT_SUPPORTED, "tilec_stream_wrap: device %s has no CUDA streams",
                     device->name);
  return stream_make(device, cu_stream, false, stream);
}

tilec_status tilec_stream_synchronize(tilec_stream *stream) {
  if (!stream) return null_argument("tilec_stream_synchronize", "stream");
  const DeviceKind *kind = stream->device->kind;
  return kind->stream_synchronize ? kind->stream_synchronize(stream->device, stream->state) : TILEC_OK;
}

// Work on the stream may still run. A later copy must wait for it.
void tilec_stream_free(tilec_stream *stream) {
  if (!stream) return;
  const DeviceKind *kind = stream->device->kind;
  list_remove(stream);
  if (kind->stream_join && kind->stream_join(stream->device, stream->state) != TILEC_OK)
    kind->stream_synchronize(stream->device, stream->state); // there is no event, so wait
  if (stream->owned && kind->stream_free) kind->stream_free(stream->device, stream->state);
  device_release(stream->device);
  free(stream);
}

// --- Events ---

struct tilec_event {
  tilec_device *device; // a reference
  void *state;          // the device's own; NULL: uses the host's clock
  bool recorded;
  double time; // of the recording, by the host's clock
};

tilec_status tilec_event_new(tilec_device *device, tilec_event **event) {
  if (!device || !event) return null_argument("tilec_event_new", device ? "event" : "device");
  *event = NULL;
  tilec_event *e = calloc(1, sizeof *e);
  if (!e) return error_set(TILEC_ERROR_OUT_OF_MEMORY, "out of memory (an event)");
  tilec_status status = device->kind->event_new ? device->kind->event_new(device, &e->state) : TILEC_OK;
  if (status) {
    free(e);
    return status;
  }
  e->device = device;
  device_hold(device);
  *event = e;
  return TILEC_OK;
}

void tilec_event_free(tilec_event *event) {
  if (!event) return;
  if (event->device->kind->event_free) event->device->kind->event_free(event->device, event->state);
  device_release(event->device);
  free(event);
}

tilec_status tilec_event_record(tilec_event *event, tilec_stream *stream) {
  if (!event) return null_argument("tilec_event_record", "event");
  const DeviceKind *kind = event->device->kind;
  tilec_status status = stream_check("tilec_event_record", stream, event->device);
  if (!status && kind->event_record)
    status = kind->event_record(event->device, event->state, stream_state(stream));
  if (status) return status;
  event->time = seconds_now();
  event->recorded = true;
  return TILEC_OK;
}

static tilec_status check_recorded(const char *function, const tilec_event *event) {
  if (!event) return null_argument(function, "event");
  if (event->recorded) return TILEC_OK;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: the event has not been recorded", function);
}

tilec_status tilec_event_synchronize(tilec_event *event) {
  tilec_status status = check_recorded("tilec_event_synchronize", event);
  if (status || !event->device->kind->event_synchronize) return status;
  return event->device->kind->event_synchronize(event->device, event->state);
}

tilec_status tilec_stream_wait(tilec_stream *stream, tilec_event *event) {
  tilec_status status = check_recorded("tilec_stream_wait", event);
  if (!status) status = stream_check("tilec_stream_wait", stream, event->device);
  if (status || !event->device->kind->event_wait) return status;
  return event->device->kind->event_wait(event->device, event->state, stream_state(stream));
}

tilec_status tilec_event_elapsed(tilec_event *start, tilec_event *end, double *seconds) {
  static const char function[] = "tilec_event_elapsed";
  if (!seconds) return null_argument(function, "seconds");
  *seconds = 0;
  tilec_status status = check_recorded(function, start);
  if (!status) status = check_recorded(function, end);
  if (status) return status;
  if (start->device != end->device)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: one event is of device %s, the other of %s", function,
                     start->device->name, end->device->name);
  const DeviceKind *kind = start->device->kind;
  if (kind->event_elapsed) return kind->event_elapsed(start->device, start->state, end->state, seconds);
  *seconds = end->time - start->time;
  return TILEC_OK;
}
