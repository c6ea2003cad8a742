# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the tables: types and legality by Triton 3.6's frontend, values by running Triton's PTX on the simulator.
#
#   make_table.py LIBTILEC.SO [FILE...]      the README says how
#
# Rows that a file has are kept as they are. Without the file all are made.
import importlib.util
import multiprocessing
import os
import re
import struct
import sys
import tempfile
import warnings

import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend
from triton.compiler import ASTSource, code_generator
from triton.compiler.code_generator import CodeGenerator
from triton.compiler.compiler import make_backend
from triton.runtime.cache import triton_key

import inputs
import kernels
import sections

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = GPUTarget("cuda", 90, 32)
OPTIONS = {"num_warps": 1}
CHUNK = 60
SHORT = {long: short for short, long in inputs.LONG.items()}
SHORT.update({"fp8e4nv": "fp8e4nv", "fp8e5": "fp8e5", "fp16": "fp16", "bf16": "bf16", "fp32": "fp32", "fp64": "fp64"})
SCALARS = {"n32": "i32", "n64": "i64", "f32": "fp32", "const": "*ki32", "one": "constexpr"}
CONSTANTS = {"one": 1} # as an argument that is 1


def signature():
    pointers = {f"{p}_{t}": f"*{t}" for p in "xyz" for t in inputs.TYPES}
    return {**pointers, **SCALARS}


# The jit function of a kernel's text.
def function(text, folder):
    path = os.path.join(folder, "table_kernel.py")
    with open(path, "w") as out:
        out.write("import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n")
        out.write(open(os.path.join(HERE, "helpers.py")).read() + "\n\n" + text)
    spec = importlib.util.spec_from_file_location("table_kernel", path)
    module = importlib.util.module_from_spec(spec)
    import linecache
    linecache.clearcache()
    spec.loader.exec_module(module)
    return module.k


# The frontend's result for each tN: a type, or nothing if it refuses that line or an earlier statement of the
# row.
class Watch:
    def __init__(self):
        self.found, self.failed = {}, False
        self.assign, self.statement = CodeGenerator.visit_Assign, CodeGenerator.visit_Expr

    def attempt(self, generator, visit, node):
        point = generator._get_insertion_point_and_loc()
        try:
            visit(generator, node)
        except Exception:
            self.failed = True
            generator._set_insertion_point_and_loc(*point)

    def visit_assign(self, generator, node):
        target = node.targets[0] if hasattr(node, "targets") else node.target # an annotated one
        name = getattr(target, "id", "")
        if not re.fullmatch(r"t\d+", name):
            return self.assign(generator, node)
        if not self.failed:
            self.attempt(generator, self.assign, node)
        if not self.failed:
            self.found[int(name[1:])] = result_type(generator.lscope[name])
        self.failed = False

    def visit_statement(self, generator, node):
        if generator.function_name != "k":
            return self.statement(generator, node)
        self.attempt(generator, self.statement, node)

    def __enter__(self):
        CodeGenerator.visit_Assign = lambda generator, node: self.visit_assign(generator, node)
        CodeGenerator.visit_Expr = lambda generator, node: self.visit_statement(generator, node)
        return self

    def __exit__(self, *error):
        CodeGenerator.visit_Assign, CodeGenerator.visit_Expr = self.assign, self.statement


def frontend(fn):
    backend = make_backend(TARGET)
    options = backend.parse_options(OPTIONS)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    with Watch() as watch:
        try:
            ASTSource(fn, signature(), CONSTANTS, {}).make_ir(TARGET, options, backend.get_codegen_implementation(options),
                                                       backend.get_module_map(), context)
        except RuntimeError as error:
            if "during parsing" not in str(error):
                raise
    return watch.found


def result_type(value):
    if isinstance(value, tl.constexpr):
        return (f"constexpr {type(value.value).__name__} {value.value}", ())
    kind, shape = value.type.scalar, tuple(int(n) for n in value.shape) if value.type.is_block() else ()
    if kind.is_ptr():
        return ("pointer", shape)
    return SHORT[str(kind)], shape


def chunk_text(rows, indices, results=None):
    lines = [kernels.row_line(rows[i], i) for i in indices]
    text, offsets, end = kernels.head(lines), {}, {t: 0 for t in inputs.TYPES}
    for i, line in zip(indices, lines):
        text += line
        if results:
            kind, shape = results[i]
            offsets[i] = end[kind]
            text += kernels.store_line(i, kind, shape, end[kind])
            end[kind] += numel(shape)
    if not results:
        text += "    tl.store(y_i32, 1)\n"
    return text, offsets, end


def numel(shape):
    size = 1
    for n in shape:
        size *= n
    return size


def be_silent():
    sys.stdout = sys.stderr = open(os.devnull, "w")
    os.dup2(sys.stdout.fileno(), 1)
    os.dup2(sys.stdout.fileno(), 2)


def frontend_in_child(text, pipe):
    be_silent()
    with tempfile.TemporaryDirectory() as folder:
        pipe.send(frontend(function(text, folder)))


# The results of rows that are accepted; a row at which the frontend aborts is none.
def accepted(rows, indices):
    text, _, _ = chunk_text(rows, indices)
    found = in_child(frontend_in_child, text)
    if found is None and len(indices) > 1:
        half = len(indices) // 2
        found = {**accepted(rows, indices[:half]), **accepted(rows, indices[half:])}
    return found or {}


# --- Values ---

# PTX, and the memory that it asks for; nothing where Triton cannot compile.
def compile_ptx(text, pipe):
    be_silent()
    with tempfile.TemporaryDirectory() as folder:
        fn = function(text, folder)
        CUDABackend.make_cubin = lambda *_: b"" # no ptxas
        compiled = triton.compile(ASTSource(fn, signature(), CONSTANTS, {}), target=TARGET, options=OPTIONS)
        meta = compiled.metadata
        pipe.send((compiled.asm["ptx"], meta.shared, meta.global_scratch_size))


# Runs `work` in its own process, since LLVM may abort. Returns what it sends, or None.
def in_child(work, *arguments):
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.Process(target=work, args=(*arguments, theirs))
    child.start()
    theirs.close()
    try:
        made = ours.recv()
    except EOFError:
        made = None
    child.join()
    return made


class Machine:
    def __init__(self, library):
        sys.path.insert(0, os.path.join(HERE, "../gpu-optional/triton"))
        import numpy
        import simulator
        self.numpy, self.simulator = numpy, simulator
        self.library = simulator.open_library(library)

    # The bytes of each type's output.
    def run(self, ptx, shared, scratch, ends, rows):
        sim = self.simulator.Simulator(self.library, "late", 0)
        kernel, sizes = sim.load(ptx)
        outputs, params = {}, []
        for name, kind in signature().items():
            if kind.startswith("*") and name != "const":
                params.append(struct.pack("<Q", self.bind(sim, name[0], kind[1:], ends, rows, outputs)))
        params += [struct.pack("<i", 100), struct.pack("<q", 1 << 33), struct.pack("<f", 0.3)]
        params.append(struct.pack("<Q", self.bind(sim, "x", "i32", ends, rows, outputs)))
        params += [struct.pack("<Q", sim.alloc(scratch) if scratch else 0), struct.pack("<Q", 0)]
        assert [len(p) for p in params] == sizes, sizes
        reports = sim.launch(kernel, (1, 1, 1), 32, shared, params)
        sim.close()
        return None if reports else {t: a.tobytes() for t, a in outputs.items()}

    def bind(self, sim, name, kind, ends, rows, outputs):
        memory = inputs.memory(kind)
        if name == "y":
            memory = b"\0" * (inputs.bytes_of(kind) * max(ends[kind], 1))
        if name == "z":
            memory = own_memory(kind) * rows
        array = self.numpy.frombuffer(memory, dtype=self.numpy.uint8).copy()
        if name == "y":
            outputs[kind] = array
        return sim.bind(array)


# The initial contents of a row's own memory: set b twice.
def own_memory(kind):
    size = inputs.bytes_of(kind)
    return b"".join(bits.to_bytes(size, "little") for bits in inputs.elements("b", kind)) * 2


# Fills values[i] of the indices; halves a part that cannot be compiled until one row is left.
def evaluate(machine, rows, results, indices, values):
    text, offsets, end = chunk_text(rows, indices, results)
    made = in_child(compile_ptx, text)
    outputs = machine.run(*made, end, len(rows)) if made else None
    if outputs:
        for i in indices:
            kind, shape = results[i]
            size = inputs.bytes_of(kind)
            data = outputs[kind][offsets[i] * size:(offsets[i] + numel(shape)) * size]
            values[i] = [int.from_bytes(data[j:j + size], "little") for j in range(0, len(data), size)]
    elif len(indices) > 1:
        # Most rows that Triton cannot compile have fp8.
        apart = [i for i in indices if "fp8" in "".join(rows[i].types)]
        if not 0 < len(apart) < len(indices):
            apart = indices[:len(indices) // 2]
        evaluate(machine, rows, results, [i for i in indices if i not in apart], values)
        evaluate(machine, rows, results, apart, values)
    elif made:
        print("the simulator reports", rows[indices[0]], file=sys.stderr)


def show(kind, values):
    if kind == "i1":
        return "".join(str(v) for v in values)
    if inputs.TYPES[kind][1] == "f":
        values = [quiet(kind, v) for v in values]
    return " ".join(f"{v:x}" for v in values)


# All NaNs are one.
def quiet(kind, bits):
    sign = 1 << (inputs.TYPES[kind][0] - 1)
    infinity = inputs.special_floats(kind)["inf"]
    return inputs.special_floats(kind)["nan"] if bits & (sign - 1) > infinity else bits


# Sections with the same rows have them once.
def file_text(made, rows, known, results, values):
    heads, first = {}, 0
    for section in made:
        indices = [i for i in range(first, first + len(section.types)) if rows[i] in known or i in values]
        if indices:
            head, lines = section_text(section, indices, rows, known, results, values)
            heads.setdefault(tuple(lines), []).append(head)
        first += len(section.types)
    return "".join(line + "\n" for lines, alike in heads.items() for line in (*alike, *lines))


# Makes the rows that the file has not; it is written after each chunk, so that one who stops loses little.
def make_file(machine, name):
    made, known = list(sections.FILES[name]()), known_rows(name)
    rows = [kernels.Row(section.expression, types) for section in made for types in section.types]
    missing = [i for i, row in enumerate(rows) if row not in known]
    results, values = {}, {}
    for start in range(0, max(len(missing), 1), CHUNK):
        print(name, start, len(missing), file=sys.stderr, flush=True)
        indices = missing[start:start + CHUNK]
        values.update(dict.fromkeys(indices))
        found = accepted(rows, indices)
        results.update(found)
        stored = [i for i in found if found[i][0] in inputs.TYPES]
        if stored:
            evaluate(machine, rows, results, stored, values)
        with open(os.path.join(HERE, name + ".txt"), "w") as out:
            out.write(file_text(made, rows, known, results, values))


# The rows that a file has: their text and their section's shape.
def known_rows(name):
    path, known, heads, rows = os.path.join(HERE, name + ".txt"), {}, [], True
    for line in open(path) if os.path.exists(path) else []:
        line = line.rstrip("\n")
        if line.startswith("== "):
            heads = [*([] if rows else heads), line[3:].partition(" ~")[0].partition(" : ")]
            rows = False
            continue
        rows = True
        for row in line.split(" | "):
            types, result = row.split(": ", 1) if not row.startswith(": ") else ("", row[2:])
            for expression, _, shape in heads:
                known.update((kernels.Row(expression, tuple(one.split())), (result, shape)) for one in types.split(", "))
    return known


# Rows with the same result as one: "i8, i16: fp32 0". Those that Triton refuses come last, in pieces of a line.
def joined(rows):
    types = {}
    for kinds, result in sorted(rows, key=lambda row: row[1] == "refused"):
        types.setdefault(result, []).append(kinds)
    for result, kinds in types.items():
        while kinds:
            n = next((n for n in range(1, len(kinds)) if result == "refused" and len(", ".join(kinds[: n + 1])) > 149), len(kinds))
            yield f"{', '.join(kinds[:n])}: {result}"
            kinds = kinds[n:]


# Lines of several rows, of at most 160 columns where a row fits: the rows of 64-bit types fill them.
def packed(rows):
    lines = []
    for row in rows:
        if lines and len(lines[-1]) + len(" | ") + len(row) <= 160:
            lines[-1] += " | " + row
        else:
            lines.append(row)
    return lines


def section_text(section, indices, rows, known, results, values):
    shapes = {"x".join(map(str, results[i][1])) for i in indices if i in results}
    shapes |= {known[rows[i]][1] for i in indices if rows[i] in known and known[rows[i]][0] != "refused"}
    assert len(shapes) <= 1, (section.expression, shapes)
    shape = shapes.pop() if shapes else ""
    head = f"== {section.expression}" + (f" : {shape}" if shape else "") + (f" ~{section.ulp}" if section.ulp else "")
    found = []
    for i in indices:
        made = rows[i] in known
        result = known[rows[i]][0] if made else result_text(section, rows[i].types, results.get(i), values.get(i))
        found.append((" ".join(rows[i].types), result))
    return head, packed(joined(found))


def result_text(section, types, result, values):
    if result is None:
        return "refused"
    if sections.undefined(section.expression, types, result[0]):
        return f"{result[0]} undefined"
    if values is None:
        return f"{result[0]} -"
    return f"{result[0]} {show(result[0], values) if section.values else 'unkept'}"


def inputs_text():
    lines = []
    for which in inputs.SETS:
        for kind in inputs.TYPES:
            size = 2 * inputs.bytes_of(kind)
            lines.append(f"{which} {kind}: " + " ".join(f"{v:0{size}x}" for v in inputs.elements(which, kind)))
    return "\n".join(lines) + "\n"


def main():
    warnings.simplefilter("ignore")
    code_generator.print = lambda *_: None # it prints whole modules
    triton_key() # hashes the whole installation: here, once, and not in each child
    machine = Machine(sys.argv[1])
    names = sys.argv[2:] or list(sections.FILES)
    with open(os.path.join(HERE, "inputs.txt"), "w") as out:
        out.write(inputs_text())
    for name in names:
        make_file(machine, name)


if __name__ == "__main__":
    main()
