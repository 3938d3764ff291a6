/* Compiled code is a list of typed objects: the code generator gives it, caches keep it, the linker places it. */
#ifndef BASE_CODE_OBJECT_H
#define BASE_CODE_OBJECT_H

#include <stddef.h>

/* Numbers are part of cache entries. All but the last are relocatable objects (ELF) of the machine that the code is
 * for.
 */
enum code_type {
    CODE_MACHINE, /* functions */
    CODE_DEVICE,  /* data: code of a GPU, and the record by which the runtime knows it */
    CODE_GIVEN,   /* what the compiler of a plug-in's target gave; named by the target */
    CODE_KEPT, /* what a plug-in's target keeps with the code (sdfg_code_object); named by the target, '/', its name */
    NUM_CODE_TYPES
};

struct code_object {
    enum code_type type;
    const char *name;
    const void *bytes;
    size_t size;
};

struct arena;
/* A copy of an object's bytes, aligned to 16 bytes; of nothing, too, it is an address. */
const void *code_object_bytes(struct arena *a, const void *bytes, size_t size);

#endif
