/* Streams and consume scopes in whole programs: each is run sequentially, with one thread and with several. */
#include "engine/include/sdfg.h"
#include "ir/build/build.h"
#include "tests/unit/check.h"

enum { MOST = 64 };

struct trial {
    struct ir *ir;
    struct sdfg *s;
    struct state *st;
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    int threads;
    double in[MOST], out[MOST];
    int64_t count[MOST];
};

static void begin(struct trial *t, const char *name)
{
    *t = (struct trial){ .ir = ir_new() };
    t->s = build_sdfg(t->ir, name);
    build_array(t->s, "in", "float64", "64");
    build_array(t->s, "out", "float64", "64");
    build_array(t->s, "count", "int64", "64");
    t->st = build_state(&t->s->region, "main");
    for (int i = 0; i < MOST; i++) {
        t->in[i] = i;
        t->out[i] = -1;
    }
}

static struct node *access(struct trial *t, const char *name) { return &build_access(t->st, name)->node; }

static struct container *stream(struct trial *t, const char *name) { return build_stream(t->s, name, "float64", "0"); }

/* Runs it with that number of threads (0: decided at run time); the code of the error, or NULL. */
static const char *run(struct trial *t, int threads, char *code, size_t size)
{
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.num_threads = t->threads = threads;
    struct text json = text_new(t->ir->arena);
    bool built = build_finish(t->s);
    CHECK(built);
    for (uint32_t i = 0; !built && i < diags_count(t->ir->diags); i++)
        printf("%s\n", diags_get(t->ir->diags, i)->message);
    sdfg_write(t->s, &json);
    sdfg_error *e = sdfg_engine_new(&t->engine, &o);
    if (!e)
        e = sdfg_program_load(&t->program, t->engine, text_get(&json), json.length, NULL);
    if (!e)
        e = sdfg_args_new(&t->args, t->program);
    if (!e)
        e = sdfg_args_array(t->args, "in", SDFG_ARRAY(.data = t->in, .dtype = SDFG_F64, .rank = 1, .shape = { MOST }));
    if (!e)
        e = sdfg_args_array(t->args, "out",
                            SDFG_ARRAY(.data = t->out, .dtype = SDFG_F64, .rank = 1, .shape = { MOST }));
    if (!e)
        e = sdfg_args_array(t->args, "count",
                            SDFG_ARRAY(.data = t->count, .dtype = SDFG_I64, .rank = 1, .shape = { MOST }));
    if (!e)
        e = sdfg_call(t->program, t->args);
    snprintf(code, size, "%s", e ? sdfg_error_code(e) : "");
    sdfg_error_free(e);
    return code;
}

static void end(struct trial *t)
{
    sdfg_args_free(t->args);
    sdfg_program_free(t->program);
    sdfg_engine_free(t->engine);
    ir_free(t->ir);
}

/* Builds, runs and checks in every way. `code`: of the error that must come, or "". */
static void everywhere(const char *name, void (*build)(struct trial *t), void (*check)(struct trial *t),
                       const char *code)
{
    static const int threads[] = { 1, 0, 4 };
    for (int i = 0; i < 3; i++) {
        struct trial t;
        char got[80];
        begin(&t, name);
        build(&t);
        CHECK_STR(run(&t, threads[i], got, sizeof got), code);
        if (check)
            check(&t);
        end(&t);
    }
}

/* ---- copies ---- */

/* in[5:10] is pushed, all of it is popped to out[2:]; then 3 more elements are left in vain. */
static void copy_through(struct trial *t)
{
    stream(t, "S");
    struct node *s = access(t, "S");
    build_edge(access(t, "in"), NULL, s, NULL, "in[5:10]", NULL);
    build_edge(s, NULL, access(t, "out"), NULL, "out[2:30]", NULL);
}

static void check_through(struct trial *t)
{
    CHECK(t->out[1] == -1 && t->out[2] == 5 && t->out[6] == 9 && t->out[7] == -1);
}

TEST(an_array_goes_through) { everywhere("through", copy_through, check_through, ""); }

/* The stream's subset counts the elements; every second element of the target. */
static void copy_counted(struct trial *t)
{
    stream(t, "S");
    struct node *s = access(t, "S");
    build_edge(access(t, "in"), NULL, s, NULL, "S[0:5]", NULL)->memlet.allow_oob = true;
    build_edge(s, NULL, access(t, "out"), NULL, "out[1:20:2]", NULL);
}

static void check_counted(struct trial *t)
{
    CHECK(t->out[0] == -1 && t->out[1] == 0 && t->out[2] == -1 && t->out[9] == 4 && t->out[11] == -1);
}

TEST(regions_may_have_steps) { everywhere("counted", copy_counted, check_counted, ""); }

/* From float64 through a stream of float32 into integers. */
static void copy_converted(struct trial *t)
{
    build_stream(t->s, "S", "float32", "0");
    struct node *s = access(t, "S");
    build_edge(access(t, "in"), NULL, s, NULL, "in[60:64]", NULL);
    build_edge(s, NULL, access(t, "count"), NULL, "count[0:8]", NULL);
}

static void check_converted(struct trial *t) { CHECK(t->count[0] == 60 && t->count[3] == 63 && t->count[4] == 0); }

TEST(elements_are_converted) { everywhere("converted", copy_converted, check_converted, ""); }

static void copy_between_streams(struct trial *t)
{
    stream(t, "A");
    stream(t, "B");
    struct node *a = access(t, "A"), *b = access(t, "B");
    build_edge(access(t, "in"), NULL, a, NULL, "in[0:40]", NULL);
    build_edge(a, NULL, b, NULL, "A[0]", NULL);
    build_edge(b, NULL, access(t, "out"), NULL, "out", NULL);
}

static void check_between(struct trial *t) { CHECK(t->out[0] == 0 && t->out[39] == 39 && t->out[40] == -1); }

TEST(all_elements_move_to_another_stream) { everywhere("between", copy_between_streams, check_between, ""); }

/* A node that is only read takes what is there, but at least one element: the other component fills the stream. */
static void read_elsewhere(struct trial *t)
{
    stream(t, "S");
    build_edge(access(t, "S"), NULL, access(t, "out"), NULL, "out[0:5]", NULL);
    build_edge(access(t, "in"), NULL, access(t, "S"), NULL, "in[3:6]", NULL);
}

static void check_elsewhere(struct trial *t) { CHECK(t->out[0] == 3 && t->out[2] == 5 && t->out[3] == -1); }

TEST(streams_are_filled_before_they_are_read) { everywhere("elsewhere", read_elsewhere, check_elsewhere, ""); }

static void read_empty(struct trial *t)
{
    stream(t, "S");
    build_edge(access(t, "S"), NULL, access(t, "out"), NULL, "out[0:5]", NULL);
}

TEST(an_empty_stream_is_an_error) { everywhere("empty", read_empty, NULL, "RUN_STREAM"); }

/* ---- tasklets ---- */

/* A dynamic connector pops whenever it is mentioned: 3 * 4 (semantics.md 13, 37). */
static void pop_by_mention(struct trial *t)
{
    stream(t, "S");
    struct node *s = access(t, "S");
    build_edge(access(t, "in"), NULL, s, NULL, "in[3:6]", NULL);
    struct tasklet *k = build_tasklet(t->st, "square", "x", "o", "o = x * x");
    build_edge(s, NULL, &k->node, "x", "S[0]", NULL)->memlet.dynamic = true;
    build_edge(&k->node, "o", access(t, "out"), NULL, "out[0]", NULL);
    struct tasklet *once = build_tasklet(t->st, "once", "x", "o", "o = x * x");
    struct node *out = access(t, "out");
    build_edge(&k->node, NULL, &once->node, NULL, NULL, NULL);
    build_edge(access(t, "S"), NULL, &once->node, "x", "S[0]", NULL);
    build_edge(&once->node, "o", out, NULL, "out[1]", NULL);
}

static void check_mention(struct trial *t) { CHECK(t->out[0] == 12 && t->out[1] == 25); }

TEST(mentions_pop) { everywhere("mention", pop_by_mention, check_mention, ""); }

/* Each assignment pushes. Static schedules divide the iterations into contiguous pieces, which keeps their order. */
static void push_in_map(struct trial *t)
{
    stream(t, "S");
    struct map_entry *m = build_map(t->st, "all", "i = 0:96000");
    struct tasklet *k = build_tasklet(t->st, "some", "", "o", "if i % 6000 == 0:\n    o = i\n    o = i + 0.5");
    struct node *s = access(t, "S");
    build_edge(&m->node, NULL, &k->node, NULL, NULL, NULL);
    build_path("S[0]", NULL, "o", NULL, &k->node, m->exit, s, NULL)->memlet.dynamic = true;
    build_edge(s, NULL, access(t, "out"), NULL, "S[0]", NULL);
}

static void check_map(struct trial *t)
{
    for (int i = 0; i < 32; i++)
        CHECK(t->out[i] == i / 2 * 6000 + i % 2 * 0.5);
    CHECK(t->out[32] == -1);
}

TEST(maps_push) { everywhere("map", push_in_map, check_map, ""); }

/* Thread 0 of a persistent region pushes while thread 1 waits for what comes. */
static void threads_talk(struct trial *t)
{
    stream(t, "S");
    struct map_entry *m = build_map(t->st, "team", "t = 0:2");
    m->schedule = enum_builtin(t->ir, SCHEDULE_CPU_PERSISTENT);
    struct tasklet *k =
        build_tasklet(t->st, "talk", "pop", "push, o",
                      "if t == 0:\n    for k in range(20):\n        push = k\n"
                      "if t == 1:\n    sum = 0.0\n    for k in range(20):\n        sum += pop\n    o = sum");
    build_path("S[0]", NULL, NULL, "pop", access(t, "S"), &m->node, &k->node, NULL)->memlet.dynamic = true;
    build_path("S[0]", NULL, "push", NULL, &k->node, m->exit, access(t, "S"), NULL)->memlet.dynamic = true;
    build_path("out[0]", NULL, "o", NULL, &k->node, m->exit, access(t, "out"), NULL)->memlet.dynamic = true;
}

static void check_talk(struct trial *t)
{
    CHECK(t->out[0] == (t->threads == 4 ? 190 : t->threads == 1 ? -1 : t->out[0]));
}

TEST(threads_wait_for_elements) { everywhere("talk", threads_talk, check_talk, ""); }

/* All threads wait for elements that nobody pushes. */
static void threads_wait(struct trial *t)
{
    stream(t, "S");
    struct map_entry *m = build_map(t->st, "team", "t = 0:2");
    m->schedule = enum_builtin(t->ir, SCHEDULE_CPU_PERSISTENT);
    struct tasklet *k = build_tasklet(t->st, "wait", "pop", "o", "o = pop");
    build_path("S[0]", NULL, NULL, "pop", access(t, "S"), &m->node, &k->node, NULL);
    build_path("out[t]", NULL, "o", NULL, &k->node, m->exit, access(t, "out"), NULL);
}

TEST(threads_do_not_wait_for_ever) { everywhere("wait", threads_wait, NULL, "RUN_STREAM"); }

/* A stream of a state is empty whenever the state is entered. */
static void fresh_in_loop(struct trial *t)
{
    stream(t, "S");
    struct loop *l = build_loop(&t->s->region, "three", "k", "k = 0", "k < 3", "k = k + 1");
    struct state *st = build_state(&l->region, "body");
    build_transition(&t->st->block, &l->region.block, NULL, NULL);
    struct node *s = &build_access(st, "S")->node;
    build_edge(&build_access(st, "in")->node, NULL, s, NULL, "in[k:k + 4]", NULL);
    build_edge(s, NULL, &build_access(st, "out")->node, NULL, "out[2*k:2*k + 2]", NULL);
}

static void check_fresh(struct trial *t)
{
    CHECK(t->out[0] == 0 && t->out[1] == 1 && t->out[2] == 1 && t->out[3] == 2 && t->out[4] == 2 && t->out[5] == 3);
}

TEST(streams_begin_empty) { everywhere("fresh", fresh_in_loop, check_fresh, ""); }

/* ---- several queues ---- */

static void queues_by_index(struct trial *t)
{
    struct container *c = stream(t, "S");
    c->shape[0] = c->total_size = sym_int(t->ir, 3);
    struct map_entry *m = build_map(t->st, "deal", "i = 0:9");
    struct tasklet *k = build_tasklet(t->st, "push", "x", "o", "o = x");
    struct node *s = access(t, "S"), *out = access(t, "out");
    m->schedule = enum_builtin(t->ir, SCHEDULE_SEQUENTIAL);
    build_path("in[i]", NULL, NULL, "x", access(t, "in"), &m->node, &k->node, NULL);
    build_path("S[i % 3]", NULL, "o", NULL, &k->node, m->exit, s, NULL);
    struct tasklet *both = build_tasklet(t->st, "both", "q", "o", "o[0] = q[2]\no[1] = q[0]\no[2] = q[2]");
    build_edge(s, NULL, &both->node, "q", "S[0:3]", NULL)->memlet.dynamic = true;
    build_edge(&both->node, "o", out, NULL, "out[0:3]", NULL);
}

static void check_queues(struct trial *t) { CHECK(t->out[0] == 2 && t->out[1] == 0 && t->out[2] == 5); }

TEST(queues_have_indices) { everywhere("queues", queues_by_index, check_queues, ""); }

/* Queue 1 of three is the stream of a nested SDFG, which pushes and pops. */
static void queue_of_nested(struct trial *t)
{
    struct container *c = stream(t, "S");
    c->shape[0] = c->total_size = sym_int(t->ir, 3);
    struct sdfg *inner = build_sdfg(t->ir, "inner");
    build_stream(inner, "q", "float64", "0")->transient = false;
    build_array(inner, "o", "float64", "2");
    struct state *st = build_state(&inner->region, "only");
    struct node *q = &build_access(st, "q")->node;
    struct tasklet *two = build_tasklet(st, "two", "", "r", "r = 7\nr = 8");
    build_edge(&two->node, "r", q, NULL, "q[0]", NULL)->memlet.dynamic = true;
    build_edge(q, NULL, &build_access(st, "o")->node, NULL, "o[0:2]", NULL);
    struct nested *n = build_nested(t->st, "inside", inner, "", "q, o", NULL);
    struct node *s = access(t, "S");
    build_edge(&n->node, "q", s, NULL, "S[1]", NULL);
    build_edge(&n->node, "o", access(t, "out"), NULL, "out[10:12]", NULL);
}

static void check_nested(struct trial *t) { CHECK(t->out[10] == 7 && t->out[11] == 8 && t->out[12] == -1); }

TEST(nested_graphs_share_queues) { everywhere("nested", queue_of_nested, check_nested, ""); }

/* ---- consume scopes ---- */

/* Every element above 0 pushes two smaller ones: a tree of 2^6 - 1 inner nodes (semantics.md 13, 106). */
static void consume_tree(struct trial *t)
{
    stream(t, "S");
    struct node *s = access(t, "S"), *again = access(t, "S"), *count = access(t, "count");
    struct consume_entry *c = build_consume(t->st, "grow", "p", "4", NULL);
    struct tasklet *k = build_tasklet(t->st, "children", "x", "next, n, pe",
                                      "if x > 0:\n    next = x - 1\n    next = x - 1\nn = 1\npe = p");
    build_edge(access(t, "in"), NULL, s, NULL, "in[6]", NULL);
    build_edge(s, NULL, &c->node, "IN_stream", "S[0]", NULL)->memlet.dynamic = true;
    build_edge(&c->node, "OUT_stream", &k->node, "x", "S[0]", NULL);
    build_path("S[0]", NULL, "next", NULL, &k->node, c->exit, again, NULL)->memlet.dynamic = true;
    build_path("count[0]", "lambda a, b: a + b", "n", NULL, &k->node, c->exit, count, NULL);
    build_path("count[1]", "lambda a, b: max(a, b)", "pe", NULL, &k->node, c->exit, count, NULL);
}

static void check_tree(struct trial *t) { CHECK(t->count[0] == 127 && t->count[1] >= 0 && t->count[1] < 4); }

TEST(consumed_elements_push_more) { everywhere("tree", consume_tree, check_tree, ""); }

/* Some elements at a time: the sum, and how many bodies there were. */
static void consume_chunks(struct trial *t)
{
    stream(t, "S");
    struct node *s = access(t, "S"), *out = access(t, "out");
    struct consume_entry *c = build_consume(t->st, "some", "p", "3", NULL);
    c->chunksize = 5;
    struct tasklet *k = build_tasklet(t->st, "sum", "x", "o, n",
                                      "o = 0.0\nfor i in range(__dace_some_numelems):\n    o += x[i]\nn = 1");
    build_edge(access(t, "in"), NULL, s, NULL, "in[0:12]", NULL);
    build_edge(s, NULL, &c->node, "IN_stream", "S[0]", NULL)->memlet.dynamic = true;
    build_edge(&c->node, "OUT_stream", &k->node, "x", "S[0]", NULL)->memlet.volume = sym_int(t->ir, 5);
    build_path("out[0]", "lambda a, b: a + b", "o", NULL, &k->node, c->exit, out, NULL);
    build_path("count[0]", "lambda a, b: a + b", "n", NULL, &k->node, c->exit, access(t, "count"), NULL);
}

static void check_chunks(struct trial *t)
{
    CHECK(t->out[0] == 65); /* it was -1 */
    CHECK(t->count[0] == 3);
}

TEST(chunks_are_consumed) { everywhere("chunks", consume_chunks, check_chunks, ""); }

/* Until five of ten are done; the rest stays in the stream (semantics.md 13, 107). */
static void consume_until(struct trial *t, const char *condition, const char *workers)
{
    stream(t, "S");
    struct node *s = access(t, "S"), *rest = access(t, "S"), *count = access(t, "count");
    struct consume_entry *c = build_consume(t->st, "until", "p", workers, condition);
    struct tasklet *k = build_tasklet(t->st, "one", "x", "n", "n = 1");
    build_edge(access(t, "in"), NULL, s, NULL, "in[0:10]", NULL);
    build_edge(s, NULL, &c->node, "IN_stream", "S[0]", NULL)->memlet.dynamic = true;
    build_edge(&c->node, "OUT_stream", &k->node, "x", "S[0]", NULL);
    build_path("count[0]", "lambda a, b: a + b", "n", NULL, &k->node, c->exit, count, NULL);
    build_edge(count, NULL, rest, NULL, NULL, NULL);
    build_edge(rest, NULL, access(t, "out"), NULL, "out", NULL);
}

static void consume_five(struct trial *t) { consume_until(t, "count[0] >= 5", "4"); }

static void check_five(struct trial *t)
{
    CHECK(t->count[0] >= 5 && t->count[0] < 5 + 4);
    for (int i = 0; i < 10; i++)
        CHECK(t->out[i] == (i < 10 - t->count[0] ? (double)(i + t->count[0]) : -1));
}

TEST(a_condition_ends_it) { everywhere("five", consume_five, check_five, ""); }

static void consume_for_ever(struct trial *t) { consume_until(t, "count[0] >= 11", "3"); }

TEST(a_condition_that_never_holds_is_an_error) { everywhere("ever", consume_for_ever, NULL, "RUN_STREAM"); }

static void consume_by_nobody(struct trial *t) { consume_until(t, NULL, "0"); }

static void check_nobody(struct trial *t) { CHECK(t->count[0] == 0 && t->out[9] == 9 && t->out[10] == -1); }

TEST(nobody_consumes_nothing) { everywhere("nobody", consume_by_nobody, check_nobody, ""); }

/* The body is a nested SDFG that gets the element as a scalar, and works inside a parallel map. */
static void consume_inside(struct trial *t)
{
    stream(t, "S");
    struct sdfg *inner = build_sdfg(t->ir, "body");
    build_scalar(inner, "x", "float64");
    build_array(inner, "o", "float64", "64");
    struct state *only = build_state(&inner->region, "only");
    struct tasklet *k = build_tasklet(only, "square", "a", "r", "r[int64(a)] = a * a");
    build_edge(&build_access(only, "x")->node, NULL, &k->node, "a", "x[0]", NULL);
    build_edge(&k->node, "r", &build_access(only, "o")->node, NULL, "o", NULL)->memlet.dynamic = true;
    struct consume_entry *c = build_consume(t->st, "squares", "p", "2", NULL);
    struct nested *n = build_nested(t->st, "body", inner, "x", "o", NULL);
    struct node *s = access(t, "S");
    build_edge(access(t, "in"), NULL, s, NULL, "in", NULL);
    build_edge(s, NULL, &c->node, "IN_stream", "S[0]", NULL)->memlet.dynamic = true;
    build_edge(&c->node, "OUT_stream", &n->node, "x", "S[0]", NULL);
    build_path("out", NULL, "o", NULL, &n->node, c->exit, access(t, "out"), NULL);
}

static void check_inside(struct trial *t)
{
    for (int i = 0; i < MOST; i++)
        CHECK(t->out[i] == (double)i * i);
}

TEST(bodies_may_be_nested_graphs) { everywhere("inside", consume_inside, check_inside, ""); }

/* ---- what is refused ---- */

static void two_types(struct trial *t)
{
    stream(t, "A");
    build_stream(t->s, "B", "int64", "0");
    struct node *a = access(t, "A");
    build_edge(access(t, "in"), NULL, a, NULL, "in[0:4]", NULL);
    build_edge(a, NULL, access(t, "B"), NULL, "A[0]", NULL);
}

TEST(streams_of_two_types_do_not_mix) { everywhere("types", two_types, NULL, "UNSUPPORTED"); }

static void no_chunk(struct trial *t)
{
    consume_chunks(t);
    for (uint32_t i = 0; i < t->st->nodes.count; i++)
        if (as_consume_entry(t->st->nodes.items[i]))
            as_consume_entry(t->st->nodes.items[i])->chunksize = 0;
}

TEST(chunks_have_elements) { everywhere("chunk", no_chunk, NULL, "CONSUME_CHUNK"); }

CHECK_MAIN
