/* The MPI library, opened at run time and never closed: it has threads and handlers of its own. */
#include "runtime/mpi/mpi_internal.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct sdfg_rt_mpi_constants no_constants; /* of a process that is the whole world */
static struct sdfg_rt_mpi_library library = { .constants = &no_constants };
static void *library_file;                                 /* NULL: none */
static _Atomic(const struct sdfg_rt_mpi_library *) opened; /* `library`, initialized */

static const char *const open_files[] = { "libmpi.so.40", "libmpi.so.80", NULL };
static const char *const mpich_files[] = { "libmpich.so.12", "libmpi.so.12", NULL };
static const char *const abi_files[] = { "libmpi_abi.so.1", "libmpi_abi.so.0", NULL }; /* the standard ABI of MPI 5 */

static const struct launcher {
    const char *variable;     /* that it sets for the processes that it starts */
    const char *here;         /* how many of them are on this machine */
    const char *const *first; /* libraries of this launcher */
    const char *const *then;
} launchers[] = {
    { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", open_files, NULL },
    { "PMI_SIZE", "MPI_LOCALNRANKS", mpich_files, NULL },
    { "MPI_LOCALNRANKS", "MPI_LOCALNRANKS", mpich_files, NULL },
    { "PMIX_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", open_files, mpich_files },
};

static const struct launcher *launcher(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (getenv(launchers[i].variable))
            return &launchers[i];
    return NULL;
}

bool sdfg_rt_mpi_launched(void) { return launcher() != NULL; }

/* ---- opening ---- */

static const struct row {
    const char *name;
    size_t offset;
    bool optional;
} rows[] = {
#define MPI(name, parameters)          { "MPI_" #name, offsetof(struct sdfg_rt_mpi_library, name), false },
#define MPI_OPTIONAL(name, parameters) { "MPI_" #name, offsetof(struct sdfg_rt_mpi_library, name), true },
#include "runtime/mpi/mpi.def"
};

static void use_mpich(struct sdfg_rt_mpi_library *m)
{
    static const struct sdfg_rt_mpi_constants constants = {
        .in_place = (void *)(intptr_t)-1,
        .handle_bytes = 4,
        .source_at = 8,
        .tag_at = 12,
        .proc_null = -1,
        .any_source = -2,
        .any_tag = -1,
        .orders = { 56, 57 },
        .thread_multiple = 3,
        .mode_read = 2,
        .mode_write = 4,
    };
    m->world = 0x44000000;
    m->alone = 0x44000001;
    m->none = 0x04000000;
    m->errors_return = 0x54000001;
    m->no_info = 0x1c000000;
    m->constants = &constants;
#define MPI_ELEMENT(name, bytes, mpich, open, standard) m->types[SDFG_RT_MPI_##name] = mpich;
#define MPI_OPERATION(name, mpich, open, standard)      m->ops[SDFG_RT_MPI_##name] = mpich;
#include "runtime/mpi/mpi.def"
}

/* The first object that the library lacks, or NULL. */
static const char *use_open(struct sdfg_rt_mpi_library *m, void *file)
{
    static const struct sdfg_rt_mpi_constants constants = {
        .in_place = (void *)(intptr_t)1,
        .handle_bytes = sizeof(void *),
        .source_at = 0,
        .tag_at = 4,
        .proc_null = -2,
        .any_source = -1,
        .any_tag = -1,
        .orders = { 0, 1 },
        .thread_multiple = 3,
        .mode_read = 2,
        .mode_write = 4,
    };
    static const struct {
        const char *name;
        size_t offset;
    } objects[] = {
        { "ompi_mpi_comm_world", offsetof(struct sdfg_rt_mpi_library, world) },
        { "ompi_mpi_comm_self", offsetof(struct sdfg_rt_mpi_library, alone) },
        { "ompi_mpi_comm_null", offsetof(struct sdfg_rt_mpi_library, none) },
        { "ompi_mpi_errors_return", offsetof(struct sdfg_rt_mpi_library, errors_return) },
        { "ompi_mpi_info_null", offsetof(struct sdfg_rt_mpi_library, no_info) },
        { "MPI_Comm_f2c", offsetof(struct sdfg_rt_mpi_library, Comm_f2c) },
#define MPI_ELEMENT(name, bytes, mpich, open, standard)                                                                \
    { #open, offsetof(struct sdfg_rt_mpi_library, types) + SDFG_RT_MPI_##name * sizeof(mpi_handle) },
#define MPI_OPERATION(name, mpich, open, standard)                                                                     \
    { #open, offsetof(struct sdfg_rt_mpi_library, ops) + SDFG_RT_MPI_##name * sizeof(mpi_handle) },
#include "runtime/mpi/mpi.def"
    };
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        void *object = dlsym(file, objects[i].name);
        if (!object)
            return objects[i].name;
        memcpy((char *)m + objects[i].offset, &object, sizeof object);
    }
    m->constants = &constants;
    return NULL;
}

/* Libraries of MPI 5 have the function whatever their ABI; those with one of their own give -1. It may be called before
 * MPI is initialized. */
static bool is_standard(void *file)
{
    int (*version)(int *major, int *minor), major = -1, minor = -1;
    void *function = dlsym(file, "MPI_Abi_get_version");
    memcpy(&version, &function, sizeof version);
    return version && version(&major, &minor) == 0 && major == 1;
}

/* The constants of the standard's ABI (MPI 5.0, appendix A). What the library lacks, or NULL. */
static const char *use_standard(struct sdfg_rt_mpi_library *m, void *file)
{
    static const struct sdfg_rt_mpi_constants constants = {
        .in_place = (void *)(intptr_t)1,
        .handle_bytes = sizeof(void *),
        .source_at = 0,
        .tag_at = 4,
        .proc_null = -3,
        .any_source = -1,
        .any_tag = -2,
        .orders = { 0xC, 0xF },
        .thread_multiple = 4096,
        .mode_read = 16,
        .mode_write = 256,
    };
    void *fromint = dlsym(file, "MPI_Comm_fromint"); /* Fortran's integers are those of MPI_Comm_toint */
    if (!fromint)
        return "MPI_Comm_fromint";
    memcpy(&m->Comm_f2c, &fromint, sizeof fromint);
    m->standard = true;
    m->world = 0x101;
    m->alone = 0x102;
    m->none = 0x100;
    m->errors_return = 0x143;
    m->no_info = 0x130;
    m->constants = &constants;
#define MPI_ELEMENT(name, bytes, mpich, open, standard) m->types[SDFG_RT_MPI_##name] = standard;
#define MPI_OPERATION(name, mpich, open, standard)      m->ops[SDFG_RT_MPI_##name] = standard;
#include "runtime/mpi/mpi.def"
    return NULL;
}

/* What the file lacks, or NULL. */
static const char *bind(struct sdfg_rt_mpi_library *m, void *file)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *function = dlsym(file, rows[i].name);
        if (!function && !rows[i].optional)
            return rows[i].name;
        memcpy((char *)m + rows[i].offset, &function, sizeof function);
    }
    if (is_standard(file))
        return use_standard(m, file);
    if (dlsym(file, "ompi_mpi_comm_world"))
        return use_open(m, file);
    if (!dlsym(file, "MPIR_Err_create_code") && !dlsym(file, "MPIX_Comm_agree") && !dlsym(file, "MPIR_Comm_init"))
        return "handles that we know: it is neither of the MPICH family nor Open MPI, nor has it the standard ABI of "
               "MPI 5";
    use_mpich(m);
    return NULL;
}

static void add(char *trouble, const char *format, const char *a, const char *b)
{
    size_t used = strlen(trouble);
    snprintf(trouble + used, SDFG_RT_MPI_TROUBLE - used, format, a, b);
}

static bool open_file(const char *name, int more, char *trouble)
{
    void *file = dlopen(name, RTLD_NOW | RTLD_GLOBAL | more); /* parts that Open MPI loads look for it among all */
    const char *error = file ? NULL : dlerror();
    const char *lacks = file ? bind(&library, file) : NULL;
    if (file && !lacks) {
        library_file = file;
        return true;
    }
    if (more & RTLD_NOLOAD)
        return false;
    if (file)
        add(trouble, "\n  %s: has no %s", name, lacks);
    else
        add(trouble, "\n  %s%s", error ? error : name, "");
    return false;
}

static bool open_one(const char *const *names, int more, char *trouble)
{
    for (; names && *names; names++)
        if (open_file(*names, more, trouble))
            return true;
    return false;
}

static bool find_file(char *trouble)
{
    const struct launcher *l = launcher();
    const char *given = secure_getenv("SDFG_MPI");
    snprintf(trouble, SDFG_RT_MPI_TROUBLE, "the MPI library cannot be opened; SDFG_MPI names its file. Tried:");
    if (given && *given)
        return open_file(given, 0, trouble);
    /* an ABI that wraps another library has that one loaded, too: the host uses the wrapper */
    if (open_one(abi_files, RTLD_NOLOAD, trouble) || open_one(open_files, RTLD_NOLOAD, trouble) ||
        open_one(mpich_files, RTLD_NOLOAD, trouble))
        return true;
    library.self = !l;
    return !l || open_one(l->first, 0, trouble) || open_one(l->then, 0, trouble) || open_one(abi_files, 0, trouble);
}

/* ---- initializing ---- */

/* Do processes that wait take processors from others? */
static bool crowded(void)
{
    const struct launcher *l = launcher();
    const char *given = secure_getenv("SDFG_MPI_YIELD"), *here = l ? getenv(l->here) : NULL;
    if (given && *given)
        return strcmp(given, "0") != 0;
    return here && strtol(here, NULL, 10) > sysconf(_SC_NPROCESSORS_ONLN);
}

static atomic_bool ending; /* MPI_Abort may call exit */

static void finalize(void)
{
    int done = 1;
    if (!ending && library.Finalized(&done) == 0 && !done)
        library.Finalize();
}

/* Does the library take addresses of CUDA devices as buffers? */
static bool reaches_devices(void)
{
    const char *given = secure_getenv("SDFG_MPI_GPU");
    void *of_mpich = dlsym(library_file, "MPIX_GPU_query_support"),
         *of_open = dlsym(library_file, "MPIX_Query_cuda_support");
    int (*mpich)(int kind, int *out), (*open)(void), yes = 0;
    enum { CUDA_KIND = 0 };
    if (given && *given)
        return strcmp(given, "0") != 0;
    memcpy(&mpich, &of_mpich, sizeof mpich);
    memcpy(&open, &of_open, sizeof open);
    return mpich ? mpich(CUDA_KIND, &yes) == 0 && yes : open && open() == 1;
}

static bool failed(char *trouble, const char *function, int result)
{
    char text[1024] = "no text";
    int length;
    library.Error_string(result, text, &length);
    snprintf(trouble, SDFG_RT_MPI_TROUBLE, "%s: %.400s", function, text); /* both have at most 512 */
    return false;
}

static bool start(char *trouble)
{
    int there = 0, provided = 0;
    library.size = 1;
    library.threads = true;
    if (library.self)
        return true;
    int result = library.Finalized(&there);
    if (result == 0 && there) {
        snprintf(trouble, SDFG_RT_MPI_TROUBLE, "MPI was finalized before the program ran");
        return false;
    }
    if ((result = library.Initialized(&there)))
        return failed(trouble, "MPI_Initialized", result);
    if (there)
        result = library.Query_thread(&provided);
    else if (!(result = library.Init_thread(NULL, NULL, library.constants->thread_multiple, &provided))) {
        atexit(finalize);
        library.Comm_set_errhandler(library.world, library.errors_return);
    }
    if (result)
        return failed(trouble, there ? "MPI_Query_thread" : "MPI_Init_thread", result);
    library.threads = provided == library.constants->thread_multiple;
    if ((result = library.Comm_rank(library.world, &library.rank)))
        return failed(trouble, "MPI_Comm_rank", result);
    if ((result = library.Comm_size(library.world, &library.size)))
        return failed(trouble, "MPI_Comm_size", result);
    library.devices = reaches_devices();
    sdfg_rt_mpi_yield(&library, crowded());
    return true;
}

const struct sdfg_rt_mpi_library *sdfg_rt_mpi_open(char *trouble)
{
    static bool bound;
    const struct sdfg_rt_mpi_library *now = atomic_load_explicit(&opened, memory_order_acquire);
    if (now)
        return now;
    pthread_mutex_lock(&lock);
    bound = bound || find_file(trouble);
    if (bound && !opened && start(trouble))
        opened = &library;
    now = opened;
    pthread_mutex_unlock(&lock);
    return now;
}

/* ---- the engine ---- */

bool sdfg_rt_mpi_world(int *rank, int *size, char *trouble)
{
    const struct sdfg_rt_mpi_library *m = sdfg_rt_mpi_open(trouble);
    *rank = m ? m->rank : 0;
    *size = m ? m->size : 1;
    return m != NULL;
}

bool sdfg_rt_mpi_least(int64_t value, int64_t *least, char *trouble)
{
    const struct sdfg_rt_mpi_library *m = sdfg_rt_mpi_open(trouble);
    *least = value;
    if (!m || m->self)
        return m != NULL;
    /* collectives must be begun in the same way by all processes */
    int64_t mine[2] = { value, !sdfg_rt_mpi_yields() }, all[2];
    mpi_handle request = 0;
    struct sdfg_rt_mpi_status status;
    int result = m->Iallreduce(mine, all, 2, m->types[SDFG_RT_MPI_INT64], m->ops[SDFG_RT_MPI_MIN], m->world, &request);
    if (!result) /* another process may be compiling: this one yields the processor */
        result = sdfg_rt_mpi_wait_yielding(&request, &status);
    if (result)
        return failed(trouble, "MPI_Iallreduce", result);
    *least = all[0];
    sdfg_rt_mpi_yield_together(!all[1]);
    return true;
}

void sdfg_rt_mpi_end(const struct sdfg_rt_mpi_library *m, mpi_handle comm, int code)
{
    ending = true;
    if (m && !m->self)
        m->Abort(comm, code);
    _Exit(code);
}

void sdfg_rt_mpi_abort(int code)
{
    const struct sdfg_rt_mpi_library *m = atomic_load(&opened);
    int there = 0;
    if (!m && library.Abort && !library.self) { /* it could not be started: what about the others? */
        if (library.Initialized(&there) || !there)
            raise(SIGTERM); /* launchers end all when a process dies */
        m = &library;
    }
    sdfg_rt_mpi_end(m, m ? m->world : 0, code);
}
