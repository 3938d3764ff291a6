/* Values that are not finite where they are stored. */
#include "lower/opt/check/check.h"

static struct tree_expr *is_finite(struct tree *t, struct tree_expr *e)
{
    if (type_is_complex(e->type))
        return expr_binary(t, EXPR_LOGICAL_AND, is_finite(t, expr_unary(t, EXPR_REAL, e)),
                           is_finite(t, expr_unary(t, EXPR_IMAG, e)));
    if (e->type->size < 4)
        e = expr_cast(t, type_basic(t->ir, TYPE_F32), e);
    return expr_math(t, TREE_MATH_isfinite, &e);
}

static bool is_number(const struct type *t) { return type_is_float(t) || type_is_complex(t); }

static void report_element(struct checking *k, struct tree_stmt *block, const struct tree_stmt *s,
                           const struct check_root *root)
{
    struct tree *t = k->tree;
    struct tree_check *c = NEW(t->arena, struct tree_check);
    *c = (struct tree_check){
        .place = s->place, .container = root->var->name, .kind = SDFG_RT_CHECK_NAN, .rank = 1, .flat = true
    };
    struct tree_expr *args[CHECK_DIMS + CHECK_DIM] = {
        [CHECK_POINTER] = expr_offset(t, s->pointer, s->index), [CHECK_WHEN] = expr_bool(t, true)
    };
    struct tree_stmt mark = { .kind = STMT_CALL, .check = c, .args = args };
    struct tree_expr *element = check_element_of(k, &mark, root), *unknown = expr_i64(t, -1);
    *check_number(&mark, 0, CHECK_LOW) = *check_number(&mark, 0, CHECK_HIGH) = element ? element : unknown;
    *check_number(&mark, 0, CHECK_EXTENT) = root->count ? root->count : unknown;
    check_report(t, block, &mark, SDFG_RT_CHECK_NAN);
}

/* if !isfinite(value) fault: the element is told as one of its memory. */
static void test_store(struct checking *k, struct tree_stmt *block, struct tree_stmt *s)
{
    struct tree *t = k->tree;
    const struct check_root *root = check_root_of(k, s->pointer);
    if (!root || (root->alloc && !root->alloc->place) || !is_number(s->value->type) || expr_is_const(s->value))
        return;
    struct tree_var *v = tree_var(t, "value", s->value->type);
    stmt_assign(t, block, v, s->value);
    s->value = expr_var(t, v);
    struct tree_stmt *test = stmt_if(t, block, expr_unary(t, EXPR_NOT, is_finite(t, s->value)));
    report_element(k, test->body, s, root);
}

static void visit(struct checking *k, struct tree_stmt *s)
{
    struct tree *t = k->tree;
    const struct tree_stmt *region = t->region;
    if (s->kind == STMT_PARALLEL)
        t->region = s;
    struct tree_stmt *out = stmt_block(t);
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        visit(k, item);
        if (item->kind == STMT_STORE || item->kind == STMT_REDUCE)
            test_store(k, out, item);
        stmt_append(t, out, item);
    }
    if (s->kind == STMT_BLOCK) {
        s->items.items = out->items.items;
        s->items.count = out->items.count;
        s->items.capacity = out->items.capacity;
    }
    if (s->body)
        visit(k, s->body);
    if (s->otherwise)
        visit(k, s->otherwise);
    t->region = region;
}

void check_nan(struct checking *k) { visit(k, k->func->body); }
