/* What sdfg-bench says of times that are given here: verdicts, the table, JSON, CSV and the page. */
#include "engine/cli/bench.h"

#include "tests/unit/check.h"

#include <stdlib.h>

enum { SIDES = 6, NESTS = 14 };

/* Of one round: seconds of the cold call, of a warm one (0: there are none) and of a bound one. */
static const struct {
    const char *name;
    double ahead, cold, warm, bound;
    const char *paid;
} rows[SIDES] = {
    { "jit", 0, 1, 3e-6, 2e-6, "" },
    { "c:\"a<b>&.c\"", 2.5, 0.5, 0, 4e-6, "after 250001 calls" },
    { "later", 0, 2, 3e-3, 1e-6, "until call 1000001" },
    { "slower", 0, 2, 1.5, 2e-6, "at once" },
    { "faster", 0, 0.5, 2e-9, 1e-6, "never" },
    { "alike", 0, 0.5, 3e-6, 2e-6 + 1e-15, "after 5e+14 calls" },
};

struct fixture {
    struct bench b;
    struct side sides[SIDES];
    struct cold colds[SIDES];
    double values[SIDES][4];
};

static void begin(struct fixture *f)
{
    sdfg_engine *engine;
    *f = (struct fixture){ .b = { .arena = arena_new(),
                                  .sides = f->sides,
                                  .num_sides = SIDES,
                                  .threads = 1,
                                  .rounds = 1,
                                  .calls = 1,
                                  .flops = -1,
                                  .bytes = -1 } };
    sdfg_error *e = sdfg_engine_new(&engine, NULL);
    struct inputs *in = &f->sides[0].in;
    e = e ? e : sdfg_program_load_file(&in->program, engine, "../examples/axpy.sdfg");
    e = e ? e : sdfg_args_new(&in->args, in->program);
    e = e ? e : sdfg_args_i64(in->args, "N", 5);
    e = e ? e : sdfg_args_solve(in->args);
    CHECK(!e);
    f->sides[0].engine = engine;
    for (int i = 0; i < SIDES; i++) {
        struct side *s = &f->sides[i];
        double *v = f->values[i];
        s->name = rows[i].name;
        s->ahead = rows[i].ahead;
        f->colds[i] = (struct cold){ 0.1, rows[i].cold - 0.2, 0.1 };
        v[0] = rows[i].cold, v[1] = rows[i].warm, v[2] = rows[i].bound, v[3] = rows[i].bound / rows[0].bound;
        s->colds = &f->colds[i];
        s->cold = (struct samples){ &v[0], 1 };
        s->calls[CALL_WARM] = (struct samples){ &v[1], rows[i].warm > 0 };
        s->calls[CALL_BOUND] = (struct samples){ &v[2], 1 };
        s->ratios = (struct samples){ &v[3], 1 };
    }
}

static void end(struct fixture *f)
{
    sdfg_args_free(f->sides[0].in.args);
    sdfg_program_free(f->sides[0].in.program);
    sdfg_engine_free(f->sides[0].engine);
    arena_free(f->b.arena);
}

/* What is measured of the machine, and a nest of each kind with some more. */
static void add_machine(struct fixture *f)
{
    static const struct nest nests[] = {
        { "axpy/state[0] \"compute\"/map[4] \"elements\"", 1, 2e9, 1e6 },
        { "a/path/that/is/longer/than/the/forty-four/characters/of/its/column", 2, 1e3, 24e6 },
        { "unknown", -1, -1, -1 },
        { "bytes", 1, -1, 8 },
        { "flops", 1, 8, -1 },
        { "runs", -1, 8, 8 },
    };
    f->b.roofs = (struct roofs){ true, 1, 1e10, 1e11, "SSE2" };
    f->b.flops = 2e9;
    f->b.bytes = 25e6;
    for (int i = 0; i < NESTS; i++)
        vec_push(f->b.arena, &f->b.nests, nests[i < 6 ? i : 5]);
}

/* What bench_print writes to standard output. */
static char *printed(const struct bench *b)
{
    char *text;
    size_t size;
    FILE *usual = stdout;
    stdout = open_memstream(&text, &size);
    bench_print(b);
    fclose(stdout);
    stdout = usual;
    return text;
}

TEST(when_it_has_paid)
{
    struct fixture f;
    char text[64];
    begin(&f);
    for (int i = 1; i < SIDES; i++) {
        struct verdict v = bench_verdict(&f.b, &f.sides[i]);
        CHECK_STR(bench_paid(&v, text), rows[i].paid);
    }
    end(&f);
}

TEST(tables)
{
    static const char *const plain[] = {
        "axpy N=5, 1 thread, 1 rounds of 1 call\n",
        "\njit                      -       1 s      3 us      2 us        2 us .. 2 us           2 us      1   -\n",
        "\nc:\"a<b>&.c\"          2.5 s    500 ms         -      4 us        4 us .. 4 us           4 us  2.000   "
        "after 250001 calls\n",
        "     -    500 ms      2 ns      1 us        1 us .. 1 us           1 us  0.500   never\n",
    };
    static const char *const full[] = {
        "axpy N=5, 2 threads, 1 rounds of 2 calls\n",
        "\nmachine, 2 threads: triad 10 GB/s, fused multiply-add 100 GFLOP/s (SSE2)\n",
        "\njit touches 25 MB a call: 1.25e+04 GB/s, 125000 % of triad\n",
        "\njit does 2000 MFLOP a call: 1e+06 GFLOP/s, 1000000 % of the peak\n",
        "map[4] \"elements\"            1       2000          1      20 ms   arithmetic\n",
        "\nthan/the/forty-four/characters/of/its/column         2      0.001         24     4.8 ms   memory\n",
        "\nunknown                                              ?          ?          ?          ?   ?\n",
        "\nbytes                                                1          ?      8e-06          ?   ?\n",
        "\nflops                                                1      8e-06          ?          ?   ?\n",
        "\nruns                                                 ?      8e-06      8e-06          ?   memory\nand 2 "
        "more (--json)\n",
        "\n\nnote: jit: times are noisy\n",
    };
    struct fixture f;
    begin(&f);
    char *text = printed(&f.b);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        CHECK(strstr(text, plain[i]));
    CHECK(!strstr(text, "machine") && !strstr(text, "loop nest") && !strstr(text, "note"));
    free(text);
    add_machine(&f);
    f.b.threads = f.b.roofs.threads = f.b.calls = 2;
    bench_note(&f.b, "%s: times are noisy", "jit");
    text = printed(&f.b);
    for (size_t i = 0; i < sizeof full / sizeof *full; i++)
        CHECK(strstr(text, full[i]));
    free(text);
    f.b.nests.count = 0;
    f.b.roofs.threads = 1;
    f.b.bytes = f.b.flops = -1;
    text = printed(&f.b);
    CHECK(strstr(text, "\nmachine, 1 thread: ") && !strstr(text, "loop nest") && !strstr(text, "touches"));
    free(text);
    end(&f);
}

TEST(json)
{
    struct fixture f;
    begin(&f);
    struct text out = text_new(f.b.arena);
    bench_json(&f.b, &out);
    CHECK(strstr(text_get(&out),
                 "\"machine\":{\"triad_bytes_per_second\":null,\"peak_flops_per_second\":null,\"vectors\":null}"));
    CHECK(strstr(text_get(&out), "\"work\":{\"bytes\":null,\"flops\":null,\"nests\":[]},\"notes\":[]}"));
    CHECK(strstr(text_get(&out), "\"warm\":null"));
    CHECK(strstr(text_get(&out), "\"paid_until\":1000001.0"));
    CHECK(strstr(text_get(&out), "\"name\":\"faster\"") && strstr(text_get(&out), "\"paid_after\":null,\"note\":null"));
    out = text_new(f.b.arena);
    add_machine(&f);
    snprintf(f.sides[1].note, sizeof f.sides[1].note, "not read from a file");
    bench_json(&f.b, &out);
    CHECK(strstr(text_get(&out), "\"triad_bytes_per_second\":10000000000.0"));
    CHECK(strstr(text_get(&out), "{\"path\":\"bytes\",\"runs\":1.0,\"flops\":null,\"bytes\":8.0,\"at_least\":null}"));
    CHECK(strstr(text_get(&out), "\"paid_after\":250001.0,\"note\":\"not read from a file\""));
    end(&f);
}

TEST(csv_and_page)
{
    struct fixture f;
    begin(&f);
    struct text out = text_new(f.b.arena);
    bench_csv(&f.b, &out);
    CHECK(strstr(text_get(&out),
                 "build,call,round,seconds\n\"jit\",cold,0,1\n\"jit\",warm,0,3e-06\n\"jit\",bound,0,2e-06\n"));
    CHECK(strstr(text_get(&out), "\"c:\"\"a<b>&.c\"\"\",bound,0,4e-06\n") && !strstr(text_get(&out), "c\"\"\",warm"));
    out = text_new(f.b.arena);
    bench_html(&f.b, &out);
    CHECK(strstr(text_get(&out), "<p>1 thread, 1 rounds of 1 call.</p>") && !strstr(text_get(&out), "Roofline"));
    CHECK(strstr(text_get(&out), "<th>c:&#34;a&#60;b&#62;&#38;.c&#34;</th><td>2.5 s</td>"));
    add_machine(&f);
    f.b.threads = f.b.calls = 2;
    bench_note(&f.b, "a & b");
    out = text_new(f.b.arena);
    bench_html(&f.b, &out);
    CHECK(strstr(text_get(&out), "<p>2 threads, 1 rounds of 2 calls.</p>") && strstr(text_get(&out), "Roofline"));
    CHECK(strstr(text_get(&out), "<p>Note: a &#38; b</p>"));
    end(&f);
}

CHECK_MAIN
