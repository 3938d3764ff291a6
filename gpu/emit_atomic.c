/* Conflict resolution: memory combined with a value, as one step if other threads may do the same. */
#include "gpu/emit_text.h"

#include <string.h>

struct cuda gpu_combine(struct gpu_func *f, enum wcr_kind wcr, const struct type *t, struct cuda a, struct cuda b)
{
    static const struct {
        enum expr_op op;
        bool truths;
    } rows[] = {
        [WCR_SUM] = { EXPR_ADD, false },      [WCR_PRODUCT] = { EXPR_MUL, false },
        [WCR_MIN] = { EXPR_MIN, false },      [WCR_MAX] = { EXPR_MAX, false },
        [WCR_BIT_AND] = { EXPR_AND, false },  [WCR_BIT_OR] = { EXPR_OR, false },
        [WCR_BIT_XOR] = { EXPR_XOR, false },  [WCR_LOGICAL_AND] = { EXPR_AND, true },
        [WCR_LOGICAL_OR] = { EXPR_OR, true }, [WCR_LOGICAL_XOR] = { EXPR_XOR, true },
    };
    if (wcr == WCR_EXCHANGE)
        return b;
    if (!rows[wcr].truths)
        return gpu_binary(f, rows[wcr].op, t, a, b);
    const struct type *truth = type_basic(f->module->ir, TYPE_BOOL);
    if (t->kind == TYPE_VECTOR)
        truth = type_vector(f->module->ir, truth, t->lanes, NULL);
    return gpu_cast(f, t, truth, gpu_binary(f, rows[wcr].op, truth, gpu_truth(f, t, a), gpu_truth(f, t, b)));
}

/* The function of CUDA that does it, on integers of the name `as` if that is not NULL. */
static const char *instruction(enum wcr_kind wcr, const struct type *t, const char **as)
{
    bool integer = type_is_integer(t) && t->size >= 4, real = t->kind == TYPE_F32 || t->kind == TYPE_F64;
    const char *without_sign = t->size == 4 ? "u32" : "u64";
    *as = NULL;
    switch (wcr) {
    case WCR_SUM:
        *as = t->kind == TYPE_I64 ? "u64" : NULL;
        return integer || real ? "atomicAdd" : NULL;
    case WCR_MIN:
        return integer ? "atomicMin" : NULL;
    case WCR_MAX:
        return integer ? "atomicMax" : NULL;
    case WCR_BIT_AND:
        *as = without_sign;
        return integer ? "atomicAnd" : NULL;
    case WCR_BIT_OR:
        *as = without_sign;
        return integer ? "atomicOr" : NULL;
    case WCR_BIT_XOR:
        *as = without_sign;
        return integer ? "atomicXor" : NULL;
    case WCR_EXCHANGE:
        *as = integer ? without_sign : NULL;
        return integer || t->kind == TYPE_F32 ? "atomicExch" : NULL;
    default:
        return NULL;
    }
}

static const char *address(struct gpu_func *f, struct cuda element)
{
    return *element.s == '*' ? element.s + 1 : arena_printf(f->module->arena, "&%s", element.s);
}

/* Sums of complex numbers are two sums; all else is a loop around a swap. */
static void reduce_atomic(struct gpu_func *f, const struct tree_stmt *s, struct cuda value)
{
    const struct type *t = s->value->type;
    const char *as, *function = instruction(s->wcr, t, &as);
    struct cuda element = gpu_element(f, t, s->pointer, s->index);
    const char *at = address(f, element);
    if (function && as) {
        gpu_line(f, "%s((%s *)%s, (%s)%s);", function, as, gpu_at(f, CUDA_UNARY, gpu_text_of(CUDA_UNARY, at)), as,
                 gpu_at(f, CUDA_UNARY, value));
    } else if (function) {
        gpu_line(f, "%s(%s, %s);", function, at, value.s);
    } else if (type_is_complex(t) && s->wcr == WCR_SUM) {
        gpu_need(f->module, PIECE_ATOMIC);
        gpu_line(f, "sd_atomic_sum(%s, %s);", at, value.s);
    } else {
        const char *memory = gpu_memory(f->module, t);
        if (strpbrk(value.s, " ([")) /* once, not in every round */
            value = gpu_constant(f, gpu_type(f->module, t), value);
        struct cuda old = gpu_from_memory(f, t, gpu_text_of(CUDA_POSTFIX, "x"));
        gpu_need(f->module, PIECE_ATOMIC);
        gpu_line(f, "%s<%s>(%s, [&](%s x) -> %s { return %s; });", t->size > 8 ? "sd_locked" : "sd_update", memory, at,
                 memory, memory, gpu_combine(f, s->wcr, t, old, value).s);
    }
}

void gpu_stmt_reduce(struct gpu_func *f, const struct tree_stmt *s)
{
    const struct type *t = s->value->type;
    struct cuda value = gpu_expr(f, s->value);
    if (t->kind == TYPE_VECTOR && s->atomic) {
        gpu_unsupported(f->module, "an atomic reduction of vectors");
    } else if (s->atomic) {
        reduce_atomic(f, s, value);
    } else if (s->wcr == WCR_SUM && (t->kind == TYPE_F32 || t->kind == TYPE_F64)) {
        gpu_line(f, "%s += %s;", gpu_element(f, t, s->pointer, s->index).s, value.s);
    } else {
        struct cuda old = gpu_load(f, t, s->pointer, s->index);
        gpu_store(f, t, s->pointer, s->index, gpu_combine(f, s->wcr, t, old, value));
    }
}

/* Can be done several times with the effect of the last time only. */
static bool is_repeatable(const struct tree_stmt *s)
{
    bool yes = true;
    switch (s->kind) {
    case STMT_BLOCK:
        for (uint32_t i = 0; i < s->items.count; i++)
            yes = yes && is_repeatable(s->items.items[i]);
        return yes;
    case STMT_ASSIGN:
        return expr_is_pure(s->value);
    case STMT_IF:
        return expr_is_pure(s->value) && is_repeatable(s->body) && (!s->otherwise || is_repeatable(s->otherwise));
    default:
        return false;
    }
}

void gpu_stmt_update(struct gpu_func *f, const struct tree_stmt *s)
{
    const struct type *t = s->var->type;
    const char *memory = gpu_memory(f->module, t);
    const char *at = address(f, gpu_element(f, t, s->pointer, s->index));
    const char *how = "sd_plain";
    if (s->atomic && (t->size > 8 || !expr_is_pure(s->value) || (s->body && !is_repeatable(s->body))))
        how = "sd_locked";
    else if (s->atomic)
        how = "sd_update";
    gpu_need(f->module, s->atomic ? PIECE_ATOMIC : PIECE_UPDATE);
    struct gpu_variable *x = gpu_variable(f, s->var);
    if (!x->declared) { /* it is assigned inside of the function */
        gpu_line(f, "%s %s;", gpu_type(f->module, t), x->name);
        x->declared = true;
    }
    gpu_line(f, "%s<%s>(%s, [&](%s x) -> %s {", how, memory, at, memory, memory);
    f->indent++;
    gpu_line(f, "%s = %s;", x->name, gpu_from_memory(f, t, gpu_text_of(CUDA_POSTFIX, "x")).s);
    if (s->body)
        gpu_stmt(f, s->body);
    gpu_begin(f, s);
    gpu_line(f, "return %s;", gpu_expr(f, s->value).s);
    f->indent--;
    gpu_line(f, "});");
}
