#include "jit/jit.h"

#include "tests/unit/check.h"

#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static struct arena *arena;
static struct diags *diags;

static double answer(double x) { return x + 42; }

static void *runtime_symbol(const char *name) { return strcmp(name, "rt_answer") == 0 ? (void *)answer : NULL; }

static struct jit *begin(struct jit_options options)
{
    arena = arena_new();
    diags = diags_new(arena);
    options.runtime_symbol = runtime_symbol;
    return jit_new(arena, diags, &options);
}

static void end(struct jit *j)
{
    jit_free(j);
    arena_free(arena);
}

/* A unit from text; every function gets the attributes that the emitter would give. */
static void add(struct jit *j, const char *name, const char *ir)
{
    LLVMModuleRef module = jit_module(j, CODE_MACHINE, name), parsed;
    char *message = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), name);
    if (LLVMParseIRInContext(LLVMGetModuleContext(module), buffer, &parsed, &message)) {
        printf("%s\n", message);
        CHECK(!"the test's IR parses");
        return;
    }
    CHECK(!LLVMLinkModules2(module, parsed));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            jit_function_attributes(j, f);
}

static bool contains(const char *text, const char *part) { return strstr(text, part) != NULL; }

static const char *last_message(void)
{
    return diags_count(diags) ? diags_get(diags, diags_count(diags) - 1)->message : "";
}

static const char square[] = "define i64 @square(i64 %x) {\n  %y = mul i64 %x, %x\n  ret i64 %y\n}\n";

TEST(code_runs_at_every_level)
{
    for (int level = -1; level <= 3; level++) {
        struct jit *j = begin((struct jit_options){ .opt_level = level });
        CHECK(j);
        add(j, "unit", square);
        CHECK(jit_compile(j) && jit_link(j));
        int64_t (*f)(int64_t) = jit_address(j, "square");
        CHECK(f && f(-7) == 49);
        CHECK(!jit_address(j, "cube"));
        CHECK(jit_code_bytes(j) > 0 && jit_code_bytes(j) < 4096);
        double optimize, emit, link;
        jit_times(j, &optimize, &emit, &link);
        CHECK(optimize > 0 && emit > 0 && link > 0);
        CHECK_INT(diags_count(diags), 0);
        end(j);
    }
}

TEST(calls_go_to_the_runtime_and_to_the_process)
{
    struct jit *j = begin((struct jit_options){ .opt_level = -1 });
    add(j, "unit",
        "declare double @rt_answer(double)\ndeclare double @cbrt(double)\n"
        "define double @f(double %x) {\n  %a = call double @rt_answer(double %x)\n"
        "  %b = call double @cbrt(double %a)\n  ret double %b\n}\n");
    CHECK(jit_compile(j) && jit_link(j));
    double (*f)(double) = jit_address(j, "f");
    CHECK(f && f(22) == 4);
    end(j);
}

TEST(units_call_each_other)
{
    enum { UNITS = 8 };
    struct jit *j = begin((struct jit_options){ .opt_level = -1, .num_threads = 3 });
    for (int i = 0; i < UNITS; i++) {
        char ir[300];
        if (i + 1 < UNITS)
            snprintf(ir, sizeof ir,
                     "declare i64 @f%d(i64)\ndefine i64 @f%d(i64 %%x) {\n  %%y = add i64 %%x, %d\n"
                     "  %%z = call i64 @f%d(i64 %%y)\n  ret i64 %%z\n}\n",
                     i + 1, i, i, i + 1);
        else
            snprintf(ir, sizeof ir, "define i64 @f%d(i64 %%x) {\n  ret i64 %%x\n}\n", i);
        add(j, "unit", ir);
    }
    CHECK(jit_compile(j) && jit_link(j));
    int64_t (*f)(int64_t) = jit_address(j, "f0");
    CHECK(f && f(100) == 100 + 0 + 1 + 2 + 3 + 4 + 5 + 6);
    end(j);
}

TEST(two_jits_have_names_of_their_own)
{
    struct jit *a = begin((struct jit_options){ .opt_level = -1 });
    add(a, "unit", "define i64 @value() {\n  ret i64 1\n}\n");
    CHECK(jit_compile(a) && jit_link(a));
    struct arena *arena_of_a = arena;
    struct jit *b = begin((struct jit_options){ .opt_level = -1 });
    add(b, "unit", "define i64 @value() {\n  ret i64 2\n}\n");
    CHECK(jit_compile(b) && jit_link(b));
    int64_t (*f)(void) = jit_address(a, "value"), (*g)(void) = jit_address(b, "value");
    CHECK(f && g && f() == 1 && g() == 2);
    end(b);
    CHECK(f() == 1);
    jit_free(a);
    arena_free(arena_of_a);
}

TEST(loops_become_vector_code)
{
    struct jit *j =
        begin((struct jit_options){ .opt_level = -1, .triple = "x86_64-unknown-linux-gnu", .cpu = "haswell" });
    add(j, "unit",
        "define void @scale(ptr noalias %y, ptr noalias %x, i64 %n) {\n"
        "entry:\n  %i = alloca i64\n  store i64 0, ptr %i\n  br label %head\n"
        "head:\n  %a = load i64, ptr %i\n  %more = icmp slt i64 %a, %n\n  br i1 %more, label %body, label %done\n"
        "body:\n  %p = getelementptr inbounds double, ptr %x, i64 %a\n  %v = load double, ptr %p\n"
        "  %w = fmul double %v, 3.0\n  %q = getelementptr inbounds double, ptr %y, i64 %a\n  store double %w, ptr %q\n"
        "  %b = add nsw i64 %a, 1\n  store i64 %b, ptr %i\n  br label %head\n"
        "done:\n  ret void\n}\n");
    const char *text;
    size_t size;
    CHECK(jit_text(j, JIT_TEXT_LL_OPT, &text, &size));
    CHECK(size == strlen(text) && contains(text, "fmul <4 x double>") && !contains(text, "alloca"));
    end(j);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which take more memory than this */
/* Y[i] gets three values one after the other: what makes the first two is of no use once the inner loop is unrolled.
 * Each of their steps uses the one before twice, and the vectorizer must not go through all ways down. */
TEST(values_without_use_take_no_memory)
{
    struct jit *j =
        begin((struct jit_options){ .opt_level = -1, .triple = "x86_64-unknown-linux-gnu", .cpu = "haswell" });
    enum { STEPS = 60, SIZE = 8192 };
    char ir[SIZE];
    int at = snprintf(ir, sizeof ir,
                      "define void @f(ptr noalias %%y, ptr noalias %%x, i64 %%n) {\nentry:\n  br label %%row\n"
                      "row:\n  %%i = phi i64 [ 0, %%entry ], [ %%i2, %%next ]\n"
                      "  %%p = getelementptr inbounds i64, ptr %%x, i64 %%i\n"
                      "  %%q = getelementptr inbounds i64, ptr %%y, i64 %%i\n  br label %%turn\n"
                      "turn:\n  %%t = phi i64 [ 0, %%row ], [ %%t2, %%turn ]\n"
                      "  %%w = load i64, ptr %%p\n  %%v0 = add i64 %%w, %%t\n");
    for (int i = 0; i < STEPS; i++)
        at += snprintf(ir + at, sizeof ir - (size_t)at, "  %%a%d = xor i64 %%v%d, %d\n  %%v%d = mul i64 %%a%d, %%v%d\n",
                       i, i, 3 * i + 5, i + 1, i, i);
    snprintf(ir + at, sizeof ir - (size_t)at,
             "  store i64 %%v%d, ptr %%q\n  %%t2 = add nsw i64 %%t, 1\n  %%again = icmp slt i64 %%t2, 3\n"
             "  br i1 %%again, label %%turn, label %%next\n"
             "next:\n  store i64 %%i, ptr %%q\n  %%i2 = add nsw i64 %%i, 1\n  %%more = icmp slt i64 %%i2, %%n\n"
             "  br i1 %%more, label %%row, label %%done\ndone:\n  ret void\n}\n",
             STEPS);
    add(j, "unit", ir);
    struct rlimit before, some = { (rlim_t)4 << 30, (rlim_t)4 << 30 };
    CHECK(!getrlimit(RLIMIT_AS, &before));
    some.rlim_max = before.rlim_max;
    CHECK(!setrlimit(RLIMIT_AS, &some));
    const char *text;
    size_t size;
    CHECK(jit_text(j, JIT_TEXT_LL_OPT, &text, &size));
    CHECK(contains(text, "store <4 x i64>") && !contains(text, "mul"));
    CHECK(!setrlimit(RLIMIT_AS, &before));
    end(j);
}
#endif

TEST(texts_join_the_units)
{
    static const enum jit_text kinds[] = { JIT_TEXT_LL, JIT_TEXT_LL_OPT, JIT_TEXT_ASM, JIT_TEXT_OBJECT };
    static const char *const expected[] = { "mul i64", "mul i64", "imulq", "\177ELF" };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct jit *j = begin((struct jit_options){ .opt_level = -1, .triple = "x86_64-unknown-linux-gnu" });
        add(j, "one", "define i64 @one() {\n  ret i64 1\n}\n");
        add(j, "two", square);
        const char *text;
        size_t size;
        CHECK(jit_text(j, kinds[i], &text, &size));
        CHECK(contains(text, expected[i]));
        CHECK(kinds[i] == JIT_TEXT_OBJECT || (contains(text, "one") && contains(text, "square")));
        end(j);
    }
}

TEST(code_for_another_machine)
{
    struct jit *j =
        begin((struct jit_options){ .opt_level = 2, .triple = "aarch64-unknown-linux-gnu", .cpu = "neoverse-v2" });
    CHECK(j);
    add(j, "unit", square);
    const char *text;
    size_t size;
    CHECK(jit_text(j, JIT_TEXT_ASM, &text, &size));
    CHECK(contains(text, "mul\tx0, x0, x0"));
    CHECK(!jit_link(j));
    CHECK_STR(last_message(), "code for 'aarch64-unknown-linux-gnu' cannot run on this machine");
    end(j);

    CHECK(!begin((struct jit_options){ .triple = "vax-dec-ultrix" }));
    CHECK(contains(last_message(), "no architecture 'vax' for 'vax-dec-ultrix'"));
    CHECK_INT(diags_class(diags), DIAG_CLASS_INVALID);
    arena_free(arena);
}

TEST(missing_symbols_are_named)
{
    struct jit *j = begin((struct jit_options){ .opt_level = -1 });
    add(j, "unit",
        "declare void @no_such_function()\ndefine void @f() {\n  call void @no_such_function()\n  ret void\n}\n");
    CHECK(jit_compile(j) && !jit_link(j));
    CHECK_STR(last_message(),
              "the program calls 'no_such_function', which neither the runtime nor a loaded library has");
    CHECK_INT(diags_class(diags), DIAG_CLASS_ENVIRONMENT);
    end(j);
}

TEST(broken_modules_are_bugs)
{
    struct jit *j = begin((struct jit_options){ .opt_level = -1 });
    add(j, "good", square);
    LLVMModuleRef module = jit_module(j, CODE_MACHINE, "bad");
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMFunctionType(LLVMInt64TypeInContext(c), NULL, 0, 0);
    LLVMAppendBasicBlockInContext(c, LLVMAddFunction(module, "unfinished", type), "entry");
    CHECK(!jit_compile(j));
    CHECK(contains(last_message(), "verifying") && contains(last_message(), "unfinished"));
    CHECK_INT(diags_class(diags), DIAG_CLASS_BUG);
    end(j);
}

TEST(errors_of_the_code_generator_do_not_end_the_process)
{
    struct jit *j = begin((struct jit_options){ .opt_level = -1 });
    add(j, "unit", "define void @f() {\n  call void asm sideeffect \"no such instruction\", \"\"()\n  ret void\n}\n");
    CHECK(!jit_compile(j));
    CHECK_INT(diags_class(diags), DIAG_CLASS_BUG);
    end(j);
}

TEST(perf_gets_the_names)
{
    struct jit *j = begin((struct jit_options){ .opt_level = -1, .listeners = true, .debug_info = true });
    add(j, "unit",
        "define internal i64 @inner(i64 %x) noinline {\n  %y = add i64 %x, 5\n  ret i64 %y\n}\n"
        "define i64 @outer(i64 %x) {\n  %y = call i64 @inner(i64 %x)\n  ret i64 %y\n}\n");
    bool ok = jit_compile(j) && jit_link(j);
    CHECK(ok);
    if (!ok)
        printf("%s\n", last_message());
    int64_t (*outer)(int64_t) = ok ? jit_address(j, "outer") : NULL;
    CHECK(outer && outer(1) == 6);

    char path[64], line[200];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *map = fopen(path, "r");
    CHECK(map);
    bool seen_outer = false, seen_inner = false;
    while (map && fgets(line, sizeof line, map)) {
        char name[64];
        unsigned long long address, size;
        CHECK(sscanf(line, "%llx %llx %63s", &address, &size, name) == 3 && size > 0);
        if (strcmp(name, "outer") == 0)
            seen_outer = (uintptr_t)address == (uintptr_t)outer;
        if (strcmp(name, "inner") == 0)
            seen_inner = ((int64_t(*)(int64_t))(uintptr_t)address)(2) == 7;
    }
    CHECK(seen_outer && seen_inner);
    if (map)
        fclose(map);
    unlink(path);
    end(j);
}

CHECK_MAIN
