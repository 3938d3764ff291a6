/* A target that makes an LLVM module by LLVM's interface in C, with an LLVM of its own, for the node of
 * examples/clip.sdfg. */
#include "engine/include/sdfg_plugin.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>

/* i64 clip(i64 x, i64 dx, i64 y, i64 dy, i64 n): y[i] = min(max(x[i], -1), 1) */
static void build_clip(LLVMContextRef c, LLVMModuleRef m)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c), f64 = LLVMDoubleTypeInContext(c);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(c, 0), params[] = { i64, i64, i64, i64, i64 };
    LLVMValueRef f = LLVMAddFunction(m, "clip", LLVMFunctionType(i64, params, 5, false));
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(c, f, "entry");
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(c, f, "head");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(c, f, "body");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(c, f, "done");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef i = LLVMBuildPhi(b, i64, "i");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, i, LLVMGetParam(f, 4), ""), body, done);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef ends[2];
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef offset = LLVMBuildMul(b, i, LLVMGetParam(f, 2 * k + 1), "");
        ends[k] = LLVMBuildIntToPtr(b, LLVMBuildAdd(b, LLVMGetParam(f, 2 * k), offset, ""), pointer, "");
    }
    LLVMValueRef v = LLVMBuildLoad2(b, f64, ends[0], "v");
    for (int sign = -1; sign <= 1; sign += 2) {
        LLVMValueRef bound = LLVMConstReal(f64, sign);
        v = LLVMBuildSelect(b, LLVMBuildFCmp(b, sign < 0 ? LLVMRealOLT : LLVMRealOGT, v, bound, ""), bound, v, "");
    }
    LLVMBuildStore(b, v, ends[1]);
    LLVMValueRef next = LLVMBuildAdd(b, i, LLVMConstInt(i64, 1, false), "");
    LLVMBuildBr(b, head);
    LLVMAddIncoming(i, (LLVMValueRef[]){ LLVMConstInt(i64, 0, false), next }, (LLVMBasicBlockRef[]){ entry, body }, 2);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMBuildRet(b, LLVMConstInt(i64, 0, false));
    LLVMDisposeBuilder(b);
}

static bool compile(void *user, const sdfg_target_source *source, sdfg_give *give, void *to)
{
    LLVMContextRef c = LLVMContextCreate();
    LLVMModuleRef m = LLVMModuleCreateWithNameInContext("clip", c);
    (void)user, (void)source;
    build_clip(c, m);
    LLVMMemoryBufferRef bits = LLVMWriteBitcodeToMemoryBuffer(m);
    give(to, LLVMGetBufferStart(bits), LLVMGetBufferSize(bits));
    LLVMDisposeMemoryBuffer(bits);
    LLVMDisposeModule(m);
    LLVMContextDispose(c);
    return true;
}

static enum sdfg_answer node(void *user, sdfg_code *code, const sdfg_claimed_node *n)
{
    const sdfg_area *x = code->operand(code, n->inputs[0], false), *y = code->operand(code, n->outputs[0], true);
    (void)user;
    if (!x || !y)
        return SDFG_FAILED;
    sdfg_value *arguments[] = { x->region.address, x->region.strides[0], y->region.address, y->region.strides[0],
                                y->extents[0] };
    code->source(code, "clip");
    code->invoke(code, "clip", arguments, sizeof arguments / sizeof *arguments);
    return SDFG_DONE;
}

SDFG_PLUGIN("llvm", "1", "example.nodes.Clip by LLVM's interface in C");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const char *const names[] = { "LibraryNode", NULL };
    static const sdfg_claim claims[] = { { .kind = SDFG_CLAIM_NODE, .names = names } };
    const sdfg_target target = { .struct_size = sizeof target,
                                 .name = "llvm",
                                 .text = "modules of LLVM",
                                 .claims = claims,
                                 .num_claims = 1,
                                 .node = node,
                                 .compile = compile };
    return api->target(api->plugin, &target);
}
