/* Calls: casts, constructors, functions of DaCe's runtime and of the C library, callbacks. */
#include "lower/graph/code/code_gen.h"

#include <math.h>
#include <string.h>

/* ---- names of modules ---- */

/* "math.sin", "dace.math.sin": the part behind the module, or NULL. */
static const char *behind(const char *dotted, const char *module)
{
    size_t n = strlen(module);
    return strncmp(dotted, module, n) == 0 && dotted[n] == '.' ? dotted + n + 1 : NULL;
}

static const char *in_modules(const char *dotted, const char *const *modules)
{
    for (; *modules; modules++) {
        const char *name = behind(dotted, *modules);
        if (name && !strchr(name, '.'))
            return name;
    }
    return NULL;
}

static const char *const math_modules[] = { "math", "dace.math", NULL };
static const char *const type_modules[] = { "dace", "dace.dtypes", "numpy", "np", NULL };
static const char *const all_modules[] = { "math", "dace.math", "cmath", "dace.cmath", "dace", "numpy", "np", NULL };

bool code_module_constant(const char *dotted, double *value)
{
    static const struct {
        const char *name;
        double value;
    } constants[] = {
        { "pi", 3.14159265358979323846 },
        { "e", 2.71828182845904523536 },
        { "tau", 6.28318530717958647693 },
        { "inf", INFINITY },
        { "nan", NAN },
    };
    const char *name = in_modules(dotted, all_modules);
    for (size_t i = 0; i < sizeof constants / sizeof *constants && name; i++)
        if (strcmp(constants[i].name, name) == 0) {
            *value = constants[i].value;
            return true;
        }
    return false;
}

/* ---- casts ---- */

static const struct type *cast_type(struct code_gen *g, const char *name)
{
    static const struct {
        const char *name;
        enum type_kind kind;
    } c_names[] = {
        { "int", TYPE_I32 },  { "float", TYPE_F32 },  { "double", TYPE_F64 },   { "bool", TYPE_BOOL },
        { "long", TYPE_I64 }, { "short", TYPE_I16 },  { "unsigned", TYPE_U32 }, { "size_t", TYPE_U64 },
        { "char", TYPE_I8 },  { "bool_", TYPE_BOOL }, { "complex", TYPE_C128 },
    };
    for (size_t i = 0; i < sizeof c_names / sizeof *c_names; i++)
        if (strcmp(c_names[i].name, name) == 0)
            return code_basic(g, c_names[i].kind);
    return type_by_name(g->ir, name);
}

/* T(x), or the parts of a complex number. */
static struct tree_expr *cast(struct code_gen *g, const struct code *c, const struct type *type,
                              struct tree_expr **args, uint32_t count)
{
    if (count == 1)
        return code_to(g, c, type, args[0]);
    if (count != 2 || !type_is_complex(type))
        return code_invalid(g, c, "a conversion to %s takes one argument", code_type_text(g, type));
    const struct type *part = type_part(g->ir, type);
    struct tree_expr *re = code_to(g, c, part, args[0]), *im = re ? code_to(g, c, part, args[1]) : NULL;
    return im ? expr_complex(g->t, re, im) : NULL;
}

/* ---- arguments ---- */

static bool arguments(struct code_gen *g, const struct code *c, struct tree_expr ***out)
{
    for (uint32_t i = 1; i < c->count; i++)
        if (c->items[i]->kind == CODE_KEYWORD)
            return code_unsupported(g, c->items[i], "a keyword argument");
    *out = NEW_ARRAY(g->arena, struct tree_expr *, c->count);
    return code_eval_list(g, c->items + 1, c->count - 1, *out);
}

/* math.pi as an argument is double; the other forms of numbers are as they are. */
static struct tree_expr *by_function(struct code_gen *g, const struct code *c, const char *name, bool same, bool *known)
{
    uint32_t count = c->count - 1;
    struct tree_expr **args;
    const struct code_math *math = code_find_math(name);
    const struct code_function_row *f = math ? NULL : code_find_function(name);
    *known = math || f;
    if (!*known || !arguments(g, c, &args))
        return NULL;
    if (math)
        return count ? code_math(g, c, math, args, count, same) : code_invalid(g, c, "'%s' needs an argument", name);
    if (count < f->least || count > f->most)
        return code_invalid(g, c, "'%s' takes %u arguments, not %u", name, count < f->least ? f->least : f->most,
                            count);
    return f->run(g, c, args, count);
}

/* sinf, sqrtf: the functions of C for 32 bits. */
static struct tree_expr *single_function(struct code_gen *g, const struct code *c, const char *name, bool *known)
{
    size_t n = strlen(name);
    const struct code_math *math = NULL;
    struct tree_expr **args;
    if (n > 1 && name[n - 1] == 'f')
        math = code_find_math(arena_strndup(g->arena, name, n - 1));
    *known = math;
    if (!math || !arguments(g, c, &args))
        return NULL;
    for (uint32_t i = 0; i + 1 < c->count; i++)
        if (!(args[i] = code_to(g, c, code_basic(g, TYPE_F32), args[i])))
            return NULL;
    return c->count > 1 ? code_math(g, c, math, args, c->count - 1, false)
                        : code_invalid(g, c, "'%s' needs an argument", name);
}

/* ---- what evaluates its arguments in its own way ---- */

/* and, or, choice, identity by name (format.md 5.4). */
static bool lazy(struct code_gen *g, const struct code *c, const char *name, struct tree_expr **out)
{
    bool both = strcmp(name, "And") == 0 || strcmp(name, "AND") == 0,
         any = strcmp(name, "Or") == 0 || strcmp(name, "OR") == 0;
    bool is = strcmp(name, "Is") == 0, is_not = strcmp(name, "IsNot") == 0;
    if ((both || any || is || is_not) && c->count == 3) {
        struct code binary = *c;
        struct code *operands[2] = { c->items[1], c->items[2] };
        binary.kind = CODE_BINARY;
        binary.op = both ? CODE_AND : any ? CODE_OR : is ? CODE_IS : CODE_ISNOT;
        binary.count = 2;
        binary.items = operands;
        *out = code_eval(g, &binary);
        return true;
    }
    if (strcmp(name, "IfExpr") == 0 && c->count == 4) {
        *out = code_select(g, c, c->items[1], c->items[2], c->items[3]);
        return true;
    }
    if (strcmp(name, "NOT") == 0 && c->count == 2) {
        struct tree_expr *e = code_eval(g, c->items[1]);
        *out = e ? code_unary(g, c, CODE_NOT, e) : NULL;
        return true;
    }
    return false;
}

/* decltype(x)(y) */
static struct tree_expr *decltype_call(struct code_gen *g, const struct code *c)
{
    const struct code *callee = c->items[0];
    if (callee->count != 2 || callee->items[0]->kind != CODE_NAME || strcmp(callee->items[0]->name, "decltype") != 0)
        return code_unsupported(g, c, "the call of a value");
    struct tree_stmt *before = code_begin(g);
    struct tree_expr *like = code_eval(g, callee->items[1]); /* only its type is wanted */
    code_end(g, before);
    struct tree_expr **args;
    if (!like || !arguments(g, c, &args))
        return NULL;
    const struct type *type = like->type;
    if (type->kind == TYPE_POINTER && !code_is_pointer(args[0]->type))
        type = type->elem; /* of an array: its element */
    return cast(g, c, type, args, c->count - 1);
}

/* ---- printf, and py_print with Python's conversions (runtime/runtime.h) ---- */

static struct tree_expr *print(struct code_gen *g, const struct code *c, const char *function)
{
    struct tree_expr **args;
    if (!arguments(g, c, &args))
        return NULL;
    for (uint32_t i = 0; i + 1 < c->count; i++) { /* promotions of variable arguments */
        const struct type *type = args[i]->type;
        if (!type_is_basic(type) || type_is_complex(type)) {
            if (!code_is_pointer(type))
                return code_invalid(g, c->items[i + 1], "a value of type %s cannot be printed",
                                    code_type_text(g, type));
            continue;
        }
        args[i] = code_promote(g, args[i]);
        if (args[i]->type->kind == TYPE_F32)
            args[i] = expr_cast(g->t, code_basic(g, TYPE_F64), args[i]);
    }
    if (c->count < 2 || !code_is_pointer(args[0]->type))
        return code_invalid(g, c, "'%s' needs a format", c->items[0]->name);
    return expr_call(g->t, code_basic(g, TYPE_I32), intern(g->ir->names, function), args, c->count - 1);
}

/* ---- functions that assign their arguments ---- */

static bool assign_two(struct code_gen *g, const struct code *c, uint32_t first, struct tree_expr *a,
                       struct tree_expr *b)
{
    if (!a || !b)
        return false;
    a = code_once(g, a);
    b = code_once(g, b);
    return code_assign_to(g, c->items[first], a) && code_assign_to(g, c->items[first + 1], b);
}

static bool divmod(struct code_gen *g, const struct code *c, bool python)
{
    struct tree_expr *v[2];
    if (!code_eval_list(g, c->items + 1, 2, v) || !code_common(g, c, &v[0], &v[1]))
        return false;
    struct tree_expr *a = code_once(g, v[0]), *b = code_once(g, v[1]), *q, *r;
    if (!type_is_integer(a->type) && !type_is_float(a->type))
        return code_invalid(g, c, "division with remainder of values of type %s", code_type_text(g, a->type));
    if (python || type_is_float(a->type)) {
        q = code_floor_divide(g, c, a, b);
        r = python ? expr_binary(g->t, EXPR_SUB, a, expr_binary(g->t, EXPR_MUL, q, b))
                   : expr_binary(g->t, EXPR_REM, a, b);
    } else {
        q = expr_binary(g->t, EXPR_DIV, a, b);
        r = expr_binary(g->t, EXPR_REM, a, b);
    }
    return assign_two(g, c, 3, q, r);
}

static struct tree_expr *real_argument(struct code_gen *g, const struct code *c)
{
    struct tree_expr *x = code_eval(g, c->items[1]);
    if (!x)
        return NULL;
    x = code_promote(g, x);
    if (type_is_integer(x->type))
        x = expr_cast(g->t, code_basic(g, TYPE_F64), x);
    return type_is_float(x->type) ? code_once(g, x)
                                  : code_invalid(g, c, "a real number is needed, not %s", code_type_text(g, x->type));
}

/* Integral and fractional part; both have the sign of x, that of an infinity is 0. */
static bool modf_call(struct code_gen *g, const struct code *c)
{
    struct tree_expr *x = real_argument(g, c);
    if (!x)
        return false;
    struct tree_expr *whole = code_once(g, expr_math(g->t, TREE_MATH_trunc, &x));
    struct tree_expr *signed_part[2] = { expr_binary(g->t, EXPR_SUB, x, whole), x };
    struct tree_expr *none[2] = { expr_zero(g->t, x->type), x };
    struct tree_expr *fraction =
        expr_select(g->t, expr_math(g->t, TREE_MATH_isinf, &x), expr_math(g->t, TREE_MATH_copysign, none),
                    expr_math(g->t, TREE_MATH_copysign, signed_part));
    return assign_two(g, c, 2, whole, fraction);
}

/* The mantissa; *exponent gets the exponent (int32). */
static struct tree_expr *frexp_call(struct code_gen *g, struct tree_expr *x, struct tree_expr **exponent)
{
    const struct type *i32 = code_basic(g, TYPE_I32), *f64 = code_basic(g, TYPE_F64);
    struct tree_var *memory = tree_var(g->t, "exponent", type_pointer(g->ir, i32)),
                    *mantissa = tree_var(g->t, "mantissa", f64);
    stmt_alloc(g->t, g->out, memory, i32, expr_i64(g->t, 1), TREE_STACK);
    struct tree_expr *args[2] = { expr_cast(g->t, f64, x), expr_var(g->t, memory) };
    stmt_call(g->t, g->out, mantissa, intern(g->ir->names, "frexp"), args, 2);
    *exponent = code_temp(g, "exponent", expr_load(g->t, i32, expr_var(g->t, memory), expr_i64(g->t, 0), 0));
    return expr_cast(g->t, x->type, expr_var(g->t, mantissa));
}

/* True if the call was one of these; *good tells how it went. */
static bool assigning_call(struct code_gen *g, const struct code *c, const char *name, bool *good)
{
    uint32_t count = c->count - 1;
    if ((strcmp(name, "cpp_divmod") == 0 || strcmp(name, "py_divmod") == 0) && count == 4) {
        *good = divmod(g, c, name[0] == 'p');
    } else if (strcmp(name, "np_modf") == 0 && count == 3) {
        *good = modf_call(g, c);
    } else if (strcmp(name, "np_frexp") == 0 && count == 3) {
        struct tree_expr *x = real_argument(g, c), *exponent = NULL;
        struct tree_expr *mantissa = x ? frexp_call(g, x, &exponent) : NULL;
        *good = mantissa && assign_two(g, c, 2, mantissa, exponent);
    } else {
        return false;
    }
    return true;
}

/* A function that the text has given a name: its body, among the names there were before it and the arguments. So it
 * cannot call itself; functions of functions may still grow without measure. */
static struct tree_expr *lambda_call(struct code_gen *g, const struct code *c, const struct code_local *function)
{
    enum { MOST = 1000 };
    const struct code *lambda = function->lambda;
    struct code_gen inner = *g;
    struct tree_expr **args;
    uint32_t count = c->count - 1, before = (uint32_t)(function - g->locals.items);
    if (lambda->count - 1 != count)
        return code_invalid(g, c, "the function takes %u arguments, not %u", lambda->count - 1, count);
    if (++*g->calls > MOST)
        return code_unsupported(g, c, "so many calls of functions of the text");
    if (!arguments(g, c, &args))
        return NULL;
    memset(&inner.locals, 0, sizeof inner.locals);
    for (uint32_t i = 0; i < before; i++)
        vec_push(g->arena, &inner.locals, g->locals.items[i]);
    for (uint32_t i = 0; i < count; i++) {
        args[i] = code_once(g, args[i]);
        code_add_local(&inner, lambda->items[i]->name,
                       (struct lvalue){ .kind = LVALUE_VALUE, .type = args[i]->type, .value = args[i] });
    }
    struct tree_expr *e = code_eval(&inner, lambda->items[count]);
    g->olds.items = inner.olds.items;
    g->olds.count = inner.olds.count;
    g->olds.capacity = inner.olds.capacity;
    return e;
}

/* ---- dispatch ---- */

static struct tree_expr *named_call(struct code_gen *g, const struct code *c, const char *name)
{
    struct tree_expr *e, **args;
    bool known;
    struct operand o;
    const struct code_local *local = code_find_local(g, name);
    if (local && local->lambda)
        return lambda_call(g, c, local);
    if (!code_lookup(g, name, &o))
        return NULL;
    if (o.kind == OPERAND_CALLBACK)
        return code_callback(g, c, &o, &e) && !e ? code_invalid(g, c, "callback '%s' gives no value", name) : e;
    if (code_is_constructor(g, name))
        return code_construct(g, c);
    if (lazy(g, c, name, &e))
        return e;
    const struct type *type = cast_type(g, name);
    if (type)
        return arguments(g, c, &args) ? cast(g, c, type, args, c->count - 1) : NULL;
    if (strcmp(name, "printf") == 0)
        return print(g, c, "printf");
    if (strcmp(name, "py_print") == 0)
        return print(g, c, "sdfg_rt_print");
    if (strcmp(name, CODE_ELEMENTS) == 0 && c->count == 2)
        return code_lookup(g, c->items[1]->name, &o) ? o.elements ? o.elements : expr_i64(g->t, INT64_MAX) : NULL;
    if (strcmp(name, CODE_GROUP_REDUCE) == 0)
        return code_group_reduce(g, c);
    if (strcmp(name, "frexp") == 0 && c->count == 2) {
        struct tree_expr *x = real_argument(g, c);
        return x && frexp_call(g, x, &e) ? e : NULL;
    }
    if (code_thread_query(g, c, name, &e))
        return e;
    e = by_function(g, c, name, false, &known);
    if (!known)
        e = single_function(g, c, name, &known);
    return known ? e : code_unsupported(g, c, arena_printf(g->arena, "function '%s'", name));
}

/* z.real(), z.imag() */
static struct tree_expr *method(struct code_gen *g, const struct code *c)
{
    const struct code *callee = c->items[0];
    if (c->count == 1 && (strcmp(callee->name, "real") == 0 || strcmp(callee->name, "imag") == 0)) {
        struct tree_expr *e = code_eval(g, callee->items[0]);
        if (!e)
            return NULL;
        if (type_is_complex(type_scalar(e->type)))
            return expr_unary(g->t, callee->name[0] == 'r' ? EXPR_REAL : EXPR_IMAG, e);
    }
    return code_unsupported(g, c, arena_printf(g->arena, "method '%s'", callee->name));
}

static struct tree_expr *dotted_call(struct code_gen *g, const struct code *c, const char *dotted)
{
    bool known;
    struct tree_expr *e, **args;
    const char *name = in_modules(dotted, type_modules);
    const struct type *type = name ? cast_type(g, name) : NULL;
    if (type)
        return arguments(g, c, &args) ? cast(g, c, type, args, c->count - 1) : NULL;
    name = in_modules(dotted, math_modules);
    bool same = name; /* functions of `math` give the type of their first argument (semantics.md 6.6) */
    if (!name)
        name = in_modules(dotted, all_modules);
    if (!name)
        return method(g, c);
    e = by_function(g, c, name, same, &known);
    return known ? e : code_unsupported(g, c, arena_printf(g->arena, "function '%s'", dotted));
}

struct tree_expr *code_call(struct code_gen *g, const struct code *c)
{
    const struct code *callee = c->items[0];
    struct tree_expr *e;
    bool good;
    if (c->type)
        return code_foreign(g, c);
    if (code_stream_method(g, c, &e))
        return e;
    if (callee->kind == CODE_NAME) {
        if (assigning_call(g, c, callee->name, &good))
            return good ? code_invalid(g, c, "'%s' gives no value", callee->name) : NULL;
        return named_call(g, c, callee->name);
    }
    if (callee->kind == CODE_CALL)
        return decltype_call(g, c);
    if (callee->kind != CODE_MEMBER)
        return code_unsupported(g, c, "the call of a value");
    const char *dotted = code_dotted(g->ir, callee);
    return dotted ? dotted_call(g, c, dotted) : method(g, c);
}

bool code_call_statement(struct code_gen *g, const struct code *c)
{
    const struct code *callee = c->items[0];
    bool good;
    if (!c->type && callee->kind == CODE_NAME && assigning_call(g, c, callee->name, &good))
        return good;
    struct operand o = { 0 };
    struct tree_expr *e;
    if (!c->type && callee->kind == CODE_NAME && strcmp(callee->name, CODE_GROUP_BARRIER) == 0)
        return code_group_barrier(g, c);
    if (!c->type && callee->kind == CODE_NAME && !code_find_local(g, callee->name) && !code_lookup(g, callee->name, &o))
        return false;
    if (o.kind == OPERAND_CALLBACK)
        return code_callback(g, c, &o, &e);
    e = code_call(g, c);
    if (!e)
        return false;
    if (e->op == EXPR_CALL)
        stmt_call(g->t, g->out, NULL, e->name, e->args, e->num_args)->place = g->s->place;
    else if (!expr_is_pure(e))
        code_temp(g, "unused", e);
    return true;
}
