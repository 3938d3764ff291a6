#include "gpu/emit_text.h"

#include <stdarg.h>
#include <string.h>

struct cuda gpu_text_of(enum cuda_level level, const char *s) { return (struct cuda){ s, level }; }

struct cuda gpu_print(struct gpu_func *f, enum cuda_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct cuda c = { arena_vprintf(f->module->arena, format, args), level };
    va_end(args);
    return c;
}

const char *gpu_at(struct gpu_func *f, enum cuda_level level, struct cuda c)
{
    return c.level >= level ? c.s : arena_printf(f->module->arena, "(%s)", c.s);
}

/* ---- what has a name of its own ---- */

static void count(struct gpu_func *f, const struct tree_expr *e)
{
    void **uses = map_at(f->module->arena, &f->uses, e);
    *uses = (void *)((uintptr_t)*uses + 1);
    if ((uintptr_t)*uses > 1)
        return;
    for (uint32_t i = 0; i < e->num_args; i++)
        count(f, e->args[i]);
}

static void count_root(void *user, struct tree_expr **e)
{
    if ((*e)->num_args)
        count(user, *e);
}

void gpu_begin(struct gpu_func *f, const struct tree_stmt *s)
{
    f->uses = (struct map){ 0 };
    f->constants.count = 0;
    f->module->place = s->place ? s->place : f->module->place;
    stmt_each_expr((struct tree_stmt *)s, count_root, f);
}

static const char *find_constant(const struct gpu_func *f, const struct tree_expr *e)
{
    for (uint32_t i = f->constants.count; i > 0; i--)
        if (f->constants.items[i - 1].expr == e)
            return f->constants.items[i - 1].name;
    return NULL;
}

struct cuda gpu_constant(struct gpu_func *f, const char *type, struct cuda c)
{
    const char *name = arena_printf(f->module->arena, "t%u", f->num_constants++);
    size_t length = strlen(type);
    const char *space = length && type[length - 1] == '*' ? "" : " ";
    if (f->labels) {
        text_printf(&f->top, "    %s%s%s;\n", type, space, name);
        gpu_line(f, "%s = %s;", name, c.s);
    } else {
        gpu_line(f, *space ? "const %s%s%s = %s;" : "%sconst %s%s = %s;", type, space, name, c.s);
    }
    return gpu_text_of(CUDA_POSTFIX, name);
}

enum { LONG_TEXT = 140 };

static bool is_cheap(const struct tree_expr *e)
{
    switch (e->op) {
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_NULL:
    case EXPR_VAR:
    case EXPR_THREAD:
    case EXPR_DATA:
        return true;
    case EXPR_CAST:
        return is_cheap(e->args[0]);
    default:
        return false;
    }
}

/* ---- operations ---- */

typedef struct cuda emit_expr(struct gpu_func *f, const struct tree_expr *e);

static struct cuda expr_variable(struct gpu_func *f, const struct tree_expr *e)
{
    return gpu_text_of(CUDA_POSTFIX, gpu_variable(f, e->var)->name);
}

static struct cuda expr_load_value(struct gpu_func *f, const struct tree_expr *e)
{
    return gpu_load(f, e->type, e->args[0], e->args[1]);
}

static struct cuda expr_of_host(struct gpu_func *f, const struct tree_expr *e)
{
    gpu_unsupported(f->module, e->op == EXPR_SLOT ? "memory of the program's state"
                                                  : "vectors whose length only the machine knows");
    return gpu_text_of(CUDA_POSTFIX, "0");
}

static struct cuda expr_unary_op(struct gpu_func *f, const struct tree_expr *e)
{
    if (e->op == EXPR_NEG && type_is_integer(e->type) && e->args[0]->op != EXPR_INT)
        return gpu_cast(f, e->type, type_basic(f->module->ir, e->type->size <= 4 ? TYPE_U32 : TYPE_U64),
                        gpu_modular(f, e));
    return gpu_unary(f, e->op, e->args[0]->type, gpu_expr(f, e->args[0]));
}

static struct cuda expr_not(struct gpu_func *f, const struct tree_expr *e)
{
    const struct type *t = e->args[0]->type;
    struct cuda a = gpu_expr(f, e->args[0]);
    if (t->kind == TYPE_VECTOR)
        return gpu_compare(f, EXPR_EQ, t, a, gpu_print(f, CUDA_POSTFIX, "%s{}", gpu_type(f->module, t)));
    return gpu_print(f, CUDA_UNARY, "!%s", gpu_at(f, CUDA_POSTFIX, gpu_truth(f, t, a)));
}

static struct cuda expr_binary_op(struct gpu_func *f, const struct tree_expr *e)
{
    if (gpu_is_modular(e))
        return gpu_cast(f, e->type, type_basic(f->module->ir, e->type->size <= 4 ? TYPE_U32 : TYPE_U64),
                        gpu_modular(f, e));
    struct cuda a = gpu_expr(f, e->args[0]);
    return gpu_binary(f, e->op, e->args[0]->type, a, gpu_expr(f, e->args[1]));
}

static struct cuda expr_comparison(struct gpu_func *f, const struct tree_expr *e)
{
    struct cuda a = gpu_expr(f, e->args[0]);
    return gpu_compare(f, e->op, e->args[0]->type, a, gpu_expr(f, e->args[1]));
}

/* Two sides of which one is evaluated; NULL: the text `fixed` (a truth value). False if they are expressions without
 * anything in front of them; else there is an `if` around what is, and `named` is the result. */
static bool has_branches(struct gpu_func *f, const struct tree_expr *e, const char *condition,
                         const struct tree_expr *const sides[2], const char *fixed, struct cuda values[2],
                         struct cuda *named)
{
    struct gpu_aside asides[2];
    for (int i = 0; i < 2; i++) {
        gpu_aside_begin(f, &asides[i]);
        values[i] = sides[i] ? gpu_expr(f, sides[i]) : gpu_text_of(CUDA_POSTFIX, fixed);
        if (sides[i] && e->type->kind == TYPE_BOOL)
            values[i] = gpu_truth(f, sides[i]->type, values[i]);
        gpu_aside_end(f, &asides[i]);
    }
    if (!asides[0].text.length && !asides[1].text.length)
        return false;
    const char *name = arena_printf(f->module->arena, "t%u", f->num_constants++);
    const char *type = gpu_type(f->module, e->type);
    if (f->labels)
        text_printf(&f->top, "    %s %s;\n", type, name);
    else
        gpu_line(f, "%s %s;", type, name);
    gpu_line(f, "if (%s) {", condition);
    text_add(f->out, text_get(&asides[0].text));
    gpu_line(f, "    %s = %s;", name, values[0].s);
    gpu_line(f, "} else {");
    text_add(f->out, text_get(&asides[1].text));
    gpu_line(f, "    %s = %s;", name, values[1].s);
    gpu_line(f, "}");
    *named = gpu_text_of(CUDA_POSTFIX, name);
    return true;
}

static struct cuda expr_logical(struct gpu_func *f, const struct tree_expr *e)
{
    const struct type *t = e->args[0]->type;
    bool both = e->op == EXPR_LOGICAL_AND;
    struct cuda values[2], named, a = gpu_expr(f, e->args[0]);
    if (t->kind == TYPE_VECTOR)
        return gpu_binary(f, both ? EXPR_AND : EXPR_OR, t, a, gpu_expr(f, e->args[1]));
    const struct tree_expr *sides[2] = { both ? e->args[1] : NULL, both ? NULL : e->args[1] };
    a = gpu_truth(f, t, a);
    if (has_branches(f, e, a.s, sides, both ? "false" : "true", values, &named))
        return named;
    enum cuda_level level = both ? CUDA_AND : CUDA_OR;
    return gpu_print(f, level, "%s %s %s", gpu_at(f, level, a), both ? "&&" : "||",
                     gpu_at(f, level + 1, values[both ? 0 : 1]));
}

static struct cuda expr_choice(struct gpu_func *f, const struct tree_expr *e)
{
    const struct type *t = e->args[0]->type;
    struct cuda c = gpu_expr(f, e->args[0]);
    if (t->kind == TYPE_VECTOR) {
        struct cuda a = gpu_expr(f, e->args[1]);
        gpu_need(f->module, PIECE_VECTOR);
        return gpu_print(f, CUDA_POSTFIX, "sd_choose(%s, %s, %s)", c.s, a.s, gpu_expr(f, e->args[2]).s);
    }
    struct cuda values[2], named;
    const char *condition = gpu_at(f, CUDA_OR, gpu_truth(f, t, c));
    const struct tree_expr *sides[2] = { e->args[1], e->args[2] };
    if (has_branches(f, e, condition, sides, NULL, values, &named))
        return named;
    return gpu_print(f, CUDA_CHOICE, "%s ? %s : %s", condition, gpu_at(f, CUDA_OR, values[0]),
                     gpu_at(f, CUDA_CHOICE, values[1]));
}

static struct cuda expr_conversion(struct gpu_func *f, const struct tree_expr *e)
{
    return gpu_cast(f, e->type, e->args[0]->type, gpu_expr(f, e->args[0]));
}

static struct cuda expr_same_bits(struct gpu_func *f, const struct tree_expr *e)
{
    return gpu_bits(f, e->type, e->args[0]->type, gpu_expr(f, e->args[0]));
}

static struct cuda expr_function(struct gpu_func *f, const struct tree_expr *e)
{
    struct cuda args[3] = { { NULL, 0 } };
    for (uint32_t i = 0; i < e->num_args; i++)
        args[i] = gpu_expr(f, e->args[i]);
    return gpu_math(f, e->math, e->type, e->args[0]->type, args);
}

static struct cuda expr_c_call(struct gpu_func *f, const struct tree_expr *e)
{
    return gpu_call(f, e->type, e->name, e->callee, e->args, e->num_args);
}

static struct cuda expr_make_complex(struct gpu_func *f, const struct tree_expr *e)
{
    if (e->type->kind == TYPE_VECTOR) {
        gpu_unsupported(f->module, "vectors of complex numbers made of parts");
        return gpu_text_of(CUDA_POSTFIX, "0");
    }
    struct cuda re = gpu_expr(f, e->args[0]);
    return gpu_print(f, CUDA_POSTFIX, "%s{ %s, %s }", gpu_type(f->module, e->type), re.s, gpu_expr(f, e->args[1]).s);
}

static struct cuda expr_part(struct gpu_func *f, const struct tree_expr *e)
{
    const struct type *t = e->args[0]->type;
    struct cuda v = gpu_expr(f, e->args[0]);
    const char *part = e->op == EXPR_REAL ? "re" : "im";
    if (t->kind == TYPE_VECTOR && type_is_complex(t->elem))
        return gpu_print(f, CUDA_POSTFIX, "sd_map<%s>(%s, [](%s x) { return x.%s; })",
                         gpu_type(f->module, e->type->elem), v.s, gpu_type(f->module, t->elem), part);
    if (type_is_complex(t))
        return gpu_print(f, CUDA_POSTFIX, "%s.%s", gpu_at(f, CUDA_POSTFIX, v), part);
    return e->op == EXPR_REAL ? v : gpu_print(f, CUDA_UNARY, "(%s)0", gpu_type(f->module, e->type));
}

static struct cuda expr_all_lanes(struct gpu_func *f, const struct tree_expr *e)
{
    return gpu_print(f, CUDA_POSTFIX, "sd_splat<%s>(%s)", gpu_type(f->module, e->type), gpu_expr(f, e->args[0]).s);
}

static struct cuda expr_one_lane(struct gpu_func *f, const struct tree_expr *e)
{
    struct cuda v = gpu_expr(f, e->args[0]), lane = gpu_expr(f, e->args[1]);
    if (e->op == EXPR_LANE)
        return gpu_print(f, CUDA_POSTFIX, "%s.l[%s]", gpu_at(f, CUDA_POSTFIX, v), lane.s);
    return gpu_print(f, CUDA_POSTFIX, "sd_insert(%s, %s, %s)", v.s, lane.s, gpu_expr(f, e->args[2]).s);
}

static emit_expr *const by_op[EXPR_OP_COUNT] = {
    [EXPR_INT] = gpu_constant_value, [EXPR_FLOAT] = gpu_constant_value, [EXPR_NULL] = gpu_constant_value,
    [EXPR_CONTEXT] = gpu_faults,     [EXPR_VAR] = expr_variable,        [EXPR_LOAD] = expr_load_value,
    [EXPR_OFFSET] = gpu_address,     [EXPR_FIELD] = gpu_address,        [EXPR_SLOT] = expr_of_host,
    [EXPR_DATA] = gpu_data,          [EXPR_NEG] = expr_unary_op,        [EXPR_NOT] = expr_not,
    [EXPR_BITNOT] = expr_unary_op,   [EXPR_ADD] = expr_binary_op,       [EXPR_SUB] = expr_binary_op,
    [EXPR_MUL] = expr_binary_op,     [EXPR_DIV] = expr_binary_op,       [EXPR_REM] = expr_binary_op,
    [EXPR_AND] = expr_binary_op,     [EXPR_OR] = expr_binary_op,        [EXPR_XOR] = expr_binary_op,
    [EXPR_SHL] = expr_binary_op,     [EXPR_SHR] = expr_binary_op,       [EXPR_MIN] = expr_binary_op,
    [EXPR_MAX] = expr_binary_op,     [EXPR_EQ] = expr_comparison,       [EXPR_NE] = expr_comparison,
    [EXPR_LT] = expr_comparison,     [EXPR_LE] = expr_comparison,       [EXPR_GT] = expr_comparison,
    [EXPR_GE] = expr_comparison,     [EXPR_LOGICAL_AND] = expr_logical, [EXPR_LOGICAL_OR] = expr_logical,
    [EXPR_SELECT] = expr_choice,     [EXPR_CAST] = expr_conversion,     [EXPR_BITS] = expr_same_bits,
    [EXPR_MATH] = expr_function,     [EXPR_CALL] = expr_c_call,         [EXPR_COMPLEX] = expr_make_complex,
    [EXPR_REAL] = expr_part,         [EXPR_IMAG] = expr_part,           [EXPR_SPLAT] = expr_all_lanes,
    [EXPR_LANE] = expr_one_lane,     [EXPR_INSERT] = expr_one_lane,     [EXPR_THREAD] = gpu_thread,
};

struct cuda gpu_expr(struct gpu_func *f, const struct tree_expr *e)
{
    const char *name = find_constant(f, e);
    if (name)
        return gpu_text_of(CUDA_POSTFIX, name);
    struct cuda c = (by_op[e->op] ? by_op[e->op] : expr_of_host)(f, e);
    bool effects = e->op == EXPR_CALL && !expr_is_pure(e);
    if (e->type->kind == TYPE_VOID || is_cheap(e) || f->module->failed)
        return c;
    if ((uintptr_t)map_get(&f->uses, e) < 2 && strlen(c.s) < LONG_TEXT && !effects)
        return c;
    if (e->type->kind == TYPE_POINTER)
        c = gpu_print(f, CUDA_UNARY, "(%s)%s", gpu_type(f->module, e->type), gpu_at(f, CUDA_UNARY, c));
    if (strpbrk(c.s, " (+-*/[{") || effects)
        c = gpu_constant(f, gpu_type(f->module, e->type), c);
    vec_push(f->module->arena, &f->constants, ((struct gpu_constant){ e, c.s }));
    return c;
}

struct cuda gpu_index(struct gpu_func *f, const struct tree_expr *e)
{
    if (e->op == EXPR_CAST && e->type->kind == TYPE_I64 && type_is_integer(e->args[0]->type) &&
        e->args[0]->type->size <= 4 && !find_constant(f, e))
        return gpu_expr(f, e->args[0]);
    if (e->op == EXPR_INT && e->i >= 0 && e->i <= INT32_MAX)
        return gpu_print(f, CUDA_POSTFIX, "%d", (int)e->i);
    return gpu_expr(f, e);
}
