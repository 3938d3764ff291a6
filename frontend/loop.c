/* Branches, loops over ranges, while loops. */
#include "frontend/loop.h"

#include <string.h>

/* ---- regions ---- */

struct fe_region fe_enter(struct fe *f, struct region *r)
{
    struct fe_region kept = { f->region, f->last, f->symbols.count };
    if (!f->dry) {
        f->region = r;
        f->last = NULL;
    }
    f->depth++;
    return kept;
}

void fe_leave(struct fe *f, const struct fe_region *r)
{
    if (!f->dry && !f->region->blocks.count)
        fe_state(f, "empty");
    f->region = r->region;
    f->last = r->last;
    f->symbols.count = r->symbols;
    f->depth--;
}

void fe_jump(struct fe *f, enum block_kind kind, const char *label)
{
    if (!f->dry) {
        fe_link(f, build_jump(f->region, kind, fe_label(f, label)));
        f->last = NULL;
    }
    f->ended = true;
}

void fe_declare_symbol(struct fe *f, const char *name)
{
    vec_push(f->arena, &f->symbols, name);
    if (!f->dry && !map_has(&f->level->sdfg->symbol_by_name, name))
        build_symbol(f->level->sdfg, name, "int64");
}

/* ---- for, while ---- */

static const struct sym *replace_symbol(void *user, const struct sym *name)
{
    const struct sym *const *pair = user;
    return name == pair[0] ? pair[1] : NULL;
}

static bool mentions(const struct value *v, const char *symbol)
{
    bool found = false;
    if (v->kind == FE_SYMBOL)
        return sym_mentions(v->sym, symbol);
    if (v->kind == FE_TUPLE) {
        for (uint32_t k = 0; k < v->count && !found; k++)
            found = mentions(v->items[k], symbol);
        return found;
    }
    if (v->kind != FE_VIEW)
        return false;
    for (uint32_t k = 0; k < v->view.container->rank; k++)
        found |= sym_mentions(v->view.dims[k].begin, symbol);
    for (uint32_t k = 0; k < v->rank; k++)
        found |= sym_mentions(v->shape[k], symbol);
    return found;
}

static const struct value *substituted(struct fe *f, const struct value *old, const struct sym *const *pair)
{
    void *user = (void *)(uintptr_t)pair;
    if (!mentions(old, pair[0]->name))
        return old;
    if (old->kind == FE_SYMBOL)
        return fe_symbol(f, sym_substitute(f->ir, old->sym, replace_symbol, user));
    struct value *v = arena_copy(f->arena, old, sizeof *v);
    if (v->kind == FE_TUPLE) {
        const struct value **items = arena_copy(f->arena, v->items, v->count * sizeof *items);
        for (uint32_t k = 0; k < v->count; k++)
            items[k] = substituted(f, items[k], pair);
        v->items = items;
        return v;
    }
    uint32_t dims = v->view.container->rank;
    struct fe_dim *out = arena_copy(f->arena, v->view.dims, (dims ? dims : 1) * sizeof *out);
    const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, v->rank + 1);
    for (uint32_t k = 0; k < dims; k++)
        out[k].begin = sym_substitute(f->ir, out[k].begin, replace_symbol, user);
    for (uint32_t k = 0; k < v->rank; k++)
        shape[k] = sym_substitute(f->ir, v->shape[k], replace_symbol, user);
    v->view.dims = out;
    v->shape = shape;
    return v;
}

static void replace_value(struct fe *f, struct fe_binding *b, const struct sym *const *pair)
{
    const struct value *v = b->value ? substituted(f, b->value, pair) : NULL;
    if (v != b->value)
        fe_change(f, f->scope, b)->value = v;
}

/* Values that mention the loop variable keep its last value behind the loop. Only the loop can have bound them. */
static void replace_in(struct fe *f, const struct fe_snapshot *start, const struct sym *symbol, const struct sym *last)
{
    const struct sym *pair[2] = { symbol, last };
    struct fe_changed changed = fe_changed(f, start);
    for (uint32_t i = 0; i < changed.list.count; i++)
        replace_value(f, &f->scope->names.items[changed.list.items[i].place], pair);
    for (uint32_t i = start->count; i < f->scope->names.count; i++)
        replace_value(f, &f->scope->names.items[i], pair);
}

/* Where the step has a sign that is known at run time only, that decides; with a step of zero nothing runs. */
static const char *loop_condition(struct fe *f, const char *symbol, const struct sym *step, const char *end)
{
    if (step->op == SYM_INT)
        return fe_format(f, "%s %c %s", symbol, step->i > 0 ? '<' : '>', end);
    const char *s = fe_text(f, step);
    return fe_format(f, "(((%s) > 0) and (%s < (%s))) or (((%s) < 0) and (%s > (%s)))", s, symbol, end, s, symbol, end);
}

static const struct sym *magnitude(struct fe *f, const struct sym *s)
{
    const struct sym *both[2] = { s, sym_sub(f->ir, sym_int(f->ir, 0), s) };
    return s->op == SYM_INT ? both[s->i < 0] : sym_make(f->ir, SYM_MAX, NULL, NULL, both, 2);
}

/* What the variable has behind the loop, if that ran at all: begin + (n - 1) * step for n iterations. */
static const struct sym *last_value(struct fe *f, const struct sym *begin, const struct sym *end,
                                    const struct sym *step)
{
    if (sym_is_int(step, 1) || sym_is_int(step, -1))
        return sym_sub(f->ir, end, step);
    const struct sym *span = sym_sub(f->ir, end, begin);
    if (step->op == SYM_INT) /* the range is not empty */
        span = step->i < 0 ? sym_sub(f->ir, begin, end) : span;
    else
        span = magnitude(f, span);
    const struct sym *parts[2] = { sym_sub(f->ir, span, sym_int(f->ir, 1)), magnitude(f, step) };
    const struct sym *steps = sym_make(f->ir, SYM_FLOOR_DIV, NULL, NULL, parts, 2);
    return sym_add(f->ir, begin, sym_mul(f->ir, steps, step));
}

static bool loop_body(struct fe *f, const struct py_list *body)
{
    uint32_t outside = f->loop_managers;
    f->loop_managers = f->managers.count;
    f->loops++;
    bool good = fe_block(f, body);
    f->loops--;
    f->loop_managers = outside;
    f->ended = false;
    return good;
}

bool fe_run_for(struct fe *f, const void *user)
{
    const struct iteration *it = user;
    const struct sym *begin = fe_sym(f, it->range->items[0]), *end = fe_sym(f, it->range->items[1]);
    const struct sym *step = fe_sym(f, it->range->items[2]);
    struct loop *l = NULL;
    struct fe_snapshot start = fe_snapshot(f);
    fe_at(f, it->node);
    if (!f->dry) {
        l = build_loop(f->region, fe_label(f, "for"), it->symbol,
                       fe_format(f, "%s = %s", it->symbol, fe_text(f, begin)),
                       loop_condition(f, it->symbol, step, fe_text(f, end)),
                       fe_format(f, "%s = %s + (%s)", it->symbol, it->symbol, fe_text(f, step)));
        fe_link(f, &l->region.block);
    }
    struct fe_region kept = fe_enter(f, l ? &l->region : NULL);
    fe_declare_symbol(f, it->symbol);
    struct fe_known known = fe_known(f);
    const struct sym *one = sym_int(f->ir, 1);
    if (step->op == SYM_INT && step->i > 0)
        fe_know(f, it->symbol, begin, sym_sub(f->ir, end, one));
    else if (step->op == SYM_INT)
        fe_know(f, it->symbol, sym_add(f->ir, end, one), begin);
    const struct sym *symbol = sym_name(f->ir, it->symbol);
    bool good = true;
    if (it->points) {
        good = fe_unpack(f, it->node->for_.target, it->points);
    } else if (it->array) {
        const struct value *item = fe_item_at(f, it->node, it->array, fe_symbol(f, symbol));
        good = item && fe_unpack(f, it->node->for_.target, item);
    } else if (!it->inner && it->node->for_.target->kind == PY_NAME) {
        struct fe_binding *b = fe_bind(f, f->scope, it->node->for_.target->name.id, fe_symbol(f, symbol));
        b->storage = NULL;
        fe_typed(f, it->node, b->name, b->value);
    }
    good = good && (it->inner ? fe_run_for(f, it->inner) : loop_body(f, &it->node->for_.body));
    fe_leave(f, &kept);
    fe_forget(f, known);
    replace_in(f, &start, symbol, last_value(f, begin, end, step));
    return good;
}

const char *fe_loop_symbol(struct fe *f, const char *name)
{
    bool active = fe_has_name(f->symbols.items, f->symbols.count, name);
    bool mine = map_get(&f->used_names, name) == FE_OF_LOOPS;
    if (mine && !active)
        return name;
    const char *unique = fe_unique(f, name);
    if (unique == name)
        map_put(f->arena, &f->used_names, name, FE_OF_LOOPS);
    return unique;
}

static bool unroll(struct fe *f, const struct py *n, const struct value *items)
{
    struct fe_unrolled u = { f->unrolled, f->returns, f->depth, f->loops, false, false };
    uint32_t outside = f->loop_managers;
    bool good = true;
    f->unrolled = &u;
    f->loop_managers = f->managers.count;
    for (uint32_t i = 0; i < items->count && good && !f->ended && !u.broke; i++) {
        good = fe_unpack(f, n->for_.target, items->items[i]) && fe_block(f, &n->for_.body);
        f->ended &= !u.jumped;
        u.jumped = false;
    }
    f->unrolled = u.outer;
    f->loop_managers = outside;
    return good;
}

const struct value *fe_unroll_range(struct fe *f, const struct value *range)
{
    for (int i = 0; i < 3; i++)
        if (range->items[i]->kind != FE_INT)
            return NULL;
    int64_t a = range->items[0]->i, b = range->items[1]->i, s = range->items[2]->i;
    VEC(const struct value *) items = { 0 };
    for (int64_t i = a; s > 0 ? i < b : i > b; i += s) {
        vec_push(f->arena, &items, fe_int(f, i));
        if (items.count > 4096)
            return NULL;
    }
    return fe_tuple(f, items.items, items.count);
}

static bool is_call_of(const struct py *n, const char *name)
{
    const struct py *c = n->kind == PY_CALL ? n->call.func : NULL;
    const char *last = c && c->kind == PY_NAME ? c->name.id : c && c->kind == PY_ATTRIBUTE ? c->attribute.attr : "";
    return strcmp(last, name) == 0;
}

/* Whether a `break` or `continue` of this loop is among the statements. */
static bool jumps(const struct py_list *body)
{
    for (uint32_t i = 0; i < body->count; i++) {
        const struct py *n = body->items[i];
        bool inside = n->kind == PY_IF      ? jumps(&n->if_.body) || jumps(&n->if_.orelse)
                      : n->kind == PY_WITH  ? jumps(&n->with.body)
                      : n->kind == PY_FOR   ? jumps(&n->for_.orelse)
                      : n->kind == PY_WHILE ? jumps(&n->while_.orelse)
                                            : n->kind == PY_BREAK || n->kind == PY_CONTINUE;
        if (inside)
            return true;
    }
    return false;
}

/* The numbers of a loop that is short enough to be unrolled without being asked to, else NULL. */
static const struct value *short_range(struct fe *f, const struct py *n, const struct value *range)
{
    bool candidate = f->unroll && !is_call_of(n->for_.iter, "nounroll") && !jumps(&n->for_.body);
    const struct value *numbers = candidate ? fe_unroll_range(f, range) : NULL;
    return numbers && numbers->count <= f->unroll ? numbers : NULL;
}

/* for i in prange(n): a map over one range. */
static const struct value *parallel_range(struct fe *f, const struct py *n)
{
    if (n->kind != PY_CALL || n->call.keywords.count || n->call.args.count < 1 || n->call.args.count > 3)
        return NULL;
    const struct py *name = n->call.func;
    const char *last = name->kind == PY_NAME ? name->name.id : name->kind == PY_ATTRIBUTE ? name->attribute.attr : "";
    if (strcmp(last, "prange") != 0 && strcmp(last, "parrange") != 0)
        return NULL;
    const struct value *callee = fe_eval(f, name);
    if (!callee || callee->kind != FE_BUILTIN || strcmp(callee->builtin->name, last) != 0)
        return NULL;
    struct value *v = fe_new(f, FE_SLICE);
    const struct value *items[3] = { fe_int(f, 0), NULL, fe_none(f) };
    uint32_t count = n->call.args.count;
    for (uint32_t i = 0; i < count; i++)
        if (!(items[count == 1 ? 1 : i] = fe_eval(f, n->call.args.items[i])))
            return NULL;
    v->items = arena_copy(f->arena, items, sizeof items);
    v->count = 3;
    return v;
}

static bool is_construct(struct fe *f, const struct py *n, const char *name)
{
    const char *last = n->kind == PY_NAME ? n->name.id : n->kind == PY_ATTRIBUTE ? n->attribute.attr : "";
    const char *construct = strcmp(last, name) == 0 ? fe_construct_of(f, n) : NULL;
    return construct && strcmp(construct, name) == 0;
}

/* A loop over an FE_RANGE, whose variable is a name. */
bool fe_for_range(struct fe *f, const struct py *n, const struct value *range)
{
    struct iteration it = { .node = n, .range = range, .symbol = fe_loop_symbol(f, n->for_.target->name.id) };
    const struct py_list *bodies[1] = { &n->for_.body };
    return fe_with_storage(f, bodies, 1, false, fe_run_for, &it);
}

/* Its items as a tuple; NULL with an error: there are not as many as is known at compile time. */
static const struct value *unrolled(struct fe *f, const struct py *n, const struct value *range)
{
    if (range->kind == FE_TUPLE && !range->lazy)
        return range;
    const struct value *items =
        range->kind == FE_RANGE ? fe_unroll_range(f, range) : fe_elements(f, n->for_.iter, range);
    if (items || f->failed)
        return items;
    return fe_unsupported(f, n,
                          "a list or dictionary that changes in a loop whose number of iterations is known at run "
                          "time only: a comprehension, or an array that is filled, can do the same");
}

bool fe_for(struct fe *f, const struct py *n)
{
    if (n->for_.orelse.count)
        return fe_loop_else(f, n);
    const struct py *iter = n->for_.iter;
    if (iter->kind == PY_BIN_OP && iter->bin_op.op == PY_MATMULT)
        iter = iter->bin_op.left; /* the schedule */
    if (iter->kind == PY_SUBSCRIPT) {
        const struct value *base = fe_eval(f, iter->subscript.value);
        if (!base)
            return false;
        if (base->kind == FE_BUILTIN && strcmp(base->builtin->name, "map") == 0)
            return fe_map(f, n, fe_eval_index(f, iter->subscript.slice));
    }
    if (iter->kind == PY_CALL && is_construct(f, iter->call.func, "consume"))
        return fe_consume_loop(f, n);
    const struct value *parallel = parallel_range(f, iter);
    if (parallel)
        return fe_map(f, n, parallel);
    const struct value *range = fe_eval(f, n->for_.iter);
    if (!range)
        return false;
    if (range->kind == FE_DICT)
        range = fe_entries(f, range, "k");
    bool counted = range->kind == FE_RANGE || fe_is_data(range) || range->kind == FE_TUPLE || range->kind == FE_POINTS;
    if (counted && fe_changes_holders(f, &n->for_.body)) /* what they have must be known at compile time */
        range = unrolled(f, n, range);
    if (!range)
        return false;
    if (range->kind == FE_POINTS)
        return fe_over_points(f, n, range);
    if (range->kind == FE_TUPLE && !range->lazy) {
        if (f->dace && !is_call_of(iter, "unroll"))
            fe_warn_dialect(f, n, "the loop is implicitly unrolled: dace.unroll(...) says so");
        return unroll(f, n, range);
    }
    if (fe_is_data(range) || range->kind == FE_TUPLE)
        return fe_over_array(f, n, range);
    if (range->kind != FE_RANGE)
        return fe_error(f, n->for_.iter, "%s is nothing to loop over", fe_describe(f, range)) != NULL;
    if (n->for_.target->kind != PY_NAME)
        return fe_error(f, n->for_.target, "the variable of a loop over range(...) is a name") != NULL;
    if (range->items[2]->kind == FE_INT && range->items[2]->i == 0)
        return fe_error(f, n->for_.iter, "a range with a step of zero") != NULL;
    const struct value *numbers = short_range(f, n, range);
    return numbers ? unroll(f, n, numbers) : fe_for_range(f, n, range);
}

static bool run_while(struct fe *f, const void *user)
{
    const struct iteration *it = user;
    const struct py *n = it->node;
    const struct value *constant;
    const char *text;
    uint32_t emitted = f->emitted;
    bool dry = f->dry;
    f->dry = true;
    bool good = fe_condition(f, n->while_.test, &constant, &text);
    f->dry = dry;
    bool simple = emitted == f->emitted;
    if (!good || (constant && !constant->i))
        return good;
    fe_at(f, n);
    struct loop *l = NULL;
    if (!f->dry) {
        if (simple && !constant && !fe_condition(f, n->while_.test, &constant, &text))
            return false;
        l = build_loop(f->region, fe_label(f, "while"), NULL, NULL, constant || !simple ? "True" : text, NULL);
        fe_link(f, &l->region.block);
    }
    struct fe_region kept = fe_enter(f, l ? &l->region : NULL);
    if (!simple && !constant) {
        good = fe_condition(f, n->while_.test, &constant, &text);
        if (good && !f->dry) {
            struct conditional *c = build_conditional(f->region, fe_label(f, "test"));
            fe_link(f, &c->block);
            struct fe_region inner = fe_enter(f, build_branch(c, fe_format(f, "(not %s)", text)));
            fe_jump(f, BLOCK_BREAK, "break");
            fe_leave(f, &inner);
            f->ended = false;
        }
    }
    good = good && loop_body(f, &n->while_.body);
    fe_leave(f, &kept);
    return good;
}

bool fe_while(struct fe *f, const struct py *n)
{
    if (n->while_.orelse.count)
        return fe_loop_else(f, n);
    struct iteration it = { .node = n };
    const struct py_list *bodies[1] = { &n->while_.body };
    return fe_with_storage(f, bodies, 1, false, run_while, &it);
}
