#include "runtime/blas.h"
#include "runtime/cblas.h"
#include "runtime/runtime.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    void (*function)(void);
} table[] = {
#define RT_FUNCTION(name, signature) { #name, (void (*)(void))name },
#include "runtime/abi.def"
};

void *sdfg_rt_symbol(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return (void *)table[i].function;
    return NULL;
}
