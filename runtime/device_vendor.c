#include "runtime/device_vendor.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- finding ---- */

/* The major version in "libcublas.so.12"; 0: the name does not say. */
static int major_of(const char *file)
{
    const char *at = strstr(file, ".so.");
    return at ? atoi(at + strlen(".so.")) : 0;
}

static bool is_given(const struct sdfg_rt_vendor *v)
{
    const char *given = secure_getenv(v->files.variable);
    return given && *given;
}

static bool is_refused(const struct sdfg_rt_vendor *v)
{
    const char *given = secure_getenv(v->files.variable);
    return given && !strcmp(given, "none");
}

/* Libraries that are newer than the driver do not start. */
static bool is_too_new(const struct sdfg_rt_vendor *v, const char *file, int driver)
{
    enum { MAJOR = 1000 };
    int major = major_of(file);
    return driver && !is_given(v) && major && major + v->behind > driver / MAJOR;
}

struct looking {
    const struct sdfg_rt_vendor *vendor;
    int driver;
    struct sdfg_rt_device_file *out;
};

static bool look(void *user, const char *file)
{
    struct looking *l = user;
    struct stat s;
    if (!strchr(file, '/') || is_too_new(l->vendor, file, l->driver) || stat(file, &s))
        return false;
    snprintf(l->out->path, sizeof l->out->path, "%s", file);
    l->out->size = s.st_size;
    l->out->seconds = s.st_mtim.tv_sec;
    l->out->nanoseconds = s.st_mtim.tv_nsec;
    return true;
}

bool sdfg_rt_device_library(enum sdfg_rt_library which, int32_t driver, struct sdfg_rt_device_file *out)
{
    static struct sdfg_rt_vendor *const all[] = {
        [SDFG_RT_CUBLAS] = &sdfg_rt_cublas, [SDFG_RT_CUSOLVER] = &sdfg_rt_cusolver, [SDFG_RT_CUFFT] = &sdfg_rt_cufft
    };
    struct looking l = { all[which], driver, out };
    return !is_refused(l.vendor) && sdfg_rt_find_files(&l.vendor->files, look, &l);
}

/* ---- opening ---- */

struct opening {
    struct sdfg_rt_vendor *vendor;
    int driver;
    char tried[SDFG_RT_DEVICE_TROUBLE / 2];
};

static void add(struct opening *o, const char *file, const char *why, const char *what)
{
    size_t used = strlen(o->tried);
    snprintf(o->tried + used, sizeof o->tried - used, "\n  %s%s%s%s", file, *file ? ": " : "", why, what);
}

/* The first required function that the library lacks, or NULL. */
static const char *bind(const struct sdfg_rt_vendor *v, void *library)
{
    for (size_t i = 0; i < v->num_rows; i++) {
        void *function = dlsym(library, v->rows[i].symbol);
        if (!function && v->rows[i].required)
            return v->rows[i].symbol;
        memcpy((char *)v->functions + v->rows[i].offset, &function, sizeof function);
    }
    return NULL;
}

static void open_all(const char *pattern)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL); /* without it the linker says what is missing */
    globfree(&found);
}

/* libcublas.so.12 needs libcublasLt.so.12, which lies beside it, or in another wheel, and need not be where the dynamic
 * linker looks. */
static void open_needs(const struct sdfg_rt_vendor *v, const char *file)
{
    char path[SDFG_RT_DEVICE_PATH];
    const char *slash = strrchr(file, '/');
    for (const struct sdfg_rt_vendor_need *n = slash ? v->needs : NULL; n && n->name; n++) {
        int folder = (int)(slash - file);
        if (snprintf(path, sizeof path, "%.*s/lib%s.so.[0-9]*", folder, file, n->name) < (int)sizeof path)
            open_all(path);
        if (snprintf(path, sizeof path, "%.*s/../../%s/lib/lib%s.so.[0-9]*", folder, file, n->wheel, n->name) <
            (int)sizeof path)
            open_all(path);
    }
}

static bool open_file(void *user, const char *file)
{
    struct opening *o = user;
    if (is_too_new(o->vendor, file, o->driver)) {
        add(o, file, "newer than the driver", "");
        return false;
    }
    open_needs(o->vendor, file);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) { /* the dynamic linker names the file, too */
        const char *error = dlerror();
        add(o, error ? "" : file, error ? error : "cannot be opened", "");
        return false;
    }
    const char *lacks = bind(o->vendor, library);
    if (!lacks)
        return true;
    add(o, file, "has no ", lacks);
    dlclose(library);
    return false;
}

bool sdfg_rt_vendor_open(struct sdfg_rt_vendor *v, struct sdfg_rt_run *run, const char *path)
{
    struct opening o = { .vendor = v };
    if (atomic_load_explicit(&v->opened, memory_order_acquire))
        return true;
    if (!sdfg_rt_run_check(run, "cuDriverGetVersion", run->gpu->cuda->DriverGetVersion(&o.driver), ""))
        return false;
    pthread_mutex_lock(&v->lock);
    bool good = v->opened || (!is_refused(v) && sdfg_rt_find_files(&v->files, open_file, &o));
    v->opened = good;
    pthread_mutex_unlock(&v->lock);
    return good ||
           sdfg_rt_device_fail(run->context, SDFG_RT_DEVICE,
                               "%s, which was there when the program was compiled, cannot be opened for %s. %s names "
                               "its file, and %s=none compiles programs without it. Tried:%s",
                               v->title, path, v->files.variable, v->files.variable, *o.tried ? o.tried : " nothing");
}

/* What kernels in front of it did wrong may show up here: the driver knows better. */
bool sdfg_rt_vendor_check(struct sdfg_rt_run *run, const struct sdfg_rt_vendor_status *s)
{
    if (!s->number)
        return true;
    sdfg_rt_device_wait(run, SDFG_RT_ALL_QUEUES);
    return sdfg_rt_run_good(run) &&
           sdfg_rt_device_fail(run->context, s->memory ? SDFG_RT_OUT_OF_MEMORY : SDFG_RT_DEVICE, "%s: %s (%d): %s %s",
                               s->function, s->name ? s->name : "an unknown error", s->number, s->doing, s->path);
}

void *sdfg_rt_run_workspace(struct sdfg_rt_run *run)
{
    if (!run->workspace)
        run->workspace = sdfg_rt_device_alloc(run, SDFG_RT_LIBRARY_MEMORY, SDFG_RT_ON_DEVICE);
    return run->workspace;
}
