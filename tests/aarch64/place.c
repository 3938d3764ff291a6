/* Places objects of the current folder (made of relocations.S and refused.S) with jit/place*.c and executes what was
 * placed, on AArch64. Linked with --wrap=__clear_cache, so that it is seen what was made visible to the instruction
 * cache, and when: an emulator would run stale code right. */
#include "jit/place.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, FLUSHES = 64 };

static struct arena *arena;
static unsigned char *far_page;
static int64_t *far_number; /* three, of which the last is 42 */
static void *near_function;
static void *const small_address = (void *)(uintptr_t)0xfedcba98u;

/* ---- the instruction cache ---- */

static struct flush {
    unsigned char *begin;
    size_t size;
    uint64_t sum;
} flushes[FLUSHES];
static int num_flushes;

static uint64_t sum_of(const unsigned char *at, size_t size)
{
    uint64_t sum = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * 1099511628211u;
    return sum;
}

void __real___clear_cache(void *begin, void *end);
void __wrap___clear_cache(void *begin, void *end);
void __wrap___clear_cache(void *begin, void *end)
{
    struct flush *f = &flushes[num_flushes < FLUSHES ? num_flushes++ : FLUSHES - 1];
    f->begin = begin;
    f->size = (size_t)((unsigned char *)end - f->begin);
    f->sum = sum_of(f->begin, f->size);
    __real___clear_cache(begin, end);
}

/* The code at this address was flushed last, and has not changed since. */
static bool is_flushed(const void *function)
{
    const struct flush *f = num_flushes ? &flushes[num_flushes - 1] : NULL;
    return f && (const unsigned char *)function - f->begin < (ptrdiff_t)f->size &&
           (const unsigned char *)function >= f->begin && sum_of(f->begin, f->size) == f->sum;
}

/* ---- objects ---- */

static struct code_object read_object(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s.o", name);
    FILE *file = fopen(path, "rb");
    CHECK(file);
    unsigned char *bytes = arena_alloc(arena, 1 << 20);
    struct code_object object = { .bytes = bytes, .size = file ? fread(bytes, 1, 1 << 20, file) : 0 };
    CHECK(object.size > 0 && object.size < 1 << 20);
    if (file)
        fclose(file);
    return object;
}

static void *symbols(const char *name)
{
    if (!strcmp(name, "far"))
        return far_page;
    if (!strcmp(name, "near"))
        return near_function;
    if (!strcmp(name, "number"))
        return far_number;
    return !strcmp(name, "small") ? small_address : NULL;
}

static struct placed *place(const char *name, const char **why)
{
    struct code_object object = read_object(name);
    struct place_options o = { .symbol = symbols };
    *why = "";
    return place_new(&object, 1, &o, arena, why);
}

/* A function at an address that no branch reaches: `add x0, x0, x0; ret`. */
static void begin(void)
{
    static const uint32_t code[] = { 0x8b000000, 0xd65f03c0 };
    arena = arena_new();
    far_page = mmap((void *)(uintptr_t)0x2000000000, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(far_page != MAP_FAILED);
    memcpy(far_page, code, sizeof code);
    __builtin___clear_cache((char *)far_page, (char *)far_page + sizeof code);
    CHECK(!mprotect(far_page, PAGE, PROT_READ | PROT_EXEC));
    far_number =
        mmap((void *)(uintptr_t)0x3000000000, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(far_number != MAP_FAILED);
    far_number[0] = 40;
    far_number[2] = 42;
    near_function = far_page;
}

static void end(void)
{
    munmap(far_page, PAGE);
    munmap(far_number, PAGE);
    arena_free(arena);
}

typedef int64_t function(int64_t);

static int64_t run(const struct placed *p, const char *name, int64_t x)
{
    function *f = (function *)place_address(p, name);
    CHECK(f && is_flushed((void *)f));
    if (!f) {
        printf("no '%s'\n", name);
        return -1;
    }
    return f(x);
}

/* ---- tests ---- */

TEST(branches)
{
    begin();
    const char *why;
    struct placed *p = place("relocations", &why);
    CHECK_STR(why, "");
    CHECK(llabs((long long)((uintptr_t)place_address(p, "call_far") - (uintptr_t)far_page)) > 1ll << 28);
    CHECK_INT(run(p, "call_far", 5), 22);
    CHECK_INT(run(p, "jump_far", 5), 10);
    CHECK_INT(run(p, "far_by_got", 6), 12);
    CHECK_INT(run(p, "call_inside", 5), 12);
    CHECK_INT(run(p, "branches", 0), 10);
    CHECK_INT(run(p, "branches", 7), 1);
    CHECK_INT(run(p, "branches", 8), 2);
    CHECK_INT(run(p, "branches", 101), 30);
    place_free(p);
    end();
}

/* Calls of what is near need no veneer. */
TEST(near_functions_are_called_directly)
{
    begin();
    const char *why;
    struct placed *first = place("relocations", &why);
    near_function = place_address(first, "in_another_section");
    struct placed *second = place("relocations", &why);
    CHECK_STR(why, "");
    const unsigned char *call = (const unsigned char *)place_address(second, "call_near") + 4;
    uint32_t word;
    memcpy(&word, call, sizeof word);
    int64_t distance = (int64_t)((uint64_t)word << 38) >> 36; /* 26 bits, in words */
    CHECK(llabs((long long)(call - (const unsigned char *)near_function)) < 1 << 27);
    CHECK(call + distance == near_function);
    CHECK_INT(run(second, "call_near", 5), 12);
    place_free(second);
    place_free(first);
    end();
}

TEST(addresses)
{
    begin();
    const char *why;
    struct placed *p = place("relocations", &why);
    CHECK_STR(why, "");
    CHECK_INT(run(p, "near_address", 0), 10);
    CHECK_INT(run(p, "literal", 0), 100);
    for (int64_t i = 0, power = 1; i < 4; i++, power *= 10)
        CHECK_INT(run(p, "page_address", i), power);
    CHECK_INT(run(p, "loads", 0), 54321);
    CHECK_INT(run(p, "stores", 6), 5);
    CHECK_INT(run(p, "stores", 7), 6);
    CHECK_INT(run(p, "number_by_got", 0), 40);
    CHECK_INT(run(p, "number_by_pointer", 0), 42);
    CHECK_INT(run(p, "pointer_inside", 1), 8);
    CHECK_INT(run(p, "small_address", 0), 0xfedcba98);
    int64_t counter = run(p, "own_by_got", 0);
    CHECK_INT(*(int64_t *)(intptr_t)counter, 7);
    CHECK_INT(run(p, "distances", 0), counter);
    place_free(p);
    end();
}

/* The same addresses hold other code, time and again. */
TEST(code_is_flushed_before_it_runs)
{
    begin();
    for (int i = 0; i < 20; i++) {
        const char *why;
        int before = num_flushes;
        struct placed *p = place("relocations", &why);
        CHECK_INT(num_flushes, before + 1);
        CHECK_INT(run(p, "call_inside", i), i + 7);
        place_free(p);
        num_flushes = 0;
    }
    end();
}

TEST(what_does_not_fit_is_refused)
{
    static const struct {
        const char *object, *why;
    } cases[] = { { "TOO_LONG", "too far away, or not aligned" },
                  { "TOO_FAR", "'number' is too far away, or not aligned" },
                  { "NOT_ALIGNED", "too far away, or not aligned" },
                  { "TOO_WIDE", "'number' is too far away, or not aligned" },
                  { "UNKNOWN", "relocation of type 263" } };
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why;
        CHECK(!place(cases[i].object, &why));
        CHECK(strstr(why, cases[i].why));
        if (!strstr(why, cases[i].why))
            printf("%s: %s\n", cases[i].object, why);
    }
    end();
}

CHECK_MAIN
