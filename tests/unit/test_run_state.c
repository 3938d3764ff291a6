/* What C++ code keeps between calls: static variables, fields of the state, code at the beginning and the end of a
 * program object; and objects with destructors. Whole programs through the interface. */
#include "tests/unit/api.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 64, THREADS = 4 };

struct trial {
    struct ir *ir;
    struct sdfg *s;
    struct tasklet *tasklet;
    sdfg_engine *engine;
    sdfg_program *program;
    double in[COUNT], out[COUNT];
};

static struct code_text cpp(struct trial *t, const char *text)
{
    return (struct code_text){ .text = text, .language = enum_builtin(t->ir, LANGUAGE_CPP) };
}

/* A tasklet that sees all of `in` and `out`, once for each i. */
static struct tasklet *add_tasklet(struct trial *t, struct state *st, enum enum_row schedule, const char *code)
{
    struct map_entry *m = build_map(st, "m", "i = 0:64");
    m->schedule = enum_builtin(t->ir, schedule);
    struct tasklet *k = build_tasklet(st, "t", "in", "out", "");
    k->code = cpp(t, code);
    build_path("A[0:64]", NULL, NULL, "in", &build_access(st, "A")->node, &m->node, &k->node, NULL);
    build_path("B[0:64]", NULL, "out", NULL, &k->node, m->exit, &build_access(st, "B")->node, NULL);
    return k;
}

static void begin(struct trial *t, const char *global, enum enum_row schedule, const char *code)
{
    *t = (struct trial){ .ir = ir_new() };
    t->s = build_sdfg(t->ir, "keeps");
    build_array(t->s, "A", "float64", "64");
    build_array(t->s, "B", "float64", "64");
    build_symbol(t->s, "N", "int64");
    if (global)
        vec_push(t->ir->arena, &t->s->global_code, cpp(t, global));
    t->tasklet = add_tasklet(t, build_state(&t->s->region, "main"), schedule, code);
    for (int i = 0; i < COUNT; i++)
        t->in[i] = i;
}

static sdfg_error *try_load(struct trial *t)
{
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.num_threads = THREADS;
    struct text json = text_new(t->ir->arena);
    CHECK(build_finish(t->s));
    sdfg_write(t->s, &json);
    CHECK(good(sdfg_engine_new(&t->engine, &o)));
    return sdfg_program_load(&t->program, t->engine, text_get(&json), json.length, NULL);
}

static sdfg_error *try_call(struct trial *t, int64_t n)
{
    sdfg_args *args;
    CHECK(good(sdfg_args_new(&args, t->program)));
    CHECK(
        good(sdfg_args_array(args, "A", SDFG_ARRAY(.data = t->in, .dtype = SDFG_F64, .rank = 1, .shape = { COUNT }))));
    CHECK(
        good(sdfg_args_array(args, "B", SDFG_ARRAY(.data = t->out, .dtype = SDFG_F64, .rank = 1, .shape = { COUNT }))));
    sdfg_error *e = n ? sdfg_args_i64(args, "N", n) : NULL;
    if (!e)
        e = sdfg_call(t->program, args);
    sdfg_args_free(args);
    return e;
}

static void call(struct trial *t, int64_t n)
{
    if (!t->program)
        CHECK(good(try_load(t)));
    CHECK(good(try_call(t, n)));
}

static void end(struct trial *t)
{
    sdfg_program_free(t->program);
    sdfg_engine_free(t->engine);
    ir_free(t->ir);
}

/* ---- static variables ---- */

TEST(counter)
{
    struct trial t;
    begin(&t, NULL, SCHEDULE_SEQUENTIAL,
          "static int calls; static int table[3] = { 7, 8 }; out[i] = ++calls + table[i % 3]; table[1] = 9;");
    call(&t, 0);
    CHECK(t.out[0] == 1 + 7 && t.out[1] == 2 + 9 && t.out[2] == 3 && t.out[63] == 64 + 7);
    call(&t, 0);
    CHECK(t.out[0] == 65 + 7 && t.out[1] == 66 + 9 && t.out[63] == 128 + 7);
    end(&t);
}

/* Two tasklets and a template: one variable of a function, one for each type. */
TEST(of_functions)
{
    struct trial t;
    begin(&t,
          "int counted = 40; template <class T> T next(T by) { static T sum = 1; sum += by; return sum; }"
          "struct limits { static int most; }; int limits::most = 3;",
          SCHEDULE_SEQUENTIAL,
          "if (i == 0) { out[0] = next(1); out[1] = next(2.5); out[2] = ++counted; out[3] = limits::most; }");
    struct state *second = build_state(&t.s->region, "second");
    build_transition(t.s->region.blocks.items[0], &second->block, NULL, NULL);
    add_tasklet(&t, second, SCHEDULE_SEQUENTIAL,
                "if (i == 0) { out[4] = next(1); out[5] = next(0.5); out[6] = ++counted; limits::most++; }");
    call(&t, 0);
    CHECK(t.out[0] == 2 && t.out[1] == 3.5 && t.out[2] == 41 && t.out[3] == 3);
    CHECK(t.out[4] == 3 && t.out[5] == 4 && t.out[6] == 42);
    call(&t, 0);
    CHECK(t.out[0] == 4 && t.out[1] == 6.5 && t.out[2] == 43 && t.out[3] == 4 && t.out[6] == 44);
    end(&t);
}

/* The first who comes gives the value, whoever that is. */
TEST(once)
{
    struct trial t;
    begin(&t, "struct pair { double a, b; };", SCHEDULE_CPU_MULTICORE,
          "static pair first = { in[5] + 1, in[6] }; out[i] = first.a * 100 + first.b;");
    for (int k = 0; k < 3; k++) {
        t.in[5] = k;
        call(&t, 0);
        for (int i = 0; i < COUNT; i++)
            CHECK(t.out[i] == 106);
    }
    end(&t);
}

TEST(mutex)
{
    struct trial t;
    begin(&t, "#include <mutex>\nstd::mutex all;", SCHEDULE_CPU_MULTICORE,
          "static std::mutex own; static long sum;"
          "for (int k = 0; k < 500; k++) { std::lock_guard<std::mutex> lock(own); sum += i; }"
          "std::unique_lock<std::mutex> held(all); out[0] += 1; held.unlock();"
          "{ std::scoped_lock again(all); out[1] = out[1] + (held.owns_lock() ? 100 : 1); }"
          "if (own.try_lock()) { out[2] = sum; own.unlock(); }");
    call(&t, 0);
    CHECK(t.out[0] == COUNT && t.out[1] == COUNT);
    call(&t, 0);
    CHECK(t.out[2] == 2 * 500.0 * (COUNT * (COUNT - 1) / 2));
    end(&t);
}

/* ---- destructors ---- */

static const char noted[] =
    "struct trace { double *out; int n; void add(double v) { out[n++] = v; } };"
    "struct note { trace *to; double v; note(trace *l, double x) : to(l), v(x) { } ~note() { to->add(v); } };"
    "struct both { note a, b; both(trace *l) : a(l, 71), b(l, 72) { } };"
    "inline double result(trace *l, bool soon) { note n(l, 30); if (soon) { note m(l, 31); return l->n; } return -1; }";

TEST(destructors)
{
    struct trial t;
    begin(&t, noted, SCHEDULE_SEQUENTIAL,
          "if (i == 0) { trace l = { out, 0 };"
          "  { note a(&l, 1); note b(&l, 2); l.add(0); }"                              /* 0 2 1 */
          "  for (int k = 0; k < 4; k++) { note c(&l, 10 + k); if (k == 1) continue;"  /* 10, 11 */
          "    note d(&l, 20 + k); if (k == 2) break; l.add(5); }"                     /* 5 20 10 | 11 | 22 12 */
          "  double at = result(&l, true); l.add(at); l.add(result(&l, false));"       /* 31 30 9 | 30 -1 */
          "  switch (l.n) { case 14: { note e(&l, 40); break; } default: l.add(-1); }" /* 40 */
          "  if (note f(&l, 50); l.n == 15) l.add(51); else l.add(52);"                /* 51 50 */
          "  { both g(&l); }"                                                          /* 72 71 */
          "  l.add(99); }");
    call(&t, 0);
    static const double want[] = { 0, 2, 1, 5, 20, 10, 11, 22, 12, 31, 30, 9, 30, -1, 40, 51, 50, 72, 71, 99 };
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        CHECK(t.out[k] == want[k]);
        if (t.out[k] != want[k])
            printf("    %zu: %g, not %g\n", k, t.out[k], want[k]);
    }
    end(&t);
}

TEST(new_and_delete)
{
    struct trial t;
    begin(&t, "struct cell { double v; cell *next; };", SCHEDULE_CPU_MULTICORE,
          "cell *list = nullptr; for (int k = 0; k <= i; k++) list = new cell{ in[k], list };"
          "double *sums = new double[i + 1]; long *one = new long(3); int n = 0; double before = 0;"
          "while (list) { cell *next = list->next; before += list->v; sums[n++] = before; delete list; list = next; }"
          "out[i] = sums[i] * *one; delete[] sums; delete one;");
    call(&t, 0);
    for (int i = 0; i < COUNT; i++)
        CHECK(t.out[i] == 3 * i * (i + 1) / 2);
    end(&t);
}

/* ---- files ---- */

struct folder {
    char path[64], file[128], text[256], was[4096];
};

/* Into a folder of its own, so that the text of the tasklet may name a file. */
static void enter(struct folder *f)
{
    strcpy(f->path, "/tmp/sdfg-state-XXXXXX");
    CHECK(mkdtemp(f->path) && getcwd(f->was, sizeof f->was) && !chdir(f->path));
}

static const char *leave(struct folder *f, const char *name)
{
    snprintf(f->file, sizeof f->file, "%s/%s", f->path, name);
    FILE *file = fopen(f->file, "r");
    size_t size = file ? fread(f->text, 1, sizeof f->text - 1, file) : 0;
    f->text[size] = 0;
    if (file)
        fclose(file);
    CHECK(!remove(f->file) && !chdir(f->was) && !rmdir(f->path));
    return f->text;
}

TEST(output_file)
{
    struct trial t;
    struct folder f;
    enter(&f);
    begin(&t, "#include <fstream>", SCHEDULE_SEQUENTIAL,
          "if (i < 2) { std::ofstream of(\"written.txt\", std::ofstream::app); of << i << ' ' << in[3] / 8 << "
          "std::endl; }"
          "if (i == 2) { std::ofstream of(\"written.txt\", std::ios::app); of << true << (unsigned char)'x' << 1.0f / "
          "3 << "
          "\"\\n\" << -7l; of.close(); of << 5; std::ofstream none(\"no/such/folder\"); none << 3; out[0] = "
          "none.is_open(); }");
    call(&t, 0);
    CHECK(t.out[0] == 0);
    end(&t);
    CHECK_STR(leave(&f, "written.txt"), "0 0.375\n1 0.375\n1x0.333333\n-7");
}

/* Static objects go with the program, the last one first, and those that nobody came to not at all. */
TEST(static_objects)
{
    struct trial t;
    struct folder f;
    enter(&f);
    begin(&t,
          "#include <fstream>\nstruct note { const char *text; note(const char *t) : text(t) { }"
          "  ~note() { std::ofstream of(\"ends.txt\", std::ios::app); of << text; } };",
          SCHEDULE_SEQUENTIAL,
          "static std::ofstream of(\"ends.txt\", std::ios::app); static note first(\"<first>\"); if (i == 3) { static "
          "note "
          "second(\"<second>\"); }"
          "if (i == 64) { static note never(\"<never>\"); } if (i == 0) of << in[1] << ' ';");
    t.in[1] = 7;
    call(&t, 0);
    call(&t, 0);
    end(&t);
    CHECK_STR(leave(&f, "ends.txt"), "<second><first>7 7 ");
}

/* ---- the state ---- */

/* Begins with the first call for a value of N, ends with the program object. */
TEST(fields)
{
    struct trial t;
    struct folder f;
    enter(&f);
    begin(&t, "#include <fstream>", SCHEDULE_SEQUENTIAL, "out[i] = ++__state->calls + *__state->from;");
    vec_push(t.ir->arena, &t.tasklet->state_fields, "int calls;");
    vec_push(t.ir->arena, &t.tasklet->state_fields, "long *from; double weights[3];");
    t.tasklet->code_init = cpp(&t, "__state->from = new long; *__state->from = 1000 * N + __state->weights[2];");
    t.tasklet->code_exit = cpp(
        &t,
        "{ std::ofstream of(\"exit.txt\", std::ios::app); of << \"t\" << *__state->from << ' ' << __state->calls << "
        "' '; } delete __state->from;");
    vec_push(t.ir->arena, &t.s->init_code, cpp(&t, "__state->weights[2] = 7;"));
    vec_push(t.ir->arena, &t.s->exit_code,
             cpp(&t, "std::ofstream of(\"exit.txt\", std::ios::app); of << \"s\" << __state->weights[2] << '\\n';"));
    call(&t, 2);
    CHECK(t.out[0] == 2008 && t.out[63] == 2071);
    call(&t, 2);
    CHECK(t.out[63] == 2135);
    call(&t, 5);
    CHECK(t.out[63] == 5071);
    CHECK(access("exit.txt", F_OK) != 0);
    end(&t);
    const char *text = leave(&f, "exit.txt");
    CHECK(strstr(text, "t2007 128 s7\n") && strstr(text, "t5007 64 s7\n") && strlen(text) == 25);
}

/* ---- what is refused ---- */

static void refused(const char *global, const char *code, const char *why)
{
    struct trial t;
    begin(&t, global, SCHEDULE_SEQUENTIAL, code);
    sdfg_error *e = try_load(&t);
    if (!e)
        e = try_call(&t, 0);
    CHECK(e && strstr(sdfg_error_text(e), why));
    if (e && !strstr(sdfg_error_text(e), why))
        printf("    %s\n", sdfg_error_text(e));
    sdfg_error_free(e);
    end(&t);
}

TEST(refusals)
{
    refused("extern int elsewhere;", "out[i] = elsewhere;",
            "'elsewhere', which is defined elsewhere, is not supported");
    refused(NULL, "static thread_local int mine; out[i] = mine++;", "the variable 'mine' of every thread");
    refused(NULL, "static double &r = out[0]; r = 1;", "the static reference 'r'");
    refused(noted, "trace l = { out, 0 }; note(&l, 3);", "an object without a name that has a destructor");
    refused(noted, "trace l = { out, 0 }; note n[2] = { { &l, 1 }, { &l, 2 } };",
            "an array of objects with a destructor");
    refused("template <class T> struct held { T v; ~held() { } };", "held<int> h; h.v = 1; out[i] = h.v;",
            "the destructor of a class template");
    refused(NULL, "out[i] = __state->calls;", "__state");
}

CHECK_MAIN
