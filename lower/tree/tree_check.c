#include "lower/tree/tree_check.h"

#include <string.h>

struct tree_var *stmt_check(struct tree *t, struct tree_stmt *block, const struct tree_check *c,
                            struct tree_expr *pointer, struct tree_expr *when, struct tree_expr *const *dims)
{
    uint32_t numbers = CHECK_DIM * c->rank;
    struct tree_expr **args = NEW_ARRAY(t->arena, struct tree_expr *, CHECK_DIMS + numbers);
    args[CHECK_POINTER] = pointer;
    args[CHECK_WHEN] = when;
    for (uint32_t i = 0; i < numbers; i++)
        args[CHECK_DIMS + i] = dims[i];
    struct tree_var *ok = tree_var(t, "ok", type_basic(t->ir, TYPE_BOOL));
    struct tree_stmt *s = stmt_call(t, block, ok, "check", args, CHECK_DIMS + numbers);
    s->check = c;
    s->place = c->place;
    s->isolated = true; /* it reads no memory */
    return ok;
}

struct tree_expr *check_describe(struct tree *t, const struct tree_check *c, enum sdfg_rt_check_kind kind,
                                 uint32_t rank)
{
    struct text path = text_new(t->arena), source = text_new(t->arena);
    place_print(c->place, &path);
    place_print_source(c->place, &source);
    const char *const texts[] = { c->container, text_get(&path), text_get(&source) };
    size_t size = sizeof(struct sdfg_rt_access);
    for (int i = 0; i < 3; i++)
        size += strlen(texts[i]) + 1;
    struct sdfg_rt_access *a = arena_alloc(t->arena, size);
    a->kind = kind;
    a->rank = rank;
    a->flat = c->in_bytes ? 2 : c->flat;
    char *to = a->text;
    for (int i = 0; i < 3; i++)
        to = stpcpy(to, texts[i]) + 1;
    return expr_data(t, type_basic(t->ir, TYPE_I8), a, size);
}

/* ---- overflow ---- */

void stmt_check_overflow(struct tree *t, struct tree_stmt *block, const struct place *place, const char *name,
                         const struct type *type, struct tree_expr *value)
{
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    if (!type_is_signed(type) || type->size > 4 || value->type != i64 || !expr_is_pure(value))
        return;
    int64_t least = -((int64_t)1 << (8 * type->size - 1));
    struct tree_check *c = NEW(t->arena, struct tree_check);
    *c = (struct tree_check){ .place = place, .container = name, .kind = SDFG_RT_CHECK_OVERFLOW, .rank = 1 };
    c->bits = 8 * type->size;
    struct tree_expr *dims[CHECK_DIM];
    dims[CHECK_LOW] = dims[CHECK_HIGH] = expr_binary(t, EXPR_SUB, value, expr_i64(t, least));
    dims[CHECK_EXTENT] = expr_i64(t, -2 * least);
    dims[CHECK_STRIDE] = dims[CHECK_STEP] = expr_i64(t, 1);
    stmt_check(t, block, c, expr_null(t, type_pointer(t->ir, type)), expr_bool(t, true), dims);
}
