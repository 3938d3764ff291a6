/* Innermost compute-bound loops are marked for the widest vectors of the machine.
 * Legality: Iterations have nothing in common but sums that may be re-associated.
 * Profitability: Loops with roots, powers and other functions; those that mostly load and store lose. */
#include "lower/opt/passes.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_shape.h"

enum { SHORTEST = 32 /* iterations, if they are known */ };

/* Functions that have vector code everywhere, in instructions or in the library. */
static bool is_function(const struct tree_expr *e)
{
    const struct type *of = e->args[0]->type;
    switch (e->math) {
    case TREE_MATH_fabs: /* of a complex number: a root */
        return type_is_complex(of);
    case TREE_MATH_sqrt:
    case TREE_MATH_exp:
    case TREE_MATH_log:
    case TREE_MATH_sin:
    case TREE_MATH_cos:
    case TREE_MATH_pow:
    case TREE_MATH_fma: /* of divisions */
        return of->kind == TYPE_F32 || of->kind == TYPE_F64;
    default:
        return false;
    }
}

struct content {
    struct arena *arena;
    const struct tree_stmt *loop;
    struct map assigned; /* variables that the body gives values, and its memory */
    struct map known;    /* those that have one of this iteration by now */
    uint32_t functions;  /* of the kind above: bytes of the largest values they are of; 0: none */
    bool other;          /* what vectors may have no code for */
    bool carried;        /* values go from iteration to iteration other than in sums that may take any order */
};

struct search {
    const struct content *content;
    bool found;
};

static void find_varying(void *user, struct tree_expr *e)
{
    struct search *s = user;
    s->found |= e->op == EXPR_LOAD ||
                (e->op == EXPR_VAR && (e->var == s->content->loop->var || map_has(&s->content->assigned, e->var)));
}

/* Loop-invariant calls are hoisted, so they do not count. */
static bool varies(const struct content *c, struct tree_expr *e)
{
    struct search s = { .content = c };
    expr_visit(e, find_varying, &s);
    return s.found;
}

static void see(void *user, struct tree_expr *e)
{
    struct content *c = user;
    c->other |= e->op == EXPR_CALL || e->type->kind == TYPE_VECTOR;
    if (e->op == EXPR_MATH && is_function(e) && varies(c, e)) {
        const struct type *of = e->args[0]->type;
        uint32_t size = type_is_complex(of) ? of->size / 2 : of->size;
        c->functions = size > c->functions ? size : c->functions;
    }
    c->carried |= e->op == EXPR_VAR && map_has(&c->assigned, e->var) && !map_has(&c->known, e->var);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see, user); }

/* Elements that differ from iteration to iteration, or memory that an iteration takes for itself. */
static bool is_own(const struct content *c, const struct tree_stmt *store)
{
    struct linear at;
    int64_t times;
    if (store->pointer->op == EXPR_VAR && map_has(&c->assigned, store->pointer->var))
        return true;
    linear_of(&at, store->index);
    return at.known && linear_take(&at, c->loop->var, &times) && times != 0;
}

/* x = x + ..., in any order. */
static bool is_sum(const struct tree_stmt *s)
{
    return s->kind == STMT_ASSIGN && s->reassociate && s->value->num_args == 2 && s->value->args[0]->op == EXPR_VAR &&
           s->value->args[0]->var == s->var;
}

/* Looks at one of the statements, in their order. */
static void look_inside(struct content *c, struct tree_stmt *s)
{
    VEC(const struct tree_var *) added = { 0 };
    bool sum = is_sum(s);
    if (sum)
        expr_visit(s->value->args[1], see, c);
    else
        stmt_each_expr(s, see_operand, c);
    c->other |= s->kind != STMT_BLOCK && s->kind != STMT_ASSIGN && s->kind != STMT_STORE && s->kind != STMT_IF &&
                s->kind != STMT_ALLOC;
    c->carried |= s->kind == STMT_STORE && !is_own(c, s);
    if (s->body)
        look_inside(c, s->body);
    if (s->otherwise)
        look_inside(c, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        look_inside(c, item);
        if (((item->kind == STMT_ASSIGN && !is_sum(item)) || item->kind == STMT_ALLOC) &&
            !map_has(&c->known, item->var)) {
            map_put(c->arena, &c->known, item->var, item);
            vec_push(c->arena, &added, item->var);
        }
    }
    while (added.count) /* behind a branch nobody knows; the last one first is quick */
        map_remove(&c->known, added.items[--added.count]);
}

static bool find_assigned(void *user, struct tree_stmt *s)
{
    struct content *c = user;
    if (s->kind == STMT_ASSIGN || s->kind == STMT_ALLOC)
        map_put(c->arena, &c->assigned, s->var, s);
    return true;
}

static bool look(void *user, struct tree_stmt *s)
{
    struct content c = { .arena = user, .loop = s };
    if (s->kind != STMT_FOR || !expr_is_int(s->step, 1) || loop_is_shorter(s, SHORTEST))
        return true;
    stmt_visit(s->body, find_assigned, &c);
    look_inside(&c, s->body);
    if (!c.other && (s->loop.independent || !c.carried))
        s->loop.wide = (uint8_t)c.functions;
    return true;
}

bool opt_vector_width(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++)
        stmt_visit(t->functions.items[i]->body, look, t->scratch);
    return true;
}
