/* Python code from anywhere becomes statements or a diagnostic: no input crashes, and what is made is a valid tree. */
#include "lower/graph/code/code.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct names {
    struct tree *tree;
    struct tree_expr *stride;
};

static void array(struct names *n, const char *name, enum type_kind kind, uint32_t rank, struct operand *o)
{
    const struct type *type = type_basic(n->tree->ir, kind);
    *o = (struct operand){ .kind = OPERAND_ARRAY, .type = type, .rank = rank };
    o->pointer = expr_var(n->tree, tree_var(n->tree, name, type_pointer(n->tree->ir, type)));
    o->strides = arena_copy(n->tree->arena, &n->stride, sizeof n->stride);
}

/* One letter, one kind of operand; the others are free for local variables. */
static bool lookup(void *user, const char *name, struct operand *o)
{
    static const enum type_kind kinds[] = { TYPE_F64, TYPE_I32, TYPE_C128, TYPE_F16, TYPE_BOOL, TYPE_U64, TYPE_I8 };
    struct names *n = user;
    struct ir *ir = n->tree->ir;
    if (strlen(name) != 1)
        return true;
    if (*name >= 'a' && *name <= 'g') {
        o->kind = OPERAND_VARIABLE;
        o->type = type_basic(ir, kinds[*name - 'a']);
        o->var = tree_var(n->tree, name, o->type);
    } else if (*name == 'v') {
        o->kind = OPERAND_VARIABLE;
        o->type = type_vector(ir, type_basic(ir, TYPE_F32), 4, NULL);
        o->var = tree_var(n->tree, name, o->type);
    } else if (*name >= 'A' && *name <= 'G') {
        array(n, name, kinds[*name - 'A'], 1, o);
    } else if (*name == 'w') {
        array(n, name, TYPE_F64, 0, o);
        o->wcr = WCR_SUM;
        o->atomic = true;
    } else if (*name == 'N') {
        o->kind = OPERAND_VALUE;
        o->type = type_basic(ir, TYPE_I64);
        o->value = expr_i64(n->tree, 5);
    } else if (*name == 'S') {
        struct type_field fields[] = { { .name = "val", .type = type_basic(ir, TYPE_F64) },
                                       { .name = "idx", .type = type_basic(ir, TYPE_I32) } };
        const struct type *type = type_struct(ir, intern(ir->names, "pair"), fields, 2);
        array(n, name, TYPE_I8, 0, o);
        o->type = type;
        o->pointer = expr_var(n->tree, tree_var(n->tree, name, type_pointer(ir, type)));
    }
    return true;
}

static void check(struct ir *ir, bool good)
{
    if (good != (diags_errors(ir->diags) == 0))
        abort();
    for (uint32_t i = 0; i < diags_count(ir->diags); i++)
        if (diag_class_of(diags_get(ir->diags, i)->code) == DIAG_CLASS_BUG)
            abort();
}

static void lower(struct ir *ir, const char *text, bool expression)
{
    struct tree *t = tree_new(ir, "fuzz");
    struct names names = { t, expr_i64(t, 1) };
    struct code_scope s = {
        .tree = t, .diags = ir->diags, .text = text, .lookup = lookup, .user = &names, .python = true
    };
    struct tree_stmt *body = tree_func(t, "main")->body;
    struct code *c = expression ? python_parse_expression(ir, NULL, text) : python_parse(ir, NULL, text);
    bool good = c && (expression ? code_condition(&s, body, c) != NULL : code_body(&s, body, c));
    if (good)
        good = tree_verify(t, ir->diags);
    check(ir, good);
    diags_reset(ir->diags, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ir *ir = ir_new();
    char *text = arena_strndup(ir->arena, (const char *)data, size);
    lower(ir, text, false);
    lower(ir, text, true);
    ir_free(ir);
    return 0;
}
