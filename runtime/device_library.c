/* The driver of CUDA, libcuda, opened at run time. Once it is open it stays so for the life of the process: it has
 * threads and handlers of its own. */
#include "runtime/device_internal.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sdfg_rt_cuda functions;
static bool bound;                                  /* `functions` are those of a driver */
static char file[SDFG_RT_DEVICE_TROUBLE / 2];       /* that was opened */
static _Atomic(const struct sdfg_rt_cuda *) opened; /* the same, initialized */

static const struct row {
    const char *name, *old; /* without cu; with the suffix, as older drivers have it */
    int version;
    bool required;
    size_t offset;
} rows[] = {
#define REQUIRED true
#define OPTIONAL false
#define CUDA(need, name, suffix, version, parameters)                                                                  \
    { "cu" #name, "cu" #name suffix, version, need, offsetof(struct sdfg_rt_cuda, name) },
#include "runtime/device.def"
#undef REQUIRED
#undef OPTIONAL
};

typedef int get_address(const char *name, void **out, int version, uint64_t flags, int *status);

static void *find(void *library, get_address *get, const struct row *r)
{
    void *function = NULL;
    int status = 0;
    if (get && get(r->name, &function, r->version, 0, &status) == CUDA_GOOD && function)
        return function;
    return dlsym(library, r->old);
}

/* The first required function that the library lacks, or NULL. */
static const char *bind(void *library)
{
    void *symbol = dlsym(library, "cuGetProcAddress_v2");
    get_address *get;
    memcpy(&get, &symbol, sizeof get);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *function = find(library, get, &rows[i]);
        if (!function && rows[i].required)
            return rows[i].old;
        memcpy((char *)&functions + rows[i].offset, &function, sizeof function);
    }
    return NULL;
}

static void add(char *trouble, const char *format, const char *a, const char *b)
{
    size_t used = strlen(trouble);
    snprintf(trouble + used, SDFG_RT_DEVICE_TROUBLE - used, format, a, b);
}

static bool open_file(const char *name, char *trouble)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) { /* the dynamic linker names the file, too */
        const char *error = dlerror();
        add(trouble, "\n  %s%s", error ? error : name, "");
        return false;
    }
    const char *lacks = bind(library);
    if (!lacks) {
        snprintf(file, sizeof file, "%s", name);
        return true;
    }
    add(trouble, "\n  %s: has no %s", name, lacks);
    dlclose(library);
    return false;
}

/* $SDFG_CUDA alone if it is set; else what the dynamic linker finds, and where WSL and containers have it. */
static bool find_file(char *trouble)
{
    static const char *const names[] = { "libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1",
                                         "/usr/local/nvidia/lib64/libcuda.so.1" };
    const char *given = secure_getenv("SDFG_CUDA");
    snprintf(
        trouble, SDFG_RT_DEVICE_TROUBLE,
        "the driver of CUDA cannot be opened; it comes with NVIDIA's driver, and SDFG_CUDA names its file. Tried:");
    if (given && *given)
        return open_file(given, trouble);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (open_file(names[i], trouble))
            return true;
    return false;
}

static const char *why_not(int result)
{
    switch (result) {
    case CUDA_STUB:
        return "the file is the one that the CUDA toolkit has for linking, and no driver";
    case CUDA_NO_DEVICE:
        return "there is no GPU, or none is visible (CUDA_VISIBLE_DEVICES)";
    case CUDA_DRIVER_MISMATCH:
        return "this library and the driver in the kernel are of different versions";
    case CUDA_COMPATIBILITY:
        return "this library is newer than what the driver in the kernel supports on this GPU";
    default:
        return "the driver does not start";
    }
}

const struct sdfg_rt_cuda *sdfg_rt_cuda_open(char *trouble)
{
    const struct sdfg_rt_cuda *cuda = atomic_load_explicit(&opened, memory_order_acquire);
    if (cuda)
        return cuda;
    pthread_mutex_lock(&lock);
    bound = bound || find_file(trouble);
    int result = bound ? functions.Init(0) : CUDA_GOOD;
    if (bound && result == CUDA_GOOD) {
        opened = &functions;
        *trouble = 0;
    } else if (bound) {
        char text[256];
        sdfg_rt_cuda_text(&functions, "cuInit", result, text, sizeof text);
        snprintf(trouble, SDFG_RT_DEVICE_TROUBLE, "%s: %s: %s", file, text, why_not(result));
    }
    pthread_mutex_unlock(&lock);
    return opened;
}

void sdfg_rt_cuda_text(const struct sdfg_rt_cuda *cuda, const char *function, int result, char *out, size_t size)
{
    const char *name = NULL, *text = NULL;
    if (cuda->GetErrorName(result, &name) != CUDA_GOOD || !name)
        name = "an unknown error";
    if (cuda->GetErrorString(result, &text) != CUDA_GOOD || !text)
        text = "no text";
    snprintf(out, size, "%s: %s (%d), %s", function, name, result, text);
}
