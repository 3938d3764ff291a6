/* What every tree must satisfy. A broken rule is a fault of the pass before. */
#include "lower/tree/tree_rows.h"
#include "lower/tree/tree_verify_meet.h"
#include "lower/tree/tree_verify_space.h"

#include "base/map.h"
#include "base/text.h"

struct verify {
    const struct tree *tree;
    struct diags *diags;
    const struct tree_stmt *region; /* innermost parallel region or kernel */
    bool in_loop;                   /* break and continue have a target in this region */
    bool locked;                    /* inside a body that must be left at its end */
    const struct tree_stmt *stmt;
    struct map kernels;   /* by their names */
    struct map labels;    /* label -> region in which it stands */
    struct map loop_vars; /* variables of the FOR loops around */
    bool ok;
};

static void broken(struct verify *v, const char *what, const struct tree_expr *e)
{
    if (!v->ok)
        return; /* the first is enough */
    v->ok = false;
    struct text message = text_new(v->tree->arena);
    text_printf(&message, "loop tree: %s: ", what);
    if (e) {
        expr_print(e, &message);
        text_add(&message, " in: ");
    }
    size_t start = message.length;
    stmt_print(v->stmt, 0, &message);
    for (size_t i = start; i < message.length; i++)
        if (message.data[i] == '\n') {
            message.data[i] = '\0'; /* the head of the statement says enough */
            break;
        }
    diag_error(v->diags, v->stmt->place, DIAG_BUG, text_get(&message));
}

static void must(struct verify *v, bool condition, const char *what, const struct tree_expr *e)
{
    if (!condition)
        broken(v, what, e);
}

static bool is_i64(const struct tree_expr *e) { return e->type->kind == TYPE_I64; }

/* A variable of this region or one around it. */
static bool visible(const struct verify *v, const struct tree_var *var)
{
    const struct tree_stmt *region = v->region;
    while (region && region != var->owner)
        region = region->region;
    return region == var->owner;
}

/* ---- expressions ---- */

static bool is_number(const struct type *t) { return type_is_arithmetic(type_scalar(t)); }

static bool same_lanes(const struct type *a, const struct type *b)
{
    return a->kind == TYPE_VECTOR && b->kind == TYPE_VECTOR && a->lanes == b->lanes && a->scalable == b->scalable;
}

static bool castable(const struct type *to, const struct type *from)
{
    bool from_pointer = from->kind == TYPE_POINTER || from->kind == TYPE_STRING || from->kind == TYPE_CALLBACK ||
                        from->kind == TYPE_OPAQUE;
    bool to_pointer =
        to->kind == TYPE_POINTER || to->kind == TYPE_STRING || to->kind == TYPE_CALLBACK || to->kind == TYPE_OPAQUE;
    if (from_pointer || to_pointer)
        return (from_pointer || type_is_integer(from)) && (to_pointer || type_is_integer(to));
    if (to->kind == TYPE_VECTOR || from->kind == TYPE_VECTOR)
        return to->kind == from->kind && same_lanes(to, from) && castable(to->elem, from->elem);
    return type_is_basic(to) && type_is_basic(from);
}

static void check_same(struct verify *v, const struct tree_expr *e)
{
    for (uint32_t i = 0; i < e->num_args; i++)
        must(v, e->args[i]->type == e->type, "operands and result differ in type", e);
    must(v, is_number(e->type), "arithmetic on this type", e);
}

static void check_integers(struct verify *v, const struct tree_expr *e)
{
    const struct type *t = type_scalar(e->type);
    check_same(v, e);
    must(v, type_is_integer(t) || t->kind == TYPE_BOOL, "bit operation on this type", e);
}

static void check_compare(struct verify *v, const struct tree_expr *e)
{
    const struct type *a = e->args[0]->type;
    must(v, a == e->args[1]->type, "compared values differ in type", e);
    bool equality = e->op == EXPR_EQ || e->op == EXPR_NE;
    bool ordered = is_number(a) && !type_is_complex(type_scalar(a));
    must(v, ordered || equality, "no order on this type", e);
    must(v,
         a->kind == TYPE_VECTOR ? same_lanes(e->type, a) && (!a->scalable || e->type->elem->kind == TYPE_BOOL)
                                : e->type->kind == TYPE_BOOL,
         "type of a comparison", e);
}

static void check_memory(struct verify *v, const struct tree_expr *e)
{
    const struct tree_expr *pointer = e->args[0];
    must(v, pointer->type->kind == TYPE_POINTER, "not a pointer", e);
    if (e->op != EXPR_FIELD)
        must(v, is_i64(e->args[1]), "index is not int64", e);
    if (e->op == EXPR_LOAD)
        must(v, e->alias < v->tree->num_aliases, "unknown alias class", e);
    if (e->op == EXPR_OFFSET)
        must(v, e->type == pointer->type && e->type->elem->size > 0, "type of an offset", e);
    if (e->op == EXPR_FIELD && pointer->type->kind == TYPE_POINTER)
        must(v, pointer->type->elem->kind == TYPE_STRUCT && e->i >= 0 && e->i < pointer->type->elem->num_fields,
             "no such field", e);
}

static void check_math(struct verify *v, const struct tree_expr *e)
{
    must(v, e->num_args == tree_math_arity(e->math), "number of arguments", e);
    const struct type *t = type_scalar(e->args[0]->type);
    bool ok = t->kind == TYPE_F32 || t->kind == TYPE_F64 || type_is_complex(t) ||
              (e->math == TREE_MATH_fabs && type_is_integer(t));
    must(v, ok, "function on this type", e);
    for (uint32_t i = 1; i < e->num_args; i++)
        must(v, e->args[i]->type == e->args[0]->type, "arguments differ in type", e);
}

static void check_vector(struct verify *v, const struct tree_expr *e)
{
    const struct type *vector = e->op == EXPR_SPLAT ? e->type : e->args[0]->type;
    if (vector->kind != TYPE_VECTOR) {
        broken(v, "not a vector", e);
        return;
    }
    if (e->op == EXPR_SPLAT)
        must(v, e->args[0]->type == vector->elem, "type of a splat", e);
    else
        must(v, type_is_integer(e->args[1]->type), "lane is not an integer", e);
    if (e->op == EXPR_INSERT)
        must(v, e->args[2]->type == vector->elem, "type of an inserted lane", e);
}

static void check_select(struct verify *v, const struct tree_expr *e)
{
    const struct type *c = e->args[0]->type;
    must(v, c->kind == TYPE_BOOL || same_lanes(c, e->type), "condition is not bool", e);
    must(v, e->args[1]->type == e->type && e->args[2]->type == e->type, "sides differ in type", e);
}

static void check_nothing(struct verify *v, const struct tree_expr *e)
{
    (void)v;
    (void)e;
}

static void check_int(struct verify *v, const struct tree_expr *e)
{
    must(v, type_is_integer(e->type) || e->type->kind == TYPE_BOOL, "type of an integer", e);
}

static void check_float(struct verify *v, const struct tree_expr *e)
{
    must(v, type_is_float(e->type), "type of a float", e);
}

static void check_variable(struct verify *v, const struct tree_expr *e)
{
    must(v, visible(v, e->var), "variable of another region", e);
}

static void check_slot(struct verify *v, const struct tree_expr *e)
{
    must(v, e->i >= 0 && e->i < v->tree->num_slots, "unknown slot", e);
}

static bool in_kernel(const struct verify *v) { return v->region && v->region->kind == STMT_KERNEL; }

static void check_thread(struct verify *v, const struct tree_expr *e)
{
    must(v, in_kernel(v), "no kernel around", e);
    must(v, e->i >= 0 && e->i < THREAD_COUNT && e->type->kind == TYPE_I32, "no such coordinate", NULL);
}

static void check_truth(struct verify *v, const struct tree_expr *e)
{
    for (uint32_t i = 0; i < e->num_args; i++)
        must(v, e->args[i]->type->kind == TYPE_BOOL, "operand is not bool", e);
}

static void check_cast(struct verify *v, const struct tree_expr *e)
{
    must(v, castable(e->type, e->args[0]->type), "no such cast", e);
}

static void check_bits(struct verify *v, const struct tree_expr *e)
{
    must(v, e->type->size == e->args[0]->type->size, "sizes differ", e);
}

static void check_complex(struct verify *v, const struct tree_expr *e)
{
    must(v, e->args[0]->type == e->args[1]->type, "parts differ in type", e);
}

static bool is_mask_of(const struct type *mask, const struct type *vector)
{
    return same_lanes(mask, vector) && mask->elem->kind == TYPE_BOOL;
}

static void check_vscale(struct verify *v, const struct tree_expr *e) { must(v, is_i64(e), "type of vscale", e); }

static void check_steps(struct verify *v, const struct tree_expr *e)
{
    bool vector = e->type->kind == TYPE_VECTOR && type_is_integer(e->type->elem);
    must(v, vector && e->args[0]->type == e->type->elem && e->args[1]->type == e->type->elem, "type of steps", e);
}

static void check_active(struct verify *v, const struct tree_expr *e)
{
    must(v, is_mask_of(e->type, e->type), "not a mask", e);
    must(v, is_i64(e->args[0]) && is_i64(e->args[1]), "bounds of a mask are not int64", e);
}

/* `index` for lanes of a vector of this type. */
static void check_lane_index(struct verify *v, const struct tree_expr *index, const struct type *vector)
{
    const struct type *t = index->type;
    must(v, t->kind == TYPE_I64 || (same_lanes(t, vector) && type_is_integer(t->elem)), "index of lanes", index);
}

static void check_masked(struct verify *v, const struct tree_expr *e)
{
    must(v, e->args[0]->type->kind == TYPE_POINTER, "not a pointer", e);
    must(v, e->alias < v->tree->num_aliases, "unknown alias class", e);
    must(v, is_mask_of(e->args[2]->type, e->type), "not a mask of these lanes", e);
    check_lane_index(v, e->args[1], e->type);
}

static void check_lanes(struct verify *v, const struct tree_expr *e)
{
    const struct type *t = e->args[0]->type;
    must(v, t->kind == TYPE_VECTOR && e->type == t->elem && is_number(t), "not a vector of this", e);
    bool bits = e->op == EXPR_LANES_AND || e->op == EXPR_LANES_OR || e->op == EXPR_LANES_XOR;
    must(v, !bits || !type_is_float(type_scalar(t)), "bit operation on this type", e);
}

static void check_count(struct verify *v, const struct tree_expr *e)
{
    const struct type *t = e->args[0]->type;
    must(v, t->scalable && is_mask_of(t, t), "not a mask", e);
    must(v, is_i64(e), "type of a number of lanes", e);
}

static void check_compact(struct verify *v, const struct tree_expr *e)
{
    must(v, e->type == e->args[0]->type && e->type->scalable, "not a vector of this", e);
    must(v, is_mask_of(e->args[1]->type, e->type), "not a mask of these lanes", e);
}

static void check_ordered(struct verify *v, const struct tree_expr *e)
{
    const struct type *t = e->args[1]->type;
    must(v, t->kind == TYPE_VECTOR && t->elem == e->type && (type_is_float(e->type) || type_is_complex(e->type)),
         "not a vector of this", e);
    must(v, e->args[0]->type == e->type, "type of the first term", e);
}

static void (*const check_op[EXPR_OP_COUNT])(struct verify *v, const struct tree_expr *e) = {
#define EXPR(op, text, precedence, form, compares, make, check) check_##check,
#include "lower/tree/exprs.def"
};

static void check_expr(void *user, struct tree_expr *e)
{
    struct verify *v = user;
    if (v->ok)
        check_op[e->op](v, e);
}

static void check_operand(void *user, struct tree_expr **e) { expr_visit(*e, check_expr, user); }

/* ---- statements ---- */

static void check_stmt(struct verify *v, struct tree_stmt *s);

static void check_assigned(struct verify *v, const struct tree_var *var, const struct type *type)
{
    must(v, var->owner == v->region, "assigns a variable of another region", NULL);
    must(v, !map_has(&v->loop_vars, var), "assigns a loop variable", NULL);
    must(v, !type || var->type == type, "assigns another type", NULL);
}

/* A body: what stands around it says what may be in it. */
static void check_body(struct verify *v, struct tree_stmt *s, struct tree_stmt *body)
{
    unsigned flags = stmt_rows[s->kind].flags;
    struct verify outer = *v;
    if (!body)
        return;
    v->in_loop = (v->in_loop && !(flags & (STMT_LOCKS | STMT_REGION))) || flags & STMT_LOOPS;
    v->locked |= flags & STMT_LOCKS;
    if (flags & STMT_REGION) {
        must(v, s->region == v->region, "region is not where it says", NULL);
        v->region = s;
        v->loop_vars = (struct map){ 0 };
    }
    check_stmt(v, body);
    v->in_loop = outer.in_loop;
    v->locked = outer.locked;
    v->region = outer.region;
    if (flags & STMT_REGION)
        v->loop_vars = outer.loop_vars;
    v->stmt = s;
}

static void check_counter(struct verify *v, const struct tree_stmt *s)
{
    check_assigned(v, s->var, s->begin->type);
    must(v, type_is_integer(s->var->type), "loop variable is not an integer", NULL);
    must(v, s->step->op != EXPR_INT || s->step->i > 0, "step is not positive", NULL);
}

static void check_pointer(struct verify *v, const struct tree_expr *pointer, uint32_t alias)
{
    must(v, pointer->type->kind == TYPE_POINTER, "not a pointer", pointer);
    must(v, alias < v->tree->num_aliases, "unknown alias class", NULL);
}

static void check_label(struct verify *v, const struct tree_stmt *s)
{
    must(v, map_has(&v->labels, s->label), "label is not placed", NULL);
    must(v, map_get(&v->labels, s->label) == v->region, "goto into or out of a parallel region", NULL);
}

static void check_place(struct verify *v, const struct tree_stmt *s)
{
    check_pointer(v, s->pointer, s->alias);
    must(v, is_i64(s->index), "index is not int64", s->index);
}

static void check_masked_place(struct verify *v, const struct tree_stmt *s)
{
    check_pointer(v, s->pointer, s->alias);
    check_lane_index(v, s->index, s->value->type);
    must(v, is_mask_of(s->mask->type, s->value->type), "not a mask of these lanes", s->mask);
}

static void check_result(struct verify *v, const struct tree_stmt *s)
{
    const struct type *type = stmt_rows[s->kind].result == RESULT_ELEMENT ? s->value->type : NULL;
    check_assigned(v, s->var, stmt_rows[s->kind].result == RESULT_VALUE ? s->value->type : type);
    if (stmt_rows[s->kind].result == RESULT_POINTER)
        must(v, s->var->type->kind == TYPE_POINTER, "not a pointer", NULL);
}

static void check_where(struct verify *v, const struct tree_stmt *s)
{
    must(v, s->where != TREE_STACK || s->count->op == EXPR_INT, "a stack allocation of variable size", s->count);
    must(v, s->where != TREE_STATE || s->slot < v->tree->num_slots, "unknown slot", NULL);
    must(v, s->where != TREE_SHARED || s->count->op == EXPR_INT, "a shared allocation of variable size", s->count);
    bool inside = s->where == TREE_SHARED || s->where == TREE_STACK, outside = s->where != TREE_SHARED;
    must(v, in_kernel(v) ? inside : outside, "memory that cannot be taken here", NULL);
}

static void check_kernel(struct verify *v, const struct tree_stmt *s)
{
    must(v, s->num_args == KERNEL_ARGS, "dimensions of a kernel", NULL);
    for (uint32_t i = 0; i < s->num_args; i++)
        must(v, is_i64(s->args[i]), "dimension is not int64", s->args[i]);
    must(v, !v->region, "a kernel within a region", NULL);
    must(v, !map_has(&v->kernels, s->name), "two kernels of one name", NULL);
    map_put(v->tree->scratch, &v->kernels, s->name, (void *)(uintptr_t)s->name);
    const struct tree_stmt *apart = v->ok ? tree_meet_fault(v->tree, s) : NULL;
    if (apart) {
        v->stmt = apart;
        broken(v, "not all threads come here", NULL);
    }
}

/* Where threads meet. */
static void check_level(struct verify *v, const struct tree_stmt *s)
{
    enum tree_level level = s->loop.level;
    bool block = level == TREE_BLOCK || level == TREE_WARP;
    if (s->kind == STMT_GROUP)
        must(v, in_kernel(v) && (block || level == TREE_COLUMN), "no group of threads", NULL);
    else if (in_kernel(v))
        must(v, block || (level == TREE_GRID && v->region->kernel->cooperative), "threads that do not meet", NULL);
    else
        must(v, v->region && level == TREE_HOST, "no parallel region around", NULL);
}

/* clang-format off */
static void check_field(struct verify *v, struct tree_stmt *s, const struct form_field *f)
{
    void *member = form_pointer(s, f);
    const struct tree_expr *e = member;
    switch (f->role) {
    case ROLE_ASSIGNED: check_result(v, s); break;
    case ROLE_COUNTER: check_counter(v, s); break;
    case ROLE_RESULT: if (member) check_result(v, s); break;
    case ROLE_OWNED: must(v, member && ((struct tree_var *)member)->owner == s, "thread variables", NULL); break;
    case ROLE_CONDITION: must(v, e->type->kind == TYPE_BOOL, "condition is not bool", NULL); break;
    case ROLE_BOUND: must(v, e->type == s->begin->type, "bounds differ in type", NULL); break;
    case ROLE_COUNT: must(v, is_i64(e), "count is not int64", e); break;
    case ROLE_NUMBER: must(v, !e || is_i64(e), "number of threads is not int64", NULL); break;
    case ROLE_ELEMENT: check_place(v, s); break;
    case ROLE_MASKED: check_masked_place(v, s); break;
    case ROLE_TARGET: check_pointer(v, s->pointer, s->alias); break;
    case ROLE_SOURCE: check_pointer(v, s->pointer2, s->alias2); break;
    case ROLE_WHERE: check_where(v, s); break;
    case ROLE_KERNEL: check_kernel(v, s); break;
    case ROLE_LEVEL: check_level(v, s); break;
    case ROLE_WCR: must(v, s->wcr > WCR_NONE && s->wcr < WCR_CUSTOM, "not a built-in conflict resolution", NULL); break;
    case ROLE_LABEL: if (s->kind != STMT_LABEL) check_label(v, s); break;
    case ROLE_CALL:
        must(v, !s->pointer || s->pointer->type->kind == TYPE_CALLBACK, "calls what is no function", s->pointer);
        break;
    default: break;
    }
}
/* clang-format on */

/* What only one kind asks. */
static void check_kind(struct verify *v, const struct tree_stmt *s)
{
    must(v, !(stmt_rows[s->kind].flags & STMT_LEAVES_LOOP) || v->in_loop, "no loop around", NULL);
    must(v, !(stmt_rows[s->kind].flags & STMT_HOST) || !in_kernel(v), "of the host, in a kernel", NULL);
    must(v, s->kind != STMT_RETURN || (!v->region && !v->locked), "leaves a parallel region or a locked body", NULL);
}

static void check_form(struct verify *v, struct tree_stmt *s)
{
    const struct stmt_form *form = stmt_form(s->kind);
    for (uint32_t i = 0; i < form->count && v->ok; i++)
        if (form->pieces[i].field)
            check_field(v, s, form->pieces[i].field);
    check_kind(v, s);
    for (uint32_t i = 0; i < s->items.count && v->ok; i++) {
        check_stmt(v, s->items.items[i]);
        v->stmt = s;
    }
    if (!v->ok)
        return;
    bool counts = stmt_rows[s->kind].result == RESULT_BEGIN;
    if (counts)
        map_put(v->tree->scratch, &v->loop_vars, s->var, s);
    check_body(v, s, s->body);
    check_body(v, s, s->otherwise);
    if (counts)
        map_remove(&v->loop_vars, s->var);
}

static void check_stmt(struct verify *v, struct tree_stmt *s)
{
    if (!v->ok)
        return;
    v->stmt = s;
    stmt_each_expr(s, check_operand, v);
    check_form(v, s);
}

static void collect_labels(struct verify *v, struct tree_stmt *s, const struct tree_stmt *region)
{
    if (!s)
        return;
    v->stmt = s;
    if (s->kind == STMT_LABEL) {
        must(v, !map_has(&v->labels, s->label), "label is placed twice", NULL);
        map_put(v->tree->scratch, &v->labels, s->label, (void *)region);
    }
    const struct tree_stmt *inner = stmt_rows[s->kind].flags & STMT_REGION ? s : region;
    collect_labels(v, s->body, inner);
    collect_labels(v, s->otherwise, inner);
    for (uint32_t i = 0; i < s->items.count; i++)
        collect_labels(v, s->items.items[i], inner);
}

bool tree_verify(const struct tree *t, struct diags *d)
{
    struct verify v = { .tree = t, .diags = d, .ok = true };
    for (uint32_t i = 0; i < t->functions.count && v.ok; i++) {
        v.labels = (struct map){ 0 };
        collect_labels(&v, t->functions.items[i]->body, NULL);
        check_stmt(&v, t->functions.items[i]->body);
    }
    struct space_fault fault;
    if (v.ok && tree_space_fault(t, &fault)) {
        v.stmt = fault.stmt;
        broken(&v, fault.what, fault.pointer);
    }
    return v.ok;
}
