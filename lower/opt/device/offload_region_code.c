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
#include "lower/opt/device/offload_region.h"
#include "lower/tree/tree_rewrite.h"

enum { /* iterations of a nest */
       MOST_OF_ONE_BLOCK = 1 << 10,
       MOST_OF_CLUSTER = 1 << 14, /* of CLUSTER blocks, whose barrier is some times quicker than that of a grid */
       CLUSTER = 8
};

/* What comes next in `out` accesses this memory. */
static void meet(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s, bool deep,
                 enum region_threads who)
{
    region_touched_list next = region_touched_by(r, s, deep, who);
    region_meet(r, out, &next);
}

/* ---- code ---- */

/* The host allocates as much as any iteration asks for. */
static void allocate(struct device_region *r, const struct tree_stmt *s)
{
    struct offload *o = r->offload;
    struct tree *t = o->tree;
    struct region_limits l = { t, r->scan, r->frame };
    struct tree_expr *most = offload_value(o, r->front, offload_region_limit(&l, s->count, true), s->place);
    struct tree_var *twin = offload_twins(o, expr_var(t, s->var))->var;
    most = most->op == EXPR_INT ? most : expr_binary(t, EXPR_MAX, most, expr_i64(t, 0));
    struct tree_stmt *d =
        stmt_alloc(t, r->front, twin, s->type, stmt_variable(t, r->front, "count", most), TREE_DEVICE);
    d->alias = s->alias;
    d->place = s->place;
    stmt_free(t, r->behind, twin)->where = TREE_DEVICE;
}

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
    if (!r->trying)
        allocate(r, s);
    if (!s->zero)
        return;
    region_touched_list next = region_touched_memory(r, offload_same(&o->by_var[s->var->id]));
    region_meet(r, out, &next);
    offload_region_elements(r, out, s, NULL);
}

static void write_one(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree *t = r->offload->tree;
    meet(r, out, s, true, BY_ONE);
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
    meet(r, out, s, false, BY_ALL);
    region_touched_list before = region_touched_copy(r, &r->pending);
    s->body = write_block(r, s->body);
    if (s->otherwise) {
        region_touched_list after = r->pending;
        r->pending = region_touched_copy(r, &before);
        s->otherwise = write_block(r, s->otherwise);
        region_touched_add(r, &r->pending, &after);
    } else {
        region_touched_add(r, &r->pending, &before);
    }
    stmt_append(r->offload->tree, out, s);
}

/* ---- loops: the end of the body comes before its beginning, and before the condition ---- */

static struct tree_stmt *write_body(struct device_region *r, struct tree_stmt *s, struct tree_stmt *body)
{
    struct tree_frame frame = { .outer = r->frame, .loop = s };
    if (s->kind == STMT_FOR)
        r->frame = &frame;
    struct tree_stmt *out = write_block(r, body);
    r->frame = frame.outer;
    if (s->kind == STMT_DO)
        meet(r, out, s, false, BY_ALL);
    return out;
}

/* How many barriers the body has if what is in `pending` came before; `pending` becomes what is pending at the end.
 * What this writes is thrown away. */
static uint32_t try_body(struct device_region *r, struct tree_stmt *s, region_touched_list *pending)
{
    struct device_region kept = *r;
    r->private = (struct map){ 0 }; /* a table that grew in a copy of `r` cannot be put back */
    r->trying = true;
    r->pending = region_touched_copy(r, pending);
    uint32_t count = region_barriers_in(r, write_body(r, s, stmt_clone(r->offload->tree, s->body)));
    *pending = r->pending;
    *r = kept;
    return count;
}

/* What the end of the body may leave to its beginning, so that a barrier at the end is not needed; nothing if that one
 * is as good. */
static region_touched_list carried_by(struct device_region *r, struct tree_stmt *s, const region_touched_list *all)
{
    enum { TRIES = 3 };
    struct tree_scan scan = { .arena = r->offload->tree->scratch };
    region_touched_list none = { 0 }, carried = region_touched_copy(r, &r->pending), header = { 0 };
    tree_scan_add(&scan, s->body);
    if (r->trying || scan.breaks)
        return none;
    if (s->kind != STMT_DO)
        header = region_touched_by(r, s, false, BY_ALL);
    uint32_t without = try_body(r, s, &carried);
    if (region_touched_meet(&carried, &header) || !region_touched_meet(&carried, all))
        return none;
    for (int i = 0; i < TRIES; i++) {
        region_touched_list start = region_touched_copy(r, &r->pending), end;
        region_touched_add(r, &start, &carried);
        end = start;
        if (try_body(r, s, &end) > without || region_touched_meet(&end, &header))
            return none;
        if (region_touched_within(&end, &start))
            return carried;
        region_touched_add(r, &carried, &end);
    }
    return none;
}

static void write_loop(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    region_touched_list all = region_touched_by(r, s, true, BY_ALL);
    if (s->kind != STMT_DO)
        meet(r, out, s, false, BY_ALL);
    region_touched_list before = region_touched_copy(r, &r->pending), carried = carried_by(r, s, &all);
    region_touched_add(r, &r->pending, &carried);
    region_touched_list start = region_touched_copy(r, &r->pending);
    struct tree_stmt *body = write_body(r, s, s->body);
    if (region_touched_meet(&r->pending, &all) && !(carried.count && region_touched_within(&r->pending, &start)))
        region_barrier(r, body);
    s->body = body;
    region_touched_add(r, &r->pending, &before);
    stmt_append(r->offload->tree, out, s);
}

/* Among nests of several loops, short ones that follow each other are the first block's: it is quicker alone than all
 * are with a barrier between any two. */
static void write_shared(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    struct tree_expr *threads = r->threads;
    bool first = r->small && offload_region_is_line(r->offload, s);
    meet(r, out, s, true, first ? BY_FIRST : BY_ALL);
    if (first) {
        out = region_first_block(r, out);
        r->threads = expr_i64(r->offload->tree, OFFLOAD_REGION_THREADS);
    }
    if (s->kind == STMT_FOR)
        offload_region_nest(r, out, s);
    else
        offload_region_elements(r, out, s, s->kind == STMT_COPY ? s->pointer2 : NULL);
    r->threads = threads;
}

static void write(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s)
{
    struct offload *o = r->offload;
    switch (map_has(&r->private, s) ? ITEM_ONE : offload_region_item(o, s, r->own)) {
    case ITEM_ALL:
        meet(r, out, s, true, BY_ALL);
        stmt_append(o->tree, out, s);
        break;
    case ITEM_ONE:
        write_one(r, out, s);
        break;
    case ITEM_THREADS:
    case ITEM_COPY:
        write_shared(r, out, s);
        break;
    case ITEM_SUMS:
        meet(r, out, s, true, BY_ALL);
        offload_sums(r, out, s);
        break;
    case ITEM_MEMORY:
        write_memory(r, out, s);
        break;
    case ITEM_CONTROL:
        if (s->kind == STMT_IF)
            write_branch(r, out, s);
        else if (!offload_region_recurrence(r, out, s))
            write_loop(r, out, s);
        break;
    default: /* all threads leave, and what follows does not know how far each of them is */
        if (r->pending.count)
            region_barrier(r, out);
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

/* One block where that is enough, or one cluster; the runtime takes as many as the device can run at once. */
static struct tree_expr *blocks(struct tree *t, struct tree_expr *most)
{
    struct tree_expr *one = expr_binary(t, EXPR_LE, most, expr_i64(t, MOST_OF_ONE_BLOCK));
    struct tree_expr *few = expr_binary(t, EXPR_LE, most, expr_i64(t, MOST_OF_CLUSTER));
    struct tree_expr *count = expr_binary(t, EXPR_ADD, most, expr_i64(t, OFFLOAD_REGION_THREADS - 1));
    count = expr_binary(t, EXPR_DIV, count, expr_i64(t, OFFLOAD_REGION_THREADS));
    return expr_select(t, one, expr_i64(t, 1), expr_select(t, few, expr_i64(t, CLUSTER), count));
}

static struct tree_stmt *write_kernel(struct device_region *r, struct tree_stmt *out, struct tree_stmt *block)
{
    struct offload *o = r->offload;
    struct tree *t = o->tree;
    struct tree_stmt *all = stmt_block(t), *store = stmt_block(t);
    const struct place *place = block->items.items[0]->place;
    struct map local = { 0 };
    offload_find_local(o, block, r->scan, &local);
    offload_load_cells(o, all, r->scan, &local);
    offload_store_cells(o, store, r->scan, &local);
    r->thread =
        own_variable(t, all, "thread", expr_binary(t, EXPR_ADD, times_block(t, THREAD_BLOCK), id(t, THREAD_INDEX)));
    r->threads = own_variable(t, all, "threads", times_block(t, THREAD_GRID_SIZE));
    offload_region_items(r, all, block);
    if (store->items.count) {
        region_barrier(r, all);
        stmt_append(t, stmt_if(t, all, expr_binary(t, EXPR_EQ, r->thread, expr_i64(t, 0)))->body, store);
    }
    stmt_append(t, out, r->front);
    struct tree_stmt *k = offload_kernel(o, out, "region", all, place, false);
    struct tree_kernel *kernel = NEW(t->arena, struct tree_kernel);
    kernel->cooperative = true;
    kernel->least_blocks = 1; /* a second block would hide less of a barrier than spilled registers cost */
    k->kernel = kernel;
    k->args[KERNEL_BLOCK] = expr_i64(t, OFFLOAD_REGION_THREADS);
    stmt_append(t, out, r->behind);
    return k;
}

void offload_region(struct offload *o, struct tree_stmt *out, struct tree_stmt *block, struct tree_stmt *large)
{
    struct tree *t = o->tree;
    const struct place *place = block->items.items[0]->place;
    struct tree_scan scan = { .arena = t->scratch };
    tree_scan_add(&scan, block);
    struct device_region r = { .offload = o,
                               .level = TREE_GRID,
                               .scan = &scan,
                               .small = large != NULL,
                               .front = stmt_block(t),
                               .behind = stmt_block(t) };
    struct tree_stmt *small = stmt_block(t), *k = write_kernel(&r, small, block);
    struct tree_expr *most = stmt_variable(t, out, "most", offload_value(o, out, r.most, place));
    k->args[KERNEL_GRID] = blocks(t, most);
    if (!large) {
        stmt_append(t, out, small);
        return;
    }
    struct tree_expr *count = offload_value(o, out, r.planes, place);
    struct tree_stmt *branch = stmt_if(t, out, expr_binary(t, EXPR_LE, count, expr_i64(t, REGION_MOST_SMALL)));
    branch->place = place;
    branch->otherwise = large;
    stmt_append(t, branch->body, small);
}
