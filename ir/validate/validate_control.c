/* Regions, transitions, loops and conditionals (format.md 9.3). */
#include "ir/validate/validate.h"

#include <string.h>

/* Modules and constants that expressions may use without a declaration. */
static bool is_known_word(const char *name)
{
    static const char *const words[] = {
        "math", "cmath", "numpy", "np", "dace", "dtypes", "inf", "nan", "oo", "pi", "E", "I", "NoneSymbol", "nullptr",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

struct use {
    struct sdfg_scan *s;
    const struct place *place;
    const char *what;
    bool anywhere; /* names that are assigned somewhere count as defined */
};

/* 23, 28 */
static void check_use(void *user, const char *name)
{
    const struct use *u = user;
    struct sdfg_scan *s = u->s;
    if (map_has(&s->defined, name) || (u->anywhere && map_has(&s->assigned, name)) || is_known_word(name))
        return;
    if (!validate_full(s->v))
        diag_error(s->v->ir->diags, u->place, DIAG_RULE_SYMBOL_UNDEFINED, name, u->what);
}

/* 25: conditions and assignments run on the host unless the SDFG is nested in a kernel. */
static void check_device_read(void *user, const char *name)
{
    const struct use *u = user;
    struct sdfg_scan *s = u->s;
    const struct container *c = map_get(&s->sdfg->container_by_name, name);
    if (c && s->placement == PLACED_HOST && validate_on_gpu(c) && !validate_full(s->v))
        diag_error(s->v->ir->diags, u->place, DIAG_RULE_CONDITION_DEVICE_READ, name, c->storage->name, u->what);
}

static void check_written(void *user, const char *name)
{
    const struct use *u = user;
    const struct container *c = map_get(&u->s->sdfg->container_by_name, name);
    if (c)
        validate_read(u->s, u->place, c);
}

static void check_expression(struct sdfg_scan *s, const struct place *place, struct code *tree, const char *what,
                             bool anywhere)
{
    struct use u = { s, place, what, anywhere };
    if (!tree)
        return;
    code_free_names(tree, check_use, &u);
    code_free_names(tree, check_device_read, &u);
}

/* What an expression reads at this point of the walk has been written (38). */
static void check_reads(struct sdfg_scan *s, const struct place *place, struct code *tree)
{
    struct use u = { .s = s, .place = place };
    if (tree)
        code_free_names(tree, check_written, &u);
}

struct race {
    struct sdfg_scan *s;
    const struct transition *t;
    const struct map *targets;
    const char *own;
};

/* 26 */
static void check_race(void *user, const char *name)
{
    const struct race *r = user;
    if (name != r->own && map_has(r->targets, name) && !validate_full(r->s->v))
        diag_error(r->s->v->ir->diags, &r->t->place, DIAG_RULE_ASSIGNMENT_RACE, r->own, name);
}

static void check_target(struct sdfg_scan *s, const struct place *place, const char *name)
{
    if (!validate_name(name))
        diag_error(s->v->ir->diags, place, DIAG_RULE_NAME_SYMBOL, name); /* 24 */
    if (map_has(&s->sdfg->container_by_name, name))
        diag_error(s->v->ir->diags, place, DIAG_RULE_ASSIGNMENT_TO_CONTAINER, name); /* 27 */
}

static void check_transition(struct sdfg_scan *s, struct transition *t)
{
    check_expression(s, &t->place, t->condition.tree, "the condition", false);
    check_reads(s, &t->place, t->condition.tree);
    struct map targets = { 0 };
    for (uint32_t i = 0; i < t->assignments.count && !validate_full(s->v); i++) {
        const struct assignment *a = &t->assignments.items[i];
        check_expression(s, &t->place, a->value, a->text, false);
        check_reads(s, &t->place, a->value);
        check_target(s, &t->place, a->name);
        map_put(s->v->scratch, &targets, a->name, s);
    }
    for (uint32_t i = 0; i < t->assignments.count && t->assignments.count > 1; i++) {
        const struct assignment *a = &t->assignments.items[i];
        struct race r = { s, t, &targets, a->name };
        if (a->value)
            code_free_names(a->value, check_race, &r);
    }
    for (uint32_t i = 0; i < targets.count; i++)
        map_put(s->v->scratch, &s->defined, targets.slots[i].key, s);
}

static void check_loop(struct sdfg_scan *s, struct loop *l)
{
    const struct place *place = &l->region.block.place;
    if (*l->variable)
        check_target(s, place, l->variable);
    check_expression(s, place, l->init.tree, "the initialization", true);
    if (*l->variable)
        map_put(s->v->scratch, &s->defined, l->variable, s);
    check_expression(s, place, l->condition.tree, "the condition", true);
    check_expression(s, place, l->update.tree, "the update", true);
    check_reads(s, place, l->init.tree);
    if (!l->inverted)
        check_reads(s, place, l->condition.tree);
    validate_region(s, &l->region, true);
    if (l->inverted)
        check_reads(s, place, l->condition.tree);
    check_reads(s, place, l->update.tree);
}

/* 28, 29 */
static void check_conditional(struct sdfg_scan *s, struct conditional *c, bool in_loop)
{
    const struct place *place = &c->block.place;
    if (c->branches.count == 0)
        diag_error(s->v->ir->diags, place, DIAG_RULE_CONDITIONAL_EMPTY);
    for (uint32_t i = 0; i < c->branches.count && !validate_full(s->v); i++) {
        struct branch *b = &c->branches.items[i];
        bool is_else = !*b->condition.text && !b->condition.tree;
        if (is_else && (i + 1 < c->branches.count || c->branches.count == 1))
            diag_error(s->v->ir->diags, place, DIAG_RULE_CONDITIONAL_ELSE, i);
        check_expression(s, place, b->condition.tree, "the condition", true);
        check_reads(s, place, b->condition.tree);
        if (b->region)
            validate_region(s, b->region, in_loop);
    }
}

static void check_block(struct sdfg_scan *s, struct block *b, bool in_loop)
{
    bool jump = b->kind == BLOCK_BREAK || b->kind == BLOCK_CONTINUE;
    if (as_state(b) && !validate_name(b->label))
        diag_error(s->v->ir->diags, &b->place, DIAG_RULE_NAME_BLOCK, b->label); /* 30 */
    if (jump && !in_loop)
        diag_error(s->v->ir->diags, &b->place, DIAG_RULE_JUMP_OUTSIDE_LOOP,
                   b->kind == BLOCK_BREAK ? "break" : "continue");
    if (as_state(b))
        validate_state(s, as_state(b));
    else if (as_loop(b))
        check_loop(s, as_loop(b));
    else if (as_region(b))
        validate_region(s, as_region(b), in_loop);
    else if (as_conditional(b))
        check_conditional(s, as_conditional(b), in_loop);
}

/* 13 */
static void check_labels(struct sdfg_scan *s, struct region *r)
{
    struct map labels = { 0 };
    for (uint32_t i = 0; i < r->blocks.count && !validate_full(s->v); i++) {
        struct block *b = r->blocks.items[i];
        const char *label = intern(s->v->ir->names, b->label);
        if (map_has(&labels, label))
            diag_error(s->v->ir->diags, &b->place, DIAG_RULE_BLOCK_LABEL_TWICE, label);
        map_put(s->v->scratch, &labels, label, b);
    }
}

/* 22, 31. A lone start state with other blocks beside it is what DaCe calls unreachable. */
static bool check_start(struct sdfg_scan *s, struct region *r)
{
    if (!r->start) {
        diag_error(s->v->ir->diags, &r->block.place, DIAG_RULE_START_UNDEFINED);
        return false;
    }
    if (r == &s->sdfg->region && r->blocks.count > 1 && as_state(r->start) && !r->start->in.count &&
        !r->start->out.count)
        diag_error(s->v->ir->diags, &r->start->place, DIAG_RULE_STATE_UNCONNECTED);
    return true;
}

struct walk_frame {
    struct block *block;
    uint32_t next; /* outgoing transition to follow */
};

static void walk_from(struct sdfg_scan *s, struct block *start, bool *seen, bool in_loop)
{
    VEC(struct walk_frame) stack = { 0 };
    seen[start->index] = true;
    check_block(s, start, in_loop);
    vec_push(s->v->scratch, &stack, ((struct walk_frame){ start, 0 }));
    while (stack.count && !validate_full(s->v)) {
        struct walk_frame *f = &vec_last(&stack);
        if (f->next == f->block->out.count) {
            stack.count--;
            continue;
        }
        struct transition *t = f->block->out.items[f->next++];
        check_transition(s, t);
        if (seen[t->dst->index])
            continue;
        seen[t->dst->index] = true;
        check_block(s, t->dst, in_loop);
        vec_push(s->v->scratch, &stack, ((struct walk_frame){ t->dst, 0 }));
    }
}

void validate_region(struct sdfg_scan *s, struct region *r, bool in_loop)
{
    check_labels(s, r);
    if (!check_start(s, r))
        return;
    bool *seen = NEW_ARRAY(s->v->scratch, bool, r->blocks.count);
    walk_from(s, r->start, seen, in_loop);
    /* Unreachable blocks never run, but passes and printers look at them. */
    for (uint32_t i = 0; i < r->blocks.count && !validate_full(s->v); i++)
        if (!seen[i])
            walk_from(s, r->blocks.items[i], seen, in_loop);
}
