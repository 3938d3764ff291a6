/* For tests that run against the stand-ins of CUDA's driver and NVRTC, which $SDFG_CUDA and $SDFG_NVRTC name. A fault
 * ends the use of a device in a process, so each test has a process of its own. */
#ifndef TESTS_GPU_STANDINS_H
#define TESTS_GPU_STANDINS_H

#include "tests/unit/check.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool in_child(void (*run)(void))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int before = check_failures;
        run();
        fflush(stdout);
        _exit(check_failures != before);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}
#define OWN_PROCESS(id)                                                                                                \
    static void id(void);                                                                                              \
    TEST(id) { CHECK(in_child(id)); }                                                                                  \
    static void id(void)

/* ---- the stand-ins' own functions ---- */

static void *standin(const char *library, const char *name)
{
    void *opened = dlopen(getenv(library), RTLD_NOW | RTLD_NOLOAD), *f = opened ? dlsym(opened, name) : NULL;
    CHECK(f);
    return f;
}
static __attribute__((unused)) long calls_of(const char *function)
{
    long (*f)(const char *);
    void *s = standin("SDFG_CUDA", "standin_calls");
    memcpy(&f, &s, sizeof f);
    return f(function);
}
static __attribute__((unused)) long objects(void)
{
    long (*f)(void);
    void *s = standin("SDFG_CUDA", "standin_objects");
    memcpy(&f, &s, sizeof f);
    return f();
}
static __attribute__((unused)) void fail_at(long number, int result)
{
    void (*f)(long, int);
    void *s = standin("SDFG_CUDA", "standin_fail");
    memcpy(&f, &s, sizeof f);
    f(number, result);
}
static __attribute__((unused)) long compilations(void)
{
    long (*f)(void);
    void *s = standin("SDFG_NVRTC", "standin_nvrtc_compilations");
    memcpy(&f, &s, sizeof f);
    return f();
}

#endif
