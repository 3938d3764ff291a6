#include "engine/solve/solve.h"

#include "tests/unit/check.h"

#include <stdlib.h>

enum { MOST = 8 };

/* A problem made of texts: "A.shape[0]", "1 + N", 13. */
struct problem {
    struct ir *ir;
    struct variable variables[MOST];
    struct symbol_value values[MOST];
    struct form forms[MOST];
    struct equation equations[MOST];
    struct solver solver;
    uint32_t num_variables, num_equations;
};

static void begin(struct problem *p, const char *names)
{
    *p = (struct problem){ .ir = ir_new() };
    for (const char *at = names; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' '))
        p->variables[p->num_variables++] = (struct variable){
            .name = intern_n(p->ir->names, at, strcspn(at, " ")),
            .type = type_basic(p->ir, TYPE_I32),
            .required = true,
        };
}

static void equation(struct problem *p, const char *label, const char *text, int64_t actual)
{
    const struct sym *expression = sym_parse(p->ir, NULL, text, SYM_SYNTAX_OLD);
    uint32_t i = p->num_equations++;
    p->forms[i] = form_make(p->ir, p->variables, p->num_variables, expression);
    const char *dot = strchr(label, '.'), *open = strchr(label, '[');
    p->equations[i] = (struct equation){
        .owner = arena_strndup(p->ir->arena, label, (size_t)(dot - label)),
        .dimension = (uint32_t)atoi(open + 1),
        .form = &p->forms[i],
        .actual = actual,
        .is_stride = strstr(label, "strides") != NULL,
    };
}

static bool run(struct problem *p)
{
    p->solver = (struct solver){
        .arena = p->ir->arena,
        .variables = p->variables,
        .num_variables = p->num_variables,
        .values = p->values,
        .equations = p->equations,
        .num_equations = p->num_equations,
    };
    return solve(&p->solver, p->ir->diags);
}

static void give(struct problem *p, uint32_t variable, int64_t value)
{
    p->values[variable] = (struct symbol_value){ .origin = VALUE_GIVEN, .value = value };
}

static const char *message(const struct problem *p, uint32_t i)
{
    return i < diags_count(p->ir->diags) ? diags_get(p->ir->diags, i)->message : "no message";
}

TEST(linear_forms)
{
    struct problem p;
    begin(&p, "N");
    equation(&p, "A.shape[0]", "N + 1", 13);
    equation(&p, "A.shape[1]", "2*N", 24);
    CHECK(run(&p));
    CHECK_INT(p.values[0].value, 12);
    CHECK_STR(solve_origin(&p.solver, 0), "A.shape[0] = 1 + N");
    ir_free(p.ir);
}

TEST(products_of_known)
{
    struct problem p;
    begin(&p, "N M");
    equation(&p, "A.shape[0]", "N*M + 2", 44);
    equation(&p, "B.shape[0]", "M", 6);
    CHECK(run(&p));
    CHECK_INT(p.values[0].value, 7);
    ir_free(p.ir);
}

TEST(strides_give_what_shapes_do_not)
{
    struct problem p;
    begin(&p, "N s");
    equation(&p, "A.strides[0]", "s", 40);
    equation(&p, "A.shape[0]", "N", 3);
    CHECK(run(&p));
    CHECK_INT(p.values[1].value, 40);
    ir_free(p.ir);
}

TEST(systems)
{
    struct problem p;
    begin(&p, "M N K");
    equation(&p, "A.shape[0]", "M + N", 5);
    equation(&p, "B.shape[0]", "2*M + N", 7);
    equation(&p, "C.shape[0]", "K + M*N", 100);
    CHECK(run(&p));
    CHECK_INT(p.values[0].value, 2);
    CHECK_INT(p.values[1].value, 3);
    CHECK_INT(p.values[2].value, 94);
    ir_free(p.ir);
}

TEST(dependent_systems_stay_unsolved)
{
    struct problem p;
    begin(&p, "M N");
    equation(&p, "A.shape[0]", "M + N", 5);
    equation(&p, "B.shape[0]", "2*M + 2*N", 10);
    CHECK(run(&p));
    CHECK_INT(p.values[0].origin, VALUE_UNKNOWN);
    CHECK(!solve_complete(&p.solver, p.ir->diags));
    CHECK_STR(message(&p, 0), "symbol 'M' has no value: tried A.shape[0] = M + N = 5, B.shape[0] = 2*M + 2*N = 10");
    ir_free(p.ir);
}

TEST(systems_without_a_solution)
{
    struct problem p;
    begin(&p, "M N");
    equation(&p, "A.shape[0]", "M + N", 5);
    equation(&p, "C.shape[0]", "10", 10);
    equation(&p, "B.shape[0]", "2*M + 2*N", 11);
    CHECK(!run(&p));
    CHECK_STR(message(&p, 0), "no integers satisfy these together: A.shape[0] = M + N = 5, "
                              "B.shape[0] = 2*M + 2*N = 11");
    ir_free(p.ir);
    begin(&p, "M N");
    equation(&p, "A.shape[0]", "M + N", 4);
    equation(&p, "A.strides[0]", "M - N", 1);
    CHECK(!run(&p));
    CHECK_STR(message(&p, 0), "no integers satisfy these together: A.shape[0] = M + N = 4, A.strides[0] = M - N = 1");
    ir_free(p.ir);
}

TEST(products_of_unknowns_are_not_guessed)
{
    struct problem p;
    begin(&p, "M N");
    equation(&p, "A.shape[0]", "M*N", 12);
    CHECK(run(&p));
    CHECK_INT(p.values[0].origin, VALUE_UNKNOWN);
    CHECK(!solve_complete(&p.solver, p.ir->diags));
    CHECK_STR(message(&p, 1), "symbol 'N' has no value: tried A.shape[0] = M*N = 12");
    ir_free(p.ir);
    begin(&p, "N");
    equation(&p, "A.shape[0]", "N**2", 49);
    CHECK(run(&p));
    CHECK_INT(p.values[0].origin, VALUE_UNKNOWN);
    ir_free(p.ir);
    begin(&p, "N");
    give(&p, 0, 7);
    equation(&p, "A.shape[0]", "N**2", 48);
    CHECK(!run(&p));
    CHECK_STR(message(&p, 0), "A.shape[0] is 48, but the program expects N**2 = 49 with N = 7 (from the given value)");
    ir_free(p.ir);
}

TEST(many_arguments_share_a_symbol)
{
    struct problem p;
    begin(&p, "N M");
    equation(&p, "A.shape[0]", "N + M", 10);
    equation(&p, "A.strides[0]", "4*M", 12);
    equation(&p, "B.shape[0]", "N*(M + 1)", 28);
    equation(&p, "C.shape[0]", "N - M", 5);
    CHECK(!run(&p));
    CHECK_INT(p.values[0].value, 7);
    CHECK_INT(p.values[1].value, 3);
    CHECK_INT(diags_count(p.ir->diags), 1);
    CHECK_STR(message(&p, 0), "C.shape[0] is 5, but the program expects -M + N = 4 with M = 3 "
                              "(from A.strides[0] = 4*M), N = 7 (from B.shape[0] = N*(1 + M))");
    CHECK_STR(solve_origin(&p.solver, 1), "A.strides[0] = 4*M");
    ir_free(p.ir);
}

TEST(numbers_that_do_not_fit_solve_nothing)
{
    struct problem p;
    begin(&p, "N M");
    give(&p, 1, INT64_MAX);
    equation(&p, "A.shape[0]", "N + M*M", 5);
    CHECK(run(&p));
    CHECK_INT(p.values[0].origin, VALUE_UNKNOWN);
    ir_free(p.ir);
}

TEST(contradictions_name_both_arguments)
{
    struct problem p;
    begin(&p, "K");
    equation(&p, "A.shape[1]", "K", 24);
    equation(&p, "B.shape[0]", "K", 30);
    CHECK(!run(&p));
    CHECK_STR(message(&p, 0), "'K' is 24 from A.shape[1] = K, but 30 from B.shape[0] = K");
    ir_free(p.ir);
}

TEST(given_values_win_and_are_checked)
{
    struct problem p;
    begin(&p, "N");
    give(&p, 0, 5);
    equation(&p, "A.shape[0]", "N", 6);
    CHECK(!run(&p));
    CHECK_INT(p.values[0].value, 5);
    CHECK_STR(message(&p, 0), "'N' is 5 from the given value, but 6 from A.shape[0] = N");
    ir_free(p.ir);
}

TEST(indivisible)
{
    struct problem p;
    begin(&p, "N");
    equation(&p, "A.shape[0]", "2*N", 13);
    CHECK(!run(&p));
    CHECK_STR(message(&p, 0), "A.shape[0] is 13, but no integer N gives 2*N = 13");
    ir_free(p.ir);
}

TEST(fixed_sizes_are_checked)
{
    struct problem p;
    begin(&p, "N");
    equation(&p, "A.shape[0]", "10", 11);
    CHECK(!run(&p));
    CHECK_STR(message(&p, 0), "A.shape[0] is 11, but the program expects 10");
    ir_free(p.ir);
}

TEST(several_names)
{
    struct problem p;
    begin(&p, "N M");
    give(&p, 0, 2);
    give(&p, 1, 3);
    equation(&p, "A.shape[0]", "N*M", 7);
    CHECK(!run(&p));
    CHECK_STR(message(&p, 0), "A.shape[0] is 7, but the program expects M*N = 6 with M = 3 (from the given value), "
                              "N = 2 (from the given value)");
    ir_free(p.ir);
}

TEST(values_must_fit_the_declared_type)
{
    struct problem p;
    begin(&p, "N");
    equation(&p, "A.shape[0]", "N", INT64_C(5000000000));
    CHECK(!run(&p));
    CHECK_STR(message(&p, 0), "'N' is 5000000000 from A.shape[0] = N, which does not fit into int32");
    ir_free(p.ir);
}

/* Each end of the types fits, one beyond it does not. */
TEST(types_end_where_they_end)
{
    static const struct {
        enum type_kind type;
        int64_t least, most;
    } rows[] = { { TYPE_I8, INT8_MIN, INT8_MAX },    { TYPE_I16, INT16_MIN, INT16_MAX },
                 { TYPE_I32, INT32_MIN, INT32_MAX }, { TYPE_I64, INT64_MIN, INT64_MAX },
                 { TYPE_U8, 0, UINT8_MAX },          { TYPE_U16, 0, UINT16_MAX },
                 { TYPE_U32, 0, UINT32_MAX },        { TYPE_U64, 0, INT64_MAX },
                 { TYPE_F64, INT64_MIN, INT64_MAX } };
    struct problem p;
    begin(&p, "N");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        p.variables[0].type = type_basic(p.ir, rows[i].type);
        CHECK(variable_holds(&p.variables[0], rows[i].least) && variable_holds(&p.variables[0], rows[i].most));
        if (rows[i].least > INT64_MIN)
            CHECK(!variable_holds(&p.variables[0], rows[i].least - 1));
        if (rows[i].most < INT64_MAX)
            CHECK(!variable_holds(&p.variables[0], rows[i].most + 1));
    }
    p.variables[0].type = NULL; /* nobody said what it is */
    CHECK(variable_holds(&p.variables[0], INT64_MIN));
    ir_free(p.ir);
}

/* What leaves 64 bits on the way solves nothing; what just stays in them does. */
TEST(solutions_at_the_end_of_64_bits)
{
    static const struct {
        const char *form;
        int64_t m, actual, n; /* n: the solution, 0: none */
    } rows[] = {
        { "N - 2", 0, INT64_MAX, 0 },
        { "N + 2", 0, INT64_MAX, INT64_MAX - 2 },
        { "N - M", INT64_MIN, 5, 0 },
        { "N + M", INT64_MAX, -5, 0 },
        { "-N", 0, INT64_MIN, 0 },
        { "-N", 0, INT64_MIN + 1, INT64_MAX },
        { "M*N", INT64_MAX, INT64_MAX, 1 },
        { "M*N", 0, 0, 0 },
        { "N + M*M", INT64_MAX, 5, 0 },
        { "M**3*N", 100, 7000000, 7 },
        { "M**3*N", INT64_MAX, 7, 0 },
        { "N*(M + 1) - M", 4, 31, 7 },
        { "N**2", 0, 49, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct problem p;
        begin(&p, "N M");
        p.variables[0].type = p.variables[1].type = type_basic(p.ir, TYPE_I64);
        p.variables[0].required = false;
        give(&p, 1, rows[i].m);
        equation(&p, "A.shape[0]", rows[i].form, rows[i].actual);
        run(&p);
        if (p.values[0].origin != (rows[i].n ? VALUE_SOLVED : VALUE_UNKNOWN) || p.values[0].value != rows[i].n)
            printf("%s = %lld with M = %lld:\n", rows[i].form, (long long)rows[i].actual, (long long)rows[i].m);
        CHECK_INT(p.values[0].origin, rows[i].n ? VALUE_SOLVED : VALUE_UNKNOWN);
        CHECK_INT(p.values[0].value, rows[i].n);
        ir_free(p.ir);
    }
}

/* Eliminations that leave 64 bits, and constants among the symbols. */
TEST(systems_at_the_end_of_64_bits)
{
    struct problem p;
    begin(&p, "N M");
    p.variables[0].type = p.variables[1].type = type_basic(p.ir, TYPE_I64);
    p.variables[0].required = p.variables[1].required = false;
    equation(&p, "A.shape[0]", "4611686018427387904*N + 3*M", 7);
    equation(&p, "A.shape[1]", "3*N + 4611686018427387904*M", 8);
    CHECK(run(&p));
    CHECK(p.values[0].origin == VALUE_UNKNOWN && p.values[1].origin == VALUE_UNKNOWN);
    ir_free(p.ir);
    begin(&p, "N M K");
    p.variables[2].is_constant = true;
    p.variables[2].constant = 3;
    equation(&p, "A.shape[0]", "N + K*M", 13);
    equation(&p, "A.shape[1]", "N - M", 1);
    CHECK(run(&p));
    CHECK_INT(p.values[0].value, 4);
    CHECK_INT(p.values[1].value, 3);
    ir_free(p.ir);
}

/* Coefficients that are no polynomials of what is known. */
TEST(rounded_coefficients)
{
    static const struct {
        const char *form;
        int64_t k, actual, n; /* n: the solution, 0: none */
    } rows[] = {
        { "N*int_floor(K, 2)", 7, 12, 4 },
        { "N*int_floor(K, 2) + K % 3", 7, 13, 4 },
        { "N*int_ceil(K, 2) - Max(K, 3)", 1, 2, 5 },
        { "N*int_floor(K, 2)", 1, 12, 0 }, /* 0*N */
        { "N*int_floor(K, 0)", 1, 12, 0 },
        { "N + int_floor(3, K)", 0, 12, 0 },
        { "K**20*N", 1, 9, 9 }, /* more factors than a term holds */
        { "K**(-1)*N", 1, 9, 9 },
        { "K**(-1)*N", 2, 9, 0 },
        { "K**N", 2, 8, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct problem p;
        begin(&p, "N K");
        p.variables[0].required = false;
        give(&p, 1, rows[i].k);
        equation(&p, "A.shape[0]", rows[i].form, rows[i].actual);
        run(&p);
        if (p.values[0].value != rows[i].n)
            printf("%s = %lld with K = %lld:\n", rows[i].form, (long long)rows[i].actual, (long long)rows[i].k);
        CHECK_INT(p.values[0].origin, rows[i].n ? VALUE_SOLVED : VALUE_UNKNOWN);
        CHECK_INT(p.values[0].value, rows[i].n);
        ir_free(p.ir);
    }
}

TEST(systems_with_rounded_coefficients)
{
    struct problem p;
    begin(&p, "N M K");
    give(&p, 2, 5);
    equation(&p, "A.shape[0]", "N*int_floor(K, 2) + M", 14);
    equation(&p, "A.shape[1]", "N - M*int_ceil(K, 5)", 1);
    CHECK(run(&p));
    CHECK_INT(p.values[0].value, 5);
    CHECK_INT(p.values[1].value, 4);
    ir_free(p.ir);
    begin(&p, "N M K");
    p.variables[0].required = p.variables[1].required = p.variables[2].required = false;
    equation(&p, "A.shape[0]", "N*int_floor(K, 2) + M", 14); /* K is not known */
    equation(&p, "A.shape[1]", "N - M", 1);
    CHECK(run(&p));
    CHECK_INT(p.values[0].origin, VALUE_UNKNOWN);
    ir_free(p.ir);
}

TEST(what_is_not_linear_is_not_guessed)
{
    struct problem p;
    begin(&p, "N");
    equation(&p, "A.shape[0]", "int_floor(N, 2)", 5);
    CHECK(run(&p));
    CHECK_INT(p.values[0].origin, VALUE_UNKNOWN);
    ir_free(p.ir);
    begin(&p, "N");
    give(&p, 0, 11);
    equation(&p, "A.shape[0]", "int_floor(N, 2)", 4);
    CHECK(!run(&p));
    CHECK_STR(message(&p, 0), "A.shape[0] is 4, but the program expects N // 2 = 5 with N = 11 (from the given value)");
    ir_free(p.ir);
}

TEST(unknown_names_are_left_alone)
{
    struct problem p;
    begin(&p, "N");
    equation(&p, "A.shape[0]", "X[0]", 5);
    equation(&p, "A.shape[1]", "N", 5);
    CHECK(run(&p));
    CHECK_INT(p.values[0].value, 5);
    ir_free(p.ir);
}

CHECK_MAIN
