/* Loops with much in them, or that go on while a condition holds: what touches the arrays is there twice.
 *
 *                                            copy T[n] at old from now
 *     while c {                              into = false
 *         copy T[n] at old from now          while c {
 *         now[i] = f(old[i - 1])                 into = !into
 *         more                                   if into { old[i] = f(now[i - 1]) } else { now[i] = f(old[i - 1]) }
 *     }                                          more
 *                                            }
 *                                            if into { copy T[n] at now from old }
 */
#include "lower/opt/memory/double_buffering.h"

#include "lower/opt/iterations.h"
#include "lower/tree/tree_rewrite.h"

struct choosing {
    const struct buffers *w;
    struct tree_scan whole; /* the function as it is, with what loops inside have become */
    struct tree_stmt *body; /* of the new loop */
    struct tree_stmt *run;  /* statements that touch the arrays, not in the body yet */
    struct tree_var *into;  /* does the iteration change `old`? */
};

/* Variables of the statements that something else names, too. */
static struct map shared_variables(const struct choosing *c, const struct tree_scan *piece)
{
    struct tree *t = c->w->tree;
    struct map shared = { 0 };
    for (uint32_t i = 0; i < piece->assigned.count; i++) {
        const struct tree_var *v = piece->assigned.slots[i].key;
        if (map_get(&piece->uses, v) != map_get(&c->whole.uses, v))
            map_put(t->scratch, &shared, v, t);
    }
    return shared;
}

/* The statements once more, with variables of their own where nothing else names them. */
static struct tree_stmt *again(const struct choosing *c)
{
    struct tree *t = c->w->tree;
    struct tree_scan piece = { .arena = t->scratch };
    tree_scan_add(&piece, c->run);
    struct map shared = shared_variables(c, &piece);
    struct tree_stmt loop = { .kind = STMT_WHILE, .value = expr_bool(t, true), .body = c->run };
    bool apart = iterations_define_variables(t, &loop, &shared);
    return apart ? stmt_clone_with(t, c->run, &shared) : stmt_clone(t, c->run);
}

static void end_run(struct choosing *c)
{
    struct tree *t = c->w->tree;
    if (!c->run->items.count)
        return;
    struct tree_stmt *choice = stmt_if(t, c->body, expr_var(t, c->into)), *other = again(c);
    buffers_swap(c->w, other);
    stmt_append(t, choice->body, other);
    stmt_append(t, choice->otherwise, c->run);
    c->run = stmt_block(t);
}

struct tree_stmt *buffers_choose(const struct buffers *w, const struct tree_stmt *like)
{
    struct tree *t = w->tree;
    struct tree_stmt *items = stmt_block(t), *from = buffers_body(w), *loop = stmt_clone(t, like);
    struct choosing c = {
        .w = w, .whole = tree_scan_function(t, w->func), .body = loop->body = stmt_block(t), .run = stmt_block(t)
    };
    bool counts = like->kind == STMT_FOR;
    c.into = tree_var(t, "into", type_basic(t->ir, TYPE_BOOL));
    buffers_begin(w, items, counts ? expr_binary(t, EXPR_LT, like->begin, like->end) : like->value);
    stmt_assign(t, items, c.into, expr_bool(t, false));
    stmt_assign(t, c.body, c.into, expr_unary(t, EXPR_NOT, expr_var(t, c.into)));
    for (uint32_t n = 0; n < from->items.count; n++) {
        struct tree_piece p = { 0 };
        piece_add(t->scratch, &p, from->items.items[n], NULL);
        bool touches = buffers_touch(w, &p);
        if (!touches)
            end_run(&c);
        stmt_append(t, touches ? c.run : c.body, from->items.items[n]);
    }
    end_run(&c);
    stmt_append(t, items, loop);
    struct tree_stmt *back = stmt_if(t, items, expr_var(t, c.into))->body, *copies = stmt_block(t);
    for (uint32_t i = 0; i < w->pairs.count; i++)
        stmt_append(t, copies, stmt_clone(t, w->pairs.items[i].copy));
    buffers_swap(w, copies);
    stmt_append(t, back, copies);
    buffers_end(w, items);
    return items;
}
