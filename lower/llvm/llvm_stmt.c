#include "lower/llvm/llvm_emit.h"

static void llvm_stmt_block(struct llvm_func *f, const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count; i++) {
        const struct tree_outlined *part = tree_outline_part(f->emitter->outline, s->items.items[i], f->code);
        if (part) {
            if (!llvm_flow_ended(f))
                llvm_stmt_part(f, part);
            i += part->num_items - 1;
        } else {
            llvm_stmt(f, s->items.items[i]);
        }
    }
}

/* The sum of an accumulator; see tree_stmt.reassociate. */
static struct llvm_value accumulated(struct llvm_func *f, const struct tree_expr *e)
{
    if (e->op < EXPR_ADD || e->op > EXPR_MAX)
        return llvm_expr(f, e);
    struct llvm_value a = llvm_expr(f, e->args[0]), b = llvm_expr(f, e->args[1]);
    f->reassociate = true;
    struct llvm_value r = llvm_binary(f, e->op, e->type, a, b);
    f->reassociate = false;
    return r;
}

static void llvm_stmt_assign(struct llvm_func *f, const struct tree_stmt *s)
{
    struct llvm_value v = s->reassociate ? accumulated(f, s->value) : llvm_expr(f, s->value);
    llvm_variable_write(f, s->var, v);
    if (s->var->type->kind == TYPE_POINTER) {
        struct llvm_variable *x = llvm_variable(f->emitter, s->var);
        uint32_t from = llvm_private_from(f, s->value);
        x->private_from = from > x->private_from ? from : x->private_from;
    }
}

static void llvm_stmt_call(struct llvm_func *f, const struct tree_stmt *s)
{
    if (llvm_product(f, s))
        return;
    const struct type *result = s->var ? s->var->type : type_basic(f->emitter->tree->ir, TYPE_VOID);
    struct llvm_value v = llvm_call(f, result, s->name, s->pointer, s->args, s->num_args);
    if (s->var)
        llvm_variable_write(f, s->var, v);
}

static void llvm_stmt_barrier(struct llvm_func *f, const struct tree_stmt *s)
{
    (void)s;
    llvm_runtime(f, "sdfg_rt_barrier", &f->context, 1);
}

/* Sections do not nest in the runtime: only the outermost is entered. */
void llvm_critical_begin(struct llvm_func *f)
{
    if (!f->critical++)
        llvm_runtime(f, "sdfg_rt_critical_begin", &f->context, 1);
}

void llvm_critical_end(struct llvm_func *f)
{
    if (!--f->critical && !llvm_flow_ended(f))
        llvm_runtime(f, "sdfg_rt_critical_end", &f->context, 1);
}

static void llvm_stmt_critical(struct llvm_func *f, const struct tree_stmt *s)
{
    llvm_critical_begin(f);
    llvm_stmt(f, s->body);
    llvm_critical_end(f);
}

typedef void emit(struct llvm_func *f, const struct tree_stmt *s);

static emit *const by_kind[STMT_KIND_COUNT] = {
#define STMT(kind, emit, form, result, flags) llvm_stmt_##emit,
#include "lower/tree/stmts.def"
};

void llvm_stmt(struct llvm_func *f, const struct tree_stmt *s)
{
    if (llvm_flow_ended(f) && s->kind != STMT_LABEL) {
        if (!stmt_contains(s, STMT_LABEL))
            return;
        llvm_flow_restart(f);
    }
    if (s->place)
        f->place = s->place;
    llvm_debug_place(f, s);
    llvm_expr_begin(f);
    llvm_cancel_before(f, s);
    by_kind[s->kind](f, s);
}
