/* Overlap of messages with computation.
 *
 *   recv A[0] from above          irecv A[0], request
 *   for i, j: B = f(A)      ->    for i, j in the interior: B = f(A)
 *                                 wait request
 *                                 for i, j at the boundary: B = f(A)
 *
 * A message that blocks is begun where it was and waited for where its data are needed; so is one whose wait the
 * program has itself, if all messages of that request begin in the same block. The wait goes down past all statements
 * that touch nothing of the messages, as the dependence service says (tree_piece.h), and past the interior of a nest
 * that needs what comes only at its boundary, as halo exchanges of stencils do. Messages keep their order, so the
 * processes match them as before. */
#include "lower/opt/messages/overlap.h"

#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"

/* Arguments of the calls, as runtime/abi.def has them. */
enum { ARG_CONTEXT, ARG_PLACE, ARG_GRID, ARG_BUFFER, ARG_LAYOUT, ARG_PEER, ARG_TAG, ARG_REQUEST };
enum { WAIT_REQUESTS = 2, WAIT_TAG = 5, WAIT_SOURCE = 6 };
enum { MOST_LIST = 2 + 2 * 8 }; /* numbers of a layout */

static bool calls(const struct tree_stmt *s, enum tree_callee_row row)
{
    return s->kind == STMT_CALL && stmt_callee(s) == &tree_callees[row];
}

static bool blocks(const struct tree_stmt *s)
{
    return calls(s, CALLEE_sdfg_rt_mpi_send) || calls(s, CALLEE_sdfg_rt_mpi_recv);
}
static bool begins(const struct tree_stmt *s)
{
    return calls(s, CALLEE_sdfg_rt_mpi_isend) || calls(s, CALLEE_sdfg_rt_mpi_irecv);
}
static bool sends(const struct tree_stmt *s)
{
    return calls(s, CALLEE_sdfg_rt_mpi_send) || calls(s, CALLEE_sdfg_rt_mpi_isend);
}

static bool waits(const struct tree_stmt *s)
{
    return calls(s, CALLEE_sdfg_rt_mpi_wait) && s->args[WAIT_TAG]->op == EXPR_NULL &&
           s->args[WAIT_SOURCE]->op == EXPR_NULL;
}

struct overlap {
    struct tree *tree;
    struct tree_func *func;
    struct overlap_set set;
};

struct alias_search {
    const struct tree_var *var;
    uint32_t alias;
    bool found;
};

static bool see_alloc(void *user, struct tree_stmt *s)
{
    struct alias_search *a = user;
    if (s->kind == STMT_ALLOC && s->var == a->var) {
        a->alias = s->alias;
        a->found = true;
    }
    return !a->found;
}

/* The memory that a pointer leads to, if it is an argument or allocated in the function; its class, or 0. */
static struct alias_search memory_of(const struct tree_func *f, const struct tree_expr *pointer)
{
    struct alias_search a = { .var = pointer ? expr_root_var(pointer) : NULL };
    for (uint32_t i = 0; a.var && !a.found && i < f->params.count; i++)
        if (f->params.items[i].var == a.var) {
            a.alias = f->params.items[i].alias;
            a.found = true;
        }
    if (a.var && !a.found)
        stmt_visit(f->body, see_alloc, &a);
    return a;
}

/* Is one of them memory that only this variable leads to? */
static bool apart(const struct overlap_set *set, const struct tree_access *a, const struct tree_access *b)
{
    struct alias_search x = memory_of(set->func, a->pointer), y = memory_of(set->func, b->pointer);
    return x.found && y.found && x.var != y.var && !(x.alias && y.alias);
}

static bool meets_any(const struct overlap_set *set, const struct tree_access *a, const struct piece_class *c)
{
    for (const struct tree_access *b = c->accesses; b; b = b->next)
        if ((a->write || b->write) && !apart(set, a, b) &&
            !depend_is_never(&(struct depend_query){ .arena = set->tree->scratch, .a = a, .b = b }))
            return true;
    return false;
}

bool overlap_meets(const struct overlap_set *set, const struct tree_piece *p)
{
    if (piece_set_orders_control(&set->pieces, p))
        return true;
    for (uint32_t i = 0; i < p->accesses.count; i++) {
        const struct tree_access *a = p->accesses.items[i];
        for (uint32_t k = 0; k < set->pieces.touched.count; k++) {
            uint32_t class = set->pieces.touched.items[k];
            bool same = !a->alias || class == 0 || class == a->alias;
            if (same && meets_any(set, a, piece_set_class(&set->pieces, class)))
                return true;
        }
    }
    return false;
}

/* ---- regions of messages ---- */

struct layout_search {
    const struct tree_var *list;
    struct tree_expr *values[MOST_LIST];
    bool twice;
};

static bool see_store(void *user, struct tree_stmt *s)
{
    struct layout_search *l = user;
    if (s->kind != STMT_STORE || expr_root_var(s->pointer) != l->list)
        return true;
    bool known = s->pointer->op == EXPR_VAR && s->index->op == EXPR_INT && s->index->i >= 0 && s->index->i < MOST_LIST;
    l->twice = l->twice || !known || l->values[s->index->i];
    if (!l->twice)
        l->values[s->index->i] = s->value;
    return true;
}

/* The region of a message as a loop nest that loads or stores its elements; false if it is not known. */
static bool add_region(struct overlap *o, struct tree_stmt *block, const struct tree_stmt *call)
{
    struct tree *t = o->tree;
    struct tree_expr *pointer = call->args[ARG_BUFFER], *index = expr_i64(t, 0);
    const struct type *type = pointer->type->elem;
    struct layout_search l = { .list = expr_root_var(call->args[ARG_LAYOUT]) };
    uint32_t alias = memory_of(o->func, pointer).alias;
    if (!l.list || !alias)
        return false;
    stmt_visit(o->func->body, see_store, &l);
    int64_t rank = !l.twice && l.values[1] && l.values[1]->op == EXPR_INT ? l.values[1]->i : -1;
    if (rank < 0 || 2 + 2 * rank > MOST_LIST)
        return false;
    for (int64_t d = 0; d < rank; d++) {
        struct tree_expr *extent = l.values[2 + d], *stride = l.values[2 + rank + d];
        if (!extent || !stride)
            return false;
        struct tree_var *v = tree_var(t, "element", expr_i64(t, 0)->type);
        block = stmt_for(t, block, v, expr_i64(t, 0), extent, expr_i64(t, 1))->body;
        index = expr_binary(t, EXPR_ADD, index, expr_binary(t, EXPR_MUL, expr_var(t, v), stride));
    }
    if (sends(call))
        stmt_assign(t, block, tree_var(t, "sent", type), expr_load(t, type, pointer, index, alias));
    else
        stmt_store(t, block, pointer, index, expr_zero(t, type), alias);
    return true;
}

/* What a call of MPI does with memory; false if that is not known. */
static bool piece_of_call(struct overlap *o, const struct tree_stmt *call, struct tree_piece *p)
{
    struct tree_stmt *block = stmt_block(o->tree);
    if (!add_region(o, block, call))
        return false;
    piece_add(o->tree->scratch, p, block, NULL);
    return true;
}

static bool add_message(struct overlap *o, const struct tree_stmt *call)
{
    struct tree_piece p = { .control = false };
    if (!piece_of_call(o, call, &p))
        return false;
    piece_set_add(&o->set.pieces, &p);
    return true;
}

/* ---- moving a wait down ---- */

static bool assigns_what(const struct tree_piece *p, const struct tree_stmt *wait)
{
    for (uint32_t i = 0; i < p->writes.count; i++)
        for (uint32_t k = 0; k < wait->num_args; k++)
            if (expr_mentions(wait->args[k], p->writes.items[i]))
                return true;
    return false;
}

/* May the wait come behind the statement? */
static bool passes(struct overlap *o, const struct tree_stmt *wait, struct tree_stmt *s)
{
    struct tree_piece p = { .control = false };
    const struct tree_var *request = expr_root_var(wait->args[WAIT_REQUESTS]);
    bool mpi = blocks(s) || begins(s);
    if (begins(s) && expr_root_var(s->args[ARG_REQUEST]) == request)
        return false;
    if (waits(s) || calls(s, CALLEE_sdfg_rt_mpi_wait_for))
        return expr_root_var(s->args[WAIT_REQUESTS]) != request;
    if (mpi)
        return piece_of_call(o, s, &p) && !overlap_meets(&o->set, &p);
    piece_add(o->tree->scratch, &p, s, NULL);
    return !p.control && !p.effects && !p.jumps && !p.frees && !assigns_what(&p, wait) && !overlap_meets(&o->set, &p);
}

/* Work that is worth a message that goes on. */
static bool is_work(const struct tree_stmt *s) { return stmt_is_loop(s) || blocks(s) || begins(s); }

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
        if (!begins(s) || expr_root_var(s->args[ARG_REQUEST]) != r.request)
            continue;
        here++;
        if (!add_message(o, s))
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

/* Peer and tag are read when the message begins: the wait says for whom it waits. */
static struct tree_expr *kept(struct tree *t, struct tree_stmt *block, uint32_t *at, const char *name,
                              struct tree_expr *e)
{
    struct tree_var *v = tree_var(t, name, e->type);
    struct tree_stmt *alone = stmt_block(t);
    insert(t, block, (*at)++, stmt_assign(t, alone, v, e));
    return expr_var(t, v);
}

static void convert(struct overlap *o, struct tree_stmt *block, uint32_t at)
{
    struct tree *t = o->tree;
    struct tree_stmt *call = block->items.items[at], *alone = stmt_block(t), *parts;
    const struct type *request_type = type_opaque(t->ir, "MPI_Request");
    struct tree_var *request = tree_var(t, "request", type_pointer(t->ir, request_type));
    struct tree_expr *wait_args[6] = { call->args[ARG_CONTEXT],  call->args[ARG_PLACE], expr_var(t, request),
                                       expr_i64(t, sends(call)), call->args[ARG_PEER],  call->args[ARG_TAG] };
    struct tree_stmt *wait = stmt_call(t, alone, NULL, "sdfg_rt_mpi_wait_for", wait_args, 6);
    bool work;
    wait->place = call->place;
    begin_set(o);
    if (!add_message(o, call))
        return;
    uint32_t to = target_of(o, wait, block, at + 1, &work, &parts);
    if (!work)
        return;
    put(o, wait, block, to, parts);
    insert(t, block, at++, stmt_alloc(t, alone, request, request_type, expr_i64(t, 1), TREE_STACK));
    struct tree_expr *args[8];
    for (int i = 0; i < ARG_REQUEST; i++)
        args[i] = call->args[i];
    args[ARG_PEER] = wait->args[4] = kept(t, block, &at, "peer", call->args[ARG_PEER]);
    args[ARG_TAG] = wait->args[5] = kept(t, block, &at, "tag", call->args[ARG_TAG]);
    args[ARG_REQUEST] = expr_var(t, request);
    block->items.items[at] =
        stmt_call(t, alone, NULL, sends(call) ? "sdfg_rt_mpi_isend" : "sdfg_rt_mpi_irecv", args, 8);
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
        else if (blocks(s->items.items[i]))
            convert(o, s, i);
        else
            look(o, s->items.items[i]);
    }
}

static bool see_message(void *user, struct tree_stmt *s)
{
    bool *found = user;
    *found = *found || blocks(s) || waits(s);
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
