# The ways to fill a buffer.
printf '@kernel\ndef k(x, n):\n    pass\n' >k.tile
cat >read.py <<'END'
import ast, struct, sys

def read(path):
    data = open(path, "rb").read()
    end = 10 + int.from_bytes(data[8:10], "little")
    code = ast.literal_eval(data[10:end].decode())["descr"]
    letter = {"f2": "e", "f4": "f", "f8": "d", "b1": "B"}.get(code[1:]) or "bhiq"[int(code[2]).bit_length() - 1].translate(
        str.maketrans("bhiq", "BHIQ") if code[1] == "u" else {})
    return code, [x for x, in struct.iter_unpack("<" + letter, data[end:])]
END
# shown SPEC: what the buffer holds.
shown() {
  t "tilec run k.tile --device eval --grid 1 n=1 'x=$1' --save x=x.npy >out"
  python3 -c 'import read
code, x = read.read("x.npy")
print(code, len(x), "elements, from", min(x), "to", max(x), len(set(x)), "different:", *x[:8])'
}
shown 'randint(0,100):i32[64]'
shown 'randint(0,100):i32[64]' # the same again
shown 'randint(0,2):i1[1000]'
shown 'randint(-3,4):fp16[10,100]'
shown 'randint(0,256):u8[10000]'
shown 'randint(-128,128):i8[10000]'
shown 'randint(9223372036854775807,18446744073709551615):u64[1000]'
shown 'randint(5,6):i64[3]'
shown 'full(7):i32[64]'
shown 'full(-1.5):fp32[2,3]'
shown 'full(-inf):fp16[3]'
shown 'full(18446744073709551615):u64[2]'
shown 'full(True):i1[2]'
shown 'perm:i32[64]'
shown 'perm:fp16[100]'
shown 'perm:u8[256]'
t 'tilec run k.tile --device eval --grid 1 n=1 "x=perm:i64[0]" "n=1"' # n twice
t 'tilec run k.tile --device eval --grid 1 n=1 "x=perm:i64[0]"'
# Each place and each value is as probable: a permutation goes nowhere in particular, and counts are 20,000 each but for chance (5 sigmas).
t 'tilec run k.tile --device eval --grid 1 n=1 "x=perm:i32[200000]" --save x=x.npy >out'
python3 -c 'import read
x = read.read("x.npy")[1]
n = len(x)
print(sorted(x) == list(range(n)), abs(sum((i - n / 2) * (v - n / 2) for i, v in enumerate(x)) / (n ** 3 / 12)) < 5 / n ** 0.5)'
t 'tilec run k.tile --device eval --grid 1 n=1 "x=randint(0,10):i32[200000]" --save x=x.npy >out'
python3 -c 'import read
x = read.read("x.npy")[1]
print(all(abs(x.count(v) - 20000) < 5 * (200000 * 0.09) ** 0.5 for v in range(10)))'
# Another seed and another argument have other data.
t 'tilec run k.tile --device eval --grid 1 n=1 --seed 1 "x=randint(0,100):i32[8]" --save x=y.npy && tilec run k.tile --device eval --grid 1 n=1 "x=randint(0,100):i32[8]" --save x=x.npy && cmp -s x.npy y.npy'
# Values that do not fit, and texts that are not a spec.
for spec in 'randint(0,300):u8[4]' 'randint(0,257):u8[4]' 'randint(-1,4):u32[4]' 'randint(4,4):i32[4]' 'randint(0,1.5):i32[4]' 'randint(0,5000):fp16[4]' \
  'randint:i32[4]' 'randint(1):i32[4]' 'randint(1,2,3):i32[4]' 'randint(a,2):i32[4]' 'randint(0,99999999999999999999):i64[4]' 'full(1.5):i32[4]' 'full(300):u8[4]' \
  'full(70000):fp16[4]' 'full(500):fp8e4nv[4]' 'full(-1):u64[4]' 'full():i32[4]' 'full(7)' 'perm:u8[257]' 'perm:fp8e5[10]' 'zeros(1):i32[4]' 'radnint(0,4):i32[4]' 'bytes:u8[4]' \
  'perm:i32[' 'full(7:i32[4]'; do
  t "tilec run k.tile --device eval --grid 1 n=1 'x=$spec' |& sed -n 1p"
done
