#include "jit/shim.h"

#include <cstring>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/Local.h>
#include <memory>
#include <new>

using namespace llvm;

/* ---- failures ---- */

static void (*on_no_memory)();
static void (*on_giving_up)(const char *reason);
static std::new_handler handler_before;

/* For `new`, which calls it until there is memory. It may be the handler of the whole process. */
static void no_memory_for_new()
{
    on_no_memory();
    if (!handler_before)
        throw std::bad_alloc();
    handler_before();
}

static void no_memory(void *, const char *, bool) { on_no_memory(); }

static void gave_up(void *, const char *reason, bool) { on_giving_up(reason); }

void shim_on_failure(void (*no_memory_function)(void), void (*gave_up_function)(const char *reason))
{
    on_no_memory = no_memory_function;
    on_giving_up = gave_up_function;
    handler_before = std::set_new_handler(no_memory_for_new);
    install_bad_alloc_error_handler(no_memory);
    install_fatal_error_handler(gave_up);
}

/* ---- names ---- */

static std::unique_ptr<MCSubtargetInfo> subtarget(const char *text)
{
    std::string error;
#if LLVM_VERSION_MAJOR >= 22
    const Triple triple(text);
#else
    const char *triple = text;
#endif
    const Target *target = TargetRegistry::lookupTarget(triple, error);
    return std::unique_ptr<MCSubtargetInfo>(target ? target->createMCSubtargetInfo(triple, "", "") : nullptr);
}

bool shim_processors(const char *triple, void (*name)(void *user, const char *text, size_t length), void *user)
{
    std::unique_ptr<MCSubtargetInfo> info = subtarget(triple);
    if (!info)
        return false;
    for (const auto &processor : info->getAllProcessorDescriptions()) {
        StringRef text = processor.Key;
        name(user, text.data(), text.size());
    }
    return true;
}

bool shim_features(const char *triple, void (*name)(void *user, const char *text, size_t length), void *user)
{
    std::unique_ptr<MCSubtargetInfo> info = subtarget(triple);
    if (!info)
        return false;
    for (const auto &feature : info->getAllProcessorFeatures()) {
        StringRef text = feature.Key;
        name(user, text.data(), text.size());
    }
    return true;
}

/* ---- passes ---- */

namespace {

struct KnownConditions : PassInfoMixin<KnownConditions> {
    PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses)
    {
        DominatorTree &tree = analyses.getResult<DominatorTreeAnalysis>(function);
        bool changed = false;
        for (BasicBlock &block : function) {
            auto *branch = dyn_cast<BranchInst>(block.getTerminator());
            if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
                continue;
            Value *condition = branch->getCondition();
            if (isa<Constant>(condition) || condition->hasOneUse())
                continue;
            for (unsigned i = 0; i < 2; i++) {
                const BasicBlockEdge edge(&block, branch->getSuccessor(i));
                Value *known = ConstantInt::getBool(function.getContext(), i == 0);
                changed |= replaceDominatedUsesWith(condition, known, tree, edge) > 0;
            }
        }
        if (!changed)
            return PreservedAnalyses::all();
        PreservedAnalyses kept;
        kept.preserveSet<CFGAnalyses>();
        return kept;
    }
};

} // namespace

static char *said(Error error) { return strdup(toString(std::move(error)).c_str()); }

char *shim_run_passes(LLVMModuleRef module, const char *passes, LLVMTargetMachineRef machine)
{
    PassBuilder builder(reinterpret_cast<TargetMachine *>(machine));
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager components;
    ModuleAnalysisManager modules;
    builder.registerPipelineParsingCallback(
        [](StringRef name, FunctionPassManager &manager, ArrayRef<PassBuilder::PipelineElement>) {
            const bool ours = name == "known-conditions";
            if (ours)
                manager.addPass(KnownConditions());
            return ours;
        });
    builder.registerVectorizerStartEPCallback(
        [](FunctionPassManager &manager, OptimizationLevel) { manager.addPass(KnownConditions()); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    ModulePassManager manager;
    if (Error error = builder.parsePassPipeline(manager, passes))
        return said(std::move(error));
    manager.run(*unwrap(module), modules);
    return nullptr;
}

void shim_align_loops(LLVMTargetMachineRef machine, unsigned bytes)
{
    reinterpret_cast<TargetMachine *>(machine)->Options.LoopAlignment = bytes;
}

/* ---- lines ---- */

/* One function; an error of LLVM if its symbol is damaged. */
static Error lines_of(DIContext &lines, const object::ELFSymbolRef &symbol, shim_range *range, void *user)
{
    Expected<StringRef> name = symbol.getName();
    Expected<uint64_t> address = symbol.getAddress();
    Expected<object::section_iterator> section = symbol.getSection();
    if (!name || !address || !section)
        return joinErrors(joinErrors(name.takeError(), address.takeError()), section.takeError());
    const uint64_t size = symbol.getSize();
    const DILineInfoTable table =
        lines.getLineInfoForAddressRange({ *address, (*section)->getIndex() }, size, DILineInfoSpecifier());
    uint64_t begin = 0;
    uint32_t line = 0;
    for (const auto &[at, info] : table) {
        if (at - *address > begin)
            range(user, name->data(), name->size(), begin, at - *address, line);
        begin = at - *address;
        line = info.Line;
    }
    if (size > begin)
        range(user, name->data(), name->size(), begin, size, line);
    return Error::success();
}

char *shim_lines(const char *object, size_t size, shim_range *range, void *user)
{
    auto file = object::ObjectFile::createELFObjectFile(MemoryBufferRef(StringRef(object, size), "object"));
    if (!file)
        return said(file.takeError());
    std::unique_ptr<DWARFContext> lines = DWARFContext::create(**file);
    for (const object::ELFSymbolRef symbol : cast<object::ELFObjectFileBase>(**file).symbols())
        if (symbol.getELFType() == ELF::STT_FUNC && symbol.getSize())
            if (Error error = lines_of(*lines, symbol, range, user))
                return said(std::move(error));
    return nullptr;
}
