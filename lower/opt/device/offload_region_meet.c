/* Where the threads of a region, or of a team, meet: what they have accessed since they last did, and which barrier
 * what comes next needs.
 *
 * Items are executed by all threads, by those of the first block, or by thread 0. Those of the first block meet at a
 * barrier of the block, which costs a fraction of one of the grid; what they did is still to be shown to the others. */
#include "lower/opt/device/offload_region.h"

enum touch_kind {
    ALL_READ = 1,
    ALL_WRITE = 2,
    ONE_READ = 4,
    ONE_WRITE = 8,
    FIRST_READ = 16,
    FIRST_WRITE = 32,
    MET_READ = 64, /* by threads of the first block, which have met since then */
    MET_WRITE = 128,
    ALL = ALL_READ | ALL_WRITE,
    ONE = ONE_READ | ONE_WRITE,
    FIRST = FIRST_READ | FIRST_WRITE,
    ANY_WRITE = ALL_WRITE | ONE_WRITE | FIRST_WRITE | MET_WRITE
};

/* ---- lists ---- */

static void add(struct arena *a, region_touched_list *list, struct region_touched t)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].memory == t.memory) {
            list->items[i].how |= t.how;
            return;
        }
    vec_push(a, list, t);
}

void region_touched_add(struct device_region *r, region_touched_list *list, const region_touched_list *other)
{
    for (uint32_t i = 0; i < other->count; i++)
        add(r->offload->tree->scratch, list, other->items[i]);
}

region_touched_list region_touched_copy(struct device_region *r, const region_touched_list *list)
{
    region_touched_list copy = { 0 };
    region_touched_add(r, &copy, list);
    return copy;
}

bool region_touched_within(const region_touched_list *a, const region_touched_list *b)
{
    for (uint32_t i = 0; i < a->count; i++) {
        unsigned missing = a->items[i].how;
        for (uint32_t k = 0; k < b->count; k++)
            if (b->items[k].memory == a->items[i].memory)
                missing &= ~b->items[k].how;
        if (missing)
            return false;
    }
    return true;
}

/* ---- what a statement accesses ---- */

struct collect {
    struct device_region *region;
    region_touched_list list;
    enum region_threads who;
};

static bool is_own(const struct device_region *r, const struct memory *m)
{
    for (uint32_t i = 0; r->own && i < r->own->count; i++) {
        const struct tree_var *v = r->own->slots[i].key;
        if (offload_same(&r->offload->by_var[v->id]) == m)
            return true;
    }
    return false;
}

static void collect_touch(void *user, struct memory *m, bool write)
{
    static const unsigned reads[] = { [BY_ALL] = ALL_READ, [BY_ONE] = ONE_READ, [BY_FIRST] = FIRST_READ };
    struct collect *c = user;
    unsigned how = reads[c->who] << write;
    if (is_own(c->region, m))
        return;
    add(c->region->offload->tree->scratch, &c->list, (struct region_touched){ m, how });
}

static bool collect_stmt(void *user, struct tree_stmt *s)
{
    struct collect *c = user;
    offload_each_touch(c->region->offload, s, collect_touch, c);
    return true;
}

/* A whole region has items of all kinds: its accesses count as those of all threads. */
region_touched_list region_touched_by(struct device_region *r, struct tree_stmt *s, bool deep, enum region_threads who)
{
    struct collect c = { .region = r, .who = who };
    if (deep)
        stmt_visit(s, collect_stmt, &c);
    else
        collect_stmt(&c, s);
    return c.list;
}

region_touched_list region_touched_memory(struct device_region *r, struct memory *m)
{
    region_touched_list list = { 0 };
    add(r->offload->tree->scratch, &list, (struct region_touched){ m, ALL_WRITE });
    return list;
}

/* ---- barriers ---- */

static bool meets(unsigned before, unsigned after) { return before && after && ((before | after) & ANY_WRITE); }

/* What one thread does is in order. */
static enum region_meeting meeting(unsigned before, unsigned after)
{
    if (meets(before & ALL, after) || meets(before, after & ALL))
        return MEET_ALL;
    bool first = meets(before & FIRST, after) || meets(before & (FIRST | ONE), after & FIRST);
    return first ? MEET_FIRST : MEET_NONE;
}

enum region_meeting region_touched_meet(const region_touched_list *before, const region_touched_list *after)
{
    enum region_meeting most = MEET_NONE;
    for (uint32_t i = 0; i < before->count; i++)
        for (uint32_t k = 0; k < after->count; k++)
            if (before->items[i].memory == after->items[k].memory) {
                enum region_meeting m = meeting(before->items[i].how, after->items[k].how);
                most = m > most ? m : most;
            }
    return most;
}

static enum tree_level level_of(const struct device_region *r)
{
    return r->level == TREE_COLUMN ? TREE_BLOCK : r->level;
}

void region_barrier(struct device_region *r, struct tree_stmt *out)
{
    stmt_new(r->offload->tree, out, STMT_BARRIER)->loop.level = level_of(r);
    r->pending = (region_touched_list){ 0 };
}

struct tree_expr *region_in_first_block(struct tree *t)
{
    struct tree_expr *block = expr_thread(t, THREAD_BLOCK);
    return expr_binary(t, EXPR_EQ, block, expr_int(t, block->type, 0));
}

struct tree_stmt *region_first_block(struct device_region *r, struct tree_stmt *out)
{
    struct tree *t = r->offload->tree;
    if (!r->block || !out->items.count || vec_last(&out->items) != r->block) {
        r->block = stmt_if(t, out, region_in_first_block(t));
    }
    return r->block->body;
}

void region_meet(struct device_region *r, struct tree_stmt *out, const region_touched_list *next)
{
    enum region_meeting m = region_touched_meet(&r->pending, next);
    if (m == MEET_ALL)
        region_barrier(r, out);
    if (m == MEET_FIRST) {
        stmt_new(r->offload->tree, region_first_block(r, out), STMT_BARRIER)->loop.level = TREE_BLOCK;
        for (uint32_t i = 0; i < r->pending.count; i++) {
            unsigned *how = &r->pending.items[i].how, part = *how & (ONE | FIRST);
            bool reads = part & (ONE_READ | FIRST_READ), writes = part & (ONE_WRITE | FIRST_WRITE);
            *how = (*how & ~part) | (reads ? MET_READ : 0) | (writes ? MET_WRITE : 0);
        }
    }
    region_touched_add(r, &r->pending, next);
}

static bool count_barrier(void *user, struct tree_stmt *s)
{
    uint32_t *counts = user;
    if (s->kind == STMT_BARRIER)
        counts[s->loop.level]++;
    return true;
}

uint32_t region_barriers_in(const struct device_region *r, struct tree_stmt *s)
{
    uint32_t counts[TREE_LEVELS] = { 0 };
    stmt_visit(s, count_barrier, counts);
    return counts[level_of(r)];
}
