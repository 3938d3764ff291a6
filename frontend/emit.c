/* Elementwise expressions become maps with one tasklet. */
#include "frontend/lower.h"

#include "base/number.h"

#include <string.h>

/* What a tasklet reads. */
struct tasklet_input {
    struct fe_container *container;
    const char *region, *connector;
    bool whole; /* a pointer to all of it, indexed in the code */
};

struct emission {
    struct fe *f;
    VEC(struct tasklet_input) inputs;
    bool by_name;  /* no tasklet: scalars stand for themselves; other data is not possible */
    bool elements; /* with by_name: but elements of arrays are */
    bool impossible;
};

static const char *element_text(struct emission *e, const struct value *v, int shift);

static const char *param(struct emission *e, int axis)
{
    return intern(e->f->ir->names, fe_numbered(e->f, "__i", axis));
}

/* ---- literals ---- */

static const char *real_text(struct emission *e, double d)
{
    char buffer[NUMBER_TEXT_SIZE];
    if (d != d)
        return "nan";
    const char *text = arena_strdup(e->f->arena, number_print(d, buffer));
    return *text == '-' ? fe_format(e->f, "(%s)", text) : text;
}

static const char *number_text(struct emission *e, const struct value *v)
{
    const struct type *t = fe_own_type(e->f, v);
    const char *text;
    switch (v->kind) {
    case FE_BOOL:
        return v->i ? "True" : "False";
    case FE_INT:
        text = v->i == INT64_MIN ? "(-9223372036854775807 - 1)"
                                 : fe_format(e->f, v->i < 0 ? "(%lld)" : "%lld", (long long)v->i);
        break;
    case FE_FLOAT:
        text = real_text(e, v->f);
        break;
    default:
        return fe_format(e->f, "dace.%s(%s, %s)", t->name, real_text(e, v->f), real_text(e, v->im));
    }
    return t->kind == TYPE_I64 || t->kind == TYPE_F64 ? text : fe_format(e->f, "dace.%s(%s)", t->name, text);
}

/* ---- views ---- */

static const struct sym *index_of(struct emission *e, const struct value *v, const struct fe_dim *d, int shift)
{
    if (d->axis < 0 || sym_is_int(v->shape[d->axis], 1))
        return d->begin;
    const struct sym *i = sym_name(e->f->ir, param(e, d->axis + shift));
    return sym_add(e->f->ir, d->begin, sym_mul(e->f->ir, d->step, i));
}

static const char *connector(struct emission *e, struct fe_container *c, const char *region, bool whole)
{
    for (uint32_t i = 0; i < e->inputs.count; i++)
        if (e->inputs.items[i].container == c && e->inputs.items[i].whole == whole &&
            strcmp(e->inputs.items[i].region, region) == 0)
            return e->inputs.items[i].connector;
    struct tasklet_input in = { c, region, fe_numbered(e->f, "__in", e->inputs.count), whole };
    vec_push(e->f->arena, &e->inputs, in);
    return in.connector;
}

static bool has_index(const struct value *v)
{
    for (uint32_t i = 0; i < v->view.container->rank; i++)
        if (v->view.dims[i].index)
            return true;
    return false;
}

/* [i, a[j], k] of a view with arrays of indices, for a pointer to all of the container. Extents of one have no index
 * there. */
static const char *gathered(struct emission *e, const struct value *v, int shift)
{
    struct fe *f = e->f;
    const struct fe_container *c = v->view.container;
    struct text t = text_new(f->arena);
    for (uint32_t i = 0; i < c->rank; i++) {
        const struct fe_dim *d = &v->view.dims[i];
        if (sym_is_int(c->shape[i], 1))
            continue;
        text_addn(&t, t.length ? ", " : "[", t.length ? 2 : 1);
        if (!d->index) {
            text_add(&t, fe_text(f, index_of(e, v, d, shift)));
            continue;
        }
        const char *at = element_text(e, d->index, shift + d->axis), *extent = fe_text(f, c->shape[i]);
        if (f->trust_indices || type_is_unsigned(d->index->type))
            text_add(&t, at);
        else
            text_printf(&t, "(%s if %s >= 0 else %s + %s)", at, at, at, extent);
    }
    text_add(&t, t.length ? "]" : "[0]");
    return text_get(&t);
}

static const char *point(struct emission *e, const struct value *v, int shift)
{
    struct text t = text_new(e->f->arena);
    uint32_t dims = v->view.container->rank ? v->view.container->rank : 1;
    text_add(&t, v->view.container->name);
    for (uint32_t i = 0; i < dims; i++) {
        text_add(&t, i ? ", " : "[");
        fe_add_text(&t, index_of(e, v, &v->view.dims[i], shift));
    }
    text_addc(&t, ']');
    return text_get(&t);
}

static const char *view_text(struct emission *e, const struct value *v, int shift)
{
    struct fe_container *c = v->view.container;
    if (e->by_name) {
        const char *name = fe_use(e->f, c, false);
        bool element = e->elements && !c->scalar && !c->shows && !has_index(v);
        e->impossible |= !c->scalar && !element;
        return element ? point(e, v, shift) : name;
    }
    fe_use(e->f, c, false);
    if (!has_index(v))
        return connector(e, c, point(e, v, shift), false);
    const char *in = connector(e, c, fe_whole_text(e->f, c), true);
    return fe_format(e->f, "%s%s", in, gathered(e, v, shift));
}

static const char *substituted(struct emission *e, const struct value *v, int shift)
{
    const char *args[4] = { 0 };
    struct text t = text_new(e->f->arena);
    for (uint32_t i = 0; i < v->elem->count; i++) {
        const struct value *a = v->elem->args[i];
        args[i] = element_text(e, a, shift + (int)v->rank - (int)(fe_is_data(a) ? a->rank : 0));
    }
    for (const char *s = v->elem->format; *s; s++) {
        if (*s == '$' && s[1] >= '0' && s[1] <= '3')
            text_add(&t, args[*++s - '0']);
        else
            text_addc(&t, *s);
    }
    return text_get(&t);
}

/* The element of `v` at the parameters of the map; axis a of `v` is parameter a + shift. */
static const char *element_text(struct emission *e, const struct value *v, int shift)
{
    if (fe_is_number(v))
        return number_text(e, v);
    if (v->kind == FE_SYMBOL)
        return fe_format(e->f, v->sym->op == SYM_NAME ? "%s" : "(%s)", fe_text(e->f, fe_code_division(e->f, v->sym)));
    if (v->kind == FE_ELEM)
        return strcmp(v->elem->format, "#index") == 0 ? param(e, shift) : substituted(e, v, shift);
    return view_text(e, v, shift);
}

/* ---- does an operation disturb what it reads? ---- */

static const struct fe_container *root_of(const struct fe_container *c)
{
    while (c->shows)
        c = c->shows->view.container;
    return c;
}

bool fe_same_places(const struct value *a, const struct value *b)
{
    const struct fe_container *c = a->view.container;
    if (c != b->view.container || a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < (c->rank ? c->rank : 1); i++) {
        const struct fe_dim *x = &a->view.dims[i], *y = &b->view.dims[i];
        if (x->begin != y->begin || x->step != y->step || x->axis != y->axis || x->index || y->index)
            return false;
    }
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i])
            return false;
    return true;
}

bool fe_independent(const struct value *to, const struct value *v)
{
    if (v->kind == FE_ELEM) {
        for (uint32_t i = 0; i < v->elem->count; i++)
            if (!fe_independent(to, v->elem->args[i]))
                return false;
        return true;
    }
    if (v->kind != FE_VIEW)
        return true;
    for (uint32_t i = 0; i < v->view.container->rank; i++)
        if (v->view.dims[i].index && !fe_independent(to, v->view.dims[i].index))
            return false;
    return root_of(to->view.container) != root_of(v->view.container) || fe_same_places(to, v);
}

/* ---- the map ---- */

static const char *ranges_of(struct fe *f, const struct value *to)
{
    struct text t = text_new(f->arena);
    for (uint32_t i = 0; i < to->rank; i++) {
        text_add(&t, i ? ", __i" : "__i");
        text_add_int(&t, i);
        text_add(&t, " = 0:");
        fe_add_text(&t, to->shape[i]);
    }
    return text_get(&t);
}

static const char *input_names(const struct emission *e)
{
    struct text names = text_new(e->f->arena);
    for (uint32_t i = 0; i < e->inputs.count; i++) {
        text_add(&names, i ? ", " : "");
        text_add(&names, e->inputs.items[i].connector);
    }
    return text_get(&names);
}

static struct node *node_of(struct fe *f, struct state *st, struct fe_container *c)
{
    for (uint32_t i = 0; i < st->nodes.count; i++)
        if (as_access(st->nodes.items[i]) && as_access(st->nodes.items[i])->name == c->name)
            return st->nodes.items[i];
    return fe_access(f, st, c, false);
}

static void build_operation(struct emission *e, const struct value *to, const char *code, const char *region,
                            const char *wcr, bool whole)
{
    struct fe *f = e->f;
    struct fe_container *target = to->view.container;
    struct state *st = fe_state(f, target->name);
    struct tasklet *t = build_tasklet(st, target->name, input_names(e), "__out", code);
    fe_mark(f, &t->node.place);
    struct map_entry *m = NULL;
    if (to->rank) {
        m = build_map(st, target->name, ranges_of(f, to));
        fe_mark(f, &m->node.place);
        fe_mark(f, &m->exit->place);
    }
    for (uint32_t i = 0; i < e->inputs.count; i++) {
        const struct tasklet_input *in = &e->inputs.items[i];
        struct node *from = node_of(f, st, in->container);
        struct edge *edge = m ? build_path(in->region, NULL, NULL, in->connector, from, &m->node, &t->node, NULL)
                              : build_path(in->region, NULL, NULL, in->connector, from, &t->node, NULL);
        edge->memlet.dynamic |= in->whole;
        fe_mark(f, &edge->place);
    }
    if (m && !e->inputs.count)
        fe_mark(f, &build_edge(&m->node, NULL, &t->node, NULL, NULL, NULL)->place);
    struct node *out = fe_access(f, st, target, true);
    struct edge *edge = m ? build_path(region, wcr, "__out", NULL, &t->node, m->exit, out, NULL)
                          : build_path(region, wcr, "__out", NULL, &t->node, out, NULL);
    edge->memlet.dynamic |= whole;
    fe_mark(f, &edge->place);
}

bool fe_effect(struct fe *f, const char *label, const char *code, uint32_t count, const struct value *const *args)
{
    f->emitted++;
    if (f->dry)
        return true;
    struct emission e = { .f = f };
    const char **texts = NEW_ARRAY(f->arena, const char *, count + 1);
    struct text t = text_new(f->arena);
    for (uint32_t i = 0; i < count; i++)
        texts[i] = element_text(&e, args[i], 0);
    for (const char *s = code; *s; s++) {
        if (*s == '\1') /* the next argument */
            text_add(&t, *texts++);
        else
            text_addc(&t, *s);
    }
    struct state *st = fe_state(f, label);
    struct tasklet *k = build_tasklet(st, label, input_names(&e), "", text_get(&t));
    k->side_effects = 1;
    fe_mark(f, &k->node.place);
    for (uint32_t i = 0; i < e.inputs.count; i++) {
        const struct tasklet_input *in = &e.inputs.items[i];
        fe_mark(f, &build_edge(node_of(f, st, in->container), NULL, &k->node, in->connector, in->region, NULL)->place);
    }
    return true;
}

/* Whether the value has the shape of the target, which loses what is clipped from the value. `required`: what is wrong
 * if extents differ, which all calls must satisfy then; NULL: they must be known to be equal. */
static bool fits(struct fe *f, const struct py *n, const struct value **to, const struct value *v, const char *required)
{
    uint32_t rank = fe_is_data(v) ? v->rank : 0;
    const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, (*to)->rank + 1);
    bool narrower = false;
    for (uint32_t i = 0; i < (*to)->rank; i++)
        shape[i] = (*to)->shape[i];
    for (uint32_t i = 0; i < rank; i++) {
        int axis = (int)(i + (*to)->rank) - (int)rank;
        if (sym_is_int(v->shape[i], 1))
            continue;
        const struct sym *common = axis < 0 ? NULL : fe_common_extent(f, n, (*to)->shape[axis], v->shape[i], required);
        if (!common)
            return false;
        narrower |= fe_unclipped(f, common) != common && common != shape[axis];
        shape[axis] = narrower ? common : shape[axis];
    }
    if (narrower) {
        struct value *part = arena_copy(f->arena, *to, sizeof *part);
        part->shape = shape;
        *to = part;
    }
    return true;
}

/* Where DaCe drops dimensions of one on both sides. */
static bool fit_squeezed(struct fe *f, const struct py *n, const struct value **to, const struct value **v)
{
    if (!f->dace || !fe_is_data(*v))
        return false;
    const struct value *from = (*v)->kind == FE_VIEW ? *v : fe_materialize(f, NULL, *v, "tmp");
    const struct value *a = fe_squeeze(f, *to), *b = from ? fe_squeeze(f, from) : NULL;
    if (!b || !fits(f, NULL, &a, b, NULL))
        return false;
    fe_warn_dialect(f, n,
                    fe_format(f,
                              "dimensions of one are dropped to store %s in %s, which NumPy refuses: write indices "
                              "or np.squeeze",
                              fe_describe(f, *v), fe_describe(f, *to)));
    *to = a;
    *v = b;
    return true;
}

static const char *indices_text(struct emission *e, const struct value *to)
{
    return has_index(to) ? gathered(e, to, 0) : "";
}

bool fe_store(struct fe *f, const struct py *n, const struct value *to, const struct value *v, const char *wcr)
{
    if (!wcr && v->kind == FE_VIEW && fe_same_places(to, v)) /* it is there */
        return true;
    f->emitted++;
    to->view.container->symbol = NULL;
    v = fe_cast(f, n, to->type, v);
    if (!v)
        return false;
    if (!fits(f, n, &to, v, NULL) && !fit_squeezed(f, n, &to, &v)) {
        const char *said = fe_format(f, "%s does not fit into %s", fe_describe(f, v), fe_describe(f, to));
        f->said = false;
        if (!fits(f, n, &to, v, said))
            return f->said ? false : fe_raise(f, n, "ValueError", "%s", said) != NULL;
    }
    if (to->rank && !fe_independent(to, v)) {
        v = fe_copy(f, n, v, "tmp");
        if (!v)
            return false;
    }
    bool whole = has_index(to);
    if (whole && wcr)
        return fe_unsupported(f, n, "an update at an array of indices") != NULL;
    for (uint32_t i = 0; i < to->rank; i++)
        if (sym_is_int(to->shape[i], 0))
            return true;
    if (f->dry)
        return true;
    v = fe_share_broadcast(f, n, v, to);
    if (!v)
        return false;
    struct emission e = { .f = f };
    const char *text = element_text(&e, v, (int)to->rank - (int)(fe_is_data(v) ? v->rank : 0));
    const char *at = indices_text(&e, to);
    fe_use(f, to->view.container, true);
    const char *region = whole ? fe_whole_text(f, to->view.container) : point(&e, to, 0);
    build_operation(&e, to, fe_format(f, "__out%s = %s", at, text), region, wcr, whole);
    return true;
}

const struct value *fe_copy(struct fe *f, const struct py *n, const struct value *v, const char *wish)
{
    bool data = fe_is_data(v);
    if (!fe_is_operand(v))
        return fe_error(f, n, "a number or an array is needed here, this is %s", fe_describe(f, v));
    struct fe_container *c = fe_container(f, wish, fe_own_type(f, v), v->shape, data ? v->rank : 0);
    const struct value *to = fe_whole(f, c);
    ((struct value *)to)->weak = v->weak && !c->rank;
    return fe_store(f, n, to, v, NULL) ? to : NULL;
}

const struct value *fe_materialize(struct fe *f, const struct py *n, const struct value *v, const char *wish)
{
    if (!v || v->kind == FE_VIEW)
        return v;
    return fe_copy(f, n, v, wish);
}

const struct value *fe_plain(struct fe *f, const struct py *n, const struct value *v, const char *wish)
{
    v = fe_materialize(f, n, v, wish);
    return v && !fe_is_plain(v) ? fe_copy(f, n, v, wish) : v;
}

/* ---- conditions ---- */

bool fe_condition(struct fe *f, const struct py *n, const struct value **constant, const char **text)
{
    const struct value *v = fe_eval(f, n);
    bool truth;
    if (!v)
        return false;
    *constant = NULL;
    if (fe_truth(v, &truth)) {
        *constant = fe_bool(f, truth);
        return true;
    }
    for (uint32_t i = 0; fe_is_data(v) && i < v->rank; i++)
        if (!sym_is_int(v->shape[i], 1))
            return fe_raise(f, n, "ValueError", "the truth of an array with several elements: use np.any or np.all") !=
                   NULL;
    v = fe_cast(f, n, type_basic(f->ir, TYPE_BOOL), v);
    struct emission e = { .f = f, .by_name = true };
    *text = v ? element_text(&e, v, 0) : NULL;
    if (!v || (!e.impossible && !strstr(*text, "dace.")))
        return v != NULL;
    const struct value *scalar = fe_whole(f, fe_container(f, "test", v->type, NULL, 0));
    if (!fe_store(f, n, scalar, v, NULL))
        return false;
    *text = fe_use(f, scalar->view.container, false);
    return true;
}

/* Parts are joined as text: the tests of what is evaluated at all would need statements. */
static const char *joined(struct fe *f, const struct py *n)
{
    struct text t = text_new(f->arena);
    for (uint32_t i = 0; i < n->bool_op.values.count; i++) {
        const char *part = fe_repeated_condition(f, n->bool_op.values.items[i]);
        if (!part)
            return NULL;
        text_printf(&t, "%s(%s)", !i ? "" : n->bool_op.op == PY_AND ? " and " : " or ", part);
    }
    return text_get(&t);
}

const char *fe_repeated_condition(struct fe *f, const struct py *n)
{
    uint32_t emitted = f->emitted;
    bool dry = f->dry, truth;
    if (n->kind == PY_BOOL_OP)
        return joined(f, n);
    f->dry = true;
    const struct value *v = fe_eval(f, n);
    f->dry = dry;
    if (!v)
        return NULL;
    if (fe_truth(v, &truth))
        return truth ? "True" : "False";
    for (uint32_t i = 0; fe_is_data(v) && i < v->rank; i++)
        if (!sym_is_int(v->shape[i], 1))
            return fe_raise(f, n, "ValueError", "the truth of an array with several elements: use np.any or np.all");
    v = fe_cast(f, n, type_basic(f->ir, TYPE_BOOL), v);
    struct emission e = { .f = f, .by_name = true, .elements = true };
    const char *text = v ? element_text(&e, v, 0) : NULL;
    if (v && (e.impossible || emitted != f->emitted))
        return fe_unsupported(f, n, "a condition of a consume scope that is not made of elements and operators");
    return text;
}
