/* Divisions by what a loop does not change, which are products with a reciprocal (lower/opt/registers/
 * invariant_divisors.c), are rounded as divisions. */
#include "tests/unit/api.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COUNT = 4096 };

static double dividends[COUNT], quotients[COUNT];

/* C[i] = A[i] / d[0] + 0 */
static sdfg_program *divide(struct ir *ir, sdfg_engine *e)
{
    struct sdfg *s = build_sdfg(ir, "divide");
    build_symbol(s, "N", "int64");
    build_array(s, "A", "float64", "N");
    build_array(s, "C", "float64", "N");
    build_array(s, "d", "float64", "1");
    struct state *st = build_state(&s->region, "state");
    struct access *a = build_access(st, "A"), *c = build_access(st, "C"), *d = build_access(st, "d");
    struct map_entry *m = build_map(st, "map", "i = 0:N");
    struct tasklet *t = build_tasklet(st, "tasklet", "a, b", "c", "c = a / b");
    build_path("A[i]", NULL, NULL, "a", &a->node, &m->node, &t->node, NULL);
    build_path("d[0]", NULL, NULL, "b", &d->node, &m->node, &t->node, NULL);
    build_path("C[i]", NULL, "c", NULL, &t->node, m->exit, &c->node, NULL);
    return program_of(e, s);
}

static uint64_t random_bits(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13;
    s ^= s >> 7;
    return s ^= s << 17;
}

static double number(uint64_t mantissa, int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52 | (mantissa & 0xfffffffffffffu) | (random_bits() & 1) << 63;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void make_dividends(void)
{
    static const double special[] = { 0,       -0.0,   INFINITY,    -INFINITY, NAN,      1,      -1,      DBL_MAX,
                                      DBL_MIN, 5e-324, 0x1.8p-1040, -DBL_MAX,  0x1p1023, 1e-300, -1e-320, 3 };
    size_t count = sizeof special / sizeof *special;
    memcpy(dividends, special, sizeof special);
    for (size_t i = count; i < COUNT; i++) {
        uint64_t m = random_bits();
        m = i % 4 == 1 ? m | 0xffffffffff000u : i % 4 == 2 ? m & 0xfff : m;
        dividends[i] = number(m, i % 3 ? (int)(random_bits() % 40) - 20 : (int)(random_bits() % 1900) - 950);
    }
}

/* Steps from one number to the other. */
static double steps(double a, double b)
{
    int exponent;
    frexp(b, &exponent);
    return fabs(a - b) / ldexp(1, exponent - 53 < -1074 ? -1074 : exponent - 53);
}

static int wrong_with(sdfg_program *p, sdfg_args *args, double d)
{
    int wrong = 0;
    CHECK(good(sdfg_args_array(args, "d", SDFG_ARRAY(.data = &d, .dtype = SDFG_F64, .rank = 1, .shape = { 1 }))));
    CHECK(good(sdfg_call(p, args)));
    for (int i = 0; i < COUNT; i++) {
        double x = dividends[i], wanted = x / d, found = quotients[i];
        bool near = (x != 0 && fabs(x) < 0x1p-969) || (wanted != 0 && fabs(wanted) < DBL_MIN) || fabs(d) > 0x1p1020;
        bool same = isnan(wanted) ? isnan(found) : memcmp(&wanted, &found, sizeof found) == 0;
        wrong += !same && !(near && isfinite(wanted) && steps(found, wanted) <= 1);
        if (!same && !(near && isfinite(wanted) && steps(found, wanted) <= 1) && wrong < 4)
            printf("%a / %a: %a, not %a\n", x, d, found, wanted);
    }
    return wrong;
}

TEST(quotients_are_rounded_as_divisions_round)
{
    static const double special[] = { 3,
                                      -7,
                                      0.1,
                                      1e-310,
                                      5e-324,
                                      0,
                                      -0.0,
                                      INFINITY,
                                      -INFINITY,
                                      NAN,
                                      1e300,
                                      DBL_MAX,
                                      DBL_MIN,
                                      0x1p-60,
                                      0x1p900,
                                      1e-200,
                                      0x1.fffffffffffffp0,
                                      1e-290,
                                      1e-305,
                                      0x1.8p1022 };
    struct ir *ir = ir_new();
    sdfg_engine *e;
    sdfg_args *args;
    sdfg_options o = SDFG_OPTIONS_INIT;
    o.num_threads = 1;
    CHECK(good(sdfg_engine_new(&e, &o)));
    sdfg_program *p = divide(ir, e);
    CHECK(good(sdfg_args_new(&args, p)));
    make_dividends();
    CHECK(good(
        sdfg_args_array(args, "A", SDFG_ARRAY(.data = dividends, .dtype = SDFG_F64, .rank = 1, .shape = { COUNT }))));
    CHECK(good(
        sdfg_args_array(args, "C", SDFG_ARRAY(.data = quotients, .dtype = SDFG_F64, .rank = 1, .shape = { COUNT }))));
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        CHECK_INT(wrong_with(p, args, special[i]), 0);
    for (int i = 0; i < 500; i++) {
        uint64_t m = random_bits();
        m = i % 4 == 1 ? m | 0xffffffffff000u : i % 4 == 2 ? m & 0xfff : m;
        CHECK_INT(wrong_with(p, args, number(m, (int)(random_bits() % 80) - 40)), 0);
    }
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_engine_free(e);
    ir_free(ir);
}

CHECK_MAIN
