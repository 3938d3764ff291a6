/* Scalar renaming: values of a variable that have nothing to do with each other get variables of their own.
 *
 *     for j = 0 to n {                          for j = 0 to n {
 *         s = A[j]                                  s = A[j]
 *         B[s] = 0                                  B[s] = 0
 *     }                                 ->      }
 *     for k = 0 to n {                          for k = 0 to n {
 *         s = C[k]                                  s' = C[k]
 *         D[s] = 0                                  D[s'] = 0
 *     }                                         }
 *
 * The variables of the second program belong to an iteration of their loop, whatever happens elsewhere.
 *
 * Legality: Each use of the variable stands behind an assignment in the same block or in one around it, so that it
 * never sees what was assigned elsewhere. An assignment in the same block as the one before begins another value; one
 * deeper inside (in a branch, in a loop) belongs to the value around it. Functions with jumps are left alone.
 * Profitability: Always. */
#include "lower/opt/passes.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"

/* The value of a variable from one assignment on. */
struct web {
    struct tree_var *var; /* that it gets */
    const void *block;    /* of the assignment */
};

/* What is known of a variable. */
struct renamed {
    bool fixed;     /* some use has no assignment in front, or it gets values in other ways */
    uint32_t webs;  /* so far */
    struct web *at; /* the value at this point; NULL: none is known */
};

struct renaming {
    struct tree *tree;
    struct renamed *vars; /* by id */
    uint32_t num_vars;
    bool rewrites; /* else it is only looked */
};

static struct renamed *of(struct renaming *r, const struct tree_var *v)
{
    return v->id < r->num_vars ? &r->vars[v->id] : NULL;
}

/* ---- uses ---- */

static void see_use(void *user, struct tree_expr *e)
{
    struct renamed *v = e->op == EXPR_VAR ? of(user, e->var) : NULL;
    if (v && !v->at)
        v->fixed = true;
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_use, user); }

static struct tree_expr *replace(void *user, struct tree_expr *e)
{
    struct renaming *r = user;
    struct renamed *v = e->op == EXPR_VAR ? of(r, e->var) : NULL;
    return v && !v->fixed && v->at && v->at->var != e->var ? expr_var(r->tree, v->at->var) : e;
}

static void see_expressions(struct renaming *r, struct tree_stmt *s)
{
    if (r->rewrites)
        stmt_rewrite(r->tree, s, replace, r);
    else
        stmt_each_expr(s, see_operand, r);
}

/* ---- assignments ---- */

static void fix(struct renaming *r, const struct tree_var *v)
{
    struct renamed *x = v ? of(r, v) : NULL;
    if (x)
        x->fixed = true;
}

/* The first value keeps the variable. */
static struct web *begin_web(struct renaming *r, struct renamed *v, struct tree_var *var, const void *block)
{
    struct web *w = NEW(r->tree->scratch, struct web);
    bool first = v->webs++ == 0;
    *w = (struct web){ .var = var, .block = block };
    if (r->rewrites && !first)
        w->var = tree_var(r->tree, var->name, var->type);
    return w;
}

/* Gives the variable if its value ends with the block. */
static struct tree_var *assign(struct renaming *r, struct tree_stmt *s, const void *block)
{
    struct tree_var *var = s->var;
    struct renamed *v = of(r, var);
    if (!v || v->fixed)
        return NULL;
    bool fresh = !v->at;
    if (fresh || v->at->block == block)
        v->at = begin_web(r, v, var, block);
    if (r->rewrites)
        s->var = v->at->var;
    return fresh ? var : NULL;
}

static void walk(struct renaming *r, struct tree_stmt *s);

static void walk_block(struct renaming *r, struct tree_stmt *block)
{
    VEC(struct tree_var *) ends = { 0 };
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        walk(r, s);
        struct tree_var *v = s->kind == STMT_ASSIGN ? assign(r, s, block) : NULL;
        if (v)
            vec_push(r->tree->scratch, &ends, v);
    }
    for (uint32_t i = 0; i < ends.count; i++)
        of(r, ends.items[i])->at = NULL;
}

static void walk(struct renaming *r, struct tree_stmt *s)
{
    see_expressions(r, s);
    if (s->kind != STMT_ASSIGN || s->var->type->kind == TYPE_POINTER)
        fix(r, s->var);
    fix(r, s->var2);
    if (s->kind == STMT_BLOCK)
        walk_block(r, s);
    if (s->body)
        walk(r, s->body);
    if (s->otherwise)
        walk(r, s->otherwise);
}

static bool find_jump(void *user, struct tree_stmt *s)
{
    *(bool *)user |= s->kind == STMT_LABEL || s->kind == STMT_GOTO || stmt_rows[s->kind].flags & STMT_REGION;
    return !*(bool *)user;
}

static void rename_in(struct tree *t, struct tree_func *f)
{
    struct renaming r = { .tree = t, .num_vars = t->num_vars };
    bool jumps = false;
    stmt_visit(f->body, find_jump, &jumps);
    if (jumps)
        return;
    r.vars = NEW_ARRAY(t->scratch, struct renamed, t->num_vars);
    for (uint32_t i = 0; i < f->params.count; i++)
        fix(&r, f->params.items[i].var);
    stmt_flatten(t, f->body);
    walk(&r, f->body);
    for (uint32_t i = 0; i < r.num_vars; i++) {
        r.vars[i].fixed |= r.vars[i].webs < 2;
        r.vars[i].webs = 0;
    }
    r.rewrites = true;
    walk(&r, f->body);
}

bool opt_scalar_renaming(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; !o->plain && i < t->functions.count; i++)
        rename_in(t, t->functions.items[i]);
    return true;
}
