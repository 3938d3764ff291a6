/* Blocks, containers and names of the graph. */
#include "frontend/graph.h"

#include "frontend/lower.h"

#include <string.h>

/* Places name the files by their index in this list. */
static void list_file(struct fe *f, const char *file)
{
    struct fe_level *top = f->level;
    while (top->outer)
        top = top->outer;
    if (!fe_has_name(top->sdfg->source_files.items, top->sdfg->source_files.count, file))
        vec_push(f->arena, &top->sdfg->source_files, file);
}

void fe_at(struct fe *f, const struct py *n)
{
    fe_place(f, n, &f->place);
    if (f->level)
        list_file(f, f->place.file);
}

void fe_mark(struct fe *f, struct place *p)
{
    p->file = f->place.file;
    p->line = f->place.line;
    p->column = f->place.column;
}

void fe_link(struct fe *f, struct block *b)
{
    fe_mark(f, &b->place);
    if (f->last)
        fe_mark(f, &build_transition(f->last, b, NULL, f->pending)->place);
    f->pending = NULL;
    f->last = b;
}

const char *fe_label(struct fe *f, const char *what)
{
    const char *label = intern(f->ir->names, fe_numbered(f, arena_join(f->arena, what, "_"), fe_label_line(f)));
    const char *first = label;
    uintptr_t times = (uintptr_t)map_get(&f->used_labels, first);
    while (map_has(&f->used_labels, label))
        label = intern(f->ir->names, fe_format(f, "%s_%u", first, (unsigned)times++));
    map_put(f->arena, &f->used_labels, label, (void *)1);
    if (label != first)
        map_put(f->arena, &f->used_labels, first, (void *)times);
    return label;
}

struct state *fe_state(struct fe *f, const char *label)
{
    struct state *st = build_state(f->region, fe_label(f, label));
    fe_link(f, &st->block);
    return st;
}

const char *fe_text(struct fe *f, const struct sym *s) { return sym_text(f->ir, s); }
void fe_add_text(struct text *t, const struct sym *s) { sym_print(s, SYM_SYNTAX_PYTHON, t); }

const char *fe_shape_text(struct fe *f, const struct sym *const *shape, uint32_t rank)
{
    struct text t = text_new(f->arena);
    for (uint32_t i = 0; i < rank; i++) {
        text_add(&t, i ? ", " : "");
        fe_add_text(&t, shape[i]);
    }
    return rank ? text_get(&t) : "1";
}

static void declare(struct fe *f, struct fe_level *l, struct fe_container *c, bool inner)
{
    struct container *made;
    const char *type = type_is_basic(c->type) ? c->type->name : "int64";
    if (c->buffer) {
        made = build_streams(l->sdfg, c->name, type, fe_shape_text(f, c->shape, c->rank), c->buffer);
        made->transient = false;
    } else if (c->scalar) {
        made = build_scalar(l->sdfg, c->name, type);
    } else {
        const char *shape = fe_shape_text(f, c->shape, c->rank);
        made =
            c->shows && !inner ? build_view(l->sdfg, c->name, type, shape) : build_array(l->sdfg, c->name, type, shape);
    }
    made->type = c->type;
    if (!inner && !c->argument)
        made->transient = true;
    map_put(f->arena, &f->born, made, f->region);
    if (c->strides)
        build_strides(l->sdfg, made, fe_shape_text(f, c->strides, c->rank));
    fe_mark(f, &made->place);
}

struct fe_container *fe_container(struct fe *f, const char *wish, const struct type *t, const struct sym *const *shape,
                                  uint32_t rank)
{
    return fe_strided(f, wish, t, shape, NULL, rank);
}

static struct fe_container *new_container(struct fe *f, const char *wish, const struct type *t,
                                          const struct sym *const *shape, uint32_t rank)
{
    struct fe_container *c = NEW(f->arena, struct fe_container);
    c->name = fe_unique(f, wish);
    c->type = t;
    c->rank = rank;
    c->shape = NEW_ARRAY(f->arena, const struct sym *, rank + 1);
    for (uint32_t i = 0; i < rank; i++)
        c->shape[i] = shape[i];
    c->level = f->level;
    c->scalar = rank == 0;
    return c;
}

struct fe_container *fe_strided(struct fe *f, const char *wish, const struct type *t, const struct sym *const *shape,
                                const struct sym **strides, uint32_t rank)
{
    struct fe_container *c = new_container(f, wish, t, shape, rank);
    c->strides = strides;
    for (uint32_t i = 0; i < rank; i++) /* as there is such an array */
        if (!fe_is_not_negative(f, shape[i]))
            fe_know_not_negative(f, shape[i]);
    if (!f->dry)
        declare(f, f->level, c, false);
    return c;
}

struct fe_container *fe_queues(struct fe *f, const char *wish, const struct type *t, const struct sym *const *shape,
                               uint32_t rank, const char *buffer)
{
    struct fe_container *c = new_container(f, wish, t, shape, rank);
    c->buffer = buffer;
    if (!f->dry)
        declare(f, f->level, c, false);
    return c;
}

static void import(struct fe *f, struct fe_level *l, struct fe_container *c, bool write)
{
    if (l == c->level)
        return;
    import(f, l->outer, c, write);
    for (uint32_t i = 0; i < l->imports.count; i++)
        if (l->imports.items[i].container == c) {
            l->imports.items[i].written |= write;
            l->imports.items[i].read |= !write;
            return;
        }
    vec_push(f->arena, &l->imports, ((struct fe_import){ c, !write, write }));
    if (!f->dry)
        declare(f, l, c, true);
}

const char *fe_use(struct fe *f, struct fe_container *c, bool write)
{
    if (!f->dry)
        import(f, f->level, c, write);
    return c->name;
}

const char *fe_whole_text(struct fe *f, const struct fe_container *c)
{
    struct text t = text_new(f->arena);
    text_printf(&t, "%s[", c->name);
    for (uint32_t i = 0; i < c->rank; i++)
        text_printf(&t, "%s0:%s", i ? ", " : "", fe_text(f, c->shape[i]));
    text_add(&t, c->rank ? "]" : "0]");
    return text_get(&t);
}

bool fe_is_plain(const struct value *v)
{
    const struct fe_container *c = v->view.container;
    int next = 0;
    for (uint32_t i = 0; i < (c->rank ? c->rank : 1); i++) {
        const struct fe_dim *d = &v->view.dims[i];
        if (d->index || (d->axis >= 0 && (d->axis != next || d->step->op != SYM_INT || d->step->i < 1)))
            return false;
        next += d->axis >= 0;
    }
    return (uint32_t)next == v->rank;
}

const char *fe_region(struct fe *f, const struct value *v, bool write)
{
    struct fe_container *c = v->view.container;
    struct text t = text_new(f->arena);
    text_add(&t, fe_use(f, c, write));
    for (uint32_t i = 0; i < (c->rank ? c->rank : 1); i++) {
        const struct fe_dim *d = &v->view.dims[i];
        text_add(&t, i ? ", " : "[");
        fe_add_text(&t, d->begin);
        if (d->axis < 0)
            continue;
        const struct sym *last = sym_mul(f->ir, sym_sub(f->ir, v->shape[d->axis], sym_int(f->ir, 1)), d->step);
        const struct sym *end = sym_add(f->ir, sym_add(f->ir, d->begin, last), sym_int(f->ir, 1));
        text_addc(&t, ':');
        fe_add_text(&t, end);
        if (!sym_is_int(d->step, 1))
            text_printf(&t, ":%s", fe_text(f, d->step));
    }
    text_addc(&t, ']');
    return text_get(&t);
}

struct node *fe_access(struct fe *f, struct state *st, struct fe_container *c, bool write)
{
    struct access *a = build_access(st, fe_use(f, c, write));
    fe_mark(f, &a->node.place);
    if (!c->shows || c->level != f->level)
        return &a->node;
    struct node *base = fe_access(f, st, c->shows->view.container, write);
    const char *region = fe_region(f, c->shows, write);
    struct edge *e = write ? build_edge(&a->node, "views", base, NULL, region, NULL)
                           : build_edge(base, NULL, &a->node, "views", region, NULL);
    fe_mark(f, &e->place);
    return &a->node;
}

/* ---- integers known at run time ---- */

/* Sums and products of integers are those of symbols, so that equal ones are seen to be equal. NULL: another operation.
 */
static const struct value *symbolic(struct fe *f, const struct py *n, const struct value *v)
{
    static const struct {
        const char *format;
        enum py_op op;
    } rows[] = { { "($0 + $1)", PY_ADD }, { "($0 - $1)", PY_SUB }, { "($0 * $1)", PY_MULT },
                 { "(-$0)", PY_USUB },    { "$0", PY_UADD },       { "dace.int64($0)", PY_UADD } };
    if (v->kind != FE_ELEM || v->rank || v->type->kind != TYPE_I64)
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].format, v->elem->format) != 0)
            continue;
        const struct value *args[2] = { 0 };
        for (uint32_t k = 0; k < v->elem->count; k++) {
            const struct value *a = v->elem->args[k];
            if (!fe_is_int_type(fe_own_type(f, a)) || !(a = fe_as_symbol(f, n, a)))
                return NULL;
            args[k] = fe_symbol(f, fe_sym(f, a)); /* without the type of its own */
        }
        return args[1] ? fe_binary(f, n, rows[i].op, args[0], args[1]) : fe_unary(f, n, rows[i].op, args[0]);
    }
    return NULL;
}

static const struct value *exact(struct fe *f, const struct py *n, const struct value *v, bool size)
{
    const struct sym *s = fe_sym(f, v), *changed = f->level ? fe_exact_division(f, n, s, size) : s;
    return !changed ? NULL : v->kind == FE_BOOL ? fe_int(f, v->i) : s == changed ? v : fe_symbol(f, changed);
}

const struct value *fe_as_size(struct fe *f, const struct py *n, const struct value *v)
{
    return v && fe_sym(f, v) ? exact(f, n, v, true) : fe_as_symbol(f, n, v);
}

const struct value *fe_as_symbol(struct fe *f, const struct py *n, const struct value *v)
{
    if (!v || fe_sym(f, v))
        return v ? exact(f, n, v, false) : NULL;
    if (!fe_is_data(v) || !fe_is_int_type(v->type))
        return fe_raise(f, n, "TypeError", "an integer is needed here, this is %s", fe_describe(f, v));
    if (v->rank > 0) {
        for (uint32_t i = 0; i < v->rank; i++)
            if (!sym_is_int(v->shape[i], 1) || v->kind != FE_VIEW)
                return fe_raise(f, n, "TypeError", "an integer is needed here, this is %s", fe_describe(f, v));
    }
    const struct value *scalar = symbolic(f, n, v);
    if (scalar || f->failed)
        return scalar;
    scalar = v;
    if (v->kind != FE_VIEW || !v->view.container->scalar) {
        struct fe_container *c = fe_container(f, "index", v->type, NULL, 0);
        scalar = fe_whole(f, c);
        if (!fe_store(f, n, scalar, v, NULL))
            return NULL;
    }
    struct fe_container *from = scalar->view.container;
    const char *data = fe_use(f, from, false);
    if (from->symbol && fe_has_name(f->symbols.items, f->symbols.count, from->symbol))
        return fe_symbol(f, sym_name(f->ir, from->symbol));
    const char *name = from->symbol = fe_unique(f, fe_format(f, "%s_s", data));
    f->emitted++;
    vec_push(f->arena, &f->symbols, name);
    if (type_is_unsigned(v->type))
        fe_know_always(f, sym_name(f->ir, name));
    if (!f->dry) { /* at once: what comes next may change the scalar */
        build_symbol(f->level->sdfg, name, "int64");
        if (!f->last)
            fe_state(f, "init");
        f->pending = fe_format(f, "%s = %s", name, data);
        fe_state(f, "index");
    }
    return fe_symbol(f, sym_name(f->ir, name));
}
