/* Loops whose iterations store to places that only the data know, where the last one counts.
 *
 *     for j = 0 to n {                          for j parallel { if I[j] { owner[X[j]] = -1 } }
 *         if I[j] {                             for j parallel { if I[j] { owner[X[j]] max= j } }
 *             T[X[j]] = V[j]            ->      for j parallel independent {
 *         }                                         if I[j] { if owner[X[j]] == j { T[X[j]] = V[j] } }
 *     }                                         }
 *
 * If all iterations store the same value, the order does not matter, and the loop becomes parallel as it is.
 *
 * Legality: The memory is accessed by that one store alone, outside of loops inside; everything else of iterations is
 * apart; and what decides where and whether they store is not changed by the loop. The result is that of the
 * sequential loop, whatever the order of threads.
 * Profitability: Code for devices, where one thread would go through the loop. */
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"
#include "lower/opt/threads/loop_slice.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"
#include "lower/tree/tree_shape.h"

enum { SHORTEST = 64 /* iterations, if they are known */ };

struct scattered {
    struct tree_stmt *store;
    struct tree_expr *index;
    bool alike; /* all iterations store the same value */
    struct tree_var *owner;
    uint32_t alias; /* of the owners */
};

struct scatter {
    struct tree *tree;
    struct tree_func *func;
    struct iterations x;
    struct loop_memory memory;
    /* the loop at hand */
    struct tree_stmt *loop;
    struct tree_scan scan;
    struct tree_piece piece;
    VEC(struct scattered) stores;
};

/* ---- which stores ---- */

static bool is_alone(const struct scatter *w, const struct tree_stmt *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->piece.accesses.count; i++) {
        uint32_t alias = w->piece.accesses.items[i]->alias;
        count += !alias || alias == s->alias;
    }
    return s->alias && count == 1;
}

static void find_stores(struct scatter *w, struct tree_stmt *s)
{
    if (s->kind == STMT_STORE && s->pointer->op == EXPR_VAR && tree_scan_invariant(&w->scan, s->pointer) &&
        is_alone(w, s))
        vec_push(w->tree->scratch, &w->stores, ((struct scattered){ .store = s, .index = s->index }));
    if (stmt_is_loop(s) && s != w->loop)
        return;
    for (uint32_t i = 0; i < s->items.count; i++)
        find_stores(w, s->items.items[i]);
    if (s->body)
        find_stores(w, s->body);
    if (s->otherwise)
        find_stores(w, s->otherwise);
}

static bool are_apart(struct scatter *w, const struct tree_frame *frame)
{
    struct fuse_nest nest = { .loops = { w->loop }, .depth = 1 };
    return iterations_are_apart(&w->x, w->loop, &nest, frame);
}

/* Leaves those stores without which the iterations are apart. */
static bool find_scattered(struct scatter *w, const struct tree_frame *frame)
{
    struct tree_expr *own = expr_var(w->tree, w->loop->var);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->stores.count; i++)
        w->stores.items[i].store->index = own;
    bool apart = are_apart(w, frame);
    for (uint32_t i = 0; i < w->stores.count; i++) {
        struct scattered *s = &w->stores.items[i];
        s->store->index = s->index;
        if (!apart || are_apart(w, frame))
            continue;
        s->store->index = own;
        w->stores.items[kept++] = *s;
    }
    w->stores.count = kept;
    for (uint32_t i = 0; i < kept; i++)
        w->stores.items[i].store->index = w->stores.items[i].index;
    return apart && kept;
}

/* ---- the same value ---- */

struct assigned {
    const struct tree_var *var;
    struct tree_expr *value;
    uint32_t count;
};

static bool see_assigned(void *user, struct tree_stmt *s)
{
    struct assigned *a = user;
    if (s->var == a->var || s->var2 == a->var) {
        a->count++;
        a->value = s->kind == STMT_ASSIGN ? s->value : NULL;
    }
    return true;
}

static bool is_alike(struct scatter *w, const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD || !expr_is_pure(e))
        return false;
    if (e->op == EXPR_VAR && map_has(&w->scan.assigned, e->var)) {
        struct assigned a = { .var = e->var };
        stmt_visit(w->loop, see_assigned, &a);
        return a.count == 1 && a.value && is_alike(w, a.value);
    }
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_alike(w, e->args[i]))
            return false;
    return true;
}

/* ---- owners ---- */

/* Elements of the memory behind a pointer, made of constants and parameters; NULL: not known. */
static struct tree_expr *elements_of(const struct scatter *w, const struct tree_var *v)
{
    for (uint32_t i = 0; i < w->func->params.count; i++) {
        const struct tree_param *p = &w->func->params.items[i];
        if (p->var == v)
            return p->elements ? p->elements : p->count ? expr_i64(w->tree, p->count) : NULL;
    }
    return v->elements;
}

/* A copy of the loop that stores, or combines, the number of the iteration instead. */
static struct tree_stmt *slice(struct scatter *w, bool clears)
{
    struct tree *t = w->tree;
    struct map kept = { 0 };
    for (uint32_t i = 0; i < w->stores.count; i++) {
        const struct scattered *s = &w->stores.items[i];
        struct tree_stmt *out = stmt_block(t);
        struct tree_expr *owner = s->alike ? NULL : expr_var(t, s->owner);
        if (s->alike)
            continue;
        if (clears)
            stmt_store(t, out, owner, s->index, expr_i64(t, -1), s->alias);
        else
            stmt_reduce(t, out, WCR_MAX, true, owner, s->index,
                        expr_binary(t, EXPR_SUB, expr_var(t, w->loop->var), w->loop->begin), s->alias);
        out->items.items[0]->place = s->store->place;
        map_put(t->scratch, &kept, s->store, out->items.items[0]);
    }
    struct tree_stmt *copy = loop_slice(t, w->loop, &kept);
    copy->loop.parallel = true;
    return copy;
}

/* The store, if no later iteration has the same place. */
static void guard(struct scatter *w, const struct scattered *s)
{
    struct tree *t = w->tree;
    struct tree_stmt *out = stmt_block(t);
    struct tree_expr *owner = expr_load(t, type_basic(t->ir, TYPE_I64), expr_var(t, s->owner), s->index, s->alias);
    struct tree_expr *own = expr_binary(t, EXPR_SUB, expr_var(t, w->loop->var), w->loop->begin);
    struct tree_stmt *branch = stmt_if(t, out, expr_binary(t, EXPR_EQ, owner, own));
    branch->otherwise = NULL;
    stmt_append(t, branch->body, arena_copy(t->arena, s->store, sizeof *s->store));
    *s->store = *out;
}

/* Does the loop change what decides where it stores? */
static bool is_fixed(struct scatter *w)
{
    struct tree *t = w->tree;
    struct map kept = { 0 };
    for (uint32_t i = 0; i < w->stores.count; i++) {
        struct tree_stmt *place = arena_copy(t->arena, w->stores.items[i].store, sizeof *place);
        place->value = expr_zero(t, place->value->type);
        map_put(t->scratch, &kept, w->stores.items[i].store, place);
    }
    return !loop_slice_reads(t, loop_slice(t, w->loop, &kept), w->loop, NULL);
}

/* How many stores have owners; -1: it cannot be done. */
static int take_owners(struct scatter *w, struct tree_stmt *out)
{
    int many = 0;
    for (uint32_t i = 0; i < w->stores.count; i++) {
        struct scattered *s = &w->stores.items[i];
        s->alike = is_alike(w, s->store->value);
        if (!s->alike && !elements_of(w, s->store->pointer->var))
            return -1;
        many += !s->alike;
    }
    if (many && !is_fixed(w))
        return -1;
    for (uint32_t i = 0; i < w->stores.count; i++) {
        struct scattered *s = &w->stores.items[i];
        if (!s->alike)
            s->owner = loop_memory_take(&w->memory, out, "owner", type_basic(w->tree->ir, TYPE_I64),
                                        elements_of(w, s->store->pointer->var), &s->alias);
    }
    return many;
}

static bool rewrite(struct scatter *w)
{
    struct tree *t = w->tree;
    struct tree_stmt *out = stmt_block(t), *loop = arena_copy(t->arena, w->loop, sizeof *w->loop);
    int owners = take_owners(w, out);
    if (owners < 0)
        return false;
    if (owners) {
        stmt_append(t, out, slice(w, true));
        stmt_append(t, out, slice(w, false));
    }
    for (uint32_t i = 0; i < w->stores.count; i++)
        if (!w->stores.items[i].alike)
            guard(w, &w->stores.items[i]);
    loop->loop.parallel = true;
    loop->loop.independent = (uint32_t)owners == w->stores.count;
    stmt_append(t, out, loop);
    remark(t->ir->remarks, w->loop->place, remark_subject(t, w->loop),
           owners ? REMARK_ORDERED_SCATTER : REMARK_SAME_SCATTER);
    *w->loop = *out;
    return true;
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct scatter *w = user;
    if (s->kind == STMT_PARALLEL || (s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent)))
        return false;
    if (!loop_counts_by_one(s) || loop_is_shorter(s, SHORTEST))
        return true;
    w->loop = s;
    w->stores.count = 0;
    w->piece = (struct tree_piece){ 0 };
    w->scan = (struct tree_scan){ .arena = w->tree->scratch };
    piece_add(w->tree->scratch, &w->piece, s, frame);
    tree_scan_add(&w->scan, s);
    find_stores(w, s);
    if (!w->stores.count || w->piece.control || w->piece.effects || w->piece.jumps || w->piece.frees ||
        !tree_scan_invariant(&w->scan, s->begin) || !iterations_keep_variables(&w->x, s) || !find_scattered(w, frame))
        return true;
    return !rewrite(w);
}

bool opt_ordered_scatter(struct tree *t, const struct tree_options *o)
{
    struct tree_func *f = t->functions.items[0];
    struct scatter w = { .tree = t, .func = f, .x = iterations_of(t, f), .memory = loop_memory_begin(t, f) };
    if (o->plain || o->counting || stmt_contains(f->body, STMT_RETURN))
        return true;
    tree_visit_frames(f->body, NULL, look, &w);
    loop_memory_end(&w.memory);
    stmt_flatten(t, f->body);
    return true;
}
