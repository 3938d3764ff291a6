#include "lower/graph/code/code.h"
#include "lower/graph/stream.h"

#include "tests/unit/check.h"

#include <math.h>
#include <stdlib.h>

/* Cases of tests/code: "### name", a body, "---", the statements it becomes (or the diagnostic). SDFG_BLESS=1 rewrites
 * the files. In values.txt a line is "expression -> value"; names of constants make the expressions fold. */

struct fixture {
    struct ir *ir;
    struct tree *tree;
    struct tree_stmt *block;
    struct tree_var *vars[16];
    struct code_scope scope;
};

static const struct {
    const char *name;
    enum type_kind kind;
    double value;
} constants[] = {
    { "a", TYPE_I32, -7 },
    { "b", TYPE_I32, 2 },
    { "n", TYPE_I64, -7 },
    { "K", TYPE_I64, 2 },
    { "u", TYPE_U32, 7 },
    { "u9", TYPE_U32, 9 },
    { "c8", TYPE_I8, 100 },
    { "big", TYPE_I64, 16777217 },
    { "f", TYPE_F64, 7.5 },
    { "g", TYPE_F32, 0 },
    { "q", TYPE_F32, 1.5f },
    { "t", TYPE_BOOL, 1 },
    { "not_number", TYPE_F64, NAN },
    { "one", TYPE_F64, 1 },
    { "x1", TYPE_F64, 0.1 },
    { "h2", TYPE_F16, 2 },
    { "e12", TYPE_F64, 1e12 },
    { "zero", TYPE_I32, 0 },
    { "seven", TYPE_I32, 7 },
    { "s16", TYPE_I16, 3 },
};

enum variable { OUT, IN, SINGLE, HALF, COMPLEX, VECTOR, COUNT, TRUTH, ARRAY, MATRIX, STRUCTS, INTEGERS };

static const char *const variable_names[] = { "o", "x", "y", "h", "z", "v", "i", "m", "A", "B", "S", "D" };

static const struct type *fixture_struct(struct ir *ir)
{
    struct type_field fields[] = {
        { .name = intern(ir->names, "val"), .type = type_basic(ir, TYPE_F64) },
        { .name = intern(ir->names, "idx"), .type = type_basic(ir, TYPE_I32) },
    };
    return type_struct(ir, intern(ir->names, "pair"), fields, 2);
}

static void set_array(struct fixture *x, struct operand *o, enum variable v, uint32_t rank)
{
    struct tree *t = x->tree;
    o->kind = OPERAND_ARRAY;
    o->pointer = expr_var(t, x->vars[v]);
    o->type = x->vars[v]->type->elem;
    o->rank = rank;
    o->strides = NEW_ARRAY(x->ir->arena, struct tree_expr *, 3);
    for (uint32_t i = 0; i < rank; i++)
        o->strides[i] = expr_i64(t, i + 1 == rank ? 1 : 10);
}

/* w: output with conflict resolution; k: a custom one; pos: position with an offset; P: a pointer; cb: a callback. */
static bool special(struct fixture *x, const char *name, struct operand *o)
{
    if (!strcmp(name, "w") || !strcmp(name, "W") || !strcmp(name, "k") || !strcmp(name, "ks")) {
        set_array(x, o, !strcmp(name, "ks") ? STRUCTS : ARRAY, !strcmp(name, "W"));
        o->wcr = name[0] == 'k' ? WCR_CUSTOM : WCR_SUM;
        o->atomic = true;
        const char *lambda = strcmp(name, "ks")
                                 ? "lambda p, q: p - q * q"
                                 : "lambda p, q: pair(val=max(p.val, q.val), idx=p.idx if p.val > q.val else q.idx)";
        o->wcr_lambda = python_parse_expression(x->ir, NULL, lambda);
    } else if (!strcmp(name, "F")) {
        set_array(x, o, ARRAY, 1);
        o->offsets = NEW_ARRAY(x->ir->arena, struct tree_expr *, 1);
        o->offsets[0] = expr_i64(x->tree, 5);
    } else if (!strcmp(name, "E")) {
        set_array(x, o, ARRAY, 1);
        o->single = true;
    } else if (!strcmp(name, "P")) {
        o->kind = OPERAND_POINTER;
        o->pointer = expr_var(x->tree, x->vars[ARRAY]);
        o->type = o->pointer->type->elem;
    } else if (!strcmp(name, "n3")) {
        o->kind = OPERAND_VALUE;
        o->var = x->vars[COUNT];
        o->type = o->var->type;
        o->value = expr_var(x->tree, o->var);
    } else if (!strcmp(name, "cb")) {
        struct type_field fields[] = { { .name = "", .type = type_basic(x->ir, TYPE_I32) },
                                       { .name = "", .type = x->vars[ARRAY]->type } };
        const struct type *result = type_basic(x->ir, TYPE_F32);
        o->kind = OPERAND_CALLBACK;
        o->type = type_callback(x->ir, fields, 2, &result, 1);
        o->value = expr_null(x->tree, o->type);
    } else if (!strcmp(name, "Q") || !strcmp(name, "Q3")) { /* a queue of float32, and several */
        set_array(x, o, ARRAY, name[1] != 0);
        o->kind = OPERAND_STREAM;
        o->type = type_basic(x->ir, TYPE_F32);
        o->pointer = expr_cast(x->tree, type_pointer(x->ir, stream_handle_type(x->ir)), o->pointer);
    } else {
        return false;
    }
    return true;
}

static bool lookup(void *user, const char *name, struct operand *o)
{
    struct fixture *x = user;
    if (special(x, name, o))
        return true;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!strcmp(constants[i].name, name)) {
            struct tree_expr *e = expr_float(x->tree, type_basic(x->ir, TYPE_F64), constants[i].value);
            o->kind = OPERAND_VALUE;
            o->value = expr_cast(x->tree, type_basic(x->ir, constants[i].kind), e);
            o->type = o->value->type;
            return true;
        }
    for (int v = 0; v <= INTEGERS; v++)
        if (!strcmp(variable_names[v], name)) {
            if (v == ARRAY || v == MATRIX || v == STRUCTS || v == INTEGERS) {
                set_array(x, o, (enum variable)v, v == MATRIX ? 2 : v == STRUCTS ? 0 : 1);
            } else {
                o->kind = OPERAND_VARIABLE;
                o->var = x->vars[v];
                o->type = o->var->type;
            }
        }
    return true;
}

static void begin(struct fixture *x, const char *text)
{
    struct ir *ir = x->ir = ir_new();
    x->tree = tree_new(ir, "test");
    x->block = tree_func(x->tree, "main")->body;
    const struct type *types[] = {
        [OUT] = type_basic(ir, TYPE_F64),
        [IN] = type_basic(ir, TYPE_F64),
        [SINGLE] = type_basic(ir, TYPE_F32),
        [HALF] = type_basic(ir, TYPE_F16),
        [COMPLEX] = type_basic(ir, TYPE_C128),
        [VECTOR] = type_vector(ir, type_basic(ir, TYPE_F32), 4, NULL),
        [COUNT] = type_basic(ir, TYPE_I32),
        [TRUTH] = type_basic(ir, TYPE_BOOL),
        [ARRAY] = type_pointer(ir, type_basic(ir, TYPE_F64)),
        [MATRIX] = type_pointer(ir, type_basic(ir, TYPE_F32)),
        [STRUCTS] = type_pointer(ir, fixture_struct(ir)),
        [INTEGERS] = type_pointer(ir, type_basic(ir, TYPE_I32)),
    };
    for (int v = 0; v <= INTEGERS; v++)
        x->vars[v] = tree_var(x->tree, variable_names[v], types[v]);
    x->scope = (struct code_scope){
        .tree = x->tree, .diags = ir->diags, .text = text, .lookup = lookup, .user = x, .python = true
    };
}

static const char *diagnostics(struct fixture *x)
{
    struct text t = text_new(x->ir->arena);
    for (uint32_t i = 0; i < diags_count(x->ir->diags); i++)
        diag_print(diags_get(x->ir->diags, i), &t);
    while (t.length && t.data[t.length - 1] == '\n')
        t.data[--t.length] = 0;
    return text_get(&t);
}

static const char *body_text(struct fixture *x)
{
    struct code *c = python_parse(x->ir, NULL, x->scope.text);
    if (!c || !code_body(&x->scope, x->block, c)) {
        CHECK(diags_errors(x->ir->diags) > 0);
        return diagnostics(x);
    }
    CHECK_INT(diags_count(x->ir->diags), 0);
    struct text t = text_new(x->ir->arena);
    stmt_print(x->block, 0, &t);
    if (!tree_verify(x->tree, x->ir->diags))
        CHECK_STR(diagnostics(x), "");
    while (t.length && t.data[t.length - 1] == '\n')
        t.data[--t.length] = 0;
    return text_get(&t);
}

/* Type and value of a constant; the expression where it is none. */
static const char *value_text(struct fixture *x)
{
    struct code *c = python_parse_expression(x->ir, NULL, x->scope.text);
    struct tree_expr *e = c ? code_value(&x->scope, x->block, c) : NULL;
    if (!e) {
        CHECK(diags_errors(x->ir->diags) > 0);
        return diags_count(x->ir->diags) ? diags_get(x->ir->diags, 0)->message : "";
    }
    stmt_assign(x->tree, x->block, tree_var(x->tree, "result", e->type), e);
    if (!tree_verify(x->tree, x->ir->diags))
        CHECK_STR(diagnostics(x), "");
    struct text t = text_new(x->ir->arena);
    text_printf(&t, "%s ", type_text(x->ir, e->type));
    expr_print(e, &t);
    return text_get(&t);
}

/* ---- files ---- */

/* The tests run in the folder tests/. */
static char *data_path(const char *file)
{
    char *path = malloc(strlen(file) + 16);
    sprintf(path, "code/%s", file);
    return path;
}

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!f)
        return text;
    text[fread(text, 1, (1 << 20) - 1, f)] = 0;
    fclose(f);
    return text;
}

static void run_bodies(const char *file)
{
    char *path = data_path(file), *text = slurp(path);
    FILE *bless = getenv("SDFG_BLESS") ? fopen(path, "wb") : NULL;
    int cases = 0;
    for (char *at = strstr(text, "### "); at; cases++) {
        char *name = at + 4, *next = strstr(name, "\n### "), *input = strchr(name, '\n') + 1;
        if (next)
            *next = 0;
        input[-1] = 0;
        char *rule = strstr(input, "\n---"), *expected = rule + 4 + (rule[4] == '\n');
        *rule = 0;
        size_t n = strlen(expected);
        if (n && expected[n - 1] == '\n')
            expected[n - 1] = 0;
        struct fixture x;
        begin(&x, input);
        const char *actual = body_text(&x);
        if (bless)
            fprintf(bless, "### %s\n%s\n---\n%s%s", name, input, actual, *actual ? "\n" : "");
        else if (strcmp(actual, expected) != 0) {
            printf("%s: case \"%s\"\n", file, name);
            CHECK_STR(actual, expected);
        }
        ir_free(x.ir);
        at = next ? next + 1 : NULL;
    }
    CHECK(cases > 5);
    if (bless)
        fclose(bless);
    free(text);
    free(path);
}

TEST(statements) { run_bodies("statements.txt"); }
TEST(errors) { run_bodies("errors.txt"); }

TEST(values)
{
    char *path = data_path("values.txt"), *text = slurp(path), *save = NULL;
    FILE *bless = getenv("SDFG_BLESS") ? fopen(path, "wb") : NULL;
    int cases = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *arrow = strstr(line, " -> ");
        if (*line == '#' || !arrow) {
            if (bless)
                fprintf(bless, "%s\n", line);
            continue;
        }
        *arrow = 0;
        struct fixture x;
        begin(&x, line);
        const char *actual = value_text(&x);
        if (bless)
            fprintf(bless, "%s -> %s\n", line, actual);
        else if (strcmp(actual, arrow + 4) != 0) {
            printf("values.txt: %s\n", line);
            CHECK_STR(actual, arrow + 4);
        }
        cases++;
        ir_free(x.ir);
    }
    CHECK(cases > 50);
    if (bless)
        fclose(bless);
    free(text);
    free(path);
}

/* ---- what only C and C++ texts have; the parts are written in Python ---- */

static struct code *expression(struct fixture *x, const char *text)
{
    return python_parse_expression(x->ir, NULL, text);
}

static struct code *statement(struct fixture *x, const char *text) { return python_parse(x->ir, NULL, text); }

static struct code *node(struct fixture *x, enum code_kind kind, uint32_t count, struct code *a, struct code *b,
                         struct code *c, struct code *d)
{
    struct code *items[] = { a, b, c, d }, *n = code_new(x->ir, kind, count);
    for (uint32_t i = 0; i < count; i++)
        n->items[i] = items[i];
    return n;
}

static struct code *increment(struct fixture *x, const char *text, bool prefix)
{
    struct code *n = node(x, CODE_STEP, 1, expression(x, text), NULL, NULL, NULL);
    n->op = CODE_ADD;
    n->i = prefix;
    return n;
}

static void becomes(struct fixture *x, struct code *c, const char *expected)
{
    struct text t = text_new(x->ir->arena);
    x->scope.python = false;
    x->scope.text = NULL;
    CHECK(code_body(&x->scope, x->block, c));
    CHECK_STR(diagnostics(x), "");
    stmt_print(x->block, 0, &t);
    CHECK_STR(text_get(&t), expected);
    CHECK(tree_verify(x->tree, x->ir->diags));
    CHECK_STR(diagnostics(x), "");
    ir_free(x->ir);
}

TEST(c_for)
{
    struct fixture x;
    begin(&x, "");
    struct code *body = statement(&x, "if i == 3:\n  continue\nD[i] = 1");
    becomes(&x, node(&x, CODE_FOR, 4, statement(&x, "i = 0"), expression(&x, "i < 10"), increment(&x, "i", true), body),
            "i = 0i32\n"
            "while i < 10i32 {\n"
            "    if i == 3i32 {\n"
            "        goto next\n"
            "    }\n"
            "    D[int64(i)] = 1i32\n"
            "    next:\n"
            "    before = i\n"
            "    i = before + 1i32\n"
            "}\n");
}

TEST(c_do)
{
    struct fixture x;
    begin(&x, "");
    becomes(&x, node(&x, CODE_DO, 2, statement(&x, "i = i + 1"), expression(&x, "i < 10"), NULL, NULL),
            "while true {\n"
            "    i = i + 1i32\n"
            "    if i >= 10i32 {\n"
            "        break\n"
            "    }\n"
            "}\n");
}

TEST(c_steps_and_assignments)
{
    struct fixture x;
    begin(&x, "");
    /* D[i++] = i: the value is that before */
    struct code *index = node(&x, CODE_INDEX, 2, expression(&x, "D"), increment(&x, "i", false), NULL, NULL);
    struct code *first = node(&x, CODE_ASSIGN, 2, expression(&x, "i"), index, NULL, NULL);
    /* o = (i = 4) + *&D[1] */
    struct code *inner = node(&x, CODE_ASSIGN_EXPR, 2, expression(&x, "i"), expression(&x, "4"), NULL, NULL);
    struct code *there = node(&x, CODE_ADDRESS, 1, expression(&x, "D[1]"), NULL, NULL, NULL);
    struct code *sum = node(&x, CODE_BINARY, 2, inner, node(&x, CODE_DEREF, 1, there, NULL, NULL, NULL), NULL, NULL);
    sum->op = CODE_ADD;
    struct code *second = node(&x, CODE_ASSIGN, 2, sum, expression(&x, "o"), NULL, NULL);
    becomes(&x, node(&x, CODE_BLOCK, 2, first, second, NULL, NULL),
            "value = i\n"
            "before = i\n"
            "i = before + 1i32\n"
            "D[int64(before)] = value\n"
            "assigned = 4i32\n"
            "i = assigned\n"
            "o = float64(assigned + D[1])\n");
}

TEST(c_declarations)
{
    struct fixture x;
    begin(&x, "");
    struct code *array = node(&x, CODE_DECLARE, 0, NULL, NULL, NULL, NULL);
    array->name = intern(x.ir->names, "local");
    array->type = type_pointer(x.ir, type_basic(x.ir, TYPE_F64));
    array->u = 4;
    struct code *alias = node(&x, CODE_DECLARE, 1, expression(&x, "local[i]"), NULL, NULL, NULL);
    alias->name = intern(x.ir->names, "alias");
    alias->i = 1;
    struct code *use = statement(&x, "i = 2\nalias = x\no = alias");
    becomes(&x, node(&x, CODE_BLOCK, 3, array, alias, use, NULL),
            "local = stack float64[4]\n"
            "value = int64(i)\n"
            "i = 2i32\n"
            "local[value] = x\n"
            "o = local[value]\n");
}

TEST(c_switch)
{
    struct fixture x;
    begin(&x, "");
    struct code *one = node(&x, CODE_CASE, 2, expression(&x, "1"), statement(&x, "o = 1"), NULL, NULL);
    struct code *leave = node(&x, CODE_BREAK, 0, NULL, NULL, NULL, NULL);
    struct code *body = node(&x, CODE_BLOCK, 2, statement(&x, "o = 2"), leave, NULL, NULL);
    struct code *two = node(&x, CODE_CASE, 2, expression(&x, "2"), body, NULL, NULL);
    struct code *other = node(&x, CODE_CASE, 2, NULL, statement(&x, "o = 3"), NULL, NULL);
    becomes(&x, node(&x, CODE_SWITCH, 4, expression(&x, "i"), one, two, other),
            "if i == 1i32 {\n"
            "    goto case\n"
            "}\n"
            "if i == 2i32 {\n"
            "    goto case#2\n"
            "}\n"
            "goto default\n"
            "case:\n"
            "o = 1.0\n"
            "case#2:\n"
            "o = 2.0\n"
            "goto switch_end\n"
            "default:\n"
            "o = 3.0\n"
            "switch_end:\n");
}

TEST(entry_points)
{
    struct fixture x;
    begin(&x, NULL);
    struct tree *t = x.tree;
    struct operand o = { 0 };
    struct text out = text_new(x.ir->arena);
    CHECK(lookup(&x, "B", &o));
    struct tree_expr *index[2] = { expr_i64(t, 2), expr_i64(t, 3) };
    CHECK(code_store(&x.scope, x.block, &o, index, 2, expr_float(t, type_basic(x.ir, TYPE_F64), 1.5)));
    CHECK(!code_store(&x.scope, x.block, &o, index, 1, expr_i64(t, 1)));
    CHECK(!code_convert(&x.scope, type_basic(x.ir, TYPE_I32), expr_var(t, x.vars[COMPLEX])));
    struct tree_expr *truth = code_condition(&x.scope, x.block, expression(&x, "i"));
    CHECK(truth && truth->type->kind == TYPE_BOOL);
    struct code *lambda = expression(&x, "lambda old, new: old - new * new");
    struct tree_expr *e = code_apply(&x.scope, x.block, lambda, expr_var(t, x.vars[OUT]), expr_var(t, x.vars[IN]));
    CHECK(e);
    stmt_print(x.block, 0, &out);
    CHECK_STR(text_get(&out), "B[23] = 1.5f32\n");
    out.length = 0;
    if (e)
        expr_print(e, &out);
    CHECK_STR(text_get(&out), "o - x * x");
    CHECK(!code_apply(&x.scope, x.block, expression(&x, "lambda p: p"), e, e));
    CHECK_INT(diags_errors(x.ir->diags), 3);
    ir_free(x.ir);
}

CHECK_MAIN
