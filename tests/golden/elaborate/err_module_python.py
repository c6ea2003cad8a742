# Questions that Python's functions and importlib cannot answer here.
import importlib
import importlib.metadata
import importlib.util
import math
import triton
import triton.language as tl

A = float.fromhex("0x1q")
B = float.fromhex(1)
C = int("12", 1)
D = int(3, 10)
E = [1, 2].index(3)
F = zip(1, 2)
G = importlib.util.module_from_spec(3)
H = importlib.import_module("no_such_library")
I = importlib.metadata.version("torch")
J = sorted(3)
K = math.gcd(1.5, 2)
L = math.factorial(40)
M = importlib.import_module(3)
N = setattr(3, "x", 1)
O = sorted([1, "a"])
for i in range(3):
    P = i + not_known
tl.broken = not_known(1)


@triton.jit
def kernel(x):
    tl.store(x, A + B + C + D + E + F)
    tl.store(x, G(x) + H(x) + I + J + K + L)
    tl.store(x, M(x) + N + O + P + tl.broken(1))
