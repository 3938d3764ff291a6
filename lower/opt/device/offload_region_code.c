/* Regions: a sequential loop around small nests becomes one kernel instead of a launch for each nest and each step.
 *
 *     for t = 0 to T {                          kernel region grid(blocks, 1, 1) block(512, 1, 1) cooperative {
 *         for i = 0 to N parallel {                 for t = 0 to T {
 *             B[i] = A[i]                               for i = thread to N step threads {
 *         }                                                 B[i] = A[i]
 *         A[0] = B[1]                  ->               }
 *     }                                                 barrier grid
 *                                                       if thread == 0 {
 *                                                           A[0] = B[1]
 *                                                       }
 *                                                       barrier grid
 *                                                   }
 *                                               }
 *
 * All threads of the grid execute the control around the nests and the assignments of variables, on the same values;
 * the iterations of a nest are distributed over all threads; statements that write memory are executed by thread 0.
 *
 * Legality: a barrier separates two items if different threads may execute them and one writes memory that the other
 * one accesses. Branches around barriers are uniform, since all threads compute the same conditions. The number of
 * blocks does not matter for the result. Profitability: the iterations of each nest, with the sequential loops in it,
 * are few; extents that symbols decide count as ASSUMED_EXTENT. */
#include "lower/opt/device/offload_group.h"
#include "lower/opt/device/offload_region.h"
#include "lower/tree/tree_rewrite.h"

enum {
    MOST_OF_ONE_BLOCK = 1 << 12 /* iterations of a nest, for which one block is quicker than a barrier of the grid */
};

/* ---- barriers ---- */

enum touch_kind { ALL_READ = 1, ALL_WRITE = 2, ONE_READ = 4, ONE_WRITE = 8, ANY_WRITE = ALL_WRITE | ONE_WRITE };

struct collect {
    struct device_region *region;
    region_touched_list list;
    bool one;
};

static void add(struct arena *a, region_touched_list *list, struct region_touched t)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].memory == t.memory) {
            list->items[i].how |= t.how;
            return;
        }
    vec_push(a, list, t);
}

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
    struct collect *c = user;
    unsigned how = write ? ALL_WRITE : ALL_READ;
    if (is_own(c->region, m))
        return;
    add(c->region->offload->tree->scratch, &c->list, (struct region_touched){ m, c->one ? how << 2 : how });
}

static bool collect_stmt(void *user, struct tree_stmt *s)
{
    struct collect *c = user;
    offload_each_touch(c->region->offload, s, collect_touch, c);
    return true;
}

/* A whole region has items of all kinds: its accesses count as those of all threads. */
static region_touched_list touched_by(struct device_region *r, struct tree_stmt *s, bool deep, bool one)
{
    struct collect c = { .region = r, .one = one };
    if (deep)
        stmt_visit(s, collect_stmt, &c);
    else
        collect_stmt(&c, s);
    return c.list;
}

/* What one thread does is in order. */
static bool conflict(unsigned before, unsigned after)
{
    bool one = !((before | after) & (ALL_READ | ALL_WRITE));
    return !one && ((before | after) & ANY_WRITE);
}

static bool conflicts(const region_touched_list *before, const region_touched_list *after)
{
    for (uint32_t i = 0; i < before->count; i++)
        for (uint32_t k = 0; k < after->count; k++)
            if (before->items[i].memory == after->items[k].memory &&
                conflict(before->items[i].how, after->items[k].how))
                return true;
    return false;
}

static void barrier(struct device_region *r, struct tree_stmt *out)
{
    stmt_new(r->offload->tree, out, STMT_BARRIER)->loop.level = r->level == TREE_COLUMN ? TREE_BLOCK : r->level;
    r->pending = (region_touched_list){ 0 };
}

static void unite(struct device_region *r, const region_touched_list *other)
{
    for (uint32_t i = 0; i < other->count; i++)
        add(r->offload->tree->scratch, &r->pending, other->items[i]);
}

static region_touched_list copy_of(struct device_region *r, const region_touched_list *list)
{
    region_touched_list copy = { 0 };
    for (uint32_t i = 0; i < list->count; i++)
        vec_push(r->offload->tree->scratch, &copy, list->items[i]);
    return copy;
}

/* What comes next in `out` accesses this memory. */
static void meet(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s, bool deep, bool one)
{
    region_touched_list next = touched_by(r, s, deep, one);
    if (conflicts(&r->pending, &next))
        barrier(r, out);
    unite(r, &next);
}

/* ---- code ---- */

static void count_iterations(struct device_region *r, struct tree_expr *begin, struct tree_expr *end)
{
    struct tree *t = r->offload->tree;
    struct region_limits l = { t, r->scan, r->frame };
    struct tree_expr *high = offload_region_limit(&l, end, true),
                     *low = high ? offload_region_limit(&l, begin, false) : NULL;
    struct tree_expr *count = low ? expr_binary(t, EXPR_SUB, expr_cast(t, type_basic(t->ir, TYPE_I64), high),
                                                expr_cast(t, type_basic(t->ir, TYPE_I64), low))
                                  : expr_i64(t, REGION_MOST_STEP);
    r->most = r->most && !expr_equal(r->most, count) ? expr_binary(t, EXPR_MAX, r->most, count) : count;
}

struct tree_stmt *offload_region_loop(struct device_region *r, struct tree_stmt *out, struct tree_var *v,
                                      struct tree_expr *begin, struct tree_expr *end, struct tree_expr *step)
{
    struct tree *t = r->offload->tree;
    const struct type *wide = type_basic(t->ir, TYPE_I64);
    struct tree_var *i = v && v->type == wide ? v : tree_var(t, v ? v->name : "k", wide);
    count_iterations(r, begin, end);
    begin = expr_cast(t, wide, begin);
    step = expr_cast(t, wide, step);
    struct tree_expr *first = expr_binary(t, EXPR_ADD, begin, expr_binary(t, EXPR_MUL, r->thread, step));
    struct tree_stmt *loop =
        stmt_for(t, out, i, first, expr_cast(t, wide, end), expr_binary(t, EXPR_MUL, r->threads, step));
    if (v && v != i)
        stmt_assign(t, loop->body, v, expr_cast(t, v->type, expr_var(t, i)));
    return loop;
}

static void write_threads(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    struct offload *o = r->offload;
    struct offload_group g;
    offload_group_find(o, s, s, r->level == TREE_GRID ? TREE_BLOCK : r->level, &g);
    g.own = r->own;
    bool ordered = false;
    for (uint32_t i = 0; i < g.count; i++)
        ordered |= g.places[i].ordered;
    struct tree_expr *threads = r->threads;
    if (ordered && r->level == TREE_GRID) { /* the first block alone */
        out = stmt_if(o->tree, out, expr_binary(o->tree, EXPR_LT, r->thread, expr_i64(o->tree, OFFLOAD_REGION_THREADS)))
                  ->body;
        r->threads = expr_i64(o->tree, OFFLOAD_REGION_THREADS);
    }
    offload_group_begin(o, &g, out);
    struct tree_stmt *loop = offload_region_loop(r, out, s->var, s->begin, s->end, s->step);
    r->threads = threads;
    loop->place = s->place;
    stmt_append(o->tree, loop->body, s->body);
    offload_group_end(o, &g, out);
}

/* Element by element; zero bytes are the number zero in all basic types. */
static void write_elements(struct device_region *r, struct tree_stmt *out, const struct tree_stmt *s,
                           struct tree_expr *from)
{
    struct tree *t = r->offload->tree;
    struct tree_expr *zero = expr_i64(t, 0), *target = s->kind == STMT_ALLOC ? expr_var(t, s->var) : s->pointer;
    struct tree_stmt *loop = offload_region_loop(r, out, NULL, zero, s->count, expr_i64(t, 1));
    struct tree_expr *k = expr_var(t, loop->var);
    const struct type *pointer = type_pointer(t->ir, s->type);
    struct tree_expr *value =
        from ? expr_load(t, s->type, expr_cast(t, pointer, from), k, s->alias2) : expr_cast(t, s->type, zero);
    loop->place = s->place;
    stmt_store(t, loop->body, expr_cast(t, pointer, target), k, value, s->alias);
}

/* The host allocates as much as any iteration asks for. */
static void write_memory(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    struct offload *o = r->offload;
    struct tree *t = o->tree;
    if (r->level != TREE_GRID) {
        stmt_append(t, out, s);
        return;
    }
    if (s->kind == STMT_FREE)
        return;
    struct region_limits l = { t, r->scan, r->frame };
    struct tree_expr *most = offload_value(o, r->front, offload_region_limit(&l, s->count, true), s->place);
    struct tree_var *twin = offload_twins(o, expr_var(t, s->var))->var;
    most = most->op == EXPR_INT ? most : expr_binary(t, EXPR_MAX, most, expr_i64(t, 0));
    struct tree_stmt *d =
        stmt_alloc(t, r->front, twin, s->type, stmt_variable(t, r->front, "count", most), TREE_DEVICE);
    d->alias = s->alias;
    d->place = s->place;
    stmt_free(t, r->behind, twin)->where = TREE_DEVICE;
    if (!s->zero)
        return;
    region_touched_list next = { 0 };
    add(t->scratch, &next, (struct region_touched){ offload_same(&o->by_var[s->var->id]), ALL_WRITE });
    if (conflicts(&r->pending, &next))
        barrier(r, out);
    unite(r, &next);
    write_elements(r, out, s, NULL);
}

static void write_one(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree *t = r->offload->tree;
    meet(r, out, s, true, true);
    if (!r->one || !out->items.count || vec_last(&out->items) != r->one) {
        r->one = stmt_if(t, out, r->first ? r->first : expr_binary(t, EXPR_EQ, r->thread, expr_i64(t, 0)));
        r->one->place = s->place;
    }
    stmt_append(t, r->one->body, s);
}

static void write(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s);

static uint32_t uses(const struct tree_scan *scan, const struct tree_var *v)
{
    return (uint32_t)(uintptr_t)map_get(&scan->uses, v);
}

/* Variables that only thread 0 needs only thread 0 computes, which saves the barriers in front. From the end on. */
static void find_private(struct device_region *r, const struct tree_stmt *block)
{
    struct offload *o = r->offload;
    struct tree_scan one = { .arena = o->tree->scratch };
    for (uint32_t i = block->items.count; i-- > 0;) {
        struct tree_stmt *s = block->items.items[i];
        enum region_item item = offload_region_item(o, s, r->own);
        if (item == ITEM_ALL && s->kind == STMT_ASSIGN) {
            struct tree_scan self = { .arena = o->tree->scratch };
            tree_scan_add(&self, s);
            if (uses(&one, s->var) + uses(&self, s->var) != uses(tree_whole(&o->whole), s->var))
                continue;
            map_put(o->tree->scratch, &r->private, s, s);
        } else if (item != ITEM_ONE) {
            continue;
        }
        tree_scan_add(&one, s);
    }
}

void offload_region_items(struct device_region *r, struct tree_stmt *out, struct tree_stmt *block)
{
    find_private(r, block);
    for (uint32_t i = 0; i < block->items.count; i++)
        write(r, out, block->items.items[i]);
}

static struct tree_stmt *write_block(struct device_region *r, struct tree_stmt *block)
{
    struct tree_stmt *out = stmt_block(r->offload->tree);
    offload_region_items(r, out, block);
    return out;
}

static void write_branch(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    meet(r, out, s, false, false);
    region_touched_list before = copy_of(r, &r->pending);
    s->body = write_block(r, s->body);
    if (s->otherwise) {
        region_touched_list after = r->pending;
        r->pending = copy_of(r, &before);
        s->otherwise = write_block(r, s->otherwise);
        unite(r, &after);
    } else {
        unite(r, &before);
    }
    stmt_append(r->offload->tree, out, s);
}

/* The end of the body comes before its beginning, and before the condition. */
static void write_loop(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree_frame frame = { .outer = r->frame, .loop = s };
    region_touched_list all = touched_by(r, s, true, false);
    if (s->kind != STMT_DO)
        meet(r, out, s, false, false);
    region_touched_list before = copy_of(r, &r->pending);
    if (s->kind == STMT_FOR)
        r->frame = &frame;
    struct tree_stmt *body = write_block(r, s->body);
    r->frame = frame.outer;
    if (s->kind == STMT_DO)
        meet(r, body, s, false, false);
    if (conflicts(&r->pending, &all))
        barrier(r, body);
    s->body = body;
    unite(r, &before);
    stmt_append(r->offload->tree, out, s);
}

static void write(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    struct offload *o = r->offload;
    switch (map_has(&r->private, s) ? ITEM_ONE : offload_region_item(o, s, r->own)) {
    case ITEM_ALL:
        meet(r, out, s, true, false);
        stmt_append(o->tree, out, s);
        break;
    case ITEM_ONE:
        write_one(r, out, s);
        break;
    case ITEM_THREADS:
        meet(r, out, s, true, false);
        write_threads(r, out, s);
        break;
    case ITEM_SUMS:
        meet(r, out, s, true, false);
        offload_sums(r, out, s);
        break;
    case ITEM_COPY:
        meet(r, out, s, true, false);
        write_elements(r, out, s, s->kind == STMT_COPY ? s->pointer2 : NULL);
        break;
    case ITEM_MEMORY:
        write_memory(r, out, s);
        break;
    case ITEM_CONTROL:
        if (s->kind == STMT_IF)
            write_branch(r, out, s);
        else
            write_loop(r, out, s);
        break;
    default: /* all threads leave, and what follows does not know how far each of them is */
        if (r->pending.count)
            barrier(r, out);
        stmt_append(o->tree, out, s);
    }
}

/* ---- the kernel ---- */

static struct tree_expr *own_variable(struct tree *t, struct tree_stmt *out, const char *name, struct tree_expr *value)
{
    struct tree_var *v = tree_var(t, name, value->type);
    stmt_assign(t, out, v, value);
    return expr_var(t, v);
}

static struct tree_expr *id(struct tree *t, enum tree_thread which)
{
    return expr_cast(t, type_basic(t->ir, TYPE_I64), expr_thread(t, which));
}

static struct tree_expr *times_block(struct tree *t, enum tree_thread which)
{
    return expr_binary(t, EXPR_MUL, id(t, which), expr_i64(t, OFFLOAD_REGION_THREADS));
}

/* One block where that is enough; the runtime takes as many as the device can run at once. */
static struct tree_expr *blocks(struct tree *t, struct tree_expr *most)
{
    struct tree_expr *few = expr_binary(t, EXPR_LE, most, expr_i64(t, MOST_OF_ONE_BLOCK));
    struct tree_expr *count = expr_binary(t, EXPR_ADD, most, expr_i64(t, OFFLOAD_REGION_THREADS - 1));
    return expr_select(t, few, expr_i64(t, 1), expr_binary(t, EXPR_DIV, count, expr_i64(t, OFFLOAD_REGION_THREADS)));
}

void offload_region(struct offload *o, struct tree_stmt *out, struct tree_stmt *block)
{
    struct tree *t = o->tree;
    const struct place *place = block->items.items[0]->place;
    struct tree_scan scan = { .arena = t->scratch };
    tree_scan_add(&scan, block);
    struct device_region r = {
        .offload = o, .level = TREE_GRID, .scan = &scan, .front = stmt_block(t), .behind = stmt_block(t)
    };
    struct tree_stmt *all = stmt_block(t), *store = stmt_block(t);
    offload_load_cells(o, all, &scan, NULL);
    offload_store_cells(o, store, &scan, NULL);
    r.thread =
        own_variable(t, all, "thread", expr_binary(t, EXPR_ADD, times_block(t, THREAD_BLOCK), id(t, THREAD_INDEX)));
    r.threads = own_variable(t, all, "threads", times_block(t, THREAD_GRID_SIZE));
    offload_region_items(&r, all, block);
    if (store->items.count) {
        barrier(&r, all);
        stmt_append(t, stmt_if(t, all, expr_binary(t, EXPR_EQ, r.thread, expr_i64(t, 0)))->body, store);
    }
    stmt_append(t, out, r.front);
    struct tree_expr *most = stmt_variable(t, out, "most", offload_value(o, out, r.most, place));
    struct tree_stmt *k = offload_kernel(o, out, "region", all, place, false);
    struct tree_kernel *kernel = NEW(t->arena, struct tree_kernel);
    kernel->cooperative = true;
    k->kernel = kernel;
    k->args[KERNEL_GRID] = blocks(t, most);
    k->args[KERNEL_BLOCK] = expr_i64(t, OFFLOAD_REGION_THREADS);
    stmt_append(t, out, r.behind);
}
