#include "lower/tree/tree_memory.h"

/* Bytes that are taken now and were at most. */
struct account {
    int64_t now, most;
};

struct memory_sums {
    struct map sizes; /* variable -> bytes that it points to, as an integer in the pointer */
    struct arena *arena;
    struct account transients;
    int64_t per_thread, persistent;
    uint32_t unknown;
};

/* 0 for what is not known. */
static int64_t size_of(const struct tree_stmt *s)
{
    int64_t bytes;
    if (s->count->op != EXPR_INT || s->count->i < 0 ||
        __builtin_mul_overflow(s->count->i, (int64_t)s->type->size, &bytes))
        return 0;
    return bytes;
}

static void take(struct memory_sums *m, struct account *a, const struct tree_stmt *s)
{
    int64_t bytes = size_of(s);
    if (s->where == TREE_STACK)
        return;
    if (s->where == TREE_SHARED)
        return;
    m->unknown += s->count->op != EXPR_INT;
    if (s->where == TREE_STATE) {
        m->persistent += bytes;
        return;
    }
    map_put(m->arena, &m->sizes, s->var, (void *)(uintptr_t)bytes);
    a->now += bytes;
    a->most = a->now > a->most ? a->now : a->most;
}

static void give_back(struct memory_sums *m, struct account *a, const struct tree_stmt *s)
{
    a->now -= (int64_t)(uintptr_t)map_get(&m->sizes, s->var);
    map_remove(&m->sizes, s->var);
}

static void add(struct memory_sums *m, struct account *a, const struct tree_stmt *s)
{
    struct account thread = { 0 }, *inside = s->kind == STMT_PARALLEL ? &thread : a;
    if (s->kind == STMT_ALLOC)
        take(m, a, s);
    else if (s->kind == STMT_FREE)
        give_back(m, a, s);
    if (s->body)
        add(m, inside, s->body);
    if (s->otherwise)
        add(m, inside, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        add(m, inside, s->items.items[i]);
    m->per_thread = thread.most > m->per_thread ? thread.most : m->per_thread;
}

void tree_memory(const struct tree *t, struct text *out)
{
    struct memory_sums m = { .arena = t->arena };
    for (uint32_t i = 0; i < t->functions.count; i++)
        add(&m, &m.transients, t->functions.items[i]->body);
    text_printf(out, "{\"transients\": %lld, \"per_thread\": %lld, \"persistent\": %lld, \"unknown\": %u}\n",
                (long long)m.transients.most, (long long)m.per_thread, (long long)m.persistent, m.unknown);
}
