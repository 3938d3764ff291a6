/* Between a program that calls code compiled ahead of time (written by tests/python/foreign.py) and main.c. */
#ifndef TESTS_AARCH64_CALL_H
#define TESTS_AARCH64_CALL_H

#include <stddef.h>
#include <stdint.h>

/* One call: memory, and the position of each argument in it (0: a null pointer). */
struct call {
    unsigned char *memory;
    const int64_t *arguments;
};

#define POINTER(i)     (c->arguments[i] ? (void *)(c->memory + c->arguments[i]) : NULL)
#define VALUE(type, i) (*(const type *)(const void *)(c->memory + c->arguments[i]))

/* A function that the program is linked with, or that of the library that it opens or of the object that it places. */
#if defined(OPENED) || defined(PLACED)
#define FUNCTION(name) ((__typeof__(&name))find(#name))
#else
#define FUNCTION(name) name
#endif

void *find(const char *name);
void *external(size_t bytes); /* memory that the caller supplies */

void *program_init(const struct call *c);
int program_call(void *handle, const struct call *c);
int program_exit(void *handle);

#endif
