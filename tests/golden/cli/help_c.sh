# Names of the C API: functions, types, enumerators and macros. Each one of the headers has a text.
for word in tilec_buffer_wrap TILEC_ERROR_NOT_SUPPORTED tilec_event_elapsed tilec_sim_symbol tilec_severity TILEC_MAX_RANK tilec_buffer_wrp; do
  t "tilec help $word"
done
headers="$ROOT/runtime/tilec.h $ROOT/runtime/tune.h $ROOT/sim/sim.h"
# shellcheck disable=SC2086
for word in $(grep -hoE '\b(TILEC_[A-Z_0-9]+|tilec_[a-z_0-9]+\(|\} tilec_[a-z_0-9]+;)' $headers | tr -d '(};' | sort -u); do
  tilec help "$word" >/dev/null 2>&1 || echo "no text: $word"
done
