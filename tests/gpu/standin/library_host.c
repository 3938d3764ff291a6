/* What the stand-ins for libraries of CUDA have in common. */
#include "tests/gpu/standin/library_host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256 };

API CUresult cuPointerGetAttributes(unsigned count, const int *attributes, void **out, CUdeviceptr address);
API CUresult cuModuleLoadData(CUmodule *out, const void *image);
API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned shared, CUstream s, void **params, void **extra);

int standin_library_enter(const char *variable, long *all, int usual)
{
    const char *fail = getenv(variable), *status = fail ? strchr(fail, ':') : NULL;
    if (!fail || ++*all != atol(fail))
        return 0;
    return status ? atoi(status + 1) : usual;
}

void standin_library_counts(const char *const *names, const long *calls, int kinds)
{
    const char *file = getenv("SDFG_STANDIN_COUNTS");
    FILE *f = file ? fopen(file, "a") : NULL;
    if (!f)
        return;
    for (int i = 0; i < kinds; i++)
        fprintf(f, "%s\"%s\": %ld", i ? ", " : "{", names[i], calls[i]);
    fprintf(f, "}\n");
    fclose(f);
}

/* The image lies beside the library. */
static void *read_image(const void *of_library)
{
    char file[4096];
    Dl_info here;
    if (!dladdr(of_library, &here))
        return NULL;
    const char *slash = strrchr(here.dli_fname, '/');
    snprintf(file, sizeof file, "%.*s/libstandin-kernels.so", slash ? (int)(slash - here.dli_fname) : 1,
             slash ? here.dli_fname : ".");
    FILE *f = fopen(file, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    void *image = malloc((size_t)size);
    if (fread(image, 1, (size_t)size, f) != (size_t)size) {
        free(image);
        image = NULL;
    }
    fclose(f);
    return image;
}

CUresult standin_library_load(CUmodule *out, const void *of_library)
{
    void *image = read_image(of_library);
    CUresult result = image ? cuModuleLoadData(out, image) : CUDA_ERROR_UNKNOWN;
    free(image);
    return result;
}

CUresult standin_library_launch(CUfunction f, int64_t threads, CUstream stream, void *params, size_t bytes)
{
    void *extra[] = { (void *)1, params, (void *)2, &bytes, NULL };
    if (!threads)
        return CUDA_SUCCESS;
    return cuLaunchKernel(f, (unsigned)((threads + THREADS - 1) / THREADS), 1, 1, THREADS, 1, 1, 0, stream, NULL,
                          extra);
}

bool standin_is_on_device(const void *memory)
{
    enum { DEVICE = 2 };
    const int memory_type = 2;
    int type = 0;
    void *out = &type;
    return cuPointerGetAttributes(1, &memory_type, &out, (uintptr_t)memory) == CUDA_SUCCESS && type == DEVICE;
}
