/* What the threads of a block do together, on a CPU that runs one thread after the other.
 *
 *     for t ... {                       for t ... { a = f(t); as[t] = a }
 *         a = f(t)                      for the groups of threads { rs[t] = sum of as over the group, for all of them }
 *         r = sum of a over threads ->  for t ... { r = rs[t]; g(r) }
 *         g(r)
 *     }
 *
 * The loops of the threads are split wherever threads wait for each other. What a thread keeps beyond such a point, in
 * variables or memory of its own, has an element for each thread. Loops and branches around such a point go around the
 * loops of the threads: CUDA demands that all threads take them alike, so thread 0 decides. */
#include "lower/graph/threads.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

#include <string.h>

enum { LARGEST_STACK = 8 * 1024 }; /* bytes of what all threads keep of one variable */

/* Statements between two such points, or what happens at one of them. */
struct segment {
    struct tree_scan scan;
    const struct tree_var *result; /* of what happens at the point, or NULL */
};

struct kept {
    struct tree_expr *memory; /* an element for each thread */
    uint32_t alias;
    struct tree_expr *part; /* memory that each thread takes: its elements; the variable is its address. Else NULL */
};

struct split {
    struct lower *lw;
    struct tree *t;
    struct tree_stmt *loops[LOWER_MAX_RANK];
    uint32_t num_loops;
    struct tree_expr *extents[LOWER_MAX_RANK], *count; /* of the loops; threads altogether */
    VEC(struct segment *) segments;
    struct tree_scan whole; /* of all segments */
    struct map kept;        /* variable -> struct kept * */
    uint32_t next;          /* segment, while code is made */
    struct tree_stmt *before, *frees;
    VEC(struct tree_stmt *) run; /* of the segment at hand */
    struct map own;              /* variables of memory that the body takes, outside of its loops and branches */
    bool pointers;               /* other addresses are kept: memory that a thread takes is its own everywhere */
};

static bool is_call(const struct tree_stmt *s, const char *name)
{
    return s->kind == STMT_CALL && s->name && strcmp(s->name, name) == 0;
}

static bool meets(const struct tree_stmt *s) { return is_call(s, CODE_GROUP_REDUCE) || is_call(s, CODE_GROUP_BARRIER); }

static bool find_meeting(void *user, struct tree_stmt *s)
{
    bool *found = user;
    *found = *found || meets(s);
    return !*found;
}

static bool contains_meeting(struct tree_stmt *s)
{
    bool found = false;
    stmt_visit(s, find_meeting, &found);
    return found;
}

static bool refuse(struct split *p, const struct tree_stmt *s, const char *what)
{
    return diag_error(p->lw->diags, s->place ? s->place : p->loops[0]->place, DIAG_UNSUPPORTED, what);
}

/* The block inside of a statement around a point where threads meet. */
static struct tree_stmt *inside(struct tree_stmt *s) { return s->kind == STMT_BLOCK ? s : s->body; }

/* ---- segments ---- */

static struct segment *add_segment(struct split *p)
{
    struct segment *g = NEW(p->lw->arena, struct segment);
    g->scan.arena = p->lw->arena;
    vec_push(p->lw->arena, &p->segments, g);
    return g;
}

static void scan_operand(void *user, struct tree_expr **e)
{
    struct tree_scan *scan = user;
    struct tree_stmt use = { .kind = STMT_ASSIGN, .value = *e };
    tree_scan_add(scan, &use);
}

/* The segments of a block in the order in which code is made for them: one for each point, for the decision of each
 * loop or branch around one, one in front of each and one behind the last. */
static void find_segments(struct split *p, struct tree_stmt *block)
{
    struct segment *g = add_segment(p);
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        if (!contains_meeting(s)) {
            tree_scan_add(&g->scan, s);
            continue;
        }
        if (meets(s)) {
            g = add_segment(p);
            g->result = s->var;
            tree_scan_add(&g->scan, s);
        } else {
            stmt_each_expr(s, scan_operand, &add_segment(p)->scan);
            find_segments(p, inside(s));
            if (s->otherwise)
                find_segments(p, s->otherwise);
        }
        g = add_segment(p);
    }
}

static bool check_segments(struct split *p)
{
    for (uint32_t i = 0; i < p->segments.count; i++) {
        const struct tree_scan *s = &p->segments.items[i]->scan;
        bool closed = !s->returns && !s->breaks && !s->parallel;
        for (uint32_t k = 0; k < s->gotos.count; k++)
            closed = closed && map_has(&s->labels, s->gotos.slots[k].key);
        if (!closed)
            return refuse(p, p->loops[0], "a jump across a point where threads of a block wait for each other");
    }
    return true;
}

/* ---- what threads keep ---- */

static struct tree_stmt *take(struct split *p, struct tree_var *v, const struct type *type, struct tree_expr *count)
{
    bool stack = count->op == EXPR_INT && count->i * (int64_t)type->size <= LARGEST_STACK;
    struct tree_stmt *s = stmt_alloc(p->t, p->before, v, type, count, stack ? TREE_STACK : TREE_HEAP);
    if (!stack)
        stmt_free(p->t, p->frees, v);
    return s;
}

static void keep(struct split *p, struct tree_var *v, const struct type *type, struct tree_expr *part)
{
    if (map_has(&p->kept, v))
        return;
    struct kept *k = NEW(p->lw->arena, struct kept);
    struct tree_var *memory = tree_var(p->t, v->name, type_pointer(p->lw->ir, type));
    take(p, memory, type, part ? expr_binary(p->t, EXPR_MUL, p->count, part) : p->count);
    k->memory = expr_var(p->t, memory);
    k->alias = p->t->num_aliases++;
    k->part = part;
    map_put(p->lw->arena, &p->kept, v, k);
}

static bool used_elsewhere(const struct split *p, const struct segment *except, const struct tree_var *v)
{
    for (uint32_t i = 0; i < p->segments.count; i++)
        if (p->segments.items[i] != except && map_has(&p->segments.items[i]->scan.uses, v))
            return true;
    return false;
}

static bool is_shared(const struct split *p, const struct tree_var *v)
{
    for (uint32_t i = 0; i < p->num_loops; i++)
        if (p->loops[i]->var == v)
            return false;
    for (uint32_t i = 0; i < p->segments.count; i++)
        if (p->segments.items[i]->result == v)
            return true;
        else if (map_has(&p->segments.items[i]->scan.uses, v))
            return used_elsewhere(p, p->segments.items[i], v);
    return false;
}

static void find_own_memory(struct split *p, struct tree_stmt *block)
{
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        if (s->kind == STMT_ALLOC) {
            map_put(p->lw->arena, &p->own, s->var, s);
        } else if (contains_meeting(s) && !meets(s)) {
            find_own_memory(p, inside(s));
            if (s->otherwise)
                find_own_memory(p, s->otherwise);
        }
    }
}

/* Memory that a thread takes gets an element for each thread, or for all of them if something else knows its address.
 */
static bool keep_memory(struct split *p)
{
    for (uint32_t i = 0; i < p->own.count; i++) {
        const struct tree_stmt *s = p->own.slots[i].value;
        if (!p->pointers && !is_shared(p, s->var))
            continue;
        if (!tree_scan_invariant(&p->whole, s->count))
            return refuse(p, s, "memory of a thread whose size is not that of all threads");
        keep(p, s->var, s->type, s->count);
    }
    return true;
}

static bool check_inner_memory(void *user, struct tree_stmt *s)
{
    const struct split **p = user;
    if (*p && s->kind == STMT_ALLOC && s->where == TREE_STACK && !map_has(&(*p)->own, s->var) &&
        ((*p)->pointers || is_shared(*p, s->var)))
        *p = NULL;
    return *p;
}

static bool keep_all(struct split *p, struct tree_stmt *body)
{
    find_own_memory(p, body);
    VEC(struct tree_var *) shared = { 0 };
    for (uint32_t i = 0; i < p->whole.assigned.count; i++) {
        struct tree_var *v = p->whole.assigned.slots[i].value;
        if (map_has(&p->own, v) || !is_shared(p, v))
            continue;
        vec_push(p->lw->arena, &shared, v);
        p->pointers |= v->type->kind == TYPE_POINTER;
    }
    const struct split *good = p;
    stmt_visit(body, check_inner_memory, &good);
    if (!good)
        return refuse(p, p->loops[0], "memory in a branch or loop that a thread of a block keeps");
    if (!keep_memory(p))
        return false;
    for (uint32_t i = 0; i < shared.count; i++)
        keep(p, shared.items[i], shared.items[i]->type, NULL);
    return true;
}

/* ---- code ---- */

/* The loops of the threads in `out`; *body is inside them, *thread the number of the thread. */
static void open_loops(struct split *p, struct tree_stmt *out, struct tree_stmt **body, struct tree_expr **thread,
                       struct tree_expr **counters)
{
    struct tree *t = p->t;
    *thread = expr_i64(t, 0);
    for (uint32_t i = 0; i < p->num_loops; i++) {
        const struct tree_stmt *from = p->loops[i];
        struct tree_var *v = tree_var(t, from->var->name, from->var->type);
        struct tree_stmt *loop = stmt_for(t, out, v, from->begin, from->end, from->step);
        loop->place = from->place;
        loop->loop.unroll = from->loop.unroll;
        loop->loop.level = from->loop.level;
        out = loop->body;
        counters[i] = expr_var(t, v);
        struct tree_expr *at = expr_binary(t, EXPR_SUB, counters[i], from->begin);
        at = expr_binary(t, EXPR_DIV, at, from->step);
        *thread = expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, *thread, p->extents[i]), at);
    }
    *body = out;
}

static void restore(struct split *p, struct tree_stmt *body, const struct tree_scan *scan, struct tree_expr *thread)
{
    for (uint32_t i = 0; i < p->kept.count; i++) {
        const struct kept *k = p->kept.slots[i].value;
        struct tree_var *v = (struct tree_var *)(uintptr_t)p->kept.slots[i].key;
        if (!map_has(&scan->uses, v))
            continue;
        if (k->part)
            stmt_assign(p->t, body, v, expr_offset(p->t, k->memory, expr_binary(p->t, EXPR_MUL, thread, k->part)));
        else
            stmt_assign(p->t, body, v, expr_load(p->t, v->type, k->memory, thread, k->alias));
    }
}

static void save(struct split *p, struct tree_stmt *body, const struct tree_scan *scan, struct tree_expr *thread)
{
    for (uint32_t i = 0; i < p->kept.count; i++) {
        const struct kept *k = p->kept.slots[i].value;
        struct tree_var *v = (struct tree_var *)(uintptr_t)p->kept.slots[i].key;
        if (!k->part && map_has(&scan->assigned, v))
            stmt_store(p->t, body, k->memory, thread, expr_var(p->t, v), k->alias);
    }
}

/* A statement of a segment. Memory of the threads has been taken already. */
static void add_statement(struct split *p, struct tree_stmt *body, struct tree_stmt *s)
{
    const struct kept *k = s->kind == STMT_ALLOC || s->kind == STMT_FREE ? map_get(&p->kept, s->var) : NULL;
    if (!k)
        stmt_append(p->t, body, s);
    else if (s->kind == STMT_ALLOC && s->zero)
        stmt_zero(p->t, body, s->type, expr_var(p->t, s->var), 0, s->count);
}

static void end_segment(struct split *p, struct tree_stmt *out)
{
    const struct tree_scan *scan = &p->segments.items[p->next++]->scan;
    if (!p->run.count)
        return;
    struct tree_stmt *body;
    struct tree_expr *thread, *counters[LOWER_MAX_RANK];
    open_loops(p, out, &body, &thread, counters);
    restore(p, body, scan, thread);
    for (uint32_t i = 0; i < p->run.count; i++)
        add_statement(p, body, p->run.items[i]);
    save(p, body, scan, thread);
    for (uint32_t i = 0; i < p->num_loops; i++)
        stmt_substitute(p->t, body, p->loops[i]->var, counters[i]);
    p->run.count = 0;
}

/* All threads of a group get the values of the group, combined. The operand is a value that the segment before knows,
 * which has been kept under the name of the result. */
static void reduce_groups(struct split *p, struct tree_stmt *out, const struct tree_stmt *s)
{
    struct tree *t = p->t;
    const struct kept *k = map_get(&p->kept, s->var);
    const struct type *i64 = type_basic(p->lw->ir, TYPE_I64);
    struct tree_expr *whole = expr_binary(t, EXPR_MAX, p->count, expr_i64(t, 1)); /* a step; there may be no threads */
    struct tree_expr *width = expr_is_int(s->args[1], 0) ? whole : s->args[1];
    struct tree_var *first = tree_var(t, "group", i64), *thread = tree_var(t, "thread", i64);
    struct tree_stmt *groups = stmt_for(t, out, first, expr_i64(t, 0), p->count, width);
    groups->place = s->place;
    struct tree_expr *begin = expr_var(t, first), *end = expr_binary(t, EXPR_ADD, begin, width);
    end = stmt_variable(t, groups->body, "end", expr_binary(t, EXPR_MIN, end, p->count));
    struct tree_stmt *others =
        stmt_for(t, groups->body, thread, expr_binary(t, EXPR_ADD, begin, expr_i64(t, 1)), end, expr_i64(t, 1));
    stmt_reduce(t, others->body, s->wcr, false, k->memory, begin,
                expr_load(t, s->var->type, k->memory, expr_var(t, thread), k->alias), k->alias);
    struct tree_var *result = tree_var(t, s->var->name, s->var->type), *again = tree_var(t, "thread", i64);
    stmt_assign(t, groups->body, result, expr_load(t, result->type, k->memory, begin, k->alias));
    struct tree_stmt *all = stmt_for(t, groups->body, again, begin, end, expr_i64(t, 1));
    stmt_store(t, all->body, k->memory, expr_var(t, again), expr_var(t, result), k->alias);
}

static bool emit(struct split *p, struct tree_stmt *block, struct tree_stmt *out);

/* The value for thread 0. */
static struct tree_expr *decide(struct split *p, struct tree_stmt *out, const struct tree_scan *scan,
                                struct tree_expr *e)
{
    struct tree_stmt *at = stmt_block(p->t);
    restore(p, at, scan, expr_i64(p->t, 0));
    struct tree_expr *value = stmt_variable(p->t, at, "same", e);
    for (uint32_t i = 0; i < p->num_loops; i++)
        stmt_substitute(p->t, at, p->loops[i]->var, p->loops[i]->begin);
    stmt_append(p->t, out, at);
    return value;
}

static void leave_unless(struct split *p, struct tree_stmt *loop, const struct tree_scan *scan, struct tree_expr *e)
{
    struct tree_expr *stop = expr_unary(p->t, EXPR_NOT, decide(p, loop, scan, e));
    stmt_new(p->t, stmt_if(p->t, loop, stop)->body, STMT_BREAK);
}

/* A loop or branch around a point where threads meet. */
static bool emit_around(struct split *p, struct tree_stmt *s, struct tree_stmt *out)
{
    const struct tree_scan *scan = &p->segments.items[p->next++]->scan;
    struct tree_stmt *copy;
    switch (s->kind) {
    case STMT_BLOCK:
        return emit(p, s, out);
    case STMT_IF:
        copy = stmt_if(p->t, out, decide(p, out, scan, s->value));
        return emit(p, s->body, copy->body) && (!s->otherwise || emit(p, s->otherwise, copy->otherwise));
    case STMT_FOR: {
        struct tree_expr *begin = decide(p, out, scan, s->begin), *end = decide(p, out, scan, s->end);
        copy = stmt_for(p->t, out, s->var, begin, end, decide(p, out, scan, s->step));
        return emit(p, s->body, copy->body);
    }
    case STMT_WHILE:
        copy = stmt_while(p->t, out, expr_bool(p->t, true));
        leave_unless(p, copy->body, scan, s->value);
        return emit(p, s->body, copy->body);
    case STMT_DO:
        copy = stmt_while(p->t, out, expr_bool(p->t, true));
        if (!emit(p, s->body, copy->body))
            return false;
        leave_unless(p, copy->body, scan, s->value);
        return true;
    default:
        return refuse(p, s, "threads of a block that wait for each other in such a statement");
    }
}

static bool emit(struct split *p, struct tree_stmt *block, struct tree_stmt *out)
{
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        if (!contains_meeting(s)) {
            vec_push(p->lw->arena, &p->run, s);
            continue;
        }
        if (is_call(s, CODE_GROUP_REDUCE)) {
            struct tree_stmt *operand = stmt_assign(p->t, stmt_block(p->t), s->var, s->args[0]);
            tree_scan_add(&p->segments.items[p->next]->scan, operand);
            vec_push(p->lw->arena, &p->run, operand);
        }
        end_segment(p, out);
        if (meets(s))
            p->next++;
        if (is_call(s, CODE_GROUP_REDUCE))
            reduce_groups(p, out, s);
        else if (!meets(s) && !emit_around(p, s, out))
            return false;
    }
    end_segment(p, out);
    return true;
}

/* ---- all of it ---- */

/* The loops of the threads, from the outermost to the one around `body`. */
static bool find_loops(struct split *p, struct tree_stmt *nest, const struct tree_stmt *body)
{
    struct tree *t = p->t;
    p->count = expr_i64(t, 1);
    for (struct tree_stmt *s = nest;; s = s->body->items.items[0]) {
        struct tree_expr *span = expr_binary(t, EXPR_SUB, s->end, s->begin);
        p->loops[p->num_loops] = s;
        for (uint32_t i = 0; i < p->num_loops; i++)
            if (expr_mentions(span, p->loops[i]->var) || expr_mentions(s->begin, p->loops[i]->var))
                return refuse(p, s, "threads of a block that wait for each other in rows of different lengths");
        span = expr_binary(t, EXPR_ADD, span, expr_binary(t, EXPR_SUB, s->step, expr_i64(t, 1)));
        span = expr_binary(t, EXPR_MAX, expr_binary(t, EXPR_DIV, span, s->step), expr_i64(t, 0));
        p->extents[p->num_loops] = stmt_variable(t, p->before, "threads", span);
        p->count = expr_binary(t, EXPR_MUL, p->count, p->extents[p->num_loops++]);
        tree_scan_add(&p->whole, stmt_assign(t, stmt_block(t), s->var, s->begin));
        if (s->body == body)
            break;
        if (s->body->items.count != 1 || s->body->items.items[0]->kind != STMT_FOR)
            return refuse(p, s,
                          "threads of a block that wait for each other, of which each row has a range of its own");
    }
    p->count = stmt_variable(t, p->before, "threads", p->count);
    return true;
}

bool lower_split_threads(struct lower *lw, struct tree_stmt *block, struct tree_stmt *body)
{
    struct tree_stmt *nest = vec_last(&block->items);
    if (!contains_meeting(body))
        return true;
    struct tree_stmt *out = stmt_block(lw->tree);
    struct split p = { .lw = lw, .t = lw->tree, .before = stmt_block(lw->tree), .frees = stmt_block(lw->tree) };
    p.whole.arena = lw->arena;
    if (!find_loops(&p, nest, body))
        return false;
    find_segments(&p, body);
    for (uint32_t i = 0; i < p.segments.count; i++)
        for (uint32_t k = 0; k < p.segments.items[i]->scan.assigned.count; k++) {
            struct tree_var *v = p.segments.items[i]->scan.assigned.slots[k].value;
            map_put(lw->arena, &p.whole.assigned, v, v);
        }
    if (!check_segments(&p) || !keep_all(&p, body) || !emit(&p, body, out))
        return false;
    block->items.count--;
    stmt_append(lw->tree, block, p.before);
    stmt_append(lw->tree, block, out);
    stmt_append(lw->tree, block, p.frees);
    return true;
}
