#include "lower/opt/iterations.h"

#include "lower/opt/remark.h"
#include "lower/tree/tree_facts.h"

#include <assert.h>

struct iterations iterations_of(struct tree *t, const struct tree_func *f)
{
    struct iterations x = { .tree = t, .whole = { .tree = t, .func = f } };
    piece_set_init(&x.set, t->scratch, t);
    return x;
}

/* ---- variables ---- */

struct defined {
    const struct tree_scan *scan;
    struct arena *arena;
    struct map vars; /* that have a value of this iteration */
    bool ok;
};

static void see_use(void *user, struct tree_expr *e)
{
    struct defined *d = user;
    if (e->op == EXPR_VAR && map_has(&d->scan->assigned, e->var) && !map_has(&d->vars, e->var))
        d->ok = false;
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_use, user); }

static bool assigns(const struct tree_stmt *block, const struct tree_var *v)
{
    for (uint32_t i = 0; i < block->items.count; i++)
        if (block->items.items[i]->kind == STMT_ASSIGN && block->items.items[i]->var == v)
            return true;
    return false;
}

typedef VEC(const struct tree_var *) var_list;

static void define(struct defined *d, const struct tree_stmt *s, var_list *added)
{
    if (map_has(&d->vars, s->var))
        return;
    map_put(d->arena, &d->vars, s->var, (void *)(uintptr_t)s);
    vec_push(d->arena, added, s->var);
}

/* Is every variable given a value before it is used, in the same iteration? */
static void check_defined(struct defined *d, struct tree_stmt *s)
{
    var_list added = { 0 };
    stmt_each_expr(s, see_operand, d);
    if (s->kind == STMT_FOR)
        map_put(d->arena, &d->vars, s->var, s);
    if (s->body)
        check_defined(d, s->body);
    if (s->otherwise)
        check_defined(d, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        check_defined(d, item);
        if (item->kind == STMT_ASSIGN || item->kind == STMT_ALLOC)
            define(d, item, &added);
        for (uint32_t k = 0; item->kind == STMT_IF && item->otherwise && k < item->body->items.count; k++) {
            const struct tree_stmt *x = item->body->items.items[k];
            if (x->kind == STMT_ASSIGN && assigns(item->otherwise, x->var)) /* on both ways */
                define(d, x, &added);
        }
    }
    if (s->kind == STMT_FOR)
        map_remove(&d->vars, s->var);
    while (added.count) /* the last one first: that is what removing is quick at */
        map_remove(&d->vars, added.items[--added.count]);
}

/* What is kept of a loop: the variables that it assigns, with the number of places in it that name them. */
struct loop_variables {
    uint32_t count;
    bool asked, defined; /* was it looked, and are values of variables given before they are used? */
    struct {
        const struct tree_var *var;
        const void *uses;
    } assigned[];
};

static struct loop_variables *variables_of(struct arena *a, const struct tree_scan *scan)
{
    struct loop_variables *v = arena_alloc(a, sizeof *v + scan->assigned.count * sizeof v->assigned[0]);
    v->count = scan->assigned.count;
    for (uint32_t i = 0; i < v->count; i++) {
        v->assigned[i].var = scan->assigned.slots[i].key;
        v->assigned[i].uses = map_get(&scan->uses, v->assigned[i].var);
    }
    return v;
}

static struct tree_scan scan_of(struct tree *t, const struct tree_stmt *loop)
{
    struct tree_scan scan = { .arena = t->scratch };
    tree_scan_add(&scan, loop);
    return scan;
}

static bool is_defined(struct tree *t, const struct tree_scan *scan, struct tree_stmt *loop)
{
    struct defined d = { .scan = scan, .arena = t->scratch, .ok = true };
    check_defined(&d, loop);
    return d.ok;
}

bool iterations_define_variables(struct tree *t, struct tree_stmt *loop, const struct map *but)
{
    struct tree_scan scan = scan_of(t, loop);
    struct defined d = { .scan = &scan, .arena = t->scratch, .ok = true };
    for (uint32_t i = 0; i < but->count; i++)
        map_put(t->scratch, &d.vars, but->slots[i].key, loop);
    check_defined(&d, loop);
    return d.ok;
}

/* Developers' builds: facts that were kept are what one would find now. */
static void check_variables(struct tree *t, struct tree_stmt *loop, const struct loop_variables *kept)
{
#ifdef SDFG_VERIFY_ALL
    struct tree_scan scan = scan_of(t, loop);
    assert(kept->count == scan.assigned.count);
    for (uint32_t i = 0; i < kept->count; i++)
        assert(map_has(&scan.assigned, kept->assigned[i].var) &&
               map_get(&scan.uses, kept->assigned[i].var) == kept->assigned[i].uses);
    assert(!kept->asked || kept->defined == is_defined(t, &scan, loop));
#endif
    (void)t;
    (void)loop;
    (void)kept;
}

bool iterations_keep_variables(struct iterations *x, struct tree_stmt *loop)
{
    struct tree *t = x->tree;
    struct tree_key key = { 0 };
    tree_key_stmt(&key, loop);
    struct loop_variables *v = tree_fact_find(t, TREE_FACT_VARIABLES, &key);
    struct tree_scan scan = { 0 };
    if (v) {
        check_variables(t, loop, v);
    } else {
        scan = scan_of(t, loop);
        v = variables_of(t->arena, &scan);
        tree_fact_keep(t, TREE_FACT_VARIABLES, &key, v);
    }
    const struct tree_scan *whole = tree_whole(&x->whole);
    for (uint32_t i = 0; i < v->count; i++)
        if (v->assigned[i].uses != map_get(&whole->uses, v->assigned[i].var))
            return false;
    if (!v->asked) {
        scan = scan.arena ? scan : scan_of(t, loop);
        v->defined = is_defined(t, &scan, loop);
        v->asked = true;
    }
    return v->defined;
}

/* ---- memory ---- */

static bool find_own(void *user, struct tree_stmt *s)
{
    struct tree_scan *scan = user;
    if (s->kind == STMT_ALLOC && s->where != TREE_STATE)
        map_put(scan->arena, &scan->assigned, s->var, s);
    return true;
}

/* Memory that every iteration takes for itself is nobody else's business, nor is that in the map (NULL: none). */
static void drop_own(struct arena *a, struct tree_stmt *loop, const struct map *more, struct tree_piece *piece)
{
    struct tree_scan own = { .arena = a };
    stmt_visit(loop->body, find_own, &own);
    for (uint32_t i = 0; more && i < more->count; i++)
        map_put(a, &own.assigned, more->slots[i].key, loop);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        struct tree_access *x = piece->accesses.items[i];
        if (!x->pointer || x->pointer->op != EXPR_VAR || !map_has(&own.assigned, x->pointer->var))
            piece->accesses.items[kept++] = x;
    }
    piece->accesses.count = kept;
}

/* What is kept of a nest: whether its iterations are apart, and what is in the way if not. */
struct apart {
    bool apart;
    struct fuse_obstacle obstacle; /* its places only, for remarks */
};

static bool find_apart(struct iterations *x, struct tree_stmt *loop, const struct fuse_nest *nest,
                       const struct tree_frame *frame, struct fuse_obstacle *obstacle)
{
    struct arena *a = x->tree->scratch;
    struct tree_piece piece = { 0 };
    piece_add(a, &piece, loop, frame);
    drop_own(a, nest->loops[0], NULL, &piece);
    struct fuse_nest all = *nest;
    all.piece = &piece;
    piece_set_clear(&x->set);
    piece_set_add(&x->set, &piece);
    return fuse_find_obstacle(x->tree, &x->set, &all, &all, nest->loops[0] == loop ? NULL : loop, obstacle);
}

static const struct tree_access *keep_access(struct arena *a, const struct tree_access *x)
{
    if (!x)
        return NULL;
    struct tree_access *kept = arena_copy(a, x, sizeof *x);
    kept->at = x->at ? linear_keep(a, x->at) : NULL;
    kept->frame = NULL; /* of the pass that asked first */
    kept->next = NULL;
    return kept;
}

static struct tree_key key_of(struct tree_stmt *loop, const struct fuse_nest *nest, const struct tree_frame *frame)
{
    struct tree_key key = { 0 };
    tree_key_stmt(&key, loop);
    for (uint32_t i = 0; i < nest->depth; i++)
        tree_key_pointer(&key, nest->loops[i]);
    for (const struct tree_frame *f = frame; f; f = f->outer) {
        tree_key_pointer(&key, f->loop->var);
        tree_key_pointer(&key, f->loop->begin);
        tree_key_pointer(&key, f->loop->end);
        tree_key_pointer(&key, f->loop->step);
    }
    return key;
}

bool iterations_are_apart(struct iterations *x, struct tree_stmt *loop, const struct fuse_nest *nest,
                          const struct tree_frame *frame)
{
    struct tree *t = x->tree;
    struct tree_key key = key_of(loop, nest, frame);
    struct apart *kept = tree_fact_find(t, TREE_FACT_APART, &key);
    if (!kept) {
        struct fuse_obstacle found;
        kept = NEW(t->arena, struct apart);
        kept->apart = find_apart(x, loop, nest, frame, &found);
        if (!kept->apart)
            kept->obstacle = (struct fuse_obstacle){ keep_access(t->arena, found.a), keep_access(t->arena, found.b) };
        tree_fact_keep(t, TREE_FACT_APART, &key, kept);
    } else {
#ifdef SDFG_VERIFY_ALL
        struct fuse_obstacle found;
        assert(kept->apart == find_apart(x, loop, nest, frame, &found));
#endif
    }
    x->obstacle = kept->obstacle;
    return kept->apart;
}

bool iterations_are_apart_but(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame,
                              const struct map *own)
{
    struct tree_piece piece = { 0 };
    struct fuse_nest nest = { .loops = { loop }, .depth = 1, .piece = &piece };
    piece_add(x->tree->scratch, &piece, loop, frame);
    if (piece.control || piece.effects || piece.frees || piece.jumps || !iterations_keep_variables(x, loop))
        return false;
    drop_own(x->tree->scratch, loop, own, &piece);
    piece_set_clear(&x->set);
    piece_set_add(&x->set, &piece);
    return fuse_is_legal(x->tree, &x->set, &nest, &nest);
}

const char *iterations_depend(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame)
{
    struct tree_piece piece = { 0 };
    piece_add(x->tree->scratch, &piece, loop, frame);
    struct fuse_nest nest = { .loops = { loop }, .depth = 1 };
    if (piece.control || piece.effects || piece.frees || piece.jumps)
        return "it has jumps, calls or memory that is given back";
    if (!iterations_keep_variables(x, loop))
        return "a variable carries values from iteration to iteration";
    return iterations_are_apart(x, loop, &nest, frame) ? NULL
                                                       : remark_dependence(x->tree, x->obstacle.a, x->obstacle.b);
}
