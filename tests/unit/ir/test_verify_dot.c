// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of dots that have an instruction: what it takes, from where, and in which layouts.
#include "tests/unit/unit.h"
#include "ir/build.h"
#include "ir/text/parse.h"

// A dot of 64 x 64 x 16 by four warps. The accumulators of wgmma, and of mma with its warps along m
// too. a with 16-bit elements in registers, b for mma. Then a and b as wgmma reads them, with lines
// along k and n.
#define SUMS    "layout<reg = [1, 512, 8, 16, 32], lane = [2, 4, 64, 128, 256], warp = [1024, 2048]; 4096>"
#define IN_A    "layout<reg = [1, 128, 8], lane = [2, 4, 16, 32, 64], warp = [256, 512]; 1024>"
#define IN_B    "layout<reg = [64, 512, 8, 16, 32], lane = [128, 256, 1, 2, 4], warp = [0, 0]; 1024>"
#define OF_A    "layout<offset = [1, 2, 4, 8, 16, 32, 72, 128, 256, 512]; 1024>"
#define OF_B    "layout<offset = [1, 2, 4, 8, 16, 32, 72, 144, 288, 512]; 1024>"
// Any ten bits.
#define HOME    "layout<reg = [1, 2, 4], lane = [8, 16, 32, 64, 128], warp = [256, 512]; 1024>"
#define PLAIN   "layout<offset = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]; 1024>"
#define BLOCKED "layout<reg = [1, 2, 4, 8, 16], lane = [32, 64, 128, 256, 512], warp = [1024, 2048]; 4096>"

// tf32: a in registers for wgmma. Then accumulators and a of the dot whose rows go there in pairs.
// Then accumulators and b of the transposed one: the columns of b are its rows.
#define IN_TF32   "layout<reg = [128, 4, 8], lane = [1, 2, 16, 32, 64], warp = [256, 512]; 1024>"
#define PAIRS     "layout<reg = [1, 64, 8, 16, 32], lane = [2, 4, 128, 256, 512], warp = [1024, 2048]; 4096>"
#define IN_PAIRS  "layout<reg = [16, 4, 8], lane = [1, 2, 32, 64, 128], warp = [256, 512]; 1024>"
#define TURNED    "layout<reg = [64, 1, 512, 1024, 2048], lane = [128, 256, 2, 4, 8], warp = [16, 32]; 4096>"
#define SWAPPED   "layout<reg = [64, 8, 512, 1024, 2048], lane = [128, 256, 1, 2, 4], warp = [16, 32]; 4096>"
#define IN_TURNED "layout<reg = [1, 256, 512], lane = [64, 128, 2, 4, 8], warp = [16, 32]; 1024>"
#define HALVES_TURNED "layout<reg = [64, 1, 512], lane = [128, 256, 2, 4, 8], warp = [16, 32]; 1024>"
#define OF_PA     "layout<offset = [1, 2, 4, 8, 16, 36, 72, 128, 256, 512]; 1024>"
#define OF_PB     "layout<offset = [64, 128, 256, 512, 1, 258, 516, 8, 16, 32]; 1024>"

#define ACC "tile<64x64xfp32, " SUMS ">"

typedef struct DotCase {
  const char *text, *error; // NULL: it keeps the rules
} DotCase;

static const char *const values =
    "kernel @k(%f: fp32, %w: i32) {\n"
    "  %s = splat %f : " ACC "\n"
    "  %sb = splat %f : tile<64x64xfp32, " BLOCKED ">\n"
    "  %sp = splat %f : tile<64x64xfp32, " PAIRS ">\n"
    "  %st = splat %f : tile<64x64xfp32, " TURNED ">\n"
    "  %ss = splat %f : tile<64x64xfp32, " SWAPPED ">\n"
    "  %n = splat %f : tile<64x64xfp32>\n"
    "  %f1 = splat %f : tile<64x16xfp32>\n"
    "  %f2 = splat %f : tile<16x64xfp32>\n"
    "  %fa = splat %f : tile<64x16xfp32, " IN_TF32 ">\n"
    "  %fp = splat %f : tile<64x16xfp32, " IN_PAIRS ">\n"
    "  %fb = splat %f : tile<16x64xfp32, " IN_TURNED ">\n"
    "  %n1 = cast %f1 : tile<64x16xfp16>\n"
    "  %n2 = cast %f2 : tile<16x64xfp16>\n"
    "  %h = cast %f : fp16\n"
    "  %ra = splat %h : tile<64x16xfp16, " IN_A ">\n"
    "  %rb = splat %h : tile<16x64xfp16, " IN_B ">\n"
    "  %rt = splat %h : tile<16x64xfp16, " HALVES_TURNED ">\n"
    "  %ha = splat %h : tile<64x16xfp16, " HOME ">\n"
    "  %hb = splat %h : tile<16x64xfp16, " HOME ">\n"
    "  %a = shared_alloc : shared<64x16xfp16, " OF_A ">\n"
    "  %b = shared_alloc : shared<16x64xfp16, " OF_B ">\n"
    "  %p = shared_alloc : shared<16x64xfp16, " PLAIN ">\n"
    "  %pa = shared_alloc : shared<64x16xfp32, " OF_PA ">\n"
    "  %pb = shared_alloc : shared<16x64xfp32, " OF_PB ">\n"
    "  %pn = shared_alloc : shared<16x64xfp32, " OF_B ">\n"
    "  %l = splat %h : tile<16x16xfp16, layout<reg = [1], lane = [2, 4, 8, 16, 32], warp = [64, 128]; 256>>\n"
    "  %ls = splat %f : tile<16x16xfp32, layout<reg = [1], lane = [2, 4, 8, 16, 32], warp = [64, 128]; "
    "256>>\n"
    "  %few = splat %h : tile<16x8xfp16, layout<lane = [1, 2, 4, 8, 16], warp = [32, 64]; 128>>\n";

#define DOT(operands, attributes)  "%d = dot " operands " {" attributes "} : " ACC
#define WGMMA(operands, more)      DOT(operands, "instruction = \"wgmma\", " more)
#define MMA(operands, more)        DOT(operands, "instruction = \"mma\"" more)
#define FMA(operands, more)        DOT(operands, "instruction = \"fma\"" more)
#define NONE(operands, attributes) "%d = dot " operands " {" attributes "} : tile<64x64xfp32>"
#define TF32(operands, more, layout)                                                                         \
  "%d = dot " operands " {precision = \"tf32\", instruction = \"wgmma\"" more "} : tile<64x64xfp32, " layout \
  ">"

static const DotCase cases[] = {
    {WGMMA("%a, %b, %s", "async, shared_a, shared_b, anchor = " SUMS), NULL},
    {WGMMA("%a, %b, %s", "async"), NULL},
    {WGMMA("%ra, %b, %s", "async, shared_b"), NULL},
    {WGMMA("%ra, %b, %s", "async, anchor_a = " IN_A), NULL},
    {WGMMA("%ha, %hb, %s", "shared_a, shared_b"), NULL},
    {NONE("%n1, %n2, %n", "instruction = \"wgmma\", anchor = " SUMS ", anchor_a = " IN_A ", shared_b"), NULL},
    {MMA("%ra, %rb, %s", ", anchor = " SUMS ", anchor_a = " IN_A ", anchor_b = " IN_B), NULL},
    {NONE("%n1, %n2, %n", "instruction = \"fma\", shared_a, shared_b"), NULL},
    {FMA("%a, %p, %s", ""), NULL},
    {TF32("%fa, %pb, %s", ", async", SUMS), NULL},
    {TF32("%fp, %pb, %sp", ", async", PAIRS), NULL},
    {TF32("%pa, %fb, %st", ", async", TURNED), NULL},
    {"%d = dot %a, %b, %ss {instruction = \"wgmma\", async, swapped} : tile<64x64xfp32, " SWAPPED ">", NULL},
    {TF32("%pa, %pn, %st", ", async, shared_a, shared_b, anchor_b = " IN_TURNED, TURNED), NULL},
    {"%d = dot %a, %rt, %st {instruction = \"wgmma\", async, swapped} : tile<64x64xfp32, " TURNED ">", NULL},
    {"%d = dot %a, %rb, %st {instruction = \"wgmma\", async, swapped} : tile<64x64xfp32, " TURNED ">",
     "dot: operand b is in " IN_B ", but wgmma takes it for such sums in " HALVES_TURNED},

    {NONE("%n1, %n2, %n", "shared_a"),
     "dot: 'shared_a' is of dots with an 'instruction', which this one does not have"},
    {NONE("%n1, %n2, %n", "shared_b"), "dot: 'shared_b' is of dots with an 'instruction'"},
    {NONE("%n1, %n2, %n", "anchor = " SUMS), "dot: 'anchor' is of dots with an 'instruction'"},
    {NONE("%n1, %n2, %n", "anchor_a = " IN_A), "dot: 'anchor_a' is of dots with an 'instruction'"},
    {NONE("%n1, %n2, %n", "anchor_b = " IN_B), "dot: 'anchor_b' is of dots with an 'instruction'"},
    {NONE("%n1, %n2, %n", "placement_a = \"rows\""), "dot: 'placement_a' is of dots with an 'instruction'"},
    {NONE("%n1, %n2, %n", "placement_b = \"rows\""), "dot: 'placement_b' is of dots with an 'instruction'"},
    {"%d = dot %a, %b, %s : " ACC, "dot: a dot that reads shared<64x16xfp16, " OF_A "> has an 'instruction'"},

    {"%d = dot %l, %l, %ls {instruction = \"wgmma\", shared_a, shared_b} : tile<16x16xfp32, layout<reg = "
     "[1], lane = [2, 4, 8, 16, 32], warp = [64, 128]; 256>>",
     "dot: wgmma does not take it: the tile "
     "has fewer than 64 rows"},
    {DOT("%ra, %rb, %s", "instruction = \"mma_k8\""),
     "dot: mma_k8 does not take it: the architecture has another mma.sync"},
    {NONE("%f1, %f2, %n", "instruction = \"mma\""),
     "dot: mma does not take it: fp32 dots in IEEE precision have no tensor core"},

    {MMA("%a, %rb, %s", ""), "dot: mma takes operands from registers, not from shared<64x16xfp16, " OF_A ">"},
    {MMA("%ra, %rb, %s", ", shared_b"),
     "dot: mma takes operands from registers: it has 'anchor_b', and no 'shared_b'"},
    {"%u = shared_alloc : shared<16x64xfp16>\n" WGMMA("%a, %u, %s", "async"),
     "dot: operand b is a shared buffer with its layout, not shared<16x64xfp16>"},
    {WGMMA("%a, %b, %s", "async, anchor_a = " IN_A),
     "dot: 'anchor_a' is of an operand in registers; one that goes "
     "there from shared<64x16xfp16, " OF_A "> has 'shared_a' too"},
    {FMA("%ra, %b, %s", ", anchor_a = " HOME ", shared_a"),
     "dot: 'anchor_a' and 'shared_a' together are of a wgmma without 'part', which reads it into registers"},
    {WGMMA("%ha, %b, %s", "async, shared_a"), "dot: an asynchronous dot has its operand of 'shared_a' in a "
                                              "shared buffer, not in tile<64x16xfp16, " HOME ">"},
    {NONE("%n1, %n2, %n", "instruction = \"wgmma\", anchor = " SUMS ", shared_b"),
     "dot: operand a needs 'anchor_a', the layout in which wgmma takes it, or 'shared_a'"},
    {NONE("%n1, %n2, %n", "instruction = \"mma\", anchor = " SUMS ", anchor_a = " IN_A),
     "dot: operand b needs 'anchor_b', the layout in which mma takes it\n"},
    {WGMMA("%ra, %b, %s", "async, swapped"), "dot: 'swapped' is of a dot whose operand a is in shared memory"},
    {MMA("%ra, %rb, %s", ", swapped"), "dot: 'swapped' is of wgmma, and of mma with 'k_run', not of mma"},
    {MMA("%ra, %rb, %s", ", k_run = 2"), NULL},
    {MMA("%ra, %rb, %s", ", k_run = 3"), "dot: 'k_run' is of mma with 16-bit operands and no padding"},
    {MMA("%ra, %rb, %s", ", k_run = 8"), "dot: 'k_run' is of mma with 16-bit operands and no padding"},
    {MMA("%ra, %rb, %s", ", k_run = 2, extents = [64, 64, 9]"),
     "dot: 'k_run' is of mma with 16-bit operands and no padding"},
    {WGMMA("%a, %b, %s", "async, k_run = 2"), "dot: 'k_run' is of mma with 16-bit operands and no padding"},
    {WGMMA("%a, %b, %s", "async, swapped"), "dot: wgmma does not sum in " SUMS ", but in one like " SWAPPED},
    {TF32("%pa, %pn, %st", ", async, swapped", TURNED),
     "dot: wgmma does not take it: dots of 32-bit elements are not transposed"},
    {WGMMA("%ra, %rb, %s", "async"),
     "dot: wgmma takes one operand at most from registers: it has 'shared_a' or "
     "'shared_b'"},
    {WGMMA("%a, %rb, %s", "async"),
     "dot: wgmma takes b from registers where its elements have 32 bits, or with 'swapped', not in "
     "tile<16x64xfp16, " IN_B ">"},

    {NONE("%n1, %n2, %n", "instruction = \"wgmma\", shared_a, shared_b"),
     "dot: it needs 'anchor', the layout of wgmma's sums"},
    {NONE("%n1, %n2, %n", "instruction = \"fma\", anchor_a = " HOME ", shared_b"),
     "dot: 'anchor_a' needs 'anchor', the layout of the sums that it is for"},
    {WGMMA("%a, %b, %s", "async, anchor = " BLOCKED), "does not have the layout of 'anchor', " BLOCKED},
    {NONE("%n1, %n2, %n", "instruction = \"wgmma\", shared_a, shared_b, anchor = " IN_A),
     "dot: the layout of the anchor has 1024 elements, the tile 4096"},
    {NONE("%n1, %n2, %n", "instruction = \"wgmma\", shared_a, shared_b, anchor = " BLOCKED),
     "dot: wgmma does not sum in " BLOCKED ", but in one like " SUMS},
    {"%d = dot %ra, %rb, %sb {instruction = \"mma\"} : tile<64x64xfp32, " BLOCKED ">",
     "dot: mma does not sum in " BLOCKED ", but in one like " SUMS},
    {TF32("%pa, %pb, %sp", ", async", PAIRS), "dot: wgmma does not sum in " PAIRS ", but in one like " SUMS},
    {TF32("%pa, %fb, %s", ", async", SUMS), "dot: wgmma does not sum in " SUMS ", but in one like " TURNED},

    {MMA("%ra, %rb, %s", ", anchor_b = " HOME),
     "dot: 'anchor_b' is " HOME ", but mma takes operand b of such sums in " IN_B},
    {WGMMA("%a, %b, %s", "async, shared_b, anchor_b = " IN_B),
     "takes b from registers where its elements have 32"},
    {MMA("%ha, %rb, %s", ", anchor_a = " IN_A),
     "dot: operand a is in " HOME ", and not as 'anchor_a' has it, in " IN_A},
    {MMA("%ra, %hb, %s", ""), "dot: operand b is in " HOME ", but mma takes it for such sums in " IN_B},
    {WGMMA("%ha, %b, %s", "async"),
     "dot: operand a is in " HOME ", but wgmma takes it for such sums in " IN_A},
    {FMA("%ra, %b, %s", ""),
     "dot: operand a is in " IN_A ", but fma takes it for such sums in layout<reg = [1, 2, 4, "
     "8, 128], lane = [0, 0, 16, 32, 64], warp = [256, 512]; 1024>"},
    {TF32("%fp, %pb, %s", ", async", SUMS),
     "dot: operand a is in " IN_PAIRS ", but wgmma takes it for such sums in " IN_TF32},

    {WGMMA("%a, %p, %s", "async"),
     "dot: wgmma does not read operand b in shared<16x64xfp16, " PLAIN ">, but in layout<"
     "offset = [64, 128, 256, 512, 1, 2, 516, 8, 16, 32]; 1024>"},
    {TF32("%fa, %pn, %s", ", async", SUMS),
     "dot: wgmma does not read operand b in shared<16x64xfp32, " OF_B ">, but in " OF_PB},

    {"%d = dot_wait %ra {pending = 0} : tile<64x16xfp16, " IN_A ">", NULL},
    {"%d = dot_wait %few {pending = 0} : tile<16x8xfp16, layout<lane = [1, 2, 4, 8, 16], warp = [32, 64]; "
     "128>>",
     "dot_wait: result 0 is a dot's sums, tiles of fp32, i32 or pairs of fp16, not tile<16x8xfp16"},
};

static bool as_expected(const DotCase *c) {
  Arena arena = {0};
  Sources sources = {.arena = &arena};
  Diags diags = {.arena = &arena, .sources = &sources};
  IrContext ir;
  Buf text = {0}, out = {0};
  buf_printf(&text, "module target = \"sm_90a\", num_warps = 4 {\n%s  %s\n  return\n}\n}\n", values, c->text);
  ir_context_init(&ir, &arena, &sources, &diags);
  bool parsed = module_parse(&ir, sources_add(&sources, "x.tir", buf_view(&text))) != NULL;
  diags_print_text(&diags, false, &out);
  bool right = parsed == !c->error && (!c->error || strstr(out.at, c->error));
  if (!right)
    print_error("for: %s\nwanted: %s\ngot: %s\n", c->text, c->error ? c->error : "no error",
                parsed ? "no error" : out.at);
  buf_free(&out);
  buf_free(&text);
  arena_free(&arena);
  return right;
}

TEST(test_what_breaks_a_rule_of_dots_is_said) {
  int wrong = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) wrong += !as_expected(&cases[i]);
  assert_int_equal(wrong, 0);
}

WHOLE_SUITE(verify_dot)
