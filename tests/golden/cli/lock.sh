# A tuning lock: choices without a GPU, as text.
cat >twice.py <<'END'
import triton
import triton.language as tl

@triton.autotune([triton.Config({"BLOCK": b, "MODE": m}, num_warps=w) for b in (2048, 128) for m in ("up", "down") for w in (8, 1)], key=["n"])
@triton.jit
def twice(x, out, n, MODE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
END
words='twice.py --grid "cdiv(n, BLOCK)" x=arange:fp32[40] out=empty:fp32[40] n=40'
locked() { TILEC_LOCK=choices.lock "$@"; }
t "tilec tune --model-only --lock choices.lock $words | tail -n 1"
t "sed -E 's/(text |predicts )[^ ]*/\1.../' choices.lock"
t "locked tilec run --device sim $words"
t "locked tilec run --device eval $words | head -n 1"
# Another value of the key has no choice; code ahead of time has no values, and takes the first one.
t "locked tilec run --device sim ${words//40/41} | head -n 1"
t "locked tilec twice.py --signature x=*fp32:16,out=*fp32:16,n=i32 --remarks -o /dev/null 2>&1 | grep choice"
# The same again makes the same file. More entries are sorted, and comments at the head stay.
cp choices.lock before.lock
t "tilec tune --predict --lock choices.lock $words >/dev/null && cmp choices.lock before.lock"
sed -i '2s/.*/# Reviewed./' choices.lock
t "tilec tune --model-only --lock choices.lock ${words//40/41} >/dev/null; grep -E '^(#|values)' choices.lock"
# Without @autotune the choice has the constexpr; without a choice it is asked for.
sed '/autotune/d' twice.py >plain.py
plain='plain.py -D "BLOCK=128|256" -D MODE=1 '${words#* }
t "tilec tune --model-only --lock plain.lock $plain | tail -n 1"
t "TILEC_LOCK=plain.lock tilec run --device sim ${plain/-D \"BLOCK=128|256\"/}"
t "tilec run --device sim ${plain/-D \"BLOCK=128|256\"/} |& head -n 1"
# A choice that does not fit; a file that cannot be read; a kernel that has changed.
cp choices.lock good.lock
sed -i 's/^option num_warps=.*/option num_warps=3/' choices.lock
t "locked tilec run --device sim $words"
printf 'option num_warps=1\n' >>choices.lock
t "locked tilec run --device sim $words"
t "TILEC_LOCK=none.lock tilec run --device sim $words"
t "tilec tune --model-only --lock choices.lock $words >/dev/null"
mv good.lock choices.lock
sed -i 's/ \* 2/ * 3/' twice.py
t "locked tilec run --device sim $words"
