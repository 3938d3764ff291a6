/* Places relocatable objects (ELF) in memory and gives the addresses of what they define: a small linker for the
 * objects that our own code generator writes, without LLVM, so that cached code starts in microseconds. What it does
 * not know it refuses with a reason; jit/link.c then takes ORC.
 *
 * Objects are untrusted bytes: every offset, index and size is checked before use. */
#ifndef JIT_PLACE_H
#define JIT_PLACE_H

#include "base/arena.h"
#include "base/code_object.h"

#include <stdbool.h>
#include <stdint.h>

struct place_options {
    void *(*symbol)(
        const char *name); /* first choice for what the objects call; then what the process has. May be NULL */
    bool listeners;        /* announce the code to gdb, and to perf by /tmp/perf-<pid>.map */
    uint16_t machine;      /* EM_X86_64 or EM_AARCH64; 0: this machine. Tests place code they cannot run */
};

struct placed;

/* All objects but those of CODE_KEPT become one image; they may refer to each other. Their bytes are not needed
 * afterwards. NULL with *why (in `a`) if it cannot be done. */
struct placed *place_new(const struct code_object *objects, uint32_t count, const struct place_options *o,
                         struct arena *a, const char **why);
void place_free(struct placed *p);                             /* unloads the code; NULL is allowed */
void *place_address(const struct placed *p, const char *name); /* of a global function; NULL if absent */
size_t place_bytes(const struct placed *p);                    /* code and data of the objects */
size_t place_memory(const struct placed *p);                   /* what place_free gives back */

/* What generated code may call: `first`, then the process, then vector forms of mathematical functions. NULL if nobody
 * has it. */
void *place_find(void *(*first)(const char *name), const char *name);

/* The same objects as a shared library in a file instead of in memory. */
struct place_shared {
    const char *name;           /* that it is known by (DT_SONAME) */
    const char *search;         /* where the libraries that it needs are looked for first (DT_RUNPATH) */
    const char *const *exports; /* what it shows */
    uint32_t num_exports;
    const char *const *needed; /* libraries that have what it does not define */
    uint32_t num_needed;
};

struct text;
/* Appends the file; false with *why (in the arena of `out`). The machine is that of the object. */
bool place_write_shared(const struct code_object *object, const struct place_shared *o, struct text *out,
                        const char **why);

#endif
