/* Rows and columns that a nest reads and the next one overwrites are copied first: without the anti-dependence the two
 * can be fused, and the temporary between them disappears.
 *
 *     for k {                                              for k {
 *                                                              for i { a[i] = P[i, k] }   for j { b[j] = P[k, j] }
 *         for i { for j { T[i, j] = P[i, k] + P[k, j] } }      for i { for j { T[i, j] = a[i] + b[j] } }
 *         for i { for j { P[i, j] -= T[i, j] } }       ->      for i { for j { P[i, j] -= T[i, j] } }
 *     }                                                    }
 *
 * On the CPU an element of a slice that only the outermost loop goes through is kept in a variable of its iteration, if
 * the outer loops alone can then be fused: threads read what is their own.
 *
 * Legality: Only loads of loop-invariant rows or columns stand against the fusion.
 * Profitability: If the fusion removes an array. */
#include "lower/opt/fusion/fuse.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"

enum {
    MOST_SLICES = 4, /* for one nest */
    ON_STACK = 8192, /* bytes of a slice */
    LEAST = 8        /* iterations, if they are known, that read the same element */
};

struct slice {
    const struct tree_expr *load;
    unsigned loops;       /* bits: loops of the nest that its index depends on */
    struct tree_expr *at; /* the element of the copy that an iteration reads */
    struct tree_stmt *alloc, *fill;
    struct tree_var *value; /* of one iteration of the outermost loop, instead of the copy; NULL: there is the copy */
};

struct slices {
    struct tree *tree;
    bool device; /* code for one */
    const struct fuse_nest *nest;
    struct tree_scan scan;   /* of the nest */
    uint32_t alias;          /* of the memory that the next nest changes */
    struct tree_stmt *block; /* what comes in front of the nest */
    struct slice items[MOST_SLICES];
    uint32_t count;
};

/* ---- loads ---- */

struct index {
    const struct slices *x;
    unsigned loops;
    bool ok;
};

static void see_index(void *user, struct tree_expr *e)
{
    struct index *p = user;
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL)
        p->ok = false;
    if (e->op != EXPR_VAR || !map_has(&p->x->scan.assigned, e->var))
        return;
    for (uint32_t i = 0; i < p->x->nest->depth; i++)
        if (p->x->nest->loops[i]->var == e->var) {
            p->loops |= 1u << i;
            return;
        }
    p->ok = false;
}

static struct tree_expr *span(struct tree *t, const struct tree_stmt *loop)
{
    return expr_binary(t, EXPR_SUB, loop->end, loop->begin);
}

static bool is_whole(const struct slices *x, unsigned loops) { return loops == (1u << x->nest->depth) - 1; }

/* Do enough iterations read the same element? */
static bool pays(const struct slices *x, unsigned loops)
{
    int64_t times = 1;
    for (uint32_t i = 0; i < x->nest->depth; i++) {
        struct tree_expr *n = span(x->tree, x->nest->loops[i]);
        if (!(loops & 1u << i) && (n->op != EXPR_INT || __builtin_mul_overflow(times, n->i, &times)))
            return true;
    }
    return times >= LEAST;
}

/* The copy is made if the loops that it does not depend on have any iterations: else nobody may read the elements. */
static struct tree_stmt *guarded(const struct slices *x, struct tree_stmt *block, unsigned loops)
{
    struct tree *t = x->tree;
    for (uint32_t i = 0; i < x->nest->depth; i++) {
        struct tree_stmt *loop = x->nest->loops[i];
        struct tree_expr *any = expr_binary(t, EXPR_LT, loop->begin, loop->end);
        if (!(loops & 1u << i) && !expr_is_int(any, 1))
            block = stmt_if(t, block, any)->body;
    }
    return block;
}

/* Takes memory for the elements and fills it. */
static void keep(struct slices *x, struct slice *s)
{
    struct tree *t = x->tree;
    const struct type *type = s->load->type;
    struct tree_expr *count = expr_i64(t, 1), *here = expr_i64(t, 0), *index = s->load->args[1];
    struct tree_stmt *block = stmt_block(t), *inside = guarded(x, block, s->loops);
    s->at = here;
    for (uint32_t i = 0; i < x->nest->depth; i++) {
        struct tree_stmt *loop = x->nest->loops[i];
        if (!(s->loops & 1u << i))
            continue;
        struct tree_expr *n = expr_binary(t, EXPR_MAX, span(t, loop), expr_i64(t, 0));
        struct tree_var *v = tree_var(t, loop->var->name, loop->var->type);
        v->owner = loop->var->owner;
        struct tree_stmt *copy = stmt_for(t, inside, v, loop->begin, loop->end, loop->step);
        copy->place = loop->place;
        copy->loop.independent = true;
        inside = copy->body;
        struct tree_expr *of_copy = expr_binary(t, EXPR_SUB, expr_var(t, v), loop->begin),
                         *of_nest = expr_binary(t, EXPR_SUB, expr_var(t, loop->var), loop->begin);
        here = expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, here, n), of_copy);
        s->at = expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, s->at, n), of_nest);
        count = expr_binary(t, EXPR_MUL, count, n);
        struct tree_stmt holder = { .kind = STMT_ASSIGN, .value = index };
        stmt_substitute(t, &holder, loop->var, expr_var(t, v));
        index = holder.value;
    }
    struct tree_var *memory = tree_var(t, "kept", type_pointer(t->ir, type));
    memory->owner = x->nest->loops[0]->var->owner;
    bool small = count->op == EXPR_INT && count->i <= ON_STACK / (int64_t)type->size;
    s->alloc = stmt_alloc(t, x->block, memory, type, count, small ? TREE_STACK : TREE_HEAP);
    s->alloc->place = x->nest->loops[0]->place;
    s->alloc->alias = t->num_aliases++;
    s->fill = block;
    struct tree_expr *value = expr_load(t, type, s->load->args[0], index, s->load->alias);
    stmt_store(t, inside, expr_var(t, memory), here, value, s->alloc->alias)->place = s->alloc->place;
    stmt_append(t, x->block, block);
}

static struct tree_expr *replace_load(void *user, struct tree_expr *e)
{
    struct slices *x = user;
    if (e->op != EXPR_LOAD || e->alias != x->alias || !type_is_basic(e->type) ||
        !tree_scan_invariant(&x->scan, e->args[0]))
        return e;
    struct index p = { .x = x, .ok = true };
    expr_visit(e->args[1], see_index, &p);
    if (!p.ok || is_whole(x, p.loops) || !pays(x, p.loops))
        return e;
    struct slice *s = x->items;
    while (s < x->items + x->count && !(s->load->type == e->type && expr_equal(s->load->args[0], e->args[0]) &&
                                        expr_equal(s->load->args[1], e->args[1])))
        s++;
    if (s == x->items + MOST_SLICES)
        return e;
    if (s == x->items + x->count) {
        *s = (struct slice){ .load = e, .loops = p.loops };
        x->count++;
        keep(x, s);
    }
    return expr_load(x->tree, e->type, expr_var(x->tree, s->alloc->var), s->at, s->alloc->alias);
}

static void see_choice(void *user, struct tree_expr *e)
{
    if (e->op == EXPR_SELECT || e->op == EXPR_LOGICAL_AND || e->op == EXPR_LOGICAL_OR || e->op == EXPR_CALL)
        *(bool *)user = true;
}

/* Loads that every iteration does. */
static void replace_loads(struct slices *x)
{
    struct tree_stmt *body = x->nest->loops[x->nest->depth - 1]->body;
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *s = body->items.items[i];
        bool choice = false;
        if (s->kind != STMT_ASSIGN && s->kind != STMT_STORE)
            continue;
        expr_visit(s->value, see_choice, &choice);
        if (!choice)
            s->value = expr_rewrite(x->tree, s->value, replace_load, x);
    }
}

/* ---- nests ---- */

static bool is_free(const struct tree_piece *p) { return !p->control && !p->effects && !p->jumps && !p->frees; }

/* Bounds do not depend on loops of the nest; the loops count by one, and are in step with those of the other nest. */
static bool is_box(const struct tree_scan *scan, const struct fuse_nest *a, const struct fuse_nest *b)
{
    for (uint32_t i = 0; i < a->depth; i++) {
        const struct tree_stmt *x = a->loops[i];
        if (x->var->type->kind != TYPE_I64 || !expr_is_int(x->step, 1) || !tree_scan_invariant(scan, x->begin) ||
            !tree_scan_invariant(scan, x->end) || x->loop.parallel != b->loops[i]->loop.parallel)
            return false;
    }
    return true;
}

static bool uses_what_it_makes(const struct tree_piece *a, const struct tree_piece *b)
{
    for (uint32_t i = 0; i < a->accesses.count; i++)
        for (uint32_t k = 0; a->accesses.items[i]->write && k < b->accesses.count; k++)
            if (a->accesses.items[i]->alias == b->accesses.items[k]->alias && b->accesses.items[k]->read)
                return true;
    return false;
}

/* Memory that the nest changes itself cannot be read before it. */
static bool changes(const struct tree_piece *p, uint32_t alias)
{
    for (uint32_t i = 0; i < p->accesses.count; i++)
        if (p->accesses.items[i]->write && (p->accesses.items[i]->alias == alias || p->accesses.items[i]->alias == 0))
            return true;
    return false;
}

static bool is_legal(struct tree *t, const struct fuse_nest *a, const struct fuse_nest *b, struct fuse_obstacle *o)
{
    struct piece_set first;
    piece_set_init(&first, t->scratch, t);
    piece_set_add(&first, a->piece);
    return fuse_find_obstacle(t, &first, a, b, NULL, o);
}

/* ---- elements kept in variables ---- */

static struct tree_expr *replace_copy(void *user, struct tree_expr *e)
{
    struct slices *x = user;
    for (uint32_t i = 0; i < x->count && e->op == EXPR_LOAD; i++)
        if (x->items[i].value && expr_root_var(e->args[0]) == x->items[i].alloc->var)
            return expr_var(x->tree, x->items[i].value);
    return e;
}

static bool replace_copies(void *user, struct tree_stmt *s)
{
    struct slices *x = user;
    stmt_rewrite(x->tree, s, replace_copy, x);
    return true;
}

/* The element if any iteration inside reads it. */
static struct tree_expr *element_of(const struct slices *x, const struct slice *s)
{
    struct tree *t = x->tree;
    struct tree_expr *value = (struct tree_expr *)s->load;
    for (uint32_t i = 1; i < x->nest->depth; i++) {
        const struct tree_stmt *loop = x->nest->loops[i];
        value = expr_select(t, expr_binary(t, EXPR_LT, loop->begin, loop->end), value, expr_zero(t, value->type));
    }
    return value;
}

/* The body of the outermost loop with variables for slices that only this loop goes through; NULL if there are none. */
static struct tree_stmt *body_with_values(struct slices *x)
{
    struct tree *t = x->tree;
    const struct tree_stmt *nest = x->nest->loops[0];
    struct tree_stmt *inside = stmt_clone(t, nest->body), *body = stmt_block(t);
    for (uint32_t i = 0; i < x->count; i++) {
        struct slice *s = &x->items[i];
        if (s->loops != 1)
            continue;
        s->value = tree_var(t, "kept", s->load->type);
        s->value->owner = nest->var->owner;
        stmt_assign(t, body, s->value, element_of(x, s))->place = nest->place;
    }
    stmt_visit(inside, replace_copies, x);
    stmt_append(t, body, inside);
    return body->items.count > 1 ? body : NULL;
}

/* Uses variables, if the outer loops may be fused then, and drops the copies that they replace. */
static void keep_values(struct slices *x, const struct fuse_nest *second, const struct tree_frame *frame)
{
    struct tree *t = x->tree;
    struct tree_stmt *nest = x->nest->loops[0], *before = nest->body, *body = body_with_values(x);
    struct tree_piece p = { 0 };
    struct fuse_obstacle o;
    struct fuse_nest a = { { nest }, 1, &p }, b = { { second->loops[0] }, 1, second->piece };
    if (!body)
        return;
    nest->body = body;
    piece_add(t->scratch, &p, nest, frame);
    if (!is_legal(t, &a, &b, &o)) {
        nest->body = before;
        return;
    }
    uint32_t left = 0;
    x->block = stmt_block(t);
    for (uint32_t i = 0; i < x->count; i++) {
        if (x->items[i].value)
            continue;
        stmt_append(t, x->block, x->items[i].alloc);
        stmt_append(t, x->block, x->items[i].fill);
        x->items[left++] = x->items[i];
    }
    x->count = left;
}

/* What replaces the first of two neighbours, and the block in front of it; false: they stay. */
static bool try_pair(struct slices *x, struct tree_stmt *first, struct tree_stmt *second,
                     const struct tree_frame *frame)
{
    struct tree *t = x->tree;
    struct tree_piece p = { 0 }, q = { 0 }, r = { 0 };
    struct tree_stmt *copy;
    piece_add(t->scratch, &p, first, frame);
    piece_add(t->scratch, &q, second, frame);
    struct fuse_nest a = fuse_nest_of(first, &p), b = fuse_nest_of(second, &q);
    struct fuse_obstacle o;
    tree_scan_add(&x->scan, first);
    if (a.depth < 2 || !is_free(&p) || !is_free(&q) || !uses_what_it_makes(&p, &q) || !fuse_same_space(t, &a, &b) ||
        !is_box(&x->scan, &a, &b) || is_legal(t, &a, &b, &o) || !o.a || o.a->write || !o.b->write || o.b->alias == 0 ||
        changes(&p, o.b->alias))
        return false;
    copy = stmt_clone(t, first);
    struct fuse_nest changed = fuse_nest_of(copy, &r);
    x->alias = o.b->alias;
    x->nest = &changed;
    x->block = stmt_block(t);
    replace_loads(x);
    piece_add(t->scratch, &r, copy, frame);
    if (x->count == 0 || !is_legal(t, &changed, &b, &o))
        return false;
    remark(t->ir->remarks, first->place, remark_subject(t, first), REMARK_SLICES, x->count, remark_subject(t, second));
    if (!x->device)
        keep_values(x, &b, frame);
    stmt_append(t, x->block, copy);
    return true;
}

/* ---- the walk ---- */

static void look(struct tree *t, bool device, struct tree_stmt *s, const struct tree_frame *frame);

static void look_at_block(struct tree *t, bool device, struct tree_stmt *block, const struct tree_frame *frame)
{
    for (uint32_t i = 0; i + 1 < block->items.count; i++) {
        struct tree_stmt *first = block->items.items[i], *second = block->items.items[i + 1];
        struct slices x = { .tree = t, .device = device, .scan = { .arena = t->scratch } };
        if (first->kind != STMT_FOR || second->kind != STMT_FOR || !try_pair(&x, first, second, frame))
            continue;
        struct tree_stmt *both = stmt_block(t);
        stmt_append(t, both, second);
        for (uint32_t k = 0; k < x.count; k++)
            if (x.items[k].alloc->where == TREE_HEAP)
                stmt_new(t, both, STMT_FREE)->var = x.items[k].alloc->var;
        block->items.items[i] = x.block;
        block->items.items[i + 1] = both;
    }
    for (uint32_t i = 0; i < block->items.count; i++)
        look(t, device, block->items.items[i], frame);
}

static void look(struct tree *t, bool device, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct tree_frame inside;
    if (s->kind == STMT_PARALLEL)
        return;
    if (s->kind == STMT_FOR) {
        inside = tree_frame_of(frame, s);
        frame = &inside;
    }
    if (s->body)
        look(t, device, s->body, frame);
    if (s->otherwise)
        look(t, device, s->otherwise, frame);
    if (s->kind == STMT_BLOCK)
        look_at_block(t, device, s, frame);
}

bool opt_copy_slices(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        look(t, o->device, t->functions.items[i]->body, NULL);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
