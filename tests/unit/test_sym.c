#include "ir/sym/sym.h"

#include "tests/unit/check.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct place place = { .noun = "text", .id = PLACE_NO_ID };

static const struct sym *old(struct ir *ir, const char *text)
{
    const struct sym *s = sym_parse(ir, &place, text, SYM_SYNTAX_OLD);
    if (!s)
        printf("cannot read %s\n", text);
    return s;
}

static const char *printed(struct ir *ir, const struct sym *s, enum sym_syntax syntax)
{
    struct text out = text_new(ir->arena);
    sym_print(s, syntax, &out);
    return text_get(&out);
}

/* ---- tables: tests/sym/<syntax>.txt ---- */

static void check_row(const char *text, const char *expected, enum sym_syntax syntax)
{
    struct ir *ir = ir_new();
    const struct sym *s = sym_parse(ir, &place, text, syntax);
    if (!s)
        printf("cannot read %s\n", text);
    CHECK(s != NULL);
    if (s) {
        CHECK_STR(printed(ir, s, SYM_SYNTAX_NEW), expected);
        CHECK(sym_parse(ir, &place, expected, SYM_SYNTAX_NEW) == s);
        CHECK(sym_parse(ir, &place, printed(ir, s, syntax), syntax) == s);
    }
    ir_free(ir);
}

static void check_error(const char *text, const char *expected, enum sym_syntax syntax)
{
    static const char subject[] = "symbolic expression: ";
    struct ir *ir = ir_new();
    const struct sym *s = sym_parse(ir, &place, text, syntax);
    if (s)
        printf("accepted: %s\n", text);
    CHECK(s == NULL);
    CHECK_INT(diags_errors(ir->diags), s ? 0 : 1);
    if (!s) {
        const struct diag *g = diags_get(ir->diags, 0);
        const char *caret = g->excerpt ? strrchr(g->excerpt, '\n') : NULL;
        CHECK(caret && !strncmp(g->message, subject, sizeof subject - 1));
        if (caret)
            CHECK_STR(arena_printf(ir->arena, "%d %s", (int)strlen(caret + 5) - 1, g->message + sizeof subject - 1),
                      expected);
    }
    ir_free(ir);
}

static void check_table(const char *path, enum sym_syntax syntax)
{
    char line[1024];
    int rows = 0;
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *good = strstr(line, " => "), *bad = strstr(line, " !! ");
        if (line[0] == '#')
            continue;
        CHECK(good || bad);
        if (good)
            *good = 0;
        else if (bad)
            *bad = 0;
        if (good)
            check_row(line, good + 4, syntax);
        else if (bad)
            check_error(line, bad + 4, syntax);
        rows++;
    }
    CHECK(rows > 50);
    if (file)
        fclose(file);
}

TEST(new_syntax) { check_table("sym/new.txt", SYM_SYNTAX_NEW); }
TEST(old_syntax) { check_table("sym/old.txt", SYM_SYNTAX_OLD); }
TEST(python_syntax) { check_table("sym/python.txt", SYM_SYNTAX_PYTHON); }

TEST(messages)
{
    struct ir *ir = ir_new();
    CHECK_STR(sym_text(ir, old(ir, "IfExpr(a < 1 + N//2, A[i + 1], -x*int_ceil(M, 4)/y)")),
              "A[1 + i] if a < 1 + N // 2 else -x*int_ceil(M, 4)/y");
    CHECK_STR(sym_text(ir, old(ir, "(a and not b or c) + Min(1, x % 3)**2")), "Min(1, x % 3)**2 + (a and not b or c)");
    CHECK_STR(printed(ir, old(ir, "-x - y/2"), SYM_SYNTAX_OLD), "-x - 1/2*y");
    CHECK_STR(sym_text(ir, old(ir, "-1/x/(a - b)")), "-1/x/(a - b)");
    CHECK_INT(diags_count(ir->diags), 0);
    old(ir, "a < b < c");
    CHECK_INT(diags_errors(ir->diags), 0);
    CHECK_STR(diags_get(ir->diags, 0)->message, "chained comparison, read as in Python: a < b < c");
    ir_free(ir);
}

TEST(empty)
{
    struct ir *ir = ir_new();
    CHECK(!sym_parse(ir, &place, "", SYM_SYNTAX_NEW));
    CHECK_INT(diags_errors(ir->diags), 1);
    ir_free(ir);
}

TEST(sniffing)
{
    CHECK(sym_text_is_new("$N") && !sym_text_is_new("N"));
    static const char *const bare[] = { "N", "N - 1", "Min(N, 3)", "1 + floor", "floor(n)", "x2f32", "a[3]", "g(3)" };
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        CHECK(sym_text_is_old(bare[i]));
    static const char *const neither[] = { "0",
                                           "1e5",
                                           "2e5m2",
                                           "3i64",
                                           "Min(1, 2)",
                                           "int_ceil(7, 2)",
                                           "True",
                                           "-1 + $N",
                                           "dace.int64(3)",
                                           "symbol($N, True)",
                                           "?",
                                           "0x1F",
                                           "Subscript($A, $B)" };
    for (size_t i = 0; i < sizeof neither / sizeof *neither; i++)
        CHECK(!sym_text_is_old(neither[i]) || sym_text_is_new(neither[i]));
}

/* ---- size limits ---- */

/* prefix * n, middle, suffix * n */
static char *nested(const char *prefix, const char *middle, const char *suffix, size_t n)
{
    size_t a = strlen(prefix), b = strlen(suffix), m = strlen(middle);
    char *text = malloc((a + b) * n + m + 1), *at = text;
    for (size_t i = 0; i < n; i++, at += a)
        memcpy(at, prefix, a);
    memcpy(at, middle, m);
    at += m;
    for (size_t i = 0; i < n; i++, at += b)
        memcpy(at, suffix, b);
    *at = 0;
    return text;
}

static bool reads(const char *prefix, const char *middle, const char *suffix, size_t n)
{
    struct ir *ir = ir_new();
    char *text = nested(prefix, middle, suffix, n);
    const struct sym *s = sym_parse(ir, &place, text, SYM_SYNTAX_OLD);
    CHECK_INT(diags_errors(ir->diags), s ? 0 : 1);
    if (s) {
        sym_expand(ir, s);
        sym_less(ir, s, sym_name(ir, "N"));
    }
    free(text);
    ir_free(ir);
    return s != NULL;
}

TEST(depth)
{
    CHECK(reads("(", "x", ")", 900));
    CHECK(!reads("(", "x", ")", 1100));
    CHECK(!reads("(", "x", ")", 100000));
    CHECK(reads("-", "x", "", 900));
    CHECK(!reads("-", "x", "", 100000));
    CHECK(!reads("not ", "x", "", 100000));
    CHECK(reads("", "x", "//y", 900));
    CHECK(!reads("", "x", "//y", 100000));
    CHECK(!reads("", "x", "**y", 100000));
    CHECK(!reads("", "x", ".y", 100000));
    CHECK(!reads("", "x", "[i]", 100000));
    CHECK(!reads("a if b else ", "x", "", 100000));
    CHECK(!reads("f(", "x", ")", 100000));
}

TEST(length)
{
    CHECK(reads("", "x", " + y*z", 50000));
    CHECK(reads("", "x", "*(y + z)", 50000));
    CHECK(reads("(a + b)*(c + d) - ", "x", "", 5000));
    CHECK(reads("(", "x", "*(a + b) + 1)**2", 300));
    CHECK(reads("", "x", " and y < 3", 20000));
    CHECK(reads("(", "x", "*9223372036854775807 + 1)", 300));
}

/* Squaring again and again through constructors: a tree of 2**60 nodes never comes into being. */
TEST(sharing)
{
    struct ir *ir = ir_new();
    const struct sym *s = sym_name(ir, "x");
    for (int i = 0; i < 60; i++) {
        const struct sym *const args[] = { s, sym_add(ir, s, sym_name(ir, "y")) };
        s = sym_make(ir, SYM_MOD, NULL, NULL, args, 2);
    }
    CHECK(sym_has_undefined(s));
    ir_free(ir);
}

/* ---- identity ---- */

TEST(one_pointer)
{
    struct ir *ir = ir_new();
    CHECK(old(ir, "b*a + 3") == old(ir, "3 + a*b"));
    CHECK(old(ir, "2*(a + b)") == old(ir, "a + a + 2*b"));
    CHECK(old(ir, "x*(2*a + 2*b)") == old(ir, "2*x*(b + a)"));
    CHECK(sym_name(ir, "x") == sym_typed_name(ir, "x", type_basic(ir, TYPE_I64)));
    CHECK(sym_name(ir, "x")->type == type_basic(ir, TYPE_I64));
    CHECK(sym_rational(ir, 4, -6) == old(ir, "-2/3"));
    CHECK(sym_rational(ir, INT64_MIN, INT64_MIN) == sym_int(ir, 1));
    CHECK(sym_int(ir, 5) != sym_float(ir, 5));
    ir_free(ir);
}

/* 2*x // 2 is x for integers only. */
TEST(float_symbols)
{
    struct ir *ir = ir_new();
    sym_typed_name(ir, "x", type_basic(ir, TYPE_F64));
    CHECK_STR(printed(ir, old(ir, "2*x // 2"), SYM_SYNTAX_OLD), "floor(x)");
    CHECK_STR(printed(ir, old(ir, "2*y // 2"), SYM_SYNTAX_OLD), "y");
    CHECK_STR(printed(ir, old(ir, "floor(x) + floor(y)"), SYM_SYNTAX_OLD), "y + floor(x)");
    CHECK_STR(printed(ir, old(ir, "x"), SYM_SYNTAX_NEW), "symbol($x, dtype=dace.float64)");
    ir_free(ir);
}

/* ---- values ---- */

struct values {
    const char *name;
    int64_t value;
};

static bool value_of(void *user, const char *name, int64_t *value)
{
    for (const struct values *v = user; v->name; v++)
        if (!strcmp(v->name, name)) {
            *value = v->value;
            return true;
        }
    return false;
}

static long long value(const char *text, int64_t n)
{
    struct ir *ir = ir_new();
    struct values values[] = { { "N", n }, { "M", 7 }, { "K", -7 }, { NULL, 0 } };
    int64_t out = INT64_MIN;
    CHECK_INT(sym_eval(old(ir, text), value_of, values, &out, NULL), SYM_EVAL_OK);
    ir_free(ir);
    return out;
}

static enum sym_eval_status failure(const char *text)
{
    struct ir *ir = ir_new();
    struct values values[] = { { "N", INT64_MAX }, { "z", 0 }, { "two", 2 }, { NULL, 0 } };
    int64_t out = 0;
    enum sym_eval_status s = sym_eval(old(ir, text), value_of, values, &out, NULL);
    ir_free(ir);
    return s;
}

TEST(exact_values)
{
    CHECK_INT(value("N*(N - 1)/2", 6), 15);
    CHECK_INT(value("N*(N - 1)*1/2", 7), 21);
    CHECK_INT(value("M*1/N*N", 3), 7);
    CHECK_INT(value("(N + 1)/2", 3), 2);
    CHECK_INT(value("3/4*N", 8), 6);
    CHECK_INT(value("N**3 - 2**N", 5), 93);
    CHECK_INT(value("Min(N, M, 9) + Max(N, M)", 5), 12);
    CHECK_INT(value("IfExpr(N < M, 10, 20)", 7), 20);
    CHECK_INT(value("Abs(K) + int_ceil(N, 4)", 9), 10);
    CHECK_INT(value("N & 12 | 1", 10), 9);
    CHECK_INT(value("N ^ 3", 5), 6);
    CHECK_INT(value("~N + (N << 2) + (N >> 1)", 5), 16);
    CHECK_INT(value("(N > 3 and M > 3) + (N > 5 or M > 50) + (not N)", 5), 1);
    CHECK_INT(value("ROUND(N/2) + ROUND(K/2)", 7), 0);
    CHECK_INT(value("sqrt(N)", 144), 12);
    CHECK_INT(value("floor(sqrt(N))", 17), 4);
    CHECK_INT(value("int(N*0.75)", 6), 4);
    CHECK_INT(value("bool(N)", 6), 1);
    CHECK_INT(value("Eq(N, 6) + Ne(N, 6)*2", 6), 1);
}

/* Division rounds down, of constants as of symbols; quotients that do not come out are cut term by term. */
TEST(rounded_values)
{
    CHECK_INT(value("-7//2", 0), -4);
    CHECK_INT(value("N//2", -7), -4);
    CHECK_INT(value("int_floor(N, 2)", -7), -4);
    CHECK_INT(value("int_ceil(N, 2)", -7), -3);
    CHECK_INT(value("N % 3", -7), 2);
    CHECK_INT(value("(N + 1)/2", 4), 2);
    CHECK_INT(value("1/2 + 1/2*N", 6), 3);
    CHECK_INT(value("0.5*N", 5), 2);
    CHECK_INT(value("3/4*N", 5), 3);
    CHECK_INT(value("M - N/2", 5), 5);
}

TEST(no_value)
{
    CHECK_INT(failure("Q + 1"), SYM_EVAL_UNKNOWN_NAME);
    CHECK_INT(failure("A[3]"), SYM_EVAL_UNKNOWN_NAME);
    CHECK_INT(failure("S.x"), SYM_EVAL_UNKNOWN_NAME);
    CHECK_INT(failure("f(3)"), SYM_EVAL_UNKNOWN_NAME);
    CHECK_INT(failure("N + 1"), SYM_EVAL_OVERFLOW);
    CHECK_INT(failure("N*N"), SYM_EVAL_OVERFLOW);
    CHECK_INT(failure("two**N"), SYM_EVAL_OVERFLOW);
    CHECK_INT(failure("1/z"), SYM_EVAL_DIVIDE_BY_ZERO);
    CHECK_INT(failure("N//z"), SYM_EVAL_DIVIDE_BY_ZERO);
    CHECK_INT(failure("N % z"), SYM_EVAL_DIVIDE_BY_ZERO);
    CHECK_INT(failure("?"), SYM_EVAL_NOT_INTEGER);
    CHECK_INT(failure("oo"), SYM_EVAL_NOT_INTEGER);
    CHECK_INT(failure("None"), SYM_EVAL_NOT_INTEGER);
}

TEST(unknown_name)
{
    struct ir *ir = ir_new();
    struct values none[] = { { NULL, 0 } };
    const char *unknown = NULL;
    int64_t out;
    CHECK_INT(sym_eval(old(ir, "1 + Q"), value_of, none, &out, &unknown), SYM_EVAL_UNKNOWN_NAME);
    CHECK_STR(unknown, "Q");
    ir_free(ir);
}

/* What the parser makes of constants is what they give as values of names, at the ends of what numbers hold, too. */
static const char *const extremes[] = { "0",
                                        "1",
                                        "-1",
                                        "2",
                                        "-3",
                                        "7",
                                        "62",
                                        "63",
                                        "64",
                                        "4294967296",
                                        "9223372036854775807",
                                        "-9223372036854775807",
                                        "-9223372036854775808",
                                        "1/2",
                                        "-7/3",
                                        "2.5",
                                        "-0.5",
                                        "1e30",
                                        "-1e300" };
enum { EXTREMES = sizeof extremes / sizeof *extremes };

static bool chosen(void *user, const char *name, double *out)
{
    const double *values = user;
    *out = values[name[0] == 'b'];
    return name[0] == 'a' || name[0] == 'b';
}

static void same_as_named(const char *form, const char *a, const char *b)
{
    struct ir *ir = ir_new();
    struct text text = text_new(ir->arena), names = text_new(ir->arena);
    for (const char *c = form; *c; c++) {
        bool value = (*c == 'A' || *c == 'B') && !isalnum((unsigned char)c[1]);
        if (value)
            text_printf(&text, "(%s)", *c == 'A' ? a : b);
        else
            text_addc(&text, *c);
        text_addc(&names, value ? (char)tolower((unsigned char)*c) : *c);
    }
    double values[2] = { 0, 0 }, folded = 0, named = 0;
    sym_eval_float(old(ir, a), chosen, values, &values[0]);
    sym_eval_float(old(ir, b), chosen, values, &values[1]);
    const struct sym *constant = sym_parse(ir, NULL, text_get(&text), SYM_SYNTAX_OLD);
    int said = constant ? (int)sym_eval_float(constant, chosen, values, &folded) : -1;
    int other = sym_eval_float(old(ir, text_get(&names)), chosen, values, &named);
    bool exact = fabs(values[0]) < 9e15 && fabs(values[1]) < 9e15; /* as the value of a name */
    bool near = folded == named || fabs(folded - named) <= 1e-9 * fabs(named) + 1e-5;
    if (said == SYM_EVAL_OK && other == SYM_EVAL_OK && exact && !near) {
        printf("%s is %g, and by names %g\n", text_get(&text), folded, named);
        check_failures++;
    }
    int64_t whole = 0;
    if (constant && sym_eval(constant, value_of, (struct values[]){ { NULL, 0 } }, &whole, NULL) == SYM_EVAL_OK &&
        said == SYM_EVAL_OK && fabs(folded) < 9e15 && fabs((double)whole - folded) >= 1 && exact) {
        printf("%s is %g, and as an integer %lld\n", text_get(&text), folded, (long long)whole);
        check_failures++;
    }
    ir_free(ir);
}

TEST(constants_at_the_ends)
{
    static const char *const two[] = {
        "A + B",
        "A - B",
        "A*B",
        "A/B",
        "A**B",
        "int_floor(A, B)",
        "int_ceil(A, B)",
        "A % B",
        "Min(A, B)",
        "Max(A, B)",
        "A < B",
        "A <= B",
        "Eq(A, B)",
        "Ne(A, B)",
        "bitwise_and(A, B)",
        "bitwise_or(A, B)",
        "bitwise_xor(A, B)",
        "left_shift(A, B)",
        "right_shift(A, B)",
        "And(A < B, B > 1)",
        "Or(A < B, B > 1)",
        "A*(B + 1)/2",
        "(A + B)/4",
    };
    static const char *const one[] = {
        "-A",       "floor(A/2)", "ceiling(A/4)", "Abs(A)",     "bitwise_invert(A)", "Not(A > 1)",
        "A**2",     "A**(-1)",    "2**A",         "A/3",        "int_floor(A, 4)",   "int_ceil(3*A, 4)",
        "A % 5",    "sqrt(A)",    "exp(A)",       "sin(A)",     "int8(A)",           "uint8(A)",
        "int32(A)", "uint64(A)",  "float32(A)",   "float64(A)", "bool(A)",           "round(A*5/3)"
    };
    for (int i = 0; i < EXTREMES; i++) {
        for (size_t k = 0; k < sizeof one / sizeof *one; k++)
            same_as_named(one[k], extremes[i], "0");
        for (int j = 0; j < EXTREMES; j++)
            for (size_t k = (size_t)(i + j) % 2; k < sizeof two / sizeof *two; k += 2)
                same_as_named(two[k], extremes[i], extremes[j]);
    }
}

/* What is printed is read as the same again, whatever meets whatever. */
TEST(all_meet_all)
{
    static const char *const leaves[] = { "$N",      "$x2f32",  "$?",        "True",       "False",     "None",
                                          "oo",      "-oo",     "nan",       "$pi",        "I",         "3",
                                          "-2",      "3i32",    "3u8",       "2.5",        "2.0",       "2.0f32",
                                          "1/2",     "-7/3",    "int32($N)", "float32(3)", "int8(300)", "float64($?)",
                                          "bool(2)", "Abs($N)", "~$N",       "2**$N",      "$N**(-1)",  "sqrt($N)",
                                          "$N + 1",  "2*$N",    "2.0*$N",    "$N*$M",      "\"text\"" };
    static const char *const forms[] = {
        "A + B",     "A*B",       "A - B",  "A/B",           "A**B",           "A // B",          "A % B",
        "Min(A, B)", "Max(A, B)", "A < B",  "A == B",        "A != B",         "A and B",         "A or B",
        "not A",     "Abs(A)",    "~A",     "int32(A)",      "uint8(A)",       "float32(A)",      "bool(A)",
        "A & B",     "A | B",     "A << B", "A if B else 1", "A + B + $N + 2", "Max(A, B, $N, 2)"
    };
    enum { LEAVES = sizeof leaves / sizeof *leaves };
    for (int i = 0; i < LEAVES; i++)
        for (int j = 0; j < LEAVES; j++)
            for (size_t k = (size_t)(i + j) % 3; k < sizeof forms / sizeof *forms; k += 3) {
                struct ir *ir = ir_new();
                struct text t = text_new(ir->arena);
                for (const char *c = forms[k]; *c; c++)
                    if ((*c == 'A' || *c == 'B') && !isalnum((unsigned char)c[1]))
                        text_printf(&t, "(%s)", leaves[*c == 'A' ? i : j]);
                    else
                        text_addc(&t, *c);
                const struct sym *s = sym_parse(ir, &place, text_get(&t), SYM_SYNTAX_NEW);
                CHECK((s != NULL) == (diags_errors(ir->diags) == 0));
                const char *once = s ? printed(ir, s, SYM_SYNTAX_NEW) : NULL;
                const struct sym *again = s ? sym_parse(ir, &place, once, SYM_SYNTAX_NEW) : NULL;
                if (s && (!again || strcmp(printed(ir, again, SYM_SYNTAX_NEW), once))) {
                    printf("%s is %s, and again %s\n", text_get(&t), once,
                           again ? printed(ir, again, SYM_SYNTAX_NEW) : "nothing");
                    check_failures++;
                }
                ir_free(ir);
            }
}

static bool one_half(void *user, const char *name, double *out)
{
    (void)user;
    *out = 0.5;
    return name[0] == 'x';
}

TEST(real_values)
{
    struct ir *ir = ir_new();
    double out = 0;
    CHECK_INT(sym_eval_float(old(ir, "3*x + 1/4 + sin(0*x)"), one_half, NULL, &out), SYM_EVAL_OK);
    CHECK(out == 1.75);
    CHECK_INT(sym_eval_float(old(ir, "y"), one_half, NULL, &out), SYM_EVAL_UNKNOWN_NAME);
    ir_free(ir);
}

/* ---- tools ---- */

static const struct sym *i_to_n_plus_1(void *user, const struct sym *name)
{
    struct ir *ir = user;
    return strcmp(name->name, "i") ? NULL : sym_add(ir, sym_name(ir, "N"), sym_int(ir, 1));
}

TEST(substitution)
{
    struct ir *ir = ir_new();
    CHECK_STR(sym_text(ir, sym_substitute(ir, old(ir, "2*i - 2 + j"), i_to_n_plus_1, ir)), "2*N + j");
    CHECK_STR(sym_text(ir, sym_substitute(ir, old(ir, "i[i - 1]"), i_to_n_plus_1, ir)), "i[N]");
    CHECK(sym_substitute(ir, old(ir, "j*K"), i_to_n_plus_1, ir) == old(ir, "j*K"));
    ir_free(ir);
}

static void count_name(void *user, const struct sym *name) { text_printf(user, "%s ", name->name); }

TEST(names)
{
    struct ir *ir = ir_new();
    struct text out = text_new(ir->arena);
    const struct sym *s = old(ir, "A[i + j] + S.x[k]*i + T.y");
    sym_visit_names(s, count_name, &out);
    CHECK_STR(text_get(&out), "A i j T i S.x k ");
    CHECK(sym_mentions(s, intern(ir->names, "k")) && sym_mentions(s, intern(ir->names, "S.x")));
    CHECK(!sym_mentions(s, intern(ir->names, "y")));
    ir_free(ir);
}

TEST(range_sizes)
{
    struct ir *ir = ir_new();
    const struct sym *zero = sym_int(ir, 0), *one = sym_int(ir, 1);
    CHECK_STR(sym_text(ir, sym_range_size(ir, zero, old(ir, "N - 1"), one)), "N");
    CHECK_STR(sym_text(ir, sym_range_size(ir, old(ir, "i"), old(ir, "i"), one)), "1");
    CHECK_STR(sym_text(ir, sym_range_size(ir, old(ir, "i"), old(ir, "i"), old(ir, "1 + s"))), "1");
    CHECK_STR(sym_text(ir, sym_range_size(ir, zero, old(ir, "N - 1"), sym_int(ir, 4))), "int_ceil(N, 4)");
    CHECK_STR(sym_text(ir, sym_range_size(ir, zero, old(ir, "N - 1"), old(ir, "s"))), "int_ceil(N, s)");
    CHECK(sym_range_size(ir, sym_int(ir, 9), zero, sym_int(ir, -1)) == sym_int(ir, 10));
    CHECK(sym_range_size(ir, sym_int(ir, 9), zero, sym_int(ir, -2)) == sym_int(ir, 5));
    CHECK(sym_range_size(ir, zero, sym_int(ir, 9), sym_int(ir, 3)) == sym_int(ir, 4));
    ir_free(ir);
}

TEST(expansion)
{
    struct ir *ir = ir_new();
    CHECK(sym_expand(ir, old(ir, "(a + b)*(a - b)")) == old(ir, "a**2 - b**2"));
    CHECK(sym_expand(ir, old(ir, "(a + 1)**3")) == old(ir, "a**3 + 3*a**2 + 3*a + 1"));
    CHECK(sym_expand(ir, old(ir, "Min(a*(b + 1), 3)")) == old(ir, "Min(a*b + a, 3)"));
    CHECK(sym_expand(ir, old(ir, "N*(N - 1)/2")) == old(ir, "N**2/2 - N/2"));
    const struct sym *large = old(ir, "(a + b)**1000");
    CHECK(sym_expand(ir, large) == large);
    ir_free(ir);
}

TEST(linear)
{
    struct ir *ir = ir_new();
    const struct sym *coefficient, *rest;
    const char *n = intern(ir->names, "N");
    CHECK(sym_linear_in(ir, old(ir, "2*(N + 1)*M + K - 3"), n, &coefficient, &rest));
    CHECK(coefficient == old(ir, "2*M") && rest == old(ir, "2*M + K - 3"));
    CHECK(sym_linear_in(ir, old(ir, "K"), n, &coefficient, &rest));
    CHECK(coefficient == sym_int(ir, 0) && rest == old(ir, "K"));
    CHECK(sym_linear_in(ir, old(ir, "N/2"), n, &coefficient, &rest));
    CHECK(coefficient == old(ir, "1/2"));
    CHECK(!sym_linear_in(ir, old(ir, "N*N"), n, &coefficient, &rest));
    CHECK(!sym_linear_in(ir, old(ir, "N//2"), n, &coefficient, &rest));
    CHECK(!sym_linear_in(ir, old(ir, "N*A[N]"), n, &coefficient, &rest));
    ir_free(ir);
}

TEST(integer_forms)
{
    struct ir *ir = ir_new();
    const struct sym *numerator;
    int64_t denominator;
    CHECK(sym_common_denominator(ir, old(ir, "N*(N - 1)/2"), &numerator, &denominator));
    CHECK(denominator == 2 && numerator == old(ir, "N*(N - 1)"));
    CHECK(sym_common_denominator(ir, old(ir, "N/2 + M/3 + 1"), &numerator, &denominator));
    CHECK(denominator == 6 && numerator == old(ir, "3*N + 2*M + 6"));
    CHECK(sym_common_denominator(ir, old(ir, "N + 1"), &numerator, &denominator));
    CHECK(denominator == 1 && numerator == old(ir, "N + 1"));
    CHECK(!sym_common_denominator(ir, old(ir, "0.5*N"), &numerator, &denominator));
    CHECK(!sym_common_denominator(ir, old(ir, "M/N"), &numerator, &denominator));
    CHECK(sym_termwise(ir, old(ir, "(N + 1)/2")) == old(ir, "N//2"));
    CHECK(sym_termwise(ir, old(ir, "N*(N - 1)/2 + K")) == old(ir, "N*(N - 1)//2 + K"));
    CHECK(sym_termwise(ir, old(ir, "0.5*N")) == old(ir, "N//2"));
    CHECK(sym_termwise(ir, old(ir, "3/4*N")) == old(ir, "3*N//4"));
    CHECK(sym_termwise(ir, old(ir, "N + 1")) == old(ir, "N + 1"));
    ir_free(ir);
}

/* ---- order ---- */

static enum truth less(const char *a, const char *b)
{
    struct ir *ir = ir_new();
    enum truth t = sym_less(ir, old(ir, a), old(ir, b));
    enum truth not_less_equal = sym_less_equal(ir, old(ir, b), old(ir, a));
    CHECK_INT(not_less_equal, t == TRUTH_MAYBE ? TRUTH_MAYBE : t == TRUTH_YES ? TRUTH_NO : TRUTH_YES);
    ir_free(ir);
    return t;
}

TEST(proofs)
{
    CHECK_INT(less("N - 1", "N"), TRUTH_YES);
    CHECK_INT(less("N", "N"), TRUTH_NO);
    CHECK_INT(less("0", "N"), TRUTH_YES);
    CHECK_INT(less("1", "N"), TRUTH_MAYBE);
    CHECK_INT(less("N", "1"), TRUTH_NO);
    CHECK_INT(less("N", "M"), TRUTH_MAYBE);
    CHECK_INT(less("N", "N*M + 1"), TRUTH_YES);
    CHECK_INT(less("N - 1", "N*M"), TRUTH_YES);
    CHECK_INT(less("(N - 1)*M", "N*M"), TRUTH_YES);
    CHECK_INT(less("Min(N, 32*i + 32) - 1", "N"), TRUTH_YES);
    CHECK_INT(less("Min(N, M)", "Max(N, M) + 1"), TRUTH_YES);
    CHECK_INT(less("Max(N, M) - 1", "N"), TRUTH_MAYBE);
    CHECK_INT(less("N - 1", "Max(N, M)"), TRUTH_YES);
    CHECK_INT(less("N//2", "N + 1"), TRUTH_YES);
    CHECK_INT(less("4*(N//4)", "N + 1"), TRUTH_YES);
    CHECK_INT(less("N", "4*int_ceil(N, 4) + 1"), TRUTH_YES);
    CHECK_INT(less("N//M", "N + 1"), TRUTH_YES);
    CHECK_INT(less("i % 8", "8"), TRUTH_YES);
    CHECK_INT(less("-1", "i % 8"), TRUTH_YES);
    CHECK_INT(less("i % N", "N"), TRUTH_YES);
    CHECK_INT(less("A[i]", "A[i] + 1"), TRUTH_YES);
    CHECK_INT(less("0", "A[i]"), TRUTH_MAYBE);
    CHECK_INT(less("0", "2**N"), TRUTH_MAYBE);
    CHECK_INT(less("2**N", "0"), TRUTH_NO);
    CHECK_INT(less("0", "N*(M//2) + 1"), TRUTH_YES);
    CHECK_INT(less("?", "1"), TRUTH_MAYBE);
    CHECK_INT(less("nan", "1"), TRUTH_MAYBE);
}

TEST(proofs_of_indices)
{
    struct ir *ir = ir_new();
    CHECK_INT(sym_less_from(ir, sym_int(ir, 0), old(ir, "i"), 1), TRUTH_YES);
    CHECK_INT(sym_less_from(ir, sym_int(ir, 0), old(ir, "i"), 0), TRUTH_MAYBE);
    CHECK_INT(sym_less_equal_from(ir, sym_int(ir, 0), old(ir, "i"), 0), TRUTH_YES);
    CHECK_INT(sym_less_from(ir, sym_int(ir, -3), old(ir, "i"), -2), TRUTH_YES);
    ir_free(ir);
}

TEST(equality)
{
    struct ir *ir = ir_new();
    CHECK_INT(sym_equal(ir, old(ir, "(a + b)**2"), old(ir, "a**2 + 2*a*b + b**2")), TRUTH_YES);
    CHECK_INT(sym_equal(ir, old(ir, "N"), old(ir, "N + 1")), TRUTH_NO);
    CHECK_INT(sym_equal(ir, old(ir, "N"), old(ir, "N + M")), TRUTH_NO);
    CHECK_INT(sym_equal(ir, old(ir, "N"), old(ir, "M")), TRUTH_MAYBE);
    CHECK_INT(sym_equal(ir, old(ir, "?"), old(ir, "?")), TRUTH_MAYBE);
    CHECK_INT(sym_equal(ir, old(ir, "'a'"), old(ir, "'a'")), TRUTH_YES);
    ir_free(ir);
}

CHECK_MAIN
