/* May the iterations of a loop run side by side, and what do its variables carry? */
#include "lower/opt/vectors/vectorize.h"

#include "lower/opt/remark.h"
#include "lower/tree/tree_rows.h"

bool lanes_obstacle(struct vectorize *v, const char *why)
{
    if (!v->why)
        v->why = why;
    return false;
}

struct lane_variable *lanes_variable(const struct vectorize *v, const struct tree_var *var)
{
    return map_get(&v->variables, var);
}

/* ---- variables ---- */

static struct lane_variable *note(struct vectorize *v, struct tree_var *var)
{
    struct lane_variable *x = lanes_variable(v, var);
    if (!x) {
        x = NEW(v->tree->scratch, struct lane_variable);
        *x = (struct lane_variable){ .var = var };
        map_put(v->tree->scratch, &v->variables, var, x);
    }
    return x;
}

static void find_load(void *user, struct tree_expr *e) { *(bool *)user |= e->op == EXPR_LOAD; }

/* The operation of x = x op e, where x is not in e; 0: it is something else. What a logical operation may not need is
 * not loaded for it. */
static enum expr_op step_of(const struct tree_stmt *s)
{
    const struct tree_expr *e = s->value;
    bool truth = s->var->type->kind == TYPE_BOOL, loads = false;
    if (e->num_args != 2 || e->args[0]->op != EXPR_VAR || e->args[0]->var != s->var ||
        expr_mentions(e->args[1], s->var))
        return 0;
    expr_visit(e->args[1], find_load, &loads);
    switch (e->op) {
    case EXPR_ADD:
    case EXPR_SUB:
        return truth ? 0 : EXPR_ADD;
    case EXPR_MUL:
    case EXPR_MIN:
    case EXPR_MAX:
        return truth ? 0 : e->op;
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_XOR:
        return e->op;
    case EXPR_LOGICAL_AND:
    case EXPR_LOGICAL_OR:
        return loads ? 0 : e->op == EXPR_LOGICAL_AND ? EXPR_AND : EXPR_OR;
    default:
        return 0;
    }
}

struct steps {
    struct vectorize *vectorize;
    struct tree_var *var;
    enum expr_op op; /* of the first */
    uint32_t count;
    bool same, any_order;
};

static bool see_step(void *user, struct tree_stmt *s)
{
    struct steps *x = user;
    if (s->var != x->var || s->kind != STMT_ASSIGN)
        return true;
    x->op = x->count ? x->op : step_of(s);
    x->same &= x->op && step_of(s) == x->op;
    x->any_order &= s->reassociate || !(type_is_float(s->var->type) || type_is_complex(s->var->type));
    x->count++;
    return true;
}

/* A variable that carries a value from iteration to iteration: does it accumulate? Its loop names it nowhere else. */
static bool take_accumulator(struct vectorize *v, struct lane_variable *x)
{
    struct steps steps = { .vectorize = v, .var = x->var, .same = true, .any_order = true };
    stmt_visit(v->loop->body, see_step, &steps);
    uintptr_t uses = (uintptr_t)map_get(&v->scan.uses, x->var);
    if (!steps.count || !steps.same || uses != 2 * (uintptr_t)steps.count)
        return lanes_obstacle(v, "a variable carries values from iteration to iteration");
    const struct type *type = x->var->type;
    bool real = type->kind == TYPE_F32 || type->kind == TYPE_F64 || type_is_complex(type);
    x->accumulates = steps.op;
    x->ordered = !steps.any_order;
    if (!real && !type_is_integer(type) && type->kind != TYPE_BOOL)
        return lanes_obstacle(v, "it reduces values of a type that vectors do not have");
    if (x->ordered && x->accumulates != EXPR_ADD)
        return lanes_obstacle(v, "the order of the operations of a reduction must be kept");
    vec_push(v->tree->scratch, &v->accumulators, x);
    return true;
}

/* Is there a path through the iteration on which it is read before it is given a value? */
struct flow {
    struct vectorize *vectorize;
    VEC(struct tree_var *) trail;
    struct map defined, carried;
};

static void see_use(void *user, struct tree_expr *e)
{
    struct flow *f = user;
    if (e->op == EXPR_VAR && lanes_variable(f->vectorize, e->var) && !map_has(&f->defined, e->var))
        map_put(f->vectorize->tree->scratch, &f->carried, e->var, e->var);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_use, user); }

static void define(struct flow *f, struct tree_var *var)
{
    if (map_has(&f->defined, var))
        return;
    map_put(f->vectorize->tree->scratch, &f->defined, var, var);
    vec_push(f->vectorize->tree->scratch, &f->trail, var);
}

static void follow(struct flow *f, struct tree_stmt *s);

/* What both sides of a branch define is defined behind it; the variables of a side are taken off the end of the trail.
 */
static void follow_branch(struct flow *f, struct tree_stmt *s)
{
    struct arena *a = f->vectorize->tree->scratch;
    struct map first = { 0 };
    VEC(struct tree_var *) both = { 0 };
    struct tree_stmt *const bodies[] = { s->body, s->otherwise };
    for (int i = 0; i < 2; i++) {
        uint32_t before = f->trail.count;
        if (bodies[i])
            follow(f, bodies[i]);
        while (f->trail.count > before) {
            struct tree_var *var = f->trail.items[--f->trail.count];
            map_remove(&f->defined, var);
            if (i == 0)
                map_put(a, &first, var, var);
            else if (map_has(&first, var))
                vec_push(a, &both, var);
        }
    }
    for (uint32_t i = 0; i < both.count; i++)
        define(f, both.items[i]);
}

static void follow(struct flow *f, struct tree_stmt *s)
{
    stmt_each_expr(s, see_operand, f);
    for (uint32_t i = 0; i < s->items.count; i++)
        follow(f, s->items.items[i]);
    if (s->kind == STMT_IF)
        follow_branch(f, s);
    if (s->kind == STMT_ASSIGN)
        define(f, s->var);
}

static bool check_variables(struct vectorize *v)
{
    const struct tree_scan *whole = tree_whole(&v->iterations->whole);
    struct flow f = { .vectorize = v };
    follow(&f, v->loop->body);
    for (uint32_t i = 0; i < v->scan.assigned.count; i++) {
        struct tree_var *var = (struct tree_var *)v->scan.assigned.slots[i].key;
        bool outside = map_get(&v->scan.uses, var) != map_get(&whole->uses, var);
        if (var == v->loop->var) {
            v->outlives = outside;
        } else if (map_has(&f.carried, var)) {
            if (!lanes_take_place(v, lanes_variable(v, var)) && !take_accumulator(v, lanes_variable(v, var)))
                return false;
        } else if (outside) {
            return lanes_obstacle(v, "a variable that it gives a value is used outside of it");
        }
    }
    return true;
}

/* ---- statements ---- */

static bool see_statement(void *user, struct tree_stmt *s)
{
    struct vectorize *v = user;
    switch (s->kind) {
    case STMT_BLOCK:
    case STMT_IF:
    case STMT_STORE:
        return !v->why;
    case STMT_ASSIGN:
        note(v, s->var);
        return !v->why;
    case STMT_REDUCE:
        return s->atomic ? lanes_obstacle(v, "it reduces into elements that other threads reduce into as well")
                         : !v->why;
    case STMT_CALL:
        return lanes_obstacle(v, "it calls a function that vectors have no code for");
    case STMT_ALLOC:
        return lanes_obstacle(v, "an iteration takes memory for itself");
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_GOTO:
    case STMT_RETURN:
    case STMT_LABEL:
        return lanes_obstacle(v, "control leaves it, or jumps inside of it");
    default:
        return lanes_obstacle(v, "vectors have no code for a statement of it");
    }
}

/* Variables that are assigned once, always, and computed from the counter. */
static void take_indices(struct vectorize *v, struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        if (item->kind == STMT_BLOCK)
            take_indices(v, item);
        if (item->kind != STMT_ASSIGN || item->var->type->kind != TYPE_I64)
            continue;
        struct tree_expr *value = lanes_substitute(v, item->value);
        struct lane_variable *x = lanes_variable(v, item->var);
        struct steps steps = { .vectorize = v, .var = item->var, .same = true };
        stmt_visit(v->loop->body, see_step, &steps);
        if (steps.count == 1 && lanes_is_index(v, value))
            x->index = value;
    }
}

/* ---- the size of lanes ---- */

static void measure(struct vectorize *v, struct tree_expr *e);

static void measure_index(struct vectorize *v, struct tree_expr *index)
{
    struct lane_index at = lanes_index(v, index);
    if (at.shape == LANES_UNIT || at.shape == LANES_SAME)
        return;
    v->bytes = v->bytes < sizeof(int64_t) ? sizeof(int64_t) : v->bytes;
    if (at.shape == LANES_INDEXED)
        measure(v, at.index);
}

static void measure_type(struct vectorize *v, const struct type *type)
{
    uint32_t bytes = type_is_complex(type) ? type->size / 2 : type->size; /* the parts lie in vectors of their own */
    v->bytes = v->bytes < bytes ? bytes : v->bytes;
}

static void measure(struct vectorize *v, struct tree_expr *e)
{
    if (tree_scan_invariant(&v->scan, e))
        return;
    measure_type(v, e->type);
    if (e->op == EXPR_LOAD)
        measure_index(v, e->args[1]);
    else
        for (uint32_t i = 0; i < e->num_args; i++)
            measure(v, e->args[i]);
}

static bool measure_statement(void *user, struct tree_stmt *s)
{
    struct vectorize *v = user;
    const struct lane_variable *x = s->kind == STMT_ASSIGN ? lanes_variable(v, s->var) : NULL;
    if (x && x->index)
        return true;
    if (x && x->step) {
        measure(v, s->value->args[1]->op == EXPR_CAST ? s->value->args[1]->args[0] : s->value->args[1]);
        return true;
    }
    if ((s->kind == STMT_STORE && !map_has(&v->appends, s)) || s->kind == STMT_REDUCE)
        measure_index(v, s->index);
    if (s->value) {
        measure_type(v, s->value->type);
        measure(v, s->value);
    }
    return true;
}

/* Do iterations depend on each other but by what they append? */
static bool are_apart(struct vectorize *v, const struct tree_frame *frame)
{
    struct iterations *x = v->iterations;
    struct fuse_nest nest = { .loops = { v->loop }, .depth = 1 };
    struct tree_stmt *kept = NEW_ARRAY(v->tree->scratch, struct tree_stmt, v->hidden.count + 1);
    for (uint32_t i = 0; i < v->hidden.count; i++) {
        kept[i] = *v->hidden.items[i];
        *v->hidden.items[i] = *stmt_block(v->tree);
    }
    bool apart = iterations_are_apart(x, v->loop, &nest, frame);
    for (uint32_t i = 0; i < v->hidden.count; i++)
        *v->hidden.items[i] = kept[i];
    if (apart)
        return true;
    const char *dependence = remark_dependence(v->tree, x->obstacle.a, x->obstacle.b);
    return lanes_obstacle(v, dependence ? dependence : "iterations may access the same element");
}

bool lanes_check(struct vectorize *v, const struct tree_frame *frame)
{
    struct tree_stmt *loop = v->loop;
    if (loop->var->type->kind != TYPE_I64)
        return lanes_obstacle(v, "its counter is not int64");
    if (loop->step->op != EXPR_INT && !tree_scan_invariant(&v->scan, loop->step))
        return lanes_obstacle(v, "its step changes in it");
    stmt_visit(loop->body, see_statement, v);
    if (v->why || !check_variables(v))
        return false;
    if (!loop->loop.independent && !are_apart(v, frame))
        return false;
    take_indices(v, loop->body);
    stmt_visit(loop->body, measure_statement, v);
    return true;
}
