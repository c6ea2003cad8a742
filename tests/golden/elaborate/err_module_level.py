# Errors of the module level, and module-level names that a kernel cannot use.
import math
import torch
import triton
import triton.language as tl


def endless(n):
    while n > 0:
        n += 1
    return n


def asks():
    while torch.version:
        return 1
    return 2


def imports():
    import no_such_library
    return 3


def unlucky():
    raise ValueError("no")


def joins(parts):
    return ",".join(parts)


def plain(x):
    return x + 1


A = math.sqrt(-1.0)
B = math.sqrt("four")
C = math.log2(1, 2)
D = torch.finfo(torch.int32).max
E = endless(1)
F = "a{:d}".format(1)
G = joins((1, 2))
H = "abc".replace("", "x")
I = "abc".title()
J = triton.jit(3)
K = imports()
L = unlucky()
M = asks()
N = sum(1)
class Empty: pass
O = Empty.x
alias = plain


@triton.jit
def kernel(x):
    tl.store(x, A + B + C + D + E + F + G + H + I + J + K + L + M + N + O)
    tl.store(x, plain(1))
    tl.store(x, alias(1))
