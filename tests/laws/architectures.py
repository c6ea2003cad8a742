# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For the group laws: every architecture of the table compiles. ptxas assembles the PTX if it knows the name. The simulator runs it. ptxas takes
exactly the instructions that the table says."""
import re

import cases

PTX = """.version 9.0
.target ARCH
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b16 %h<4>; .reg .b32 %r<10>; .reg .f32 %f<10>; .reg .f64 %g<4>; .reg .b64 %d<4>;
  .shared .align 128 .b8 s[1024];
  ld.param.u64 %d1, [p];
  cvta.to.global.u64 %d2, %d1;
  mov.u32 %r1, s;
  ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d2];
  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d2+16];
  ld.global.f64 %g1, [%d2+32];
  ld.global.b16 %h1, [%d2+40];
  TEXT
  ret;
}
"""
SUMS = "{%f5,%f6,%f7,%f8}, {%r2,%r3}, {%r4}, {%f1,%f2,%f3,%f4}; st.global.f32 [%d2], %f5;"
# (column, word, text): in the rows whose cell has the word ('': is not "-"), and in no other, ptxas takes the text
INSTRUCTIONS = [
    ("mma.sync", "fp16", f"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {SUMS}"),
    ("mma.sync", "bf16", f"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {SUMS}"),
    ("mma.sync", "tf32", f"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {SUMS}"),
    ("mma.sync", "fp8", f"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 {SUMS}"),
    ("mma.sync", "int8", "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r6,%r7,%r8,%r9}, {%r2,%r3}, {%r4}, {%r2,%r3,%r4,%r5}; st.global.b32 [%d2], %r6;"),
    ("mma.sync", "fp64", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g2,%g3}, {%g1}, {%g1}, {%g1,%g1}; st.global.f64 [%d2], %g2;"),
    ("wgmma", "", "wgmma.fence.sync.aligned;"),
    ("cp.async", "", "cp.async.cg.shared.global [%r1], [%d2], 16;"),
    ("TMA copies", "", "cp.async.bulk.prefetch.tensor.5d.L2.global [%d1, {%r2, %r3, %r4, %r5, %r2}];"),
    ("cluster", "", "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"),
    ("barriers", "16", "bar.sync 15, 32;"),
    ("barriers", "17", "bar.sync 16, 32;"),
    ("setmaxnreg", "24 to 256", "setmaxnreg.dec.sync.aligned.u32 24; setmaxnreg.inc.sync.aligned.u32 256;"),
    ("setmaxnreg", "more", "setmaxnreg.inc.sync.aligned.u32 264;"),
    ("redux", "", "redux.sync.add.s32 %r6, %r2, -1; st.global.b32 [%d2], %r6;"),
    ("fp8", "", "cvt.rn.satfinite.e4m3x2.f32 %h2, %f1, %f2; st.global.b16 [%d2], %h2;"),
    ("bf16 atomics", "", "atom.global.add.noftz.bf16 %h2, [%d2], %h1; st.global.b16 [%d2], %h2;"),
    ("vector atomics", "", "red.global.add.v4.f32 [%d2], {%f1,%f2,%f3,%f4}; red.global.add.noftz.v4.bf16x2 [%d2], {%r2,%r3,%r4,%r5};"),
    ("cache policy", "", "createpolicy.fractional.L2::evict_first.b64 %d3; ld.global.L2::cache_hint.b32 %r6, [%d2], %d3; st.global.b32 [%d2], %r6;"),
    ("async proxy", "", "fence.proxy.async;"),
    ("overlap", "", "griddepcontrol.wait;"),
]
FILE = "tests/laws/architectures.tile"
SIGNATURE = "a_ptr=*{0}:16,b_ptr=*{0}:16,c_ptr=*fp32:16,K=i32:16"


def known():
    """The names that ptxas knows."""
    return set(re.findall(r"'(sm_[0-9]*a?)'", cases.run(cases.PTXAS, "--help").stdout)) if cases.PTXAS else set()


def table():
    """architecture -> column -> cell, of the first part of the table."""
    rows, names = {}, None
    for line in cases.run(cases.TILEC, "--list-targets").stdout.splitlines():
        cells = re.split("  +", line)
        if names is None and "PTX  " in line:
            names = cells
        elif names and cells[0].startswith("sm_") and cells[0] not in rows:
            rows[cells[0]] = dict(zip(names, cells))
    return rows


def compiled(arch, what, *words):
    ptx = cases.work("k.ptx")
    cases.expect(f"{what} for {arch}: {' '.join(words)}", cases.TILEC, *words, "--arch", arch, "-o", ptx)
    if arch in known():
        cases.expect(f"ptxas, {what} for {arch}: {' '.join(words)}", cases.PTXAS, f"-arch={arch}", "-o", "/dev/null", ptx)


def simulated(arch, kernel, *words):
    cases.expect(f"{kernel} for {arch} on sim: {' '.join(words)}", cases.TILEC, "run", FILE, "--kernel", kernel, "--arch", arch, "--device", "sim", "--check", *words)


def architecture(arch, help_text):
    """Compiled, assembled, and run on the simulator against the evaluator."""
    cases.check(f"help compile names {arch}", re.search(rf"\b{arch}\b", help_text))
    for name in "add", "elu":
        compiled(arch, name, f"tests/acceptance/{name}.tile")
    for kind in "fp16", "bf16", "fp8e4nv", "fp8e5":
        compiled(arch, "product", FILE, "--kernel", "product", "--signature", SIGNATURE.format(kind))
        simulated(arch, "product", f"a_ptr=randn:{kind}[64,96]", f"b_ptr=randn:{kind}[96,64]", "c_ptr=empty:fp32[64,64]", "K=96")
    compiled(arch, "product", FILE, "--kernel", "product", "--signature", SIGNATURE.format("fp32"), "--fp32-dot=tf32")
    simulated(arch, "product", "--fp32-dot=tf32", "a_ptr=randn:fp32[64,96]", "b_ptr=randn:fp32[96,64]", "c_ptr=empty:fp32[64,64]", "K=96")
    large = ["-D", "M=128", "-D", "N=128", "-D", "BLOCK_K=64", "--num-stages", "64"]
    compiled(arch, "product", FILE, "--kernel", "product", "--signature", SIGNATURE.format("fp16"), *large)
    compiled(arch, "atomics", FILE, "--kernel", "atomics", "--signature", "x_ptr=*fp32:16,sum_ptr=*bf16:16,most_ptr=*i32")
    simulated(arch, "atomics", "x_ptr=randn:fp32[512]", "sum_ptr=zeros:bf16[512]", "most_ptr=empty:i32[1]")


def instructions(arch, cells):
    for column, word, text in INSTRUCTIONS:
        cell, ptx = cells.get(column), cases.work("i.ptx")
        if not cell:
            cases.check(f"the table has no column {column}", False)
            continue
        says = word in cell.split(",") if word else cell != "-"
        with open(ptx, "w", encoding="utf-8") as file:
            file.write(PTX.replace("ARCH", arch).replace("TEXT", text))
        done = cases.run(cases.PTXAS, f"-arch={arch}", "-o", "/dev/null", ptx)
        cases.check(f"{column} {word} on {arch}: the table says {says}", says == (done.returncode == 0), done.stdout)


def check(number, of):
    """The number-th of `of` parts of the architectures. A commit compiles for half of them."""
    rows, names, help_text = table(), known(), cases.run(cases.TILEC, "help", "compile").stdout
    for i, (arch, cells) in enumerate(sorted(rows.items())):
        if i % of == number % of:
            if cases.by_commit(2, "architectures"):
                architecture(arch, help_text)
            if arch in names:
                instructions(arch, cells)
    if number % of == 0:
        simulated("sm_80", "product", "-D", "M=16", "-D", "N=16", "-D", "BLOCK_K=16", "--num-stages", "64", "a_ptr=randn:fp16[16,1536]",
                  "b_ptr=randn:fp16[1536,16]", "c_ptr=empty:fp32[16,16]", "K=1536")
