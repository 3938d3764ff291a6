/* Trees before and after the pass sections. */
#include "base/remark.h"
#include "lower/opt/passes.h"

#include "tests/unit/tree_sample.h"

#include <string.h>

enum { LENGTH = 40000 };

/* for NAME = 1 to end { A[NAME] = A[NAME - 1] + 1 }: nothing that could run on threads itself */
static struct tree_stmt *sweep_in(struct sample *s, struct tree_stmt *b, const char *name, struct array a,
                                  struct tree_expr *end)
{
    struct tree_stmt *l = loop(s, b, name, i64(s, 1), end);
    struct tree_expr *value = load(s, a, plus(s, var(s, l->var), i64(s, -1)));
    l->loop.independent = false;
    store(s, l->body, a, var(s, l->var), expr_binary(s->t, EXPR_ADD, value, expr_float(s->t, s->f64, 1)));
    return l;
}

static struct tree_stmt *sweep(struct sample *s, const char *name, struct array a)
{
    return sweep_in(s, s->body, name, a, i64(s, LENGTH));
}

static const char *after(struct sample *s)
{
    CHECK(opt_sections(s->t, &s->options));
    return shown(s);
}

static bool stays(struct sample *s)
{
    const char *before = shown(s);
    return strcmp(after(s), before) == 0;
}

static bool says(const struct sample *s, const char *what)
{
    struct text out = text_new(s->t->arena);
    remarks_print(s->ir->remarks, &out);
    return strstr(text_get(&out), what) != NULL;
}

/* The parts of a region are between these two. */
#define BEGIN_OF(parts, threads)                                                                                       \
    "counter = stack int64[1]\n"                                                                                       \
    "counter[0] = 0\n"                                                                                                 \
    "parallel thread of threads" threads " {\n"                                                                        \
    "    part = sdfg_rt_next(counter, 1, " parts ", 0)\n"                                                              \
    "    while part < " parts " {\n"
#define BEGIN_AWAKE(parts) BEGIN_OF(parts, "") /* as much work as threads that sleep are woken up for */
#define BEGIN(parts)       "sleep = sdfg_rt_threads_sleep(context)\n" BEGIN_OF(parts, " = sleep != 0 ? 1 : 0")
#define END(parts)                                                                                                     \
    "        part = sdfg_rt_next(counter, 1, " parts ", 0)\n"                                                          \
    "    }\n"                                                                                                          \
    "}\n"

TEST(two_parts)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B");
    struct tree_stmt *l = sweep(&s, "i", a);
    sweep(&s, "j", b);
    CHECK_STR(after(&s), BEGIN("2") "        if part == 0 {\n"
                                    "            for i = 1 to 40000 step 1 {\n"
                                    "                A[i] = A[i - 1] + 1.0\n"
                                    "            }\n"
                                    "        } else {\n"
                                    "            for j = 1 to 40000 step 1 {\n"
                                    "                B[j] = B[j - 1] + 1.0\n"
                                    "            }\n"
                                    "        }\n" END("2"));
    CHECK(l->var->owner != NULL);
    CHECK(says(&s, "loop i: begins 2 parallel sections without dependences between them: the second largest has "
                   "about 159996 operations, the threshold is 131072, or 524288 if threads sleep between "
                   "regions, which is measured"));
    ir_free(s.ir);
}

/* The largest part is the first to be taken; those that are little work go together. */
TEST(order_and_rest)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B"), c = array_new(&s, "C"), d = array_new(&s, "D");
    sweep(&s, "i", a);
    sweep_in(&s, s.body, "j", b, i64(&s, 10));
    sweep_in(&s, s.body, "k", c, i64(&s, 2 * LENGTH));
    sweep_in(&s, s.body, "l", d, i64(&s, 20));
    CHECK_STR(after(&s), BEGIN("3") "        if part == 0 {\n"
                                    "            for k = 1 to 80000 step 1 {\n"
                                    "                C[k] = C[k - 1] + 1.0\n"
                                    "            }\n"
                                    "        } else {\n"
                                    "            if part == 1 {\n"
                                    "                for i = 1 to 40000 step 1 {\n"
                                    "                    A[i] = A[i - 1] + 1.0\n"
                                    "                }\n"
                                    "            } else {\n"
                                    "                for j = 1 to 10 step 1 {\n"
                                    "                    B[j] = B[j - 1] + 1.0\n"
                                    "                }\n"
                                    "                for l = 1 to 20 step 1 {\n"
                                    "                    D[l] = D[l - 1] + 1.0\n"
                                    "                }\n"
                                    "            }\n"
                                    "        }\n" END("3"));
    ir_free(s.ir);
}

/* What one part hands to another keeps its place, past a part that has nothing to do with it. */
TEST(chain)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B"), c = array_new(&s, "C");
    struct tree_var *x = tree_var(s.t, "x", s.f64);
    sweep(&s, "i", a);
    sweep(&s, "j", b);
    stmt_assign(s.t, s.body, x, load(&s, a, i64(&s, 5)));
    struct tree_stmt *l = sweep(&s, "k", c);
    store(&s, l->body, c, i64(&s, 0), var(&s, x));
    CHECK_STR(after(&s), BEGIN("2") "        if part == 0 {\n"
                                    "            for i = 1 to 40000 step 1 {\n"
                                    "                A[i] = A[i - 1] + 1.0\n"
                                    "            }\n"
                                    "            x = A[5]\n"
                                    "            for k = 1 to 40000 step 1 {\n"
                                    "                C[k] = C[k - 1] + 1.0\n"
                                    "                C[0] = x\n"
                                    "            }\n"
                                    "        } else {\n"
                                    "            for j = 1 to 40000 step 1 {\n"
                                    "                B[j] = B[j - 1] + 1.0\n"
                                    "            }\n"
                                    "        }\n" END("2"));
    ir_free(s.ir);
}

/* A loop around loops that have nothing to do with each other is taken apart, too: one region, not one per step. */
TEST(loop_around)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B");
    struct tree_stmt *t = loop(&s, s.body, "t", i64(&s, 0), i64(&s, 9));
    sweep_in(&s, t->body, "i", a, i64(&s, LENGTH));
    sweep_in(&s, t->body, "j", b, i64(&s, 500));
    sweep_in(&s, t->body, "k", b, i64(&s, LENGTH));
    CHECK_STR(after(&s), BEGIN_AWAKE("2") "        if part == 0 {\n"
                                          "            for t = 0 to 9 step 1 independent {\n"
                                          "                for j = 1 to 500 step 1 {\n"
                                          "                    B[j] = B[j - 1] + 1.0\n"
                                          "                }\n"
                                          "                for k = 1 to 40000 step 1 {\n"
                                          "                    B[k] = B[k - 1] + 1.0\n"
                                          "                }\n"
                                          "            }\n"
                                          "        } else {\n"
                                          "            for t = 0 to 9 step 1 independent {\n"
                                          "                for i = 1 to 40000 step 1 {\n"
                                          "                    A[i] = A[i - 1] + 1.0\n"
                                          "                }\n"
                                          "            }\n"
                                          "        }\n" END("2"));
    ir_free(s.ir);
}

/* Neither is a loop that is left early, or whose bounds are in memory. */
TEST(loops_that_stay_whole)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B");
    struct tree_stmt *t = loop(&s, s.body, "t", i64(&s, 0), i64(&s, 9));
    sweep_in(&s, t->body, "i", a, i64(&s, LENGTH));
    sweep_in(&s, t->body, "j", b, i64(&s, LENGTH));
    struct tree_expr *zero = expr_float(s.t, s.f64, 0);
    struct tree_stmt *stop = stmt_if(s.t, t->body, expr_binary(s.t, EXPR_EQ, load(&s, a, i64(&s, 3)), zero));
    stmt_new(s.t, stop->body, STMT_BREAK);
    CHECK(stays(&s));
    ir_free(s.ir);
}

/* In a sequential loop that cannot be taken apart a region is entered again and again: it must be worth more. */
TEST(again_and_again)
{
    for (int times = 1; times <= 8; times *= 8) {
        struct sample s = sample_new();
        struct array a = array_new(&s, "A"), b = array_new(&s, "B");
        struct tree_stmt *t = stmt_while(s.t, s.body, expr_binary(s.t, EXPR_LT, s.n, i64(&s, 9)));
        sweep_in(&s, t->body, "i", a, i64(&s, times * LENGTH));
        sweep_in(&s, t->body, "j", b, i64(&s, times * LENGTH));
        CHECK(stays(&s) == (times == 1));
        CHECK(says(&s, times == 1
                           ? "sections without dependences between them that stay sequential: the second largest has "
                             "about 159996 operations, the threshold for threads is 262144"
                           : "parallel sections without dependences between them"));
        ir_free(s.ir);
    }
}

/* Sizes that are not known: the program decides when it runs. */
TEST(decided_at_run_time)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B");
    sweep_in(&s, s.body, "i", a, s.n);
    sweep_in(&s, s.body, "j", b, s.n);
    CHECK(strstr(after(&s), "small = int64(min(N - 1, 1048576) * 4 >= 131072) + "
                            "int64(min(N - 1, 1048576) * 4 >= 131072) < 2\n"
                            "if !small {\n"
                            "    sleep = sdfg_rt_threads_sleep(context)\n"
                            "    small = sleep != 0 && int64(min(N - 1, 1048576) * 4 >= 524288) + "
                            "int64(min(N - 1, 1048576) * 4 >= 524288) < 2\n"
                            "}\n"));
    CHECK(says(&s, "if the work exceeds the threshold: that depends on symbols and is decided at each call"));
    ir_free(s.ir);
}

/* One that may be large is not enough. */
TEST(one_of_unknown_size)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B");
    sweep_in(&s, s.body, "i", a, s.n);
    sweep_in(&s, s.body, "j", b, i64(&s, 9));
    CHECK(stays(&s));
    ir_free(s.ir);
}

static struct sample two_sweeps(struct array *a, struct array *b)
{
    struct sample s = sample_new();
    *a = array_new(&s, "A");
    *b = array_new(&s, "B");
    sweep(&s, "i", *a);
    return s;
}

/* Work that stays in order: the same container, the same variable, calls, memory that is not known, one thread. */
TEST(order_is_kept)
{
    struct array a, b;
    struct sample s = two_sweeps(&a, &b);
    sweep(&s, "j", a);
    CHECK(stays(&s));
    ir_free(s.ir);

    s = two_sweeps(&a, &b);
    struct tree_stmt *l = sweep(&s, "j", b);
    store(&s, l->body, b, var(&s, l->var), load(&s, a, i64(&s, 7)));
    CHECK(stays(&s));
    ir_free(s.ir);

    s = two_sweeps(&a, &b);
    sweep(&s, "j", (struct array){ b.var, 0 });
    CHECK(stays(&s));
    ir_free(s.ir);

    s = two_sweeps(&a, &b);
    l = sweep(&s, "j", b);
    stmt_call(s.t, l->body, NULL, "tick", NULL, 0);
    CHECK(stays(&s));
    ir_free(s.ir);

    s = two_sweeps(&a, &b);
    l = sweep(&s, "j", b);
    stmt_new(s.t, s.body, STMT_RETURN); /* behind both */
    CHECK(!stays(&s));
    ir_free(s.ir);

    s = two_sweeps(&a, &b);
    stmt_new(s.t, s.body, STMT_RETURN);
    sweep(&s, "j", b);
    CHECK(stays(&s));
    ir_free(s.ir);

    s = two_sweeps(&a, &b);
    sweep(&s, "j", b);
    s.options.num_threads = 1;
    CHECK(stays(&s));
    ir_free(s.ir);
}

/* A variable that is used behind the parts, or carries a value from one time to the next, cannot go into one. */
TEST(variables)
{
    struct array a, b;
    struct sample s = two_sweeps(&a, &b);
    struct tree_var *x = tree_var(s.t, "x", s.f64);
    struct tree_stmt *l = sweep(&s, "j", b);
    stmt_assign(s.t, l->body, x, load(&s, b, i64(&s, 1)));
    stmt_call(s.t, s.body, NULL, "tick", NULL, 0);
    store(&s, s.body, a, i64(&s, 0), var(&s, x));
    CHECK(stays(&s));
    ir_free(s.ir);

    s = two_sweeps(&a, &b);
    x = tree_var(s.t, "x", s.f64);
    l = sweep(&s, "j", b);
    store(&s, l->body, b, i64(&s, 0), var(&s, x));
    stmt_assign(s.t, l->body, x, load(&s, b, i64(&s, 1)));
    CHECK(stays(&s));
    ir_free(s.ir);
}

/* Memory that is taken for one part only goes with it. */
TEST(memory)
{
    struct array a, b;
    struct sample s = two_sweeps(&a, &b);
    struct array t = temporary(&s, "T", i64(&s, LENGTH));
    sweep(&s, "j", t);
    stmt_free(s.t, s.body, t.var);
    sweep(&s, "k", b);
    CHECK_STR(after(&s), BEGIN("3") "        if part == 0 {\n"
                                    "            T = heap float64[40000]\n"
                                    "            for j = 1 to 40000 step 1 {\n"
                                    "                T[j] = T[j - 1] + 1.0\n"
                                    "            }\n"
                                    "            free T\n"
                                    "        } else {\n"
                                    "            if part == 1 {\n"
                                    "                for i = 1 to 40000 step 1 {\n"
                                    "                    A[i] = A[i - 1] + 1.0\n"
                                    "                }\n"
                                    "            } else {\n"
                                    "                for k = 1 to 40000 step 1 {\n"
                                    "                    B[k] = B[k - 1] + 1.0\n"
                                    "                }\n"
                                    "            }\n"
                                    "        }\n" END("3"));
    ir_free(s.ir);
}

CHECK_MAIN
