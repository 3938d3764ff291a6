/* Who a thread is: threadIdx, blockIdx, blockDim and gridDim from the parameters of the maps around (semantics.md 8.2).
 * The last parameter is x, the one before y; z counts all others. Nodes beside the thread-block maps of a kernel run
 * once, as the thread 0, unless they ask which one they are. */
#include "lower/graph/threads.h"
#include "lower/graph/target.h"
#include "lower/tree/tree_rewrite.h"

#include <string.h>

enum { AXES = 3 };

enum question { THREAD, BLOCK, BLOCK_SIZE, GRID_SIZE, NO_QUESTION };

static const char *const questions[] = { "threadIdx.", "blockIdx.", "blockDim.", "gridDim." };

static enum question question_of(const char *name, uint32_t *axis)
{
    for (int i = 0; i < NO_QUESTION; i++) {
        size_t length = strlen(questions[i]);
        if (strncmp(name, questions[i], length) != 0)
            continue;
        const char *letter = strchr("xyz", name[length]);
        *axis = letter ? (uint32_t)(letter - "xyz") : 0;
        return letter && *letter && !name[length + 1] ? (enum question)i : NO_QUESTION;
    }
    return NO_QUESTION;
}

static bool is_block(const struct map_entry *m)
{
    return m && (m->schedule->row == SCHEDULE_GPU_THREADBLOCK || m->schedule->row == SCHEDULE_GPU_THREADBLOCK_DYNAMIC);
}

static bool is_kernel(const struct map_entry *m) { return m && m->schedule->row == SCHEDULE_GPU_DEVICE; }

/* The innermost scope of the kernel around, through nested SDFGs, for which `wanted` holds; NULL if there is none. */
static const struct scope *find_scope(const struct scope *sc, bool (*wanted)(const struct map_entry *m))
{
    while (sc) {
        for (const struct scope *s = sc; s; s = s->parent)
            if (s->entry && wanted(as_map_entry(s->entry)))
                return s;
        sc = sc->act->caller;
    }
    return NULL;
}

static const struct scope *find_threads(const struct scope *sc)
{
    while (sc) {
        for (const struct scope *s = sc; s; s = s->parent)
            if (s->thread)
                return s;
            else if (s->entry && is_kernel(as_map_entry(s->entry)))
                return NULL;
        sc = sc->act->caller;
    }
    return NULL;
}

/* ---- positions in a map ---- */

static struct tree_expr *extent(struct scope *sc, const struct map_entry *m, uint32_t dim)
{
    struct lower *lw = sc->act->lw;
    const struct place *place = &m->node.place;
    const struct range *r = &m->range.dims[dim];
    const struct sym *begin = lower_symbolic(sc, place, r->begin), *end = lower_symbolic(sc, place, r->end),
                     *step = lower_symbolic(sc, place, r->step);
    struct tree_expr *span = begin && end ? lower_index(lw, place, sym_sub(lw->ir, end, begin)) : NULL;
    struct tree_expr *by = span && step ? lower_index(lw, place, step) : NULL;
    if (!by)
        return NULL;
    span = expr_binary(lw->tree, EXPR_ADD, span, by);
    return expr_binary(lw->tree, EXPR_DIV, span, by);
}

static struct tree_expr *position(struct scope *sc, const struct map_entry *m, uint32_t dim)
{
    struct lower *lw = sc->act->lw;
    const struct place *place = &m->node.place;
    const struct symval *v = map_get(&sc->symbols, m->params.items[dim]);
    const struct sym *begin = lower_symbolic(sc, place, m->range.dims[dim].begin),
                     *step = lower_symbolic(sc, place, m->range.dims[dim].step);
    struct tree_expr *at = begin ? lower_index(lw, place, sym_sub(lw->ir, v->value, begin)) : NULL;
    struct tree_expr *by = at && step ? lower_index(lw, place, step) : NULL;
    return by ? expr_binary(lw->tree, EXPR_DIV, at, by) : NULL;
}

/* Along one axis; `of` is asked for each dimension. Positions in dimensions that share z count through all of them. */
static struct tree_expr *along(struct scope *sc, const struct map_entry *m, uint32_t axis, bool size)
{
    struct tree *t = sc->act->lw->tree;
    uint32_t rank = m->range.rank;
    struct tree_expr *all = expr_i64(t, size ? 1 : 0);
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t of = rank - 1 - d < AXES ? rank - 1 - d : AXES - 1;
        if (of != axis)
            continue;
        struct tree_expr *n = extent(sc, m, d), *at = n && !size ? position(sc, m, d) : n;
        if (!at)
            return NULL;
        all = size ? expr_binary(t, EXPR_MUL, all, n) : expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, all, n), at);
    }
    return all;
}

/* ---- the block ---- */

/* Threads along an axis: as many as the largest thread-block map of the kernel has. */
static bool block_size(struct scope *kernel, uint32_t axis, struct tree_expr **out)
{
    struct tree *t = kernel->act->lw->tree;
    *out = NULL;
    for (const struct node *n = scope_first(kernel->state, kernel->entry); n; n = n->beside) {
        const struct map_entry *m = as_map_entry(n);
        if (!is_block(m))
            continue;
        struct tree_expr *size = along(kernel, m, axis, true);
        if (!size)
            return false;
        *out = *out ? expr_binary(t, EXPR_MAX, *out, size) : size;
    }
    return true;
}

static bool answer(struct scope *sc, enum question q, uint32_t axis, struct tree_expr **out)
{
    struct tree *t = sc->act->lw->tree;
    const struct scope *kernel = find_scope(sc, is_kernel), *block = find_scope(sc, is_block),
                       *threads = find_threads(sc);
    *out = NULL;
    if (!kernel)
        return true;
    struct scope at = q == BLOCK || q == GRID_SIZE || !block ? *kernel : *block;
    at.block = sc->block;
    if (q == BLOCK || q == GRID_SIZE) {
        *out = along(&at, as_map_entry(at.entry), axis, q == GRID_SIZE);
    } else if (block) {
        *out = along(&at, as_map_entry(at.entry), axis, q == BLOCK_SIZE);
    } else if (q == THREAD && threads) {
        *out = threads->thread[axis];
    } else {
        if (!block_size(&at, axis, out))
            return false;
        if (*out && q == THREAD)
            *out = expr_i64(t, 0);
        return true;
    }
    return *out;
}

bool lower_thread_operand(struct scope *sc, const struct place *place, const char *name, struct operand *out)
{
    struct lower *lw = sc->act->lw;
    uint32_t axis;
    enum question q = question_of(name, &axis);
    struct tree_expr *e;
    *out = (struct operand){ .kind = OPERAND_NONE };
    if (q == NO_QUESTION)
        return true;
    if (!answer(sc, q, axis, &e))
        return false;
    if (!e)
        return lower_unsupported(sc, place, "threadIdx and the like outside of kernels with a GPU_ThreadBlock map");
    const struct type *type = type_basic(lw->ir, TYPE_U32);
    *out = (struct operand){ .kind = OPERAND_VALUE, .type = type, .value = expr_cast(lw->tree, type, e) };
    return true;
}

/* ---- registers of a kernel, of which each thread has its own ---- */

bool lower_is_per_thread(const struct scope *sc, const struct container *c)
{
    if (!sc->entry || !is_kernel(as_map_entry(sc->entry)) || c->storage->row != STORAGE_REGISTER)
        return false;
    for (const struct node *n = scope_first(sc->state, sc->entry); n; n = n->beside) {
        const struct node *end = is_block(as_map_entry(n)) ? scope_exit(n) : NULL;
        for (uint32_t i = 0; end && i < end->out.count; i++)
            if (end->out.items[i]->memlet.data == c)
                return true;
    }
    return false;
}

bool lower_parts_per_thread(struct scope *sc, struct allocation *a)
{
    struct binding *b = a->binding;
    struct tree *t = sc->act->lw->tree;
    b->part_size = a->count;
    b->parts = expr_i64(t, 1);
    for (uint32_t axis = 0; axis < AXES; axis++) {
        struct tree_expr *n;
        if (!block_size(sc, axis, &n))
            return false;
        b->parts = expr_binary(t, EXPR_MUL, b->parts, n);
    }
    a->count = expr_binary(t, EXPR_MUL, b->parts, b->part_size);
    return true;
}

/* The number of the thread in its block. */
static struct tree_expr *thread_number(struct scope *sc)
{
    struct tree *t = sc->act->lw->tree;
    struct tree_expr *number = expr_i64(t, 0);
    for (uint32_t axis = AXES; axis-- > 0;) {
        struct tree_expr *at, *size;
        if (!answer(sc, THREAD, axis, &at) || !answer(sc, BLOCK_SIZE, axis, &size))
            return NULL;
        number = expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, number, size), at);
    }
    return number;
}

/* What a thread of the kernel calls its own, if `thread` is its number; else that of thread 0. */
static void point_registers(const struct scope *kernel, struct tree_stmt *block, struct tree_expr *thread)
{
    struct tree *t = kernel->act->lw->tree;
    for (uint32_t i = 0; i < kernel->act->bindings.count; i++) {
        struct binding *b = kernel->act->bindings.slots[i].value;
        if (!b->parts || !lower_is_per_thread(kernel, b->desc))
            continue;
        b->pointer = expr_var(t, b->var);
        if (thread)
            b->pointer = expr_offset(t, b->pointer, expr_binary(t, EXPR_MUL, thread, b->part_size));
        if (thread)
            b->pointer = stmt_variable(t, block, b->desc->name, b->pointer);
    }
}

bool lower_enter_threads_of_block(struct scope *in)
{
    const struct scope *kernel = find_scope(in, is_kernel);
    struct tree_expr *thread = kernel && kernel->act == in->act ? thread_number(in) : NULL;
    if (thread)
        point_registers(kernel, in->block, thread);
    return !kernel || kernel->act != in->act || thread;
}

void lower_leave_threads_of_block(const struct scope *in)
{
    const struct scope *kernel = find_scope(in, is_kernel);
    if (kernel && kernel->act == in->act)
        point_registers(kernel, NULL, NULL);
}

/* ---- nodes beside thread-block maps ---- */

static bool find_question(void *user, struct code *c)
{
    bool *found = user;
    *found = *found || (c->kind == CODE_NAME && (!strcmp(c->name, "threadIdx") || !strcmp(c->name, CODE_GROUP_REDUCE) ||
                                                 !strcmp(c->name, CODE_GROUP_BARRIER)));
    return !*found;
}

bool lower_is_for_threads(struct scope *sc, const struct tasklet *t)
{
    bool found = false;
    if (!t->code.tree || !find_scope(sc, is_kernel) || find_scope(sc, is_block) || find_threads(sc))
        return false;
    code_visit(t->code.tree, find_question, &found);
    return found;
}

bool lower_enter_block(struct scope *sc, const struct place *place, struct scope *in)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    struct scope kernel = *find_scope(sc, is_kernel);
    kernel.block = sc->block;
    struct tree_expr **thread = NEW_ARRAY(lw->arena, struct tree_expr *, AXES);
    *in = *sc;
    for (uint32_t axis = AXES; axis-- > 0;) {
        struct tree_expr *size;
        if (!block_size(&kernel, axis, &size))
            return false;
        if (!size)
            return lower_unsupported(sc, place, "code for threads in a kernel without a GPU_ThreadBlock map");
        struct tree_var *v = tree_var(t, "thread", type_basic(lw->ir, TYPE_I64));
        struct tree_stmt *loop = stmt_for(t, in->block, v, expr_i64(t, 0), size, expr_i64(t, 1));
        loop->place = place;
        loop->loop.level = TREE_BLOCK;
        thread[axis] = expr_var(t, v);
        in->block = loop->body;
    }
    in->thread = thread;
    return lower_enter_threads_of_block(in);
}
