/* Blocks and transitions. */
#include "ir/build/build.h"

#include <string.h>

static void *add_block(struct region *in, enum block_kind kind, size_t size, const char *noun, const char *label)
{
    struct ir *ir = in->sdfg->ir;
    struct block *b = arena_alloc(ir->arena, size);
    b->kind = kind;
    b->region = in;
    b->index = in->blocks.count;
    b->label = intern(ir->names, label);
    b->place = (struct place){ .parent = &in->block.place, .noun = noun, .label = b->label, .id = b->index };
    vec_push(ir->arena, &in->blocks, b);
    return b;
}

/* Code of a condition or loop; the tree is the expression or, for `statements`, the block. NULL text: none. */
static struct code_text python_text(struct ir *ir, const struct place *at, const char *text, bool statements)
{
    struct code_text code = { .text = "", .language = enum_builtin(ir, LANGUAGE_PYTHON) };
    if (!text)
        return code;
    code.text = arena_strdup(ir->arena, text);
    code.tree = statements ? python_parse(ir, at, code.text) : python_parse_expression(ir, at, code.text);
    return code;
}

struct state *build_state(struct region *in, const char *label)
{
    struct state *st = add_block(in, BLOCK_STATE, sizeof *st, "state", label);
    st->sdfg = in->sdfg;
    st->instrument = enum_builtin(in->sdfg->ir, INSTRUMENT_NONE);
    st->symbol_instrument = enum_builtin(in->sdfg->ir, DATA_INSTRUMENT_NONE);
    st->symbol_instrument_condition =
        (struct code_text){ .text = "", .language = enum_builtin(in->sdfg->ir, LANGUAGE_CPP) };
    return st;
}

struct region *build_region(struct region *in, const char *label)
{
    struct region *r = add_block(in, BLOCK_REGION, sizeof *r, "region", label);
    r->sdfg = in->sdfg;
    r->type_name = "ControlFlowRegion";
    return r;
}

struct loop *build_loop(struct region *in, const char *label, const char *variable, const char *init,
                        const char *condition, const char *update)
{
    struct ir *ir = in->sdfg->ir;
    struct loop *l = add_block(in, BLOCK_LOOP, sizeof *l, "loop", label);
    const struct place *at = &l->region.block.place;
    l->region.sdfg = in->sdfg;
    l->region.type_name = "LoopRegion";
    l->variable = intern(ir->names, variable ? variable : "");
    l->init = python_text(ir, at, init, true);
    l->condition = python_text(ir, at, condition, false);
    l->update = python_text(ir, at, update, true);
    l->update_before_condition = true;
    return l;
}

struct conditional *build_conditional(struct region *in, const char *label)
{
    return add_block(in, BLOCK_CONDITIONAL, sizeof(struct conditional), "conditional", label);
}

struct region *build_branch(struct conditional *c, const char *condition)
{
    struct sdfg *s = c->block.region->sdfg;
    struct region *r = NEW(s->ir->arena, struct region);
    struct block *b = &r->block;
    b->kind = BLOCK_REGION;
    b->index = c->branches.count;
    b->region = c->block.region;
    b->label = intern(s->ir->names, arena_printf(s->ir->arena, "%s_%u", c->block.label, b->index));
    b->place = (struct place){ .parent = &c->block.place, .noun = "branch", .label = b->label, .id = b->index };
    r->sdfg = s;
    r->type_name = "ControlFlowRegion";
    struct branch branch = { .condition = python_text(s->ir, &b->place, condition, false), .region = r };
    vec_push(s->ir->arena, &c->branches, branch);
    return r;
}

struct block *build_jump(struct region *in, enum block_kind kind, const char *label)
{
    const char *noun = kind == BLOCK_BREAK ? "break" : kind == BLOCK_CONTINUE ? "continue" : "return";
    return add_block(in, kind, sizeof(struct block), noun, label);
}

static void add_assignment(struct sdfg *s, struct transition *t, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    while (length && text[length - 1] == ' ')
        length--;
    if (!length) {
        diag_error(s->ir->diags, &t->place, DIAG_BUILD_ASSIGNMENT, text);
        return;
    }
    struct assignment a = { .name = intern_n(s->ir->names, text, length),
                            .text = equals + 1 + strspn(equals + 1, " ") };
    a.value = python_parse_expression(s->ir, &t->place, a.text);
    vec_push(s->ir->arena, &t->assignments, a);
}

struct transition *build_transition(struct block *from, struct block *to, const char *condition,
                                    const char *assignments)
{
    struct region *in = from->region;
    struct ir *ir = in->sdfg->ir;
    struct transition *t = NEW(ir->arena, struct transition);
    t->src = from;
    t->dst = to;
    t->index = in->transitions.count;
    t->place = (struct place){ .parent = &in->block.place,
                               .noun = "transition",
                               .id = t->index,
                               .label = arena_printf(ir->arena, "%s -> %s", from->label, to->label) };
    if (to->region != in)
        diag_error(ir->diags, &t->place, DIAG_BUILD_TRANSITION);
    t->condition = python_text(ir, &t->place, condition, false);
    if (!condition)
        t->condition.text = "1";
    build_list parts = { 0 };
    build_split(ir, assignments, ';', &parts);
    for (uint32_t i = 0; i < parts.count; i++)
        add_assignment(in->sdfg, t, parts.items[i]);
    vec_push(ir->arena, &in->transitions, t);
    vec_push(ir->arena, &from->out, t);
    vec_push(ir->arena, &to->in, t);
    return t;
}
