/* Where libraries of CUDA lie: those that the runtime opens, and NVRTC (gpu/nvrtc_find.c). Depends on the C library
 * alone. */
#ifndef RUNTIME_DEVICE_FIND_H
#define RUNTIME_DEVICE_FIND_H

#include <stdbool.h>

struct sdfg_rt_files {
    const char *variable;     /* of the environment: the one file that counts, if it is set */
    const char *const *names; /* of files, the newest major first; the last one is NULL */
    const char *wheel;        /* what its Python wheel calls the folder below nvidia/ */
};

typedef bool sdfg_rt_file_seen(void *user, const char *file); /* true: no further one is wanted */

/* Files that are there, and names that only the dynamic linker may know (those have no '/'), in this order: the file
 * that the variable names alone; else the folders of $CUDA_HOME, $CUDA_PATH and $LD_LIBRARY_PATH, the names,
 * /usr/local/cuda*, the Python wheels of the virtual environment, of Conda, of the user and of the system, and the
 * system's libraries. Newer majors come first. True if `see` wanted one. */
bool sdfg_rt_find_files(const struct sdfg_rt_files *f, sdfg_rt_file_seen *see, void *user);

#endif
