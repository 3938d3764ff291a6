#include "runtime/device_internal.h"

#include <stdarg.h>
#include <stdio.h>

bool sdfg_rt_device_fail(struct sdfg_rt_context *context, enum sdfg_rt_error error, const char *format, ...)
{
    struct sdfg_rt_device *call = context->device;
    if (call && context->error == SDFG_RT_OK) {
        va_list args;
        va_start(args, format);
        vsnprintf(call->trouble, sizeof call->trouble, format, args);
        va_end(args);
    }
    sdfg_rt_fail(context, error);
    return false;
}

bool sdfg_rt_cuda_is_fault(int result)
{
    return result == CUDA_ILLEGAL_ADDRESS || result == CUDA_TIMEOUT || result == CUDA_ASSERT ||
           (result >= CUDA_FIRST_FAULT && result <= CUDA_LAST_FAULT);
}

/* The class of an error is that of its cause: a program that reads past its arrays is wrong, a device that does not
 * answer is part of the machine. */
bool sdfg_rt_run_check(struct sdfg_rt_run *run, const char *function, int result, const char *what)
{
    char text[256], launches[600] = "";
    if (result == CUDA_GOOD)
        return true;
    sdfg_rt_cuda_text(run->gpu->cuda, function, result, text, sizeof text);
    bool fault = sdfg_rt_cuda_is_fault(result);
    if (fault) {
        run->gpu->lost = result;
        sdfg_rt_log_text(run, launches, sizeof launches);
    }
    enum sdfg_rt_error error = fault                          ? SDFG_RT_DEVICE_FAULT
                               : result == CUDA_OUT_OF_MEMORY ? SDFG_RT_OUT_OF_MEMORY
                                                              : SDFG_RT_DEVICE;
    return sdfg_rt_device_fail(run->context, error, "%s%s%s%s", text, *what ? ": " : "", what, launches);
}
