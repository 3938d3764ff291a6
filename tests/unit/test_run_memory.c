/* Memory that is not just on the heap, and functions that the caller supplies: whole programs through the interface. */
#include "tests/unit/api.h"

#include <complex.h>
#include <stdint.h>

enum { MOST = 64, THREADS = 4 };

struct trial {
    struct ir *ir;
    struct sdfg *s;
    struct state *st;
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    double in[MOST], out[MOST];
};

static struct node *access(struct trial *t, const char *name) { return &build_access(t->st, name)->node; }

/* The code of an error, which is freed; "" for none. */
static const char *code_of(sdfg_error *e, char *text, size_t size)
{
    snprintf(text, size, "%s", e ? sdfg_error_code(e) : "");
    sdfg_error_free(e);
    return text;
}

static void begin(struct trial *t, const char *name)
{
    *t = (struct trial){ .ir = ir_new() };
    t->s = build_sdfg(t->ir, name);
    build_array(t->s, "in", "float64", "64");
    build_array(t->s, "out", "float64", "64");
    t->st = build_state(&t->s->region, "main");
    for (int i = 0; i < MOST; i++) {
        t->in[i] = i;
        t->out[i] = -1;
    }
}

static void load(struct trial *t, int threads)
{
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.num_threads = threads;
    CHECK(good(sdfg_engine_new(&t->engine, &o)));
    t->program = program_of(t->engine, t->s);
    CHECK(good(sdfg_args_new(&t->args, t->program)));
    CHECK(good(
        sdfg_args_array(t->args, "in", SDFG_ARRAY(.data = t->in, .dtype = SDFG_F64, .rank = 1, .shape = { MOST }))));
    CHECK(good(
        sdfg_args_array(t->args, "out", SDFG_ARRAY(.data = t->out, .dtype = SDFG_F64, .rank = 1, .shape = { MOST }))));
}

static void end(struct trial *t)
{
    sdfg_args_free(t->args);
    sdfg_program_free(t->program);
    sdfg_engine_free(t->engine);
    ir_free(t->ir);
}

/* ---- lifetime External ---- */

/* out = work, then work = in: the memory keeps what the call before has put there. */
static void external(struct trial *t, const char *shape)
{
    begin(t, "external");
    build_symbol(t->s, "N", "int64");
    build_transient(t->s, "work", "float64", shape)->lifetime = enum_builtin(t->ir, LIFETIME_EXTERNAL);
    build_transient(t->s, "bytes", "int8", "3")->lifetime = enum_builtin(t->ir, LIFETIME_EXTERNAL);
    build_transient(t->s, "tail", "float64", "1")->lifetime = enum_builtin(t->ir, LIFETIME_EXTERNAL);
    struct state *second = build_state(&t->s->region, "second");
    build_transition(&t->st->block, &second->block, NULL, NULL);
    build_edge(access(t, "work"), NULL, access(t, "out"), NULL, "work[0:N]", NULL);
    t->st = second;
    build_edge(access(t, "in"), NULL, access(t, "work"), NULL, "in[0:N]", NULL);
    struct tasklet *k = build_tasklet(t->st, "touch", "", "o", "o = 1");
    build_edge(&k->node, "o", access(t, "bytes"), NULL, "bytes[2]", NULL);
    struct tasklet *last = build_tasklet(t->st, "last", "", "o", "o = 7");
    build_edge(&last->node, "o", access(t, "tail"), NULL, "tail[0]", NULL);
}

TEST(external_memory_comes_from_the_caller)
{
    struct trial t;
    _Alignas(64) unsigned char memory[256];
    size_t bytes = 1;
    char code[80];
    external(&t, "N");
    load(&t, 0);
    CHECK_INT(sdfg_program_num_workspaces(t.program), 1);
    CHECK_STR(sdfg_program_workspace(t.program, 0), "CPU_Heap");
    CHECK(!sdfg_program_workspace(t.program, 1));
    CHECK(good(sdfg_args_i64(t.args, "N", 5)));
    CHECK(good(sdfg_args_workspace_size(&bytes, t.args, "CPU_Heap")));
    CHECK_INT(bytes, 40 + 3 + 5 + 8); /* back to back, numbers where they are aligned */
    CHECK_STR(code_of(sdfg_call(t.program, t.args), code, sizeof code), "RUN_WORKSPACE");
    CHECK(good(sdfg_args_workspace(t.args, "CPU_Heap", memory, bytes - 1)));
    CHECK_STR(code_of(sdfg_call(t.program, t.args), code, sizeof code), "RUN_WORKSPACE");
    CHECK(t.out[0] == -1);
    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = 0xAB;
    memcpy(memory, (double[]){ 9, 8, 7, 6, 5 }, 5 * sizeof(double));
    CHECK(good(sdfg_args_workspace(t.args, "CPU_Heap", memory, bytes)));
    for (int i = 0; i < 2; i++) { /* every call begins at the start of the memory */
        CHECK(good(sdfg_call(t.program, t.args)));
        CHECK(t.out[0] == (i ? 0 : 9) && t.out[4] == (i ? 4 : 5) && t.out[5] == -1);
    }
    CHECK(memory[40 + 2] == 1 && memory[40 + 3] == 0xAB && memory[56] == 0xAB);
    CHECK(!memcmp(memory + 48, &(double){ 7 }, sizeof(double)));
    sdfg_args_clear(t.args);
    CHECK_STR(code_of(sdfg_args_workspace(t.args, "GPU_Global", memory, 1), code, sizeof code), "WORKSPACE_STORAGE");
    end(&t);
}

TEST(sizes_of_external_memory_are_known_at_the_start)
{
    struct trial t;
    char code[80];
    external(&t, "K");
    build_symbol(t.s, "K", "int64");
    struct state *last = build_state(&t.s->region, "last");
    build_transition(&t.st->block, &last->block, NULL, "K = 7");
    load(&t, 0);
    CHECK(good(sdfg_args_i64(t.args, "N", 5)));
    CHECK_STR(code_of(sdfg_call(t.program, t.args), code, sizeof code), "SIZE_NOT_AT_START");
    end(&t);
}

/* ---- storage CPU_ThreadLocal ---- */

static struct map_entry *persistent(struct trial *t)
{
    struct map_entry *m = build_map(t->st, "team", "t = 0:4");
    m->schedule = enum_builtin(t->ir, SCHEDULE_CPU_PERSISTENT);
    return m;
}

/* Each thread leaves in `own` what it finds there in a later region; out[t] += own. */
static void keep_own(struct trial *t, uint32_t lifetime, const char *shape)
{
    begin(t, "own");
    build_symbol(t->s, "N", "int64");
    struct container *own = build_transient(t->s, "own", "float64", shape);
    own->storage = enum_builtin(t->ir, STORAGE_CPU_THREADLOCAL);
    own->lifetime = enum_builtin(t->ir, lifetime);
    struct node *a = access(t, "own");
    struct map_entry *first = persistent(t), *second = persistent(t);
    struct tasklet *write = build_tasklet(t->st, "write", "", "o", "o[N - 2] = t * 10 + omp_get_num_threads()");
    struct tasklet *read = build_tasklet(t->st, "read", "x", "o", "o = x[N - 2]");
    build_edge(&first->node, NULL, &write->node, NULL, NULL, NULL);
    build_path("own", NULL, "o", NULL, &write->node, first->exit, a, NULL)->memlet.dynamic = true;
    build_path("own", NULL, NULL, "x", a, &second->node, &read->node, NULL)->memlet.dynamic = true;
    build_path("out[t]", NULL, "o", NULL, &read->node, second->exit, access(t, "out"), NULL);
}

TEST(threads_keep_their_own_memory)
{
    static const uint32_t lifetimes[] = { LIFETIME_SCOPE, LIFETIME_SDFG, LIFETIME_GLOBAL, LIFETIME_PERSISTENT };
    for (int i = 0; i < 8; i++) {
        struct trial t;
        keep_own(&t, lifetimes[i / 2], "N");
        load(&t, i % 2 ? THREADS : 1);
        CHECK(good(sdfg_args_i64(t.args, "N", 3)));
        CHECK(good(sdfg_call(t.program, t.args)));
        if (i % 2)
            for (int k = 0; k < THREADS; k++)
                CHECK(t.out[k] == 10 * k + THREADS);
        else
            CHECK(t.out[0] == 1 && t.out[1] == -1);
        end(&t);
    }
}

/* The size is only known after a transition. */
TEST(threads_own_memory_of_a_late_size)
{
    struct trial t;
    keep_own(&t, LIFETIME_SCOPE, "K");
    build_symbol(t.s, "K", "int64");
    struct state *start = build_state(&t.s->region, "start");
    build_transition(&start->block, &t.st->block, NULL, "K = N + 2");
    t.s->region.start = &start->block;
    load(&t, THREADS);
    CHECK(good(sdfg_args_i64(t.args, "N", 3)));
    CHECK(good(sdfg_call(t.program, t.args)));
    for (int k = 0; k < THREADS; k++)
        CHECK(t.out[k] == 10 * k + THREADS);
    end(&t);
}

/* ---- references that a tasklet sets ---- */

/* R is what the tasklet says; then out[0:4] = R[0:4]. */
static void reference(struct trial *t, enum enum_row language, const char *code)
{
    begin(t, "reference");
    build_reference(t->s, "R", "float64", "4");
    struct tasklet *k = build_tasklet(t->st, "set_it", "x, y", "p", language == LANGUAGE_PYTHON ? code : "");
    if (language != LANGUAGE_PYTHON)
        k->code = (struct code_text){ .text = code, .language = enum_builtin(t->ir, language) };
    build_edge(access(t, "in"), NULL, &k->node, "x", "in[8:64]", NULL);
    build_edge(access(t, "in"), NULL, &k->node, "y", "in[5]", NULL);
    build_edge(&k->node, "p", access(t, "R"), "set", "R[0:4]", NULL);
    struct state *next = build_state(&t->s->region, "next");
    build_transition(&t->st->block, &next->block, NULL, NULL);
    t->st = next;
    build_edge(access(t, "R"), NULL, access(t, "out"), NULL, "out[0:4]", NULL);
}

static void check_reference(enum enum_row language, const char *code, double first)
{
    struct trial t;
    reference(&t, language, code);
    load(&t, 0);
    CHECK(good(sdfg_call(t.program, t.args)));
    for (int i = 0; i < 4; i++)
        CHECK(t.out[i] == first + i);
    CHECK(t.out[4] == -1);
    end(&t);
}

TEST(a_tasklet_sets_a_reference)
{
    check_reference(LANGUAGE_PYTHON, "p = x", 8);
    check_reference(LANGUAGE_CPP, "p = x + 3;", 11);
    check_reference(LANGUAGE_CPP, "if (y > 4) p = &x[20]; else p = x;", 28);
}

TEST(a_reference_must_be_set)
{
    struct trial t;
    char code[80];
    reference(&t, LANGUAGE_CPP, "if (y > 4) p = x;");
    load(&t, 0);
    CHECK_STR(code_of(sdfg_call(t.program, t.args), code, sizeof code), "UNSUPPORTED");
    end(&t);
}

/* ---- callbacks ---- */

static const struct type *callback_type(struct ir *ir, const char *arguments, const char *results)
{
    build_list a = { 0 }, r = { 0 };
    build_split(ir, arguments, ',', &a);
    build_split(ir, results, ',', &r);
    struct type_field fields[8] = { 0 };
    const struct type *types[8];
    for (uint32_t i = 0; i < a.count; i++) {
        const struct type *t = type_by_name(ir, a.items[i][0] == '*' ? a.items[i] + 1 : a.items[i]);
        fields[i] = (struct type_field){ .name = "", .type = a.items[i][0] == '*' ? type_pointer(ir, t) : t };
    }
    for (uint32_t i = 0; i < r.count; i++) {
        const struct type *t = type_by_name(ir, r.items[i][0] == '*' ? r.items[i] + 1 : r.items[i]);
        types[i] = r.items[i][0] == '*' ? type_pointer(ir, t) : t;
    }
    return type_callback(ir, fields, a.count, types, r.count);
}

/* A symbol `f` of callback type and a tasklet that calls it: x is in[2:6], s is in[7], o is out[0:4]. */
static void callback(struct trial *t, const char *arguments, const char *results, const char *code)
{
    begin(t, "callback");
    build_symbol(t->s, "f", "int64");
    vec_last(&t->s->symbols).type = callback_type(t->ir, arguments, results);
    struct tasklet *k = build_tasklet(t->st, "call", "x, s", "o", code);
    build_edge(access(t, "in"), NULL, &k->node, "x", "in[2:6]", NULL);
    build_edge(access(t, "in"), NULL, &k->node, "s", "in[7]", NULL);
    build_edge(&k->node, "o", access(t, "out"), NULL, "out[0:4]", NULL);
}

static void give(struct trial *t, void (*f)(void))
{
    void *address;
    memcpy(&address, &f, sizeof address);
    load(t, 0);
    CHECK(good(sdfg_args_pointer(t->args, "f", address)));
}

static double half(double x, int32_t more) { return x / 2 + more; }

TEST(a_callback_gives_a_value)
{
    struct trial t;
    callback(&t, "float64, int32", "float64", "o[0] = f(s, 1) * f(x[1], s)\no[1] = f(8, 0)");
    give(&t, (void (*)(void))half);
    CHECK(good(sdfg_call(t.program, t.args)));
    CHECK(t.out[0] == 4.5 * 8.5 && t.out[1] == 4);
    end(&t);
}

TEST(a_number_is_no_callback)
{
    struct trial t;
    callback(&t, "float64, int32", "float64", "o[0] = f(s, 1)");
    load(&t, 0);
    CHECK(good(sdfg_args_i64(t.args, "f", 5)));
    sdfg_error *e = sdfg_call(t.program, t.args);
    CHECK(e && !strcmp(sdfg_error_message(e), "'f' is a function, but a single value was given"));
    sdfg_error_free(e);
    end(&t);
}

static void reverse(const double *x, int8_t sign, double *out)
{
    for (int i = 0; i < 4; i++)
        out[i] = sign * x[3 - i];
}

TEST(a_callback_takes_and_fills_arrays)
{
    struct trial t;
    callback(&t, "*float64, int8", "*float64", "f(x, 0 - 1, o)");
    give(&t, (void (*)(void))reverse);
    CHECK(good(sdfg_call(t.program, t.args)));
    CHECK(t.out[0] == -5 && t.out[3] == -2 && t.out[4] == -1);
    end(&t);
}

static void split(double x, double *most, double *rest)
{
    most[0] = most[1] = x;
    *rest = x / 8;
}

/* A single number among several results is passed by pointer, as DaCe's signature says. */
TEST(a_callback_has_several_results)
{
    for (int single = 0; single < 2; single++) {
        struct trial t;
        callback(&t, "float64", single ? "*float64, float64" : "*float64, *float64", "f(s, o, r)");
        struct node *k = t.st->nodes.items[0];
        for (uint32_t i = 0; k->kind != NODE_TASKLET; i++)
            k = t.st->nodes.items[i];
        vec_push(t.ir->arena, &k->out_conns,
                 ((struct connector){ .name = "r", .type = type_pointer(t.ir, type_basic(t.ir, TYPE_F64)) }));
        build_edge(k, "r", access(&t, "out"), NULL, "out[5]", NULL);
        give(&t, (void (*)(void))split);
        CHECK(good(sdfg_call(t.program, t.args)));
        CHECK(t.out[0] == 7 && t.out[1] == 7 && t.out[4] == -1 && t.out[5] == 7. / 8 && t.out[6] == -1);
        end(&t);
    }
}

static float complex turn(float complex z, uint16_t n) { return n == 65535 ? z * (float complex)I : 0; }

TEST(a_callback_may_be_of_other_types)
{
    struct trial t;
    callback(&t, "complex64, uint16", "complex64", "z = f(dace.complex64(s, 1), 65535)\no[0] = z.real\no[1] = z.imag");
    give(&t, (void (*)(void))turn);
    CHECK(good(sdfg_call(t.program, t.args)));
    CHECK(t.out[0] == -1 && t.out[1] == 7);
    end(&t);
}

static int calls;
static void count_call(void) { calls++; }

TEST(a_callback_is_called_as_often_as_the_text_says)
{
    struct trial t;
    callback(&t, "", "", "for i in range(5):\n    if x[0] > i:\n        f()");
    give(&t, (void (*)(void))count_call);
    calls = 0;
    CHECK(good(sdfg_call(t.program, t.args)));
    CHECK_INT(calls, 2);
    end(&t);
}

/* ---- objects of the caller, which programs keep and hand on but never look into ---- */

struct object {
    double value;
    int uses;
};

static struct object the_object = { 2.5, 0 };

static void *make_object(void) { return &the_object; }

static double use_object(struct object *o, double factor)
{
    o->uses++;
    return o->value * factor;
}

TEST(objects_are_kept_and_handed_on)
{
    struct trial t;
    void *kept[2] = { NULL, NULL }, *make, *use;
    void *(*first)(void) = make_object;
    double (*second)(struct object *, double) = use_object;
    begin(&t, "objects");
    const struct type *object = type_opaque(t.ir, "pyobject"), *f64 = type_basic(t.ir, TYPE_F64);
    struct type_field fields[] = { { .name = "", .type = object }, { .name = "", .type = f64 } };
    build_symbol(t.s, "make", "int64");
    vec_last(&t.s->symbols).type = type_callback(t.ir, NULL, 0, &object, 1);
    build_symbol(t.s, "use", "int64");
    vec_last(&t.s->symbols).type = type_callback(t.ir, fields, 2, &f64, 1);
    build_array(t.s, "kept", "int64", "2")->type = object;
    struct container *a = build_array(t.s, "a", "int64", "1");
    a->type = object;
    a->transient = true;
    struct tasklet *m = build_tasklet(t.st, "m", "", "o", "o = make()");
    struct tasklet *u = build_tasklet(t.st, "u", "x", "y", "y[0] = use(x, 4)\ny[1] = use(x, 10)");
    struct node *middle = access(&t, "a");
    build_edge(&m->node, "o", middle, NULL, "a[0]", NULL);
    build_edge(middle, NULL, &u->node, "x", "a[0]", NULL);
    build_edge(middle, NULL, access(&t, "kept"), NULL, "kept[1]", NULL);
    build_edge(&u->node, "y", access(&t, "out"), NULL, "out[0:2]", NULL);
    build_edge(access(&t, "in"), NULL, access(&t, "out"), NULL, "out[2:4]", NULL);
    load(&t, 0);
    memcpy(&make, &first, sizeof make);
    memcpy(&use, &second, sizeof use);
    CHECK(good(sdfg_args_pointer(t.args, "make", make)) && good(sdfg_args_pointer(t.args, "use", use)));
    CHECK(good(sdfg_args_pointer(t.args, "kept", kept)));
    CHECK(good(sdfg_call(t.program, t.args)));
    CHECK(t.out[0] == 10 && t.out[1] == 25 && the_object.uses == 2 && kept[0] == NULL && kept[1] == &the_object);
    end(&t);
}

/* Through a nested SDFG, whose symbol has another name. */
TEST(a_callback_reaches_nested_graphs)
{
    struct trial t;
    callback(&t, "float64, int32", "float64", "o[3] = 2");
    struct sdfg *inner = build_sdfg(t.ir, "inner");
    build_symbol(inner, "g", "int64");
    vec_last(&inner->symbols).type = callback_type(t.ir, "float64, int32", "float64");
    build_array(inner, "r", "float64", "1");
    struct state *only = build_state(&inner->region, "only");
    struct tasklet *k = build_tasklet(only, "call", "", "o", "o = g(1, 1)");
    build_edge(&k->node, "o", &build_access(only, "r")->node, NULL, "r[0]", NULL);
    struct nested *n = build_nested(t.st, "inside", inner, "", "r", "g = f");
    build_edge(&n->node, "r", access(&t, "out"), NULL, "out[9]", NULL);
    give(&t, (void (*)(void))half);
    CHECK(good(sdfg_call(t.program, t.args)));
    CHECK(t.out[9] == 1.5);
    end(&t);
}

static const char *refused(const char *arguments, const char *results, const char *text, char *code, size_t size)
{
    struct trial t;
    callback(&t, arguments, results, text);
    give(&t, count_call);
    code_of(sdfg_call(t.program, t.args), code, size);
    end(&t);
    return code;
}

TEST(callbacks_that_do_not_fit)
{
    char code[80];
    CHECK_STR(refused("float64", "float64", "o[0] = f(s, s)", code, sizeof code), "CODE_INVALID");
    CHECK_STR(refused("float64", "float64", "o[0] = f(x)", code, sizeof code), "CODE_INVALID");
    CHECK_STR(refused("*float64", "", "f(s + 1)", code, sizeof code), "CODE_INVALID");
    CHECK_STR(refused("", "", "o[0] = f()", code, sizeof code), "CODE_INVALID");
}

TEST(a_callback_must_be_given)
{
    struct trial t;
    char code[80];
    callback(&t, "", "", "f()");
    load(&t, 0);
    CHECK_STR(code_of(sdfg_call(t.program, t.args), code, sizeof code), "ARGUMENT_MISSING");
    CHECK(good(sdfg_args_null(t.args, "f")));
    CHECK_STR(code_of(sdfg_call(t.program, t.args), code, sizeof code), "ARGUMENT_NULL");
    end(&t);
}

CHECK_MAIN
