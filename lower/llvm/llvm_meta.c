/* Metadata: what the optimizer may assume about memory and loops.
 *
 * Every alias class used in a function is an alias scope of the function's domain; an access carries its own scope and
 * the list of all others. One more scope stands for the runtime's tables (slots, argument lists), which no container
 * overlaps. An access group belongs to a loop whose iterations are independent; accesses in its body carry it, except
 * to stack memory made in the body: that is the same memory each time. */
#include "base/fatal.h"
#include "lower/llvm/llvm_emit.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>

#include <stdio.h>
#include <string.h>

static void attach(struct llvm_func *f, LLVMValueRef instruction, unsigned kind, LLVMMetadataRef node)
{
    LLVMSetMetadata(instruction, kind, LLVMMetadataAsValue(f->unit->context, node));
}

static LLVMMetadataRef text_node(struct llvm_func *f, const char *text)
{
    return LLVMMDStringInContext2(f->unit->context, text, strlen(text));
}

/* A node that refers to itself is different from all others. */
static LLVMMetadataRef distinct_node(struct llvm_func *f, LLVMMetadataRef *rest, size_t count)
{
    LLVMMetadataRef items[8], self = LLVMTemporaryMDNode(f->unit->context, NULL, 0);
    items[0] = self;
    memcpy(items + 1, rest, count * sizeof *rest);
    LLVMMetadataRef node = LLVMMDNodeInContext2(f->unit->context, items, count + 1);
    LLVMMetadataReplaceAllUsesWith(self, node); /* frees `self` */
    return node;
}

/* ---- aliasing ---- */

static LLVMMetadataRef scope_node(struct llvm_func *f, const char *name)
{
    LLVMMetadataRef items[2] = { text_node(f, name), f->domain };
    return LLVMMDNodeInContext2(f->unit->context, items, 2);
}

void llvm_meta_function(struct llvm_func *f)
{
    struct llvm_emitter *e = f->emitter;
    LLVMMetadataRef name = text_node(f, f->code->name), all[LLVM_ALIAS_CLASSES_MAX + 1];
    f->domain = LLVMMDNodeInContext2(f->unit->context, &name, 1);
    f->internal = scope_node(f, arena_printf(e->arena, "%s:runtime", f->code->name));
    f->internal_list = LLVMMDNodeInContext2(f->unit->context, &f->internal, 1);
    uint32_t count = f->emitter->uses.classes.count;
    for (uint32_t i = 0; i < count; i++)
        e->aliases[e->uses.classes.items[i]] = (struct llvm_alias){ 0 };
    if (count > LLVM_ALIAS_CLASSES_MAX)
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct llvm_alias *a = &e->aliases[e->uses.classes.items[i]];
        a->scope = scope_node(f, arena_printf(e->arena, "%s:%u", f->code->name, f->emitter->uses.classes.items[i]));
        a->list = LLVMMDNodeInContext2(f->unit->context, &a->scope, 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = 0;
        all[n++] = f->internal;
        for (uint32_t j = 0; j < count; j++)
            if (j != i)
                all[n++] = e->aliases[e->uses.classes.items[j]].scope;
        e->aliases[e->uses.classes.items[i]].others = LLVMMDNodeInContext2(f->unit->context, all, n);
    }
}

void llvm_meta_internal(struct llvm_func *f, LLVMValueRef access)
{
    attach(f, access, f->unit->kind_scope, f->internal_list);
}

static void attach_groups(struct llvm_func *f, LLVMValueRef access, uint32_t private_from)
{
    if (private_from >= f->groups.count)
        return;
    uint32_t count = f->groups.count - private_from;
    LLVMMetadataRef *groups = f->groups.items + private_from;
    attach(f, access, f->unit->kind_group,
           count == 1 ? *groups : LLVMMDNodeInContext2(f->unit->context, groups, count));
}

void llvm_meta_access(struct llvm_func *f, LLVMValueRef access, uint32_t alias, uint32_t private_from)
{
    const struct llvm_alias *a = &f->emitter->aliases[alias];
    if (alias && a->scope) {
        attach(f, access, f->unit->kind_scope, a->list);
        attach(f, access, f->unit->kind_noalias, a->others);
    } else {
        attach(f, access, f->unit->kind_noalias, f->internal_list);
    }
    attach_groups(f, access, private_from);
}

void llvm_meta_copy(struct llvm_func *f, LLVMValueRef access, uint32_t alias, uint32_t alias2, uint32_t private_from)
{
    const struct llvm_alias *a = &f->emitter->aliases[alias], *b = &f->emitter->aliases[alias2];
    if (alias == alias2 || !alias || !alias2 || !a->scope) {
        llvm_meta_access(f, access, alias == alias2 ? alias : 0, private_from);
        return;
    }
    LLVMMetadataRef scopes[2] = { a->scope, b->scope }, others[LLVM_ALIAS_CLASSES_MAX + 1];
    uint32_t n = 0;
    others[n++] = f->internal;
    for (uint32_t i = 0; i < f->emitter->uses.classes.count; i++)
        if (f->emitter->uses.classes.items[i] != alias && f->emitter->uses.classes.items[i] != alias2)
            others[n++] = f->emitter->aliases[f->emitter->uses.classes.items[i]].scope;
    attach(f, access, f->unit->kind_scope, LLVMMDNodeInContext2(f->unit->context, scopes, 2));
    attach(f, access, f->unit->kind_noalias, LLVMMDNodeInContext2(f->unit->context, others, n));
    attach_groups(f, access, private_from);
}

/* ---- loops ---- */

/* The C interface cannot make an empty distinct node, the IR reader can: a batch at a time. */
static void refill_groups(struct llvm_unit *u)
{
    char text[64 + LLVM_ACCESS_GROUP_BATCH * 40];
    int length = snprintf(text, sizeof text, "!g = !{!0");
    for (int i = 1; i < LLVM_ACCESS_GROUP_BATCH; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, ",!%d", i);
    length += snprintf(text + length, sizeof text - (size_t)length, "}\n");
    for (int i = 0; i < LLVM_ACCESS_GROUP_BATCH; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "!%d = distinct !{}\n", i);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, (size_t)length, "groups");
    if (!buffer)
        fatal_memory();
    LLVMModuleRef module;
    LLVMValueRef nodes[LLVM_ACCESS_GROUP_BATCH];
    char *message = NULL;
    if (LLVMParseIRInContext(u->context, buffer, &module, &message)) {
        LLVMDisposeMessage(message);
        return;
    }
    LLVMGetNamedMetadataOperands(module, "g", nodes);
    for (int i = 0; i < LLVM_ACCESS_GROUP_BATCH; i++)
        u->groups[i] = LLVMValueAsMetadata(nodes[i]);
    u->num_groups = LLVM_ACCESS_GROUP_BATCH;
    LLVMDisposeModule(module);
}

void llvm_meta_loop_begin(struct llvm_func *f, const struct tree_loop *loop)
{
    if (!loop->independent)
        return;
    if (!f->unit->num_groups)
        refill_groups(f->unit);
    vec_push(f->emitter->arena, &f->groups, f->unit->groups[--f->unit->num_groups]);
}

static LLVMMetadataRef property(struct llvm_func *f, const char *name, LLVMMetadataRef value)
{
    LLVMMetadataRef items[2] = { text_node(f, name), value };
    return LLVMMDNodeInContext2(f->unit->context, items, value ? 2 : 1);
}

/* On processors with AVX-512 LLVM uses half of its registers, since the first ones that had it ran slower with all.
 * Those that also have VBMI2 do not. */
static bool has_wide_vectors(const struct llvm_func *f)
{
    return f->unit->x86 && f->emitter->tree->machine->vector > 0;
}

static LLVMMetadataRef wide_lanes(struct llvm_func *f, const struct tree_loop *loop)
{
    enum { REGISTER = 64 };
    LLVMTypeRef i32 = LLVMInt32TypeInContext(f->unit->context);
    return LLVMValueAsMetadata(LLVMConstInt(i32, REGISTER / loop->wide, false));
}

/* Whole vectors one by one leave no iterations over. What is less than a vector must not be unrolled before it becomes
 * one. */
static size_t add_wide(struct llvm_func *f, const struct tree_loop *loop, LLVMMetadataRef *properties)
{
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(f->unit->context), 1, false));
    LLVMMetadataRef yes = LLVMValueAsMetadata(LLVMConstInt(f->unit->i1, 1, false));
    size_t count = 0;
    properties[count++] = property(f, "llvm.loop.vectorize.width", wide_lanes(f, loop));
    if (loop->vectors == TREE_VECTORS_ANY)
        return count;
    properties[count++] = property(f, "llvm.loop.interleave.count", one);
    if (loop->vectors == TREE_VECTORS_MASKED) {
        properties[count++] = property(f, "llvm.loop.vectorize.predicate.enable", yes);
        properties[count++] = property(f, "llvm.loop.unroll.disable", NULL);
    }
    return count;
}

void llvm_meta_loop_end(struct llvm_func *f, const struct tree_loop *loop, LLVMValueRef back_edge, bool has_loops,
                        bool few, bool scalar, LLVMMetadataRef at)
{
    LLVMMetadataRef properties[9];
    size_t count = 0;
    if (loop->wide && !has_loops && has_wide_vectors(f))
        count += add_wide(f, loop, properties);
    if (scalar)
        properties[count++] =
            property(f, "llvm.loop.vectorize.enable", LLVMValueAsMetadata(LLVMConstInt(f->unit->i1, 0, false)));
    if (at)
        properties[count++] = at;
    if (loop->independent) {
        properties[count++] = property(f, "llvm.loop.parallel_accesses", vec_last(&f->groups));
        f->groups.count--;
    }
    if (few)
        properties[count++] = property(f, "llvm.loop.unroll.full", NULL);
    else if (loop->unroll)
        properties[count++] = property(f, "llvm.loop.unroll.enable", NULL);
    else if (has_loops)
        properties[count++] = property(f, "llvm.loop.unroll.disable", NULL);
    if (count)
        attach(f, back_edge, f->unit->kind_loop, distinct_node(f, properties, count));
}

/* LLVM's vectorizer does not look at it. */
void llvm_meta_likely(struct llvm_func *f, LLVMValueRef select)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(f->unit->context);
    LLVMMetadataRef items[3] = { text_node(f, "branch_weights"), LLVMValueAsMetadata(LLVMConstInt(i32, 2000, false)),
                                 LLVMValueAsMetadata(LLVMConstInt(i32, 1, false)) };
    if (LLVMIsASelectInst(select))
        attach(f, select, LLVMGetMDKindIDInContext(f->unit->context, "prof", 4),
               LLVMMDNodeInContext2(f->unit->context, items, 3));
}

void llvm_meta_vector_loop(struct llvm_func *f, LLVMValueRef back_edge)
{
    LLVMMetadataRef yes = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(f->unit->context), 1, false));
    LLVMMetadataRef done = property(f, "llvm.loop.isvectorized", yes);
    attach(f, back_edge, f->unit->kind_loop, distinct_node(f, &done, 1));
}
