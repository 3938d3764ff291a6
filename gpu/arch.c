#include "gpu/arch.h"

#include <string.h>

enum { MOST = 999 };

bool gpu_arch_of(const char *name, int *arch)
{
    if (strncmp(name, "sm_", 3) != 0 || name[3] < '1' || name[3] > '9')
        return false;
    int value = 0;
    for (const char *c = name + 3; *c; c++) {
        if (*c < '0' || *c > '9')
            return false;
        value = 10 * value + (*c - '0');
        if (value > MOST)
            return false;
    }
    *arch = value;
    return value >= 10;
}

bool gpu_arch_runs(int code, int device) { return code / 10 == device / 10 && code <= device; }

bool gpu_arch_choose(const int *known, uint32_t count, int device, int *arch, enum nvrtc_form *form)
{
    bool found = false;
    for (uint32_t i = 0; i < count && known[i] <= device; i++) {
        *arch = known[i];
        *form = gpu_arch_runs(known[i], device) ? NVRTC_CUBIN : NVRTC_PTX;
        found = true;
    }
    return found;
}
