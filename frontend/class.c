/* Classes of constants: dataclasses and named tuples, whose objects are records, and classes that only name values. */
#include "frontend/functions.h"

#include <string.h>

static const char *last_name(const struct py *n)
{
    if (n->kind == PY_CALL)
        n = n->call.func;
    return n->kind == PY_NAME ? n->name.id : n->kind == PY_ATTRIBUTE ? n->attribute.attr : "";
}

/* Whether calls of the class fill its fields. */
static bool makes_records(const struct py *n)
{
    for (uint32_t i = 0; i < n->class_def.decorator_list.count; i++)
        if (strcmp(last_name(n->class_def.decorator_list.items[i]), "dataclass") == 0)
            return true;
    return n->class_def.bases.count == 1 && strcmp(last_name(n->class_def.bases.items[0]), "NamedTuple") == 0;
}

typedef VEC(const struct value *) members;

static void add(struct fe *f, members *all, const char *name, const struct value *v)
{
    vec_push(f->arena, all, fe_string(f, name));
    vec_push(f->arena, all, v);
}

static const struct value *method(struct fe *f, struct fe_scope *s, const struct py *n)
{
    struct fe_function *fn = NEW(f->arena, struct fe_function);
    struct value *v = fe_new(f, FE_FUNCTION);
    fn->node = n;
    fn->source = f->source;
    fn->scope = s;
    v->function = fn;
    return v;
}

/* What a statement of the class adds; false: programs cannot use that. */
static bool read_member(struct fe *f, struct fe_scope *s, const struct py *n, members *all)
{
    const struct value *v = NULL;
    switch (n->kind) {
    case PY_PASS:
    case PY_EXPR: /* its documentation */
        return true;
    case PY_ANN_ASSIGN:
        v = n->ann_assign.value ? fe_eval(f, n->ann_assign.value) : fe_new(f, FE_ELLIPSIS);
        if (v && n->ann_assign.target->kind == PY_NAME)
            add(f, all, n->ann_assign.target->name.id, v);
        return v && n->ann_assign.target->kind == PY_NAME;
    case PY_ASSIGN:
        v = n->assign.targets.items[0]->kind == PY_NAME ? fe_eval(f, n->assign.value) : NULL;
        if (v)
            add(f, all, n->assign.targets.items[0]->name.id, v);
        return v != NULL;
    case PY_FUNCTION_DEF:
        if (!n->function.decorator_list.count)
            add(f, all, n->function.name, method(f, s, n));
        return true;
    default:
        return false;
    }
}

const struct value *fe_class(struct fe *f, struct fe_scope *s, const struct py *n, const char **why)
{
    uint32_t before = diags_count(f->ir->diags);
    bool records = makes_records(n), good = records || !n->class_def.bases.count;
    members all = { 0 };
    for (uint32_t i = 0; i < n->class_def.body.count && good; i++)
        good = read_member(f, s, n->class_def.body.items[i], &all);
    diags_reset(f->ir->diags, before);
    f->failed = false;
    *why = "is a class, of which programs use dataclasses and classes of constants only";
    if (!good)
        return NULL;
    struct value *v = fe_new(f, FE_CLASS);
    v->text = n->class_def.name;
    v->items = all.items;
    v->count = all.count;
    v->list = records;
    return v;
}

static bool is_field(const struct value *class, uint32_t i) { return class->items[i + 1]->kind != FE_FUNCTION; }

const struct value *fe_new_record(struct fe *f, const struct value *class, struct fe_args *a)
{
    members all = { 0 };
    uint32_t position = 0;
    if (!class->list)
        return fe_unsupported(f, a->node, "an object of class '%s', which is no dataclass", class->text);
    for (uint32_t i = 0; i + 1 < class->count; i += 2) {
        if (!is_field(class, i))
            continue;
        const char *name = class->items[i]->text;
        const struct value *v = fe_arg(a, position++, name);
        v = v ? v : class->items[i + 1];
        if (v->kind == FE_ELLIPSIS)
            return fe_raise(f, a->node, "TypeError", "'%s' needs the field '%s'", class->text, name);
        add(f, &all, name, v);
    }
    if (!fe_args_done(f, a, position))
        return NULL;
    struct value *v = fe_new(f, FE_RECORD);
    v->text = class->text;
    v->items = all.items;
    v->count = all.count;
    v->self = class;
    v->depth = f->depth;
    return f->level ? fe_kept(f, a->node, v, class->text) : v;
}

const struct value *fe_member(struct fe *f, const struct value *v, const char *name)
{
    for (uint32_t i = 0; i + 1 < v->count; i += 2)
        if (strcmp(v->items[i]->text, name) == 0 && v->items[i + 1]->kind != FE_ELLIPSIS)
            return v->items[i + 1];
    const struct value *m = v->kind == FE_RECORD && v->self ? fe_member(f, v->self, name) : NULL;
    if (!m || m->kind != FE_FUNCTION)
        return m;
    struct value *bound = arena_copy(f->arena, m, sizeof *m);
    bound->self = v;
    return bound;
}

/* ---- limits of types ---- */

static const struct value *float_limits(struct fe *f, const struct type *t, members *all)
{
    static const struct {
        const char *name;
        double single, whole;
    } rows[] = {
        { "eps", 0x1p-23, 0x1p-52 },
        { "epsneg", 0x1p-24, 0x1p-53 },
        { "max", 0x1.fffffep127, 0x1.fffffffffffffp1023 },
        { "min", -0x1.fffffep127, -0x1.fffffffffffffp1023 },
        { "tiny", 0x1p-126, 0x1p-1022 },
        { "smallest_normal", 0x1p-126, 0x1p-1022 },
        { "smallest_subnormal", 0x1p-149, 0x1p-1074 },
        { "resolution", 1e-6, 1e-15 },
    };
    bool single = t->kind == TYPE_F32;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add(f, all, rows[i].name, fe_cast(f, NULL, t, fe_float(f, single ? rows[i].single : rows[i].whole)));
    add(f, all, "precision", fe_int(f, single ? 6 : 15));
    return fe_int(f, single ? 32 : 64);
}

static const struct value *integer_limits(struct fe *f, const struct type *t, members *all)
{
    int bits = 8 * (int)t->size;
    bool is_unsigned = type_is_unsigned(t);
    int64_t most = (int64_t)(UINT64_MAX >> (64 - bits + !is_unsigned));
    add(f, all, "max", is_unsigned && bits == 64 ? fe_cast(f, NULL, t, fe_int(f, -1)) : fe_int(f, most));
    add(f, all, "min", fe_int(f, is_unsigned ? 0 : -most - 1));
    return fe_int(f, bits);
}

/* np.finfo (1) and np.iinfo (0) of a type, or of data. */
const struct value *fn_limits(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *of = fe_arg(a, 0, b->kind ? "dtype" : "type");
    const struct type *t = of && fe_is_operand(of) ? fe_own_type(f, of) : of ? fe_dtype(f, a->node, of, NULL) : NULL;
    if (t && b->kind && type_is_complex(t))
        t = type_part(f->ir, t);
    bool fits = t && (b->kind ? t->kind == TYPE_F32 || t->kind == TYPE_F64 : type_is_integer(t));
    if (!fits || !fe_args_done(f, a, 1))
        return f->failed ? NULL : fe_raise(f, a->node, "ValueError", "np.%s of this type", b->name);
    members all = { 0 };
    add(f, &all, "bits", b->kind ? float_limits(f, t, &all) : integer_limits(f, t, &all));
    struct value *v = fe_new(f, FE_RECORD);
    v->text = b->name;
    v->items = all.items;
    v->count = all.count;
    return v;
}
