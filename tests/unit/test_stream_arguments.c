/* Streams that callers make and hand over. */
#include "tests/unit/api.h"

enum { COUNT = 64 };

struct trial {
    struct ir *ir;
    struct sdfg *s;
    struct state *st;
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    double x[COUNT];
};

static void begin(struct trial *t, const char *name)
{
    *t = (struct trial){ .ir = ir_new() };
    t->s = build_sdfg(t->ir, name);
    build_array(t->s, "X", "float64", "64");
    t->st = build_state(&t->s->region, "main");
}

static struct container *stream(struct trial *t, const char *name)
{
    struct container *c = build_stream(t->s, name, "float64", "0");
    c->transient = false;
    return c;
}

static void load(struct trial *t)
{
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.num_threads = 4;
    CHECK(good(sdfg_engine_new(&t->engine, &o)));
    t->program = program_of(t->engine, t->s);
    CHECK(good(sdfg_args_new(&t->args, t->program)));
    CHECK(good(
        sdfg_args_array(t->args, "X", SDFG_ARRAY(.data = t->x, .dtype = SDFG_F64, .rank = 1, .shape = { COUNT }))));
}

static void end(struct trial *t)
{
    sdfg_args_free(t->args);
    sdfg_program_free(t->program);
    sdfg_engine_free(t->engine);
    ir_free(t->ir);
}

/* Pushes X[i] to S for each i. */
static void pusher(struct trial *t, const char *name)
{
    begin(t, "pusher");
    stream(t, name);
    struct map_entry *m = build_map(t->st, "m", "i = 0:64");
    struct tasklet *k = build_tasklet(t->st, "push", "x", "s", "s = x");
    char memlet[16];
    snprintf(memlet, sizeof memlet, "%s[0]", name);
    build_path("X[i]", NULL, NULL, "x", &build_access(t->st, "X")->node, &m->node, &k->node, NULL);
    build_path(memlet, NULL, "s", NULL, &k->node, m->exit, &build_access(t->st, name)->node, NULL);
    load(t);
}

/* Takes 8 elements of S into X. */
static void popper(struct trial *t)
{
    begin(t, "popper");
    stream(t, "S");
    build_edge(&build_access(t->st, "S")->node, NULL, &build_access(t->st, "X")->node, NULL, "X[0:8]", NULL);
    load(t);
}

/* What one program leaves the next one takes. */
TEST(between_programs)
{
    struct trial from, to;
    sdfg_stream *s;
    double more[3] = { 100, 101, 102 };
    pusher(&from, "S");
    popper(&to);
    CHECK(good(sdfg_stream_new(&s, sizeof(double), 1)));
    CHECK(good(sdfg_args_stream(from.args, "S", s)) && good(sdfg_args_stream(to.args, "S", s)));
    for (int i = 0; i < COUNT; i++)
        from.x[i] = i;
    CHECK(good(sdfg_call(from.program, from.args)));
    CHECK_INT(sdfg_stream_size(s, 0), COUNT);
    CHECK(good(sdfg_stream_push(s, 0, more, 3)));
    double sum = 0;
    for (int k = 0; k < 8; k++) {
        CHECK(good(sdfg_call(to.program, to.args)));
        for (int i = 0; i < 8; i++)
            sum += to.x[i];
    }
    CHECK(sum == COUNT * (COUNT - 1) / 2);
    CHECK(good(sdfg_call(to.program, to.args)));
    CHECK(to.x[0] == 100 && to.x[2] == 102 && sdfg_stream_size(s, 0) == 0);
    sdfg_error *e = sdfg_call(to.program, to.args);
    CHECK_STR(e ? sdfg_error_code(e) : "", "RUN_STREAM");
    sdfg_error_free(e);
    sdfg_stream_free(s);
    end(&from);
    end(&to);
}

/* A bound call goes on with the stream that was given. */
TEST(bound)
{
    struct trial t;
    sdfg_stream *s;
    sdfg_bound *b;
    double got[2 * COUNT + 1];
    pusher(&t, "Q");
    CHECK(good(sdfg_stream_new(&s, sizeof(double), 1)) && good(sdfg_args_stream(t.args, "Q", s)));
    CHECK(good(sdfg_bind(&b, t.program, t.args)));
    CHECK(good(sdfg_bound_call(b)) && good(sdfg_bound_call(b)));
    CHECK_INT(sdfg_stream_pop(s, 0, got, 2 * COUNT + 1), 2 * COUNT);
    CHECK_INT(sdfg_stream_pop(s, 0, got, 1), 0);
    sdfg_bound_free(b);
    sdfg_stream_free(s);
    end(&t);
}

/* S[i] of N queues gets i elements. */
TEST(several_queues)
{
    struct trial t;
    sdfg_stream *s, *few;
    double got[COUNT];
    begin(&t, "several");
    build_symbol(t.s, "N", "int64");
    struct container *c = stream(&t, "S");
    const struct sym *n = sym_name(t.ir, intern(t.ir->names, "N"));
    c->shape[0] = c->total_size = n;
    struct map_entry *m = build_map(t.st, "m", "i = 0:N");
    struct tasklet *k = build_tasklet(t.st, "push", "x", "s", "for j in range(i):\n    s = x + j");
    build_path("X[i]", NULL, NULL, "x", &build_access(t.st, "X")->node, &m->node, &k->node, NULL);
    build_path("S[i]", NULL, "s", NULL, &k->node, m->exit, &build_access(t.st, "S")->node, NULL)->memlet.dynamic = true;
    load(&t);
    CHECK(good(sdfg_args_i64(t.args, "N", 5)));
    for (int i = 0; i < COUNT; i++)
        t.x[i] = 10 * i;
    CHECK(good(sdfg_stream_new(&s, sizeof(double), 5)) && good(sdfg_stream_new(&few, sizeof(double), 4)));
    CHECK(good(sdfg_args_stream(t.args, "S", few)));
    sdfg_error *e = sdfg_call(t.program, t.args);
    CHECK(e && strstr(sdfg_error_text(e), "'S' is 5 queues (N), but a stream of 4 was given"));
    sdfg_error_free(e);
    CHECK(good(sdfg_args_stream(t.args, "S", s)) && good(sdfg_call(t.program, t.args)));
    for (size_t q = 0; q < 6; q++)
        CHECK_INT(sdfg_stream_size(s, q), q < 5 ? q : 0);
    CHECK(sdfg_stream_pop(s, 4, got, COUNT) == 4 && got[0] == 40 && got[3] == 43);
    CHECK(good(sdfg_args_stream(t.args, "S", few))); /* a call that was right says nothing of the next one */
    e = sdfg_call(t.program, t.args);
    CHECK_STR(e ? sdfg_error_code(e) : "", "ARGUMENT_STREAM_QUEUES");
    sdfg_error_free(e);
    sdfg_stream_free(few);
    sdfg_stream_free(s);
    end(&t);
}

static void fails(struct trial *t, const char *why)
{
    sdfg_error *e = sdfg_call(t->program, t->args);
    CHECK(e && strstr(sdfg_error_text(e), why));
    if (e && !strstr(sdfg_error_text(e), why))
        printf("    %s", sdfg_error_text(e));
    sdfg_error_free(e);
}

TEST(mistakes)
{
    struct trial t;
    sdfg_stream *s, *wide;
    sdfg_argument a = { .struct_size = sizeof a };
    pusher(&t, "S");
    CHECK(sdfg_program_lookup(t.program, "S", &a) && a.kind == SDFG_KIND_STREAM && a.dtype == SDFG_F64 && a.written);
    CHECK_STR(a.total_size, "1");
    CHECK(good(sdfg_stream_new(&s, sizeof(double), 1)) && good(sdfg_stream_new(&wide, 16, 1)));
    fails(&t, "argument 'S' (float64) is missing");
    CHECK(
        good(sdfg_args_array(t.args, "S", SDFG_ARRAY(.data = t.x, .dtype = SDFG_F64, .rank = 1, .shape = { COUNT }))));
    fails(&t, "'S' is a stream, but an array was given");
    CHECK(good(sdfg_args_pointer(t.args, "S", t.x)));
    fails(&t, "'S' is a stream, but a pointer was given");
    CHECK(good(sdfg_args_null(t.args, "S")));
    fails(&t, "'S' must not be null");
    CHECK(good(sdfg_args_stream(t.args, "S", wide)));
    fails(&t, "'S' holds elements of type float64, 8 bytes each, but a stream for 16 bytes was given");
    CHECK(good(sdfg_args_stream(t.args, "S", s)) && good(sdfg_args_stream(t.args, "X", s)));
    fails(&t, "'X' is an array, but a stream was given");
    sdfg_error *e = sdfg_stream_push(s, 1, t.x, 1);
    CHECK_STR(e ? sdfg_error_code(e) : "", "RUN_VALUE");
    sdfg_error_free(e);
    CHECK_INT(sdfg_stream_pop(s, 1, t.x, 1), 0);
    sdfg_stream_free(wide);
    e = sdfg_stream_new(&wide, 0, 1);
    CHECK_STR(e ? sdfg_error_code(e) : "", "RUN_VALUE");
    CHECK(!wide);
    sdfg_error_free(e);
    sdfg_stream_free(s);
    sdfg_stream_free(NULL);
    end(&t);
}

CHECK_MAIN
