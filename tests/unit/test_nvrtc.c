/* NVRTC: where it is looked for, what it makes, and what is said if it cannot. Without an NVRTC on the machine only
 * what needs none is tested. */
#include "gpu/arch.h"

#include "base/text.h"

#include "tests/unit/check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const variables[] = { "SDFG_NVRTC",   "CUDA_HOME", "CUDA_PATH",      "VIRTUAL_ENV",
                                         "CONDA_PREFIX", "HOME",      "LD_LIBRARY_PATH" };

enum { NUM_VARIABLES = sizeof variables / sizeof *variables };

static void forget_variables(void)
{
    for (int i = 0; i < NUM_VARIABLES; i++)
        unsetenv(variables[i]);
}

static const char *said(struct arena *a, const struct diags *d)
{
    struct text out = text_new(a);
    for (uint32_t i = 0; i < diags_count(d); i++)
        diag_print(diags_get(d, i), &out);
    return text_get(&out);
}

/* ---- finding ---- */

static void make_file(struct arena *a, const char *folder, const char *below, const char *name)
{
    char *path = arena_printf(a, "%s/%s", folder, below);
    for (char *c = path + strlen(folder) + 1;; c++)
        if (*c == '/' || !*c) {
            char kept = *c;
            *c = 0;
            mkdir(path, 0777);
            *c = kept;
            if (!kept)
                break;
        }
    FILE *f = fopen(arena_printf(a, "%s/%s", path, name), "w");
    CHECK(f != NULL);
    if (f)
        fclose(f);
}

/* The files found below the folder, in their order. */
static const char *found_below(struct arena *a, const char *folder)
{
    uint32_t count;
    const char *const *files = nvrtc_find(a, &count);
    struct text out = text_new(a);
    for (uint32_t i = 0; i < count; i++)
        if (strncmp(files[i], folder, strlen(folder)) == 0)
            text_printf(&out, "%s\n", files[i] + strlen(folder) + 1);
    return text_get(&out);
}

TEST(files_are_looked_for)
{
    char folder[] = "/tmp/nvrtc-XXXXXX";
    struct arena *a = arena_new();
    CHECK(mkdtemp(folder) != NULL);
    make_file(a, folder, "cuda/lib64", "libnvrtc.so.12");
    make_file(a, folder, "listed", "libnvrtc.so.13");
    make_file(a, folder, "env/lib/python3.12/site-packages/nvidia/cu13/lib", "libnvrtc.so.13");
    make_file(a, folder, "env/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib", "libnvrtc.so.12");
    make_file(a, folder, "conda/lib", "libnvrtc.so.13");
    make_file(a, folder, "home/.local/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib", "libnvrtc.so.11.2");
    const char *before[NUM_VARIABLES];
    for (int i = 0; i < NUM_VARIABLES; i++)
        before[i] = getenv(variables[i]) ? arena_strdup(a, getenv(variables[i])) : NULL;
    forget_variables();
    CHECK_STR(found_below(a, folder), "");
    setenv("CUDA_HOME", arena_printf(a, "%s/cuda", folder), 1);
    setenv("CUDA_PATH", "", 1);
    setenv("VIRTUAL_ENV", arena_printf(a, "%s/env", folder), 1);
    setenv("CONDA_PREFIX", arena_printf(a, "%s/conda", folder), 1);
    setenv("LD_LIBRARY_PATH", arena_printf(a, ":/nowhere:%s/listed", folder), 1);
    setenv("HOME", arena_printf(a, "%s/home", folder), 1);
    CHECK_STR(found_below(a, folder),
              "cuda/lib64/libnvrtc.so.12\n"
              "listed/libnvrtc.so.13\n"
              "env/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13\n"
              "env/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12\n"
              "conda/lib/libnvrtc.so.13\n"
              "home/.local/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2\n");
    setenv("SDFG_NVRTC", arena_printf(a, "%s/other.so", folder), 1);
    CHECK_STR(found_below(a, folder), "other.so\n");
    forget_variables();
    for (int i = 0; i < NUM_VARIABLES; i++)
        if (before[i])
            setenv(variables[i], before[i], 1);
    arena_free(a);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_INT(system(command), 0);
}

TEST(what_is_no_nvrtc_is_named)
{
    struct arena *a = arena_new();
    struct diags *d = diags_new(a);
    CHECK(!nvrtc_open(a, d, "/nowhere/libnvrtc.so.13"));
    CHECK(diags_class(d) == DIAG_CLASS_ENVIRONMENT);
    CHECK(strstr(said(a, d), "/nowhere/libnvrtc.so.13: cannot open"));
    diags_reset(d, 0);
    CHECK(!nvrtc_open(a, d, "libm.so.6"));
    CHECK(strstr(said(a, d), "libm.so.6: has no nvrtcVersion"));
    arena_free(a);
}

/* ---- compiling ---- */

/* The one of the machine, or the wheel that scripts/setup.sh installs for tests. */
static struct nvrtc *any_nvrtc(struct arena *a)
{
    struct diags *d = diags_new(a);
    struct nvrtc *n = nvrtc_open(a, d, NULL);
    if (!n)
        n = nvrtc_open(a, d, "../build/wheels/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    if (!n)
        printf("nothing was compiled: there is no NVRTC on this machine\n");
    return n;
}

static const char axpy[] =
    "extern \"C\" __global__ void k0_axpy(double a, const double *__restrict__ x, double *y, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] += a * x[i];\n"
    "}\n";

static bool knows(const struct nvrtc *n, int arch)
{
    uint32_t count;
    const int *archs = nvrtc_archs(n, &count);
    for (uint32_t i = 0; i < count; i++)
        if (archs[i] == arch)
            return true;
    return false;
}

/* Machine code of three architectures at the same time; what the compiler counts is in the log. */
TEST(machine_code)
{
    static const int archs[] = { 80, 90, 100 };
    enum { NUM = 3 };
    static const char *const options[] = { "--ptxas-options=-v", "--fmad=false" };
    struct arena *a = arena_new();
    struct diags *d = diags_new(a);
    struct nvrtc *n = any_nvrtc(a);
    struct nvrtc_source sources[NUM];
    struct nvrtc_job *jobs[NUM] = { 0 };
    int major = 0, minor = -1;
    if (n)
        nvrtc_version(n, &major, &minor);
    CHECK(!n || (major >= 11 && minor >= 0 && knows(n, 90)));
    for (int i = 0; n && i < NUM; i++) {
        sources[i] = (struct nvrtc_source){ "axpy", axpy, archs[i], NVRTC_CUBIN, options, 2 };
        if (knows(n, archs[i])) /* sm_100 since 12.8 */
            CHECK((jobs[i] = nvrtc_begin(n, d, &sources[i])) != NULL);
    }
    for (int i = 0; i < NUM; i++) {
        struct nvrtc_code code;
        if (!jobs[i])
            continue;
        bool good = nvrtc_end(jobs[i], a, d, &code);
        CHECK(good && code.size > 500 && memcmp(code.bytes, "\177ELF", 4) == 0);
        CHECK(strstr(code.log, "k0_axpy") && strstr(code.log, "registers"));
    }
    CHECK_STR(said(a, d), "");
    arena_free(a);
}

TEST(ptx)
{
    struct arena *a = arena_new();
    struct diags *d = diags_new(a);
    struct nvrtc *n = any_nvrtc(a);
    struct nvrtc_source source = { "axpy", axpy, 90, NVRTC_PTX, NULL, 0 };
    struct nvrtc_code code;
    if (n) {
        struct nvrtc_job *j = nvrtc_begin(n, d, &source);
        CHECK(j && nvrtc_end(j, a, d, &code));
        const char *text = code.bytes;
        CHECK(code.size && text[code.size - 1] == 0 && strstr(text, ".target sm_90") && strstr(text, "k0_axpy"));
        CHECK_STR(code.log, "");
    }
    arena_free(a);
}

TEST(what_cannot_be_compiled)
{
    struct arena *a = arena_new();
    struct diags *d = diags_new(a);
    struct nvrtc *n = any_nvrtc(a);
    struct nvrtc_source broken = { "broken", "__global__ void k() { undeclared = 1; }", 90, NVRTC_CUBIN, NULL, 0 };
    struct nvrtc_source old = { "old", axpy, 13, NVRTC_CUBIN, NULL, 0 };
    struct nvrtc_code code;
    if (n) {
        struct nvrtc_job *j = nvrtc_begin(n, d, &broken);
        CHECK(j && !nvrtc_end(j, a, d, &code) && !code.bytes);
        CHECK(diags_class(d) == DIAG_CLASS_BUG);
        CHECK(strstr(said(a, d), "NVRTC cannot compile 'broken': NVRTC_ERROR_COMPILATION"));
        CHECK(strstr(said(a, d), "identifier \"undeclared\" is undefined"));
        diags_reset(d, 0);
        CHECK(!nvrtc_begin(n, d, &old));
        CHECK(diags_class(d) == DIAG_CLASS_UNSUPPORTED && strstr(said(a, d), "does not compile for sm_13; it knows "));
    }
    arena_free(a);
}

/* ---- architectures ---- */

TEST(names_of_architectures)
{
    int arch = 0;
    CHECK(gpu_arch_of("sm_90", &arch) && arch == 90);
    CHECK(gpu_arch_of("sm_121", &arch) && arch == 121);
    static const char *const wrong[] = { "", "sm_", "sm_9", "sm_9x", "90", "SM_90", "sm_-90", "sm_1000", "sm_090" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!gpu_arch_of(wrong[i], &arch));
}

TEST(code_for_a_device)
{
    static const int known[] = { 75, 80, 86, 90, 100 };
    static const struct {
        int device, arch;
        enum nvrtc_form form;
    } cases[] = {
        { 75, 75, NVRTC_CUBIN },   { 80, 80, NVRTC_CUBIN }, { 87, 86, NVRTC_CUBIN }, { 90, 90, NVRTC_CUBIN },
        { 103, 100, NVRTC_CUBIN }, { 120, 100, NVRTC_PTX }, { 110, 100, NVRTC_PTX },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int arch = 0;
        enum nvrtc_form form = NVRTC_PTX;
        CHECK(gpu_arch_choose(known, 5, cases[i].device, &arch, &form));
        CHECK_INT(arch, cases[i].arch);
        CHECK_INT(form, cases[i].form);
    }
    int arch;
    enum nvrtc_form form;
    CHECK(!gpu_arch_choose(known, 5, 70, &arch, &form));
    CHECK(!gpu_arch_runs(86, 80) && gpu_arch_runs(80, 86) && !gpu_arch_runs(89, 90));
}

CHECK_MAIN
