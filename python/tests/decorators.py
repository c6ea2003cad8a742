# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jit objects that have a function, and nothing that launches it."""


class JITFunction:
    def __init__(self, fn, **options):
        self.fn = fn
        self.__dict__.update(options)


class ConstexprFunction(JITFunction):
    pass


JITFunction.__module__ = ConstexprFunction.__module__ = "tilec.tests"


def jit(fn=None, **options):
    return JITFunction(fn, **options) if fn else lambda f: JITFunction(f, **options)


def constexpr_function(fn):
    return ConstexprFunction(fn)
