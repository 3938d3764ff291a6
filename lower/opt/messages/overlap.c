/* Overlap of messages with computation.
 *
 *   recv A[0] from above          irecv A[0], request
 *   for i, j: B = f(A)      ->    for i, j in the interior: B = f(A)
 *                                 wait request
 *                                 for i, j at the boundary: B = f(A)
 *
 * A message that blocks, or an operation of all processes that the graph lets go on (mpi_goes_on), is begun where it
 * was and waited for where its data are needed; so is one whose wait the program has itself, if all messages of that
 * request begin in the same block. The wait goes down past all statements that touch nothing of the messages, as the
 * dependence service says (tree_piece.h), and past the interior of a nest that needs what comes only at its boundary,
 * as halo exchanges of stencils do. Messages keep their order, so the processes match them as before. */
#include "lower/opt/messages/overlap.h"

#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_rewrite.h"

enum { WAIT_REQUESTS = 2, WAIT_TAG = 5, WAIT_SOURCE = 6 };

static bool calls(const struct tree_stmt *s, enum tree_callee_row row)
{
    return s->kind == STMT_CALL && stmt_callee(s) == &tree_callees[row];
}

/* Does it begin what a request is waited for? */
static bool begins(const struct tree_stmt *s)
{
    const struct overlap_message *m = overlap_message_of(s);
    return m && m->request;
}

static const struct tree_expr *request_of(const struct tree_stmt *s) { return s->args[overlap_message_of(s)->request]; }

/* May it go on? One of all processes only if all of them have the same form of it. */
static bool may_go_on(const struct tree_stmt *s)
{
    const struct overlap_message *m = overlap_message_of(s);
    return m && m->starts && (!m->goes_on || !expr_is_int(s->args[m->goes_on], 0));
}

static bool waits(const struct tree_stmt *s)
{
    return calls(s, CALLEE_sdfg_rt_mpi_wait) && s->args[WAIT_TAG]->op == EXPR_NULL &&
           s->args[WAIT_SOURCE]->op == EXPR_NULL;
}

enum { MOST_ARGS = 12 };

struct overlap {
    struct tree *tree;
    struct tree_func *func;
    struct overlap_set set;
};

/* ---- moving a wait down ---- */

static bool mentions(const struct tree_stmt *wait, const struct tree_var *v)
{
    for (uint32_t k = 0; k < wait->num_args; k++)
        if (expr_mentions(wait->args[k], v))
            return true;
    return false;
}

static bool assigns_what(const struct tree_piece *p, const struct tree_stmt *wait)
{
    for (uint32_t i = 0; i < p->writes.count; i++)
        if (mentions(wait, p->writes.items[i]))
            return true;
    return false;
}

/* May the wait come behind the statement? */
static bool passes(struct overlap *o, const struct tree_stmt *wait, struct tree_stmt *s)
{
    struct tree_piece p = { .control = false };
    const struct tree_var *request = expr_root_var(wait->args[WAIT_REQUESTS]);
    if (begins(s) && expr_root_var(request_of(s)) == request)
        return false;
    if (waits(s) || calls(s, CALLEE_sdfg_rt_mpi_wait_for))
        return expr_root_var(s->args[WAIT_REQUESTS]) != request;
    if (overlap_message_of(s))
        return overlap_piece(&o->set, s, &p) && !overlap_meets(&o->set, &p);
    if (overlap_call_passes(&o->set, s))
        return !s->var || !mentions(wait, s->var);
    piece_add(o->tree->scratch, &p, s, NULL);
    return !p.control && !p.effects && !p.jumps && !p.frees && !assigns_what(&p, wait) && !overlap_meets(&o->set, &p);
}

/* Work that is worth a message that goes on. */
static bool is_work(const struct tree_stmt *s)
{
    return stmt_is_loop(s) || overlap_message_of(s) || (s->kind == STMT_CALL && callee_multiplies(stmt_callee(s)));
}

static void insert(struct tree *t, struct tree_stmt *block, uint32_t at, struct tree_stmt *s)
{
    stmt_append(t, block, s);
    for (uint32_t i = block->items.count - 1; i > at; i--)
        block->items.items[i] = block->items.items[i - 1];
    block->items.items[at] = s;
}

static void take_out(struct tree_stmt *block, uint32_t at)
{
    for (uint32_t i = at; i + 1 < block->items.count; i++)
        block->items.items[i] = block->items.items[i + 1];
    block->items.count--;
}

/* Where the wait that stands, or would stand, at `from` can go: in front of the statement with the number that is given
 * back, counted without it. *work: whether anything is gained; *parts: of the nest there, or NULL. */
static uint32_t target_of(struct overlap *o, const struct tree_stmt *wait, const struct tree_stmt *block, uint32_t from,
                          bool *work, struct tree_stmt **parts)
{
    *work = false;
    *parts = NULL;
    for (; from < block->items.count; from++) {
        struct tree_stmt *s = block->items.items[from];
        if (!passes(o, wait, s))
            break;
        *work = *work || is_work(s);
    }
    if (from < block->items.count)
        *parts = overlap_split(&o->set, block->items.items[from]);
    *work = *work || *parts;
    return from;
}

/* Puts the wait there; the nest becomes its interior, in front, and its boundary. */
static void put(struct overlap *o, struct tree_stmt *wait, struct tree_stmt *block, uint32_t at,
                struct tree_stmt *parts)
{
    struct remarks *remarks = o->tree->ir->remarks;
    remark(remarks, wait->place, NULL, REMARK_OVERLAP);
    if (parts) {
        remark(remarks, block->items.items[at]->place, NULL, REMARK_OVERLAP_SPLIT);
        block->items.items[at++] = parts->items.items[0];
        for (uint32_t i = 1; i < parts->items.count; i++)
            insert(o->tree, block, at + i - 1, parts->items.items[i]);
    }
    insert(o->tree, block, at, wait);
}

static void begin_set(struct overlap *o)
{
    o->set.tree = o->tree;
    o->set.func = o->func;
    piece_set_init(&o->set.pieces, o->tree->scratch, o->tree);
}

/* ---- waits of the program ---- */

struct request_search {
    const struct tree_var *request;
    uint32_t starts, others; /* calls that begin messages with it, other calls that get it */
};

static bool see_request(void *user, struct tree_stmt *s)
{
    struct request_search *r = user;
    for (uint32_t i = 0; s->kind == STMT_CALL && i < s->num_args; i++)
        if (expr_root_var(s->args[i]) == r->request) {
            r->starts += begins(s);
            r->others += !begins(s) && !waits(s);
        }
    return true;
}

/* All messages of the request, if they begin in this block. */
static bool add_messages(struct overlap *o, const struct tree_stmt *wait, const struct tree_stmt *block)
{
    struct request_search r = { .request = expr_root_var(wait->args[WAIT_REQUESTS]) };
    uint32_t here = 0;
    if (!r.request)
        return false;
    stmt_visit(o->func->body, see_request, &r);
    for (uint32_t i = 0; i < block->items.count; i++) {
        const struct tree_stmt *s = block->items.items[i];
        if (!begins(s) || expr_root_var(request_of(s)) != r.request)
            continue;
        here++;
        if (!overlap_add(&o->set, s))
            return false;
    }
    return here && here == r.starts && !r.others;
}

static void move_wait(struct overlap *o, struct tree_stmt *block, uint32_t at)
{
    struct tree_stmt *wait = block->items.items[at], *parts;
    bool work;
    begin_set(o);
    if (!add_messages(o, wait, block))
        return;
    uint32_t to = target_of(o, wait, block, at + 1, &work, &parts);
    if (!work)
        return;
    take_out(block, at);
    put(o, wait, block, to - 1, parts);
}

/* ---- messages that block ---- */

enum { ARG_CONTEXT, ARG_PLACE, ARG_PEER = 5, ARG_TAG }; /* of messages from one to another */

/* Peer and tag are read when the message begins: the wait says for whom it waits. */
static struct tree_expr *kept(struct tree *t, struct tree_stmt *block, uint32_t *at, const char *name,
                              struct tree_expr *e)
{
    struct tree_var *v = tree_var(t, name, e->type);
    struct tree_stmt *alone = stmt_block(t);
    insert(t, block, (*at)++, stmt_assign(t, alone, v, e));
    return expr_var(t, v);
}

static struct tree_stmt *wait_of(struct tree *t, const struct tree_stmt *call, struct tree_expr *request)
{
    struct tree_stmt *alone = stmt_block(t), *wait;
    if (overlap_message_of(call)->goes_on) {
        struct tree_expr *null = expr_null(t, type_pointer(t->ir, type_basic(t->ir, TYPE_I32)));
        struct tree_expr *args[] = {
            call->args[ARG_CONTEXT], call->args[ARG_PLACE], request, expr_i64(t, 1), expr_i64(t, 1), null, null
        };
        wait = stmt_call(t, alone, NULL, "sdfg_rt_mpi_wait", args, 7);
    } else {
        struct tree_expr *args[] = {
            call->args[ARG_CONTEXT], call->args[ARG_PLACE], request, expr_i64(t, calls(call, CALLEE_sdfg_rt_mpi_send)),
            call->args[ARG_PEER],    call->args[ARG_TAG]
        };
        wait = stmt_call(t, alone, NULL, "sdfg_rt_mpi_wait_for", args, 6);
    }
    wait->place = call->place;
    return wait;
}

static void convert(struct overlap *o, struct tree_stmt *block, uint32_t at)
{
    struct tree *t = o->tree;
    struct tree_stmt *call = block->items.items[at], *alone = stmt_block(t), *parts;
    const struct overlap_message *m = overlap_message_of(call);
    const struct type *request_type = type_opaque(t->ir, "MPI_Request");
    struct tree_var *request = tree_var(t, "request", type_pointer(t->ir, request_type));
    struct tree_stmt *wait = wait_of(t, call, expr_var(t, request));
    bool work;
    begin_set(o);
    if (!overlap_add(&o->set, call))
        return;
    uint32_t to = target_of(o, wait, block, at + 1, &work, &parts);
    if (!work)
        return;
    put(o, wait, block, to, parts);
    insert(t, block, at++, stmt_alloc(t, alone, request, request_type, expr_i64(t, 1), TREE_STACK));
    struct tree_expr *args[MOST_ARGS];
    uint32_t count = m->goes_on ? m->goes_on : call->num_args;
    for (uint32_t i = 0; i < count; i++)
        args[i] = call->args[i];
    if (!m->goes_on) {
        args[ARG_PEER] = wait->args[4] = kept(t, block, &at, "peer", call->args[ARG_PEER]);
        args[ARG_TAG] = wait->args[5] = kept(t, block, &at, "tag", call->args[ARG_TAG]);
    }
    args[count] = expr_var(t, request);
    block->items.items[at] = stmt_call(t, alone, NULL, m->starts, args, count + 1);
    block->items.items[at]->place = call->place;
}

/* ---- the pass ---- */

/* Last ones first: what a message passes is final by then. */
static void look(struct overlap *o, struct tree_stmt *s)
{
    if (s->kind == STMT_FOR && s->loop.parallel)
        return;
    if (s->body)
        look(o, s->body);
    if (s->otherwise)
        look(o, s->otherwise);
    for (uint32_t i = s->items.count; i-- > 0;) {
        if (waits(s->items.items[i]))
            move_wait(o, s, i);
        else if (may_go_on(s->items.items[i]))
            convert(o, s, i);
        else
            look(o, s->items.items[i]);
    }
}

static bool see_message(void *user, struct tree_stmt *s)
{
    bool *found = user;
    *found = *found || may_go_on(s) || waits(s);
    return !*found;
}

bool opt_overlap(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; !o->check && i < t->functions.count; i++) {
        struct overlap v = { .tree = t, .func = t->functions.items[i] };
        bool found = false;
        stmt_visit(v.func->body, see_message, &found);
        if (!found)
            continue;
        stmt_flatten(t, v.func->body);
        look(&v, v.func->body);
    }
    return true;
}
