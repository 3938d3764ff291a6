/* run-tree [--ll] FILE...: programs given as the text of loop trees with statements for a device, through the emitters,
 * NVRTC and LLVM, run against the driver that SDFG_CUDA names. Comments of the file say what they get:
 *
 *   // run: N=10 A=20        values of parameters; an array has so many elements, which begin as 1, 2, 3, ...,
 *                           or is missing (-1)
 *   // runs: 2               how often (1)
 *   // passes: NAME...       passes over the tree that run first, for a device
 *   // budget: 5             statements of a function before it is cut into parts (no limit)
 *   // calls: NAME...        functions of the driver whose calls are counted
 *
 * Printed are the arrays and counts behind each run, or what went wrong. The program may use the slots 0 to 7. */
#include "gpu/image.h"
#include "jit/jit.h"
#include "lower/llvm/llvm.h"
#include "lower/opt/passes.h"
#include "lower/tree/tree_read.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMS = 32, ARCH = 90, MOST_SLOTS = 8 };

struct program {
    const char *text;
    struct ir *ir;
    struct tree *tree;
    struct jit *jit;
    void *args[MOST_PARAMS];
    int64_t values[MOST_PARAMS]; /* of arrays: elements */
    void *slots[MOST_SLOTS];
};

/* ---- what the comments say ---- */

/* Behind "// word:", up to the end of the line; "" if there is no such comment. */
static const char *comment(struct program *p, const char *word)
{
    const char *key = arena_printf(p->ir->arena, "// %s: ", word), *at = strstr(p->text, key);
    return at ? arena_strndup(p->ir->arena, at + strlen(key), strcspn(at + strlen(key), "\n")) : "";
}

static int64_t value_of(struct program *p, const char *name)
{
    const char *key = arena_printf(p->ir->arena, " %s=", name);
    const char *list = arena_printf(p->ir->arena, " %s", comment(p, "run")), *at = strstr(list, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : 0;
}

static long number(struct program *p, const char *word, long otherwise)
{
    const char *text = comment(p, word);
    return *text ? strtol(text, NULL, 10) : otherwise;
}

/* ---- elements ---- */

static void put(const struct type *t, void *memory, int64_t i, int64_t value)
{
    char *at = (char *)memory + (uint64_t)i * t->size;
    switch (t->kind) {
    case TYPE_F64:
        *(double *)at = (double)value;
        break;
    case TYPE_F32:
        *(float *)at = (float)value;
        break;
    case TYPE_C128:
        memcpy(at, (double[]){ (double)value, (double)-value }, t->size);
        break;
    default: /* little-endian integers */
        memcpy(at, &value, t->size < sizeof value ? t->size : sizeof value);
    }
}

static void show(const struct type *t, const void *memory, int64_t i)
{
    const char *at = (const char *)memory + (uint64_t)i * t->size;
    int64_t value = 0;
    switch (t->kind) {
    case TYPE_F64:
        printf(" %g", *(const double *)at);
        break;
    case TYPE_F32:
        printf(" %g", (double)*(const float *)at);
        break;
    case TYPE_C128:
        printf(" %g%+gi", *(const double *)at, ((const double *)at)[1]);
        break;
    default:
        memcpy(&value, at, t->size < sizeof value ? t->size : sizeof value);
        printf(" %lld", t->size == 4 ? (long long)(int32_t)value : (long long)value);
    }
}

static const struct type *element(const struct tree_param *param)
{
    return param->by_value ? param->var->type : param->var->type->elem;
}

static void make_arguments(struct program *p)
{
    const struct tree_func *main = p->tree->functions.items[0];
    for (uint32_t i = 0; i < main->params.count && i < MOST_PARAMS; i++) {
        const struct tree_param *param = &main->params.items[i];
        const struct type *t = element(param);
        p->values[i] = value_of(p, param->name);
        int64_t count = param->by_value ? 1 : p->values[i];
        p->args[i] = count < 0 ? NULL : calloc((size_t)count + 1, t->size);
        for (int64_t k = 0; k < count; k++)
            put(t, p->args[i], k, param->by_value ? p->values[i] : k + 1);
    }
}

static void show_arguments(const struct program *p)
{
    const struct tree_func *main = p->tree->functions.items[0];
    for (uint32_t i = 0; i < main->params.count && i < MOST_PARAMS; i++) {
        const struct tree_param *param = &main->params.items[i];
        if (param->by_value)
            continue;
        printf("%s:", param->name);
        for (int64_t k = 0; k < p->values[i]; k++)
            show(element(param), p->args[i], k);
        printf("\n");
    }
}

/* ---- compiling ---- */

static LLVMModuleRef new_module(void *program, const char *name)
{
    return jit_module(((struct program *)program)->jit, CODE_MACHINE, name);
}

static void decorate(void *program, LLVMValueRef function)
{
    jit_function_attributes(((struct program *)program)->jit, function);
}

static bool add_image(struct program *p)
{
    struct arena *a = p->ir->arena;
    const struct gpu_text *text = gpu_emit(p->tree, GPU_FP_DEFAULT);
    struct gpu_code code;
    if (!text || !text->num_kernels)
        return text;
    struct nvrtc *n = nvrtc_open(a, p->ir->diags, NULL);
    struct gpu_build *b =
        n ? gpu_build_begin(a, p->ir->diags, n, p->tree->name, text, ARCH, NVRTC_CUBIN, GPU_FP_DEFAULT, false) : NULL;
    if (!b || !gpu_build_end(b, &code))
        return false;
    llvm_image(jit_module(p->jit, CODE_DEVICE, "image"), gpu_image(a, text, &code), a, false);
    return true;
}

static bool run_pass(struct program *p, const char *name)
{
    static const struct {
        const char *name;
        tree_pass *run;
    } passes[] = {
#define TREE_PASS(name, function, device, needs, makes, breaks, text) { name, function },
#include "lower/opt/passes.def"
    };
    const struct tree_options options = { .device = true };
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (!strcmp(passes[i].name, name))
            return passes[i].run(p->tree, &options) && tree_verify(p->tree, p->ir->diags);
    printf("no pass '%s'\n", name);
    return false;
}

static bool run_passes(struct program *p)
{
    char *save = NULL, *list = arena_strndup(p->ir->arena, comment(p, "passes"), strlen(comment(p, "passes")));
    for (char *name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save))
        if (!run_pass(p, name))
            return false;
    return true;
}

static bool compile(struct program *p)
{
    const struct jit_options o = { .opt_level = -1, .num_threads = 1, .runtime_symbol = sdfg_rt_symbol };
    const struct llvm_options lo = { .device = true,
                                     .unit_budget = (uint32_t)number(p, "budget", 0),
                                     .module = new_module,
                                     .decorate = decorate,
                                     .user = p };
    p->tree = tree_read(p->ir, p->text, strlen(p->text));
    p->jit = p->tree ? jit_new(p->ir->arena, p->ir->diags, &o) : NULL;
    return p->jit && run_passes(p) && llvm_emit(p->tree, p->ir->diags, &lo);
}

/* ---- running ---- */

static long calls_of(const char *function)
{
    void *library = dlopen(getenv("SDFG_CUDA"), RTLD_NOW | RTLD_NOLOAD);
    long (*calls)(const char *) = NULL;
    *(void **)&calls = library ? dlsym(library, "standin_calls") : NULL;
    return calls ? calls(function) : -1;
}

static void show_calls(struct program *p)
{
    for (const char *at = comment(p, "calls"); *at; at += at[strcspn(at, " ")] ? strcspn(at, " ") + 1 : strlen(at)) {
        const char *name = arena_strndup(p->ir->arena, at, strcspn(at, " "));
        printf("%s %ld\n", name, calls_of(name));
    }
}

static void call(struct program *p, const char *function)
{
    struct sdfg_rt_device device = { .index = 0 };
    struct sdfg_rt_context context = { .slots = p->slots, .device = &device };
    void *address = jit_address(p->jit, function);
    void (*entry)(struct sdfg_rt_context *, void *const *);
    memcpy(&entry, &address, sizeof entry);
    if (!address)
        return;
    entry(&context, p->args);
    if (context.error)
        printf("%s failed: error %d, %s\n", function, context.error, device.trouble);
}

static bool run_file(const char *file, bool only_text)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = fopen(file, "r");
    if (!f || getdelim(&text, &size, 0, f) < 0)
        return printf("%s: cannot be read\n", file), false;
    fclose(f);
    struct program p = { .text = text, .ir = ir_new() };
    const char *ll;
    size_t length;
    bool ok = compile(&p);
    if (ok && only_text) {
        if ((ok = jit_text(p.jit, JIT_TEXT_LL, &ll, &length)))
            fputs(ll, stdout);
    } else if (ok && (ok = add_image(&p) && jit_compile(p.jit) && jit_link(p.jit))) {
        make_arguments(&p);
        call(&p, "sdfg_init");
        for (long i = number(&p, "runs", 1); i > 0; i--) {
            call(&p, "sdfg_main");
            show_arguments(&p);
            show_calls(&p);
        }
        call(&p, "sdfg_exit");
    }
    for (uint32_t i = 0; i < diags_count(p.ir->diags); i++)
        printf("%s\n", diags_get(p.ir->diags, i)->message);
    jit_free(p.jit);
    for (int i = 0; i < MOST_PARAMS; i++)
        free(p.args[i]);
    ir_free(p.ir);
    free(text);
    return ok;
}

int main(int argc, char **argv)
{
    bool only_text = argc > 1 && !strcmp(argv[1], "--ll");
    if (!getenv("SDFG_CUDA") || !getenv("SDFG_NVRTC"))
        return 77;
    for (int i = 1 + only_text; i < argc; i++)
        if (!run_file(argv[i], only_text))
            return 1;
    return argc < 2;
}
