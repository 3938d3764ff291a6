#include "frontend/value.h"

#include "frontend/lower.h"

#include <string.h>

struct value *fe_new(struct fe *f, enum fe_kind kind)
{
    struct value *v = NEW(f->arena, struct value);
    v->kind = kind;
    v->weak = kind >= FE_BOOL && kind <= FE_COMPLEX;
    return v;
}

const struct value *fe_none(struct fe *f)
{
    static const struct value none = { .kind = FE_NONE };
    (void)f;
    return &none;
}

const struct value *fe_int(struct fe *f, int64_t i)
{
    struct value *v = fe_new(f, FE_INT);
    v->i = i;
    return v;
}

const struct value *fe_bool(struct fe *f, bool b)
{
    struct value *v = fe_new(f, FE_BOOL);
    v->i = b;
    return v;
}

const struct value *fe_float(struct fe *f, double d)
{
    struct value *v = fe_new(f, FE_FLOAT);
    v->f = d;
    return v;
}

const struct value *fe_complex(struct fe *f, double re, double im)
{
    struct value *v = fe_new(f, FE_COMPLEX);
    v->f = re;
    v->im = im;
    return v;
}

const struct value *fe_string(struct fe *f, const char *text)
{
    struct value *v = fe_new(f, FE_STRING);
    v->text = text;
    return v;
}

const struct value *fe_symbol(struct fe *f, const struct sym *s)
{
    if (s->op == SYM_INT)
        return fe_int(f, s->i);
    struct value *v = fe_new(f, FE_SYMBOL);
    v->sym = s;
    v->weak = true;
    return v;
}

const struct value *fe_tuple(struct fe *f, const struct value *const *items, uint32_t count)
{
    struct value *v = fe_new(f, FE_TUPLE);
    v->count = count;
    v->items = count ? arena_copy(f->arena, items, count * sizeof *items) : NULL;
    return v;
}

const struct value *fe_type(struct fe *f, const struct type *t)
{
    struct value *v = fe_new(f, FE_TYPE);
    v->type = t;
    return v;
}

const struct value *fe_whole(struct fe *f, struct fe_container *c)
{
    struct value *v = fe_new(f, FE_VIEW);
    uint32_t dims = c->rank ? c->rank : 1;
    struct fe_dim *d = NEW_ARRAY(f->arena, struct fe_dim, dims);
    for (uint32_t i = 0; i < dims; i++)
        d[i] = (struct fe_dim){ sym_int(f->ir, 0), sym_int(f->ir, 1), c->rank ? (int)i : -1, NULL };
    v->type = c->type;
    v->rank = c->rank;
    v->shape = c->shape;
    v->view.container = c;
    v->view.dims = d;
    v->lists = c->lists;
    return v;
}

const struct value *fe_as_elements(struct fe *f, const struct value *v)
{
    if (!fe_is_list(v))
        return v;
    struct value *array = arena_copy(f->arena, v, sizeof *v);
    array->lists = 0;
    return array;
}

const struct value *fe_elem(struct fe *f, const struct type *type, const struct sym *const *shape, uint32_t rank,
                            const char *format, uint32_t count, const struct value *const *args)
{
    struct fe_elem *e = NEW(f->arena, struct fe_elem);
    struct value *v = fe_new(f, FE_ELEM);
    e->format = format;
    e->count = count;
    for (uint32_t i = 0; i < count; i++)
        e->args[i] = args[i];
    v->type = type;
    v->shape = shape;
    v->rank = rank;
    v->elem = e;
    return v;
}

const struct sym *fe_sym(struct fe *f, const struct value *v)
{
    if (v->kind == FE_INT || v->kind == FE_BOOL)
        return sym_int(f->ir, v->i);
    return v->kind == FE_SYMBOL ? v->sym : NULL;
}

bool fe_truth(const struct value *v, bool *truth)
{
    switch (v->kind) {
    case FE_NONE:
        *truth = false;
        return true;
    case FE_BOOL:
    case FE_INT:
        *truth = v->i != 0;
        return true;
    case FE_FLOAT:
        *truth = v->f != 0;
        return true;
    case FE_COMPLEX:
        *truth = v->f != 0 || v->im != 0;
        return true;
    case FE_STRING:
        *truth = *v->text != 0;
        return true;
    case FE_TUPLE:
    case FE_DICT:
        *truth = v->count != 0;
        return true;
    case FE_SYMBOL:
    case FE_VIEW:
    case FE_ELEM:
        return false;
    default:
        *truth = true;
        return true;
    }
}

const struct sym **fe_shape_of(struct fe *f, const struct value *v, uint32_t *rank)
{
    bool tuple = v->kind == FE_TUPLE;
    *rank = tuple ? v->count : 1;
    const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, *rank + 1);
    for (uint32_t i = 0; i < *rank; i++)
        if (!(shape[i] = fe_sym(f, tuple ? v->items[i] : v)))
            return NULL;
    return *rank <= FE_MAX_RANK ? shape : NULL;
}
