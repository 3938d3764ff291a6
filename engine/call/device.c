#include "engine/call/device.h"

bool device_explains(const struct sdfg_rt_context *context)
{
    const struct sdfg_rt_device *d = context->device;
    return d && d->trouble[0];
}

sdfg_error *device_error(const struct sdfg_rt_context *context)
{
    const struct sdfg_rt_device *d = context->device;
    switch (context->error) {
    case SDFG_RT_OUT_OF_MEMORY:
        return error_of(SDFG_STAGE_RUN, DIAG_RUN_DEVICE_MEMORY, d->trouble);
    case SDFG_RT_BAD_VALUE:
        return error_of(SDFG_STAGE_RUN, DIAG_RUN_DEVICE_VALUE, d->trouble);
    case SDFG_RT_DEVICE_FAULT:
        return error_of(SDFG_STAGE_RUN, DIAG_RUN_DEVICE_FAULT, d->trouble);
    default:
        return error_of(SDFG_STAGE_RUN, DIAG_RUN_DEVICE, d->trouble);
    }
}
