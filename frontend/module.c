/* The host of files: what a module binds, and the modules that are known. */
#include "frontend/functions.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char *const modules[][2] = {
    { "numpy", "numpy" },
    { "np", "" },
    { "dace", "dace" },
    { "math", "math" },
    { "typing", "typing" },
    { "sympy", "sympy" },
    { "numpy.linalg", "numpy.linalg" },
    { "numpy.fft", "numpy.fft" },
    { "sdfg", "sdfg" },
    { "dace.dtypes", "dace" },
    { "dace.comm", "dace.comm" },
    { "dace.distr", "dace.distr" },
    { "mpi4py", "mpi4py" },
    { "mpi4py.MPI", "mpi4py.MPI" },
    { "__future__", "typing" },
};

const struct value *fe_known_module(struct fe *f, const char *name)
{
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (strcmp(modules[i][0], name) == 0 && *modules[i][1]) {
            struct value *m = fe_new(f, FE_MODULE);
            m->text = modules[i][1];
            return m;
        }
    return NULL;
}

static const struct value *builtin(struct fe *f, const char *module, const char *name)
{
    const struct fe_builtin *b = fe_builtin_find(module, name);
    if (!b)
        return NULL;
    struct value *v = fe_new(f, FE_BUILTIN);
    v->builtin = b;
    return v;
}

static const struct value *number_constant(struct fe *f, const char *name)
{
    static const struct {
        const char *name;
        double value;
    } rows[] = { { "pi", 3.14159265358979323846 },
                 { "e", 2.71828182845904523536 },
                 { "inf", INFINITY },
                 { "nan", NAN },
                 { "tau", 6.28318530717958647692 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return fe_float(f, rows[i].value);
    return NULL;
}

/* float64, int32, ... and NumPy's other names for them. */
static const struct value *type_value(struct fe *f, const char *name)
{
    static const char *const others[][2] = { { "bool_", "bool" },          { "double", "float64" },
                                             { "single", "float32" },      { "intc", "int32" },
                                             { "int_", "int64" },          { "uint", "uint64" },
                                             { "intp", "int64" },          { "float_", "float64" },
                                             { "complex_", "complex128" }, { "half", "float16" } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i][0], name) == 0)
            name = others[i][1];
    const struct type *t = type_by_name(f->ir, name);
    return t && type_is_basic(t) && strcmp(t->name, name) == 0 ? fe_type(f, t) : NULL;
}

const struct value *fe_module_attribute(struct fe *f, const char *module, const char *name)
{
    const struct value *v = builtin(f, module, name);
    if (v)
        return v;
    if (strcmp(module, "sdfg") == 0)
        return fe_module_attribute(f, "dace", name);
    if (strcmp(module, "numpy") == 0 && strcmp(name, "newaxis") == 0)
        return fe_none(f);
    if (strcmp(module, "numpy") == 0 && (strcmp(name, "linalg") == 0 || strcmp(name, "fft") == 0))
        return fe_known_module(f, fe_format(f, "numpy.%s", name));
    if (strcmp(module, "dace") == 0 &&
        (strcmp(name, "dtypes") == 0 || strcmp(name, "comm") == 0 || strcmp(name, "distr") == 0))
        return fe_known_module(f, fe_format(f, "dace.%s", name));
    if (strcmp(module, "mpi4py") == 0 && strcmp(name, "MPI") == 0)
        return fe_known_module(f, "mpi4py.MPI");
    if (strcmp(module, "mpi4py.MPI") == 0)
        return fe_mpi_constant(f, name);
    v = strcmp(module, "numpy") == 0 || strcmp(module, "dace") == 0 ? type_value(f, name) : NULL;
    if (!v && (strcmp(module, "numpy") == 0 || strcmp(module, "math") == 0))
        v = number_constant(f, name);
    return v;
}

/* ---- the host ---- */

struct file_host {
    struct fe_host host;
    struct fe *f;
};

const struct value *fe_python_name(struct fe *f, const char *name)
{
    static const struct {
        const char *name;
        enum type_kind kind;
    } types[] = { { "float", TYPE_F64 }, { "int", TYPE_I64 }, { "bool", TYPE_BOOL }, { "complex", TYPE_C128 } };
    for (size_t i = 0; i < sizeof types / sizeof *types && f->raw; i++) /* in annotations these are types */
        if (strcmp(types[i].name, name) == 0)
            return fe_type(f, type_basic(f->ir, types[i].kind));
    if (strcmp(name, "distr") == 0) /* DaCe's programs say distr.MatMult without an import */
        return fe_known_module(f, "dace.distr");
    return builtin(f, "builtins", name);
}

static const struct value *lookup(struct fe_host *h, const struct py *n, const char *name)
{
    struct fe *f = ((struct file_host *)h)->f;
    const struct value *v = fe_python_name(f, name);
    (void)n;
    /* `dace` is understood without an import, as programs rely on that. */
    return v || strcmp(name, "dace") != 0 ? v : fe_known_module(f, "dace");
}

static void names(struct fe_host *h, void (*visit)(void *user, const char *name), void *user)
{
    (void)h;
    static const char *const list[] = {
        "abs", "min", "max", "int", "float", "bool", "len", "range", "enumerate", "zip"
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        visit(user, list[i]);
}

/* ---- files of the project ---- */

static void note_file(struct fe *f, const char *path, const char *bytes, size_t size)
{
    if (f->imports)
        vec_push(f->arena, &f->imports->files, ((struct frontend_file){ path, bytes, size }));
}

static bool is_there(struct fe *f, const char *file)
{
    bool there = access(file, R_OK) == 0;
    if (!there)
        note_file(f, file, NULL, 0);
    return there;
}

/* The file of a module that is named beside a source: folder/x/y/__init__.py, or folder/x/y.py, as Python looks. NULL:
 * there is none. */
static const char *file_of(struct fe *f, const char *dotted, int level)
{
    const char *slash = strrchr(f->source->path, '/');
    struct text t = text_new(f->arena);
    text_printf(&t, "%.*s", slash ? (int)(slash - f->source->path) + 1 : 0, f->source->path);
    for (int i = 1; i < level; i++)
        text_add(&t, "../");
    for (const char *c = dotted ? dotted : ""; *c; c++)
        text_addc(&t, *c == '.' ? '/' : *c);
    const char *stem = text_get(&t);
    bool named = *stem && stem[strlen(stem) - 1] != '/';
    const char *file = fe_format(f, "%s%s__init__.py", stem, named ? "/" : "");
    if (is_there(f, file))
        return intern(f->ir->names, file);
    file = fe_format(f, "%s.py", stem);
    return named && is_there(f, file) ? intern(f->ir->names, file) : NULL;
}

/* Its names, read once; NULL: it cannot be read, or is being read. */
static struct fe_scope *file_scope(struct fe *f, const char *file)
{
    if (map_has(&f->files, file))
        return map_get(&f->files, file);
    map_put(f->arena, &f->files, file, NULL);
    const struct fe_source *source = f->source;
    struct fe_scope *scope = f->scope, *s;
    size_t size;
    char *text = file_read(f->arena, f->ir->diags, file, &size);
    note_file(f, file, text, text ? size : 0);
    struct py *tree = text ? fe_parse_file(f, file, text, size) : NULL;
    s = tree ? fe_module(f, tree) : NULL;
    f->source = source;
    f->scope = scope;
    map_put(f->arena, &f->files, file, s);
    return s;
}

const struct value *fe_file_attribute(struct fe *f, const char *module, const char *name)
{
    const struct fe_scope *s = map_get(&f->files, intern(f->ir->names, module));
    for (uint32_t i = 0; s && i < s->names.count; i++)
        if (strcmp(s->names.items[i].name, name) == 0)
            return s->names.items[i].value;
    return NULL;
}

static const struct value *file_module(struct fe *f, const char *dotted, int level)
{
    const char *file = file_of(f, dotted, level);
    if (!file || !file_scope(f, file))
        return NULL;
    struct value *v = fe_new(f, FE_MODULE);
    v->text = file;
    return v;
}

/* ---- the statements of a module ---- */

static void import(struct fe *f, struct fe_scope *s, const struct py *n)
{
    for (uint32_t i = 0; i < n->import.names.count; i++) {
        const struct py *a = n->import.names.items[i];
        const char *first = intern_n(f->ir->names, a->alias.name, strcspn(a->alias.name, "."));
        const char *whole = a->alias.asname ? a->alias.name : first;
        const struct value *m = fe_known_module(f, whole);
        m = m ? m : file_module(f, whole, 0);
        struct fe_binding *b = fe_bind(f, s, a->alias.asname ? a->alias.asname : first, m);
        if (!m)
            b->gone = fe_format(f, "is the module '%s', which is not known here", a->alias.name);
    }
}

static void import_all(struct fe *f, struct fe_scope *s, const char *file)
{
    const struct fe_scope *from = map_get(&f->files, file);
    for (uint32_t i = 0; i < from->names.count; i++)
        if (from->names.items[i].name[0] != '_' && from->names.items[i].value)
            fe_bind(f, s, from->names.items[i].name, from->names.items[i].value);
}

static void import_from(struct fe *f, struct fe_scope *s, const struct py *n)
{
    const struct value *m =
        n->import_from.module && !n->import_from.level ? fe_known_module(f, n->import_from.module) : NULL;
    bool file = !m;
    m = m ? m : file_module(f, n->import_from.module, n->import_from.level);
    for (uint32_t i = 0; i < n->import_from.names.count; i++) {
        const struct py *a = n->import_from.names.items[i];
        if (m && file && strcmp(a->alias.name, "*") == 0) {
            import_all(f, s, m->text);
            continue;
        }
        const struct value *v = !m     ? NULL
                                : file ? fe_file_attribute(f, m->text, a->alias.name)
                                       : fe_module_attribute(f, m->text, a->alias.name);
        if (!v && file) /* from . import x: a file */
            v = file_module(
                f, n->import_from.module ? fe_format(f, "%s.%s", n->import_from.module, a->alias.name) : a->alias.name,
                n->import_from.level);
        struct fe_binding *b = fe_bind(f, s, a->alias.asname ? a->alias.asname : a->alias.name, v);
        if (!v)
            b->gone = fe_format(f, "comes from '%s', which is not known here",
                                n->import_from.module ? n->import_from.module : ".");
    }
}

/* Whether a decorator makes programs, and of which dialect. */
static bool is_program(struct fe *f, const struct py *decorator, bool *dace)
{
    const struct py *n = decorator->kind == PY_CALL ? decorator->call.func : decorator;
    const struct value *v = fe_eval(f, n);
    *dace = true;
    if (v && v->kind == FE_MODULE) /* @dace */
        return strcmp(v->text, "dace") == 0;
    if (!v || v->kind != FE_BUILTIN)
        return false;
    *dace = strcmp(v->builtin->module, "dace") == 0;
    if (!*dace && strcmp(v->builtin->module, "sdfg") != 0)
        return false;
    return strcmp(v->builtin->name, "program") == 0 || strcmp(v->builtin->name, "function") == 0;
}

const struct value *fe_define(struct fe *f, struct fe_scope *s, const struct py *n)
{
    struct fe_function *fn = NEW(f->arena, struct fe_function);
    struct value *v = fe_new(f, FE_FUNCTION);
    fn->node = n;
    fn->source = f->source;
    fn->scope = s;
    for (uint32_t i = 0; i < n->function.decorator_list.count; i++) {
        uint32_t before = diags_count(f->ir->diags);
        fn->program |= is_program(f, n->function.decorator_list.items[i], &fn->dace);
        diags_reset(f->ir->diags, before);
        f->failed = false;
    }
    fn->dace &= fn->program;
    v->function = fn;
    fe_bind(f, s, n->function.name, v);
    return v;
}

static void gone_targets(struct fe *f, struct fe_scope *s, const struct py *t, const char *why)
{
    const struct py_list *elts = t->kind == PY_TUPLE ? &t->tuple.elts : t->kind == PY_LIST ? &t->list.elts : NULL;
    if (t->kind == PY_NAME)
        fe_bind(f, s, t->name.id, NULL)->gone = why;
    for (uint32_t i = 0; elts && i < elts->count; i++)
        gone_targets(f, s, elts->items[i], why);
}

/* A value that cannot be had at compile time is an error only where a program uses it. */
static void bind_targets(struct fe *f, struct fe_scope *s, const struct py *target, const struct py *value,
                         const struct py *annotation)
{
    uint32_t before = diags_count(f->ir->diags);
    const struct value *v = fe_eval(f, value);
    if (v && fe_is_data(v)) {
        gone_targets(f, s, target, "is an array that the module makes: programs see only its constants");
        return;
    }
    if (v && annotation) {
        const struct value *t = fe_eval(f, annotation);
        if (t && t->kind == FE_TYPE && fe_is_number(v))
            v = fe_cast(f, value, t->type, v);
    }
    if (v && fe_unpack(f, target, v))
        return;
    diags_reset(f->ir->diags, before);
    f->failed = false;
    gone_targets(f, s, target, "has a value that is not known at compile time");
}

static void define_class(struct fe *f, struct fe_scope *s, const struct py *n)
{
    const char *why;
    const struct value *v = fe_class(f, s, n, &why);
    struct fe_binding *b = fe_bind(f, s, n->class_def.name, v);
    b->gone = v ? NULL : why;
}

struct fe_scope *fe_module(struct fe *f, const struct py *tree)
{
    struct fe_scope *s = NEW(f->arena, struct fe_scope);
    struct file_host *h = NEW(f->arena, struct file_host);
    h->host = (struct fe_host){ .lookup = lookup, .names = names };
    h->f = f;
    s->host = &h->host;
    s->is_module = true;
    f->scope = s;
    bool dry = f->dry;
    f->dry = true; /* there is no graph yet */
    for (uint32_t i = 0; i < tree->module.body.count; i++) {
        const struct py *n = tree->module.body.items[i];
        switch (n->kind) {
        case PY_IMPORT:
            import(f, s, n);
            break;
        case PY_IMPORT_FROM:
            import_from(f, s, n);
            break;
        case PY_FUNCTION_DEF:
            fe_define(f, s, n);
            break;
        case PY_ASSIGN:
            for (uint32_t k = 0; k < n->assign.targets.count; k++)
                bind_targets(f, s, n->assign.targets.items[k], n->assign.value, NULL);
            break;
        case PY_ANN_ASSIGN:
            if (n->ann_assign.value)
                bind_targets(f, s, n->ann_assign.target, n->ann_assign.value, n->ann_assign.annotation);
            break;
        case PY_CLASS_DEF:
            define_class(f, s, n);
            break;
        default:
            break;
        }
    }
    f->dry = dry;
    return s;
}
