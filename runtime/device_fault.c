/* Checked mode in kernels: the first fault of a call is recorded on the device, and read when the launch is through. */
#include "runtime/check.h"
#include "runtime/device_internal.h"

void *sdfg_rt_device_faults(struct sdfg_rt_run *run)
{
    if (!sdfg_rt_run_good(run))
        return NULL;
    if (!run->faults &&
        (run->faults = sdfg_rt_device_alloc(run, sizeof(struct sdfg_rt_device_fault), SDFG_RT_ON_DEVICE)))
        sdfg_rt_device_zero(run, run->faults, sizeof(struct sdfg_rt_device_fault), 0);
    return run->faults;
}

void sdfg_rt_fault_look(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k)
{
    struct sdfg_rt_device_fault found = { 0 };
    if (!run->faults)
        return;
    sdfg_rt_device_copy(run, &found, run->faults, sizeof found, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    sdfg_rt_device_wait(run, 0);
    if (!sdfg_rt_run_good(run) || !found.count || found.access < 0 || found.access >= run->image->num_accesses)
        return;
    sdfg_rt_fault_in_kernel(run->context, run->image->accesses[found.access], k->name, &found);
}
