/* Several iterations of a loop together: what stands in the loop itself is repeated, loops inside go through the bodies
 * of all of them. */
#include "lower/opt/registers/unroll_jam.h"
#include "lower/tree/tree_rewrite.h"

/* Does the loop store what sums behind it may load? */
static bool has_store(const struct tree_stmt *body)
{
    for (uint32_t i = 0; i < body->items.count; i++)
        if (body->items.items[i]->kind == STMT_STORE)
            return true;
    return false;
}

/* Appends, or adds to a sum that goes to the same place. */
static void add_statement(struct tree *t, struct tree_stmt *body, struct tree_stmt *s)
{
    for (uint32_t i = 0; s->kind == STMT_REDUCE && i < body->items.count; i++) {
        struct tree_stmt *other = body->items.items[i];
        if (other->kind != STMT_REDUCE || other->alias != s->alias || other->value->type != s->value->type ||
            !expr_equal(other->pointer, s->pointer) || !expr_equal(other->index, s->index))
            continue;
        s->value = expr_binary(t, EXPR_ADD, other->value, s->value);
        for (uint32_t k = i; k + 1 < body->items.count; k++)
            body->items.items[k] = body->items.items[k + 1];
        body->items.count--;
        break;
    }
    stmt_append(t, body, s);
}

/* Memory of an iteration gets a class of its own, so that the one of the others is told from it. */
struct renamed {
    struct tree *tree;
    const struct tree_stmt *alloc;
};

static bool is_renamed(const struct renamed *r, const struct tree_expr *pointer)
{
    return pointer && pointer->op == EXPR_VAR && pointer->var == r->alloc->var;
}

static struct tree_expr *rename_load(void *user, struct tree_expr *e)
{
    const struct renamed *r = user;
    if (e->op != EXPR_LOAD || !is_renamed(r, e->args[0]))
        return e;
    return expr_load(r->tree, e->type, e->args[0], e->args[1], r->alloc->alias);
}

static bool rename_stmt(void *user, struct tree_stmt *s)
{
    const struct renamed *r = user;
    stmt_rewrite(r->tree, s, rename_load, user);
    if (is_renamed(r, s->pointer))
        s->alias = r->alloc->alias;
    return true;
}

static void rename_memory(struct tree *t, struct tree_stmt *body)
{
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *alloc = body->items.items[i];
        if (alloc->kind != STMT_ALLOC)
            continue;
        alloc->alias = t->num_aliases++;
        struct renamed r = { t, alloc };
        stmt_visit(body, rename_stmt, &r);
    }
}

static struct tree_stmt *jammed(struct tree *t, struct tree_stmt *const *copies, uint32_t rows, uint32_t count)
{
    struct tree_stmt *out = stmt_block(t);
    for (uint32_t i = 0; i < count; i++) {
        struct tree_stmt *first = copies[0]->items.items[i];
        if (first->kind != STMT_FOR) {
            for (uint32_t r = 0; r < rows; r++)
                stmt_append(t, out, copies[r]->items.items[i]);
            continue;
        }
        struct tree_stmt *body = stmt_block(t);
        bool stores = has_store(first->body);
        for (uint32_t r = 0; r < rows; r++) {
            struct tree_stmt *one = copies[r]->items.items[i];
            if (r > 0)
                stmt_substitute(t, one->body, one->var, expr_var(t, first->var));
            for (uint32_t k = 0; k < one->body->items.count; k++) {
                struct tree_stmt *s = one->body->items.items[k];
                if (stores && s->kind == STMT_REDUCE) /* which moves back */
                    s->value = stmt_variable(t, body, "term", s->value);
                add_statement(t, body, s);
            }
        }
        first->body = body;
        stmt_append(t, out, first);
    }
    return out;
}

void jam_iterations(struct tree *t, struct tree_stmt *loop, uint32_t rows)
{
    const struct tree_stmt *around = t->region;
    const struct type *type = loop->var->type;
    t->region = loop->var->owner;
    struct tree_stmt *block = stmt_block(t), *copies[JAM_MOST], *rest = NEW(t->arena, struct tree_stmt);
    struct tree_expr *span = expr_binary(t, EXPR_SUB, loop->end, loop->begin), *step = expr_int(t, type, rows);
    struct tree_expr *whole = expr_binary(t, EXPR_DIV, expr_binary(t, EXPR_MAX, span, expr_int(t, type, 0)), step);
    struct tree_expr *last = expr_binary(t, EXPR_ADD, loop->begin, expr_binary(t, EXPR_MUL, whole, step));
    bool all = loop->end->op == EXPR_INT && expr_is_int(last, loop->end->i); /* nothing is left for a rest */
    struct tree_var *stop = tree_var(t, "stop", type), *first = tree_var(t, loop->var->name, type);
    if (!all)
        stmt_assign(t, block, stop, last);
    struct tree_stmt *main = stmt_for(t, block, first, loop->begin, all ? last : expr_var(t, stop), step);
    main->place = loop->place;
    for (uint32_t r = 0; r < rows; r++) {
        copies[r] = stmt_clone_apart(t, loop->body);
        rename_memory(t, copies[r]);
        stmt_substitute(t, copies[r], loop->var, expr_binary(t, EXPR_ADD, expr_var(t, first), expr_int(t, type, r)));
    }
    main->body = jammed(t, copies, rows, loop->body->items.count);
    *rest = *loop;
    rest->begin = expr_var(t, stop);
    if (!all)
        stmt_append(t, block, rest);
    *loop = *block;
    t->region = around;
}
