/* Explicit dataflow: tasklets with memlets (`a << A[i]`, `b >> B(1, lambda x, y: x + y)[i]`) and copies between
 * containers by a memlet. The code of a tasklet keeps its text and so has the semantics of tasklets;
 * names of the program's constants and symbols in it are replaced by their values. */
#include "frontend/lower.h"

#include "base/number.h"

#include <string.h>

struct memlet_statement {
    const struct py *node;
    const char *connector, *wcr;
    const struct value *region;
    const struct sym *volume; /* NULL: that of the region */
    bool write, dynamic;
};

struct tasklet_parts {
    struct fe *f;
    const struct py_list *body;
    VEC(struct memlet_statement) memlets;
    VEC(const char *) locals; /* names that the code assigns */
    VEC(struct py *) names;   /* that the code reads */
    bool failed;
};

bool fe_is_memlet(const struct py *n)
{
    if (n->kind != PY_EXPR || n->expr.value->kind != PY_BIN_OP)
        return false;
    enum py_op op = n->expr.value->bin_op.op;
    return op == PY_LSHIFT || op == PY_RSHIFT;
}

/* A(volume, wcr)[subset] */
struct access_parts {
    const struct py *container, *call, *subset;
};

static struct access_parts parts_of(const struct py *n)
{
    struct access_parts p = { .container = n };
    if (n->kind == PY_SUBSCRIPT) {
        p.subset = n->subscript.slice;
        p.container = n->subscript.value;
    }
    if (p.container->kind == PY_CALL) {
        p.call = p.container;
        p.container = p.container->call.func;
    }
    return p;
}

const char *fe_memlet_target(const struct py *n)
{
    const struct py *container = parts_of(n->expr.value->bin_op.right).container;
    bool write = n->expr.value->bin_op.op == PY_RSHIFT;
    return write && container->kind == PY_NAME ? container->name.id : NULL;
}

static const char *source_of(struct fe *f, const struct py *n)
{
    return arena_strndup(f->arena, f->source->text + n->begin, n->end - n->begin);
}

/* ---- memlets ---- */

static bool add_volume(struct fe *f, const struct py *call, struct memlet_statement *m)
{
    const struct py_list *args = &call->call.args;
    if (args->count < 1 || args->count > 3 || call->call.keywords.count)
        return fe_error(f, call, "a memlet has a volume and a conflict resolution in its parentheses") != NULL;
    const struct value *volume = fe_eval(f, args->items[0]);
    volume = volume ? fe_as_symbol(f, args->items[0], volume) : NULL;
    if (!volume)
        return false;
    m->dynamic = volume->kind == FE_INT && volume->i == -1;
    m->volume = m->dynamic ? NULL : fe_sym(f, volume);
    if (args->count == 1)
        return true;
    if (args->items[1]->kind != PY_LAMBDA)
        return fe_error(f, args->items[1], "a conflict resolution is a lambda of two parameters") != NULL;
    m->wcr = source_of(f, args->items[1]);
    return true;
}

/* The container that a memlet names. A variable that has no container yet gets one. */
static const struct value *container_of(struct fe *f, const struct py *n, bool write)
{
    const struct value *v = fe_eval(f, n);
    if (v && v->kind == FE_STREAM)
        return fe_whole(f, v->view.container);
    if (!v || v->kind == FE_VIEW)
        return v;
    if (v->kind == FE_SYMBOL && write)
        return fe_error(f, n, "Symbolic variables such as '%s' cannot be written", fe_text(f, v->sym));
    if (!fe_is_operand(v))
        return fe_error(f, n, "a memlet of %s", fe_describe(f, v));
    v = fe_copy(f, n, v, n->kind == PY_NAME ? n->name.id : "tmp");
    if (v && write && n->kind == PY_NAME)
        fe_bind(f, f->scope, n->name.id, v);
    return v;
}

static bool access_region(struct fe *f, const struct py *n, struct memlet_statement *m)
{
    struct access_parts p = parts_of(n);
    if (p.call && !add_volume(f, p.call, m))
        return false;
    const struct value *base = container_of(f, p.container, m->write);
    const struct value *index = base && p.subset ? fe_eval_index(f, p.subset) : NULL;
    if (!base || (p.subset && !index))
        return false;
    bool first = index && index->kind == FE_INT && index->i == 0 && base->rank == 0; /* s[0] of a scalar */
    m->region = index && !first ? fe_subscript(f, n, base, index) : base;
    if (m->region && !fe_is_plain(m->region)) {
        if (m->write)
            return fe_unsupported(f, n, "a memlet that writes at an array of indices or to a transposed view") != NULL;
        m->region = fe_plain(f, n, m->region, "tmp");
    }
    return m->region != NULL;
}

const struct value *fe_memlet_region(struct fe *f, const struct py *n, bool write)
{
    struct memlet_statement m = { .write = write };
    return access_region(f, n, &m) ? m.region : NULL;
}

static bool add_memlet(struct tasklet_parts *t, const struct py *n)
{
    struct fe *f = t->f;
    const struct py *left = n->expr.value->bin_op.left;
    struct memlet_statement m = { .node = n, .write = n->expr.value->bin_op.op == PY_RSHIFT };
    if (left->kind != PY_NAME)
        return fe_error(f, left, "the left side of a memlet in a tasklet is the name of a connector") != NULL;
    m.connector = left->name.id;
    for (uint32_t i = 0; i < t->memlets.count; i++)
        if (t->memlets.items[i].connector == m.connector)
            return fe_error(f, left, "'%s' is an input or output of the tasklet already", m.connector) != NULL;
    if (!access_region(f, n->expr.value->bin_op.right, &m))
        return false;
    vec_push(f->arena, &t->memlets, m);
    return true;
}

/* ---- code ---- */

static bool collect_names(void *user, struct py *n)
{
    struct tasklet_parts *t = user;
    if (n->kind == PY_NAME && n->name.ctx != PY_LOAD)
        vec_push(t->f->arena, &t->locals, n->name.id);
    bool member = n->kind == PY_ATTRIBUTE && n->attribute.value->kind == PY_NAME;
    if (n->kind == PY_JOINED_STR)
        vec_push(t->f->arena, &t->names, n);
    if (n->kind == PY_JOINED_STR)
        return false;
    if (member || (n->kind == PY_NAME && n->name.ctx == PY_LOAD))
        vec_push(t->f->arena, &t->names, n);
    return !member;
}

static bool is_own(const struct tasklet_parts *t, const char *name)
{
    for (uint32_t i = 0; i < t->memlets.count; i++)
        if (t->memlets.items[i].connector == name)
            return true;
    return fe_has_name(t->locals.items, t->locals.count, name);
}

/* What stands for a value of the program in code; NULL with an error. */
static const char *value_text(struct fe *f, const struct py *n, const struct value *v)
{
    char buffer[NUMBER_TEXT_SIZE];
    const char *source = source_of(f, n);
    switch (v->kind) {
    case FE_BOOL:
        return v->i ? "True" : "False";
    case FE_INT:
        return fe_format(f, v->i < 0 ? "(%lld)" : "%lld", (long long)v->i);
    case FE_FLOAT:
        return v->f != v->f ? "nan" : fe_format(f, v->f < 0 ? "(%s)" : "%s", number_print(v->f, buffer));
    case FE_SYMBOL:
        return fe_format(f, v->sym->op == SYM_NAME ? "%s" : "(%s)", fe_text(f, fe_code_division(f, v->sym)));
    case FE_TYPE:
        return fe_format(f, "dace.%s", v->type->name);
    case FE_BUILTIN:
        return strcmp(v->builtin->module, "math") == 0 ? fe_format(f, "math.%s", v->builtin->name) : v->builtin->name;
    case FE_VIEW:
    case FE_ELEM:
        return fe_error(f, n, "'%s' is read in a tasklet without a memlet", source);
    default:
        return fe_unsupported(f, n, "'%s', %s, in a tasklet", source, fe_describe(f, v));
    }
}

static bool is_bound(const struct fe *f, const char *name)
{
    for (struct fe_scope *s = f->scope; s; s = s->outer) {
        const struct fe_binding *b = fe_find(s, name);
        if (b)
            return b->value || b->gone;
    }
    return false;
}

/* What a name means that the program has not bound, if it is a constant or a function of a module that code knows by
 * another name; NULL without an error: it stays as it is. */
static const struct value *outside(struct fe *f, const struct py *e)
{
    uint32_t before = diags_count(f->ir->diags);
    bool failed = f->failed;
    const struct value *v = fe_eval(f, e);
    diags_reset(f->ir->diags, before);
    f->failed = failed;
    f->said = false;
    if (!v || !(fe_is_number(v) || v->kind == FE_SYMBOL || fe_is_data(v) ||
                (v->kind == FE_BUILTIN && e->kind == PY_ATTRIBUTE)))
        return NULL;
    return v->kind != FE_BUILTIN || strcmp(v->builtin->module, "math") == 0 ? v : NULL;
}

struct own_search {
    const struct tasklet_parts *parts;
    bool found;
};

static bool find_own(void *user, struct py *n)
{
    struct own_search *s = user;
    s->found |= n->kind == PY_NAME && is_own(s->parts, n->name.id);
    return true;
}

/* A formatted text as a string of code, if all of it is known; NULL with an error. */
static const char *formatted_text(const struct tasklet_parts *t, const struct py *e)
{
    struct fe *f = t->f;
    struct own_search own = { t, false };
    py_visit((struct py *)(uintptr_t)e, find_own, &own);
    const struct value *v = own.found ? fe_none(f) : fe_eval(f, e);
    if (!v)
        return NULL;
    if (v->kind != FE_STRING)
        return fe_unsupported(f, e, "a formatted string in a tasklet whose values are known at run time only");
    struct text code = text_new(f->arena);
    text_addc(&code, '"');
    for (const char *c = v->text; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_addc(&code, '\\');
        if (*c == '\n')
            text_add(&code, "\\n");
        else
            text_addc(&code, *c);
    }
    text_addc(&code, '"');
    return text_get(&code);
}

/* The text of a statement, with values in place of the names; lines behind the first lose its indentation. */
static bool add_statement(struct tasklet_parts *t, struct py *n, struct text *out)
{
    struct fe *f = t->f;
    uint32_t line, column, at = n->begin;
    struct text code = text_new(f->arena);
    t->names.count = 0;
    py_visit(n, collect_names, t);
    for (uint32_t i = 1; i < t->names.count; i++) /* by place */
        for (uint32_t k = i; k && t->names.items[k]->begin < t->names.items[k - 1]->begin; k--) {
            struct py *swap = t->names.items[k];
            t->names.items[k] = t->names.items[k - 1];
            t->names.items[k - 1] = swap;
        }
    for (uint32_t i = 0; i < t->names.count; i++) {
        const struct py *e = t->names.items[i], *name = e->kind == PY_ATTRIBUTE ? e->attribute.value : e;
        const char *text = NULL;
        if (e->kind == PY_JOINED_STR) {
            text = formatted_text(t, e);
        } else {
            bool bound = is_bound(f, name->name.id);
            if (is_own(t, name->name.id))
                continue;
            const struct value *v = bound ? fe_eval(f, e) : outside(f, e);
            if (!v && !bound)
                continue;
            text = v ? value_text(f, e, v) : NULL;
        }
        if (!text)
            return false;
        text_addn(&code, f->source->text + at, e->begin - at);
        text_add(&code, text);
        at = e->end;
    }
    text_addn(&code, f->source->text + at, n->end - at);
    py_place(&f->source->lines, n->begin, &line, &column);
    text_add(out, out->length ? "\n" : "");
    for (const char *c = text_get(&code); *c; c++) {
        bool ends = *c == '\n';
        text_addc(out, *c);
        for (uint32_t k = 0; ends && k < column && c[1] == ' '; k++)
            c++;
    }
    return true;
}

/* Code in another language is one string. */
static const char *foreign_code(const struct py_list *body)
{
    const char *text = NULL;
    for (uint32_t i = 0; i < body->count; i++) {
        const struct py *n = body->items[i];
        if (fe_is_memlet(n))
            continue;
        bool string =
            n->kind == PY_EXPR && n->expr.value->kind == PY_CONSTANT && n->expr.value->constant.value.kind == PY_STRING;
        if (!string || text)
            return NULL;
        text = n->expr.value->constant.value.text;
    }
    return text;
}

static const char *code_of(struct tasklet_parts *t)
{
    struct text code = text_new(t->f->arena);
    for (uint32_t i = 0; i < t->body->count; i++) /* what is assigned anywhere is the tasklet's own */
        if (!fe_is_memlet(t->body->items[i]))
            py_visit(t->body->items[i], collect_names, t);
    for (uint32_t i = 0; i < t->locals.count; i++)
        if (map_has(&t->f->symbol_types, t->locals.items[i]))
            return fe_error(t->f, t->body->items[0], "the symbol '%s' cannot be assigned in a tasklet",
                            t->locals.items[i]);
    for (uint32_t i = 0; i < t->body->count; i++)
        if (!fe_is_memlet(t->body->items[i]) && !add_statement(t, t->body->items[i], &code))
            return NULL;
    return text_get(&code);
}

/* ---- tasklets ---- */

static const char *connectors(const struct tasklet_parts *t, bool write)
{
    struct text names = text_new(t->f->arena);
    for (uint32_t i = 0; i < t->memlets.count; i++)
        if (t->memlets.items[i].write == write)
            text_printf(&names, "%s%s", names.length ? ", " : "", t->memlets.items[i].connector);
    return text_get(&names);
}

static void build(struct tasklet_parts *t, const char *code, bool foreign)
{
    struct fe *f = t->f;
    struct state *st = fe_state(f, "tasklet");
    struct tasklet *made = build_tasklet(st, fe_format(f, "tasklet_%u", fe_label_line(f)), connectors(t, false),
                                         connectors(t, true), code);
    fe_mark(f, &made->node.place);
    if (foreign)
        made->code.language = made->code_global.language;
    for (uint32_t i = 0; i < t->memlets.count; i++) {
        const struct memlet_statement *m = &t->memlets.items[i];
        struct node *access = fe_access(f, st, m->region->view.container, m->write);
        const char *region = fe_region(f, m->region, m->write);
        struct edge *e = m->write ? build_path(region, m->wcr, m->connector, NULL, &made->node, access, NULL)
                                  : build_path(region, NULL, NULL, m->connector, access, &made->node, NULL);
        e->memlet.dynamic |= m->dynamic;
        if (m->volume)
            e->memlet.volume = m->volume;
        fe_mark(f, &e->place);
    }
}

bool fe_tasklet(struct fe *f, const struct py *n, const struct py_list *body)
{
    struct tasklet_parts t = { .f = f, .body = body };
    for (uint32_t i = 0; i < body->count; i++)
        if (fe_is_memlet(body->items[i]) && !add_memlet(&t, body->items[i]))
            return false;
    const char *foreign = foreign_code(body), *code = foreign ? foreign : code_of(&t);
    if (!code)
        return false;
    f->emitted++;
    for (uint32_t i = 0; i < t.memlets.count; i++)
        if (t.memlets.items[i].write)
            t.memlets.items[i].region->view.container->symbol = NULL;
    fe_at(f, n);
    if (!f->dry)
        build(&t, code, foreign != NULL);
    return true;
}

const char *fe_construct_of(struct fe *f, const struct py *n)
{
    uint32_t before = diags_count(f->ir->diags);
    bool failed = f->failed;
    const struct value *v = fe_eval(f, n->kind == PY_CALL ? n->call.func : n);
    if (!v) { /* the construct is refused as a whole */
        diags_reset(f->ir->diags, before);
        f->failed = failed;
    }
    bool known = v && v->kind == FE_BUILTIN && strcmp(v->builtin->module, "dace") == 0;
    return known ? v->builtin->name : NULL;
}

/* ---- copies ---- */

bool fe_memlet_copy(struct fe *f, const struct py *n)
{
    const struct py *e = n->expr.value;
    bool forward = e->bin_op.op == PY_RSHIFT;
    struct memlet_statement to = { .write = true }, from = { 0 };
    if (!access_region(f, forward ? e->bin_op.left : e->bin_op.right, &from) ||
        !access_region(f, forward ? e->bin_op.right : e->bin_op.left, &to))
        return false;
    const char *wcr = to.wcr ? to.wcr : from.wcr;
    bool stream = to.region->view.container->buffer || from.region->view.container->buffer;
    return stream ? fe_stream_copy(f, n, to.region, from.region, wcr) : fe_store(f, n, to.region, from.region, wcr);
}
