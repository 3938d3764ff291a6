#include "ir/ir.h"

#include "ir/internal.h"

struct ir *ir_new(void)
{
    struct arena *a = arena_new();
    struct ir *ir = NEW(a, struct ir);
    ir->arena = a;
    ir->names = intern_new(a);
    ir->diags = diags_new(a);
    ir->types = types_new(ir);
    ir->syms = syms_new(ir);
    ir->enums = enums_new(ir);
    return ir;
}

void ir_free(struct ir *ir)
{
    if (ir)
        arena_free(ir->arena);
}
