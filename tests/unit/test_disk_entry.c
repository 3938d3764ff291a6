/* Kernels as bytes: what is refused, and what was made for other machines. */
#include "base/machine.h"
#include "cache/objects.h"
#include "engine/kernels/disk_entry.h"

#include "tests/unit/check.h"

#include <string.h>

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

/* A list, with what follows it in an entry, and each of its beginnings. */
TEST(objects_have_types_and_names)
{
    const struct code_object written[] = { { CODE_MACHINE, "axpy", "code", 4 },
                                           { CODE_DEVICE, "device", "\0image", 6 },
                                           { CODE_GIVEN, "acme", "", 0 } };
    struct arena *a = arena_new();
    struct code_object *read;
    uint32_t count;
    struct text t = text_new(a);
    objects_put(&t, written, 3);
    size_t size = t.length;
    text_add(&t, "rest");
    const unsigned char *at = (const unsigned char *)text_get(&t);
    size_t left = t.length;
    CHECK(objects_take(&at, &left, a, &read, &count));
    CHECK_INT(count, 3);
    CHECK_INT(left, 4);
    CHECK(!memcmp(at, "rest", 4));
    for (int i = 0; i < 3; i++) {
        CHECK_INT(read[i].type, written[i].type);
        CHECK_STR(read[i].name, written[i].name);
        CHECK(read[i].size == written[i].size && !memcmp(read[i].bytes, written[i].bytes, written[i].size));
    }
    CHECK_STR(objects_type_name(CODE_DEVICE), "device image");
    for (size_t cut = 0; cut < size; cut++) {
        at = (const unsigned char *)text_get(&t);
        left = cut;
        CHECK(!objects_take(&at, &left, a, &read, &count));
    }
    arena_free(a);
}

/* Bytes behind the magic: the number, then type, length of the name and size of the first. */
TEST(damaged_lists_are_refused)
{
    static const struct {
        size_t at;
        unsigned char byte;
    } wrong[] = { { 0, 'X' }, { 10, 1 }, { 12, NUM_CODE_TYPES }, { 16, 0 }, { 16, 4 }, { 16, 6 }, { 27, 1 } };
    const struct code_object one = { CODE_MACHINE, "axpy", "code", 4 };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct arena *a = arena_new();
        struct code_object *read;
        uint32_t count;
        struct text t = text_new(a);
        objects_put(&t, &one, 1);
        unsigned char *bytes = arena_copy(a, text_get(&t), t.length);
        const unsigned char *at = bytes;
        size_t left = t.length;
        bytes[wrong[i].at] = wrong[i].byte;
        CHECK(!objects_take(&at, &left, a, &read, &count));
        arena_free(a);
    }
}

CHECK_MAIN
