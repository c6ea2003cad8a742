import itertools
import triton
import triton.language as tl


def keep(config):
    return config.kwargs["BLOCK"] // config.num_warps >= config.kwargs.get("LEAST", 32) and config.num_stages == 3


def make_configs(most, *more, **limits):
    configs = []
    for block in [16, 32, 64, 128]:
        for warps in (4, 8):
            if block > most:
                continue
            base = dict(BLOCK=block)
            configs.append(triton.Config({**base, "SIDE": limits["side"]}, num_warps=warps))
    configs.extend([triton.Config({"BLOCK": b, "SIDE": s}) for b, s in itertools.product(more, [1, 2])])
    return configs


@triton.autotune(configs=list(filter(keep, make_configs(128, 256, 512, side=7) + [])), key=["n"])
@triton.jit
def k(p, BLOCK: tl.constexpr, SIDE: tl.constexpr):
    tl.store(p, BLOCK * 100 + SIDE)
