#include "frontend/lower.h"

#include <string.h>

struct fe_source *fe_source(struct fe *f, const char *path, const char *text, size_t size, uint32_t first_line)
{
    struct fe_source *s = NEW(f->arena, struct fe_source);
    *s = (struct fe_source){
        .path = intern(f->ir->names, path), .text = text, .length = size, .first_line = first_line
    };
    s->lines = py_lines(f->arena, text, size);
    return s;
}

struct py *fe_parse(struct fe *f, const struct fe_source *s, enum py_mode mode)
{
    struct py_error error = { 0 };
    struct py *tree = py_parse(f->arena, f->ir->names, s->text, s->length, mode, &error);
    if (tree)
        fe_rewrite(f, s, tree);
    if (tree)
        return tree;
    struct py at = { .begin = error.offset };
    const struct fe_source *kept = f->source;
    f->source = s;
    if (error.limit)
        fe_unsupported(f, &at, "%s", error.message);
    else
        fe_error(f, &at, "%s", error.message);
    f->source = kept;
    return NULL;
}

struct py *fe_parse_file(struct fe *f, const char *path, const char *bytes, size_t size)
{
    struct py_error error = { 0 };
    size_t length;
    const char *text = py_decode(f->arena, bytes, size, &length, &error);
    f->source = text ? fe_source(f, path, text, length, 1) : fe_source(f, path, bytes, size, 1);
    if (text)
        return fe_parse(f, f->source, PY_MODE_MODULE);
    struct py at = { .begin = error.offset };
    return error.limit ? fe_unsupported(f, &at, "%s", error.message) : fe_error(f, &at, "%s", error.message);
}

static const struct fe_function *find_function(struct fe *f, struct fe_scope *module, const char *name)
{
    const struct fe_function *only = NULL;
    struct text list = text_new(f->arena), marked = text_new(f->arena);
    uint32_t programs = 0;
    for (uint32_t i = 0; i < module->names.count; i++) {
        const struct fe_binding *b = &module->names.items[i];
        if (!b->value || b->value->kind != FE_FUNCTION || b->value->function->node->kind != PY_FUNCTION_DEF)
            continue;
        if (name ? strcmp(b->name, name) == 0 : b->value->function->program) {
            only = b->value->function;
            programs++;
        }
        struct text *t = b->value->function->program ? &marked : &list;
        text_printf(t, "%s%s", t->length ? ", " : "", b->name);
    }
    if (marked.length) /* these are what is meant to be run */
        list = marked;
    if (programs == 1 && only)
        return only;
    if (name)
        return fe_error(f, NULL, "the file has no function '%s'; it has: %s", name,
                        list.length ? text_get(&list) : "none");
    return fe_error(
        f, NULL, programs ? "the file has several programs, name one of: %s" : "the file has no program; functions: %s",
        list.length ? text_get(&list) : "none");
}

static void declare_name(void *user, const struct sym *name)
{
    struct fe *f = user;
    if (!map_has(&f->symbol_types, name->name))
        map_put(f->arena, &f->symbol_types, name->name, (void *)(uintptr_t)type_basic(f->ir, TYPE_I64));
}

static const struct value *given_type(struct fe *f, const struct py *n, const struct frontend_options *o,
                                      const char *name)
{
    for (uint32_t i = 0; o && i < o->num_types; i++) {
        if (strcmp(o->types[i].name, name) != 0)
            continue;
        const char *text = o->types[i].type, *open = strchr(text, '[');
        const char *element = arena_strndup(f->arena, text, open ? (size_t)(open - text) : strlen(text));
        const struct type *t = type_by_name(f->ir, element);
        struct value *v = fe_new(f, open ? FE_DESC : FE_TYPE);
        v->type = t;
        if (!t || !type_is_basic(t))
            return fe_error(f, n, "'%s' is no type for parameter '%s'", text, name);
        if (!open)
            return v;
        build_list parts = { 0 };
        build_split(f->ir, arena_strndup(f->arena, open + 1, strlen(open) - 2), ',', &parts);
        const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, parts.count + 1);
        for (uint32_t i2 = 0; i2 < parts.count; i2++)
            if ((shape[i2] = build_sym(f->ir, NULL, parts.items[i2])))
                sym_visit_names(shape[i2], declare_name, f);
        v->rank = parts.count;
        v->shape = shape;
        return v;
    }
    return NULL;
}

bool frontend_read_options(struct arena *a, const char *text, struct frontend_options *out, const char **wrong)
{
    VEC(struct frontend_type) types = { 0 };
    *out = (struct frontend_options){ 0 };
    while (*text) {
        size_t length = strcspn(text, ";");
        const char *row = arena_strndup(a, text + strspn(text, " "), length - strspn(text, " ")),
                   *sign = strchr(row, '=');
        text += length + (text[length] == ';');
        if (!*row)
            continue;
        *wrong = row;
        if (!sign || sign == row || !sign[1])
            return false;
        if (strcmp(row, "assert=drop") == 0)
            out->drop_assertions = true;
        else if (strcmp(row, "index=trust") == 0)
            out->trust_indices = true;
        else if (strcmp(row, "warn=none") == 0)
            out->no_warnings = true;
        else
            vec_push(a, &types, ((struct frontend_type){ arena_strndup(a, row, (size_t)(sign - row)), sign + 1 }));
    }
    out->types = types.items;
    out->num_types = types.count;
    return true;
}

static bool move_node(void *by, struct py *n)
{
    n->begin += (uint32_t)(uintptr_t)by;
    n->end += (uint32_t)(uintptr_t)by;
    return true;
}

/* The descriptor of a parameter of the program; NULL with an error. */
static const struct value *parameter_type(struct fe *f, const struct py *p, const struct frontend_options *o)
{
    const struct py *n = p->arg.annotation;
    f->said = false;
    const struct value *v = n ? NULL : given_type(f, p, o, p->arg.arg);
    if (!v && !f->said && f->scope->outer->host && f->scope->outer->host->parameter)
        v = f->scope->outer->host->parameter(f->scope->outer->host, p);
    if (v || f->said)
        return v;
    if (n && n->kind == PY_CONSTANT && n->constant.value.kind == PY_STRING) {
        struct py_error error = { 0 };
        struct py *e = py_parse(f->arena, f->ir->names, n->constant.value.text, n->constant.value.length,
                                PY_MODE_EXPRESSION, &error);
        if (!e)
            return fe_error(f, n, "the annotation is no Python: %s", error.message);
        py_visit(e, move_node, (void *)(uintptr_t)(n->begin + 1));
        n = e->expression.body;
    }
    if (!n)
        return fe_error(f, p,
                        "the type of parameter '%s' is not known: it needs an annotation such as dace.float64[N], or a "
                        "type in the call: --%s=float64[N]",
                        p->arg.arg, p->arg.arg);
    f->raw = true;
    v = fe_eval(f, n);
    f->raw = false;
    if (v && v->kind != FE_TYPE && v->kind != FE_DESC)
        return fe_error(f, n, "the annotation of '%s' is %s, not a type such as dace.float64[N]", p->arg.arg,
                        fe_describe(f, v));
    return v ? fe_in_context(f, n, v) : NULL;
}

struct fe_container *fe_argument(struct fe *f, const char *name, const struct value *t)
{
    struct fe_level *top = f->level;
    while (top->outer)
        top = top->outer;
    struct fe_container *c = NEW(f->arena, struct fe_container);
    c->name = name;
    c->type = t->type;
    c->rank = t->rank;
    c->shape = arena_copy(f->arena, t->rank ? t->shape : (const struct sym *const[]){ NULL },
                          (t->rank ? t->rank : 1) * sizeof *t->shape);
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->shape[i]->op == SYM_NAME)
            fe_know(f, t->shape[i]->name, sym_int(f->ir, 0), NULL);
    c->level = top;
    c->scalar = t->kind == FE_TYPE;
    c->argument = true;
    map_put(f->arena, &f->used_names, c->name, (void *)1);
    struct container *made = c->scalar
                                 ? build_scalar(top->sdfg, c->name, c->type->name)
                                 : build_array(top->sdfg, c->name, c->type->name, fe_shape_text(f, c->shape, c->rank));
    if (t->strides) {
        c->strides = arena_copy(f->arena, t->strides, t->rank * sizeof *t->strides);
        build_strides(top->sdfg, made, fe_shape_text(f, c->strides, c->rank));
        for (uint32_t i = 0; i < t->rank; i++) /* declares the symbols */
            (void)fe_in_context(f, NULL, fe_symbol(f, t->strides[i]));
    }
    fe_mark(f, &made->place);
    return c;
}

static bool add_parameter(struct fe *f, const struct py *p, const struct frontend_options *o, struct text *names)
{
    const struct value *t = parameter_type(f, p, o);
    if (!t)
        return false;
    fe_at(f, p);
    if (t->kind != FE_TYPE && t->kind != FE_DESC) { /* a constant, which is no argument of the graph */
        fe_bind(f, f->scope, p->arg.arg, t);
        fe_typed(f, p, p->arg.arg, t);
        if (t->kind == FE_VIEW && t->view.container->name == p->arg.arg)
            text_printf(names, "%s%s", names->length ? ", " : "", p->arg.arg);
        return true;
    }
    for (uint32_t i = 0; i < t->rank; i++) { /* declares the symbols */
        const struct value *dim = fe_in_context(f, p, fe_symbol(f, t->shape[i]));
        (void)dim;
    }
    struct fe_container *c = fe_argument(f, p->arg.arg, t);
    text_printf(names, "%s%s", names->length ? ", " : "", c->name);
    struct value *whole = (struct value *)fe_whole(f, c);
    whole->weak = t->weak;
    fe_bind(f, f->scope, p->arg.arg, whole);
    fe_typed(f, p, p->arg.arg, whole);
    return true;
}

static bool lower(struct fe *f, const struct fe_function *fn, const struct frontend_options *o)
{
    const struct py *args = fn->node->function.args;
    const struct py_list *lists[3] = { &args->arguments.posonlyargs, &args->arguments.args,
                                       &args->arguments.kwonlyargs };
    struct fe_scope scope = { .outer = fn->scope, .body = fn->node };
    struct fe_return returns = { 0 };
    struct text names = text_new(f->arena);
    f->scope = &scope;
    f->returns = &returns;
    const struct py *open[2] = { args->arguments.vararg, args->arguments.kwarg };
    bool asks = fn->scope->host && fn->scope->host->parameter, good = true;
    if ((open[0] || open[1]) && !asks)
        return fe_unsupported(f, open[0] ? open[0] : open[1], "a variable number of arguments of a program") != NULL;
    vec_push(f->arena, &f->calls, fn);
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < lists[k]->count; i++)
            good &= add_parameter(f, lists[k]->items[i], o, &names);
    for (int k = 0; k < 2; k++) /* constants, whose parts are data */
        good &= !open[k] || add_parameter(f, open[k], o, &names);
    if (!good)
        return false;
    build_arguments(f->level->sdfg, text_get(&names));
    if (!fe_block(f, &fn->node->function.body) || f->failed)
        return false;
    if (!f->region->blocks.count)
        fe_state(f, "empty");
    return fe_count_processes(f);
}

static struct sdfg *lower_program(struct fe *f, const struct fe_function *fn, const struct frontend_options *o)
{
    struct fe_level *level = NEW(f->arena, struct fe_level);
    f->level = level;
    f->dace = fn->dace;
    f->unroll = fn->unroll;
    f->source = fn->source;
    level->sdfg = build_sdfg(f->ir, fn->node->function.name);
    f->region = &level->sdfg->region;
    fe_at(f, fn->node);
    fe_mark(f, &level->sdfg->region.block.place);
    if (!lower(f, fn, o))
        return NULL;
    for (uint32_t i = 0; i < f->program_symbols.count; i++) {
        const char *name = f->program_symbols.items[i];
        const struct type *t = map_get(&f->symbol_types, name);
        if (!map_has(&level->sdfg->symbol_by_name, name))
            build_symbol(level->sdfg, name, t ? t->name : "int64");
    }
    fe_join_states(f, level->sdfg);
    return build_finish(level->sdfg) ? level->sdfg : NULL;
}

struct sdfg *frontend_program(struct ir *ir, const char *path, const char *source, size_t size, const char *function,
                              const struct frontend_options *options, struct frontend_imports *imports)
{
    struct fe f = { .ir = ir, .arena = ir->arena, .imports = imports };
    f.drop_assertions = options && options->drop_assertions;
    f.trust_indices = options && options->trust_indices;
    f.warns = !options || !options->no_warnings;
    struct py *tree = fe_parse_file(&f, path, source, size);
    struct fe_scope *module = tree ? fe_module(&f, tree) : NULL;
    const struct fe_function *fn = module ? find_function(&f, module, function) : NULL;
    return fn && !f.failed ? lower_program(&f, fn, options) : NULL;
}

static struct sdfg *live(struct ir *ir, const struct sdfg_host *host, uint64_t function, struct frontend_found *found,
                         bool calls_sized, bool *returns_sized)
{
    struct fe f = { .ir = ir, .arena = ir->arena, .found = found, .warns = true, .calls_sized = calls_sized };
    f.source = fe_source(&f, "<unknown>", "", 0, 1);
    const struct fe_function *fn = fe_live(&f, host, function);
    struct sdfg *made = fn && !f.failed ? lower_program(&f, fn, NULL) : NULL;
    *returns_sized = f.has_sized && f.returns_sized;
    return made;
}

struct sdfg *frontend_live(struct ir *ir, const struct sdfg_host *host, uint64_t function, struct frontend_found *found)
{
    struct frontend_found before = { 0 };
    if (found)
        before = *found;
    uint32_t errors = diags_count(ir->diags);
    bool returns_sized;
    struct sdfg *made = live(ir, host, function, found, false, &returns_sized);
    if (made || !returns_sized)
        return made;
    diags_reset(ir->diags, errors); /* what the interpreter makes has any size */
    if (found)
        *found = before;
    return live(ir, host, function, found, true, &returns_sized);
}
