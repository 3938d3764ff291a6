/* What device code can do. */
#include "lower/opt/device/offload.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_rows.h"

enum { MOST_PRIVATE = 16384 }; /* bytes of memory that a thread has for itself */

/* ---- expressions ---- */

static bool type_fits(const struct type *t)
{
    t = type_scalar(t);
    return type_is_basic(t) || t->kind == TYPE_POINTER || t->kind == TYPE_STRUCT;
}

bool offload_expr_fits(struct offload *o, const struct tree_expr *e)
{
    if (!type_fits(e->type))
        return false;
    if (e->op == EXPR_CALL && !callee_is_for_devices(e->callee))
        return false;
    if (e->op == EXPR_LOAD) {
        const struct memory *m = offload_memory(o, e->args[0]);
        if ((m && m->foreign) || e->type->kind == TYPE_POINTER)
            return false;
    }
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!offload_expr_fits(o, e->args[i]))
            return false;
    return true;
}

/* ---- statements ---- */

struct fits {
    struct offload *offload;
    struct map allocated; /* variables with memory of the thread's own */
    int64_t bytes;
    bool fits;
    const char *why; /* not; NULL: not said */
};

static void refuse(struct fits *f, const char *why)
{
    f->fits = false;
    f->why = f->why ? f->why : why;
}

static void see_operand(void *user, struct tree_expr **e)
{
    struct fits *f = user;
    if (f->fits && !offload_expr_fits(f->offload, *e))
        refuse(f, "an expression calls a function, or reads memory, that the device does not have");
}

static void see_touch(void *user, struct memory *m, bool write)
{
    struct fits *f = user;
    (void)write;
    if (m->foreign)
        refuse(f, "it accesses memory of unknown size");
}

/* Memory of a known, small size becomes the thread's. */
static bool alloc_fits(struct fits *f, const struct tree_stmt *s)
{
    if ((s->where != TREE_STACK && s->where != TREE_HEAP) || s->count->op != EXPR_INT || s->count->i > MOST_PRIVATE)
        return false;
    f->bytes += s->count->i * (int64_t)s->type->size;
    map_put(f->offload->tree->scratch, &f->allocated, s->var, s->var);
    return f->bytes <= MOST_PRIVATE;
}

static bool kind_fits(struct fits *f, const struct tree_stmt *s)
{
    switch (s->kind) {
    case STMT_ALLOC:
        return alloc_fits(f, s);
    case STMT_FREE:
        return map_has(&f->allocated, s->var);
    case STMT_CALL:
        return !s->pointer && !s->check && callee_is_for_devices(stmt_callee(s));
    case STMT_BARRIER:
    case STMT_KERNEL:
    case STMT_GROUP:
    case STMT_RETURN:
        return false;
    default:
        return !(stmt_rows[s->kind].flags & STMT_HOST);
    }
}

static bool see(void *user, struct tree_stmt *s)
{
    struct fits *f = user;
    if (!f->fits)
        return false;
    if (!kind_fits(f, s))
        refuse(f, s->kind == STMT_ALLOC || s->kind == STMT_FREE ? "it allocates memory of variable or large size"
                  : s->kind == STMT_CALL                        ? "it calls a function that the device does not have"
                                                                : "only the host can execute a statement in it");
    if (f->fits)
        stmt_each_expr(s, see_operand, f);
    if (f->fits)
        offload_each_touch(f->offload, s, see_touch, f);
    return f->fits;
}

bool offload_fits(struct offload *o, const struct tree_stmt *s)
{
    struct fits f = { .offload = o, .fits = true };
    stmt_visit((struct tree_stmt *)s, see, &f);
    if (!f.fits)
        return false;
    struct tree_scan scan = { .arena = o->tree->scratch };
    tree_scan_add(&scan, s);
    return offload_is_closed(o, &scan);
}

bool offload_is_closed(struct offload *o, const struct tree_scan *piece)
{
    if (!tree_scan_is_closed(piece, tree_whole(&o->whole)))
        return false;
    for (uint32_t i = 0; i < piece->assigned.count; i++) {
        const struct tree_var *v = piece->assigned.slots[i].key;
        if (v->type->kind == TYPE_POINTER && offload_used_outside(o, piece, v))
            return false;
    }
    return true;
}

bool offload_used_outside(struct offload *o, const struct tree_scan *piece, const struct tree_var *v)
{
    return map_get(&tree_whole(&o->whole)->uses, v) != map_get(&piece->uses, v);
}

const char *offload_obstacle(struct offload *o, const struct tree_stmt *s)
{
    struct fits f = { .offload = o, .fits = true }; /* its bounds are the host's business */
    stmt_visit(s->body, see, &f);
    if (!f.fits)
        return f.why;
    struct tree_scan scan = { .arena = o->tree->scratch };
    tree_scan_add(&scan, s);
    for (uint32_t i = 0; i < scan.assigned.count; i++)
        if (offload_used_outside(o, &scan, scan.assigned.slots[i].key))
            return "a variable that it assigns is used behind it";
    return tree_scan_is_closed(&scan, tree_whole(&o->whole)) ? NULL : "jumps lead into or out of it";
}

bool offload_is_nest(struct offload *o, struct tree_stmt *s)
{
    return s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent) && !offload_obstacle(o, s);
}

bool offload_has_nests(struct offload *o, struct tree_stmt *s)
{
    if (offload_is_nest(o, s))
        return true;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (offload_has_nests(o, s->items.items[i]))
            return true;
    return (s->body && offload_has_nests(o, s->body)) || (s->otherwise && offload_has_nests(o, s->otherwise));
}
