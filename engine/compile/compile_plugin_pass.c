/* Passes of plug-ins: what they give is read, checked, and takes the place of what they got. */
#include "engine/compile/compile.h"

#include "base/fatal.h"
#include "lower/tree/tree_print.h"
#include "lower/tree/tree_read.h"

#include <string.h>

/* What a plug-in gave. */
struct pass_gift {
    struct arena *arena;
    const char *text;
    size_t size;
    bool memory;
};

static bool exhausted(struct pass_gift *g)
{
    g->memory = true;
    return false;
}

/* The plug-in's frames are never abandoned: memory that is exhausted is told when it has returned. */
static bool take(struct pass_gift *g, const char *text, size_t size)
{
    GUARDED(exhausted(g));
    g->text = arena_strndup(g->arena, text, size);
    g->size = size;
    return true;
}

static void give(void *to, const char *text, size_t size)
{
    if (text)
        take(to, text, size);
}

static sdfg_pass_run pass_run_of(const struct compile *c)
{
    return (sdfg_pass_run){
        .struct_size = sizeof(sdfg_pass_run),
        .program = c->sdfg ? c->sdfg->name : "",
        .device = c->request->device,
        .opt_level = c->request->opt_level,
    };
}

/* What a pass is told while it runs. */
struct running {
    sdfg_pass_run run; /* first: what the plug-in sees */
    struct compile *compile;
    struct pass_gift *given;
};

static bool ask(const sdfg_pass_run *run, const char *what, sdfg_give *give_answer, void *to)
{
    const struct running *r = (const struct running *)run;
    GUARDED(exhausted(r->given));
    return compile_ask(r->compile, what, give_answer, to);
}

static bool tell(const sdfg_pass_run *run, const char *fact, const char *text, size_t size)
{
    const struct running *r = (const struct running *)run;
    GUARDED(exhausted(r->given));
    return compile_tell(r->compile, fact, text, size);
}

/* Runs the pass of the row; given->text is NULL if it left the program as it is. */
static bool run(struct compile *c, struct text *text, struct pass_gift *given)
{
    const struct codegen_pass *p = c->pass->plugin;
    struct running r = { pass_run_of(c), c, given };
    r.run.text = text_get(text);
    r.run.size = text->length;
    r.run.ask = ask;
    r.run.tell = tell;
    r.run.round = c->round;
    *given = (struct pass_gift){ .arena = c->ir->arena };
    bool ok = p->pass->run(p->pass->user, &r.run, give, given);
    if (given->memory)
        fatal_memory();
    if (ok && given->text && given->size == text->length && !memcmp(given->text, text_get(text), given->size))
        given->text = NULL;
    if (ok)
        return true;
    return diag_error(c->ir->diags, NULL, DIAG_PASS_FAILED, p->pass->name, p->plugin,
                      given->text && given->size ? given->text : "it did not say why");
}

/* Behind the errors that say what is wrong; false. */
static bool refuse(struct compile *c, const char *why)
{
    const struct codegen_pass *p = c->pass->plugin;
    return diag_error(c->ir->diags, NULL, DIAG_PASS_GAVE, p->pass->name, p->plugin, why);
}

bool pass_plugin_is_wanted(const struct compile *c, const struct pass *p)
{
    const sdfg_pass *own = p->plugin->pass;
    sdfg_pass_run what = pass_run_of(c);
    if (own->kind == SDFG_PASS_TREE && c->request->emit == CODEGEN_EMIT_SDFG)
        return false;
    return !own->condition || own->condition(own->user, &what);
}

/* ---- graphs ---- */

static bool is_same_argument(const struct container *a, const struct sdfg *in)
{
    const struct container *b = sdfg_find_container(in, a->name);
    return b && !b->transient && b->kind == a->kind && b->type == a->type && b->rank == a->rank;
}

/* The caller's arguments were looked at before: they stay. */
static bool has_same_arguments(const struct sdfg *a, const struct sdfg *b)
{
    const struct sdfg *const sides[] = { a, b };
    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; k < sides[i]->containers.count; k++)
            if (!sides[i]->containers.items[k]->transient &&
                !is_same_argument(sides[i]->containers.items[k], sides[1 - i]))
                return false;
    return true;
}

bool pass_plugin_graph(struct compile *c)
{
    struct text text = text_new(c->ir->arena);
    struct pass_gift given;
    sdfg_write(c->sdfg, &text);
    if (!run(c, &text, &given))
        return false;
    if (!given.text)
        return true;
    struct sdfg *s = sdfg_read(c->ir, given.text, given.size, c->request->folder);
    if (!s || !sdfg_validate(s))
        return refuse(c, "an SDFG that is not valid");
    if (!has_same_arguments(c->sdfg, s))
        return refuse(c, "an SDFG with other arguments");
    c->sdfg = s;
    return true;
}

/* ---- trees ---- */

static bool has_same_parameters(const struct tree *a, struct tree *b)
{
    if (a->functions.count != b->functions.count)
        return false;
    for (uint32_t i = 0; i < a->functions.count; i++) {
        const struct tree_func *f = a->functions.items[i];
        struct tree_func *g = b->functions.items[i];
        if (strcmp(f->name, g->name) != 0 || f->params.count != g->params.count)
            return false;
        for (uint32_t k = 0; k < f->params.count; k++) {
            const struct tree_param *p = &f->params.items[k];
            struct tree_param *q = &g->params.items[k];
            if (strcmp(p->name, q->name) != 0 || p->by_value != q->by_value || p->var->type != q->var->type)
                return false;
            q->host_code = p->host_code; /* not in the text */
        }
    }
    return true;
}

/* What the reader or the verifier says would be a mistake of ours elsewhere: here it is the reason. */
static struct tree *read_tree(struct compile *c, const struct pass_gift *given, const char **why)
{
    struct diags *ours = c->ir->diags, *of_text = diags_new(c->ir->arena);
    c->ir->diags = of_text;
    struct tree *t = tree_read(c->ir, given->text, given->size);
    c->ir->diags = ours;
    *why = diags_count(of_text) ? diags_get(of_text, 0)->message : "";
    return t;
}

bool pass_plugin_tree(struct compile *c)
{
    struct text text = text_new(c->ir->arena);
    struct pass_gift given;
    tree_print(c->tree, &text);
    if (!run(c, &text, &given))
        return false;
    if (!given.text)
        return true;
    const char *why;
    struct tree *t = read_tree(c, &given, &why);
    if (!t)
        return refuse(c, arena_printf(c->ir->arena, "a tree that is wrong: %s", why));
    if (!has_same_parameters(c->tree, t))
        return refuse(c, "a tree with other functions or parameters");
    t->machine = c->tree->machine;
    t->same_cache.least = c->tree->same_cache.least;
    t->same_cache.most = c->tree->same_cache.most;
    t->num_slots = t->num_slots > c->tree->num_slots ? t->num_slots : c->tree->num_slots;
    c->tree = t;
    return true;
}
