/* MPI libraries that cannot be used, or not for everything, for tests/mpi/alone_library.c. Their functions do nothing
 * but say that there is one process. KIND, numbered as in CMakeLists.txt:
 *
 *   strange     handles that nobody knows; an ABI that is none of the standard's
 *   no-fromint  the standard's ABI, without what makes a handle of an integer
 *   no-self     one object of Open MPI only
 *   finalized   of the MPICH family; MPI was ended before
 *   broken      of the MPICH family; MPI is there, and does not say with which threads
 *   single      the standard's ABI, for one thread at a time */
#include <stdint.h>
#include <string.h>

#define STRANGE    0
#define NO_FROMINT 1
#define NO_SELF    2
#define FINALIZED  3
#define BROKEN     4
#define SINGLE     5
enum { ERROR_OTHER = 15, SERIALIZED = 3 };

#define API __attribute__((visibility("default")))

static int call(const char *name, void *a, void *b, void *d)
{
    if (!strcmp(name, "Initialized"))
        *(int *)a = KIND == BROKEN;
    else if (!strcmp(name, "Finalized"))
        *(int *)a = KIND == FINALIZED;
    else if (!strcmp(name, "Query_thread"))
        return ERROR_OTHER;
    else if (!strcmp(name, "Init_thread"))
        *(int *)d = SERIALIZED;
    else if (!strcmp(name, "Comm_rank"))
        *(int *)b = 0;
    else if (!strcmp(name, "Comm_size"))
        *(int *)b = 1;
    else if (!strcmp(name, "Error_string"))
        strcpy(b, "it is broken");
    return 0;
}

/* Nothing is known of the parameters but that they come in registers. */
#define MPI(name, parameters)                                                                                          \
    API int MPI_##name(void *a, void *b, void *c, void *d);                                                            \
    int MPI_##name(void *a, void *b, void *c, void *d)                                                                 \
    {                                                                                                                  \
        (void)c;                                                                                                       \
        return call(#name, a, b, d);                                                                                   \
    }
#include "runtime/mpi/mpi.def"

#if KIND == STRANGE || KIND == NO_FROMINT || KIND == SINGLE
API int MPI_Abi_get_version(int *major, int *minor);
int MPI_Abi_get_version(int *major, int *minor)
{
    *major = KIND == STRANGE ? 2 : 1;
    *minor = 0;
    return 0;
}
#endif

#if KIND == SINGLE
API uintptr_t MPI_Comm_fromint(int number);
uintptr_t MPI_Comm_fromint(int number) { return 0x1000 + (uintptr_t)number; }
#endif

#if KIND == NO_SELF
API char ompi_mpi_comm_world;
char ompi_mpi_comm_world;
#endif

#if KIND == FINALIZED
API void MPIR_Err_create_code(void);
void MPIR_Err_create_code(void) {}
#elif KIND == BROKEN
API void MPIR_Comm_init(void);
void MPIR_Comm_init(void) {}
#endif
