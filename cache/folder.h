/* The folder of a store: who may use it, its files, and what is thrown away. */
#ifndef CACHE_FOLDER_H
#define CACHE_FOLDER_H

#include "cache/store.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#define ENTRY_ENDING    ".kernel"
#define TEMPORARY_BEGIN "tmp-"

/* The folder whose parents have been found trustworthy first; written once. All zero at the start. Only who owns a
 * parent could change that, and those are trusted. */
struct folder_known {
    atomic_int state;
    dev_t device;
    ino_t inode;
};

/* Opens the folder, or makes it with its parents (`make`). -1 with *why (static or strerror's, valid at once) if it
 * cannot be used; errno is ENOENT if it is just not there. The parents of the `known` folder (may be NULL) are not
 * looked at again. */
int folder_open(const char *path, bool make, struct folder_known *known, const char **why);
/* Whether a folder or file may be trusted: it belongs to this user, and nobody else may write it. */
bool folder_trusts(const struct stat *s);

/* What stands in a folder; names live in `a`. */
struct folder_file {
    const char *name;
    uint64_t bytes;
    time_t used;
    bool temporary;
};

/* All entries and temporary files, the one used longest ago first. False if the folder cannot be read. */
bool folder_list(int folder, struct arena *a, struct folder_file **out, uint32_t *count);
/* Removes entries that are too old, then the ones used longest ago until the limit holds, and temporary files that
 * nobody is writing any more. The number of removed files. */
uint64_t folder_prune(int folder, struct cache_limits limits);

#endif
