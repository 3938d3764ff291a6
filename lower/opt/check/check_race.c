/* Iterations of maps that touch the same element: the runtime is told of each access inside of a map, with a number of
 * the iteration (runtime/check_race.c). The outermost map counts. */
#include "lower/opt/check/check.h"

struct race {
    struct checking *k;
    const struct tree_stmt *map; /* the outermost loop of the map around, or NULL */
    struct tree_var *epoch;      /* number of this run of the map */
    struct tree_expr *iteration;
    struct map inner; /* memory of one iteration: const struct tree_var * */
};

enum { RACE_READ, RACE_WRITE, RACE_UPDATE };
enum { RACE_EPOCH, RACE_ITERATION, RACE_MODE, RACE_SAMPLE, RACE_BYTES, RACE_DIMS };

static bool find_inner(void *user, struct tree_stmt *s)
{
    struct race *w = user;
    if (s->kind == STMT_ALLOC)
        map_put(w->k->tree->scratch, &w->inner, s->var, w);
    return true;
}

static void tell(struct race *w, struct tree_stmt *block, const struct tree_stmt *s)
{
    struct tree *t = w->k->tree;
    const struct check_root *root = check_root_of(w->k, s->args[CHECK_POINTER]);
    if (!root || map_has(&w->inner, root->var) || !(s->check->read || s->check->write))
        return;
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    uint32_t rank = s->check->rank, numbers = CHECK_DIM * rank;
    int mode = !s->check->write ? RACE_READ : s->check->read ? RACE_UPDATE : RACE_WRITE;
    block = stmt_if(t, block, expr_var(t, s->var))->body;
    if (!expr_is_int(s->args[CHECK_WHEN], 1))
        block = stmt_if(t, block, s->args[CHECK_WHEN])->body;
    struct tree_var *list = tree_var(t, "access", type_pointer(t->ir, i64));
    stmt_alloc(t, block, list, i64, expr_i64(t, RACE_DIMS + numbers), TREE_STACK);
    struct tree_expr *head[RACE_DIMS] = {
        [RACE_EPOCH] = expr_var(t, w->epoch),
        [RACE_ITERATION] = w->iteration,
        [RACE_MODE] = expr_i64(t, mode),
        [RACE_SAMPLE] = expr_i64(t, w->k->kinds & SDFG_RT_CHECK_RACE ? 1 : 64),
        [RACE_BYTES] = expr_i64(t, s->args[CHECK_POINTER]->type->elem->size),
    };
    for (uint32_t i = 0; i < RACE_DIMS + numbers; i++)
        stmt_store(t, block, expr_var(t, list), expr_i64(t, i),
                   i < RACE_DIMS ? head[i] : s->args[CHECK_DIMS + i - RACE_DIMS], 0);
    struct tree_check *c = arena_copy(t->arena, s->check, sizeof *c);
    c->flat = false;
    struct tree_expr *args[] = { expr_context(t), check_describe(t, c, SDFG_RT_CHECK_RACE, rank),
                                 s->args[CHECK_POINTER], expr_var(t, list) };
    stmt_call(t, block, NULL, "sdfg_rt_race", args, 4)->place = s->place;
}

static void visit(struct race *w, struct tree_stmt *s);

static void visit_block(struct race *w, struct tree_stmt *s);

static bool is_map(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent);
}

/* Another parameter of the map, or of one inside, which counts as well. */
static void visit_parameter(struct race *w, struct tree_stmt *s)
{
    struct tree *t = w->k->tree;
    struct tree_expr *before = w->iteration;
    struct tree_expr *v = expr_cast(t, type_basic(t->ir, TYPE_I64), expr_var(t, s->var));
    struct tree_expr *mixed = expr_binary(t, EXPR_MUL, before, expr_i64(t, 0x2545F4914F6CDD1D));
    w->iteration = expr_binary(t, EXPR_ADD, mixed, v);
    visit(w, s->body);
    w->iteration = before;
}

static void visit_map(struct race *w, struct tree_stmt *block, struct tree_stmt *s)
{
    struct tree *t = w->k->tree;
    struct tree_expr *args[] = { expr_context(t) };
    w->map = s;
    w->epoch = tree_var(t, "epoch", type_basic(t->ir, TYPE_I64));
    stmt_call(t, block, w->epoch, "sdfg_rt_race_begin", args, 1);
    w->iteration = expr_i64(t, 1);
    w->inner = (struct map){ 0 };
    stmt_visit(s->body, find_inner, w);
    visit_parameter(w, s);
    w->map = NULL;
}

static void visit_block(struct race *w, struct tree_stmt *s)
{
    struct tree *t = w->k->tree;
    struct tree_stmt *out = stmt_block(t);
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        if (is_map(item) && !w->map && item->place && !t->region)
            visit_map(w, out, item);
        else
            visit(w, item);
        stmt_append(t, out, item);
        if (w->map && stmt_is_check(item) && item->check->kind == SDFG_RT_CHECK_BOUNDS)
            tell(w, out, item);
    }
    s->items.items = out->items.items;
    s->items.count = out->items.count;
    s->items.capacity = out->items.capacity;
}

static void visit(struct race *w, struct tree_stmt *s)
{
    const struct tree_stmt *region = w->k->tree->region;
    if (s->kind == STMT_PARALLEL)
        w->k->tree->region = s;
    if (s->kind == STMT_BLOCK)
        visit_block(w, s);
    else if (w->map && is_map(s) && s->place == w->map->place)
        visit_parameter(w, s);
    else if (s->body)
        visit(w, s->body);
    if (s->otherwise)
        visit(w, s->otherwise);
    w->k->tree->region = region;
}

void check_race(struct checking *k)
{
    struct race w = { .k = k };
    visit(&w, k->func->body);
}
