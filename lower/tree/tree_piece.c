#include "lower/tree/tree_piece.h"

/* ---- collecting ---- */

struct collect {
    struct arena *arena;
    struct tree_piece *piece;
    const struct tree_frame *frame;
    uint32_t loops; /* around the statement, inside the piece */
    bool guarded;
};

static struct tree_access *add_access(struct collect *c, uint32_t alias, const struct tree_expr *pointer,
                                      const struct tree_expr *index, const struct type *type)
{
    struct tree_access *a = NEW(c->arena, struct tree_access);
    struct linear at, more;
    a->alias = alias;
    a->type = type;
    a->extent = 1;
    a->frame = c->frame;
    a->guarded = c->guarded;
    if (index)
        linear_of(&at, index);
    else
        linear_constant(&at, 0);
    if (pointer && pointer->op == EXPR_OFFSET && pointer->type->elem == type) {
        linear_of(&more, pointer->args[1]);
        linear_add(&at, &more, 1);
        pointer = pointer->args[0];
    }
    a->pointer = pointer;
    a->at = linear_keep(c->arena, &at);
    vec_push(c->arena, &c->piece->accesses, a);
    return a;
}

static void add_range(struct collect *c, const struct tree_stmt *s, const struct tree_expr *pointer, uint32_t alias,
                      bool write)
{
    struct tree_access *a = add_access(c, alias, pointer, NULL, s->type);
    a->extent = s->count->op == EXPR_INT ? s->count->i : PIECE_UNKNOWN_EXTENT;
    a->write = write;
    a->read = !write;
}

/* A function that is given memory may do everything with it and what it leads to. */
static void add_call(struct collect *c, struct tree_expr *const *args, uint32_t num_args, bool memory)
{
    for (uint32_t i = 0; i < num_args; i++)
        memory |= !type_is_basic(args[i]->type) && args[i]->type->kind != TYPE_VECTOR;
    c->piece->effects = true;
    if (memory) {
        struct tree_access *a = add_access(c, 0, NULL, NULL, NULL);
        a->read = a->write = true;
    }
}

static void see_expr(void *user, struct tree_expr *e)
{
    struct collect *c = user;
    if (e->op == EXPR_VAR)
        vec_push(c->arena, &c->piece->reads, e->var);
    else if (e->op == EXPR_LOAD && expr_root(e->args[0])->op != EXPR_DATA)
        add_access(c, e->alias, e->args[0], e->args[1], e->type)->read = true;
    else if (e->op == EXPR_CALL)
        add_call(c, e->args, e->num_args, false);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_expr, user); }

static void see_memory(struct collect *c, const struct tree_stmt *s)
{
    struct tree_access *a;
    switch (s->kind) {
    case STMT_STORE:
    case STMT_REDUCE:
    case STMT_UPDATE:
        a = add_access(c, s->alias, s->pointer, s->index, s->kind == STMT_UPDATE ? s->var->type : s->value->type);
        a->write = true;
        a->store = s->kind == STMT_STORE;
        a->read = !a->store;
        break;
    case STMT_COPY:
        if (expr_root(s->pointer2)->op != EXPR_DATA)
            add_range(c, s, s->pointer2, s->alias2, false);
        add_range(c, s, s->pointer, s->alias, true);
        break;
    case STMT_ZERO:
        add_range(c, s, s->pointer, s->alias, true);
        break;
    case STMT_CALL:
        add_call(c, s->args, s->num_args, s->pointer != NULL); /* a callback may know anything */
        break;
    default:
        break;
    }
}

static void see_flow(struct collect *c, const struct tree_stmt *s)
{
    switch (s->kind) {
    case STMT_BREAK:
    case STMT_CONTINUE:
        c->piece->control |= c->loops == 0;
        c->piece->jumps = true;
        break;
    case STMT_LABEL:
    case STMT_GOTO:
    case STMT_RETURN:
    case STMT_PARALLEL:
    case STMT_BARRIER:
    case STMT_CRITICAL:
        c->piece->control = true;
        break;
    case STMT_FREE:
        c->piece->frees = true;
        break;
    default:
        break;
    }
}

static void see(struct collect *c, struct tree_stmt *s)
{
    stmt_each_expr(s, see_operand, c);
    struct tree_var *const vars[] = { s->var, s->var2 };
    for (int i = 0; i < 2; i++)
        if (vars[i])
            vec_push(c->arena, &c->piece->writes, vars[i]);
    see_memory(c, s);
    see_flow(c, s);
    struct collect outer = *c;
    bool loop = s->kind == STMT_FOR || s->kind == STMT_WHILE || s->kind == STMT_DO;
    c->loops += loop;
    c->guarded |= s->kind == STMT_IF || s->kind == STMT_WHILE;
    if (s->kind == STMT_FOR) {
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
