/* Kernels as bytes: what is refused, and what was made for other machines. */
#include "base/machine.h"
#include "engine/kernels/disk_entry.h"

#include "tests/unit/check.h"

static bool read_back(const struct codegen_result *code, size_t less, const char **why)
{
    struct arena *a = arena_new();
    struct text t = text_new(a);
    struct sdfg_kernel k = { .arena = a };
    kernel_write(code, &t);
    bool ok = kernel_read(text_get(&t), t.length - less, false, &k, a, why);
    arena_free(a);
    return ok;
}

TEST(entries_for_other_caches_are_sound_but_not_taken)
{
    const char *why = "";
    int64_t cache = machine_cache_bytes();
    struct codegen_result code = { .cache_least = cache + 1, .cache_most = INT64_MAX };
    CHECK(!read_back(&code, 0, &why) && !why);
    code = (struct codegen_result){ .cache_least = 0, .cache_most = cache - 1 };
    if (cache > 0)
        CHECK(!read_back(&code, 0, &why) && !why);
    code = (struct codegen_result){ .cache_least = cache, .cache_most = cache };
    CHECK(!read_back(&code, 0, &why) && why); /* taken, and then it has no entry point */
}

TEST(cut_entries_are_damaged)
{
    const char *why = NULL;
    struct codegen_result code = { .cache_least = 1 << 30, .cache_most = INT64_MAX };
    CHECK(!read_back(&code, 1, &why) && why);
}

CHECK_MAIN
