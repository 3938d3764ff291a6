#include "jit/shim.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/TargetParser/Triple.h>
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
