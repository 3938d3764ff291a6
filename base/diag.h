/* Diagnostics: what went wrong, where, and whose fault it is.
 *
 * A failing function records the message and returns false: `return diag_error(d, &n->place, DIAG_NO_TARGET, name);`.
 * One sink per compilation, used by one thread. INVALID errors are collected; any other class should stop the work. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/place.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum diag_class {
    DIAG_CLASS_INVALID,     /* the input is wrong */
    DIAG_CLASS_UNSUPPORTED, /* the input is right, but we cannot */
    DIAG_CLASS_ENVIRONMENT, /* missing file, library, memory, device */
    DIAG_CLASS_BUG,         /* ours */
};

/* diag.def: DIAG(name, class, "format"); the format's arguments are those of diag_error after the code. */
enum diag_code {
#define DIAG(name, class, text) DIAG_##name,
#include "base/diag.def"
#undef DIAG
    DIAG_COUNT
};

struct diag {
    enum diag_code code;
    bool warning;
    const char *message; /* without path */
    const char *path;    /* "" when it has no place */
    const char *source;  /* "user.py:5:4", a file, or "" */
    const char *excerpt; /* text with a caret below the fault, or NULL */
};

struct diags;

struct diags *diags_new(struct arena *a);
/* The source of what has no place from now on: the file that is read, whose name is kept, not copied. NULL: none. */
void diags_file(struct diags *d, const char *file);
bool diag_error(struct diags *d, const struct place *at, enum diag_code code, ...); /* always false */
bool diag_verror(struct diags *d, const struct place *at, enum diag_code code, va_list args);
void diag_warning(struct diags *d, const struct place *at, enum diag_code code, ...);
/* The same, with a line of `text` (not necessarily zero-terminated) and a caret at byte `offset` of it. */
bool diag_error_in(struct diags *d, const struct place *at, const char *text, size_t length, size_t offset,
                   enum diag_code code, ...);
void diag_warning_in(struct diags *d, const struct place *at, const char *text, size_t length, size_t offset,
                     enum diag_code code, ...);

uint32_t diags_count(const struct diags *d); /* warnings included */
uint32_t diags_errors(const struct diags *d);
const struct diag *diags_get(const struct diags *d, uint32_t i);
void diag_copy(struct diags *to, const struct diag *g); /* also from a sink that ends before */
void diags_reset(struct diags *d, uint32_t count);      /* forget everything after the first `count` */
/* Worst class among the errors recorded (BUG before ENVIRONMENT before UNSUPPORTED before INVALID). */
enum diag_class diags_class(const struct diags *d);

const char *diag_name(enum diag_code code);
enum diag_class diag_class_of(enum diag_code code);
const char *diag_class_name(enum diag_class c); /* "invalid", "unsupported", "environment", "bug" */
/* "error[unsupported]: ...\n  at axpy/state[0] ...   (user.py:5:4)\n" */
void diag_print(const struct diag *g, struct text *out);

#endif
