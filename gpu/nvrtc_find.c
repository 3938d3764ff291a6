/* Where NVRTC lies: toolkits and distributions have libnvrtc.so.MAJOR in a folder of libraries, Python wheels in
 * nvidia/cu13/lib or nvidia/cuda_nvrtc/lib of their site-packages. */
#include "base/vec.h"
#include "gpu/nvrtc.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2" };

enum { NUM_NAMES = sizeof names / sizeof *names };

struct search {
    struct arena *a;
    VEC(const char *) files;
};

/* Files of any name in the folders that match, the newest major first. */
static void add_folders(struct search *s, const char *pattern)
{
    for (int i = 0; i < NUM_NAMES; i++) {
        glob_t found;
        if (glob(arena_printf(s->a, "%s/%s", pattern, names[i]), 0, NULL, &found) == 0)
            for (size_t k = found.gl_pathc; k > 0; k--) /* later versions of what is before the name */
                vec_push(s->a, &s->files, arena_strdup(s->a, found.gl_pathv[k - 1]));
        globfree(&found);
    }
}

static void add_toolkit(struct search *s, const char *variable)
{
    const char *root = secure_getenv(variable);
    if (!root || !*root)
        return;
    add_folders(s, arena_printf(s->a, "%s/lib64", root));
    add_folders(s, arena_printf(s->a, "%s/lib", root));
}

static void add_wheels(struct search *s, const char *packages)
{
    add_folders(s, arena_printf(s->a, "%s/nvidia/cu[0-9]*/lib", packages));
    add_folders(s, arena_printf(s->a, "%s/nvidia/cuda_nvrtc/lib", packages));
}

static void add_environment(struct search *s, const char *variable, const char *below)
{
    const char *root = secure_getenv(variable);
    if (root && *root)
        add_wheels(s, arena_printf(s->a, "%s/%s", root, below));
}

const char *const *nvrtc_find(struct arena *a, uint32_t *count)
{
    struct search s = { .a = a };
    const char *given = secure_getenv("SDFG_NVRTC");
    if (given && *given) {
        vec_push(a, &s.files, arena_strdup(a, given));
    } else {
        add_toolkit(&s, "CUDA_HOME");
        add_toolkit(&s, "CUDA_PATH");
        for (int i = 0; i < NUM_NAMES; i++)
            vec_push(a, &s.files, names[i]);
        add_folders(&s, "/usr/local/cuda*/lib64");
        add_folders(&s, "/usr/local/cuda*/lib");
        add_environment(&s, "VIRTUAL_ENV", "lib/python3*/site-packages");
        add_environment(&s, "CONDA_PREFIX", "lib/python3*/site-packages");
        const char *conda = secure_getenv("CONDA_PREFIX");
        if (conda && *conda)
            add_folders(&s, arena_printf(a, "%s/lib", conda));
        add_environment(&s, "HOME", ".local/lib/python3*/site-packages");
        add_wheels(&s, "/usr/local/lib/python3*/*-packages");
        add_wheels(&s, "/usr/lib/python3*/*-packages");
    }
    *count = s.files.count;
    return s.files.items;
}

const char *nvrtc_identity(struct arena *a)
{
    uint32_t count;
    const char *const *files = nvrtc_find(a, &count);
    struct stat s;
    for (uint32_t i = 0; i < count; i++)
        if (strchr(files[i], '/') && !stat(files[i], &s))
            return arena_printf(a, "nvrtc %s %lld %lld.%09ld\n", files[i], (long long)s.st_size,
                                (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    return "";
}
