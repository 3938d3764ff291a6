/* An array of which an iteration uses only a part of its own is contracted to that part, on the stack inside of the
 * loop; an array in which loops leave nothing for each other is split.
 *
 *     T = heap float64[N * 40]                      for i ... parallel {
 *     for i ... parallel {                              T = stack float64[40]
 *         for k { T[i * 40 + k] = ... }     ->          for k { T[k] = ... }
 *         for k { ... T[i * 40 + 39 - k] }              for k { ... T[39 - k] }
 *
 * Legality: All accesses are in the loop, at base(i) + offset, and bases of two iterations are further apart than
 * offsets reach; or every iteration that reads it writes all of the part before (filled_first.h).
 * Profitability: If the part fits the stack. Parts whose size only a run knows are taken from the heap, once for all
 * iterations of a sequential loop (memory_planning_hoist.c). */
#include "lower/opt/memory/array_contraction.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"

/* ---- what there is ---- */

static void find(struct shrink *w, struct tree_stmt *s, struct tree_stmt *block, const struct tree_frame *frame,
                 uint32_t repeats)
{
    if (s->kind == STMT_ALLOC) {
        struct contracted *m = &w->memories[s->var->id];
        m->fixed |= m->alloc != NULL || s->where == TREE_STATE;
        m->zero |= s->zero;
        m->alloc = s;
        m->block = block;
        m->frame = frame;
        m->repeats = repeats;
    } else if (s->kind == STMT_FREE) {
        struct contracted *m = &w->memories[s->var->id];
        m->fixed |= m->release != NULL;
        m->release = s;
    } else if (s->var) {
        w->memories[s->var->id].fixed = true;
    }
    if (s->kind == STMT_FOR) {
        struct tree_frame *inner = NEW(w->arena, struct tree_frame);
        *inner = tree_frame_of(frame, s);
        frame = inner;
        map_put(w->arena, &w->repeats, s, (void *)(uintptr_t)(repeats + 1));
    }
    repeats += s->kind == STMT_WHILE || s->kind == STMT_DO || s->kind == STMT_PARALLEL;
    if (s->body)
        find(w, s->body, s->body, frame, repeats);
    if (s->otherwise)
        find(w, s->otherwise, s->otherwise, frame, repeats);
    for (uint32_t i = 0; i < s->items.count; i++)
        find(w, s->items.items[i], s, frame, repeats);
}

static void collect(struct shrink *w, const struct tree_piece *piece)
{
    for (uint32_t i = 0; i < piece->reads.count; i++)
        w->memories[piece->reads.items[i]->id].uses++;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        struct tree_access *a = piece->accesses.items[i];
        if (a->pointer && a->pointer->op == EXPR_VAR)
            vec_push(w->arena, &w->memories[a->pointer->var->id].accesses, a);
    }
}

int64_t shrink_elements(const struct contracted *m)
{
    return m->alloc->count->op == EXPR_INT ? m->alloc->count->i : INT64_MAX;
}

/* ---- rewriting ---- */

struct address {
    struct shrink *shrink;
    const struct tree_var *var;
    struct tree_var *to;
    uint32_t alias; /* of the memory there; 0: as it is */
    const struct contracted_part *part;
    struct map inner; /* statements in parallel loops inside: their iterations share the part */
};

static struct tree_expr *new_index(const struct address *w, struct tree_expr *index)
{
    struct linear at;
    if (w->part->base.count == 0 && w->part->base.constant + w->part->low == 0)
        return index;
    linear_of(&at, index);
    linear_add(&at, &w->part->base, -1);
    at.constant -= w->part->low;
    return linear_expr(w->shrink->tree, &at);
}

static struct tree_expr *rewrite_load(void *user, struct tree_expr *e)
{
    const struct address *w = user;
    if (e->op != EXPR_LOAD || e->args[0]->op != EXPR_VAR || e->args[0]->var != w->var)
        return e;
    struct tree *t = w->shrink->tree;
    return expr_load(t, e->type, expr_var(t, w->to), new_index(w, e->args[1]), w->alias ? w->alias : e->alias);
}

/* The end of a fill or copy of one element. */
static void rewrite_end(const struct address *w, struct tree_expr **pointer, uint32_t *alias)
{
    struct tree *t = w->shrink->tree;
    struct tree_expr *index = expr_i64(t, 0), *base = *pointer;
    for (; base && base->op == EXPR_OFFSET; base = base->args[0])
        index = expr_binary(t, EXPR_ADD, base->args[1], index);
    if (base && base->op == EXPR_VAR && base->var == w->var) {
        *pointer = expr_offset(t, expr_var(t, w->to), new_index(w, index));
        *alias = w->alias ? w->alias : *alias;
    }
}

static bool rewrite_stmt(void *user, struct tree_stmt *s)
{
    const struct address *w = user;
    stmt_rewrite(w->shrink->tree, s, rewrite_load, user);
    bool element = s->kind == STMT_STORE || s->kind == STMT_REDUCE || s->kind == STMT_UPDATE;
    if (element && s->pointer->op == EXPR_VAR && s->pointer->var == w->var) {
        s->pointer = expr_var(w->shrink->tree, w->to);
        s->index = new_index(w, s->index);
        s->alias = w->alias ? w->alias : s->alias;
        s->atomic &= map_has(&w->inner, s); /* nobody else has it */
    }
    if (s->kind == STMT_ZERO || s->kind == STMT_COPY) {
        rewrite_end(w, &s->pointer, &s->alias);
        rewrite_end(w, &s->pointer2, &s->alias2);
    }
    return true;
}

static bool find_inner(void *user, struct tree_stmt *s)
{
    struct address *w = user;
    map_put(w->shrink->arena, &w->inner, s, s);
    return true;
}

static bool find_parallel(void *user, struct tree_stmt *s)
{
    if (s->kind == STMT_FOR && s->loop.parallel)
        stmt_visit(s->body, find_inner, user);
    return true;
}

static void take_out(struct tree_stmt *s)
{
    if (s) {
        s->kind = STMT_BLOCK;
        s->var = NULL;
        s->count = NULL;
    }
}

void shrink_put_into(struct shrink *w, const struct contracted *m, struct tree_var *to, struct tree_stmt *loop,
                     const struct contracted_part *part)
{
    struct tree *t = w->tree;
    struct address address = { w, m->alloc->var, to, to == m->alloc->var ? 0 : t->num_aliases++, part, { 0 } };
    stmt_visit(loop->body, find_parallel, &address);
    stmt_visit(loop->body, rewrite_stmt, &address);
    struct tree_stmt *body = stmt_block(t);
    struct tree_expr *count = part->elements ? part->elements : expr_i64(t, part->count);
    to->elements = NULL;
    to->several = false;
    struct tree_stmt *a = stmt_alloc(t, body, to, m->alloc->type, count, part->elements ? TREE_HEAP : TREE_STACK);
    a->place = m->alloc->place;
    stmt_append(t, body, loop->body);
    if (part->elements)
        stmt_free(t, body, to);
    loop->body = body;
}

/* Is what the loop does left at its end only, where memory can be given back? */
static bool is_closed(const struct shrink *w, const struct tree_stmt *loop)
{
    struct tree_piece piece = { 0 };
    piece_add(w->arena, &piece, loop->body, NULL);
    return !piece.control && !piece.jumps;
}

bool shrink_find_heap_part(const struct shrink *w, const struct contracted *m, const struct tree_stmt *loop,
                           struct contracted_part *part)
{
    return !w->device && m->alloc->where == TREE_HEAP && shrink_find_sized_part(w, m, loop, part) && is_closed(w, loop);
}

void shrink_say(const struct shrink *w, const struct contracted *m, const struct tree_stmt *loop,
                const struct contracted_part *part)
{
    struct tree *t = w->tree;
    const char *memory = remark_memory(t, m->alloc), *subject = remark_subject(t, loop),
               *all = remark_bytes(t, m->alloc);
    if (part->elements)
        remark(t->ir->remarks, m->alloc->place, memory, REMARK_SHRUNK_HEAP, subject, all);
    else
        remark(t->ir->remarks, m->alloc->place, memory, REMARK_SHRUNK,
               (long long)(part->count * (int64_t)m->alloc->type->size), subject, all);
}

/* The part of the heap that an iteration uses, of which sizes say how large it is. */
static bool try_sized(struct shrink *w, const struct contracted *m, struct tree_stmt *loop,
                      const struct tree_frame *loops, uint32_t count)
{
    struct contracted_part part;
    if (m->zero || !shrink_find_heap_part(w, m, loop, &part) || !shrink_bases_differ(w, m, &part, loops, count))
        return false;
    shrink_say(w, m, loop, &part);
    shrink_put_into(w, m, m->alloc->var, loop, &part);
    return true;
}

/* All of a small memory: whatever the places are, they are in it. */
static bool is_small(const struct contracted *m, struct contracted_part *part)
{
    int64_t all = shrink_elements(m);
    *part = (struct contracted_part){ .base = { .known = true }, .count = all };
    return all > 0 && all <= SHRINK_LARGEST / (int64_t)m->alloc->type->size;
}

/* One loop around all uses. */
static bool try_loops(struct shrink *w, const struct contracted *m)
{
    struct tree_frame loops[SHRINK_LOOPS];
    for (uint32_t count = shrink_common_loops(m, loops); count > 0; count--) {
        struct tree_stmt *loop = (struct tree_stmt *)(uintptr_t)loops[count - 1].loop;
        struct contracted_part part;
        if ((uintptr_t)map_get(&w->repeats, loop) != m->repeats + 1)
            return false;
        if (!shrink_find_part(w, m, loop, &part)) {
            if (try_sized(w, m, loop, loops, count))
                return true;
            if (!is_small(m, &part))
                continue;
        }
        int64_t bytes = part.count * (int64_t)m->alloc->type->size, all = shrink_elements(m);
        if (part.count <= all && w->taken + bytes <= SHRINK_FRAME &&
            ((part.count < all && !m->zero && shrink_bases_differ(w, m, &part, loops, count)) ||
             (!w->jumps && shrink_is_filled_first(m, loop, &part)))) {
            w->taken += bytes;
            shrink_say(w, m, loop, &part);
            shrink_put_into(w, m, m->alloc->var, loop, &part);
            return true;
        }
    }
    return false;
}

static void try_memory(struct shrink *w, struct contracted *m)
{
    if (!m->alloc || m->fixed || m->accesses.count == 0 || m->accesses.count != m->uses)
        return;
    if (try_loops(w, m) || shrink_split(w, m)) {
        take_out(m->alloc);
        take_out(m->release);
    }
}

/* Why memory stays where it is; of memory on the stack nobody wants to know. */
static void say_stays(struct shrink *w, const struct contracted *m)
{
    struct tree *t = w->tree;
    if (!m->alloc || m->alloc->kind != STMT_ALLOC || m->alloc->where != TREE_HEAP || m->accesses.count == 0)
        return;
    const char *subject = remark_memory(t, m->alloc), *bytes = remark_bytes(t, m->alloc);
    const struct place *place = m->alloc->place;
    struct tree_frame loops[SHRINK_LOOPS];
    struct contracted_part part;
    uint32_t count = m->accesses.count == m->uses ? shrink_common_loops(m, loops) : 0;
    bool fixed = m->fixed || m->zero;
    if (count == 0 || fixed)
        remark(t->ir->remarks, place, subject, fixed ? REMARK_SHRINK_FIXED : REMARK_SHRINK_LOOPS, bytes);
    else if (!shrink_find_part(w, m, loops[count - 1].loop, &part))
        remark(t->ir->remarks, place, subject, REMARK_SHRINK_LARGE, bytes);
    else
        remark(t->ir->remarks, place, subject, REMARK_SHRINK_SHARED, bytes, remark_subject(t, loops[count - 1].loop));
}

static bool has_jumps(const struct tree_stmt *s)
{
    if (!s)
        return false;
    if (s->kind == STMT_GOTO || s->kind == STMT_LABEL)
        return true;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (has_jumps(s->items.items[i]))
            return true;
    return has_jumps(s->body) || has_jumps(s->otherwise);
}

bool opt_array_contraction(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        if (has_jumps(f->body)) /* jumps back repeat what no loop shows */
            continue;
        struct shrink w = { .tree = t, .arena = t->scratch, .num_vars = t->num_vars, .device = o->device };
        struct tree_piece piece = { 0 };
        w.memories = NEW_ARRAY(t->scratch, struct contracted, t->num_vars);
        find(&w, f->body, f->body, NULL, 0);
        piece_add(t->scratch, &piece, f->body, NULL);
        w.jumps = piece.jumps;
        collect(&w, &piece);
        for (uint32_t v = 0; v < w.num_vars; v++)
            try_memory(&w, &w.memories[v]);
        for (uint32_t v = 0; t->ir->remarks && v < w.num_vars; v++)
            say_stays(&w, &w.memories[v]);
        stmt_flatten(t, f->body);
    }
    return true;
}
