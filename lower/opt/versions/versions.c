/* Arguments that may overlap others (`may_alias`) keep loops from being fused, hoisted from, vectorized and run by
 * threads. What touches them gets two versions, chosen when it runs by whether their bytes meet.
 *
 *     for i { A[i] = B[i] + 1 }      ->      if bytes of A and B do not meet {
 *                                                for i { A'[i] = B[i] + 1 }     A' has an alias class of its own
 *                                            } else {
 *                                                for i { A[i] = B[i] + 1 }
 *                                            }
 *
 * Legality: Elements of the arguments, and how many they are, are known in front of the versions. Accesses through
 * pointers that are not the argument itself stay in the class that may overlap everything.
 * Profitability: If something else that the statement touches is in the way, and it is not too large: a small program
 * becomes two as a whole, of a larger one its nests do, within a budget.
 *
 * The rest of the passes sees alias classes only. Memory of the program itself never overlaps arguments: where that is
 * all that is in the way, there is nothing to check and one version. */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"
#include "lower/tree/tree_scan.h"

enum { MOST_STATEMENTS = 250, MOST_ADDED = 500, MOST_CHECKS = 12 };

struct touched {
    bool read, written;
};

struct versions {
    struct tree *tree;
    const struct tree_func *main;
    struct tree_whole whole;
    struct map params;       /* variable -> struct tree_param, of arrays */
    uint32_t added;          /* statements so far */
    struct touched *touched; /* by parameter: of the piece that is looked at */
    struct touched others;   /* memory that is none of a parameter, or not known */
    bool *apart;             /* by parameter: gets a class of its own */
    uint32_t *classes;       /* by parameter, of those */
};

/* ---- arguments ---- */

/* Elements from the address on, all of them that there are; NULL: not known in front of the program. */
static struct tree_expr *extent_of(struct tree *t, const struct tree_param *p)
{
    struct tree_expr *n = p->elements;
    return n && n->type->kind == TYPE_I64 && tree_is_size(t, n) ? n : NULL;
}

static bool is_array(const struct tree_param *p) { return !p->by_value && p->var->type->kind == TYPE_POINTER; }

/* Structures hold pointers to other memory, and streams are objects of the runtime. */
static bool may_overlap(const struct tree_param *p)
{
    const struct type *elem = is_array(p) ? p->var->type->elem : NULL;
    return elem && !p->no_alias && p->alias == 0 && !p->device && (type_is_basic(elem) || elem->kind == TYPE_VECTOR);
}

static uint32_t number_of(const struct versions *v, const struct tree_param *p)
{
    return (uint32_t)(p - v->main->params.items);
}

static const struct tree_param *param_of(const struct versions *v, const struct tree_expr *pointer)
{
    const struct tree_var *root = pointer ? expr_root_var(pointer) : NULL;
    return root ? map_get(&v->params, root) : NULL;
}

/* ---- what is in the way ---- */

static void look_at(struct versions *v, struct tree_stmt *s)
{
    struct tree_piece piece = { 0 };
    piece_add(v->tree->scratch, &piece, s, NULL);
    v->others = (struct touched){ 0 };
    for (uint32_t i = 0; i < v->main->params.count; i++)
        v->touched[i] = (struct touched){ 0 };
    for (uint32_t i = 0; i < piece.accesses.count; i++) {
        const struct tree_access *a = piece.accesses.items[i];
        const struct tree_param *p = param_of(v, a->pointer);
        struct touched *t = p ? &v->touched[number_of(v, p)] : &v->others;
        t->read |= a->read;
        t->written |= a->write;
    }
}

static bool orders(struct touched a, struct touched b)
{
    return (a.written && (b.read || b.written)) || (b.written && a.read);
}

/* Do both have to be apart, and do they not have to be anyway? */
static bool is_pair(const struct versions *v, uint32_t i, uint32_t k)
{
    const struct tree_param *a = &v->main->params.items[i], *b = &v->main->params.items[k];
    return i != k && is_array(a) && is_array(b) && orders(v->touched[i], v->touched[k]) &&
           (may_overlap(a) || may_overlap(b));
}

/* Which arguments get classes of their own; false: none of them gains. */
static bool choose(struct versions *v)
{
    bool gains = false;
    for (uint32_t i = 0; i < v->main->params.count; i++) {
        const struct tree_param *p = &v->main->params.items[i];
        v->apart[i] = may_overlap(p) && extent_of(v->tree, p);
        bool conflict = orders(v->touched[i], v->others);
        for (uint32_t k = 0; v->apart[i] && k < v->main->params.count; k++) {
            if (!is_pair(v, i, k))
                continue;
            conflict = true;
            v->apart[i] = extent_of(v->tree, &v->main->params.items[k]) != NULL;
        }
        v->apart[i] = v->apart[i] && conflict;
        gains |= v->apart[i];
    }
    return gains;
}

/* ---- the check ---- */

static struct tree_expr *address(struct tree *t, const struct tree_param *p, struct tree_expr *element)
{
    struct tree_expr *at = expr_offset(t, expr_var(t, p->var), element);
    return expr_cast(t, type_basic(t->ir, TYPE_I64), at);
}

/* The bytes of one end where those of the other begin, or before. */
static struct tree_expr *do_not_meet(struct tree *t, const struct tree_param *a, const struct tree_param *b)
{
    struct tree_expr *zero = expr_i64(t, 0);
    struct tree_expr *before = expr_binary(t, EXPR_LE, address(t, a, extent_of(t, a)), address(t, b, zero));
    struct tree_expr *behind = expr_binary(t, EXPR_LE, address(t, b, extent_of(t, b)), address(t, a, zero));
    return expr_binary(t, EXPR_LOGICAL_OR, before, behind);
}

/* NULL: there is nothing to check. *count: pairs; `names` gets them for the remark. */
static struct tree_expr *check_of(const struct versions *v, uint32_t *count, struct text *names)
{
    struct tree_expr *all = NULL;
    *count = 0;
    for (uint32_t i = 0; i < v->main->params.count; i++)
        for (uint32_t k = 0; k < i; k++) {
            if (!is_pair(v, i, k) || !(v->apart[i] || v->apart[k]))
                continue;
            const struct tree_param *a = &v->main->params.items[k], *b = &v->main->params.items[i];
            struct tree_expr *one = do_not_meet(v->tree, a, b);
            text_printf(names, "%s'%s' and '%s'", *count ? ", " : "", a->name, b->name);
            all = all ? expr_binary(v->tree, EXPR_LOGICAL_AND, all, one) : one;
            ++*count;
        }
    return all;
}

/* ---- the version with classes ---- */

static uint32_t class_of(const struct versions *v, const struct tree_expr *pointer, uint32_t alias)
{
    const struct tree_param *p = alias == 0 ? param_of(v, pointer) : NULL;
    return p && v->apart[number_of(v, p)] ? v->classes[number_of(v, p)] : alias;
}

static struct tree_expr *set_load(void *user, struct tree_expr *e)
{
    struct versions *v = user;
    if (e->op != EXPR_LOAD && e->op != EXPR_MASKED)
        return e;
    uint32_t alias = class_of(v, e->args[0], e->alias);
    if (alias == e->alias)
        return e;
    struct tree_expr *copy = arena_copy(v->tree->arena, e, sizeof *e + e->num_args * sizeof e->args[0]);
    copy->alias = alias;
    return copy;
}

static void set_product(struct versions *v, struct tree_stmt *s)
{
    struct tree_product *p = arena_copy(v->tree->arena, s->product, sizeof *p);
    p->a = class_of(v, s->args[PRODUCT_A], p->a);
    p->b = class_of(v, s->args[PRODUCT_B], p->b);
    p->c = class_of(v, s->args[PRODUCT_C], p->c);
    s->product = p;
}

static bool set_stmt(void *user, struct tree_stmt *s)
{
    struct versions *v = user;
    stmt_rewrite(v->tree, s, set_load, v);
    if (s->pointer)
        s->alias = class_of(v, s->pointer, s->alias);
    if (s->pointer2)
        s->alias2 = class_of(v, s->pointer2, s->alias2);
    if (s->product)
        set_product(v, s);
    return true;
}

static void set_classes(struct versions *v, struct tree_stmt *s)
{
    for (uint32_t i = 0; i < v->main->params.count; i++)
        if (v->apart[i])
            v->classes[i] = v->tree->num_aliases++;
    stmt_visit(s, set_stmt, v);
}

/* ---- two of a statement ---- */

struct size {
    uint32_t statements;
    bool fixed; /* has what there must be one of */
};

static bool measure(void *user, struct tree_stmt *s)
{
    struct size *n = user;
    n->statements++;
    n->fixed |= s->label || s->kind == STMT_LABEL || stmt_rows[s->kind].flags & STMT_REGION ||
                (s->kind == STMT_ALLOC && s->where == TREE_STATE);
    return true;
}

/* Are all variables that the statement assigns its own? */
static bool is_closed(struct versions *v, const struct tree_stmt *s)
{
    struct tree_scan scan = { .arena = v->tree->scratch };
    tree_scan_add(&scan, s);
    for (uint32_t i = 0; i < scan.assigned.count; i++) {
        const void *var = scan.assigned.slots[i].key;
        if (map_get(&scan.uses, var) != map_get(&tree_whole(&v->whole)->uses, var))
            return false;
    }
    return true;
}

/* The statement in two versions, if that is to be; else itself. */
static struct tree_stmt *split(struct versions *v, struct tree_stmt *s, uint32_t most)
{
    struct tree *t = v->tree;
    struct remarks *r = t->ir->remarks;
    struct size size = { 0 };
    struct text names = text_new(t->scratch);
    uint32_t pairs;
    stmt_visit(s, measure, &size);
    look_at(v, s);
    if (!stmt_has_loops(s) && !stmt_is_loop(s))
        return s;
    if (!choose(v))
        return s;
    struct tree_expr *check = check_of(v, &pairs, &names);
    if (!check) {
        set_classes(v, s);
        return s;
    }
    if (size.fixed || size.statements > most || pairs > MOST_CHECKS || !is_closed(v, s)) {
        remark(r, s->place, remark_subject(t, s), REMARK_VERSIONS_MISSED, text_get(&names), size.statements, most);
        return s;
    }
    struct tree_stmt *block = stmt_block(t), *choice = stmt_if(t, block, check), *fast = stmt_clone_apart(t, s);
    choice->place = s->place;
    set_classes(v, fast);
    stmt_append(t, choice->body, fast);
    stmt_append(t, choice->otherwise, s);
    v->added += size.statements;
    remark(r, s->place, remark_subject(t, s), REMARK_VERSIONS, text_get(&names));
    return block;
}

static void split_main(struct versions *v, struct tree_stmt *body)
{
    struct size size = { 0 };
    stmt_visit(body, measure, &size);
    if (size.statements <= MOST_STATEMENTS && !size.fixed) {
        struct tree_stmt *whole = stmt_block(v->tree), *made;
        whole->items = body->items;
        made = split(v, whole, MOST_STATEMENTS);
        if (made != whole) {
            body->items.items = NULL;
            body->items.count = body->items.capacity = 0;
            stmt_append(v->tree, body, made);
        }
        return;
    }
    for (uint32_t i = 0; i < body->items.count; i++)
        body->items.items[i] = split(v, body->items.items[i],
                                     MOST_ADDED - v->added < MOST_STATEMENTS ? MOST_ADDED - v->added : MOST_STATEMENTS);
}

bool opt_versions(struct tree *t, const struct tree_options *o)
{
    struct tree_func *f = t->functions.items[0];
    struct versions v = { .tree = t, .main = f, .whole = { .tree = t, .func = f } };
    bool any = false;
    for (uint32_t i = 0; i < f->params.count; i++) {
        if (is_array(&f->params.items[i]))
            map_put(t->scratch, &v.params, f->params.items[i].var, &f->params.items[i]);
        any |= may_overlap(&f->params.items[i]);
    }
    if (!any || o->plain || o->check || o->counting || !tree_func_is_main(f))
        return true;
    v.touched = NEW_ARRAY(t->scratch, struct touched, f->params.count);
    v.apart = NEW_ARRAY(t->scratch, bool, f->params.count);
    v.classes = NEW_ARRAY(t->scratch, uint32_t, f->params.count);
    stmt_flatten(t, f->body);
    split_main(&v, f->body);
    return true;
}
