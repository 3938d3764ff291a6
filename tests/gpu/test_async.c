/* Calls that go on behind sdfg_call_async, on the stand-ins, which do nothing before somebody waits. Argument: the
 * folder of examples. */
#include "tests/gpu/caller.h"

#include <pthread.h>

static char axpy[PATH_MAX], jacobi[PATH_MAX];

static void give_all(struct caller *c, void *from, void *to)
{
    CHECK_STR(said(sdfg_args_f64(c->args, "alpha", 2)), "");
    CHECK_STR(give(c, "X", from, SDFG_DEVICE_CUDA, -1), "");
    CHECK_STR(give(c, "Y", to, SDFG_DEVICE_CUDA, -1), "");
}

static const char *begin(struct caller *c, sdfg_pending **out, void *context, void *stream)
{
    sdfg_cuda_stream where = SDFG_CUDA_STREAM_INIT;
    where.context = context;
    where.stream = stream;
    return said(sdfg_call_async(out, c->program, c->args, stream || context ? &where : NULL));
}

static bool is_ones(const double *values)
{
    for (int i = 0; i < N; i++)
        if (values[i] != 1)
            return false;
    return true;
}

OWN_PROCESS(a_call_returns_before_its_work_is_done)
{
    struct caller c;
    sdfg_pending *p, *q;
    sdfg_bound *bound;
    start(0);
    open_program(&c, "cuda", axpy);
    void *from = on_device(x, BYTES), *to = on_device(y, BYTES), *other = on_device(y, BYTES);
    give_all(&c, from, to);
    CHECK_STR(begin(&c, &p, NULL, NULL), "");
    CHECK(is_ones(values_of(to, BYTES)));
    give_all(&c, from, other); /* the arguments are free, and so is the program in the end */
    CHECK_STR(said(sdfg_bind(&bound, c.program, c.args)), "");
    CHECK_STR(said(sdfg_bound_call_async(&q, bound, NULL)), "");
    CHECK(is_ones(values_of(other, BYTES)));
    CHECK_STR(said(sdfg_pending_wait(p)), "");
    CHECK(is_right(values_of(to, BYTES)));
    sdfg_bound_free(bound);
    close_program(&c);
    while (!sdfg_pending_done(q)) /* each question brings the stand-in further */
        continue;
    CHECK(is_right(values_of(other, BYTES)));
    CHECK_STR(said(sdfg_pending_wait(q)), "");
    CHECK_STR(said(sdfg_pending_wait(q)), "");
    sdfg_pending_free(q);
    sdfg_pending_free(p);
    CHECK_INT(driver.free((address)(uintptr_t)from) | driver.free((address)(uintptr_t)to), 0);
    CHECK_INT(driver.free((address)(uintptr_t)other), 0);
    CHECK_INT(objects(), 0);
}

/* In a stream and a context of the caller, between other work there: nobody waits for the calls themselves. */
OWN_PROCESS(calls_are_part_of_the_callers_stream)
{
    struct caller c;
    sdfg_pending *p[2];
    void *context = NULL, *stream = NULL;
    start(0);
    CHECK_INT(driver.create(&context, 0, 0) | driver.stream(&stream, 1), 0);
    open_program(&c, "cuda", axpy);
    void *from = on_device(y, BYTES), *to = on_device(y, BYTES);
    CHECK_INT(driver.copy_in((address)(uintptr_t)from, x, BYTES, stream), 0);
    for (int i = 0; i < 2; i++) {
        give_all(&c, from, to);
        CHECK_STR(begin(&c, &p[i], context, stream), "");
    }
    CHECK(is_ones(values_of(to, BYTES)));
    CHECK_INT(driver.wait(stream), 0);
    const double *result = values_of(to, BYTES);
    for (int i = 0; i < N; i++)
        CHECK(result[i] == 4.0 * i + 1);
    for (int i = 0; i < 2; i++) {
        CHECK_STR(said(sdfg_pending_wait(p[i])), "");
        sdfg_pending_free(p[i]);
    }
    close_program(&c);
}

/* Results in memory of the host are there when the call returns; it is pinned for those that may come later. */
OWN_PROCESS(arguments_of_the_host)
{
    struct caller c;
    sdfg_pending *p;
    void *pinned = NULL;
    start(0);
    open_program(&c, "cuda", axpy);
    CHECK_INT(driver.host_alloc(&pinned, BYTES, 0), 0);
    double *late = memcpy(pinned, y, BYTES);
    CHECK_STR(said(sdfg_args_f64(c.args, "alpha", 2)), "");
    CHECK_STR(give(&c, "X", x, SDFG_DEVICE_DEFAULT, 0), "");
    CHECK_STR(give(&c, "Y", y, SDFG_DEVICE_DEFAULT, 0), "");
    CHECK_STR(begin(&c, &p, NULL, NULL), "");
    CHECK(is_right(y));
    sdfg_pending_free(p);
    CHECK_STR(give(&c, "Y", late, SDFG_DEVICE_CUDA_HOST, 0), "");
    CHECK_STR(begin(&c, &p, NULL, NULL), "");
    memset(x, 0, sizeof x); /* was taken before */
    CHECK(is_ones(late));
    CHECK_STR(said(sdfg_pending_wait(p)), "");
    CHECK(is_right(late));
    sdfg_pending_free(p);
    close_program(&c);
}

/* X is too small: the kernel reads behind it, which the call could not know. */
OWN_PROCESS(faults_come_later)
{
    struct caller c;
    sdfg_pending *p;
    start(0);
    open_program(&c, "cuda", axpy);
    give_all(&c, on_device(x, BYTES / 2), on_device(y, BYTES));
    CHECK_STR(begin(&c, &p, NULL, NULL), "");
    const char *error = said(sdfg_pending_wait(p));
    CHECK(strstr(error, "RUN_DEVICE_FAULT") && strstr(error, "(700)") && strstr(error, "of axpy/") &&
          strstr(error, "4 x 1 x 1 blocks"));
    CHECK(strstr(said(sdfg_pending_wait(p)), "RUN_DEVICE_FAULT"));
    CHECK(sdfg_pending_done(p));
    sdfg_pending_free(p);
    CHECK_STR(give(&c, "X", x, SDFG_DEVICE_CPU, 0), "");
    CHECK_STR(give(&c, "Y", y, SDFG_DEVICE_CPU, 0), "");
    CHECK(strstr(call(&c), "is lost to this process"));
    close_program(&c);
}

/* Every call of the driver fails once: the error is returned, or waited for; then all is well again. */
OWN_PROCESS(every_call_of_the_driver_fails)
{
    struct caller c;
    start(0);
    open_program(&c, "cuda", axpy);
    void *from = on_device(x, BYTES), *to = on_device(y, BYTES), *stream = NULL;
    CHECK_INT(driver.stream(&stream, 1), 0);
    for (long k = 1, done = 0; k < 100 && !done; k++) {
        sdfg_pending *p;
        give_all(&c, from, to);
        CHECK_STR(said(sdfg_args_after(c.args, stream)), "");
        CHECK_INT(driver.copy_in((address)(uintptr_t)to, y, BYTES, NULL) | driver.wait(NULL), 0);
        fail_at(k, 999);
        long before = calls_of(NULL);
        const char *error = begin(&c, &p, NULL, NULL);
        error = p ? said(sdfg_pending_wait(p)) : error;
        done = calls_of(NULL) - before < k;
        fail_at(0, 0);
        CHECK(*error ? strstr(error, "(999)") != NULL : !p || is_right(values_of(to, BYTES)));
        sdfg_pending_free(p);
    }
    CHECK_INT(driver.copy_in((address)(uintptr_t)to, y, BYTES, NULL) | driver.wait(NULL), 0);
    CHECK_STR(call(&c), "");
    CHECK(is_right(values_of(to, BYTES)));
    close_program(&c);
    CHECK_INT(objects(), 3); /* the caller's */
}

/* ---- calls that are stopped ---- */

static void *cancel(void *args)
{
    usleep(20000);
    sdfg_call_cancel(args);
    return NULL;
}

/* A hundred million steps would take minutes; the call is cancelled while it compiles, or soon after. */
OWN_PROCESS(work_that_is_not_in_the_stream_yet_is_cancelled)
{
    enum { SIDE = 400 /* of which steps are launches of their own */ };
    struct caller c;
    sdfg_pending *p;
    pthread_t thread;
    static double a[SIDE * SIDE], b[SIDE * SIDE];
    start(0);
    open_program(&c, "cuda", jacobi);
    const char *const names[] = { "A", "B" };
    void *const memory[] = { on_device(a, sizeof a), on_device(b, sizeof b) };
    CHECK_STR(said(sdfg_args_i64(c.args, "T", 100000000)), "");
    for (int i = 0; i < 2; i++)
        CHECK_STR(said(sdfg_args_array(c.args, names[i],
                                       SDFG_ARRAY(.data = memory[i], .dtype = SDFG_F64, .rank = 2,
                                                  .shape = { SIDE, SIDE }, .device = { SDFG_DEVICE_CUDA, 0 }))),
                  "");
    CHECK_INT(pthread_create(&thread, NULL, cancel, c.args), 0);
    CHECK(strstr(begin(&c, &p, NULL, NULL), "RUN_CANCELLED") && !p);
    pthread_join(thread, NULL);
    close_program(&c);
}

OWN_PROCESS(programs_on_the_cpu_have_ended)
{
    struct caller c;
    sdfg_pending *p;
    start(0);
    open_program(&c, "cpu", axpy);
    CHECK_STR(said(sdfg_args_f64(c.args, "alpha", 2)), "");
    CHECK_STR(give(&c, "X", x, SDFG_DEVICE_CPU, 0), "");
    CHECK_STR(give(&c, "Y", y, SDFG_DEVICE_CPU, 0), "");
    CHECK(strstr(begin(&c, &p, NULL, &c), "DEVICE_STREAM") && !p);
    CHECK_STR(begin(&c, &p, NULL, NULL), "");
    CHECK(sdfg_pending_done(p) && is_right(y));
    CHECK_STR(said(sdfg_pending_wait(p)), "");
    sdfg_pending_free(p);
    close_program(&c);
}

int main(int argc, char **argv)
{
    if (argc < 2 || !getenv("SDFG_CUDA") || !getenv("SDFG_NVRTC"))
        return 77;
    snprintf(axpy, sizeof axpy, "%s/axpy.sdfg", argv[1]);
    snprintf(jacobi, sizeof jacobi, "%s/jacobi_2d.sdfg", argv[1]);
    return run_tests();
}
