/* Several iterations of a loop together: what stands in the loop itself is repeated, loops inside go through the bodies
 * of all of them. */
#include "lower/opt/registers/unroll_jam.h"
#include "lower/tree/tree_depend.h"
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

bool jam_is_possible(struct iterations *x, struct tree_stmt *loop, const struct tree_scan *scan)
{
    if (loop->loop.parallel || !expr_is_int(loop->step, 1) || !expr_is_pure(loop->begin))
        return false;
    for (uint32_t i = 0; i < loop->body->items.count; i++)
        if (loop->body->items.items[i]->kind == STMT_FOR && !tree_scan_keeps_bounds(scan, loop->body->items.items[i]))
            return false;
    return iterations_keep_variables(x, loop);
}

static bool is_next(const struct tree_expr *load, const struct tree_var *v)
{
    struct linear at;
    int64_t times;
    linear_of(&at, load->args[1]);
    return !expr_mentions(load->args[0], v) && at.known && linear_take(&at, v, &times) && times == 1;
}

struct tree_expr *jam_lanes(struct tree *t, struct tree_expr *e, const struct tree_var *v, const struct type *vector)
{
    if (e->type != vector->elem)
        return NULL;
    if (!expr_mentions(e, v))
        return expr_splat(t, vector, e);
    if (e->op == EXPR_LOAD) {
        struct tree_expr *at = expr_cast(t, type_pointer(t->ir, vector), expr_offset(t, e->args[0], e->args[1]));
        return is_next(e, v) ? expr_load(t, vector, at, expr_i64(t, 0), e->alias) : NULL;
    }
    if (e->op < EXPR_ADD || e->op > EXPR_DIV)
        return NULL;
    struct tree_expr *a = jam_lanes(t, e->args[0], v, vector), *b = jam_lanes(t, e->args[1], v, vector);
    return a && b ? expr_binary(t, e->op, a, b) : NULL;
}

struct jam_blocks jam_begin(struct tree *t, struct tree_stmt *loop, uint32_t rows)
{
    const struct type *type = loop->var->type;
    struct jam_blocks b = { .loop = loop, .around = t->region };
    t->region = loop->var->owner;
    b.out = stmt_block(t);
    struct tree_expr *span = expr_binary(t, EXPR_SUB, loop->end, loop->begin), *step = expr_int(t, type, rows);
    struct tree_expr *whole = expr_binary(t, EXPR_DIV, expr_binary(t, EXPR_MAX, span, expr_int(t, type, 0)), step);
    struct tree_var *first = tree_var(t, loop->var->name, type);
    b.first = expr_var(t, first);
    b.stop = expr_binary(t, EXPR_ADD, loop->begin, expr_binary(t, EXPR_MUL, whole, step));
    b.stop = stmt_variable(t, b.out, "stop", b.stop);
    /* Limits are known inside: the last iteration of a block is one of the loop. */
    struct tree_expr *end =
        expr_binary(t, EXPR_SUB, (struct tree_expr *)(uintptr_t)depend_end(loop), expr_int(t, type, rows - 1));
    b.main = stmt_for(t, b.out, first, loop->begin, b.stop->op == EXPR_INT ? b.stop : end, step);
    b.main->place = loop->place;
    return b;
}

void jam_end(struct tree *t, struct jam_blocks *b)
{
    struct tree_stmt *rest = NEW(t->arena, struct tree_stmt);
    *rest = *b->loop;
    rest->begin = b->stop;
    if (b->stop->op != EXPR_INT || !expr_is_int(rest->end, b->stop->i))
        stmt_append(t, b->out, rest);
    *b->loop = *b->out;
    t->region = b->around;
}

void jam_iterations(struct tree *t, struct tree_stmt *loop, uint32_t rows)
{
    struct tree_stmt *copies[JAM_MOST];
    struct jam_blocks b = jam_begin(t, loop, rows);
    for (uint32_t r = 0; r < rows; r++) {
        copies[r] = stmt_clone_apart(t, loop->body);
        rename_memory(t, copies[r]);
        stmt_substitute(t, copies[r], loop->var, expr_binary(t, EXPR_ADD, b.first, expr_int(t, loop->var->type, r)));
    }
    b.main->body = jammed(t, copies, rows, loop->body->items.count);
    jam_end(t, &b);
}
