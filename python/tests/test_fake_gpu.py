# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on a GPU: how arrays, devices and streams are found, with a driver that is the simulator."""

import os
import sys
import tempfile
import types
import unittest

import tilec
import fake_gpu
import own_triton
from fake_gpu import ByFunctions, ByInterface, ByMethods
from kernels import add, beyond, floats, scale

EVERY_WAY = (ByMethods, ByInterface, ByFunctions)


@unittest.skipUnless(fake_gpu.available, "the driver of tests/gpu is not there")
class Gpu(unittest.TestCase):
    def tearDown(self):
        fake_gpu.current["stream"] = 0
        sys.modules.pop("torch", None) if isinstance(sys.modules.get("torch"), types.SimpleNamespace) else None
        tilec.set_device(None)
        tilec.set_check(False)

    def test_every_way(self):
        for kind in (*EVERY_WAY, fake_gpu.ByNewerFunctions, fake_gpu.WithoutFunctions, fake_gpu.ByCapsule):
            x, out = kind(range(100)), kind([0] * 100)
            handle = add[(7,)](x, x, out, 100, BLOCK=16)
            self.assertEqual(out.values(), [2.0 * i for i in range(100)], kind.__name__)
            self.assertIn("on cuda:0", repr(handle))
            self.assertIn(".entry add", handle.asm["ptx"])

    def test_other_types(self):
        for kind in (ByMethods, ByFunctions):
            x = kind(range(16), "int32")
            scale[1](x, 3, 16)
            self.assertEqual(x.values(), [3 * i for i in range(16)])
        with self.assertRaises(TypeError):
            x = ByMethods(range(16))
            x.dtype = "complex64"
            scale[1](x, 3, 16)

    def test_streams(self):
        stream = fake_gpu.stream()
        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(
            is_available=lambda: True, current_device=lambda: 0,
            current_stream=lambda number: types.SimpleNamespace(cuda_stream=fake_gpu.current["stream"])))
        for kind in EVERY_WAY:
            if kind is not ByFunctions:
                sys.modules["torch"] = torch
            x = kind([1] * 16)
            scale[1](x, 2, 16)  # compiled outside of the capture
            fake_gpu.current["stream"] = stream
            with fake_gpu.capturing(stream) as graph:
                scale[1](x, 2, 16)
                scale[1](x, 2, 16)
            fake_gpu.current["stream"] = 0
            self.assertEqual(x.values(), [2] * 16, "what is captured does not run yet")
            graph.launch()
            self.assertEqual(x.values(), [8] * 16)
            graph.launch()
            self.assertEqual(x.values(), [32] * 16)

    def test_capsules_are_for_the_stream(self):
        x = fake_gpu.ByCapsule([1] * 16)
        scale[1](x, 2, 16)
        self.assertEqual(x.asked[-1], 1)
        self.assertEqual(x.values(), [2] * 16)

    def test_many_streams(self):
        x = ByFunctions([1] * 16)
        streams = [fake_gpu.stream() for _ in range(40)]
        for stream in streams + streams[::-1]:
            fake_gpu.current["stream"] = stream
            scale[1](x, 1, 16)
        self.assertEqual(x.values(), [1] * 16)

    def test_host_arrays_are_refused(self):
        x = ByFunctions([1] * 16)
        with self.assertRaisesRegex(tilec.ArgumentError, "'y' is in the host's memory, and the launch is on cuda:0"):
            add[1](x, floats([1] * 16), x, 16, 16)
        tilec.set_device("cuda")
        with self.assertRaisesRegex(tilec.ArgumentError, "'x' is in the host's memory"):
            scale[1](floats([1] * 16), 2, 16)

    def test_what_cannot_be_copied_to_the_simulator(self):
        x = ByFunctions([1] * 16)
        tilec.set_device("sim")
        with self.assertRaisesRegex(tilec.ArgumentError, "cannot be copied"):
            scale[1](x, 2, 16)
        tilec.set_device(None)
        tilec.set_check(True)
        with self.assertRaisesRegex(tilec.ArgumentError, "cannot be copied"):
            scale[1](x, 2, 16)

    def test_no_such_gpu(self):
        x = ByMethods([1] * 16)
        x.get_device = lambda: 5
        with self.assertRaises(tilec.DeviceError):
            scale[1](x, 2, 16)

    def test_fork(self):
        x = ByFunctions([1] * 16)
        scale[1](x, 2, 16)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                y = floats([1] * 16)
                scale[1](y, 2, 16)
                try:
                    scale[1](x, 2, 16)
                except tilec.DeviceError as error:
                    status = 0 if "forked" in str(error) and list(y) == [2] * 16 else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        scale[1](x, 2, 16)
        self.assertEqual(x.values(), [4] * 16)

    def test_synchronize_and_warmup(self):
        x = ByInterface([1] * 16)
        handle = scale.warmup(x, 2, 16)
        self.assertEqual(x.values(), [1] * 16)
        self.assertEqual(handle.metadata.num_warps, 4)
        scale[1](x, 2, 16)
        tilec.synchronize()
        tilec.device("cuda").synchronize()

    def test_wrong_kernels(self):
        x = ByFunctions([0] * 8)
        with self.assertRaises(tilec.TilecError):
            beyond[1](x, 8, 16)
            tilec.synchronize()

    def test_programs_without_triton(self):
        """Assertions are compiled where Triton compiles them, and the driver is the GPU's."""
        with tempfile.TemporaryDirectory() as folder:
            result = own_triton.run(folder, "-m", "tilec", "program.py", environment={"TILEC_DEVICE": "cuda"}, text="""
                import triton, triton.language as tl
                @triton.jit
                def asserts(n):
                    tl.device_assert(n > 3, "small")
                print(*("assertfail" in asserts.warmup(5, debug=debug).asm["ptx"] for debug in (False, True)))
                print(triton.runtime.driver.active.get_current_target().backend, triton.runtime.driver.active.on_gpu)
            """)
        self.assertEqual(result.stdout, "False True\ncuda True\n", result.stderr)


if __name__ == "__main__":
    unittest.main()
