/* Control flow: states, transitions, regions, loops, branches (semantics.md 2).
 *
 * A region becomes its blocks in reverse postorder with transitions as conditional jumps to labels; a jump to the next
 * block is left out, so straight-line regions print without labels and any shape of graph works. Loop regions become
 * loops of the tree. */
#include "lower/graph/check.h"
#include "lower/graph/instrument.h"

struct flow {
    struct activation *act;
    struct tree_label *loop_continue; /* of the innermost loop region, or NULL */
    bool *continue_used;
    bool in_loop;
};

static bool lower_region(struct flow *f, struct region *r, struct tree_stmt *block);

static struct scope flow_scope(struct flow *f, struct tree_stmt *block) { return scope_at(f->act, block); }

/* ---- order of blocks ---- */

struct order {
    struct arena *arena;
    VEC(struct block *) list; /* postorder */
    bool *seen;
};

/* Depth-first without recursion: state machines have thousands of states. */
static void postorder(struct order *o, struct region *r, struct block *start)
{
    struct frame {
        struct block *b;
        uint32_t next; /* transitions still to follow, from the last: the first branch then comes first in reverse */
    };
    VEC(struct frame) stack = { 0 };
    o->seen = NEW_ARRAY(o->arena, bool, r->blocks.count);
    o->seen[start->index] = true;
    vec_push(o->arena, &stack, ((struct frame){ start, start->out.count }));
    while (stack.count) {
        struct frame *f = &vec_last(&stack);
        if (f->next == 0) {
            vec_push(o->arena, &o->list, f->b);
            stack.count--;
            continue;
        }
        struct block *to = f->b->out.items[--f->next]->dst;
        if (o->seen[to->index])
            continue;
        o->seen[to->index] = true;
        vec_push(o->arena, &stack, ((struct frame){ to, to->out.count }));
    }
}

/* ---- transitions ---- */

static bool assign_symbols(struct flow *f, struct transition *t, struct tree_stmt *block)
{
    struct lower *lw = f->act->lw;
    uint32_t n = t->assignments.count;
    struct tree_var **fresh = NEW_ARRAY(lw->arena, struct tree_var *, n + 1);
    for (uint32_t i = 0; i < n; i++) { /* all right-hand sides first */
        const struct assignment *a = &t->assignments.items[i];
        struct symval *v = map_get(&f->act->symbols, a->name);
        if (!v || !v->var)
            return diag_error(lw->diags, &t->place, DIAG_UNDEFINED_SYMBOL, a->name);
        struct scope sc = flow_scope(f, block);
        struct code_scope cs = lower_code_scope(&sc, &t->place, a->text);
        if (a->value && !lower_check_overflow(&sc, &t->place, a->name, v->type, a->value))
            return false;
        struct tree_expr *e = a->value ? code_value(&cs, block, a->value) : NULL;
        e = e ? code_convert(&cs, v->type, e) : NULL;
        if (!e)
            return false;
        fresh[i] = n == 1 ? v->var : tree_var(lw->tree, a->name, v->type);
        stmt_assign(lw->tree, block, fresh[i], e)->place = &t->place;
    }
    for (uint32_t i = 0; n > 1 && i < n; i++) {
        struct symval *v = map_get(&f->act->symbols, t->assignments.items[i].name);
        stmt_assign(lw->tree, block, v->var, expr_var(lw->tree, fresh[i]));
    }
    return true;
}

static struct tree_expr *condition_of(struct flow *f, const struct place *place, const struct code_text *text,
                                      struct tree_stmt *block)
{
    struct scope sc = flow_scope(f, block);
    struct code_scope cs = lower_code_scope(&sc, place, text->text);
    cs.python = true;
    if (!text->tree) {
        diag_error(f->act->lw->diags, place, DIAG_TASKLET_LANGUAGE, text->language ? text->language->name : "?");
        return NULL;
    }
    return code_condition(&cs, block, text->tree);
}

/* Jumps along a transition unless its target is laid out next. */
static bool follow(struct flow *f, struct transition *t, struct tree_label *const *labels, bool *used,
                   const struct block *next, struct tree_stmt *block)
{
    if (!assign_symbols(f, t, block))
        return false;
    if (t->dst == next)
        return true;
    used[t->dst->index] = true;
    stmt_goto(f->act->lw->tree, block, labels[t->dst->index])->place = &t->place;
    return true;
}

struct region_labels {
    struct region *region;
    struct tree_label **labels; /* per block; the last one is the end of the region */
    bool *used;
    const struct block *next; /* block laid out behind the current one; NULL: the end of the region */
};

/* Conditional transitions in file order, then the first unconditional one; otherwise the region ends. */
static bool leave_block(struct flow *f, struct region_labels *l, struct block *b, struct tree_stmt *block)
{
    struct lower *lw = f->act->lw;
    struct transition *otherwise = NULL;
    for (uint32_t i = 0; i < b->out.count; i++) {
        struct transition *t = b->out.items[i];
        if (!t->condition.tree) {
            otherwise = otherwise ? otherwise : t;
            continue;
        }
        struct tree_expr *c = condition_of(f, &t->place, &t->condition, block);
        if (!c)
            return false;
        struct tree_stmt *s = stmt_if(lw->tree, block, c);
        s->place = &t->place;
        if (!follow(f, t, l->labels, l->used, NULL, s->body))
            return false;
        block = s->otherwise;
    }
    if (otherwise)
        return follow(f, otherwise, l->labels, l->used, l->next, block);
    if (l->next) {
        l->used[l->region->blocks.count] = true;
        stmt_goto(lw->tree, block, l->labels[l->region->blocks.count]);
    }
    return true;
}

/* ---- blocks ---- */

static const struct code *first_statement(const struct code_text *t)
{
    if (!t->tree || t->tree->kind != CODE_BLOCK)
        return t->tree;
    return t->tree->count ? t->tree->items[0] : NULL;
}

/* v + 1 and the like: the condition of a loop says how far. */
static bool counts(const struct tree_expr *e, const struct tree_var *v)
{
    return (e->op == EXPR_ADD || e->op == EXPR_SUB) && e->args[0]->op == EXPR_VAR && e->args[0]->var == v &&
           e->args[1]->op == EXPR_INT;
}

/* init and update statements: only the first statement counts (format.md 2.5). */
static bool loop_statement(struct flow *f, struct loop *l, const struct code_text *text, struct tree_stmt *block)
{
    struct lower *lw = f->act->lw;
    const struct code *s = first_statement(text);
    if (!s || s->kind == CODE_PASS)
        return true;
    const struct place *place = &l->region.block.place;
    struct scope sc = flow_scope(f, block);
    struct code_scope cs = lower_code_scope(&sc, place, text->text);
    if (s->kind != CODE_ASSIGN || s->count != 2 || s->items[1]->kind != CODE_NAME)
        return diag_error(lw->diags, place, DIAG_LOOP_STATEMENT, text->text);
    struct symval *v = map_get(&f->act->symbols, s->items[1]->name);
    if (!v || !v->var)
        return diag_error(lw->diags, place, DIAG_UNDEFINED_SYMBOL, s->items[1]->name);
    const struct code *value = s->items[0];
    if (s->op) {
        struct code *binary = code_new(lw->ir, CODE_BINARY, 2);
        binary->op = s->op;
        binary->items[0] = s->items[1];
        binary->items[1] = s->items[0];
        value = binary;
    }
    struct tree_expr *e = code_value(&cs, block, value);
    if (e && !counts(e, v->var) && !lower_check_overflow(&sc, place, s->items[1]->name, v->type, value))
        return false;
    e = e ? code_convert(&cs, v->type, e) : NULL;
    if (!e)
        return false;
    stmt_assign(lw->tree, block, v->var, e)->place = place;
    return true;
}

static struct tree_expr *loop_condition(struct flow *f, struct loop *l, struct tree_stmt *block)
{
    if (!l->condition.tree)
        return expr_bool(f->act->lw->tree, true);
    return condition_of(f, &l->region.block.place, &l->condition, block);
}

static bool loop_body(struct flow *f, struct loop *l, struct tree_stmt *block)
{
    struct lower *lw = f->act->lw;
    bool used = false;
    struct flow inner = *f;
    inner.loop_continue = tree_label(lw->tree, "continue");
    inner.continue_used = &used;
    inner.in_loop = true;
    if (!lower_enter(lw, &l->region.block.place, LOWER_LEVELS_OF_LOOP) || !lower_region(&inner, &l->region, block))
        return false;
    lower_leave(lw, LOWER_LEVELS_OF_LOOP);
    if (used)
        stmt_label(lw->tree, block, inner.loop_continue);
    return true;
}

/* if (!condition) break; the condition's own statements come first. */
static bool break_unless(struct flow *f, struct loop *l, struct tree_stmt *block)
{
    struct tree *t = f->act->lw->tree;
    struct tree_expr *c = loop_condition(f, l, block);
    if (!c)
        return false;
    stmt_new(t, stmt_if(t, block, expr_unary(t, EXPR_NOT, c))->body, STMT_BREAK);
    return true;
}

static bool lower_loop(struct flow *f, struct loop *l, struct tree_stmt *block)
{
    struct tree *t = f->act->lw->tree;
    if (!loop_statement(f, l, &l->init, block))
        return false;
    struct tree_stmt *probe = stmt_block(t);
    struct tree_expr *condition = loop_condition(f, l, probe);
    if (!condition)
        return false;
    bool simple = probe->items.count == 0;
    if (!l->inverted && simple) {
        struct tree_stmt *w = stmt_while(t, block, condition);
        w->place = &l->region.block.place;
        return loop_body(f, l, w->body) && loop_statement(f, l, &l->update, w->body);
    }
    struct tree_stmt *w = stmt_while(t, block, expr_bool(t, true));
    w->place = &l->region.block.place;
    if (!l->inverted)
        return break_unless(f, l, w->body) && loop_body(f, l, w->body) && loop_statement(f, l, &l->update, w->body);
    if (l->update_before_condition)
        return loop_body(f, l, w->body) && loop_statement(f, l, &l->update, w->body) && break_unless(f, l, w->body);
    return loop_body(f, l, w->body) && break_unless(f, l, w->body) && loop_statement(f, l, &l->update, w->body);
}

static bool lower_conditional(struct flow *f, struct conditional *c, struct tree_stmt *block)
{
    struct tree *t = f->act->lw->tree;
    if (!lower_enter(f->act->lw, &c->block.place, LOWER_LEVELS_OF_BRANCH * c->branches.count))
        return false;
    for (uint32_t i = 0; i < c->branches.count; i++) {
        struct branch *b = &c->branches.items[i];
        if (!b->condition.tree && !*b->condition.text) {
            if (!lower_region(f, b->region, block))
                return false;
            break;
        }
        struct tree_expr *e = condition_of(f, &c->block.place, &b->condition, block);
        if (!e)
            return false;
        struct tree_stmt *s = stmt_if(t, block, e);
        s->place = &c->block.place;
        if (!lower_region(f, b->region, s->body))
            return false;
        block = s->otherwise;
    }
    lower_leave(f->act->lw, LOWER_LEVELS_OF_BRANCH * c->branches.count);
    return true;
}

static bool lower_jump(struct flow *f, struct block *b, struct tree_stmt *block)
{
    struct lower *lw = f->act->lw;
    if (b->kind == BLOCK_RETURN) {
        f->act->return_used = true;
        stmt_goto(lw->tree, block, f->act->return_label)->place = &b->place;
        return true;
    }
    if (!f->in_loop)
        return diag_error(lw->diags, &b->place, DIAG_RULE_JUMP_OUTSIDE_LOOP, b->place.noun);
    if (b->kind == BLOCK_BREAK) {
        stmt_new(lw->tree, block, STMT_BREAK)->place = &b->place;
        return true;
    }
    *f->continue_used = true;
    stmt_goto(lw->tree, block, f->loop_continue)->place = &b->place;
    return true;
}

static bool lower_block(struct flow *f, struct block *b, struct tree_stmt *block)
{
    switch (b->kind) {
    case BLOCK_STATE:
        return lower_state(f->act, as_state(b), block);
    case BLOCK_REGION:
        if (!lower_enter(f->act->lw, &b->place, LOWER_LEVELS_OF_BRANCH) || !lower_region(f, as_region(b), block))
            return false;
        lower_leave(f->act->lw, LOWER_LEVELS_OF_BRANCH);
        return true;
    case BLOCK_LOOP:
        return lower_loop(f, as_loop(b), block);
    case BLOCK_CONDITIONAL:
        return lower_conditional(f, as_conditional(b), block);
    case BLOCK_BREAK:
    case BLOCK_CONTINUE:
    case BLOCK_RETURN:
        return lower_jump(f, b, block);
    default:
        return diag_error(f->act->lw->diags, &b->place, DIAG_UNKNOWN_NODE, b->place.noun);
    }
}

static bool lower_region(struct flow *f, struct region *r, struct tree_stmt *block)
{
    struct lower *lw = f->act->lw;
    if (!r->start)
        return r->blocks.count == 0 || diag_error(lw->diags, &r->block.place, DIAG_NO_START);
    struct order o = { .arena = lw->arena };
    postorder(&o, r, r->start);
    struct region_labels l = { .region = r };
    uint32_t n = r->blocks.count;
    l.labels = NEW_ARRAY(lw->arena, struct tree_label *, n + 1);
    l.used = NEW_ARRAY(lw->arena, bool, n + 1);
    for (uint32_t i = 0; i < n; i++)
        l.labels[i] = tree_label(lw->tree, r->blocks.items[i]->label ? r->blocks.items[i]->label : "block");
    l.labels[n] = tree_label(lw->tree, "end");
    struct tree_stmt **bodies = NEW_ARRAY(lw->arena, struct tree_stmt *, n + 1);
    for (uint32_t i = o.list.count; i-- > 0;) {
        struct block *b = o.list.items[i];
        l.next = i ? o.list.items[i - 1] : NULL;
        bodies[i] = stmt_block(lw->tree);
        if (!lower_block(f, b, bodies[i]) || !leave_block(f, &l, b, bodies[i]))
            return false;
    }
    for (uint32_t i = o.list.count; i-- > 0;) {
        uint32_t index = o.list.items[i]->index;
        if (l.used[index])
            stmt_label(lw->tree, block, l.labels[index]);
        for (uint32_t k = 0; k < bodies[i]->items.count; k++)
            stmt_append(lw->tree, block, bodies[i]->items.items[k]);
    }
    if (l.used[n])
        stmt_label(lw->tree, block, l.labels[n]);
    return true;
}

static void declare_symbols(struct activation *act, struct tree_stmt *block)
{
    struct lower *lw = act->lw;
    struct map assigned = { 0 };
    bool defined = lower_defines_symbols(lw);
    lower_assigned_symbols(lw, act->sdfg, &assigned);
    for (uint32_t i = 0; i < assigned.count; i++) {
        const char *name = assigned.slots[i].key;
        const struct symval *v = map_get(&act->symbols, name);
        if (v && v->var)
            continue;
        const struct type *type = sdfg_symbol_type(act->sdfg, name);
        type = type && type->kind != TYPE_VOID ? type : type_basic(lw->ir, TYPE_I64);
        struct symval *made = lower_symbol_variable(act, name, type);
        if (defined)
            stmt_assign(lw->tree, block, made->var, expr_zero(lw->tree, type));
    }
}

bool lower_activation(struct activation *act, struct tree_stmt *block)
{
    struct lower *lw = act->lw;
    act->return_label = tree_label(lw->tree, "return");
    declare_symbols(act, block);
    struct scope sc = scope_at(act, block);
    struct lower_measured measured;
    struct tree_stmt *leave = stmt_block(lw->tree);
    if (!lower_measure_sdfg(&sc, act->sdfg, &measured) || !lower_plan_allocations(act) ||
        !lower_allocate_scope(&sc, leave))
        return false;
    struct flow f = { .act = act };
    if (!lower_region(&f, &act->sdfg->region, block))
        return false;
    if (act->return_used)
        stmt_label(lw->tree, block, act->return_label);
    stmt_append(lw->tree, block, leave);
    lower_measured(&sc, &measured);
    return true;
}
