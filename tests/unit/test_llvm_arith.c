/* Values: every operation on every type against C. */
#include "base/smallfloat.h"
#include "ir/type.h"
#include "jit/jit.h"
#include "lower/llvm/llvm.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* A program that computes `results` expressions for each element of two input arrays a and b. */
enum { MAX_RESULTS = 32 };

struct table {
    struct program p;
    struct tree_stmt *loop;
    struct tree_expr *i, *a, *b, *x, *y; /* x, y: the elements */
    int64_t count;
};

static struct table table_begin(const struct type *(*type_of)(struct program *, int), int kind, void *a, void *b,
                                int64_t count)
{
    struct table t = { .p = program_begin(), .count = count };
    const struct type *type = type_of(&t.p, kind);
    t.a = program_array(&t.p, "a", type, a);
    t.b = program_array(&t.p, "b", type, b);
    t.loop = program_for(&t.p, t.p.body, expr_i64(t.p.t, count), &t.i);
    t.x = program_load(&t.p, t.a, t.i);
    t.y = program_load(&t.p, t.b, t.i);
    return t;
}

static const struct type *basic_type(struct program *p, int kind) { return type_basic(p->ir, (enum type_kind)kind); }

static void table_add(struct table *t, struct tree_expr *value, void *out)
{
    struct tree_expr *array = program_array(&t->p, "out", value->type, out);
    program_store(&t->p, t->loop->body, array, t->i, value);
}

static struct tree_expr *math1(struct tree *t, enum tree_math f, struct tree_expr *x) { return expr_math(t, f, &x); }

static const int levels[] = { 0, -1 };

/* ---- integers ---- */

static const enum expr_op int_ops[] = { EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV, EXPR_REM, EXPR_AND,
                                        EXPR_OR,  EXPR_XOR, EXPR_SHL, EXPR_SHR, EXPR_MIN, EXPR_MAX };
static const enum expr_op compare_ops[] = { EXPR_EQ, EXPR_NE, EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE };
enum { NUM_INT_OPS = 12, NUM_COMPARE_OPS = 6 };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#define COMPARE_OPS(T)                                                                                                 \
    static bool compare_##T(int op, T a, T b)                                                                          \
    {                                                                                                                  \
        const bool r[] = { a == b, a != b, a<b, a <= b, a> b, a >= b };                                                \
        return r[op];                                                                                                  \
    }

#define INT_TYPE(T, KIND, LOWEST)                                                                                      \
    static T op_##T(int op, T a, T b)                                                                                  \
    {                                                                                                                  \
        uint64_t x = (uint64_t)a, y = (uint64_t)b;                                                                     \
        int shift = (int)(y & (sizeof(T) * 8 - 1));                                                                    \
        switch (op) {                                                                                                  \
        case 0:                                                                                                        \
            return (T)(x + y);                                                                                         \
        case 1:                                                                                                        \
            return (T)(x - y);                                                                                         \
        case 2:                                                                                                        \
            return (T)(x * y);                                                                                         \
        case 3:                                                                                                        \
            return b == 0 ? 0 : (LOWEST) < 0 && b == (T)-1 ? (T)(0 - x) : (T)(a / b);                                  \
        case 4:                                                                                                        \
            return b == 0 || ((LOWEST) < 0 && b == (T)-1) ? 0 : (T)(a % b);                                            \
        case 5:                                                                                                        \
            return (T)(x & y);                                                                                         \
        case 6:                                                                                                        \
            return (T)(x | y);                                                                                         \
        case 7:                                                                                                        \
            return (T)(x ^ y);                                                                                         \
        case 8:                                                                                                        \
            return (T)(x << shift);                                                                                    \
        case 9:                                                                                                        \
            return (T)(a >> shift);                                                                                    \
        case 10:                                                                                                       \
            return a < b ? a : b;                                                                                      \
        default:                                                                                                       \
            return a > b ? a : b;                                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    COMPARE_OPS(T)                                                                                                     \
    TEST(integer_operations_##T)                                                                                       \
    {                                                                                                                  \
        static const T values[] = { 0,     1,     2,       3,      7,                                                  \
                                    8,     31,    63,      100,    (T)-1,                                              \
                                    (T)-2, (T)-7, (T)-100, LOWEST, (T)(0 - 1 - (uint64_t)(LOWEST)) };                  \
        enum { N = COUNT(values) };                                                                                    \
        static T a[N * N], b[N * N], r[NUM_INT_OPS][N * N], negative[N * N], inverse[N * N], size[N * N];              \
        static bool c[NUM_COMPARE_OPS][N * N];                                                                         \
        for (int i = 0; i < N * N; i++) {                                                                              \
            a[i] = values[i / N];                                                                                      \
            b[i] = values[i % N];                                                                                      \
        }                                                                                                              \
        struct table t = table_begin(basic_type, KIND, a, b, N * N);                                                   \
        for (int i = 0; i < NUM_INT_OPS; i++)                                                                          \
            table_add(&t, expr_binary(t.p.t, int_ops[i], t.x, t.y), r[i]);                                             \
        for (int i = 0; i < NUM_COMPARE_OPS; i++)                                                                      \
            table_add(&t, expr_binary(t.p.t, compare_ops[i], t.x, t.y), c[i]);                                         \
        table_add(&t, expr_unary(t.p.t, EXPR_NEG, t.x), negative);                                                     \
        table_add(&t, expr_unary(t.p.t, EXPR_BITNOT, t.x), inverse);                                                   \
        table_add(&t, math1(t.p.t, TREE_MATH_fabs, t.x), size);                                                        \
        for (int level = 0; level < 2; level++) {                                                                      \
            program_run(&t.p, levels[level]);                                                                          \
            for (int i = 0; i < N * N; i++) {                                                                          \
                for (int op = 0; op < NUM_INT_OPS; op++)                                                               \
                    if (r[op][i] != op_##T(op, a[i], b[i])) {                                                          \
                        printf("operation %d on %lld, %lld\n", op, (long long)a[i], (long long)b[i]);                  \
                        CHECK_INT(r[op][i], op_##T(op, a[i], b[i]));                                                   \
                    }                                                                                                  \
                for (int op = 0; op < NUM_COMPARE_OPS; op++)                                                           \
                    CHECK_INT(c[op][i], compare_##T(op, a[i], b[i]));                                                  \
                CHECK_INT(negative[i], (T)(0 - (uint64_t)a[i]));                                                       \
                CHECK_INT(inverse[i], (T)~a[i]);                                                                       \
                CHECK_INT(size[i], (LOWEST) < 0 && a[i] < 0 ? (T)(0 - (uint64_t)a[i]) : a[i]);                         \
            }                                                                                                          \
        }                                                                                                              \
        program_end(&t.p);                                                                                             \
    }

/* Comparing an unsigned value with 0 is what the macro does for both kinds. */
#pragma GCC diagnostic ignored "-Wtype-limits"
INT_TYPE(int8_t, TYPE_I8, INT8_MIN)
INT_TYPE(int16_t, TYPE_I16, INT16_MIN)
INT_TYPE(int32_t, TYPE_I32, INT32_MIN)
INT_TYPE(int64_t, TYPE_I64, INT64_MIN)
INT_TYPE(uint8_t, TYPE_U8, 0u)
INT_TYPE(uint16_t, TYPE_U16, 0u)
INT_TYPE(uint32_t, TYPE_U32, 0u)
INT_TYPE(uint64_t, TYPE_U64, 0ull)

/* ---- floats ---- */

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b); }

#define CHECK_SAME(actual, expected)                                                                                   \
    do {                                                                                                               \
        double same_a = (actual), same_b = (expected);                                                                 \
        if (!same(same_a, same_b)) {                                                                                   \
            check_failures++;                                                                                          \
            printf("%s:%d: %s is %.17g, expected %.17g\n", __FILE__, __LINE__, #actual, same_a, same_b);               \
        }                                                                                                              \
    } while (0)

static const enum expr_op float_ops[] = { EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV, EXPR_REM, EXPR_MIN, EXPR_MAX };
enum { NUM_FLOAT_OPS = 7 };

static const double float_values[] = { 0.0,  -0.0, 1,     -1,    0.5,      1.5,       2.5, -2.5,       3.25,
                                       1e-3, 1e30, -1e30, 1e-30, INFINITY, -INFINITY, NAN, 123456.789, 0.1 };
enum { NUM_FLOATS = COUNT(float_values) };

#define FLOAT_TYPE(T, KIND, FMOD)                                                                                      \
    static T op_##T(int op, T a, T b)                                                                                  \
    {                                                                                                                  \
        const T r[] = { a + b, a - b, a * b, a / b, FMOD(a, b), a < b ? a : b, a > b ? a : b };                        \
        return r[op];                                                                                                  \
    }                                                                                                                  \
    COMPARE_OPS(T)                                                                                                     \
    TEST(float_operations_##T)                                                                                         \
    {                                                                                                                  \
        enum { N = NUM_FLOATS };                                                                                       \
        static T a[N * N], b[N * N], r[NUM_FLOAT_OPS][N * N], negative[N * N];                                         \
        static bool c[NUM_COMPARE_OPS][N * N], truth[N * N], no[N * N];                                                \
        for (int i = 0; i < N * N; i++) {                                                                              \
            a[i] = (T)float_values[i / N];                                                                             \
            b[i] = (T)float_values[i % N];                                                                             \
        }                                                                                                              \
        struct table t = table_begin(basic_type, KIND, a, b, N * N);                                                   \
        for (int i = 0; i < NUM_FLOAT_OPS; i++)                                                                        \
            table_add(&t, expr_binary(t.p.t, float_ops[i], t.x, t.y), r[i]);                                           \
        for (int i = 0; i < NUM_COMPARE_OPS; i++)                                                                      \
            table_add(&t, expr_binary(t.p.t, compare_ops[i], t.x, t.y), c[i]);                                         \
        table_add(&t, expr_unary(t.p.t, EXPR_NEG, t.x), negative);                                                     \
        table_add(&t, expr_truth(t.p.t, t.x), truth);                                                                  \
        table_add(&t, expr_unary(t.p.t, EXPR_NOT, expr_truth(t.p.t, t.x)), no);                                        \
        for (int level = 0; level < 2; level++) {                                                                      \
            program_run(&t.p, levels[level]);                                                                          \
            for (int i = 0; i < N * N; i++) {                                                                          \
                for (int op = 0; op < NUM_FLOAT_OPS; op++)                                                             \
                    CHECK_SAME(r[op][i], op_##T(op, a[i], b[i]));                                                      \
                for (int op = 0; op < NUM_COMPARE_OPS; op++)                                                           \
                    CHECK_INT(c[op][i], compare_##T(op, a[i], b[i]));                                                  \
                CHECK_SAME(negative[i], -a[i]);                                                                        \
                CHECK_INT(truth[i], a[i] != 0);                                                                        \
                CHECK_INT(no[i], !(a[i] != 0));                                                                        \
            }                                                                                                          \
        }                                                                                                              \
        program_end(&t.p);                                                                                             \
    }

FLOAT_TYPE(float, TYPE_F32, fmodf)
FLOAT_TYPE(double, TYPE_F64, fmod)

/* ---- mathematical functions: the C library's results, bit by bit ---- */

/* clang-format off */
#define UNARY_MATH(MATH) \
    MATH(sqrt) MATH(cbrt) MATH(exp) MATH(exp2) MATH(expm1) MATH(log) MATH(log2) MATH(log10) \
    MATH(log1p) MATH(sin) MATH(cos) MATH(tan) MATH(asin) MATH(acos) MATH(atan) MATH(sinh) MATH(cosh) \
    MATH(tanh) MATH(asinh) MATH(acosh) MATH(atanh) MATH(fabs) MATH(floor) MATH(ceil) MATH(trunc) \
    MATH(round) MATH(nearbyint) MATH(erf) MATH(erfc) MATH(tgamma) MATH(lgamma)
/* clang-format on */
#define BINARY_MATH(MATH) MATH(atan2) MATH(pow) MATH(hypot) MATH(fmod) MATH(copysign)

static const struct {
    enum tree_math math;
    double (*f64)(double);
    float (*f32)(float);
} unary_math[] = {
#define MATH(name) { TREE_MATH_##name, name, name##f },
    UNARY_MATH(MATH)
#undef MATH
};

static const struct {
    enum tree_math math;
    double (*f64)(double, double);
    float (*f32)(float, float);
} binary_math[] = {
#define MATH(name) { TREE_MATH_##name, name, name##f },
    BINARY_MATH(MATH)
#undef MATH
};

enum { NUM_UNARY = COUNT(unary_math), NUM_BINARY = COUNT(binary_math), NUM_PAIRS = NUM_FLOATS * NUM_FLOATS };

#define MATH_TEST(T, KIND, FIELD)                                                                                      \
    TEST(mathematical_functions_##T)                                                                                   \
    {                                                                                                                  \
        static T a[NUM_PAIRS], b[NUM_PAIRS], r[PROGRAM_MAX_ARGS][NUM_PAIRS];                                           \
        static bool tests[4][NUM_PAIRS];                                                                               \
        for (int i = 0; i < NUM_PAIRS; i++) {                                                                          \
            a[i] = (T)float_values[i / NUM_FLOATS];                                                                    \
            b[i] = (T)float_values[i % NUM_FLOATS];                                                                    \
        }                                                                                                              \
        struct table t = table_begin(basic_type, KIND, a, b, NUM_PAIRS);                                               \
        for (int i = 0; i < 16; i++)                                                                                   \
            table_add(&t, math1(t.p.t, unary_math[i].math, t.x), r[i]);                                                \
        program_run(&t.p, -1);                                                                                         \
        for (int f = 0; f < 16; f++)                                                                                   \
            for (int i = 0; i < NUM_PAIRS; i++)                                                                        \
                CHECK_SAME(r[f][i], unary_math[f].FIELD(a[i]));                                                        \
        program_end(&t.p);                                                                                             \
        t = table_begin(basic_type, KIND, a, b, NUM_PAIRS);                                                            \
        for (int i = 16; i < NUM_UNARY; i++)                                                                           \
            table_add(&t, math1(t.p.t, unary_math[i].math, t.x), r[i]);                                                \
        program_run(&t.p, -1);                                                                                         \
        for (int f = 16; f < NUM_UNARY; f++)                                                                           \
            for (int i = 0; i < NUM_PAIRS; i++)                                                                        \
                CHECK_SAME(r[f][i], unary_math[f].FIELD(a[i]));                                                        \
        program_end(&t.p);                                                                                             \
        t = table_begin(basic_type, KIND, a, b, NUM_PAIRS);                                                            \
        for (int i = 0; i < NUM_BINARY; i++)                                                                           \
            table_add(&t, expr_math(t.p.t, binary_math[i].math, (struct tree_expr *[]){ t.x, t.y }), r[i]);            \
        table_add(&t, expr_math(t.p.t, TREE_MATH_fma, (struct tree_expr *[]){ t.x, t.y, t.x }), r[NUM_BINARY]);        \
        for (int i = 0; i < 4; i++)                                                                                    \
            table_add(&t, math1(t.p.t, TREE_MATH_isnan + (enum tree_math)i, t.x), tests[i]);                           \
        program_run(&t.p, -1);                                                                                         \
        for (int i = 0; i < NUM_PAIRS; i++) {                                                                          \
            for (int f = 0; f < NUM_BINARY; f++)                                                                       \
                CHECK_SAME(r[f][i], binary_math[f].FIELD(a[i], b[i]));                                                 \
            CHECK_SAME(r[NUM_BINARY][i],                                                                               \
                       (T)(sizeof(T) == 4 ? fmaf((float)a[i], (float)b[i], (float)a[i]) : fma(a[i], b[i], a[i])));     \
            CHECK_INT(tests[0][i], isnan(a[i]) != 0);                                                                  \
            CHECK_INT(tests[1][i], isinf(a[i]) != 0);                                                                  \
            CHECK_INT(tests[2][i], isfinite(a[i]) != 0);                                                               \
            CHECK_INT(tests[3][i], signbit(a[i]) != 0);                                                                \
        }                                                                                                              \
        program_end(&t.p);                                                                                             \
    }

MATH_TEST(float, TYPE_F32, f32)
MATH_TEST(double, TYPE_F64, f64)

/* ---- conversions: every basic type to every other ---- */

static const double cast_values[] = { 0,        1,         -1,   2,        100,        127,           128,
                                      200,      255,       -128, -129,     1000,       65504,         -70000,
                                      3.7,      -3.7,      1e6,  16777217, 2147483647, -2147483648.0, 3e9,
                                      1e12,     9.3e18,    1e19, -1e19,    1e-8,       1e300,         -0.0,
                                      INFINITY, -INFINITY, NAN };
enum { NUM_CASTS = COUNT(cast_values), FIRST_KIND = TYPE_BOOL, LAST_KIND = TYPE_F64, CELL = 8 };

static bool is_small(int kind) { return kind >= TYPE_F16 && kind <= TYPE_F8E5M2; }

/* What x86-64 gives; see lower/llvm/llvm.h. */
static int64_t to_int(double v, int bits)
{
    double limit = bits == 32 ? 0x1p31 : 0x1p63;
    return fabs(v) < limit ? (int64_t)v : bits == 32 ? INT32_MIN : INT64_MIN;
}

static uint64_t float_to_u64(double v)
{
    return v >= 0x1p63 ? (uint64_t)to_int(v - 0x1p63, 64) ^ (1ull << 63) : (uint64_t)to_int(v, 64);
}

/* The numeric value of a cell: exact in one of the three. */
struct number {
    bool is_float, is_unsigned;
    double f;
    int64_t i;
};

static struct number read_cell(int kind, const void *at)
{
    struct number n = { .is_float = kind >= TYPE_F16, .is_unsigned = kind == TYPE_U64 };
    uint64_t raw = 0;
    static const int sizes[] = {
        [TYPE_BOOL] = 1, [TYPE_I8] = 1,     [TYPE_I16] = 2,    [TYPE_I32] = 4, [TYPE_I64] = 8,
        [TYPE_U8] = 1,   [TYPE_U16] = 2,    [TYPE_U32] = 4,    [TYPE_U64] = 8, [TYPE_F16] = 2,
        [TYPE_BF16] = 2, [TYPE_F8E4M3] = 1, [TYPE_F8E5M2] = 1, [TYPE_F32] = 4, [TYPE_F64] = 8
    };
    memcpy(&raw, at, (size_t)sizes[kind]);
    if (is_small(kind)) {
        n.f = smallfloat_decode((enum smallfloat)(kind - TYPE_F16), (uint32_t)raw);
    } else if (kind == TYPE_F32) {
        float f;
        memcpy(&f, at, 4);
        n.f = f;
    } else if (kind == TYPE_F64) {
        memcpy(&n.f, at, 8);
    } else {
        int shift = 64 - 8 * sizes[kind];
        n.i = kind >= TYPE_I8 && kind <= TYPE_I64 ? (int64_t)(raw << shift) >> shift : (int64_t)raw;
    }
    return n;
}

static void write_cell(int kind, struct number n, void *at)
{
    double f = n.is_float ? n.f : n.is_unsigned ? (double)(uint64_t)n.i : (double)n.i;
    float single = n.is_float ? (float)n.f : n.is_unsigned ? (float)(uint64_t)n.i : (float)n.i;
    int64_t i32 = n.is_float ? to_int(n.f, 32) : n.i, i64 = n.is_float ? to_int(n.f, 64) : n.i;
    uint64_t raw = 0;
    switch (kind) {
    case TYPE_BOOL:
        raw = n.is_float ? n.f != 0 : n.i != 0;
        break;
    case TYPE_I8:
    case TYPE_U8:
        raw = (uint8_t)i32;
        break;
    case TYPE_I16:
    case TYPE_U16:
        raw = (uint16_t)i32;
        break;
    case TYPE_I32:
        raw = (uint32_t)i32;
        break;
    case TYPE_U32:
        raw = (uint32_t)i64;
        break;
    case TYPE_I64:
        raw = (uint64_t)i64;
        break;
    case TYPE_U64:
        raw = n.is_float ? float_to_u64(n.f) : (uint64_t)n.i;
        break;
    case TYPE_F32:
        memcpy(&raw, &single, 4);
        break;
    case TYPE_F64:
        memcpy(&raw, &f, 8);
        break;
    default:
        raw = smallfloat_encode((enum smallfloat)(kind - TYPE_F16), n.is_float ? n.f : single);
        break;
    }
    memcpy(at, &raw, 8);
}

TEST(conversions)
{
    static char from[NUM_CASTS * CELL], to[LAST_KIND + 1][NUM_CASTS * CELL];
    for (int source = FIRST_KIND; source <= LAST_KIND; source++) {
        struct program p = program_begin();
        const struct type *type = program_type(&p, (enum type_kind)source);
        struct tree_expr *a = program_array(&p, "a", type, from), *i;
        for (int v = 0; v < NUM_CASTS; v++) {
            char cell[CELL];
            write_cell(source, (struct number){ true, false, cast_values[v], 0 }, cell);
            memcpy(from + v * (int)type->size, cell, type->size);
        }
        struct tree_stmt *loop = program_for(&p, p.body, expr_i64(p.t, NUM_CASTS), &i);
        for (int k = FIRST_KIND; k <= LAST_KIND; k++) {
            const struct type *target = program_type(&p, (enum type_kind)k);
            struct tree_expr *out = program_array(&p, "out", target, to[k]);
            program_store(&p, loop->body, out, i, expr_cast(p.t, target, program_load(&p, a, i)));
        }
        for (int level = 0; level < 2; level++) {
            program_run(&p, levels[level]);
            for (int k = FIRST_KIND; k <= LAST_KIND; k++)
                for (int v = 0; v < NUM_CASTS; v++) {
                    const struct type *target = program_type(&p, (enum type_kind)k);
                    char cell[CELL];
                    struct number n = read_cell(source, from + v * (int)type->size);
                    write_cell(k, n, cell);
                    char *got = to[k] + v * (int)target->size;
                    bool both_nan = k >= TYPE_F16 && isnan(read_cell(k, got).f) && isnan(read_cell(k, cell).f);
                    if (!both_nan && memcmp(got, cell, target->size) != 0) {
                        printf("%s to %s: %g / %lld becomes %g / %lld\n", type->name, target->name, n.f, (long long)n.i,
                               read_cell(k, got).f, (long long)read_cell(k, got).i);
                        CHECK(!"conversion");
                    }
                }
        }
        program_end(&p);
    }
}

/* All 16-bit floats to float32; float32 near every one of them and between them back. */
static void check_small_float(enum type_kind kind, const char *cpu)
{
    enum { ALL = 65536, PER = 5 };
    static uint16_t all[ALL], narrow[ALL * PER], from_double[ALL * PER];
    static float wide[ALL], near_values[ALL * PER];
    static double doubles[ALL * PER];
    enum smallfloat format = (enum smallfloat)(kind - TYPE_F16);
    struct program p = program_begin();
    const struct type *small = program_type(&p, kind), *f32 = program_type(&p, TYPE_F32),
                      *f64 = program_type(&p, TYPE_F64);
    struct tree_expr *i, *j;
    struct tree_expr *in = program_array(&p, "in", small, all), *out = program_array(&p, "out", f32, wide);
    struct tree_expr *from = program_array(&p, "from", f32, near_values), *to = program_array(&p, "to", small, narrow);
    struct tree_expr *from2 = program_array(&p, "from2", f64, doubles),
                     *to2 = program_array(&p, "to2", small, from_double);
    p.cpu = cpu;
    struct tree_stmt *l = program_for(&p, p.body, expr_i64(p.t, ALL), &i);
    program_store(&p, l->body, out, i, expr_cast(p.t, f32, program_load(&p, in, i)));
    l = program_for(&p, p.body, expr_i64(p.t, ALL * PER), &j);
    program_store(&p, l->body, to, j, expr_cast(p.t, small, program_load(&p, from, j)));
    program_store(&p, l->body, to2, j, expr_cast(p.t, small, program_load(&p, from2, j)));
    for (int k = 0; k < ALL; k++) {
        double here = smallfloat_decode(format, (uint32_t)k), next = smallfloat_decode(format, (uint32_t)(k ^ 1));
        double middle = isfinite(here) && isfinite(next) ? (here + next) / 2 : here;
        const double values[PER] = { here, middle, middle * (1 + 1e-7), middle * (1 - 1e-7), middle * (1 + 1e-14) };
        all[k] = (uint16_t)k;
        for (int v = 0; v < PER; v++)
            near_values[k * PER + v] = (float)(doubles[k * PER + v] = values[v]);
    }
    program_run(&p, -1);
    for (int k = 0; k < ALL; k++)
        CHECK_SAME(wide[k], smallfloat_decode(format, (uint32_t)k));
    for (int k = 0; k < ALL * PER; k++)
        if (!isnan(doubles[k])) {
            CHECK_INT(narrow[k], smallfloat_encode(format, near_values[k]));
            CHECK_INT(from_double[k], smallfloat_encode(format, doubles[k]));
        } else {
            CHECK(isnan(smallfloat_decode(format, narrow[k])) && isnan(smallfloat_decode(format, from_double[k])));
        }
    program_end(&p);
}

TEST(small_floats_with_and_without_instructions)
{
    check_small_float(TYPE_F16, NULL);
    check_small_float(TYPE_BF16, NULL);
#ifdef __x86_64__
    check_small_float(TYPE_F16, "x86-64");
#endif
}

/* ---- complex numbers ---- */

static bool near(double _Complex a, double _Complex b, double tolerance)
{
    return cabs(a - b) <= tolerance * (1 + cabs(b));
}

TEST(complex_operations)
{
    static double _Complex a[] = { 1 + 2 * I, -3 + 0.5 * I, 0.25 - 1e200 * I, 1e-200 + 1e-200 * I, 3, 2 * I };
    static double _Complex b[] = { 2 - I, 0.1 + 7 * I, 1e200 - 1e200 * I, 2e-200 - 1e-200 * I, -4 * I, 0 };
    enum { N = COUNT(a), OPS = 4 };
    static double _Complex r[OPS][N], f[16][N], made[N], negative[N], narrow_back[N];
    static double magnitude[N], real[N];
    static bool equal[N], differs[N];
    static const enum tree_math maths[] = { TREE_MATH_sqrt, TREE_MATH_exp,  TREE_MATH_log,
                                            TREE_MATH_sin,  TREE_MATH_tanh, TREE_MATH_conj };
    struct table t = table_begin(basic_type, TYPE_C128, a, b, N);
    struct tree *tree = t.p.t;
    for (int i = 0; i < OPS; i++)
        table_add(&t, expr_binary(tree, float_ops[i], t.x, t.y), r[i]);
    for (int i = 0; i < COUNT(maths); i++)
        table_add(&t, math1(tree, maths[i], t.x), f[i]);
    table_add(&t, expr_math(tree, TREE_MATH_pow, (struct tree_expr *[]){ t.x, t.y }), f[COUNT(maths)]);
    table_add(&t, math1(tree, TREE_MATH_fabs, t.x), magnitude);
    table_add(&t, expr_unary(tree, EXPR_REAL, t.x), real);
    table_add(&t, expr_complex(tree, expr_unary(tree, EXPR_IMAG, t.x), expr_unary(tree, EXPR_REAL, t.y)), made);
    table_add(&t, expr_unary(tree, EXPR_NEG, t.x), negative);
    table_add(&t, expr_binary(tree, EXPR_EQ, t.x, t.y), equal);
    table_add(&t, expr_binary(tree, EXPR_NE, t.x, t.x), differs);
    const struct type *c64 = program_type(&t.p, TYPE_C64);
    table_add(&t, expr_cast(tree, t.x->type, expr_cast(tree, c64, t.x)), narrow_back);
    for (int level = 0; level < 2; level++) {
        program_run(&t.p, levels[level]);
        for (int i = 0; i < N; i++) {
            CHECK(near(r[0][i], a[i] + b[i], 1e-15));
            CHECK(near(r[1][i], a[i] - b[i], 1e-15));
            if (i != 2)
                CHECK(near(r[2][i], a[i] * b[i], 1e-15));
            if (i < 5)
                CHECK(near(r[3][i], a[i] / b[i], 1e-15));
            double _Complex expected[] = { csqrt(a[i]), cexp(a[i]), clog(a[i]),      csin(a[i]),
                                           ctanh(a[i]), conj(a[i]), cpow(a[i], b[i]) };
            for (int k = 0; k < COUNT(expected); k++) {
                CHECK_SAME(creal(f[k][i]), creal(expected[k]));
                CHECK_SAME(cimag(f[k][i]), cimag(expected[k]));
            }
            CHECK(fabs(magnitude[i] - cabs(a[i])) <= 0x1p-51 * cabs(a[i]));
            CHECK_SAME(real[i], creal(a[i]));
            CHECK(creal(made[i]) == cimag(a[i]) && cimag(made[i]) == creal(b[i]));
            CHECK(negative[i] == -a[i]);
            CHECK_INT(equal[i], a[i] == b[i]);
            CHECK_INT(differs[i], false);
            CHECK(creal(narrow_back[i]) == (float)creal(a[i]));
        }
        CHECK(isnan(creal(r[3][5])) && isinf(cimag(r[3][5])));
    }
    program_end(&t.p);
}

/* Magnitudes of numbers near the ends of the range. */
#define MAGNITUDE_TEST(T, KIND, LEAST, MOST, ULP)                                                                      \
    TEST(magnitudes_of_##T)                                                                                            \
    {                                                                                                                  \
        static const T parts[] = { 0, -0.0, 1, -3, LEAST, 3 * LEAST, MOST, -MOST / 2, INFINITY, -INFINITY, NAN };      \
        enum { SIDE = COUNT(parts), ALL = SIDE * SIDE };                                                               \
        static T _Complex z[ALL];                                                                                      \
        static T out[ALL];                                                                                             \
        for (int i = 0; i < ALL; i++)                                                                                  \
            memcpy(&z[i], (T[]){ parts[i / SIDE], parts[i % SIDE] }, sizeof z[i]);                                     \
        struct table t = table_begin(basic_type, KIND, z, z, ALL);                                                     \
        table_add(&t, math1(t.p.t, TREE_MATH_fabs, t.x), out);                                                         \
        for (int strict = 0; strict < 2; strict++) {                                                                   \
            t.p.options.fp = strict ? LLVM_FP_STRICT : LLVM_FP_DEFAULT;                                                \
            program_run(&t.p, -1);                                                                                     \
            for (int i = 0; i < ALL; i++) {                                                                            \
                T expected = (T)hypot((double)parts[i / SIDE], (double)parts[i % SIDE]);                               \
                T allowed = 2 * (T)ULP * expected > LEAST ? 2 * (T)ULP * expected : LEAST;                             \
                CHECK(isnan(expected) ? isnan(out[i])                                                                  \
                                      : out[i] == expected || fabs((double)(out[i] - expected)) <= (double)allowed);   \
            }                                                                                                          \
        }                                                                                                              \
        program_end(&t.p);                                                                                             \
    }
MAGNITUDE_TEST(double, TYPE_C128, 0x1p-1074, 0x1.fffffffffffffp1023, 0x1p-52)
MAGNITUDE_TEST(float, TYPE_C64, 0x1p-149f, 0x1.fffffep127f, 0x1p-23f)

TEST(float_complex_goes_to_the_c_library)
{
    static float _Complex a[] = { 1 + 2 * I, -3 + 0.5f * I, 0.25f }, b[3], e[3], q[3];
    static float m[3];
    struct table t = table_begin(basic_type, TYPE_C64, a, a, 3);
    table_add(&t, math1(t.p.t, TREE_MATH_sqrt, t.x), b);
    table_add(&t, math1(t.p.t, TREE_MATH_exp, t.x), e);
    table_add(&t, math1(t.p.t, TREE_MATH_fabs, t.x), m);
    table_add(&t, math1(t.p.t, TREE_MATH_log10, t.x), q);
    program_run(&t.p, -1);
    for (int i = 0; i < 3; i++) {
        CHECK(b[i] == csqrtf(a[i]) && e[i] == cexpf(a[i]));
        CHECK(fabsf(m[i] - hypotf(crealf(a[i]), cimagf(a[i]))) <= 0x1p-22f * m[i]);
        CHECK(near(q[i], clog((double _Complex)a[i]) / log(10), 1e-6));
    }
    program_end(&t.p);
}

/* Squares that leave the range of the type, infinite parts, powers by multiplication. */
TEST(complex_magnitudes)
{
    static double _Complex a[7];
    static double m[7];
    a[0] = 3 + 4 * I, a[1] = 1e300 + 1e300 * I, a[2] = 3e-310 - 4e-310 * I, a[3] = 0, a[4] = -1e-160;
    a[5] = CMPLX(-INFINITY, NAN), a[6] = CMPLX(NAN, 1);
    struct table t = table_begin(basic_type, TYPE_C128, a, a, 7);
    table_add(&t, math1(t.p.t, TREE_MATH_fabs, t.x), m);
    program_run(&t.p, -1);
    CHECK(near(m[0], 5, 1e-15) && m[3] == 0 && near(m[4] / 1e-160, 1, 1e-15) && isinf(m[5]) && isnan(m[6]));
    CHECK(near(m[1] / 1e300, sqrt(2), 1e-15) && near(m[2] / 1e-310, 5, 1e-10));
    program_end(&t.p);
}

/* ---- truth values, small floats, bit patterns ---- */

TEST(truth_values)
{
    static unsigned char a[] = { 0, 0, 1, 1, 2 }, b[] = { 0, 1, 0, 1, 0 }; /* 2: any byte but 0 is true */
    static bool r[8][5];
    struct table t = table_begin(basic_type, TYPE_BOOL, a, b, 5);
    const enum expr_op ops[] = { EXPR_AND, EXPR_OR, EXPR_XOR, EXPR_EQ, EXPR_LOGICAL_AND, EXPR_LOGICAL_OR };
    for (int i = 0; i < 6; i++)
        table_add(&t, expr_binary(t.p.t, ops[i], t.x, t.y), r[i]);
    table_add(&t, expr_unary(t.p.t, EXPR_NOT, t.x), r[6]);
    program_run(&t.p, -1);
    for (int i = 0; i < 5; i++) {
        bool x = a[i] != 0, y = b[i];
        const bool expected[] = { x && y, x || y, x != y, x == y, x && y, x || y, !x };
        for (int k = 0; k < 7; k++)
            CHECK_INT(r[k][i], expected[k]);
    }
    program_end(&t.p);
}

TEST(bit_patterns)
{
    static double a[] = { 1.5, -0.0, INFINITY };
    static int64_t bits[3];
    static double back[3];
    static float _Complex pair[3];
    struct table t = table_begin(basic_type, TYPE_F64, a, a, 3);
    const struct type *i64 = program_type(&t.p, TYPE_I64), *c64 = program_type(&t.p, TYPE_C64);
    table_add(&t, expr_bits(t.p.t, i64, t.x), bits);
    table_add(&t, expr_bits(t.p.t, t.x->type, expr_bits(t.p.t, c64, t.x)), back);
    table_add(&t, expr_bits(t.p.t, c64, t.x), pair);
    program_run(&t.p, -1);
    CHECK(memcmp(a, bits, sizeof a) == 0 && memcmp(a, back, sizeof a) == 0 && memcmp(a, pair, sizeof a) == 0);
    program_end(&t.p);
}

/* ---- vectors ---- */

static const struct type *float4(struct program *p, int kind)
{
    return type_vector(p->ir, type_basic(p->ir, (enum type_kind)kind), 4, NULL);
}

TEST(vectors_of_floats)
{
    static float a[] = { 1, -2, 3, NAN, 5, 6, -7, 8 }, b[] = { 2, 2, 3, 1, -5, 0, 0.5, 8 };
    static float sum[8], least[8], root[8], sine[8], chosen[8], splat[8], inserted[8];
    static int32_t mask[8], whole[8], lane_bits[8];
    static float lane[2];
    struct table t = table_begin(float4, TYPE_F32, a, b, 2);
    struct tree *tree = t.p.t;
    const struct type *i4 = float4(&t.p, TYPE_I32);
    struct tree_expr *less = expr_binary(tree, EXPR_LT, t.x, t.y), *two = expr_i64(tree, 2);
    table_add(&t, expr_binary(tree, EXPR_ADD, t.x, t.y), sum);
    table_add(&t, expr_binary(tree, EXPR_MIN, t.x, t.y), least);
    table_add(&t, math1(tree, TREE_MATH_sqrt, t.y), root);
    table_add(&t, math1(tree, TREE_MATH_sin, t.y), sine);
    table_add(&t, less, mask);
    table_add(&t, expr_select(tree, less, t.x, t.y), chosen);
    table_add(&t, expr_lane(tree, t.x, two), lane);
    table_add(&t, expr_splat(tree, t.x->type, expr_lane(tree, t.y, two)), splat);
    table_add(&t, expr_insert(tree, t.x, two, expr_lane(tree, t.y, expr_i64(tree, 0))), inserted);
    table_add(&t, expr_cast(tree, i4, t.y), whole);
    table_add(&t, expr_bits(tree, i4, t.x), lane_bits);
    for (int level = 0; level < 2; level++) {
        program_run(&t.p, levels[level]);
        for (int i = 0; i < 8; i++) {
            CHECK_SAME(sum[i], a[i] + b[i]);
            CHECK_SAME(least[i], a[i] < b[i] ? a[i] : b[i]);
            CHECK_SAME(root[i], sqrtf(b[i]));
            CHECK_SAME(sine[i], sinf(b[i]));
            CHECK_INT(mask[i], a[i] < b[i] ? -1 : 0);
            CHECK_SAME(chosen[i], a[i] < b[i] ? a[i] : b[i]);
            CHECK_SAME(lane[i / 4], a[i / 4 * 4 + 2]);
            CHECK_SAME(splat[i], b[i / 4 * 4 + 2]);
            CHECK_SAME(inserted[i], i % 4 == 2 ? b[i / 4 * 4] : a[i]);
            CHECK_INT(whole[i], (int32_t)b[i]);
        }
        CHECK(memcmp(lane_bits, a, sizeof a) == 0);
    }
    program_end(&t.p);
}

TEST(vectors_of_integers)
{
    static int16_t a[] = { 1, -2, 300, INT16_MIN }, b[] = { 0, 3, 7, -1 }, quotient[4], shifted[4];
    static uint8_t narrow[4];
    static double wide[4];
    struct table t = table_begin(float4, TYPE_I16, a, b, 1);
    table_add(&t, expr_binary(t.p.t, EXPR_DIV, t.x, t.y), quotient);
    table_add(&t, expr_binary(t.p.t, EXPR_SHL, t.x, t.y), shifted);
    table_add(&t, expr_cast(t.p.t, float4(&t.p, TYPE_U8), t.x), narrow);
    table_add(&t, expr_cast(t.p.t, float4(&t.p, TYPE_F64), t.x), wide);
    program_run(&t.p, -1);
    const int16_t expected[] = { 0, 0, 42, INT16_MIN };
    for (int i = 0; i < 4; i++) {
        CHECK_INT(quotient[i], expected[i]);
        CHECK_INT(shifted[i], (int16_t)((uint32_t)a[i] << (b[i] & 15)));
        CHECK_INT(narrow[i], (uint8_t)a[i]);
        CHECK(wide[i] == a[i]);
    }
    program_end(&t.p);
}

CHECK_MAIN
