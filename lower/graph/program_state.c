/* What C++ code keeps between calls of the program: fields that tasklets add to DaCe's state and static variables, in
 * one piece of memory that init makes, and the code that runs when the program object begins and ends
 * (semantics.md 1.5). */
#include "lower/graph/lower.h"

#include <string.h>

struct tree_func *lower_function(struct lower *lw, struct tree_func **f, const char *name)
{
    if (!*f) {
        *f = NEW(lw->arena, struct tree_func);
        **f = (struct tree_func){ .name = name, .body = stmt_block(lw->tree) };
        if (f != &lw->exit) /* it runs when the program goes: there are no arguments any more, only the slots */
            (*f)->params = lw->main->params;
        vec_push(lw->arena, &lw->tree->functions, *f);
    }
    return *f;
}

bool lower_state_operand(struct lower *lw, const char *name, struct operand *out)
{
    const struct type *fields = lw->root->sdfg->state.fields;
    if (!fields || strcmp(name, CODE_STATE_NAME) != 0)
        return false;
    struct tree_expr *state = expr_slot(lw->tree, TREE_PROGRAM_STATE, type_pointer(lw->ir, fields));
    *out = (struct operand){ .kind = OPERAND_POINTER, .type = fields, .pointer = state };
    return true;
}

/* ---- code ---- */

struct outside {
    struct lower *lw;
    bool arguments; /* the function has those of the program */
};

/* The state and constants, and in init code the symbols as the first call gives them. */
static bool lookup(void *user, const char *name, struct operand *out)
{
    const struct outside *o = user;
    struct lower *lw = o->lw;
    *out = (struct operand){ .kind = OPERAND_NONE };
    if (lower_state_operand(lw, name, out))
        return true;
    struct scope sc = scope_at(lw->root, lw->main->body);
    const struct symval *v = o->arguments ? lower_find_symbol(&sc, name) : NULL;
    for (uint32_t i = 0; v && i < lw->main->params.count; i++) {
        const struct tree_param *p = &lw->main->params.items[i];
        if (strcmp(p->name, name) == 0) {
            *out = (struct operand){ OPERAND_VALUE, .type = v->type, .value = expr_var(lw->tree, p->var) };
            return true;
        }
    }
    for (uint32_t i = 0; v && i < lw->options->num_bound; i++)
        if (strcmp(lw->options->bound[i].name, name) == 0) {
            struct tree_expr *value = expr_int(lw->tree, v->type, lw->options->bound[i].value);
            *out = (struct operand){ OPERAND_VALUE, .type = v->type, .value = value };
            return true;
        }
    return !sdfg_find_constant(lw->root->sdfg, name) || lower_lookup(&sc, name, out);
}

static bool run(struct lower *lw, const struct place *place, const struct code_text *code, bool begins,
                struct tree_stmt *block)
{
    struct outside o = { lw, begins };
    struct tree_stmt *inside = stmt_block(lw->tree);
    struct code_scope cs = { .tree = lw->tree, .diags = lw->diags, .place = place, .text = code->text };
    cs.lookup = lookup;
    cs.user = &o;
    stmt_append(lw->tree, block, inside);
    if (!code->tree)
        return diag_error(lw->diags, place, DIAG_TASKLET_LANGUAGE, code->language->name);
    return code_body(&cs, inside, code->tree);
}

static bool is_blank(const struct code_text *code) { return !code->text[strspn(code->text, " \t\r\n")]; }

struct outside_code {
    struct lower *lw;
    bool tasklets, begins, good;
    struct tree_stmt *block;
};

static void run_piece(struct outside_code *o, const struct place *place, const struct code_text *code)
{
    if (is_blank(code))
        return;
    if (!o->block) {
        struct lower *lw = o->lw;
        struct tree_func **f = o->begins ? &lw->init : &lw->exit;
        o->block = lower_function(lw, f, o->begins ? "init" : "exit")->body;
    }
    o->good &= run(o->lw, place, code, o->begins, o->block);
}

static void visit_block(void *user, struct block *b)
{
    struct outside_code *o = user;
    struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        struct tasklet *t = as_tasklet(st->nodes.items[i]);
        if (t)
            run_piece(o, &t->node.place, o->begins ? &t->code_init : &t->code_exit);
    }
}

static void visit_sdfg(void *user, struct sdfg *s)
{
    struct outside_code *o = user;
    if (o->tasklets) {
        region_each_block(&s->region, visit_block, o);
        return;
    }
    uint32_t count = o->begins ? s->init_code.count : s->exit_code.count;
    for (uint32_t i = 0; i < count; i++)
        run_piece(o, &s->region.block.place, o->begins ? &s->init_code.items[i] : &s->exit_code.items[i]);
}

/* `block`: NULL where the function is only wanted if there is such code. */
static bool run_all(struct lower *lw, bool tasklets, bool begins, struct tree_stmt *block)
{
    struct outside_code o = { .lw = lw, .tasklets = tasklets, .begins = begins, .good = true, .block = block };
    sdfg_each(lw->root->sdfg, visit_sdfg, &o);
    return o.good;
}

/* ---- memory ---- */

static bool make_state(struct lower *lw)
{
    const struct program_state *state = &lw->root->sdfg->state;
    const struct type *word = type_basic(lw->ir, TYPE_U64);
    struct tree *t = lw->tree;
    struct tree_func *init = lower_function(lw, &lw->init, "init");
    struct tree_var *v = tree_var(t, "state", type_pointer(lw->ir, word));
    int64_t words = (int64_t)((state->size + word->size - 1) / word->size);
    struct tree_stmt *s = stmt_alloc(t, init->body, v, word, expr_i64(t, words), TREE_STATE);
    s->slot = TREE_PROGRAM_STATE;
    s->zero = true;
    t->num_slots = TREE_PROGRAM_STATE + 1;
    for (uint32_t i = 0; i < state->values.count; i++) {
        struct code_text code = { .text = "", .tree = state->values.items[i] };
        if (!run(lw, &lw->root->sdfg->region.block.place, &code, true, init->body))
            return false;
    }
    return true;
}

/* Of static variables, after all exit code. */
static bool run_destructors(struct lower *lw)
{
    const struct program_state *state = &lw->root->sdfg->state;
    for (uint32_t i = state->ends.count; i > 0; i--) {
        struct code_text code = { .text = "", .tree = state->ends.items[i - 1] };
        if (!run(lw, &lw->root->sdfg->region.block.place, &code, false, lw->farewell))
            return false;
    }
    return true;
}

bool lower_begin_state(struct lower *lw)
{
    lw->farewell = stmt_block(lw->tree);
    if (lw->root->sdfg->state.size && !make_state(lw))
        return false;
    return run_all(lw, false, true, NULL) && run_all(lw, true, true, NULL) && run_all(lw, true, false, NULL) &&
           run_all(lw, false, false, lw->farewell) && run_destructors(lw);
}

void lower_end_state(struct lower *lw)
{
    struct tree *t = lw->tree;
    if (lw->root->sdfg->state.size) {
        struct tree_var *v = tree_var(t, "state", type_pointer(lw->ir, type_basic(lw->ir, TYPE_U64)));
        stmt_assign(t, lw->farewell, v, expr_slot(t, TREE_PROGRAM_STATE, v->type));
        stmt_free(t, lw->farewell, v);
    }
    if (lw->farewell->items.count)
        stmt_append(t, lower_function(lw, &lw->exit, "exit")->body, lw->farewell);
}
