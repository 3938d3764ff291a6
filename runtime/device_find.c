/* Toolkits and distributions have NAME.so.MAJOR in a folder of libraries, Python wheels in nvidia/cu13/lib or
 * nvidia/NAME/lib of their site-packages. */
#include "runtime/device_find.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
    const struct sdfg_rt_files *files;
    sdfg_rt_file_seen *see;
    void *user;
};

/* Files of any name in the folders that match, the newest major first. */
static bool folders(const struct search *s, const char *pattern)
{
    bool enough = false;
    for (const char *const *name = s->files->names; *name && !enough; name++) {
        char path[PATH_MAX];
        glob_t found;
        if (snprintf(path, sizeof path, "%s/%s", pattern, *name) >= (int)sizeof path)
            continue;
        if (glob(path, 0, NULL, &found) == 0)
            for (size_t k = found.gl_pathc; k > 0 && !enough; k--) /* later versions of what is before the name */
                enough = s->see(s->user, found.gl_pathv[k - 1]);
        globfree(&found);
    }
    return enough;
}

/* The folders `below` of the one that a variable names. */
static bool environment(const struct search *s, const char *variable, const char *below)
{
    const char *root = secure_getenv(variable);
    char path[PATH_MAX];
    return root && *root && snprintf(path, sizeof path, "%s/%s", root, below) < (int)sizeof path && folders(s, path);
}

/* Folders that are separated by colons. */
static bool listed(const struct search *s, const char *variable)
{
    const char *at = secure_getenv(variable);
    while (at && *at) {
        char path[PATH_MAX];
        size_t length = strcspn(at, ":");
        if (length && length < sizeof path) {
            snprintf(path, sizeof path, "%.*s", (int)length, at);
            if (folders(s, path))
                return true;
        }
        at += length + (at[length] != 0);
    }
    return false;
}

static bool wheels(const struct search *s, const char *variable, const char *packages)
{
    char path[PATH_MAX];
    const char *const roots[] = { "nvidia/cu[0-9]*", "nvidia", s->files->wheel };
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s%s%s/lib", packages, roots[i], i ? "/" : "", i ? roots[2] : "");
        if (variable ? environment(s, variable, path) : folders(s, path))
            return true;
    }
    return false;
}

static bool names(const struct search *s)
{
    for (const char *const *name = s->files->names; *name; name++)
        if (s->see(s->user, *name))
            return true;
    return false;
}

bool sdfg_rt_find_files(const struct sdfg_rt_files *f, sdfg_rt_file_seen *see, void *user)
{
    static const char packages[] = "lib/python3*/site-packages";
    const struct search s = { f, see, user };
    const char *given = secure_getenv(f->variable);
    if (given && *given)
        return see(user, given);
    return environment(&s, "CUDA_HOME", "lib64") || environment(&s, "CUDA_HOME", "lib") ||
           environment(&s, "CUDA_PATH", "lib64") || environment(&s, "CUDA_PATH", "lib") ||
           listed(&s, "LD_LIBRARY_PATH") || names(&s) || folders(&s, "/usr/local/cuda*/lib64") ||
           folders(&s, "/usr/local/cuda*/lib") || wheels(&s, "VIRTUAL_ENV", packages) ||
           wheels(&s, "CONDA_PREFIX", packages) || environment(&s, "CONDA_PREFIX", "lib") ||
           wheels(&s, "HOME", ".local/lib/python3*/site-packages") ||
           wheels(&s, NULL, "/usr/local/lib/python3*/*-packages") || wheels(&s, NULL, "/usr/lib/python3*/*-packages") ||
           folders(&s, "/usr/lib/*-linux-gnu") || folders(&s, "/usr/lib64");
}
