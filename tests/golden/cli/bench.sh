# bench on the simulator and the evaluator says what its times are not.
times='s/[0-9.]+ us \([0-9.]+ to [0-9.]+\), [0-9.]+ GB/N us (N to N), N GB/; s/[0-9.e+-]{5,}/N/g'
for device in sim eval; do
  t "tilec bench add.tile --device $device x=ones:fp32[1000] y=ones:fp32[1000] out=empty:fp32[1000] n=1000 | sed -E \"\$times\""
  t "tilec bench add.tile --device $device x=ones:fp32[1000] y=ones:fp32[1000] out=empty:fp32[1000] n=1000 --stats 2>&1 >/dev/null | sed -E \"\$times\""
done
