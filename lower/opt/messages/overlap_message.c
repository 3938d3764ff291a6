/* What messages do with memory. */
#include "lower/opt/messages/overlap.h"

#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_LIST = 2 + 2 * 8 }; /* numbers of a layout */

const struct overlap_message *overlap_message_of(const struct tree_stmt *s)
{
    /* arguments as runtime/abi.def has them */
    static const struct {
        enum tree_callee_row row;
        struct overlap_message message;
    } rows[] = {
        { CALLEE_sdfg_rt_mpi_send, { { { 3, 4, false } }, 1, 0, 0, "sdfg_rt_mpi_isend" } },
        { CALLEE_sdfg_rt_mpi_recv, { { { 3, 4, true } }, 1, 0, 0, "sdfg_rt_mpi_irecv" } },
        { CALLEE_sdfg_rt_mpi_isend, { { { 3, 4, false } }, 1, 7, 0, NULL } },
        { CALLEE_sdfg_rt_mpi_irecv, { { { 3, 4, true } }, 1, 7, 0, NULL } },
        { CALLEE_sdfg_rt_mpi_bcast, { { { 3, 4, true } }, 1, 0, 6, "sdfg_rt_mpi_start_bcast" } },
        { CALLEE_sdfg_rt_mpi_collective, { { { 5, 6, false }, { 7, 8, true } }, 2, 0, 10, "sdfg_rt_mpi_start" } },
        { CALLEE_sdfg_rt_mpi_vectors, { { { 3, 4, false }, { 5, 6, true } }, 2, 0, 10, "sdfg_rt_mpi_start_vectors" } },
        { CALLEE_sdfg_rt_mpi_start_bcast, { { { 3, 4, true } }, 1, 6, 0, NULL } },
        { CALLEE_sdfg_rt_mpi_start, { { { 5, 6, false }, { 7, 8, true } }, 2, 10, 0, NULL } },
        { CALLEE_sdfg_rt_mpi_start_vectors, { { { 3, 4, false }, { 5, 6, true } }, 2, 10, 0, NULL } },
    };
    const struct tree_callee *callee = s->kind == STMT_CALL ? stmt_callee(s) : NULL;
    for (size_t i = 0; callee && i < sizeof rows / sizeof *rows; i++)
        if (callee == &tree_callees[rows[i].row])
            return &rows[i].message;
    return NULL;
}

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

/* The memory that a pointer leads to, if it is an argument or allocated in the function; its class, or 0: only this
 * variable leads there. */
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

/* Are they surely different memory, whatever the elements? Without a class only the variable leads there. */
static bool apart(const struct overlap_set *set, const struct tree_expr *a, const struct tree_expr *b)
{
    struct alias_search x = memory_of(set->func, a), y = memory_of(set->func, b);
    return x.found && y.found && x.var != y.var && (!x.alias || !y.alias || x.alias != y.alias);
}

static bool meets_any(const struct overlap_set *set, const struct tree_access *a, const struct piece_class *c)
{
    for (const struct tree_access *b = c->accesses; b; b = b->next)
        if ((a->write || b->write) && !apart(set, a->pointer, b->pointer) &&
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

/* A region as a loop nest that loads or stores its elements; false if it is not known. */
static bool add_region(struct overlap_set *set, struct tree_stmt *block, struct tree_expr *pointer,
                       const struct tree_expr *layout, bool written)
{
    struct tree *t = set->tree;
    struct tree_expr *index = expr_i64(t, 0);
    const struct type *type = pointer->type->elem;
    struct layout_search l = { .list = expr_root_var(layout) };
    struct alias_search memory = memory_of(set->func, pointer);
    if (!l.list || !memory.found)
        return false;
    stmt_visit(set->func->body, see_store, &l);
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
    if (written)
        stmt_store(t, block, pointer, index, expr_zero(t, type), memory.alias);
    else
        stmt_assign(t, block, tree_var(t, "sent", type), expr_load(t, type, pointer, index, memory.alias));
    return true;
}

bool overlap_piece(struct overlap_set *set, const struct tree_stmt *call, struct tree_piece *p)
{
    const struct overlap_message *m = overlap_message_of(call);
    struct tree_stmt *block = stmt_block(set->tree);
    for (uint32_t i = 0; i < m->num_regions; i++)
        if (!add_region(set, block, call->args[m->regions[i].buffer], call->args[m->regions[i].layout],
                        m->regions[i].written))
            return false;
    piece_add(set->tree->scratch, p, block, NULL);
    return true;
}

bool overlap_add(struct overlap_set *set, const struct tree_stmt *call)
{
    struct tree_piece p = { .control = false };
    if (!overlap_piece(set, call, &p))
        return false;
    piece_set_add(&set->pieces, &p);
    return true;
}

/* ---- calls of libraries ---- */

static bool meets_memory(const struct overlap_set *set, const struct tree_expr *pointer, bool written)
{
    if (!memory_of(set->func, pointer).found)
        return true;
    for (uint32_t k = 0; k < set->pieces.touched.count; k++)
        for (const struct tree_access *b = piece_set_class(&set->pieces, set->pieces.touched.items[k])->accesses; b;
             b = b->next)
            if ((written || b->write) && !apart(set, pointer, b->pointer))
                return true;
    return false;
}

static void see_load(void *user, struct tree_expr *e)
{
    bool *found = user;
    *found = *found || expr_loads_memory(e);
}

bool overlap_call_passes(const struct overlap_set *set, const struct tree_stmt *s)
{
    const struct tree_callee *callee = s->kind == STMT_CALL ? stmt_callee(s) : NULL;
    if (!callee || !callee->name || callee_orders(callee))
        return false;
    for (uint32_t i = 0; i < s->num_args; i++) {
        struct tree_expr *e = s->args[i];
        char role = callee_role(callee, i);
        bool loads = false;
        expr_visit(e, see_load, &loads);
        if (loads || role == 'k' || role == 's')
            return false;
        if ((role == 'r' || role == 'w' || role == 'b') && e->op != EXPR_NULL && expr_root(e)->op != EXPR_DATA &&
            meets_memory(set, e, role != 'r'))
            return false;
    }
    return true;
}
