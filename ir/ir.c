#include "ir/ir.h"

#include "ir/internal.h"

struct ir *ir_new(void)
{
    struct arena *a = arena_new();
    struct ir *ir = NEW(a, struct ir);
    ir->arena = a;
    ir->scratch = arena_new();
    ir->names = intern_new(a);
    ir->diags = diags_new(a);
    ir->types = types_new(ir);
    ir->syms = syms_new(ir);
    ir->enums = enums_new(ir);
    return ir;
}

void ir_free(struct ir *ir)
{
    if (!ir)
        return;
    arena_free(ir->scratch);
    arena_free(ir->arena);
}
