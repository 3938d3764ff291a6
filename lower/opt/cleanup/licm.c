/* Nests and products that are invariant in a sequential loop are hoisted out of it.
 *
 *     for t {                                               for i { T[i] = exp(A[i]) }
 *         for i { T[i] = exp(A[i]) }             ->         for t {
 *         for i { B[i] = B[i] * T[i] + t }                      for i { B[i] = B[i] * T[i] + t }
 *     }                                                     }
 *
 * Legality: Nothing in the loop changes what the statement reads, or accesses what it writes before it does.
 * Profitability: From 16 operations an element on: cheaper values are recomputed, because fusion then needs no memory
 * for them. */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_cost.h"
#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_product.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

enum { LEAST_WORK = 16 }; /* operations for an element: several times those of loading it */

enum { HEADER = -1, NOBODY = -2, SEVERAL = -3 }; /* for the number of an item of a body */

/* What the items of a body do with an alias class. */
struct use {
    uint32_t stamp; /* loop this is about */
    int first;      /* item that touches it */
    int writer;     /* item that changes it, or NOBODY or SEVERAL */
};

struct hoist {
    struct tree *tree;
    struct tree_whole whole;
    uint32_t moved;   /* items so far */
    struct use *uses; /* by class */
    uint32_t num_uses, stamp;
    /* of the loop that is looked at: */
    struct tree_stmt *loop;
    struct tree_scan scan; /* made when it is needed */
    int item;              /* that is looked at */
    bool unknown;          /* some item may touch any memory, or leave the loop */
};

/* ---- what the items of a body touch ---- */

static struct use *use_of(struct hoist *h, uint32_t alias)
{
    struct use *u = &h->uses[alias];
    if (u->stamp != h->stamp)
        *u = (struct use){ h->stamp, INT32_MAX, NOBODY };
    return u;
}

static void touch(struct hoist *h, uint32_t alias, int item, bool write)
{
    if (!alias || alias >= h->num_uses) {
        h->unknown = true;
        return;
    }
    struct use *u = use_of(h, alias);
    u->first = u->first < item ? u->first : item;
    if (write)
        u->writer = u->writer == NOBODY || u->writer == item ? item : SEVERAL;
}

static void touch_product(struct hoist *h, const struct tree_product *p, int item)
{
    touch(h, p->a, item, false);
    touch(h, p->b, item, false);
    touch(h, p->c, item, true);
    h->unknown |= !p->alpha || !p->beta; /* which lie in memory */
}

static void see_touch(void *user, const struct tree_touch *touched)
{
    struct hoist *h = user;
    touch(h, touched->alias, h->item, touched->write);
}

static void see_load(void *user, struct tree_expr *e)
{
    struct hoist *h = user;
    h->unknown |= e->op == EXPR_CALL;
    if (expr_loads_memory(e))
        touch(h, e->alias, h->item, false);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_load, user); }

static bool see_statement(void *user, struct tree_stmt *s)
{
    struct hoist *h = user;
    bool leaves = s->kind == STMT_BREAK || s->kind == STMT_CONTINUE; /* the loop, or one in it: nobody looks */
    h->unknown |= leaves || stmt_is_control(s) || (s->kind == STMT_CALL && !s->product);
    if (s->product)
        touch_product(h, s->product, h->item);
    else
        stmt_each_touch(s, see_touch, h);
    stmt_each_expr(s, see_operand, h);
    return !h->unknown;
}

/* ---- is an item the same in all iterations ---- */

static bool keeps_variables(struct hoist *h, const struct tree_scan *s)
{
    for (uint32_t i = 0; i < s->uses.count; i++) {
        const void *v = s->uses.slots[i].key;
        bool own = map_has(&s->assigned, v);
        if (own ? map_get(&s->uses, v) != map_get(&tree_whole(&h->whole)->uses, v) : map_has(&h->scan.assigned, v))
            return false;
    }
    return true;
}

static bool is_fixed(struct hoist *h, uint32_t alias) { return use_of(h, alias)->writer == NOBODY; }

/* Does the item change this memory, and nobody touch it before? */
static bool is_its_own(struct hoist *h, uint32_t alias, int item)
{
    const struct use *u = use_of(h, alias);
    return u->writer == item && u->first == item;
}

static bool is_same_nest(struct hoist *h, struct tree_stmt *s, int item, const struct tree_scan *scan)
{
    struct tree_piece piece = { 0 };
    piece_add(h->tree->scratch, &piece, s, NULL);
    if (piece.control || piece.effects || piece.jumps || piece.frees || !keeps_variables(h, scan))
        return false;
    for (uint32_t i = 0; i < piece.accesses.count; i++) {
        const struct tree_access *a = piece.accesses.items[i];
        const struct tree_var *base = expr_root_var(a->pointer);
        if (base && map_has(&scan->assigned, base))
            continue; /* memory of the nest itself */
        if (a->write ? a->read || !is_its_own(h, a->alias, item) : !is_fixed(h, a->alias))
            return false;
    }
    return true;
}

static bool is_same_product(struct hoist *h, const struct tree_stmt *s, int item)
{
    const struct tree_product *p = s->product;
    bool same =
        p->alpha && expr_is_float(p->beta, 0) && is_fixed(h, p->a) && is_fixed(h, p->b) && is_its_own(h, p->c, item);
    for (int i = PRODUCT_M; same && i < PRODUCT_ALPHA; i++)
        same = expr_is_pure(s->args[i]) && tree_scan_invariant(&h->scan, s->args[i]);
    return same;
}

/* ---- is it worth it ---- */

/* Each store in the body of the loop itself stands for enough work. */
static bool is_heavy(struct hoist *h, const struct tree_stmt *loop, const struct tree_scan *scan)
{
    int64_t stores = 0;
    bool heavy = false;
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        const struct tree_stmt *s = loop->body->items.items[i];
        const struct tree_var *base = s->kind == STMT_STORE ? expr_root_var(s->pointer) : NULL;
        stores += s->kind == STMT_STORE && !(base && map_has(&scan->assigned, base));
        heavy |= s->kind == STMT_FOR && is_heavy(h, s, scan);
    }
    const struct tree_expr *work = stores ? tree_cost(h->tree, scan, loop->body) : NULL;
    return heavy || (work && (work->op != EXPR_INT || work->i >= LEAST_WORK * stores));
}

/* ---- all of that, the cheapest questions first ---- */

struct filter {
    struct hoist *hoist;
    int item;
    bool may; /* nothing was found that speaks against it */
};

static void filter_load(void *user, struct tree_expr *e)
{
    struct filter *f = user;
    if (expr_loads_memory(e)) {
        int writer = use_of(f->hoist, e->alias)->writer;
        f->may &= writer == NOBODY || writer == f->item; /* the latter: memory of its own, perhaps */
    }
}

static void filter_operand(void *user, struct tree_expr **e) { expr_visit(*e, filter_load, user); }

static bool filter_statement(void *user, struct tree_stmt *s)
{
    struct filter *f = user;
    if (s->kind == STMT_STORE)
        f->may &= is_its_own(f->hoist, s->alias, f->item);
    stmt_each_expr(s, filter_operand, f);
    return f->may;
}

static bool goes_in_front(struct hoist *h, struct tree_stmt *s, int item)
{
    struct tree_scan scan = { .arena = h->tree->scratch };
    struct filter f = { h, item, s->product || s->kind == STMT_FOR };
    if (f.may && !s->product)
        stmt_visit(s, filter_statement, &f);
    if (!f.may)
        return false;
    if (!h->scan.arena) {
        h->scan.arena = h->tree->scratch;
        tree_scan_add(&h->scan, h->loop);
    }
    if (s->product)
        return is_same_product(h, s, item);
    tree_scan_add(&scan, s);
    return is_same_nest(h, s, item, &scan) && is_heavy(h, s, &scan);
}

/* ---- rewriting ---- */

static struct tree_matrix matrix(const struct tree_stmt *call, int arg, uint32_t alias)
{
    return (struct tree_matrix){ call->args[arg], call->args[arg + 1], call->args[arg + 2], alias };
}

/* The factors of a product lie in memory that is written in the loop: it gets others. */
static void move_product(struct hoist *h, struct tree_stmt *front, struct tree_stmt *s)
{
    struct tree *t = h->tree;
    const struct tree_product *p = s->product;
    struct tree_product_of of = { .type = p->type,
                                  .m = s->args[PRODUCT_M],
                                  .n = s->args[PRODUCT_N],
                                  .k = s->args[PRODUCT_K],
                                  .a = matrix(s, PRODUCT_A, p->a),
                                  .b = matrix(s, PRODUCT_B, p->b),
                                  .c = matrix(s, PRODUCT_C, p->c),
                                  .alpha = (struct tree_expr *)p->alpha,
                                  .beta = (struct tree_expr *)p->beta };
    stmt_product(t, front, &of)->place = s->place;
}

/* What runs in front of the loop if the loop runs at all: appended to `block`. */
static struct tree_stmt *front_of(struct hoist *h, struct tree_stmt *block)
{
    struct tree *t = h->tree;
    const struct tree_stmt *l = h->loop;
    if (l->kind == STMT_DO)
        return block;
    struct tree_expr *runs = l->kind == STMT_WHILE ? l->value : expr_binary(t, EXPR_LT, l->begin, l->end);
    if (runs->op == EXPR_INT && runs->i)
        return block;
    struct tree_stmt *guard = stmt_if(t, block, runs);
    guard->place = l->place;
    return guard->body;
}

static void look_at_items(struct hoist *h, struct tree_stmt *s)
{
    struct tree *t = h->tree;
    struct tree_stmt *body = s->body, *block = NULL, *front = NULL, *loop = NEW(t->arena, struct tree_stmt);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *item = body->items.items[i];
        if (!goes_in_front(h, item, (int)i)) {
            body->items.items[kept++] = item;
            continue;
        }
        h->moved++;
        if (!block)
            front = front_of(h, block = stmt_block(t));
        remark(t->ir->remarks, item->place, item->product ? NULL : remark_subject(t, item), REMARK_HOISTED,
               remark_subject(t, s));
        if (item->product)
            move_product(h, front, item);
        else
            stmt_append(t, front, item);
    }
    body->items.count = kept;
    if (!block)
        return;
    *loop = *s;
    stmt_append(t, block, loop);
    *s = *block;
}

static void look_at_loop(struct hoist *h, struct tree_stmt *s)
{
    h->loop = s;
    h->scan = (struct tree_scan){ 0 };
    h->unknown = false;
    h->stamp++;
    h->item = HEADER;
    stmt_each_expr(s, see_operand, h);
    for (uint32_t i = 0; i < s->body->items.count && !h->unknown; i++) {
        h->item = (int)i;
        stmt_visit(s->body->items.items[i], see_statement, h);
    }
    if (h->unknown)
        return;
    look_at_items(h, s);
}

static void count_work(void *user, struct tree_expr *e)
{
    *(int *)user += e->op == EXPR_MATH || e->op == EXPR_DIV || e->op == EXPR_REM ? LEAST_WORK : 1;
}

static void see_work(void *user, struct tree_expr **e) { expr_visit(*e, count_work, user); }

static bool is_enough(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, see_work, user);
    return *(int *)user < LEAST_WORK;
}

/* Without looking closely, is there something in the body that may be worth it? */
static bool may_hold(const struct tree_stmt *body)
{
    for (uint32_t i = 0; body->items.count > 1 && i < body->items.count; i++) {
        struct tree_stmt *s = body->items.items[i];
        int work = 0;
        if (s->kind == STMT_FOR)
            stmt_visit(s, is_enough, &work);
        if (work >= LEAST_WORK || (s->product && expr_is_float(s->product->beta, 0)))
            return true;
    }
    return false;
}

/* Loops inside come first: what they give away may go further. */
static void look(struct hoist *h, struct tree_stmt *s)
{
    uint32_t before = h->moved;
    if (s->body)
        look(h, s->body);
    if (s->otherwise)
        look(h, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        look(h, s->items.items[i]);
    bool repeats = (s->kind == STMT_FOR && !s->loop.parallel) || s->kind == STMT_WHILE || s->kind == STMT_DO;
    if (!repeats)
        return;
    if (h->moved != before)
        stmt_flatten(h->tree, s->body);
    if (may_hold(s->body))
        look_at_loop(h, s);
}

bool opt_licm(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct hoist h = { .tree = t, .whole = { .tree = t, .func = f }, .num_uses = t->num_aliases };
        h.uses = NEW_ARRAY(t->scratch, struct use, t->num_aliases);
        look(&h, f->body);
        if (h.moved)
            stmt_flatten(t, f->body);
    }
    return true;
}
