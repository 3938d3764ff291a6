/* Names, and where variables are declared: where they first get a value, if that is in front of everything else that is
 * said of them. */
#include "gpu/emit_text.h"

#include <ctype.h>

enum { NAME_MAX_LENGTH = 40 };

const char *gpu_name(struct gpu_func *f, char prefix, uint32_t number, const char *name)
{
    struct arena *a = f->module->arena;
    if (f->plain || !name)
        return arena_printf(a, "%c%u", prefix, number);
    char *out = arena_printf(a, "%c%u_%.*s", prefix, number, NAME_MAX_LENGTH, name);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return out;
}

struct gpu_variable *gpu_variable(struct gpu_func *f, const struct tree_var *v)
{
    struct gpu_variable *x = map_get(&f->variables, v);
    if (x)
        return x;
    x = NEW(f->module->arena, struct gpu_variable);
    *x = (struct gpu_variable){ .var = v, .name = gpu_name(f, 'v', f->num_variables++, v->name) };
    map_put(f->module->arena, &f->variables, v, x);
    vec_push(f->module->arena, &f->order, x);
    return x;
}

/* ---- where they are mentioned ---- */

struct step {
    const struct tree_stmt *block;
    uint32_t item;
    bool loops; /* the block is in the body of a loop */
};

/* Steps from the body of the kernel to the first mention of a variable, as far as they lead to all others. */
struct mentions {
    struct gpu_variable *variable;
    struct step *path;
    uint32_t depth;
    bool several;
    bool begins; /* the first one is a statement that gives it a value without reading it */
};

struct walk {
    struct gpu_func *f;
    VEC(struct step) path;
    struct map mentions; /* struct tree_var * -> struct mentions * */
    VEC(struct mentions *) all;
    struct map visited; /* expressions of the statement at hand */
    bool loops;
};

static void mention(struct walk *w, const struct tree_var *v, bool begins)
{
    struct arena *a = w->f->module->arena;
    struct mentions *m = map_get(&w->mentions, v);
    if (!m) {
        m = NEW(a, struct mentions);
        struct step *path = arena_copy(a, w->path.items, w->path.count * sizeof *path);
        *m = (struct mentions){ gpu_variable(w->f, v), path, w->path.count, false, begins };
        map_put(a, &w->mentions, v, m);
        vec_push(a, &w->all, m);
        return;
    }
    uint32_t i = 0;
    while (i < m->depth && i < w->path.count && m->path[i].block == w->path.items[i].block &&
           m->path[i].item == w->path.items[i].item)
        i++;
    if (i < m->depth && i < w->path.count && m->path[i].block == w->path.items[i].block) {
        m->begins = m->begins && i + 1 == m->depth; /* else the first one is deeper in an item */
        m->depth = i + 1;
        m->several = true;
    } else if (i < m->depth) { /* this one is where the deeper one begins */
        m->begins = false;
        m->several = m->several && i + 1 == m->depth;
        m->depth = i;
    }
}

static void see_expr(struct walk *w, struct tree_expr *e)
{
    if (e->op == EXPR_VAR) {
        gpu_variable(w->f, e->var)->mentions++;
        mention(w, e->var, false);
    }
    if (!e->num_args || map_has(&w->visited, e))
        return;
    map_put(w->f->module->arena, &w->visited, e, e);
    for (uint32_t i = 0; i < e->num_args; i++)
        see_expr(w, e->args[i]);
}

static void see_root(void *user, struct tree_expr **e) { see_expr(user, *e); }

static void see_assigned(struct walk *w, const struct tree_stmt *s)
{
    if (!s->var)
        return;
    struct gpu_variable *x = gpu_variable(w->f, s->var);
    x->assignments++;
    if (s->kind == STMT_ALLOC)
        x->array = true;
    mention(w, s->var, true);
}

static void see_stmt(struct walk *w, struct tree_stmt *s)
{
    if (s->kind == STMT_LABEL)
        w->f->labels = true;
    if (s->kind == STMT_BLOCK) {
        for (uint32_t i = 0; i < s->items.count; i++) {
            vec_push(w->f->module->arena, &w->path, ((struct step){ s, i, w->loops }));
            see_stmt(w, s->items.items[i]);
            w->path.count--;
        }
        return;
    }
    w->visited = (struct map){ 0 };
    bool update = s->kind == STMT_UPDATE, outside = w->loops;
    if (update) /* the value stands behind the variable */
        see_assigned(w, s);
    stmt_each_expr(s, see_root, w);
    if (!update)
        see_assigned(w, s);
    w->loops = w->loops || stmt_is_loop(s);
    if (s->body)
        see_stmt(w, s->body);
    if (s->otherwise)
        see_stmt(w, s->otherwise);
    w->loops = outside;
}

void gpu_variables(struct gpu_func *f)
{
    struct walk w = { .f = f };
    for (uint32_t i = 0; i < f->params.count; i++) {
        struct gpu_variable *x = NEW(f->module->arena, struct gpu_variable);
        *x = (struct gpu_variable){ .var = f->params.vars[i],
                                    .name = gpu_name(f, 'p', i, f->params.vars[i]->name),
                                    .param = true,
                                    .declared = true };
        map_put(f->module->arena, &f->variables, x->var, x);
    }
    see_stmt(&w, f->kernel->body);
    for (uint32_t i = 0; i < w.all.count; i++) {
        const struct mentions *m = w.all.items[i];
        struct gpu_variable *x = m->variable;
        x->constant = x->assignments == 0 || (x->array && x->assignments == 1);
        if (x->param)
            continue;
        const struct step *home = m->depth ? &m->path[m->depth - 1] : NULL;
        x->block = home ? home->block : NULL;
        x->item = home ? home->item : 0;
        x->several = m->several;
        x->on_top = !home || f->labels || x->array || (home->loops && !m->begins);
    }
    f->num_variables += f->params.count;
}
