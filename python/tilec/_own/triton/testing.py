# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.testing: measurements, tables of them, and comparisons."""

from __future__ import annotations

import contextlib
import importlib
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import tilec
from tilec._autotune import bench_once
from tilec._own import getattr_of

from .runtime import driver

__all__ = ["Benchmark", "Mark", "assert_close", "do_bench", "do_bench_cudagraph", "perf_report"]
__getattr__ = getattr_of(__name__)


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Optional[Sequence[Any]] = None,
    quantiles: Optional[Sequence[float]] = None,
    return_mode: str = "mean",
) -> Any:
    """Measures a call in milliseconds, as `tilec.do_bench`. On the simulator it calls once, and returns the time of the simulation.

    Args:
        fn: called without arguments.
        warmup, rep: milliseconds of calls before the measurement, and of those that are measured.
        grad_to_none: tensors whose `grad` is set to None before each call.
        quantiles, return_mode: what is returned, as for `tilec.do_bench`.

    Returns milliseconds: a number, or a list.

    Example::

        import warnings
        import tilec.triton
        from triton.testing import do_bench

        warnings.simplefilter("ignore", tilec.TilecWarning)  # it says that the simulator measures no time
        median = do_bench(lambda: add[grid](x, y, out, 1000, BLOCK=256), warmup=1, rep=1, return_mode="median")
        print(median > 0)  # True
    """

    if not driver.active.on_gpu:
        return bench_once(fn, grad_to_none, quantiles, return_mode)

    def call() -> None:
        for each in grad_to_none or ():
            each.grad = None
        fn()

    return tilec.do_bench(call, warmup, rep, quantiles, return_mode)


def do_bench_cudagraph(
    fn: Callable[[], Any], rep: float = 20, grad_to_none: Optional[Sequence[Any]] = None, quantiles: Optional[Sequence[float]] = None, return_mode: str = "mean"
) -> Any:
    """Measures a call that a CUDA graph replays, in milliseconds. On the simulator it is `do_bench`. On a GPU it needs PyTorch.

    Args:
        fn, rep, grad_to_none, quantiles, return_mode: as for `do_bench`.

    Returns milliseconds: a number, or a list.

    Example::

        import warnings
        import tilec.triton
        from triton.testing import do_bench_cudagraph

        warnings.simplefilter("ignore", tilec.TilecWarning)  # it says that the simulator measures no time
        times = do_bench_cudagraph(lambda: add[grid](x, y, out, 1000, BLOCK=256), rep=1, quantiles=[0.2, 0.8])
        print(len(times), out[999])  # 2 2.0
    """
    if not driver.active.on_gpu:
        return do_bench(fn, 0, rep, grad_to_none, quantiles, return_mode)
    torch = importlib.import_module("torch")
    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        for each in grad_to_none or ():
            each.detach_()
            each.requires_grad_(True)
            each.grad = None
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            fn()
        return tilec.do_bench(graph.replay, rep / 4, rep, quantiles, return_mode)


def _on_host(value: Any) -> Any:
    value = value.detach() if hasattr(value, "detach") else value
    value = value.float() if str(getattr(value, "dtype", "")) == "torch.bfloat16" else value
    return value.cpu().numpy() if hasattr(value, "cpu") else value


def assert_close(x: Any, y: Any, atol: Union[float, Callable[[Any], float], None] = None, rtol: Union[float, Callable[[Any], float], None] = None, err_msg: str = "") -> None:
    """Raises an AssertionError if the values differ by more than `atol + rtol * abs(y)`.

    Args:
        x, y: arrays or numbers.
        atol, rtol: numbers, or functions of y's dtype; 0.01 and 0.
        err_msg: put before the message.

    Errors: AssertionError. It needs NumPy.

    Example::

        import tilec.triton
        from triton.testing import assert_close

        assert_close(x, y, rtol=1e-6)
    """
    numpy = importlib.import_module("numpy")
    dtype = getattr(y, "dtype", None)
    atol = 1e-2 if atol is None else atol(dtype) if callable(atol) else atol
    rtol = 0.0 if rtol is None else rtol(dtype) if callable(rtol) else rtol
    numpy.testing.assert_allclose(_on_host(x), _on_host(y), atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)


class Benchmark:
    """Describes what a report measures: a function at values of one argument, with one column for each value of another.

    Args:
        x_names: arguments that vary along the rows.
        x_vals: their values, one or a tuple for each row.
        line_arg: the argument that varies over the columns.
        line_vals, line_names: its values, and the heads of the columns.
        plot_name: the title, and the files' name.
        args: further arguments by name.
        xlabel, ylabel, x_log, y_log, styles: of the plot.

    Example::

        import tilec.triton
        from triton.testing import Benchmark, perf_report

        rows = Benchmark(["n"], [10, 100], "kind", ["sum", "max"], ["Sum", "Largest"], "numbers", {})
        measured = perf_report(rows)(lambda n, kind: float({"sum": sum, "max": max}[kind](range(n))))
        measured.run(print_data=True)
        # numbers:
        #      n          Sum    Largest
        # 0   10    45.000000   9.000000
        # 1  100  4950.000000  99.000000
    """

    def __init__(
        self,
        x_names: List[str],
        x_vals: List[Any],
        line_arg: str,
        line_vals: List[Any],
        line_names: List[str],
        plot_name: str,
        args: Dict[str, Any],
        xlabel: str = "",
        ylabel: str = "",
        x_log: bool = False,
        y_log: bool = False,
        styles: Any = None,
    ):
        self.x_names, self.x_vals, self.line_arg, self.line_vals, self.line_names = x_names, x_vals, line_arg, line_vals, line_names
        self.plot_name, self.args, self.xlabel, self.ylabel = plot_name, args, xlabel, ylabel
        self.x_log, self.y_log, self.styles = x_log, y_log, styles


class Mark:
    """A function with the reports that are made of it; `perf_report` makes it."""

    def __init__(self, fn: Callable[..., Any], benchmarks: Union[Benchmark, List[Benchmark]]):
        self.fn, self.benchmarks = fn, benchmarks

    def _rows(self, bench: Benchmark, kwargs: Dict[str, Any]) -> List[List[Any]]:
        rows = []
        for x in bench.x_vals:
            given = list(x) if isinstance(x, (list, tuple)) else [x] * len(bench.x_names)
            if len(given) != len(bench.x_names):
                raise ValueError(f"{bench.plot_name}: {x} has not as many values as {bench.x_names}")
            named = dict(zip(bench.x_names, given))
            found = [self.fn(**named, **{bench.line_arg: value}, **bench.args, **kwargs) for value in bench.line_vals]
            rows.append([*given, *(each[0] if isinstance(each, (list, tuple)) else each for each in found)])
        return rows

    def run(self, show_plots: bool = False, print_data: bool = False, save_path: str = "", return_df: bool = False, **kwargs: Any) -> Any:
        """Measures, and prints, plots or keeps what was measured.

        Args:
            show_plots: True shows a plot; needs Matplotlib.
            print_data: True prints a table.
            save_path: a folder for a table (.csv) and, with Matplotlib, a plot.
            return_df: True returns a data frame of Pandas, or a list of them.
        """
        many = isinstance(self.benchmarks, (list, tuple))
        benches: Any = self.benchmarks if many else [self.benchmarks]
        frames = []
        for bench in benches:
            rows, heads = self._rows(bench, kwargs), [*bench.x_names, *bench.line_names]
            if print_data:
                print(f"{bench.plot_name}:\n{_table(heads, rows)}")
            if save_path:
                os.makedirs(save_path, exist_ok=True)
                with open(os.path.join(save_path, f"{bench.plot_name}.csv"), "w", encoding="utf-8") as file:
                    file.writelines(",".join(map(str, row)) + "\n" for row in [heads, *rows])
            if bench.plot_name and (show_plots or save_path):
                _plot(bench, rows, show_plots, save_path)
            if return_df:
                frames.append(importlib.import_module("pandas").DataFrame(rows, columns=heads))
        return (frames if many else frames[0]) if return_df else None


def _table(heads: List[str], rows: List[List[Any]]) -> str:
    cells = [["", *heads], *([str(i), *(f"{cell:.6f}" if isinstance(cell, float) else str(cell) for cell in row)] for i, row in enumerate(rows))]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads) + 1)]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells)


def _plot(bench: Benchmark, rows: List[List[Any]], show: bool, folder: str) -> None:
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ModuleNotFoundError:
        if show:
            raise
        return
    pyplot.figure()
    for i, name in enumerate(bench.line_names):
        style = dict(zip(("color", "ls"), bench.styles[i])) if bench.styles else {}
        pyplot.plot([row[0] for row in rows], [row[len(bench.x_names) + i] for row in rows], label=name, **style)
    pyplot.legend()
    pyplot.xlabel(bench.xlabel or bench.x_names[0])
    pyplot.ylabel(bench.ylabel)
    pyplot.xscale("log" if bench.x_log else "linear")
    pyplot.yscale("log" if bench.y_log else "linear")
    if folder:
        pyplot.savefig(os.path.join(folder, f"{bench.plot_name}.png"))
    if show:
        pyplot.show()


def perf_report(benchmarks: Union[Benchmark, List[Benchmark]]) -> Callable[[Callable[..., Any]], Mark]:
    """Decorates a function that measures, so that `.run()` makes reports of it.

    Args:
        benchmarks: a Benchmark, or a list of them.

    Returns a decorator. The result has `run(show_plots=False, print_data=False, save_path="", return_df=False)`. `save_path` is a
    folder for tables (.csv) and, with Matplotlib, plots; `return_df` returns data frames of Pandas.

    Example::

        import tilec.triton
        from triton.testing import Benchmark, perf_report

        @perf_report(Benchmark(["n"], [10, 100], "kind", ["sum"], ["Sum"], "sums", {}))
        def measured(n, kind):
            return float(sum(range(n)))

        measured.run(print_data=True)
        # sums:
        #      n          Sum
        # 0   10    45.000000
        # 1  100  4950.000000
    """
    return lambda fn: Mark(fn, benchmarks)


@contextlib.contextmanager
def cuda_graph_without_gc(*args: Any, **kwargs: Any) -> Any:
    """`torch.cuda.graph` without garbage collection meanwhile."""
    gc = importlib.import_module("gc")
    was_on = gc.isenabled()
    gc.disable()
    try:
        with importlib.import_module("torch").cuda.graph(*args, **kwargs):
            yield
    finally:
        if was_on:
            gc.enable()
