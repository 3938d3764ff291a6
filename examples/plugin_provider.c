/* A plug-in that measures: two kinds of instrumentation with who provides them.
 *
 *     cc -shared -fPIC plugin_provider.c $(pkg-config --cflags sdfg) -o libprovider.so
 *     sdfg-run axpy.sdfg --N=1000 --plugin=./libprovider.so --instrument=Example_Usage:maps --report=-
 *
 * Example_Usage counts what the system did for the process while an element ran. An access node whose instrumentation
 * is Example_Range prints the least and the largest element of its container. */
#include <sdfg_plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static struct rusage usage_now(void)
{
    struct rusage now;
    getrusage(RUSAGE_SELF, &now);
    return now;
}

/* Elements may lie inside of each other and run on several threads, so each has memory of its own. */
static int64_t begin(void *user, const sdfg_probe *site)
{
    struct rusage *before = malloc(sizeof *before);
    (void)user, (void)site;
    if (before)
        *before = usage_now();
    return (int64_t)(intptr_t)before;
}

static void end(void *user, const sdfg_probe *site, int64_t begun, double *values)
{
    struct rusage *before = (struct rusage *)(intptr_t)begun, now = usage_now();
    (void)user, (void)site;
    if (!before)
        return; /* the values stay what they were: not known */
    values[0] = (double)(now.ru_minflt + now.ru_majflt - before->ru_minflt - before->ru_majflt);
    values[1] = (double)(now.ru_nvcsw + now.ru_nivcsw - before->ru_nvcsw - before->ru_nivcsw);
    free(before);
}

static bool print_range(void *user, const sdfg_probe *site, const sdfg_operand *d)
{
    const double *x = (const double *)d->data;
    double low = 0, high = 0;
    (void)user, (void)site;
    if (d->dtype != SDFG_F64 || d->rank != 1)
        return false; /* the error of the call says that a provider failed */
    for (int64_t i = 0; i < d->shape[0]; i++) {
        double v = x[i * d->strides[0]];
        low = i == 0 || v < low ? v : low;
        high = i == 0 || v > high ? v : high;
    }
    fprintf(stderr, "%s: %g to %g\n", d->connector, low, high);
    return true;
}

SDFG_PLUGIN("provider", "1.0", "kinds of instrumentation and who provides them");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const sdfg_member usage = { .struct_size = sizeof usage,
                                       .enumeration = SDFG_ENUM_INSTRUMENT,
                                       .name = "Example_Usage" };
    static const sdfg_member range = { .struct_size = sizeof range,
                                       .enumeration = SDFG_ENUM_DATA_INSTRUMENT,
                                       .name = "Example_Range" };
    static const char *const counters[] = { "page_faults", "context_switches", NULL };
    static const sdfg_provider counts = { .struct_size = sizeof counts,
                                          .enumeration = SDFG_ENUM_INSTRUMENT,
                                          .name = "Example_Usage",
                                          .text = "what the system did for the process",
                                          .counters = counters,
                                          .begin = begin,
                                          .end = end };
    static const sdfg_provider prints = { .struct_size = sizeof prints,
                                          .enumeration = SDFG_ENUM_DATA_INSTRUMENT,
                                          .name = "Example_Range",
                                          .text = "prints the least and the largest element",
                                          .data = print_range };
    return api->member(api->plugin, &usage) && api->member(api->plugin, &range) &&
           api->provider(api->plugin, &counts) && api->provider(api->plugin, &prints);
}
