#include "jit/place.h"

#include "jit/jit.h"
#include "tests/unit/check.h"

#include <elf.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Objects made by LLVM in the test, placed without it. */

static struct arena *arena;

static int64_t twice(int64_t x) { return 2 * x; }
static int64_t shared_number = 40;
static void *far_twice;

static void *symbols(const char *name)
{
    if (!strcmp(name, "rt_twice"))
        return (void *)(uintptr_t)twice;
    if (!strcmp(name, "rt_far"))
        return far_twice;
    return !strcmp(name, "rt_number") ? &shared_number : NULL;
}

/* The object of some IR; `triple` NULL: of this machine. */
static struct code_object object_of(const char *ir, const char *triple)
{
    struct diags *diags = diags_new(arena);
    struct jit_options o = { .opt_level = 1, .triple = triple };
    struct jit *j = jit_new(arena, diags, &o);
    struct code_object object = { 0 };
    CHECK(j);
    LLVMModuleRef module = jit_module(j, CODE_MACHINE, "unit"), parsed;
    char *message = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "unit");
    bool failed = LLVMParseIRInContext(LLVMGetModuleContext(module), buffer, &parsed, &message);
    if (failed)
        printf("%s\n", message);
    CHECK(!failed && !LLVMLinkModules2(module, parsed));
    const char *bytes;
    CHECK(jit_text(j, JIT_TEXT_OBJECT, &bytes, &object.size));
    object.bytes = bytes;
    jit_free(j);
    return object;
}

static struct placed *place(const struct code_object *objects, uint32_t count, const char **why)
{
    struct place_options o = { .symbol = symbols };
    *why = NULL;
    return place_new(objects, count, &o, arena, why);
}

static const char everything[] =
    "@rt_number = external global i64\n"
    "@table = internal constant [4 x i64] [i64 1, i64 10, i64 100, i64 1000]\n"
    "@counter = global i64 5\n"
    "@zeros = global [100 x i64] zeroinitializer\n"
    "@jumps = internal constant [2 x ptr] [ptr @first, ptr @second]\n"
    "declare i64 @rt_twice(i64)\n"
    "declare double @cos(double)\n"
    "define i64 @first() noinline {\n  ret i64 11\n}\n"
    "define internal i64 @second() noinline {\n  ret i64 22\n}\n"
    "define i64 @calls(i64 %x) {\n  %y = call i64 @rt_twice(i64 %x)\n  %z = add i64 %y, 1\n  ret i64 %z\n}\n"
    "define double @cosine(double %x) {\n  %y = call double @cos(double %x)\n  %z = fadd double %y, 0.125\n  ret "
    "double %z\n}\n"
    "define i64 @reads(i64 %i) {\n  %p = getelementptr i64, ptr @table, i64 %i\n  %v = load i64, ptr %p\n"
    "  %n = load i64, ptr @rt_number\n  %r = add i64 %v, %n\n  ret i64 %r\n}\n"
    "define i64 @counts() {\n  %v = load i64, ptr @counter\n  %w = add i64 %v, 1\n  store i64 %w, ptr @counter\n  ret "
    "i64 %w\n}\n"
    "define i64 @zero(i64 %i) {\n  %p = getelementptr i64, ptr @zeros, i64 %i\n  %v = load i64, ptr %p\n  ret i64 "
    "%v\n}\n"
    "define i64 @jumps_to(i64 %i) {\n  %p = getelementptr ptr, ptr @jumps, i64 %i\n  %f = load ptr, ptr %p\n"
    "  %v = call i64 %f()\n  ret i64 %v\n}\n";

TEST(code_data_and_calls)
{
    arena = arena_new();
    struct code_object object = object_of(everything, NULL);
    const char *why;
    struct placed *p = place(&object, 1, &why);
    CHECK_STR(why ? why : "", "");
    int64_t (*calls)(int64_t) = place_address(p, "calls"), (*reads)(int64_t) = place_address(p, "reads");
    int64_t (*zero)(int64_t) = place_address(p, "zero"), (*jumps_to)(int64_t) = place_address(p, "jumps_to");
    int64_t (*counts)(void) = place_address(p, "counts");
    double (*cosine)(double) = place_address(p, "cosine");
    CHECK_INT(calls(20), 41);
    CHECK_INT(reads(2), 140);
    CHECK_INT(counts(), 6);
    CHECK_INT(counts(), 7);
    CHECK_INT(zero(99), 0);
    CHECK_INT(jumps_to(0), 11);
    CHECK_INT(jumps_to(1), 22);
    CHECK(cosine(1) == cos(1) + 0.125);
    CHECK(!place_address(p, "absent") && !place_address(p, "second"));
    CHECK(!place_address(p, "counter")); /* data is nobody's entry */
    CHECK(place_bytes(p) > 800);
    place_free(p);
    arena_free(arena);
}

TEST(objects_refer_to_each_other)
{
    arena = arena_new();
    struct code_object objects[] = {
        object_of(
            "declare i64 @other(i64)\n@shared = external global i64\n"
            "define i64 @main(i64 %x) {\n  store i64 3, ptr @shared\n  %y = call i64 @other(i64 %x)\n  ret i64 %y\n}\n",
            NULL),
        object_of("@shared = global i64 1\ndefine i64 @other(i64 %x) {\n  %s = load i64, ptr @shared\n"
                  "  %y = mul i64 %x, %s\n  ret i64 %y\n}\n",
                  NULL),
    };
    const char *why;
    struct placed *p = place(objects, 2, &why);
    CHECK_STR(why ? why : "", "");
    int64_t (*main_of)(int64_t) = place_address(p, "main");
    CHECK_INT(main_of(7), 21);
    place_free(p);
    CHECK(!place(objects, 1, &why));
    CHECK(strstr(why, "nobody has"));
    struct code_object same[] = { objects[1], objects[1] };
    CHECK(!place(same, 2, &why));
    CHECK_STR(why, "'other' is defined twice");
    CHECK(!place(objects, 0, &why));
    arena_free(arena);
}

#if defined(__x86_64__)
/* A function at an address no call instruction reaches from the image. */
TEST(far_functions_are_reached_by_veneers)
{
    arena = arena_new();
    static const unsigned char code[] = { 0x48, 0x8d, 0x04, 0x3f, 0xc3 }; /* lea rax, [rdi + rdi]; ret */
    void *wanted = (void *)(uintptr_t)0x200000000000;
    far_twice = mmap(wanted, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(far_twice != MAP_FAILED);
    memcpy(far_twice, code, sizeof code);
    CHECK(!mprotect(far_twice, 4096, PROT_READ | PROT_EXEC));
    struct code_object object =
        object_of("declare i64 @rt_far(i64)\ndefine i64 @calls(i64 %x) {\n  %y = call i64 @rt_far(i64 %x)\n"
                  "  %z = call i64 @rt_far(i64 %y)\n  ret i64 %z\n}\n",
                  NULL);
    const char *why;
    struct placed *p = place(&object, 1, &why);
    CHECK_STR(why ? why : "", "");
    int64_t (*calls)(int64_t) = place_address(p, "calls");
    CHECK(llabs((long long)((uintptr_t)calls - (uintptr_t)far_twice)) > (1ll << 32));
    CHECK_INT(calls(5), 20);
    place_free(p);
    munmap(far_twice, 4096);
    arena_free(arena);
}
#endif

/* ---- AArch64: instructions are decoded, not run ---- */

static uint32_t word(const unsigned char *at)
{
    uint32_t w;
    memcpy(&w, at, sizeof w);
    return w;
}

static int64_t sign_extend(uint64_t value, unsigned bits) { return (int64_t)(value << (64 - bits)) >> (64 - bits); }

/* Follows `adrp xN, page` and the next `add ..., xN, low` or `ldr x., [xN, low]`: the address they form. */
static const unsigned char *adrp_target(const unsigned char *at)
{
    uint32_t adrp = word(at), low;
    int64_t pages = sign_extend((adrp >> 29 & 3) | (uint64_t)(adrp >> 5 & 0x7ffff) << 2, 21);
    const unsigned char *next = at;
    do
        low = word(next += 4);
    while (((low & 0xff800000) != 0x91000000 && (low & 0xffc00000) != 0xf9400000) || (low >> 5 & 31) != (adrp & 31));
    unsigned scale = (low & 0xffc00000) == 0xf9400000 ? 3 : 0; /* a load is scaled by its size */
    return (const unsigned char *)(((uintptr_t)at & ~(uintptr_t)0xfff) + (uintptr_t)(pages * 4096) +
                                   ((uintptr_t)(low >> 10 & 0xfff) << scale));
}

static const unsigned char *find_word(const unsigned char *at, uint32_t mask, uint32_t value)
{
    for (int i = 0; i < 40; i++, at += 4)
        if ((word(at) & mask) == value)
            return at;
    return NULL;
}

TEST(aarch64_instructions_point_where_they_should)
{
    arena = arena_new();
    struct code_object object = object_of(everything, "aarch64-unknown-linux-gnu");
    struct place_options o = { .symbol = symbols, .machine = EM_AARCH64 };
    const char *why = "";
    struct placed *p = place_new(&object, 1, &o, arena, &why);
    CHECK_STR(why, "");

    const unsigned char *calls = place_address(p, "calls"), *bl = find_word(calls, 0xfc000000, 0x94000000);
    const unsigned char *callee = bl + 4 * sign_extend(word(bl) & 0x3ffffff, 26);
    if (callee != (const unsigned char *)(uintptr_t)twice) { /* by a veneer: ldr x16, 8; br x16; address */
        CHECK(word(callee) == 0x58000050 && word(callee + 4) == 0xd61f0200);
        CHECK(!memcmp(callee + 8, &(void *){ (void *)(uintptr_t)twice }, 8));
    }
    enum { ADRP = 0x90000000, ADRP_MASK = 0x9f000000 };
    const unsigned char *counts = find_word(place_address(p, "counts"), (uint32_t)ADRP_MASK, (uint32_t)ADRP);
    int64_t value;
    memcpy(&value, adrp_target(counts), sizeof value);
    CHECK(value == 5 || value == (int64_t)(uintptr_t)adrp_target(counts) || value > 4096); /* directly, or by the GOT */
    const unsigned char *reads = place_address(p, "reads");
    bool table = false, number = false;
    for (const unsigned char *at = reads; (at = find_word(at, (uint32_t)ADRP_MASK, (uint32_t)ADRP)) && at < reads + 40;
         at += 4) {
        memcpy(&value, adrp_target(at), sizeof value);
        table |= value == 1;
        number |= value == (int64_t)(uintptr_t)&shared_number;
    }
    CHECK(table && number);
    place_free(p);
    arena_free(arena);
}

/* ---- what is refused ---- */

static void check_refused(const char *ir, const char *part)
{
    struct code_object object = object_of(ir, NULL);
    const char *why;
    struct placed *p = place(&object, 1, &why);
    CHECK(!p && why && strstr(why, part));
    if (!why || !strstr(why, part))
        printf("expected '%s', got '%s'\n", part, why ? why : "success");
    place_free(p);
}

TEST(what_is_not_ours_is_refused)
{
    arena = arena_new();
    check_refused("@x = thread_local global i64 3\ndefine i64 @f() {\n  %v = load i64, ptr @x\n  ret i64 %v\n}\n",
                  "thread-local");
    check_refused("@x = common global i64 0\ndefine i64 @f() {\n  %v = load i64, ptr @x\n  ret i64 %v\n}\n", "common");
    check_refused("@f = ifunc i64 (), ptr @g\ndefine ptr @g() {\n  ret ptr null\n}\n", "indirect");
    check_refused("@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } "
                  "{ i32 1, ptr @f, ptr null }]\n@x = global i32 0\n"
                  "define void @f() {\n  store volatile i32 1, ptr @x\n  ret void\n}\n",
                  "constructors");
    check_refused(
        "declare void @nowhere_to_be_found()\ndefine void @f() {\n  call void @nowhere_to_be_found()\n  ret void\n}\n",
        "nobody has 'nowhere_to_be_found'");
    struct code_object object = object_of("define i64 @f() {\n  ret i64 1\n}\n", "aarch64-unknown-linux-gnu");
    struct place_options o = { .machine = EM_X86_64 };
    const char *why = "";
    CHECK(!place_new(&object, 1, &o, arena, &why));
    CHECK(strstr(why, "machine"));
    arena_free(arena);
}

/* Cut off at every length and with every field of its tables damaged: an error or success, never a crash. Buffers of
 * the exact size let sanitizers see every byte beyond. */
static uint32_t place_bytes_of(const unsigned char *bytes, size_t size)
{
    unsigned char *exact = malloc(size ? size : 1);
    struct code_object object = { .bytes = memcpy(exact, bytes, size), .size = size };
    struct arena *outer = arena;
    const char *why = NULL;
    arena = arena_new();
    struct placed *p = place(&object, 1, &why);
    CHECK(p || (why && *why));
    place_free(p);
    arena_free(arena);
    arena = outer;
    free(exact);
    return p != NULL;
}

TEST(damaged_objects_never_crash)
{
    arena = arena_new();
    struct code_object object = object_of(everything, NULL);
    for (size_t n = 0; n < object.size; n++)
        CHECK(!place_bytes_of(object.bytes, n));
    static const unsigned char patterns[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
    unsigned char *copy = arena_copy(arena, object.bytes, object.size);
    uint32_t placed = 0;
    for (size_t at = 0; at < object.size; at++)
        for (size_t k = 0; k < sizeof patterns; k++) {
            unsigned char old = copy[at];
            copy[at] = patterns[k];
            placed += place_bytes_of(copy, object.size);
            copy[at] = old;
        }
    CHECK(placed > 0 && placed < 5 * object.size);
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        unsigned char *bytes = memcpy(copy, object.bytes, object.size);
        for (int k = 0; k < 4; k++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            bytes[state % object.size] = (unsigned char)(state >> 32);
        }
        place_bytes_of(bytes, object.size);
    }
    arena_free(arena);
}

/* ---- gdb and perf ---- */

TEST(profilers_see_placed_code)
{
    arena = arena_new();
    struct code_object object = object_of(everything, NULL);
    struct place_options o = { .symbol = symbols, .listeners = true };
    const char *why = "";
    struct placed *first = place_new(&object, 1, &o, arena, &why), *second = place_new(&object, 1, &o, arena, &why);
    CHECK(first && second);
    char path[64], line[256], wanted[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    snprintf(wanted, sizeof wanted, "%llx ", (unsigned long long)(uintptr_t)place_address(second, "calls"));
    FILE *f = fopen(path, "r");
    bool found = false;
    while (f && fgets(line, sizeof line, f))
        found |= !strncmp(line, wanted, strlen(wanted)) && strstr(line, " calls\n");
    CHECK(found);
    if (f)
        fclose(f);
    unlink(path);
    place_free(first);
    place_free(second);
    arena_free(arena);
}

CHECK_MAIN
