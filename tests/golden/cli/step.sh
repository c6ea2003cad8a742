# The stepper: lines, values, breakpoints, programs, errors, wrong commands.
cat >scaled.tile <<'END'
@jit
def twice(a):
    b = a + a
    return b

@kernel
def scaled(x, out, n, BLOCK: constexpr):
    i = program_id(0) * BLOCK + arange(0, BLOCK)
    mask = i < n
    acc = zeros((BLOCK,), fp32)
    for s in range(0, 2):
        v = load(x + i, mask=mask)
        acc = acc + twice(v)
    if n > 4:
        acc = acc / 2
    store(out + i, acc, mask=mask)
END
scaled='tilec run --step scaled.tile x=arange:fp32[6] out=empty:fp32[6] n=6 BLOCK=4 --grid 2'
steps() { printf '%s\n' "$@" >commands; t "$scaled <commands"; }
# The session's own input is /dev/null, so the file is given to the command.
steps step step next next next next step vars 'print acc' 'print BLOCK' 'print x' quit
steps 'break 16' break continue 'p acc[1:3]' 'p acc[2]' 'p acc[2:9]' 'p acc[' 'p b' 'p' continue 'p v' 'p mask' 'p acc' continue
steps 'program 1' 'p out' 's' 'p x[4:6]' 'p x[6:9]' 'program 0' list 'delete 3' 'break 99' 'break 6' 'program 2' 'program x' 'cont' help '' quit
steps 's' '' '' 'break 12' 'c' 'delete 12' 'c'
cat >square.tile <<'END'
@kernel
def square(x, rows, columns):
    r = arange(0, 8)[:, None]
    c = arange(0, 8)[None, :]
    inside = (r < rows) & (c < columns)
    corner = inside & ((r < 1) | (c < 1))
    p = x + r * columns + c
    v = load(p, mask=inside, other=-1.0)
    store(p, v, mask=corner)
END
# A loop: each round, and its end. Expressions: the tile's elements, indices by dimension, 64 bits, mistakes.
steps 'break 11' c c c 'p s' c q
steps 'break 16' c 'p n // BLOCK' 'p acc * 2 - v' 'p acc[1:3] > 1' 'p (i + 4) % 3 == 0' 'p mask & (i < 2)' 'p -i[-1]' 'p n / 4' 'p acc[9] + 1' 'p acc + p' 'p 2 *' 'p (1' 'p x + 1' 'p n // 0' expect q
cat >bytes.tile <<'END'
@kernel
def blend(a, out, n, BLOCK: constexpr):
    i = arange(0, BLOCK)
    v = load(a + i, mask=i < n, other=0)
    scaled = v * v
    store(out + i, scaled, mask=i < n)
END
python3 - <<'END'
import struct
def npy(name, values):
    head = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + bytes(values))
npy("a.npy", [1, 2, 15, 16, 17])
npy("want.npy", [1, 4, 225, 255, 255])
END
t "printf 'n\nn\nn\np v[0:8] * v[3]\nexpect\nn\nexpect\nc\n' | tilec run --step bytes.tile a=@a.npy out=zeros:u8[5] n=5 BLOCK=8 --grid 1 --expect out=@want.npy"
t "printf 'b 9\nc\np v[1,0:3]\np v[0:2, 1]\np v[1]\np v[8,0]\np v[0,\np r * c\nq\n' | tilec run --step square.tile x=arange:fp32[3,5] rows=3 columns=5 --grid 1 | grep -A9 'step.*p '"
t "$scaled"
t 'printf "c\np i[2:6]\np x\nprogram 0\nc\nc\n" | tilec run --step add.tile x=ones:fp32[99] y=ones:fp32[100] out=empty:fp32[100] n=100 -D BLOCK=64'
cat >total.tile <<'END'
@kernel
def total(x, out):
    part = sum(load(x + program_id(0) * 8 + arange(0, 8)), axis=0)
    device_print("part", part)
    store(out, load(out) + part)
END
t 'printf "c\np part\nc\nc\n" | tilec run --step total.tile x=ones:fp32[16] out=zeros:fp32[1] --grid 2'
t 'printf "b 9\nc\np p[13:20]\np v\np x\nc\n" | tilec run --step square.tile x=arange:fp32[3,5] rows=3 columns=5 --grid 1 --print "x[0:5]"'
t 'tilec run --step --check add.tile'
t 'tilec run --step --device sim add.tile'
t 'tilec check --step add.tile x=ones:fp32[9] y=ones:fp32[9] out=empty:fp32[9] n=9'
t 'tilec run --step - x=ones:fp32[9]'
