/* Memory of which one iteration needs only a small part becomes that part, on the stack, inside the loop.
 *
 *     T = heap float64[N * 40]                      for i ... parallel {
 *     for i ... parallel {                              T = stack float64[40]
 *         for k { T[i * 40 + k] = ... }     ->          for k { T[k] = ... }
 *         for k { ... T[i * 40 + 39 - k] }              for k { ... T[39 - k] }
 *
 * All accesses stand in the loop, once per allocation, at addresses base(i) + offset with the same base, and bases of
 * two iterations are further apart than offsets go: so no iteration sees what another one stored. Nor does it if it
 * first stores all of the part. */
#include "lower/pass/pass_shrink.h"
#include "lower/pass/pass_remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

/* ---- what there is ---- */

static void find(struct shrink *w, struct tree_stmt *s, struct tree_stmt *block, const struct tree_frame *frame,
                 uint32_t repeats)
{
    if (s->kind == STMT_ALLOC) {
        struct memory *m = &w->memories[s->var->id];
        m->fixed |= m->alloc != NULL || s->zero || s->where == TREE_STATE || s->count->op != EXPR_INT;
        m->alloc = s;
        m->block = block;
        m->frame = frame;
        m->repeats = repeats;
    } else if (s->kind == STMT_FREE) {
        struct memory *m = &w->memories[s->var->id];
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

/* ---- loops around all accesses ---- */

static bool is_around(const struct tree_frame *frame, const struct tree_stmt *loop)
{
    while (frame && frame->loop != loop)
        frame = frame->outer;
    return frame != NULL;
}

uint32_t shrink_common_loops(const struct memory *m, struct tree_frame *out)
{
    const struct tree_frame *inner = m->accesses.items[0]->frame;
    uint32_t count = 0;
    for (uint32_t i = 1; i < m->accesses.count; i++)
        while (inner && !is_around(m->accesses.items[i]->frame, inner->loop))
            inner = inner->outer;
    for (const struct tree_frame *f = inner; f && !is_around(m->frame, f->loop); f = f->outer) {
        if (count == SHRINK_LOOPS)
            return 0;
        count++;
    }
    uint32_t left = count;
    for (const struct tree_frame *f = inner; left > 0; f = f->outer)
        out[--left] = *f;
    return count;
}

/* ---- addresses ---- */

static bool is_inside(const struct tree_frame *frame, const struct tree_stmt *loop, const struct tree_var *v)
{
    for (; frame && frame->loop != loop; frame = frame->outer)
        if (frame->loop->var == v)
            return true;
    return false;
}

/* Is the term made of variables of loops inside `loop` alone? */
static bool varies_inside(const struct linear_term *term, const struct tree_access *a, const struct tree_stmt *loop)
{
    for (uint32_t i = 0; i < term->count; i++)
        if (term->factors[i]->op != EXPR_VAR || !is_inside(a->frame, loop, term->factors[i]->var))
            return false;
    return true;
}

static void base_of(struct linear *out, const struct tree_access *a, const struct tree_stmt *loop)
{
    *out = (struct linear){ .known = a->at->known };
    for (uint32_t i = 0; i < a->at->count; i++)
        if (!varies_inside(&a->at->terms[i], a, loop))
            out->terms[out->count++] = a->at->terms[i];
}

/* Does the expression keep its value while the statement runs? */
static bool stays(const struct shrink *w, const struct linear *l, const struct tree_stmt *s)
{
    struct tree_scan scan = { .arena = w->arena };
    if (l->count)
        tree_scan_add(&scan, s);
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t k = 0; k < l->terms[i].count; k++)
            if (!tree_scan_invariant(&scan, l->terms[i].factors[k]))
                return false;
    return true;
}

/* Is it made of the variables of the loop and those around it alone? */
static bool is_of_loops(const struct linear *l, const struct tree_frame *frame, const struct tree_stmt *loop)
{
    while (frame && frame->loop != loop)
        frame = frame->outer;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t k = 0; k < l->terms[i].count; k++)
            if (l->terms[i].factors[k]->op != EXPR_VAR || !is_inside(frame, NULL, l->terms[i].factors[k]->var))
                return false;
    return true;
}

bool shrink_find_part(const struct shrink *w, const struct memory *m, const struct tree_stmt *loop, struct part *part)
{
    struct interval all = { 0 };
    base_of(&part->base, m->accesses.items[0], loop);
    if (!is_of_loops(&part->base, m->accesses.items[0]->frame, loop) && !stays(w, &part->base, loop->body))
        return false;
    for (uint32_t i = 0; i < m->accesses.count; i++) {
        const struct tree_access *a = m->accesses.items[i];
        struct linear rest = { .known = true };
        linear_add(&rest, a->at, 1);
        linear_add(&rest, &part->base, -1);
        struct interval here = { 0 };
        if (a->extent == 1 && a->type == m->alloc->type)
            here = linear_interval(&rest, a->frame, NULL);
        for (uint32_t k = 0; k < rest.count; k++)
            here.known = here.known && varies_inside(&rest.terms[k], a, loop);
        if (!here.known)
            return false;
        all = i == 0 ? here
                     : (struct interval){ true, all.low < here.low ? all.low : here.low,
                                          all.high > here.high ? all.high : here.high };
    }
    part->low = all.low;
    return !__builtin_sub_overflow(all.high, all.low, &part->count) && part->count < SHRINK_LARGEST &&
           ++part->count * (int64_t)m->alloc->type->size <= SHRINK_LARGEST;
}

/* Do two iterations of the loops always have bases that are at least `count` apart? The smallest steps first: each must
 * go further than everything before it. */
static bool bases_differ(const struct shrink *w, const struct part *part, const struct tree_frame *loops,
                         uint32_t count)
{
    struct linear rest = { .known = true };
    int64_t steps[SHRINK_LOOPS], reach = part->count;
    linear_add(&rest, &part->base, 1);
    for (uint32_t i = 0; i < count; i++) {
        if (!linear_take(&rest, loops[i].loop->var, &steps[i]) || !loops[i].range.known || steps[i] == 0 ||
            steps[i] <= -INT32_MAX || steps[i] >= INT32_MAX)
            return false;
        steps[i] = steps[i] < 0 ? -steps[i] : steps[i];
    }
    if (!stays(w, &rest, loops[0].loop))
        return false;
    for (uint32_t done = 0; done < count; done++) {
        uint32_t least = 0;
        for (uint32_t i = 1; i < count; i++)
            if (steps[i] > 0 && (steps[least] == 0 || steps[i] < steps[least]))
                least = i;
        struct interval span = interval_scale(loops[least].range, steps[least]);
        if (steps[least] < reach || !span.known || span.high - span.low > INT32_MAX)
            return false;
        reach += span.high - span.low;
        steps[least] = 0;
    }
    return true;
}

/* The loop directly inside `loop` that the access stands in. */
static const struct tree_stmt *nest_of(const struct tree_access *a, const struct tree_stmt *loop)
{
    const struct tree_frame *f = a->frame;
    while (f && f->outer && f->outer->loop != loop)
        f = f->outer;
    return f && f->outer && f->loop != loop ? f->loop : NULL;
}

/* Does a plain store run over every place from `low` on? The smallest steps first: each goes as far as all before it
 * reach. */
static bool covers(const struct tree_access *a, const struct tree_stmt *loop, const struct part *part)
{
    struct linear rest = { .known = true };
    int64_t steps[SHRINK_LOOPS], lengths[SHRINK_LOOPS], low = 0, reach = 1;
    uint32_t count = 0;
    linear_add(&rest, a->at, 1);
    linear_add(&rest, &part->base, -1);
    for (const struct tree_frame *f = a->frame; f && f->loop != loop; f = f->outer, count++) {
        if (count == SHRINK_LOOPS || !linear_take(&rest, f->loop->var, &steps[count]) || steps[count] <= 0 ||
            f->loop->begin->op != EXPR_INT || f->loop->end->op != EXPR_INT || !expr_is_int(f->loop->step, 1))
            return false;
        lengths[count] = f->loop->end->i - f->loop->begin->i;
        low += steps[count] * f->loop->begin->i;
        if (lengths[count] <= 0 || lengths[count] > SHRINK_LARGEST || steps[count] > SHRINK_LARGEST)
            return false;
    }
    for (uint32_t done = 0; done < count; done++)
        for (uint32_t i = 0; i < count; i++)
            if (steps[i] == reach && lengths[i] > 0) {
                reach *= lengths[i];
                lengths[i] = 0;
                break;
            }
    return rest.known && rest.count == 0 && low + rest.constant == part->low && reach == part->count;
}

/* Does every iteration of the loop store all of the part before it looks at any of it? */
static bool is_filled_first(const struct memory *m, const struct tree_stmt *loop, const struct part *part)
{
    const struct tree_access *first = m->accesses.items[0];
    const struct tree_stmt *nest = nest_of(first, loop);
    if (!first->store || first->guarded || !covers(first, loop, part))
        return false;
    for (uint32_t i = 1; nest && i < m->accesses.count; i++)
        if (nest_of(m->accesses.items[i], loop) == nest)
            return false;
    return true;
}

/* ---- rewriting ---- */

struct address {
    struct shrink *shrink;
    const struct tree_var *var;
    struct tree_var *to;
    uint32_t alias; /* of the memory there; 0: as it is */
    const struct part *part;
};

static struct tree_expr *new_index(const struct address *w, const struct tree_expr *index)
{
    struct linear at;
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
        s->atomic = false; /* nobody else has it */
    }
    if (s->kind == STMT_ZERO || s->kind == STMT_COPY) {
        rewrite_end(w, &s->pointer, &s->alias);
        rewrite_end(w, &s->pointer2, &s->alias2);
    }
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

void shrink_put_into(struct shrink *w, const struct memory *m, struct tree_var *to, struct tree_stmt *loop,
                     const struct part *part)
{
    struct tree *t = w->tree;
    struct address address = { w, m->alloc->var, to, to == m->alloc->var ? 0 : t->num_aliases++, part };
    stmt_visit(loop->body, rewrite_stmt, &address);
    struct tree_stmt *body = stmt_block(t);
    struct tree_stmt *a = stmt_alloc(t, body, to, m->alloc->type, expr_i64(t, part->count), TREE_STACK);
    a->place = m->alloc->place;
    stmt_append(t, body, loop->body);
    loop->body = body;
}

/* One loop around all uses. */
static bool try_loops(struct shrink *w, const struct memory *m)
{
    struct tree_frame loops[SHRINK_LOOPS];
    for (uint32_t count = shrink_common_loops(m, loops); count > 0; count--) {
        struct tree_stmt *loop = (struct tree_stmt *)(uintptr_t)loops[count - 1].loop;
        struct part part;
        if ((uintptr_t)map_get(&w->repeats, loop) != m->repeats + 1 || !shrink_find_part(w, m, loop, &part))
            return false;
        int64_t bytes = part.count * (int64_t)m->alloc->type->size;
        if (part.count <= m->alloc->count->i && w->taken + bytes <= SHRINK_FRAME &&
            ((part.count < m->alloc->count->i && bases_differ(w, &part, loops, count)) ||
             (!w->jumps && is_filled_first(m, loop, &part)))) {
            w->taken += bytes;
            remark(w->tree->ir->remarks, m->alloc->place, remark_memory(w->tree, m->alloc), REMARK_SHRUNK,
                   (long long)bytes, remark_subject(w->tree, loop), remark_bytes(w->tree, m->alloc));
            shrink_put_into(w, m, m->alloc->var, loop, &part);
            return true;
        }
    }
    return false;
}

static void try_memory(struct shrink *w, struct memory *m)
{
    if (!m->alloc || m->fixed || m->accesses.count == 0 || m->accesses.count != m->uses)
        return;
    if (try_loops(w, m) || shrink_split(w, m)) {
        take_out(m->alloc);
        take_out(m->release);
    }
}

/* Why memory stays where it is; of memory on the stack nobody wants to know. */
static void say_stays(struct shrink *w, const struct memory *m)
{
    struct tree *t = w->tree;
    if (!m->alloc || m->alloc->kind != STMT_ALLOC || m->alloc->where != TREE_HEAP || m->accesses.count == 0)
        return;
    const char *subject = remark_memory(t, m->alloc), *bytes = remark_bytes(t, m->alloc);
    const struct place *place = m->alloc->place;
    struct tree_frame loops[SHRINK_LOOPS];
    struct part part;
    uint32_t count = m->accesses.count == m->uses ? shrink_common_loops(m, loops) : 0;
    if (count == 0 || m->fixed)
        remark(t->ir->remarks, place, subject, m->fixed ? REMARK_SHRINK_FIXED : REMARK_SHRINK_LOOPS, bytes);
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

bool tree_shrink(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        if (has_jumps(f->body)) /* jumps back repeat what no loop shows */
            continue;
        struct shrink w = { .tree = t, .arena = t->scratch, .num_vars = t->num_vars };
        struct tree_piece piece = { 0 };
        w.memories = NEW_ARRAY(t->scratch, struct memory, t->num_vars);
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
