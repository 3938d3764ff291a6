/* The constant that describes the device code of a program to the runtime: struct sdfg_rt_image. It is data of the
 * program like any other, so objects, caches and exported libraries carry it along. */
#include "lower/llvm/llvm.h"
#include "runtime/device.h"

#include <string.h>

struct maker {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTypeRef pointer, i32, i64;
};

static LLVMValueRef i32(const struct maker *m, uint32_t value) { return LLVMConstInt(m->i32, value, false); }

static LLVMValueRef i64(const struct maker *m, uint64_t value) { return LLVMConstInt(m->i64, value, false); }

static LLVMValueRef constant(const struct maker *m, LLVMValueRef value, const char *name)
{
    LLVMValueRef global = LLVMAddGlobal(m->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static LLVMValueRef bytes(const struct maker *m, const void *data, size_t size)
{
    enum { CODE_ALIGNMENT = 16 };
    LLVMValueRef global = constant(m, LLVMConstStringInContext2(m->context, data, size, true), "device.code");
    LLVMSetAlignment(global, CODE_ALIGNMENT);
    return global;
}

static LLVMValueRef text(const struct maker *m, const char *s)
{
    return constant(m, LLVMConstStringInContext2(m->context, s, strlen(s), false), "device.text");
}

static LLVMTypeRef kernel_type(const struct maker *m)
{
    LLVMTypeRef fields[] = { m->pointer, m->pointer, m->i32, m->i32, m->i32, m->i32 };
    return LLVMStructTypeInContext(m->context, fields, 6, false);
}

static LLVMValueRef kernels(const struct maker *m, const struct sdfg_rt_image *image, LLVMValueRef *rows)
{
    for (uint32_t i = 0; i < image->num_kernels; i++) {
        const struct sdfg_rt_kernel *k = &image->kernels[i];
        LLVMValueRef fields[] = { text(m, k->name), text(m, k->path),  i32(m, (uint32_t)k->line),
                                  i32(m, k->flags), i32(m, k->shared), i32(m, k->params) };
        rows[i] = LLVMConstStructInContext(m->context, fields, 6, false);
    }
    return constant(m, LLVMConstArray2(kernel_type(m), rows, image->num_kernels), "device.kernels");
}

/* As check_describe has laid them out: numbers, and three texts. */
static LLVMValueRef access_of(const struct maker *m, const struct sdfg_rt_access *a)
{
    size_t length = 0;
    for (int i = 0; i < 3; i++)
        length += strlen(a->text + length) + 1;
    LLVMValueRef fields[] = { i64(m, (uint64_t)a->kind), i64(m, (uint64_t)a->rank), i64(m, (uint64_t)a->flat),
                              LLVMConstStringInContext2(m->context, a->text, length, true) };
    return constant(m, LLVMConstStructInContext(m->context, fields, 4, false), "device.access");
}

static LLVMValueRef accesses(const struct maker *m, const struct sdfg_rt_image *image, LLVMValueRef *rows)
{
    for (uint32_t i = 0; i < image->num_accesses; i++)
        rows[i] = access_of(m, image->accesses[i]);
    return constant(m, LLVMConstArray2(m->pointer, rows, image->num_accesses), "device.accesses");
}

void llvm_image(LLVMModuleRef module, const struct sdfg_rt_image *image, struct arena *a, bool hidden)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    struct maker m = { module, c, LLVMPointerTypeInContext(c, 0), LLVMInt32TypeInContext(c),
                       LLVMInt64TypeInContext(c) };
    LLVMValueRef rows = kernels(&m, image, NEW_ARRAY(a, LLVMValueRef, image->num_kernels + 1));
    LLVMValueRef list = accesses(&m, image, NEW_ARRAY(a, LLVMValueRef, image->num_accesses + 1));
    LLVMValueRef halves[] = { i64(&m, image->hash[0]), i64(&m, image->hash[1]) };
    LLVMValueRef fields[] = { i32(&m, image->abi),
                              i32(&m, image->arch),
                              i32(&m, image->kind),
                              i32(&m, image->num_kernels),
                              i32(&m, image->num_accesses),
                              LLVMConstArray2(m.i64, halves, 2),
                              i64(&m, image->size),
                              bytes(&m, image->bytes, image->size),
                              rows,
                              list };
    LLVMValueRef value = LLVMConstStructInContext(c, fields, sizeof fields / sizeof *fields, false);
    /* Functions of the same module may have named it already. */
    LLVMValueRef used = LLVMGetNamedGlobal(module, LLVM_DEVICE_IMAGE);
    LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(value), used ? "device.image" : LLVM_DEVICE_IMAGE);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    if (used) {
        LLVMReplaceAllUsesWith(used, global);
        LLVMDeleteGlobal(used);
        LLVMSetValueName2(global, LLVM_DEVICE_IMAGE, strlen(LLVM_DEVICE_IMAGE));
    }
    if (hidden)
        LLVMSetLinkage(global, LLVMInternalLinkage);
}
