/* What calls with these arguments are told besides values. */
#include "engine/args/args.h"

#include <stdlib.h>

sdfg_error *sdfg_args_threads(sdfg_args *a, int num_threads)
{
    NEEDS(a);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = args_report(a);
    if (num_threads < 0 || num_threads > 65536)
        diag_error(r.diags, NULL, DIAG_OPTION_VALUE, "num_threads", "is 0 to 65536");
    else
        a->num_threads = num_threads;
    return report_end(&r, SDFG_STAGE_BIND);
}

sdfg_error *sdfg_args_communicator(sdfg_args *a, int32_t communicator)
{
    NEEDS(a);
    a->has_communicator = true;
    a->communicator = communicator;
    return NULL;
}

sdfg_error *sdfg_args_after(sdfg_args *a, void *stream)
{
    NEEDS(a);
    if (a->program->engine->cuda_device < 0)
        return error_of(SDFG_STAGE_BIND, DIAG_DEVICE_STREAM);
    for (size_t i = 0; i < a->num_after; i++)
        if (a->after[i] == stream)
            return NULL;
    void **after = realloc(a->after, (a->num_after + 1) * sizeof *after);
    if (!after)
        return error_memory(SDFG_STAGE_BIND);
    a->after = after;
    a->after[a->num_after++] = stream;
    return NULL;
}

sdfg_error *sdfg_args_disjoint(sdfg_args *a)
{
    NEEDS(a);
    a->disjoint = true;
    return NULL;
}
