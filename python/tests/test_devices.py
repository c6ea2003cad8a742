# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices: which one is chosen, other processes, the evaluator."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
import unittest

import tilec
from kernels import add, floats, scale


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def launch_in_child(i):
    x = floats([i] * 16)
    scale[1](x, 2, 16)
    return x[3]


class Devices(unittest.TestCase):
    def tearDown(self):
        tilec.set_device(None)

    def test_arrays_in_host_memory_go_to_the_simulator(self):
        handle = scale[1](floats([1] * 16), 2, 16)
        self.assertEqual(repr(handle), "<tilec.CompiledKernel scale on sim>")

    def test_the_evaluator(self):
        x = floats(range(16))
        tilec.set_device("eval")
        handle = scale[1](x, 2, 16)
        self.assertEqual(list(x), [2 * i for i in range(16)])
        self.assertIn("on eval", repr(handle))
        tilec.set_device(None)
        self.assertIn("on sim", repr(scale[1](x, 2, 16)))

    def test_by_the_environment(self):
        script = (
            "import sys; sys.path.insert(0, sys.argv[1]); from kernels import scale, floats\n"
            "import tilec; print(repr(scale[1](floats([1] * 16), 2, 16)), tilec.get_device())"
        )
        env = dict(os.environ, TILEC_DEVICE="eval")
        out = subprocess.run([sys.executable, "-c", script, os.path.dirname(__file__)], env=env, capture_output=True, text=True, check=True)
        self.assertEqual(out.stdout.strip(), "<tilec.CompiledKernel scale on eval> eval")

    def test_by_name(self):
        sim = tilec.device("sim")
        self.assertEqual(sim.name, "sim")
        self.assertTrue(sim.arch.startswith("sm_"))
        self.assertIs(tilec.device("sim"), sim)
        sim.synchronize()
        tilec.synchronize()

    def test_an_interrupt_ends_a_simulation(self):
        script = (
            "import signal, sys; sys.path.insert(0, sys.argv[1]); from kernels import endless, ints\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored where tests run with nohup or &
            "print('begins', flush=True)\n"
            "try: endless[1](ints([0] * 32), 0)\n"
            "except KeyboardInterrupt: print('interrupted')\n"
        )
        child = subprocess.Popen([sys.executable, "-c", script, os.path.dirname(__file__)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), "begins\n")
        used = processor_seconds(child.pid)
        while child.poll() is None and processor_seconds(child.pid) < used + 0.5:  # into the launch, however busy the machine is
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=600)[0], "interrupted\n")

    def test_fork(self):
        x = floats([1] * 16)
        scale[1](x, 2, 16)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                scale[1](x, 2, 16)
                add[1](x, x, x, 16, 16)
                status = 0 if list(x) == [8] * 16 else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        scale[1](x, 2, 16)
        self.assertEqual(list(x), [4] * 16)

    def test_processes(self):
        with multiprocessing.get_context("fork").Pool(2) as pool:  # whose processes end as Python does
            self.assertEqual(pool.map(launch_in_child, range(6)), [2.0 * i for i in range(6)])


if __name__ == "__main__":
    unittest.main()
