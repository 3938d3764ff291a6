/* When two loops may be one: iteration i of the second must not need anything of iterations behind i of the first, nor
 * the other way round. It is enough that elements touched by both, and changed by one, are touched by the same
 * iteration of both. Where bounds are not known, the contract of independent loops helps: two iterations of such a loop
 * never store the same element, so what the other loop touches at an equal index belongs to the same iteration. */
#include "lower/opt/fusion/fuse.h"
#include "lower/tree/tree_depend.h"

enum { MOST_PAIRS = 20000, MOST_NAMES = 2 * FUSE_DEPTH };

/* Variables of the second nest in terms of those of the first. Ten kilobytes, of which little is used: never copied or
 * cleared as a whole. */
struct renaming {
    const struct tree_var *from[MOST_NAMES];
    struct linear to[MOST_NAMES];
    uint32_t count;
};

/* One loop of each nest; those around them are in step. */
struct loop_pair {
    struct tree *tree;
    const struct piece_set *first;
    const struct fuse_nest *a, *b;
    const struct tree_stmt *around, *loop_a, *loop_b;
    struct depend_loop loops[FUSE_DEPTH + 1]; /* `around`, and those in step up to these two */
    uint32_t count;
    struct renaming outer;
    struct fuse_obstacle obstacle;
};

/* ---- renaming ---- */

static void rename_all(struct linear *l, const struct renaming *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        struct linear next;
        linear_replace(&next, l, r->from[i], &r->to[i]);
        linear_copy(l, &next);
    }
}

static void copy_renaming(struct renaming *to, const struct renaming *from)
{
    for (to->count = 0; to->count < from->count; to->count++) {
        to->from[to->count] = from->from[to->count];
        linear_copy(&to->to[to->count], &from->to[to->count]);
    }
}

static void linear_renamed(struct linear *out, const struct tree_expr *e, const struct renaming *r)
{
    linear_of(out, e);
    rename_all(out, r);
}

/* begin of b - begin of a */
static void shift_of(struct linear *out, const struct tree_stmt *a, const struct tree_stmt *b, const struct renaming *r)
{
    struct linear begin;
    linear_renamed(out, b->begin, r);
    linear_of(&begin, a->begin);
    linear_add(out, &begin, -1);
}

/* b's variable is a's, moved by the distance of their begins. */
static void add_renaming(struct tree *t, struct renaming *r, const struct tree_stmt *a, const struct tree_stmt *b)
{
    struct linear shift;
    shift_of(&shift, a, b, r);
    linear_of(&r->to[r->count], expr_var(t, a->var));
    linear_add(&r->to[r->count], &shift, 1);
    r->from[r->count++] = b->var;
}

static bool same_trips(const struct tree_stmt *a, const struct tree_stmt *b, const struct renaming *r)
{
    struct linear span_a, span_b, step_a, step_b, shift;
    linear_of(&step_a, a->step);
    linear_renamed(&step_b, b->step, r);
    linear_of(&span_a, depend_end(a));
    linear_renamed(&span_b, depend_end(b), r);
    shift_of(&shift, a, b, r);
    linear_add(&span_a, &shift, 1);
    return a->var->type == b->var->type && linear_equal(&step_a, &step_b) && linear_equal(&span_a, &span_b);
}

static bool is_loop_var(const struct tree_frame *frame, const struct tree_var *v)
{
    for (; frame; frame = frame->outer)
        if (frame->loop->var == v)
            return true;
    return false;
}

/* Can the variable, of no loop around, change while the loops run? */
static bool changes(void *user, const struct tree_var *v)
{
    const struct loop_pair *p = user;
    const struct tree_piece *second = p->b->piece;
    if (piece_set_writes_var(p->first, v))
        return true;
    for (uint32_t i = 0; p->a->piece != second && i < second->writes.count; i++)
        if (second->writes.items[i] == v)
            return true;
    return false;
}

/* ---- by contract ---- */

/* May the expression, evaluated at the access, have another value in an equal iteration of the other loop? */
static bool varies(struct loop_pair *p, const struct tree_expr *e, const struct tree_access *at)
{
    if (e->op == EXPR_LOAD)
        return true;
    if (e->op == EXPR_VAR)
        return is_loop_var(at->frame, e->var) ? p->around && e->var == p->around->var : changes(p, e->var);
    for (uint32_t i = 0; i < e->num_args; i++)
        if (varies(p, e->args[i], at))
            return true;
    return false;
}

static bool address_varies(struct loop_pair *p, const struct tree_access *a)
{
    for (uint32_t i = 0; i < a->at->count; i++)
        for (uint32_t k = 0; k < a->at->terms[i].count; k++)
            if (varies(p, a->at->terms[i].factors[k], a))
                return true;
    return varies(p, a->pointer, a);
}

/* The loops between the fused one and the access, outermost first. */
static bool inner_loops(const struct tree_access *a, const struct tree_stmt *loop, const struct tree_stmt **out,
                        uint32_t *count)
{
    const struct tree_frame *f = a->frame;
    for (*count = 0; f && f->loop != loop && *count < FUSE_DEPTH; f = f->outer)
        out[(*count)++] = f->loop;
    for (uint32_t i = 0; i < *count / 2; i++) {
        const struct tree_stmt *swap = out[i];
        out[i] = out[*count - 1 - i];
        out[*count - 1 - i] = swap;
    }
    return f && f->loop == loop;
}

/* Does the address depend on the loop variable in a way that differs from iteration to iteration? */
static bool moves_with(const struct linear *at, const struct tree_stmt *loop, const struct tree_frame *frame)
{
    for (uint32_t i = 0; i < at->count; i++) {
        const struct linear_term *term = &at->terms[i];
        bool plain = linear_term_has(term, loop->var);
        for (uint32_t k = 0; k < term->count && plain; k++)
            plain = term->factors[k]->op == EXPR_VAR &&
                    (term->factors[k]->var == loop->var || !is_loop_var(frame, term->factors[k]->var));
        if (plain)
            return true;
    }
    return false;
}

static bool same_by_contract(struct loop_pair *p, const struct tree_access *a, const struct tree_access *b)
{
    bool by_a = a->store && !a->guarded && p->loop_a->loop.independent && !p->a->piece->jumps;
    bool by_b = b->store && !b->guarded && p->loop_b->loop.independent && !p->b->piece->jumps;
    const struct tree_stmt *loops_a[FUSE_DEPTH], *loops_b[FUSE_DEPTH];
    uint32_t count_a, count_b;
    if ((!by_a && !by_b) || a->alias != b->alias || a->type != b->type || a->extent != 1 || b->extent != 1 ||
        !a->pointer || !b->pointer || !expr_equal(a->pointer, b->pointer) || !a->at->known || address_varies(p, a) ||
        address_varies(p, b) || !moves_with(a->at, p->loop_a, a->frame) ||
        !inner_loops(a, p->loop_a, loops_a, &count_a) || !inner_loops(b, p->loop_b, loops_b, &count_b) ||
        count_a != count_b || p->outer.count + 1 + count_a > MOST_NAMES)
        return false;
    struct renaming r;
    copy_renaming(&r, &p->outer);
    add_renaming(p->tree, &r, p->loop_a, p->loop_b);
    for (uint32_t i = 0; i < count_a; i++) {
        if (!same_trips(loops_a[i], loops_b[i], &r))
            return false;
        add_renaming(p->tree, &r, loops_a[i], loops_b[i]);
    }
    struct linear renamed;
    linear_copy(&renamed, b->at);
    rename_all(&renamed, &r);
    return linear_equal(a->at, &renamed);
}

/* ---- all of it ---- */

static bool may_meet(struct loop_pair *p, const struct tree_access *a, const struct tree_access *b)
{
    struct depend_query q = { p->tree->scratch, a, b, p->loops, p->count, changes, p };
    return !same_by_contract(p, a, b) && !depend_is_in_step(&q); /* the first one costs less */
}

static bool check_class(struct loop_pair *p, const struct piece_class *class, const struct tree_access *b,
                        uint32_t *pairs)
{
    if (!class->write && !(b->write && class->read))
        return true;
    for (const struct tree_access *a = class->accesses; a; a = a->next) {
        if (!a->write && !b->write)
            continue;
        p->obstacle = (struct fuse_obstacle){ a, b };
        if (++*pairs > MOST_PAIRS || may_meet(p, a, b))
            return false;
    }
    return true;
}

static bool is_legal(struct loop_pair *p)
{
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < p->b->piece->accesses.count; i++) {
        const struct tree_access *x = p->b->piece->accesses.items[i];
        p->obstacle = (struct fuse_obstacle){ NULL, x };
        if (x->alias == 0 ? p->first->all.write || (x->write && p->first->all.read)
                          : !check_class(p, piece_set_class(p->first, x->alias), x, &pairs) ||
                                !check_class(p, piece_set_class(p->first, 0), x, &pairs))
            return false;
    }
    return true;
}

bool fuse_is_legal(struct tree *t, const struct piece_set *first, const struct fuse_nest *a, const struct fuse_nest *b)
{
    struct fuse_obstacle obstacle;
    return fuse_find_obstacle(t, first, a, b, NULL, &obstacle);
}

bool fuse_find_obstacle(struct tree *t, const struct piece_set *first, const struct fuse_nest *a,
                        const struct fuse_nest *b, const struct tree_stmt *around, struct fuse_obstacle *out)
{
    struct loop_pair p;
    p.tree = t;
    p.first = first;
    p.a = a;
    p.b = b;
    p.around = around;
    p.count = p.outer.count = 0;
    p.obstacle = (struct fuse_obstacle){ 0 };
    if (around)
        p.loops[p.count++] = (struct depend_loop){ around, around, false };
    for (uint32_t i = 0; i < a->depth; i++) {
        p.loop_a = a->loops[i];
        p.loop_b = b->loops[i];
        p.loops[p.count++] = (struct depend_loop){ p.loop_a, p.loop_b, false };
        bool legal = is_legal(&p);
        *out = p.obstacle;
        if (!legal)
            return false;
        p.loops[p.count - 1].in_step = true;
        add_renaming(t, &p.outer, p.loop_a, p.loop_b);
    }
    return true;
}

bool fuse_share_elements(struct tree *t, const struct piece_set *first, const struct fuse_nest *a,
                         const struct fuse_nest *b)
{
    struct loop_pair p;
    p.first = first;
    p.a = a;
    p.b = b;
    struct depend_loop both = { a->loops[0], b->loops[0], true };
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < b->piece->accesses.count; i++) {
        const struct tree_access *y = b->piece->accesses.items[i];
        const struct tree_access *x = piece_set_class(first, y->alias)->accesses;
        for (; x && pairs < MOST_PAIRS; x = x->next, pairs++) {
            struct depend_query q = { t->scratch, x, y, &both, 1, changes, &p };
            if ((x->write || y->write) && !depend_is_never(&q))
                return true;
        }
    }
    return false;
}

bool fuse_same_space(struct tree *t, const struct fuse_nest *a, const struct fuse_nest *b)
{
    struct renaming r;
    r.count = 0;
    if (a->depth != b->depth)
        return false;
    for (uint32_t i = 0; i < a->depth; i++) {
        if (!same_trips(a->loops[i], b->loops[i], &r))
            return false;
        add_renaming(t, &r, a->loops[i], b->loops[i]);
    }
    return true;
}

struct fuse_nest fuse_nest_of(struct tree_stmt *loop, const struct tree_piece *piece)
{
    struct fuse_nest n = { .piece = piece };
    while (loop && loop->kind == STMT_FOR && n.depth < FUSE_DEPTH) {
        n.loops[n.depth++] = loop;
        loop = loop->body->items.count == 1 ? loop->body->items.items[0] : NULL;
    }
    return n;
}
