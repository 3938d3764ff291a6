/* Allocations that fail (tests/fail/interpose.c); the library is preloaded. */
#ifndef TESTS_FAIL_INTERPOSE_H
#define TESTS_FAIL_INTERPOSE_H

#include <stdbool.h>

#define EXPORTED __attribute__((visibility("default")))

/* From now on the n-th allocation fails, and those after it if `on`; 0: none. Starts counting again. */
EXPORTED void fail_at(long n, bool on);
EXPORTED long fail_count(void); /* allocations since */
EXPORTED int fail_failed(void); /* those of them that failed */
EXPORTED long fail_live(void);  /* blocks and mappings that are not freed, since the process began */
EXPORTED void fail_threads(bool fail);

/* ---- files (tests/fail/files.c) ---- */

/* From now on the n-th call on files that libsdfg.so makes fails with this errno, and those after it if `on`; 0: none.
 */
EXPORTED void fail_file_at(long n, bool on, int error);
EXPORTED int fail_file_failed(void);

#endif
