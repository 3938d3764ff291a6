/* Properties of library nodes: each function with a value of each kind gives it, or says what kind is wanted. */
#include "ir/build/build.h"
#include "ir/library.h"

#include "tests/unit/check.h"

static const char *const values[] = { "true",
                                      "false",
                                      "null",
                                      "3",
                                      "-4",
                                      "2.5",
                                      "\"3\"",
                                      "\"-2.5\"",
                                      "\"1/2\"",
                                      "\"1+2j\"",
                                      "\"$N + 1\"",
                                      "\"N +\"",
                                      "\"\"",
                                      "[]",
                                      "[1, 2]",
                                      "[\"$N\", 3, 2.5]",
                                      "[\"a\", \"b\"]",
                                      "[null]",
                                      "[1, \"N +\"]",
                                      "{}",
                                      "\"int32\"",
                                      "{\"type\": \"pointer\", \"dtype\": \"float64\"}" };
enum { VALUES = sizeof values / sizeof *values };

/* Which values are good for which function, in the order of `values`. */
static const char *const good[] = {
    "yyy...................", /* bool */
    "..yyy.y...............", /* int */
    "..yyyyyyyyy.....n.....", /* number */
    "..yyyyyyyyy...........", /* symbolic */
    "..y..........yyy......", /* list of these */
    "yyyyyyyyyyyyy.......y.", /* string */
    "..yyy........yy.......", /* ints */
    "..y..........y..y.....", /* strings */
    "..y.................yy", /* type */
};

static bool ask(const struct library *l, int function)
{
    struct library_number number;
    const struct sym *symbolic, **symbolics;
    const char *text, **texts;
    const struct type *type;
    int64_t whole, *wholes;
    uint32_t count;
    bool truth;
    switch (function) {
    case 0:
        return library_bool(l, "key", true, &truth);
    case 1:
        return library_int(l, "key", 7, &whole);
    case 2:
        return library_number(l, "key", 0.5, &number);
    case 3:
        return library_symbolic(l, "key", NULL, &symbolic);
    case 4:
        return library_symbolic_list(l, "key", &symbolics, &count);
    case 5:
        return library_string(l, "key", "none", &text);
    case 6:
        return library_ints(l, "key", &wholes, &count);
    case 7:
        return library_strings(l, "key", &texts, &count);
    default:
        return library_type(l, "key", &type);
    }
}

static struct library *node_with(struct ir *ir, const char *value)
{
    struct sdfg *s = build_sdfg(ir, "p");
    build_symbol(s, "N", "int64");
    return build_library(build_state(&s->region, "s"), "node", "a.b.Node", "", "",
                         value ? arena_printf(ir->arena, "{\"key\": %s}", value) : NULL);
}

TEST(kinds_of_properties)
{
    for (int f = 0; f < (int)(sizeof good / sizeof *good); f++)
        for (int v = 0; v < VALUES; v++) {
            struct ir *ir = ir_new();
            bool got = ask(node_with(ir, values[v]), f), told = diags_errors(ir->diags) > 0;
            if (got == told || (good[f][v] == 'y') != got) {
                printf("function %d of %s: %s%s\n", f, values[v], got ? "accepted" : "refused",
                       told ? ", with an error" : "");
                check_failures++;
            }
            ir_free(ir);
        }
}

TEST(values_of_properties)
{
    struct ir *ir = ir_new();
    struct library_number n;
    int64_t *wholes;
    uint32_t count;
    const char *text;
    CHECK(library_number(node_with(ir, NULL), "key", 2, &n) && n.re == 2 && n.is_integer && !n.symbol);
    CHECK(library_number(node_with(ir, "\"1/2\""), "key", 0, &n) && n.re == 0.5 && !n.is_integer);
    CHECK(library_number(node_with(ir, "\"2*3\""), "key", 0, &n) && n.re == 6 && n.is_integer);
    CHECK(library_number(node_with(ir, "\"0.5 + 1\""), "key", 0, &n) && n.re == 1.5 && !n.symbol);
    CHECK(library_number(node_with(ir, "\"1+2j\""), "key", 0, &n) && n.re == 1 && n.im == 2);
    CHECK(library_number(node_with(ir, "\"$N + 1\""), "key", 0, &n) && n.symbol);
    CHECK(library_ints(node_with(ir, "5"), "key", &wholes, &count) && count == 1 && wholes[0] == 5);
    CHECK(library_string(node_with(ir, "true"), "key", "", &text));
    CHECK_STR(text, "True");
    CHECK(library_string(node_with(ir, "false"), "key", "", &text));
    CHECK_STR(text, "False");
    CHECK_STR(library_class(node_with(ir, NULL)), "Node");
    CHECK(library_is_symbolic("alpha") && !library_is_symbolic("transA"));
    ir_free(ir);
}

CHECK_MAIN
