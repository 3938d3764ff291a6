/* What is common to all functions: counting, failing on request, errors as text, and finding functions by name.
 *   $SDFG_STANDIN_FAIL=K[:RESULT]  call number K of the process fails
 *   $SDFG_STANDIN_COUNTS=FILE      the counts are added to this file as one line of JSON when the process ends
 *   $SDFG_STANDIN_INIT=RESULT      what cuInit gives */
#include "tests/gpu/standin/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

API CUresult cuGetErrorName(int result, const char **text);
API CUresult cuGetErrorString(int result, const char **text);
API CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags, int *status);

enum { MOST = 128 };
static struct count {
    const char *function;
    long calls;
} counts[MOST];
static int num_counts;
static long all, fail_at, bytes[3], objects;
static int fail_with = CUDA_ERROR_UNKNOWN;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int standin_lost;

long standin_setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atol(text) : otherwise;
}

__attribute__((constructor)) static void read_settings(void)
{
    const char *fail = getenv("SDFG_STANDIN_FAIL"), *result = fail ? strchr(fail, ':') : NULL;
    fail_at = fail ? atol(fail) : 0;
    if (result)
        fail_with = atoi(result + 1);
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *file = getenv("SDFG_STANDIN_COUNTS");
    FILE *f = file ? fopen(file, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "{\"all\": %ld, \"objects\": %ld, \"bytes_in\": %ld, \"bytes_out\": %ld, \"bytes_within\": %ld", all,
            objects, bytes[0], bytes[1], bytes[2]);
    for (int i = 0; i < num_counts; i++)
        fprintf(f, ", \"%s\": %ld", counts[i].function, counts[i].calls);
    fprintf(f, "}\n");
    fclose(f);
}

static struct count *count_of(const char *function)
{
    for (int i = 0; i < num_counts; i++)
        if (!strcmp(counts[i].function, function))
            return &counts[i];
    counts[num_counts] = (struct count){ function, 0 };
    return &counts[num_counts++];
}

/* Errors as text work always. */
CUresult standin_enter(const char *function, bool needs_context)
{
    pthread_mutex_lock(&lock);
    count_of(function)->calls++;
    all++;
    if (all == fail_at)
        return fail_with;
    return needs_context && standin_lost ? standin_lost : CUDA_SUCCESS;
}

void standin_leave(int *held)
{
    (void)held;
    pthread_mutex_unlock(&lock);
}

void standin_count_bytes(int direction, size_t size) { bytes[direction] += (long)size; }
long standin_bytes(int direction) { return bytes[direction]; }
long standin_objects(void) { return objects; }
void standin_change_objects(long by) { objects += by; }

long standin_calls(const char *function)
{
    for (int i = 0; function && i < num_counts; i++)
        if (!strcmp(counts[i].function, function))
            return counts[i].calls;
    return function ? 0 : all;
}

void standin_fail(long number, int result)
{
    fail_at = number ? all + number : 0;
    fail_with = result;
}

static const struct {
    int result;
    const char *name, *text;
} errors[] = {
    { CUDA_SUCCESS, "CUDA_SUCCESS", "no error" },
    { CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
    { CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
    { CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
    { CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
    { CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
    { CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid" },
    { CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context" },
    { CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
    { CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
    { CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered" },
    { CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated" },
    { CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
    { CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
      "too many blocks in cooperative launch" },
    { CUDA_ERROR_INVALID_CLUSTER_SIZE, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster misconfiguration" },
    { CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error" },
};

static CUresult error_row(int result, const char **text, bool name)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].result == result) {
            *text = name ? errors[i].name : errors[i].text;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorName(int result, const char **text) { return error_row(result, text, true); }
CUresult cuGetErrorString(int result, const char **text) { return error_row(result, text, false); }

/* The form of a function that a program of this version of CUDA means. */
CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags, int *status)
{
    char name[128];
    Dl_info here;
    (void)flags;
    dladdr((void *)read_settings, &here);
    void *library = dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    snprintf(name, sizeof name, "%s_v2", symbol);
    *out = version >= 3020 ? dlsym(library, name) : NULL;
    if (!*out)
        *out = dlsym(library, symbol);
    dlclose(library);
    if (status)
        *status = *out ? 0 : 1;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
