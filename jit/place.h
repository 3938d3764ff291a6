/* Places relocatable objects (ELF) in memory and gives the addresses of what they define: a small linker for the
 * objects that our own code generator writes, without LLVM, so that cached code starts in microseconds. What it does
 * not know it refuses with a reason; jit/link.c then takes ORC.
 *
 * Objects are untrusted bytes: every offset, index and size is checked before use. */
#ifndef JIT_PLACE_H
#define JIT_PLACE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct place_object {
    const void *bytes; /* only read by place_new */
    size_t size;
};

struct place_options {
    void *(*symbol)(
        const char *name); /* first choice for what the objects call; then what the process has. May be NULL */
    bool listeners;        /* announce the code to gdb, and to perf by /tmp/perf-<pid>.map */
    uint16_t machine;      /* EM_X86_64 or EM_AARCH64; 0: this machine. Tests place code they cannot run */
};

struct placed;

/* All objects become one image; they may refer to each other. NULL with *why (in `a`) if it cannot be done. */
struct placed *place_new(const struct place_object *objects, uint32_t count, const struct place_options *o,
                         struct arena *a, const char **why);
void place_free(struct placed *p);                             /* unloads the code; NULL is allowed */
void *place_address(const struct placed *p, const char *name); /* of a global function; NULL if absent */
size_t place_bytes(const struct placed *p);                    /* code and data of the objects */
size_t place_memory(const struct placed *p);                   /* what place_free gives back */

/* What generated code may call: `first`, then the process, then vector forms of mathematical functions. NULL if nobody
 * has it. */
void *place_find(void *(*first)(const char *name), const char *name);

#endif
