/* Places at constant distances in rows of a size that only calls give are apart if the rows are long enough. Calls
 * tell: the program gets a version for rows that are.
 *
 *     for i { A[i * N + N - 1] = 0 }         ->      if N >= 2 {
 *     for i { B[i] = A[i * N + N - 2] }                  n = N, at least 2
 *                                                        for i { A[i * n + n - 1] = 0 }     can be fused
 *                                                        for i { B[i] = A[i * n + n - 2] }
 *                                                    } else {
 *                                                        ...                                as it was
 *                                                    }
 *
 * Legality: Both versions do the same.
 * Profitability: One of the places is written, the bounds of loops do not tell already, and the program is not large.
 */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"

enum { MOST_STATEMENTS = 300, MOST_SIZES = 4, MOST_ACCESSES = 200, LONGEST = 16 };

struct wish {
    struct tree_var *size; /* at least `least`; a parameter */
    int64_t least;
    struct tree_var *own; /* the variable of the version */
};

struct size_versions {
    struct tree *tree;
    struct wish wishes[MOST_SIZES];
    uint32_t count, statements;
    bool fixed; /* has what there must be one of */
};

/* ---- which sizes ---- */

static struct tree_var *size_of(const struct tree *t, const struct tree_expr *factor)
{
    bool plain = factor->op == EXPR_VAR && factor->type->kind == TYPE_I64 && !factor->var->size;
    return plain && tree_is_size(t, factor) ? factor->var : NULL;
}

/* Is it a multiple of the size, but for the constant, and one that is not the same in all iterations? */
static bool is_in_rows(const struct tree *t, const struct linear *at, const struct tree_var *size)
{
    bool varies = false;
    for (uint32_t i = 0; i < at->count; i++) {
        const struct linear_term *term = &at->terms[i];
        if (!linear_term_has(term, size))
            return false;
        for (uint32_t k = 0; k < term->count; k++)
            varies |= !tree_is_size(t, term->factors[k]);
    }
    return varies;
}

static bool is_known(struct size_versions *v, const struct wish *w, const struct tree_frame *frame)
{
    struct linear more;
    linear_of(&more, expr_var(v->tree, w->size));
    more.constant -= w->least;
    return depend_is_natural(v->tree->scratch, &more, frame);
}

static void add_wish(struct size_versions *v, const struct wish *w)
{
    uint32_t i = 0;
    while (i < v->count && v->wishes[i].size != w->size)
        i++;
    if (i == MOST_SIZES)
        return;
    if (i == v->count)
        v->wishes[v->count++] = *w;
    v->wishes[i].least = w->least > v->wishes[i].least ? w->least : v->wishes[i].least;
}

static void compare(struct size_versions *v, const struct tree_access *a, const struct tree_access *b)
{
    if (!a->pointer || !b->pointer || !(a->write || b->write) || !a->at->known || !b->at->known || a->at->count == 0 ||
        a->at->constant == b->at->constant || a->extent != 1 || b->extent != 1 || a->type != b->type ||
        !expr_equal(a->pointer, b->pointer))
        return;
    for (uint32_t k = 0; k < a->at->terms[0].count; k++) {
        struct wish w = { .size = size_of(v->tree, a->at->terms[0].factors[k]) };
        if (!w.size || !is_in_rows(v->tree, a->at, w.size) || !is_in_rows(v->tree, b->at, w.size) ||
            __builtin_sub_overflow(a->at->constant, b->at->constant, &w.least) || w.least < -LONGEST ||
            w.least > LONGEST)
            continue;
        w.least = (w.least < 0 ? -w.least : w.least) + 1;
        if (!is_known(v, &w, a->frame) && !is_known(v, &w, b->frame))
            add_wish(v, &w);
    }
}

static void find_wishes(struct size_versions *v, struct tree_stmt *body)
{
    struct tree_piece piece = { 0 };
    piece_add(v->tree->scratch, &piece, body, NULL);
    for (uint32_t i = 0; piece.accesses.count <= MOST_ACCESSES && i < piece.accesses.count; i++)
        for (uint32_t k = 0; k < i; k++)
            compare(v, piece.accesses.items[i], piece.accesses.items[k]);
}

/* ---- two versions ---- */

static bool measure(void *user, struct tree_stmt *s)
{
    struct size_versions *v = user;
    v->statements++;
    v->fixed |= s->label || s->kind == STMT_LABEL || stmt_rows[s->kind].flags & STMT_REGION ||
                (s->kind == STMT_ALLOC && s->where == TREE_STATE);
    return true;
}

static struct tree_expr *own_size(void *user, struct tree_expr *e)
{
    const struct size_versions *v = user;
    for (uint32_t i = 0; e->op == EXPR_VAR && i < v->count; i++)
        if (v->wishes[i].size == e->var)
            return expr_var(v->tree, v->wishes[i].own);
    return e;
}

static bool set_sizes(void *user, struct tree_stmt *s)
{
    struct size_versions *v = user;
    stmt_rewrite(v->tree, s, own_size, v);
    if (s->kind == STMT_ALLOC && s->var->elements)
        s->var->elements = expr_rewrite(v->tree, s->var->elements, own_size, v);
    return true;
}

static struct tree_expr *put_sizes(struct size_versions *v, struct tree_stmt *block, struct text *names)
{
    struct tree *t = v->tree;
    struct tree_expr *all = NULL;
    for (uint32_t i = 0; i < v->count; i++) {
        struct wish *w = &v->wishes[i];
        struct tree_expr *size = expr_var(t, w->size);
        struct tree_expr *one = expr_binary(t, EXPR_GE, size, expr_i64(t, w->least));
        w->own = tree_var(t, w->size->name, w->size->type);
        w->own->size = size;
        w->own->least = w->least;
        stmt_assign(t, block, w->own, size);
        text_printf(names, "%s%s >= %lld", i ? ", " : "", w->size->name, (long long)w->least);
        all = all ? expr_binary(t, EXPR_LOGICAL_AND, all, one) : one;
    }
    return all;
}

static void split(struct size_versions *v, struct tree_stmt *body)
{
    struct tree *t = v->tree;
    struct tree_stmt *whole = stmt_block(t), *sizes = stmt_block(t);
    struct text names = text_new(t->scratch);
    whole->items = body->items;
    struct tree_stmt *other = stmt_clone_apart(t, whole);
    struct tree_expr *check = put_sizes(v, sizes, &names);
    stmt_visit(whole, set_sizes, v);
    body->items.items = NULL;
    body->items.count = body->items.capacity = 0;
    struct tree_stmt *choice = stmt_if(t, body, check);
    stmt_append(t, choice->body, sizes);
    stmt_append(t, choice->body, whole);
    stmt_append(t, choice->otherwise, other);
    stmt_flatten(t, body);
    remark(t->ir->remarks, body->place, remark_subject(t, body), REMARK_SIZE_VERSIONS, text_get(&names));
}

bool opt_size_versions(struct tree *t, const struct tree_options *o)
{
    struct tree_func *f = t->functions.items[0];
    struct size_versions v = { .tree = t };
    if (o->plain || o->check || o->counting || !tree_func_is_main(f))
        return true;
    stmt_visit(f->body, measure, &v);
    if (v.fixed || v.statements > MOST_STATEMENTS)
        return true;
    find_wishes(&v, f->body);
    if (v.count)
        split(&v, f->body);
    return true;
}
