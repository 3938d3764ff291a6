/* Checked mode through the C API: errors, the callback, arguments that share memory. */
#include "tests/unit/api.h"

enum { N = 30 };

struct heard {
    int faults;
    enum sdfg_check check;
    char container[16], path[128];
    size_t rank;
    int64_t low, high, extent;
    uint64_t count;
};

static void hear(void *user, const sdfg_fault *f)
{
    struct heard *h = user;
    h->faults++;
    h->check = f->check;
    snprintf(h->container, sizeof h->container, "%s", f->container);
    snprintf(h->path, sizeof h->path, "%s", f->path);
    h->rank = f->rank;
    h->low = f->rank ? f->low[0] : -1;
    h->high = f->rank ? f->high[0] : -1;
    h->extent = f->rank ? f->extent[0] : -1;
    h->count = f->count;
    CHECK(f->struct_size == sizeof *f && strstr(f->text, f->container));
}

static sdfg_engine *engine_with(unsigned check, struct heard *h, int threads, const char *specialize)
{
    sdfg_engine *e;
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.check = check;
    o.fault = hear;
    o.fault_user = h;
    o.num_threads = threads;
    o.specialize = specialize;
    CHECK(good(sdfg_engine_new(&e, &o)));
    return e;
}

/* B[memlet] = i for i = 0:N, or what the code does with all of B as `b`. */
static sdfg_program *load(sdfg_engine *engine, const char *memlet, const char *code)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "p");
    build_array(s, "B", "int32", "30");
    struct state *st = build_state(&s->region, "s");
    struct map_entry *m = build_map(st, "m", "i = 0:30");
    struct tasklet *t = build_tasklet(st, "t", NULL, "b", code);
    struct access *b = build_access(st, "B");
    build_edge(&m->node, NULL, &t->node, NULL, NULL, NULL);
    build_path(memlet, NULL, "b", NULL, &t->node, m->exit, &b->node, NULL);
    sdfg_program *p = program_of(engine, s);
    ir_free(ir);
    return p;
}

/* The code of the error of a call, "" if there is none. */
static void call(sdfg_program *p, int32_t *b, char *code, size_t size)
{
    sdfg_args *args;
    CHECK(good(sdfg_args_new(&args, p)));
    CHECK(good(sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_I32, .rank = 1, .shape = { N }))));
    sdfg_error *e = sdfg_call(p, args);
    snprintf(code, size, "%s", e ? sdfg_error_code(e) : "");
    CHECK(!e || sdfg_error_stage_of(e) == SDFG_STAGE_RUN);
    sdfg_error_free(e);
    sdfg_args_free(args);
}

TEST(a_fault_is_told_and_ends_the_call)
{
    static const struct {
        const char *body, *code;
        int64_t low, high;
    } cases[] = {
        { "b[i] = i", "", 0, 0 },
        { "b[i + 1] = i", "CHECK_BOUNDS", 1, N },
        { "b[i - 2] = i", "CHECK_BOUNDS", -2, N - 3 },
        { "b[2 * i - 1] = i", "CHECK_BOUNDS", -1, 2 * N - 3 },
    };
    for (int threads = 0; threads <= 2; threads++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct heard h = { 0 };
            sdfg_engine *e = engine_with(SDFG_CHECK_DEFAULT, &h, threads, threads == 2 ? "none" : NULL);
            sdfg_program *p = load(e, "B[0:30]", cases[i].body);
            int32_t memory[N + 2] = { [0] = 77, [N + 1] = 78 };
            char code[32];
            call(p, memory + 1, code, sizeof code);
            CHECK(!strcmp(code, cases[i].code));
            CHECK(memory[0] == 77 && memory[N + 1] == 78); /* the bad access is not done */
            CHECK(h.faults == (*cases[i].code != 0));
            if (h.faults) {
                CHECK(h.check == SDFG_CHECK_BOUNDS && !strcmp(h.container, "B") &&
                      strstr(h.path, "p/state[0] \"s\"/edge"));
                CHECK(h.rank == 1 && h.low == cases[i].low && h.high == cases[i].high && h.extent == N && h.count == 1);
            }
            sdfg_program_free(p);
            sdfg_engine_free(e);
        }
}

TEST(races_are_found_when_asked_for)
{
    struct heard h = { 0 };
    int32_t b[N];
    char code[32];
    for (int race = 0; race < 2; race++) {
        sdfg_engine *e = engine_with(race ? SDFG_CHECK_RACE : SDFG_CHECK_DEFAULT, &h, 2, NULL);
        sdfg_program *p = load(e, "B[i // 2]", "b = i");
        call(p, b, code, sizeof code);
        CHECK(!strcmp(code, race ? "CHECK_RACE" : ""));
        sdfg_program_free(p);
        sdfg_engine_free(e);
    }
    CHECK(h.faults == 1 && h.check == SDFG_CHECK_RACE && h.count == N / 2);
}

TEST(arguments_that_share_memory)
{
    for (int check = 0; check < 2; check++) {
        struct heard h = { 0 };
        sdfg_engine *e = engine_with(check ? SDFG_CHECK_ALIAS : 0, &h, 0, NULL);
        sdfg_program *p = axpy_load(e);
        double x[8] = { 0 };
        sdfg_args *args = axpy_arguments(p, x, x + 2, 6), *apart = axpy_arguments(p, x, x + 4, 4);
        sdfg_error *error = sdfg_call(p, args);
        CHECK(check ? error && !strcmp(sdfg_error_code(error), "CHECK_ALIAS") : !error);
        CHECK(h.faults == check && (!check || h.check == SDFG_CHECK_ALIAS));
        CHECK(good(sdfg_call(p, apart)));
        sdfg_error_free(error);
        sdfg_args_free(args);
        sdfg_args_free(apart);
        sdfg_program_free(p);
        sdfg_engine_free(e);
    }
}

TEST(names)
{
    unsigned bits = 7;
    CHECK(sdfg_check_by_name(NULL, &bits) && bits == SDFG_CHECK_DEFAULT);
    CHECK(sdfg_check_by_name("race,bounds", &bits) && bits == (SDFG_CHECK_RACE | SDFG_CHECK_BOUNDS));
    CHECK(sdfg_check_by_name("all", &bits) && bits == SDFG_CHECK_ALL);
    CHECK(!sdfg_check_by_name("bound", &bits) && !sdfg_check_by_name("bounds,", &bits) && bits == SDFG_CHECK_ALL);
    CHECK(!strcmp(sdfg_check_name(SDFG_CHECK_UNINIT), "uninit") && !sdfg_check_name((enum sdfg_check)3));
    sdfg_options o;
    sdfg_engine *e;
    sdfg_options_init(&o, sizeof o);
    o.check = 256;
    sdfg_error *error = sdfg_engine_new(&e, &o);
    CHECK(error && !e);
    sdfg_error_free(error);
}

CHECK_MAIN
