/* The functions of a live interpreter: their text is parsed when they are needed. */
#include "frontend/live.h"

#include <string.h>

struct finding {
    const char *name;
    struct py *found;
    uint32_t count;
};

static bool find(void *user, struct py *n)
{
    struct finding *s = user;
    bool is = s->name ? n->kind == PY_FUNCTION_DEF && n->function.name == s->name : n->kind == PY_LAMBDA;
    if (is && !s->count++)
        s->found = n;
    return !is;
}

/* The definition in the text; a lambda as a function that returns its expression. */
static const struct py *definition(struct live *l, struct py *tree, const char *name)
{
    struct fe *f = l->f;
    bool lambda = strcmp(name, "<lambda>") == 0;
    struct finding s = { .name = lambda ? NULL : intern(f->ir->names, name) };
    py_visit(tree, find, &s);
    if (!s.found)
        return fe_unsupported(f, tree, "no 'def %s' in the text of the function", name);
    if (!lambda)
        return s.found;
    if (s.count > 1)
        return fe_unsupported(f, s.found, "a lambda beside another one in the same statement");
    struct py *ret = arena_alloc(f->arena, sizeof *ret), *def = arena_alloc(f->arena, sizeof *def);
    memset(def, 0, sizeof *def);
    memset(ret, 0, sizeof *ret);
    ret->kind = PY_RETURN;
    def->kind = PY_FUNCTION_DEF;
    ret->begin = def->begin = s.found->begin;
    ret->end = def->end = s.found->end;
    ret->return_.value = s.found->lambda.body;
    def->function.name = intern(f->ir->names, "function");
    def->function.args = s.found->lambda.args;
    def->function.body.count = 1;
    def->function.body.items = NEW_ARRAY(f->arena, struct py *, 1);
    def->function.body.items[0] = ret;
    return def;
}

static const uint32_t *code_lines(struct fe *f, const struct fe_source *s)
{
    uint32_t *counts = NEW_ARRAY(f->arena, uint32_t, s->lines.count + 1), count = 0;
    const char *c = s->text;
    for (uint32_t i = 0; i < s->lines.count; i++) {
        const char *end = memchr(c, '\n', (size_t)(s->text + s->length - c));
        c += strspn(c, " \t\r");
        count += *c != '#' && *c != '\n' && *c != '\0';
        counts[i] = count;
        c = end ? end + 1 : s->text + s->length;
    }
    return counts;
}

const struct fe_function *live_function(struct live *l, const struct py *n, uint64_t id)
{
    struct fe *f = l->f;
    const char *key = live_key(f, id);
    struct fe_function *fn = map_get(&l->functions, key);
    if (fn)
        return fn;
    struct sdfg_source given = { .struct_size = sizeof given };
    bool good = l->host->source && l->host->source(l->host->user, id, &given);
    if (!good || !given.name)
        return fe_unsupported(f, n, "a function without source text%s%s", given.text ? ": " : "",
                              given.text ? arena_strdup(f->arena, given.text) : "");
    struct live_host *h = NEW(f->arena, struct live_host);
    *h = (struct live_host){ live_questions, l, id, arena_strdup(f->arena, given.name) };
    if (!l->host->callback)
        h->host.callback = NULL;
    if (!l->host->call)
        h->host.compute = NULL;
    fn = NEW(f->arena, struct fe_function);
    struct fe_source *source =
        fe_source(f, given.path ? given.path : "<unknown>", arena_strndup(f->arena, given.text, given.size), given.size,
                  given.first_line ? given.first_line : 1);
    source->code_lines = code_lines(f, source);
    fn->source = source;
    fn->program = true;
    fn->dace = given.dace;
    fn->strict = given.strict;
    fn->unroll = given.unroll;
    fn->id = id;
    struct py *tree = fe_parse(f, fn->source, PY_MODE_SNIPPET);
    const struct fe_source *kept = f->source;
    f->source = fn->source;
    fn->node = tree ? definition(l, tree, h->name) : NULL;
    f->source = kept;
    if (!fn->node)
        return NULL;
    fn->scope = NEW(f->arena, struct fe_scope);
    fn->scope->host = &h->host;
    fn->scope->is_module = true;
    map_put(f->arena, &l->functions, key, fn);
    return fn;
}
