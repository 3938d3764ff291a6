/* Pointers that are copies of others (views, connectors of nested SDFGs) are replaced by their value, so that equal
 * places have equal expressions; those that nobody uses are dropped.
 *
 *     v = &A[8 * i]                   ->
 *     v[j] = v[j + 1]                         A[8 * i + j] = A[8 * i + j + 1]
 *
 * Legality: The variable has one assignment, all its uses follow in the same block, and the variables of its value are
 * not assigned between. Jumps to labels between come from there, too, not from in front of the assignment or from
 * outside of its block.
 * Profitability: Always; other passes depend on it. */
#include "lower/opt/passes.h"
#include "lower/tree/tree_shape.h"

struct copied_fact {
    uint32_t assigned;                        /* number of assignments, the allocation included, frees not */
    uint32_t at;                              /* statement number of the last one seen; parameters: 0 */
    uint32_t first_use, last_use, first_free; /* 0: none */
};

struct label_fact {
    uint32_t at;                    /* statement number; 0: not seen */
    uint32_t first_jump, last_jump; /* to it; 0: none */
};

struct forward {
    struct tree *tree;
    struct copied_fact *facts; /* by variable id */
    struct tree_expr **values; /* by variable id: what stands for it */
    uint32_t next;             /* number of the next statement, from 1 */
    uint32_t now;              /* the one whose expressions are looked at */
    struct label_fact *labels; /* by label id */
};

/* ---- facts ----
 *
 * The value of a DO or an UPDATE is evaluated behind its body but counted where the statement begins: what the body
 * assigns is then first used above its assignment, and not replaced. */

static void see_expr(void *user, struct tree_expr *e)
{
    struct forward *w = user;
    if (e->op != EXPR_VAR)
        return;
    struct copied_fact *f = &w->facts[e->var->id];
    f->first_use = f->first_use ? f->first_use : w->now;
    f->last_use = w->now;
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_expr, user); }

static bool see(void *user, struct tree_stmt *s)
{
    struct forward *w = user;
    w->now = w->next++;
    stmt_each_expr(s, see_operand, w);
    struct tree_var *const vars[] = { s->var, s->var2 };
    for (int i = 0; i < 2; i++) {
        if (!vars[i])
            continue;
        struct copied_fact *f = &w->facts[vars[i]->id];
        if (s->kind == STMT_FREE) {
            f->first_free = f->first_free ? f->first_free : w->now;
        } else {
            f->assigned++;
            f->at = w->now;
        }
    }
    struct label_fact *l = s->label ? &w->labels[s->label->id] : NULL;
    if (s->kind == STMT_LABEL)
        l->at = w->now;
    if (s->kind == STMT_GOTO) {
        l->first_jump = l->first_jump ? l->first_jump : w->now;
        l->last_jump = w->now;
    }
    return true;
}

/* May control come to statements `from` to `to` without passing through `from`, which is in a block that ends at
 * `block_end`? */
static bool entered_between(const struct forward *w, uint32_t from, uint32_t to, uint32_t block_end)
{
    for (uint32_t i = 0; i < w->tree->num_labels; i++) {
        const struct label_fact *l = &w->labels[i];
        if (l->at > from && l->at <= to && l->first_jump && (l->first_jump < from || l->last_jump >= block_end))
            return true;
    }
    return false;
}

/* ---- replacing ---- */

/* Does everything in the value keep its meaning from statement `at` to `last`? */
static bool lasting(const struct forward *w, const struct tree_expr *e, uint32_t at, uint32_t last)
{
    if (e->op == EXPR_CALL || e->op == EXPR_LOAD)
        return false;
    if (e->op == EXPR_VAR) {
        const struct copied_fact *f = &w->facts[e->var->id];
        if (f->assigned > 1 || (f->assigned == 1 && f->at >= at) || (f->first_free && f->first_free <= last))
            return false;
    }
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!lasting(w, e->args[i], at, last))
            return false;
    return true;
}

static struct tree_expr *replace(struct forward *w, struct tree_expr *e)
{
    struct tree *t = w->tree;
    if (e->op == EXPR_VAR)
        return w->values[e->var->id] ? w->values[e->var->id] : e;
    struct tree_expr *copy = NULL;
    for (uint32_t i = 0; i < e->num_args; i++) {
        struct tree_expr *arg = replace(w, e->args[i]);
        if (arg != e->args[i] && !copy)
            copy = arena_copy(t->arena, e, sizeof *e + e->num_args * sizeof e->args[0]);
        if (copy)
            copy->args[i] = arg;
    }
    if (!copy)
        return e;
    if (e->op == EXPR_LOAD)
        return expr_load(t, e->type, copy->args[0], copy->args[1], e->alias);
    return e->op == EXPR_OFFSET ? expr_offset(t, copy->args[0], copy->args[1]) : copy;
}

static void replace_operand(void *user, struct tree_expr **e) { *e = replace(user, *e); }

/* An assignment that can be dropped; its value is noted. */
static bool take(struct forward *w, const struct tree_stmt *s, uint32_t number, uint32_t block_end)
{
    if (s->kind != STMT_ASSIGN || s->var->type->kind != TYPE_POINTER || s->value->type != s->var->type)
        return false;
    const struct copied_fact *f = &w->facts[s->var->id];
    if (!f->first_use && !f->first_free && expr_is_pure(s->value)) /* nobody asks */
        return true;
    bool here = f->assigned == 1 && !f->first_free && f->first_use > number && f->last_use < block_end;
    if (!here || entered_between(w, number, f->last_use, block_end) || !lasting(w, s->value, number, f->last_use))
        return false;
    w->values[s->var->id] = s->value;
    return true;
}

/* Statement numbers are counted as in `see`: that of `s`, then its body and so on; gives the number behind the last. */
static uint32_t rewrite(struct forward *w, struct tree_stmt *s, uint32_t number, uint32_t block_end)
{
    stmt_each_expr(s, replace_operand, w);
    if (s->pointer && (s->kind == STMT_STORE || s->kind == STMT_REDUCE || s->kind == STMT_UPDATE))
        stmt_set_address(w->tree, s, s->pointer, s->index);
    uint32_t next = number + 1;
    if (take(w, s, number, block_end))
        *s = *stmt_block(w->tree);
    if (s->body)
        next = rewrite(w, s->body, next, next + stmt_count(s->body));
    if (s->otherwise)
        next = rewrite(w, s->otherwise, next, next + stmt_count(s->otherwise));
    uint32_t end = s->kind == STMT_BLOCK ? number + stmt_count(s) : block_end;
    for (uint32_t i = 0; i < s->items.count; i++)
        next = rewrite(w, s->items.items[i], next, end);
    return next;
}

bool opt_copy_propagation(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct forward w = { .tree = t, .next = 1 };
        w.facts = NEW_ARRAY(t->scratch, struct copied_fact, t->num_vars);
        w.values = NEW_ARRAY(t->scratch, struct tree_expr *, t->num_vars);
        w.labels = NEW_ARRAY(t->scratch, struct label_fact, t->num_labels + 1);
        stmt_visit(f->body, see, &w);
        rewrite(&w, f->body, 1, w.next);
    }
    return true;
}
