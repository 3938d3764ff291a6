/* Statements. Names live until the end of the block in which they are first assigned, as in C. */
#include "lower/graph/code/code_gen.h"

/* What `break` and `continue` mean inside the innermost loop or switch. */
struct code_jump {
    struct code_jump *outer;
    bool is_switch;
    struct tree_label *leave; /* of a switch */
    struct tree_label *next;  /* of a loop whose step stands at the end of the body; NULL: STMT_CONTINUE does it */
    bool next_used;
};

static bool discard(struct code_gen *g, struct tree_expr *e)
{
    if (e && !expr_is_pure(e))
        code_temp(g, "unused", e);
    return e;
}

bool code_in_block(struct code_gen *g, const struct code *c, struct tree_stmt *block)
{
    struct tree_stmt *before = g->out;
    uint32_t locals = g->locals.count;
    g->out = block;
    bool good = code_statement(g, c);
    g->out = before;
    for (uint32_t i = locals; i < g->locals.count; i++)
        vec_push(g->arena, &g->ended, g->locals.items[i].name);
    g->locals.count = locals;
    return good;
}

static bool in_loop(struct code_gen *g, const struct code *c, struct tree_stmt *block, struct code_jump *jump)
{
    jump->outer = g->jump;
    g->jump = jump;
    bool good = code_in_block(g, c, block);
    g->jump = jump->outer;
    return good;
}

/* ---- assignments ---- */

static struct tree_expr *value_for(struct code_gen *g, const struct code *target, const struct code *value)
{
    const struct type *before = g->expected;
    struct lvalue p;
    uint32_t errors = diags_count(g->s->diags);
    if (value->kind == CODE_CALL || value->kind == CODE_SELECT) { /* a constructor makes what the target holds */
        struct tree_stmt *outer = code_begin(g);
        if (code_has_place(target) && code_place(g, target, &p) && p.type->kind == TYPE_STRUCT)
            g->expected = p.type;
        code_end(g, outer);
        diags_reset(g->s->diags, errors); /* an unknown name is a new variable */
    }
    struct tree_expr *e = code_eval(g, value);
    g->expected = before;
    return e;
}

static bool augmented(struct code_gen *g, const struct code *c)
{
    struct lvalue p;
    const struct code *target = c->items[1];
    double exponent;
    bool written = c->op == CODE_POW && code_literal(g, c->items[0], &exponent);
    struct tree_expr *value = code_eval(g, c->items[0]);
    if (!value || !code_target_place(g, target, &value, &p))
        return false;
    if (p.kind == LVALUE_MEMORY && p.wcr != WCR_NONE)
        return code_invalid(g, c, "'%s=' on an output with conflict resolution", code_op_text(c->op));
    struct tree_expr *old = code_read(g, target, &p);
    if (!old)
        return false;
    value = written ? code_power(g, c, old, c->items[0]) : code_binary(g, c, c->op, old, value);
    if (!value)
        return false;
    return p.kind == LVALUE_VALUE ? code_assign_to(g, target, value) : code_write(g, target, &p, value);
}

static bool assign_tuple(struct code_gen *g, const struct code *target, const struct code *value)
{
    if (value->kind != CODE_TUPLE || value->count != target->count)
        return code_unsupported(g, target, "this assignment to a tuple");
    struct tree_expr **values = NEW_ARRAY(g->arena, struct tree_expr *, value->count + 1);
    if (!code_eval_list(g, value->items, value->count, values))
        return false;
    for (uint32_t i = 0; i < value->count; i++)
        values[i] = code_once(g, code_temp(g, "element", values[i]));
    for (uint32_t i = 0; i < value->count; i++)
        if (!code_assign_to(g, target->items[i], values[i]))
            return false;
    return true;
}

static bool name_lambda(struct code_gen *g, const struct code *target, const struct code *lambda)
{
    if (code_find_local(g, target->name))
        return code_unsupported(g, target, "a second meaning of this name");
    struct code_local l = { .name = target->name, .lambda = lambda };
    vec_push(g->arena, &g->locals, l);
    return true;
}

static bool assign(struct code_gen *g, const struct code *c)
{
    if (c->op)
        return augmented(g, c);
    if (c->items[0]->kind == CODE_LAMBDA && c->items[1]->kind == CODE_NAME && c->count == 2)
        return name_lambda(g, c->items[1], c->items[0]);
    if (c->items[1]->kind == CODE_TUPLE && c->count == 2)
        return assign_tuple(g, c->items[1], c->items[0]);
    struct tree_expr *value = value_for(g, c->items[1], c->items[0]);
    if (!value)
        return false;
    for (uint32_t i = c->count - 1; value && i > 1;
         i--) /* from right to left, as C does: each takes the value of the next */
        value = code_assign_value(g, c->items[i], value);
    return value && code_assign_to(g, c->items[1], value);
}

/* ---- declarations ---- */

static bool declare_array(struct code_gen *g, const struct code *c)
{
    const struct type *pointer = c->type && c->type->kind == TYPE_POINTER ? c->type : NULL;
    if (!pointer || !pointer->elem->size || c->count)
        return code_unsupported(g, c, "this declaration of an array");
    struct tree_var *v = tree_var(g->t, c->name, pointer);
    stmt_alloc(g->t, g->out, v, pointer->elem, expr_i64(g->t, (int64_t)c->u), TREE_STACK)->place = g->s->place;
    code_add_local(g, c->name,
                   (struct lvalue){ .kind = LVALUE_ARRAY, .type = pointer->elem, .pointer = expr_var(g->t, v) });
    return true;
}

static bool declare_reference(struct code_gen *g, const struct code *c)
{
    struct lvalue p;
    if (!c->count || !code_has_place(c->items[0]) || !code_place(g, c->items[0], &p))
        return c->count && code_has_place(c->items[0]) ? false : (bool)code_unsupported(g, c, "this reference");
    if (p.kind == LVALUE_MEMORY) { /* what the index depends on may change later */
        p.pointer = code_once(g, p.pointer);
        p.index = code_once(g, p.index);
        p = code_checked(g, &p, false, false);
    }
    code_add_local(g, c->name, p);
    return true;
}

static bool declare(struct code_gen *g, const struct code *c)
{
    if (c->u)
        return declare_array(g, c);
    if (c->i)
        return declare_reference(g, c);
    struct tree_expr *value = NULL;
    const struct type *type = c->type;
    if (g->s->python) { /* the annotation of a name that there is already says nothing */
        struct operand known;
        if (code_find_local(g, c->name))
            return true;
        if (!code_lookup(g, c->name, &known))
            return false;
        if (known.kind != OPERAND_NONE)
            return true;
    }
    if (c->count) {
        const struct type *before = g->expected;
        g->expected = type && type->kind == TYPE_STRUCT ? type : NULL;
        value = code_eval(g, c->items[0]);
        g->expected = before;
        if (!value)
            return false;
        type = type ? type : value->type;
    }
    if (!type || (!type->size && type->kind != TYPE_STRUCT))
        return code_unsupported(g, c, "a declaration of this type");
    if (type->kind == TYPE_STRUCT) {
        struct tree_expr *memory = code_new_struct(g, type);
        struct lvalue p = { .kind = LVALUE_MEMORY, .type = type, .pointer = memory, .index = expr_i64(g->t, 0) };
        code_add_local(g, c->name, p);
        return !value || code_copy_struct(g, c, &p, value);
    }
    /* Without a value C leaves garbage; zero is as good and the same on every run. */
    value = value ? code_to(g, c, type, value) : expr_zero(g->t, type);
    if (!value)
        return false;
    if (c->big) {
        struct tree_var *memory = tree_var(g->t, c->name, type_pointer(g->ir, type));
        stmt_alloc(g->t, g->out, memory, type, expr_i64(g->t, 1), TREE_STACK)->place = g->s->place;
        struct lvalue p = {
            .kind = LVALUE_MEMORY, .type = type, .pointer = expr_var(g->t, memory), .index = expr_i64(g->t, 0)
        };
        code_add_local(g, c->name, p);
        return code_write(g, c, &p, value);
    }
    struct tree_var *v = tree_var(g->t, c->name, type);
    code_add_local(g, c->name, (struct lvalue){ .kind = LVALUE_VAR, .type = type, .var = v });
    stmt_assign(g->t, g->out, v, value)->place = g->s->place;
    return true;
}

/* ---- branches ---- */

static bool branch(struct code_gen *g, const struct code *c)
{
    struct tree_expr *condition = code_truth_of(g, c->items[0]);
    if (!condition)
        return false;
    struct tree_stmt *s = stmt_if(g->t, g->out, condition);
    s->place = g->s->place;
    return code_in_block(g, c->items[1], s->body) &&
           (c->count < 3 || !c->items[2] || code_in_block(g, c->items[2], s->otherwise));
}

/* Tests in order, then the bodies one after the other: control falls from one into the next. */
static bool switch_statement(struct code_gen *g, const struct code *c)
{
    struct tree_expr *value = code_eval(g, c->items[0]);
    if (!value)
        return false;
    value = code_once(g, value);
    struct code_jump jump = { .is_switch = true, .leave = tree_label(g->t, "switch_end") };
    struct tree_label **labels = NEW_ARRAY(g->arena, struct tree_label *, c->count), *other = jump.leave;
    for (uint32_t i = 1; i < c->count; i++) {
        const struct code *choice = c->items[i];
        labels[i] = tree_label(g->t, choice->items[0] ? "case" : "default");
        if (!choice->items[0]) {
            other = labels[i];
            continue;
        }
        struct tree_expr *label = code_eval(g, choice->items[0]);
        struct tree_expr *equal = label ? code_binary(g, choice, CODE_EQ, value, label) : NULL;
        if (!equal)
            return false;
        stmt_goto(g->t, stmt_if(g->t, g->out, equal)->body, labels[i]);
    }
    stmt_goto(g->t, g->out, other);
    for (uint32_t i = 1; i < c->count; i++) {
        struct tree_stmt *block = stmt_block(g->t);
        stmt_label(g->t, g->out, labels[i]);
        stmt_append(g->t, g->out, block);
        if (!in_loop(g, c->items[i]->items[1], block, &jump))
            return false;
    }
    stmt_label(g->t, g->out, jump.leave);
    return true;
}

static bool jump(struct code_gen *g, const struct code *c)
{
    struct code_jump *at = g->jump;
    bool leaves = c->kind == CODE_BREAK;
    while (at && at->is_switch && !leaves)
        at = at->outer;
    if (!at)
        return code_invalid(g, c, "'%s' outside of a loop", leaves ? "break" : "continue");
    if (leaves && at->is_switch) {
        stmt_goto(g->t, g->out, at->leave);
    } else if (!leaves && at->next) {
        at->next_used = true;
        stmt_goto(g->t, g->out, at->next);
    } else {
        stmt_new(g->t, g->out, leaves ? STMT_BREAK : STMT_CONTINUE);
    }
    return true;
}

/* ---- loops ---- */

/* `if (!condition) break` for conditions that need statements; a plain one becomes that of the loop. */
static bool leave_unless(struct code_gen *g, const struct code *condition)
{
    struct tree_expr *e = condition ? code_truth_of(g, condition) : expr_bool(g->t, true);
    if (!e)
        return false;
    if (!expr_is_int(e, 1))
        stmt_new(g->t, stmt_if(g->t, g->out, expr_unary(g->t, EXPR_NOT, e))->body, STMT_BREAK);
    return true;
}

/* The parts of every loop but `range`: test, body, step, test at the end; any of them NULL. */
static bool general_loop(struct code_gen *g, const struct code *test, const struct code *body, const struct code *step,
                         const struct code *last_test)
{
    struct tree_expr *condition = expr_bool(g->t, true);
    struct tree_stmt *before = code_begin(g);
    if (test)
        condition = code_truth_of(g, test);
    bool plain = !code_end(g, before)->items.count;
    if (!condition)
        return false;
    struct tree_stmt *s = stmt_while(g->t, g->out, plain ? condition : expr_bool(g->t, true));
    s->place = g->s->place;
    before = g->out;
    g->out = s->body;
    struct code_jump jump = { .next = step || last_test ? tree_label(g->t, "next") : NULL };
    struct tree_stmt *inner = stmt_block(g->t);
    bool good = plain || leave_unless(g, test);
    stmt_append(g->t, g->out, inner);
    good = good && (!body || in_loop(g, body, inner, &jump));
    if (jump.next_used)
        stmt_label(g->t, g->out, jump.next);
    good = good && (!step || code_statement(g, step)) && (!last_test || leave_unless(g, last_test));
    g->out = before;
    return good;
}

static bool for_statement(struct code_gen *g, const struct code *c)
{
    uint32_t locals = g->locals.count;
    bool good = (!c->items[0] || code_statement(g, c->items[0])) &&
                general_loop(g, c->items[1], c->items[3], c->items[2], NULL);
    g->locals.count = locals;
    return good;
}

static bool is_small(const struct type *t)
{
    return t->kind == TYPE_BOOL || t->kind == TYPE_I32 || (type_is_integer(t) && t->size < 4);
}

/* Number of iterations of range(begin, end, step), int64, never negative. */
static struct tree_expr *iterations(struct code_gen *g, struct tree_expr *begin, struct tree_expr *end,
                                    struct tree_expr *step)
{
    struct tree *t = g->t;
    struct tree_expr *zero = expr_i64(t, 0), *one = expr_i64(t, 1);
    struct tree_expr *up = expr_binary(t, EXPR_SUB, end, begin), *down = expr_binary(t, EXPR_SUB, begin, end);
    struct tree_expr *back = expr_unary(t, EXPR_NEG, step);
    up = expr_binary(t, EXPR_DIV, expr_binary(t, EXPR_SUB, expr_binary(t, EXPR_ADD, up, step), one), step);
    down = expr_binary(t, EXPR_DIV, expr_binary(t, EXPR_SUB, expr_binary(t, EXPR_ADD, down, back), one), back);
    struct tree_expr *count = expr_select(t, expr_binary(t, EXPR_LT, step, zero), down, zero);
    return expr_select(t, expr_binary(t, EXPR_GT, step, zero), up, count);
}

/* for name in range(...): bounds are evaluated once, assignments to the name do not change the iterations (Python). The
 * name is a C int where all bounds are that narrow. */
static bool range_loop(struct code_gen *g, const struct code *c)
{
    struct tree_expr *bound[3];
    if (!code_eval_list(g, c->items, 3, bound))
        return false;
    bool small = is_small(bound[0]->type) && is_small(bound[1]->type) && is_small(bound[2]->type);
    for (uint32_t i = 0; i < 3; i++)
        if (!(bound[i] = code_to_index(g, c->items[i], bound[i])))
            return false;
    struct tree *t = g->t;
    const struct type *i64 = code_basic(g, TYPE_I64);
    struct tree_var *counter = tree_var(t, "iteration", i64);
    struct tree_expr *value = expr_var(t, counter), *first = bound[0];
    struct tree_stmt *s;
    if (bound[2]->op == EXPR_INT && bound[2]->i > 0) {
        s = stmt_for(t, g->out, counter, first, bound[1], bound[2]);
    } else {
        first = code_once(g, first);
        struct tree_expr *step = code_once(g, bound[2]);
        s = stmt_for(t, g->out, counter, expr_i64(t, 0), iterations(g, first, code_once(g, bound[1]), step),
                     expr_i64(t, 1));
        value = expr_binary(t, EXPR_ADD, first, expr_binary(t, EXPR_MUL, value, step));
    }
    s->place = g->s->place;
    value = expr_cast(t, code_basic(g, small ? TYPE_I32 : TYPE_I64), value);
    struct tree_stmt *before = g->out;
    uint32_t locals = g->locals.count;
    g->out = s->body;
    struct tree_stmt *inner = stmt_block(t);
    struct code_jump jump = { 0 };
    /* A variable of the text goes on with the last value, as in Python; any other meaning of the name is hidden, as in
     * C++. */
    const struct code_local *outer = code_find_local(g, c->name);
    bool good = outer ? code_write(g, c, &outer->place, value) : code_declare(g, c, c->name, value);
    stmt_append(t, s->body, inner);
    good = good && in_loop(g, c->items[3], inner, &jump);
    g->out = before;
    for (uint32_t i = locals; i < g->locals.count; i++)
        vec_push(g->arena, &g->ended, g->locals.items[i].name);
    g->locals.count = locals;
    return good;
}

static bool block(struct code_gen *g, const struct code *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct code *s = c->items[i];
        if (s->kind != CODE_BLOCK) {
            if (!code_statement(g, s))
                return false;
            continue;
        }
        struct tree_stmt *inner = stmt_block(g->t);
        stmt_append(g->t, g->out, inner);
        if (!code_in_block(g, s, inner))
            return false;
    }
    return true;
}

bool code_statement(struct code_gen *g, const struct code *c)
{
    struct tree_expr *unused;
    switch (c->kind) {
    case CODE_BLOCK:
        return block(g, c);
    case CODE_PASS:
        return true;
    case CODE_ASSERT: /* DaCe builds with NDEBUG */
        return true;
    case CODE_ASSIGN:
        return assign(g, c);
    case CODE_DECLARE:
        return declare(g, c);
    case CODE_STATIC:
        return code_static(g, c);
    case CODE_EXPR:
        if (c->items[0]->kind == CODE_STRING)
            return true;
        if (c->items[0]->kind == CODE_CALL)
            return code_call_statement(g, c->items[0]);
        if (c->items[0]->kind == CODE_INLINE) {
            struct code called = *c->items[0];
            called.type = NULL; /* nobody asks for the result */
            return code_inline(g, &called, &unused);
        }
        if (c->items[0]->kind == CODE_REDUCE)
            return code_reduce(g, c->items[0]);
        return discard(g, code_eval(g, c->items[0]));
    case CODE_IF:
        return branch(g, c);
    case CODE_WHILE:
        return general_loop(g, c->items[0], c->items[1], NULL, NULL);
    case CODE_DO:
        return general_loop(g, NULL, c->items[0], NULL, c->items[1]);
    case CODE_FOR:
        return for_statement(g, c);
    case CODE_FOR_RANGE:
        return range_loop(g, c);
    case CODE_SWITCH:
        return switch_statement(g, c);
    case CODE_BREAK:
    case CODE_CONTINUE:
        return jump(g, c);
    case CODE_RETURN:
        return code_leave(g, c);
    default:
        return c->kind < CODE_ASSIGN ? discard(g, code_eval(g, c)) : (bool)code_unsupported(g, c, "this statement");
    }
}
