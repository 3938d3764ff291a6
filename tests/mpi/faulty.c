/* An MPI library that hands every call on to another one, of the MPICH family, and lets one of them fail:
 *
 *     SDFG_MPI=libmpi-faulty.so FAULTY=1:MPI_Send:2 mpirun ...     the second MPI_Send of rank 1 fails
 *     FAULTY=1:MPI_Send:2:kill                                     rank 1 is killed there
 *
 * faulty_at(K), for the process itself: call number K from now on fails, whatever it is; 0: none. It gives the number
 * of calls since the last time.
 *
 * FAULTY_COUNT=NAME says how often rank 0 has called that function, when it finalizes MPI. FAULTY_REAL names the other
 * library. Arguments are handed on as they are, so no function is written out. */
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t mpi_handle;

enum { ERROR_OTHER = 15, ARGUMENTS = 128 /* bytes on the stack */ };

void MPIX_Comm_agree(void); /* by which the family is told, and which it does not call itself */
__attribute__((visibility("default"))) void MPIX_Comm_agree(void) {}

static void *real(const char *name)
{
    static void *library;
    const char *file = getenv("FAULTY_REAL");
    if (!library)
        library = dlopen(file ? file : "libmpich.so.12", RTLD_NOW | RTLD_GLOBAL);
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) {
        fprintf(stderr, "%s\n", dlerror());
        _Exit(99);
    }
    return function;
}

static void count(const char *name, int rank)
{
    static atomic_int calls;
    const char *counted = getenv("FAULTY_COUNT");
    if (!counted || rank)
        return;
    if (!strcmp(name, counted))
        atomic_fetch_add(&calls, 1);
    if (!strcmp(name, "MPI_Finalize"))
        fprintf(stderr, "%s: %d calls\n", counted, atomic_load(&calls));
}

static atomic_long since, at;

long faulty_at(long number);
__attribute__((visibility("default"))) long faulty_at(long number)
{
    atomic_store(&at, number);
    return atomic_exchange(&since, 0);
}

/* Whether this call is the one. */
static int fails(const char *name)
{
    static atomic_int calls;
    char wanted[64], how[8] = "";
    int rank, which;
    const char *fault = getenv("FAULTY"), *mine = getenv("PMI_RANK");
    if (atomic_fetch_add(&since, 1) + 1 == atomic_load(&at))
        return ERROR_OTHER;
    count(name, atoi(mine ? mine : "0"));
    if (!fault || sscanf(fault, "%d:%63[^:]:%d:%7s", &rank, wanted, &which, how) < 3 ||
        atoi(mine ? mine : "0") != rank || strcmp(wanted, name) != 0 || atomic_fetch_add(&calls, 1) + 1 != which)
        return 0;
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    return ERROR_OTHER;
}

#define MPI(name, parameters)                                                                                          \
    __attribute__((visibility("default"))) int MPI_##name(void);                                                       \
    int MPI_##name(void)                                                                                               \
    {                                                                                                                  \
        void *arguments = __builtin_apply_args();                                                                      \
        int error = fails("MPI_" #name);                                                                               \
        if (error)                                                                                                     \
            return error;                                                                                              \
        __builtin_return(__builtin_apply((void (*)())real("MPI_" #name), arguments, ARGUMENTS));                       \
    }
#include "runtime/mpi/mpi.def"
