/* The host's side of code for a device: launches, transfers, memory and waits become calls of the runtime
 * (runtime/device.h). All of it happens in the run that the function begins and ends; parts of it that became functions
 * of their own find the run in the context. There is one queue. */
#include "lower/llvm/llvm_emit.h"
#include "lower/tree/tree_rows.h"
#include "runtime/device.h"

#include <stddef.h>

enum { QUEUE = 0, BUFFER_ALIGNMENT = 16 };

struct llvm_kernel {
    int64_t number;
    struct kernel_params params;
};

void llvm_kernels(struct llvm_emitter *e)
{
    struct tree_kernels list = tree_kernels(e->tree);
    for (uint32_t i = 0; i < list.count; i++) {
        struct llvm_kernel *k = NEW(e->arena, struct llvm_kernel);
        *k = (struct llvm_kernel){ i, kernel_params(e->arena, list.kernels[i]) };
        map_put(e->arena, &e->kernels, list.kernels[i], k);
    }
}

/* ---- the run ---- */

static void search_device(void *user, const struct tree_stmt *s)
{
    bool *found = user;
    *found = *found || (stmt_rows[s->kind].flags & STMT_DEVICE_WORK) ||
             ((s->kind == STMT_ALLOC || s->kind == STMT_FREE) && llvm_on_device(s->where));
    if (!*found)
        stmt_children(s, search_device, user);
}

bool llvm_on_device(enum tree_memory where) { return where == TREE_DEVICE || where == TREE_PINNED; }

static LLVMValueRef image(struct llvm_func *f)
{
    if (!f->emitter->kernels.count)
        return LLVMConstNull(f->unit->pointer);
    LLVMValueRef global = LLVMGetNamedGlobal(f->unit->module, LLVM_DEVICE_IMAGE);
    return global ? global : LLVMAddGlobal(f->unit->module, f->unit->i8, LLVM_DEVICE_IMAGE);
}

void llvm_run_begin(struct llvm_func *f)
{
    bool found = false;
    if (f->emitter->options->device)
        search_device(&found, f->code->body);
    if (!found)
        return;
    LLVMValueRef field = llvm_context_field(f, offsetof(struct sdfg_rt_context, run));
    if (f->code->kind != OUTLINED_ENTRY) {
        f->run = LLVMBuildLoad2(f->builder, f->unit->pointer, field, "run");
        return;
    }
    f->run = llvm_runtime(f, "sdfg_rt_device_begin", (LLVMValueRef[]){ f->context, image(f) }, 2);
    LLVMBuildStore(f->builder, f->run, field);
    llvm_flow_return_if(f, LLVMBuildIsNull(f->builder, f->run, ""));
}

void llvm_run_end(struct llvm_func *f)
{
    if (f->run && f->code->kind == OUTLINED_ENTRY)
        llvm_runtime(f, "sdfg_rt_device_end", &f->run, 1);
}

/* ---- memory ---- */

static LLVMValueRef place(struct llvm_func *f, enum tree_memory where)
{
    return llvm_int(f->unit->i64, where == TREE_PINNED ? SDFG_RT_PINNED : SDFG_RT_ON_DEVICE);
}

LLVMValueRef llvm_device_alloc(struct llvm_func *f, enum tree_memory where, LLVMValueRef bytes)
{
    return llvm_runtime(f, "sdfg_rt_device_alloc", (LLVMValueRef[]){ f->run, bytes, place(f, where) }, 3);
}

void llvm_device_zero(struct llvm_func *f, LLVMValueRef at, LLVMValueRef bytes)
{
    LLVMValueRef args[] = { f->run, at, bytes, llvm_int(f->unit->i64, QUEUE) };
    llvm_runtime(f, "sdfg_rt_device_zero", args, 4);
}

void llvm_device_free(struct llvm_func *f, enum tree_memory where, LLVMValueRef memory)
{
    llvm_runtime(f, "sdfg_rt_device_free", (LLVMValueRef[]){ f->run, memory, place(f, where) }, 3);
}

static void mirror(struct llvm_func *f, const struct tree_stmt *s)
{
    LLVMValueRef args[] = { f->run, llvm_expr(f, s->pointer2).v, llvm_byte_count(f, s->type, s->count) };
    LLVMValueRef memory = llvm_runtime(f, "sdfg_rt_device_mirror", args, 3);
    llvm_return_if_failed(f); /* an argument that is missing has no mirror */
    llvm_variable_write(f, s->var, (struct llvm_value){ memory, NULL });
}

static void transfer(struct llvm_func *f, const struct tree_stmt *s)
{
    static const enum sdfg_rt_direction directions[] = {
        [TREE_IN] = SDFG_RT_TO_DEVICE,
        [TREE_OUT] = SDFG_RT_TO_HOST,
        [TREE_WITHIN] = SDFG_RT_WITHIN_DEVICE,
    };
    LLVMValueRef none = llvm_int(f->unit->i64, 0);
    LLVMValueRef to = llvm_expr(f, s->pointer).v, from = llvm_expr(f, s->pointer2).v;
    LLVMValueRef args[] = { f->run,
                            to,
                            from,
                            llvm_byte_count(f, s->type, s->count),
                            llvm_int(f->unit->i64, 1),
                            none,
                            none,
                            llvm_int(f->unit->i64, directions[s->direction]),
                            llvm_int(f->unit->i64, QUEUE) };
    llvm_runtime(f, "sdfg_rt_device_copy", args, sizeof args / sizeof *args);
}

/* What the device gave may be looked at behind it, so nothing is behind it if there was an error. */
static void wait(struct llvm_func *f)
{
    llvm_runtime(f, "sdfg_rt_device_wait",
                 (LLVMValueRef[]){ f->run, llvm_int(f->unit->i64, (int64_t)SDFG_RT_ALL_QUEUES) }, 2);
    llvm_return_if_failed(f);
}

/* ---- launches ---- */

static LLVMValueRef at_byte(struct llvm_func *f, LLVMValueRef memory, uint32_t offset)
{
    LLVMValueRef index = llvm_int(f->unit->i64, offset);
    return LLVMBuildInBoundsGEP2(f->builder, f->unit->i8, memory, &index, 1, "");
}

static LLVMValueRef buffer(struct llvm_func *f, uint32_t bytes, const char *name)
{
    LLVMValueRef memory = llvm_alloca(f, LLVMArrayType2(f->unit->i8, bytes ? bytes : 1), name);
    LLVMSetAlignment(memory, BUFFER_ALIGNMENT);
    return memory;
}

static void launch(struct llvm_func *f, const struct tree_stmt *s)
{
    const struct llvm_kernel *k = map_get(&f->emitter->kernels, s);
    const struct kernel_params *p = &k->params;
    LLVMValueRef shape = buffer(f, KERNEL_ARGS * sizeof(int64_t), "shape");
    LLVMValueRef params = buffer(f, p->bytes, "params");
    for (uint32_t i = 0; i < KERNEL_ARGS; i++)
        llvm_meta_internal(f, LLVMBuildStore(f->builder, llvm_expr(f, s->args[i]).v, at_byte(f, shape, 8 * i)));
    for (uint32_t i = 0; i < p->count; i++)
        llvm_store(f, p->vars[i]->type, at_byte(f, params, p->offsets[i]), llvm_variable_read(f, p->vars[i]), 0,
                   UINT32_MAX);
    if (p->faults) {
        LLVMValueRef faults = llvm_runtime(f, "sdfg_rt_device_faults", &f->run, 1);
        llvm_meta_internal(f, LLVMBuildStore(f->builder, faults, at_byte(f, params, p->faults_at)));
    }
    LLVMValueRef args[] = { f->run, llvm_int(f->unit->i64, k->number), shape,
                            params, llvm_int(f->unit->i64, p->bytes),  llvm_int(f->unit->i64, QUEUE) };
    llvm_runtime(f, "sdfg_rt_device_launch", args, sizeof args / sizeof *args);
}

void llvm_stmt_device(struct llvm_func *f, const struct tree_stmt *s)
{
    if (!f->run) {
        llvm_bug(f, "a statement for a device in code for the host");
        return;
    }
    switch (s->kind) {
    case STMT_KERNEL:
        launch(f, s);
        break;
    case STMT_TRANSFER:
        transfer(f, s);
        break;
    case STMT_MIRROR:
        mirror(f, s);
        break;
    case STMT_CLEAR: {
        LLVMValueRef at = llvm_expr(f, s->pointer).v;
        llvm_device_zero(f, at, llvm_byte_count(f, s->type, s->count));
        break;
    }
    case STMT_WAIT:
        wait(f);
        break;
    default:
        llvm_bug(f, "a statement of a kernel in code for the host");
    }
}

struct llvm_value llvm_expr_thread(struct llvm_func *f, const struct tree_expr *e)
{
    (void)e;
    llvm_bug(f, "a thread of a kernel in code for the host");
    return (struct llvm_value){ LLVMGetPoison(f->unit->i32), NULL };
}
