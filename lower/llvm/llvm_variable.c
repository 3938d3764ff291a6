#include "lower/llvm/llvm_emit.h"

struct llvm_variable *llvm_variable(struct llvm_emitter *e, const struct tree_var *v)
{
    struct llvm_variable *x = &e->variables[v->id];
    if (x->stamp != e->uses.stamp)
        *x = (struct llvm_variable){ .stamp = e->uses.stamp, .in_memory = tree_use(&e->uses, v)->in_memory };
    return x;
}

LLVMValueRef llvm_alloca(struct llvm_func *f, LLVMTypeRef type, const char *name)
{
    return LLVMBuildAlloca(f->unit->allocas, type, name);
}

static void make_slots(struct llvm_func *f, const struct tree_var *v, struct llvm_variable *x)
{
    LLVMTypeRef type = llvm_type(f->unit, v->type);
    x->value.v = llvm_alloca(f, type, v->name);
    x->value.im = llvm_type_is_complex(v->type) ? llvm_alloca(f, type, v->name) : NULL;
    x->set = true;
}

struct llvm_value llvm_variable_read(struct llvm_func *f, const struct tree_var *v)
{
    struct llvm_variable *x = llvm_variable(f->emitter, v);
    LLVMTypeRef type = llvm_type(f->unit, v->type);
    if (!x->in_memory) {
        if (x->set)
            return x->value;
        llvm_bug(f, "a variable is used and never assigned");
        return (struct llvm_value){ LLVMGetPoison(type), llvm_type_is_complex(v->type) ? LLVMGetPoison(type) : NULL };
    }
    if (!x->set)
        make_slots(f, v, x);
    struct llvm_value r = { LLVMBuildLoad2(f->builder, type, x->value.v, v->name), NULL };
    if (x->value.im)
        r.im = LLVMBuildLoad2(f->builder, type, x->value.im, v->name);
    return r;
}

void llvm_variable_write(struct llvm_func *f, const struct tree_var *v, struct llvm_value value)
{
    struct llvm_variable *x = llvm_variable(f->emitter, v);
    if (!x->in_memory) {
        x->value = value;
        x->set = true;
        return;
    }
    if (!x->set)
        make_slots(f, v, x);
    LLVMBuildStore(f->builder, value.v, x->value.v);
    if (x->value.im)
        LLVMBuildStore(f->builder, value.im, x->value.im);
}
