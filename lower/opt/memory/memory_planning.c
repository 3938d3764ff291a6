/* Allocations with disjoint lifetimes share memory, and all those of constant size in a block become one allocation.
 *
 *     T = heap float64[1000]                        arena = heap uint8[16000]
 *     U = heap float64[1000]                        T = &arena[0]
 *     V = heap float64[1000]                        U = &arena[8000]
 *     T = ...; U = f(T); V = g(U)         ->        V = &arena[0]
 *     free T                                        T = ...; U = f(T); V = g(U)
 *     free U                                        free arena
 *     free V
 *
 * Legality: A lifetime goes from the first statement of the block that mentions the memory to the last. Memories that
 * share become one alias class.
 * Profitability: Always.
 *
 * One alias class, since LLVM could otherwise store into one memory before the other is read. Each call has an
 * allocation of its own, which the runtime keeps for the next call (runtime/memory.c); its pages are touched first by
 * the thread that writes them. */
#include "lower/opt/memory/memory_planning.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

#include <stdlib.h>

enum {
    LARGE_SLOT = 4096, /* where it matters that slots do not begin at the same place of pages */
    STAGGER = 25       /* lines */
};
static const int64_t most_bytes = INT64_C(1) << 44;

static int by_first(const void *a, const void *b)
{
    const struct arena_memory *x = *(struct arena_memory *const *)a, *y = *(struct arena_memory *const *)b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->taken > y->taken) - (x->taken < y->taken);
}

/* ---- slots ---- */

static int64_t size_of(const struct arena_plan *p, const struct arena_memory *m)
{
    const struct tree_expr *count = m->alloc->count;
    int64_t bytes;
    if (count->op != EXPR_INT ||
        __builtin_mul_overflow(count->i > 0 ? count->i : 0, (int64_t)m->alloc->type->size, &bytes) ||
        bytes > most_bytes)
        return -1;
    int64_t line = p->tree->machine->line;
    return (bytes + line - 1) / line * line;
}

/* Does the number of bytes have the same value where either memory is taken? */
static bool same_bytes(const struct arena_plan *p, const struct tree_stmt *block, const struct arena_slot *s,
                       const struct arena_memory *m, struct tree_expr *bytes)
{
    if (!s->bytes || !expr_equal(s->bytes, bytes) || !expr_is_pure(bytes))
        return false;
    uint32_t from = s->owner->taken < m->taken ? s->owner->taken : m->taken;
    uint32_t to = s->owner->taken < m->taken ? m->taken : s->owner->taken;
    struct tree_scan scan = { .arena = p->arena };
    for (uint32_t i = from; i < to; i++)
        tree_scan_add(&scan, block->items.items[i]);
    return tree_scan_invariant(&scan, bytes);
}

/* A slot that is free where the life begins: the smallest that is large enough, or the largest. */
static struct arena_slot *find_slot(struct arena_plan *p, const struct tree_stmt *block, const struct arena_memory *m,
                                    int64_t size, struct tree_expr *bytes)
{
    struct arena_slot *best = NULL;
    for (uint32_t i = 0; i < p->slots.count; i++) {
        struct arena_slot *s = &p->slots.items[i];
        if (s->last >= m->first || (size < 0) != (s->size < 0))
            continue;
        if (size < 0 && same_bytes(p, block, s, m, bytes))
            return s;
        bool fits = s->size >= size;
        if (size >= 0 && (!best || (fits ? best->size < size || s->size < best->size : s->size > best->size)))
            best = s;
    }
    return best;
}

static void unite(struct arena_plan *p, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return;
    while (p->classes[a] != a)
        a = p->classes[a];
    while (p->classes[b] != b)
        b = p->classes[b];
    p->classes[a > b ? a : b] = a > b ? b : a;
    p->merged |= a != b;
}

static void unite_all(struct arena_plan *p, const struct arena_memory *a, const struct arena_memory *b)
{
    for (uint32_t i = 0; i < a->classes.count; i++)
        unite(p, a->classes.items[0], a->classes.items[i]);
    for (uint32_t i = 0; i < b->classes.count; i++)
        unite(p, a->classes.count ? a->classes.items[0] : 0, b->classes.items[i]);
}

static void put_into_slot(struct arena_plan *p, const struct tree_stmt *block, struct arena_memory *m)
{
    struct tree *t = p->tree;
    int64_t size = size_of(p, m);
    struct tree_expr *bytes =
        size < 0 ? expr_binary(t, EXPR_MUL, m->alloc->count, expr_i64(t, m->alloc->type->size)) : NULL;
    struct arena_slot *s = find_slot(p, block, m, size, bytes);
    if (!s) {
        vec_push(p->arena, &p->slots, ((struct arena_slot){ .owner = m, .bytes = bytes, .size = size }));
        s = &vec_last(&p->slots);
    } else {
        remark(t->ir->remarks, m->alloc->place, remark_memory(t, m->alloc), REMARK_SHARED, s->owner->alloc->var->name,
               remark_bytes(t, m->alloc));
        unite_all(p, s->owner, m);
        s->owner = m->taken < s->owner->taken ? m : s->owner;
    }
    s->size = size > s->size ? size : s->size;
    s->last = m->last;
    s->members++;
    m->slot = (uint32_t)(s - p->slots.items);
}

/* ---- rewriting ---- */

/* The statement becomes `var = address`, with a fill behind it if it was cleared. */
static void point(struct arena_plan *p, struct arena_memory *m, struct tree_expr *address)
{
    struct tree *t = p->tree;
    struct tree_stmt old = *m->alloc, *b = stmt_block(t);
    stmt_assign(t, b, old.var, expr_cast(t, old.var->type, address))->place = old.place;
    if (old.zero) {
        uint32_t class = m->classes.count ? m->classes.items[0] : 0;
        stmt_zero(t, b, old.type, expr_var(t, old.var), class, old.count)->place = old.place;
    }
    *m->alloc = *b;
}

static struct tree_stmt *last_release(const struct arena_plan *p, const struct tree_stmt *block, uint32_t slot,
                                      bool all)
{
    for (uint32_t i = block->items.count; i-- > 0;) {
        struct tree_stmt *s = block->items.items[i];
        const struct arena_memory *m = s->kind == STMT_FREE ? arena_memory_of(p, s->var) : NULL;
        for (uint32_t k = 0; m && k < p->here.count; k++)
            if (p->here.items[k] == m && (all ? p->slots.items[m->slot].size >= 0 : m->slot == slot))
                return s;
    }
    return NULL;
}

static void take_out(struct arena_plan *p, struct tree_stmt *s) { *s = *stmt_block(p->tree); }

/* One allocation for all slots of known size. */
static void make_arena(struct arena_plan *p, struct tree_stmt *block)
{
    struct tree *t = p->tree;
    int64_t total = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->slots.count; i++) {
        struct arena_slot *s = &p->slots.items[i];
        if (s->size < 0)
            continue;
        count += s->members;
        s->offset = total;
        total += s->size + (s->size >= LARGE_SLOT ? STAGGER * p->tree->machine->line : 0);
    }
    if (count < 2 || total > most_bytes)
        return;
    struct arena_memory *first = NULL;
    for (uint32_t i = 0; i < p->here.count; i++)
        if (p->slots.items[p->here.items[i]->slot].size >= 0 && (!first || p->here.items[i]->taken < first->taken))
            first = p->here.items[i];
    const struct type *u8 = type_basic(t->ir, TYPE_U8);
    struct tree_var *arena = tree_var(t, "arena", type_pointer(t->ir, u8));
    struct tree_stmt *release = last_release(p, block, 0, true), *taken = stmt_block(t);
    stmt_alloc(t, taken, arena, u8, expr_i64(t, total), TREE_HEAP)->place = first->alloc->place;
    for (uint32_t i = 0; i < p->here.count; i++) {
        struct arena_memory *m = p->here.items[i];
        const struct arena_slot *s = &p->slots.items[m->slot];
        if (s->size < 0)
            continue;
        point(p, m, expr_offset(t, expr_var(t, arena), expr_i64(t, s->offset)));
        if (m->release != release)
            take_out(p, m->release);
    }
    stmt_append(t, taken, block->items.items[first->taken]);
    block->items.items[first->taken] = taken;
    release->var = arena;
}

/* Memories of one size that nobody knows yet are the one that is taken first. */
static void make_shared(struct arena_plan *p, struct tree_stmt *block)
{
    for (uint32_t k = 0; k < p->slots.count; k++) {
        const struct arena_slot *s = &p->slots.items[k];
        if (s->size >= 0 || s->members < 2)
            continue;
        struct tree_stmt *release = last_release(p, block, k, false);
        struct tree_var *owner = s->owner->alloc->var;
        for (uint32_t i = 0; i < p->here.count; i++) {
            struct arena_memory *m = p->here.items[i];
            if (m->slot != k)
                continue;
            if (m != s->owner)
                point(p, m, expr_var(p->tree, owner));
            if (m->release != release)
                take_out(p, m->release);
        }
        release->var = owner;
    }
}

static void look(struct arena_plan *p, struct tree_stmt *s)
{
    struct tree *t = p->tree;
    const struct tree_stmt *around = t->region;
    if (s->kind == STMT_PARALLEL)
        t->region = s;
    if (s->body)
        look(p, s->body);
    if (s->otherwise)
        look(p, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        look(p, s->items.items[i]);
    arena_lives(p, s);
    if (p->here.count > 1) {
        p->slots.count = 0;
        struct arena_memory **order =
            arena_copy(p->arena, p->here.items, p->here.count * sizeof(struct arena_memory *));
        qsort(order, p->here.count, sizeof *order, by_first);
        for (uint32_t i = 0; i < p->here.count; i++)
            put_into_slot(p, s, order[i]);
        make_arena(p, s);
        make_shared(p, s);
    }
    t->region = around;
}

/* ---- alias classes ---- */

static uint32_t class_of(const struct arena_plan *p, uint32_t alias)
{
    while (p->classes[alias] != alias)
        alias = p->classes[alias];
    return alias;
}

static struct tree_expr *rename_load(void *user, struct tree_expr *e)
{
    const struct arena_plan *p = user;
    if (e->op != EXPR_LOAD || class_of(p, e->alias) == e->alias)
        return e;
    return expr_load(p->tree, e->type, e->args[0], e->args[1], class_of(p, e->alias));
}

static bool rename_classes(void *user, struct tree_stmt *s)
{
    const struct arena_plan *p = user;
    stmt_rewrite(p->tree, s, rename_load, user);
    s->alias = class_of(p, s->alias);
    s->alias2 = class_of(p, s->alias2);
    return true;
}

static bool has_labels(const struct tree_stmt *s)
{
    if (!s)
        return false;
    if (s->kind == STMT_LABEL)
        return true;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (has_labels(s->items.items[i]))
            return true;
    return has_labels(s->body) || has_labels(s->otherwise);
}

bool opt_memory_planning(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        if (has_labels(f->body)) /* jumps back lengthen lives */
            continue;
        arena_hoist(t, f->body);
        stmt_flatten(t, f->body);
        struct arena_plan p = { .tree = t, .arena = t->scratch, .num_vars = t->num_vars };
        p.memories = NEW_ARRAY(t->scratch, struct arena_memory, t->num_vars);
        p.classes = NEW_ARRAY(t->scratch, uint32_t, t->num_aliases);
        for (uint32_t k = 0; k < t->num_aliases; k++)
            p.classes[k] = k;
        arena_uses(&p, f->body);
        look(&p, f->body);
        if (p.merged)
            stmt_visit(f->body, rename_classes, &p);
        stmt_flatten(t, f->body);
    }
    return true;
}
