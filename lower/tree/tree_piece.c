#include "lower/tree/tree_piece.h"

#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_rows.h"

/* ---- what one statement touches ---- */

bool expr_loads_memory(const struct tree_expr *e)
{
    return (e->op == EXPR_LOAD || e->op == EXPR_MASKED) && expr_root(e->args[0])->op != EXPR_DATA;
}

void stmt_each_touch(const struct tree_stmt *s, void (*see)(void *user, const struct tree_touch *touch), void *user)
{
    static const struct tree_touch all = { .write = true, .read = true };
    unsigned flags = stmt_rows[s->kind].flags;
    if (flags & STMT_READS_SOURCE && expr_root(s->pointer2)->op != EXPR_DATA)
        see(user, &(struct tree_touch){ s->alias2, s->pointer2, NULL, s->count, s->type, false, true, false });
    if (s->kind == STMT_MASKED) { /* any number of elements, anywhere */
        see(user, &(struct tree_touch){ .alias = s->alias, .type = s->value->type, .write = true });
    } else if (flags & STMT_WRITES) {
        const struct type *type = s->type ? s->type : s->value->type;
        bool reads = flags & STMT_READS;
        see(user,
            &(struct tree_touch){ s->alias, s->pointer, s->index, s->count, type, true, reads, s->kind == STMT_STORE });
    }
    if (flags & STMT_CALLS && callee_touches(stmt_callee(s), s->args, s->num_args))
        see(user, &all);
}

bool stmt_is_control(const struct tree_stmt *s) { return stmt_rows[s->kind].flags & STMT_CONTROL; }

/* ---- collecting ---- */

struct collect {
    struct arena *arena;
    struct tree_piece *piece;
    const struct tree_frame *frame;
    uint32_t loops; /* around the statement, inside the piece */
    bool guarded;
    bool changes; /* nothing else is wanted */
};

static void set_place(struct collect *c, struct tree_access *a, const struct tree_touch *touch)
{
    const struct tree_expr *pointer = touch->pointer;
    struct linear at, more;
    if (touch->index)
        linear_of(&at, touch->index);
    else
        linear_constant(&at, 0);
    if (pointer && pointer->op == EXPR_OFFSET && pointer->type->elem == touch->type) {
        linear_of(&more, pointer->args[1]);
        linear_add(&at, &more, 1);
        pointer = pointer->args[0];
    }
    a->pointer = pointer;
    a->at = linear_keep(c->arena, &at);
}

static void see_touch(void *user, const struct tree_touch *touch)
{
    struct collect *c = user;
    if (c->changes && !touch->write)
        return;
    struct tree_access *a = NEW(c->arena, struct tree_access);
    *a = (struct tree_access){ .alias = touch->alias, .type = touch->type, .frame = c->frame, .guarded = c->guarded };
    a->write = touch->write;
    a->read = touch->read;
    a->store = touch->store;
    a->extent = !touch->count ? 1 : touch->count->op == EXPR_INT ? touch->count->i : PIECE_UNKNOWN_EXTENT;
    if (!c->changes)
        set_place(c, a, touch);
    vec_push(c->arena, &c->piece->accesses, a);
}

static void see_expr(void *user, struct tree_expr *e)
{
    struct collect *c = user;
    if (e->op == EXPR_VAR) {
        if (!c->changes)
            vec_push(c->arena, &c->piece->reads, e->var);
    } else if (e->op == EXPR_CALL) {
        c->piece->effects |= !callee_is_pure(e->callee);
        if (callee_touches(e->callee, e->args, e->num_args))
            see_touch(c, &(struct tree_touch){ .write = true, .read = true });
    } else if (!c->changes && expr_loads_memory(e) && e->op == EXPR_MASKED) {
        see_touch(c, &(struct tree_touch){ .alias = e->alias, .type = e->type, .read = true });
    } else if (!c->changes && expr_loads_memory(e)) {
        see_touch(c, &(struct tree_touch){ e->alias, e->args[0], e->args[1], NULL, e->type, false, true, false });
    }
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_expr, user); }

static void see_flow(struct collect *c, const struct tree_stmt *s)
{
    unsigned flags = stmt_rows[s->kind].flags;
    bool leaves = flags & STMT_LEAVES_LOOP;
    c->piece->jumps |= leaves;
    c->piece->control |= (leaves && c->loops == 0) || flags & STMT_CONTROL;
    c->piece->frees |= s->kind == STMT_FREE;
    c->piece->effects |= flags & STMT_CALLS;
}

static void see(struct collect *c, struct tree_stmt *s)
{
    stmt_each_expr(s, see_operand, c);
    struct tree_var *const vars[] = { s->var, s->var2 };
    for (int i = 0; i < 2; i++)
        if (vars[i])
            vec_push(c->arena, &c->piece->writes, vars[i]);
    stmt_each_touch(s, see_touch, c);
    see_flow(c, s);
    struct collect outer = *c;
    c->loops += stmt_is_loop(s);
    c->guarded |= s->kind == STMT_IF || s->kind == STMT_WHILE;
    if (s->kind == STMT_FOR && !c->changes) {
        struct tree_frame *f = NEW(c->arena, struct tree_frame);
        *f = tree_frame_of(c->frame, s);
        c->frame = f;
    }
    if (s->body)
        see(c, s->body);
    if (s->otherwise)
        see(c, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++)
        see(c, s->items.items[i]);
    *c = outer;
}

void piece_add(struct arena *a, struct tree_piece *p, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct collect c = { .arena = a, .piece = p, .frame = frame };
    see(&c, s);
}

void piece_add_changes(struct arena *a, struct tree_piece *p, struct tree_stmt *s)
{
    struct collect c = { .arena = a, .piece = p, .changes = true };
    see(&c, s);
}

/* ---- sets ---- */

void piece_set_init(struct piece_set *set, struct arena *a, const struct tree *t)
{
    *set = (struct piece_set){ .arena = a, .tree = t, .stamp = 1 };
    set->classes = NEW_ARRAY(a, struct piece_class, t->num_aliases);
}

void piece_set_clear(struct piece_set *set)
{
    set->stamp++;
    set->touched.count = 0;
    set->all = (struct piece_class){ 0 };
    set->control = set->effects = false;
}

static void grow(struct piece_set *set)
{
    uint32_t count = set->tree->num_vars + set->tree->num_vars / 4 + 16;
    uint32_t *read = NEW_ARRAY(set->arena, uint32_t, count), *written = NEW_ARRAY(set->arena, uint32_t, count);
    for (uint32_t i = 0; i < set->num_vars; i++) {
        read[i] = set->read[i];
        written[i] = set->written[i];
    }
    set->read = read;
    set->written = written;
    set->num_vars = count;
}

static struct piece_class *class_of(struct piece_set *set, uint32_t alias)
{
    struct piece_class *c = &set->classes[alias];
    if (c->stamp != set->stamp) {
        *c = (struct piece_class){ .stamp = set->stamp };
        vec_push(set->arena, &set->touched, alias);
    }
    return c;
}

void piece_set_add(struct piece_set *set, const struct tree_piece *p)
{
    if (set->num_vars < set->tree->num_vars)
        grow(set);
    for (uint32_t i = 0; i < p->reads.count; i++)
        set->read[p->reads.items[i]->id] = set->stamp;
    for (uint32_t i = 0; i < p->writes.count; i++)
        set->written[p->writes.items[i]->id] = set->stamp;
    for (uint32_t i = 0; i < p->accesses.count; i++) {
        struct tree_access *a = p->accesses.items[i];
        struct piece_class *c = class_of(set, a->alias);
        c->read |= a->read;
        c->write |= a->write;
        set->all.read |= a->read;
        set->all.write |= a->write;
        a->next = c->accesses;
        c->accesses = a;
    }
    set->control |= p->control;
    set->effects |= p->effects;
}

static const struct piece_class nothing;

const struct piece_class *piece_set_class(const struct piece_set *set, uint32_t alias)
{
    const struct piece_class *c = &set->classes[alias];
    return c->stamp == set->stamp ? c : &nothing;
}

static bool has(const uint32_t *stamps, const struct piece_set *set, const struct tree_var *v)
{
    return v->id < set->num_vars && stamps[v->id] == set->stamp;
}

bool piece_set_writes_var(const struct piece_set *set, const struct tree_var *v) { return has(set->written, set, v); }

bool piece_set_orders_control(const struct piece_set *set, const struct tree_piece *p)
{
    if (set->control || p->control || (set->effects && p->effects))
        return true;
    for (uint32_t i = 0; i < p->reads.count; i++)
        if (has(set->written, set, p->reads.items[i]))
            return true;
    for (uint32_t i = 0; i < p->writes.count; i++)
        if (has(set->written, set, p->writes.items[i]) || has(set->read, set, p->writes.items[i]))
            return true;
    return false;
}

static bool orders(const struct tree_access *a, const struct piece_class *c)
{
    return c->write || (c->read && a->write);
}

bool piece_set_orders(const struct piece_set *set, const struct tree_piece *p)
{
    if (piece_set_orders_control(set, p))
        return true;
    for (uint32_t i = 0; i < p->accesses.count; i++) {
        const struct tree_access *a = p->accesses.items[i];
        if (a->alias == 0 ? orders(a, &set->all)
                          : orders(a, piece_set_class(set, a->alias)) || orders(a, piece_set_class(set, 0)))
            return true;
    }
    return false;
}
