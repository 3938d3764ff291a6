/* Errors as callers see them, made from the diagnostics of one public call. */
#ifndef ENGINE_ERROR_H
#define ENGINE_ERROR_H

#include "base/diag.h"
#include "base/fatal.h"
#include "engine/codegen.h"
#include "engine/include/sdfg.h"
#include "engine/program/bytes.h"

/* "out of memory", which needs none. */
sdfg_error *error_memory(enum sdfg_error_stage stage);
/* INVALID: a public function was given NULL for a parameter that needs more. */
__attribute__((cold, noinline)) sdfg_error *error_null(const char *function, const char *parameter);
/* Among the first lines of a public function that returns an error. */
#define NEEDS(parameter)                                                                                               \
    if (__builtin_expect(!(parameter), 0))                                                                             \
    return error_null(__func__, #parameter)
#define NEEDS_FOR(parameter, count)                                                                                    \
    if (!(parameter) && (count))                                                                                       \
    return error_null(__func__, #parameter)

/* Diagnostics of one public call: report_begin, record into `diags`, report_end. */
struct report {
    struct arena *arena;
    struct diags *diags;
    bool borrowed; /* the arena is somebody's, who resets it */
};

struct report report_begin(void);
struct report report_in(struct arena *a); /* an empty one, which holds the report until its owner resets it */
/* Releases the report; NULL if no error was recorded. */
sdfg_error *report_end(struct report *r, enum sdfg_error_stage stage);
/* One error: a whole report for what is told with a lock held, or without a guard. Never abandons the work. */
sdfg_error *error_of(enum sdfg_error_stage stage, enum diag_code code, ...);

/* The same from diagnostics that live elsewhere. With only warnings in it: an object that carries these; NULL if empty.
 */
sdfg_error *error_from_diags(const struct diags *d, enum sdfg_error_stage stage);
/* The messages of both, of which `more` is freed. Either may be NULL. */
sdfg_error *error_join(sdfg_error *e, sdfg_error *more);
/* errno says why there is no thread with a large stack. */
sdfg_error *error_stack(enum sdfg_error_stage stage);
sdfg_error *error_copy(const sdfg_error *e); /* never abandons the work: without memory it is another error */
/* From what the code generator said; NULL if it said nothing. */
sdfg_error *error_from_messages(const struct codegen_message *messages, uint32_t count);
sdfg_error *error_from_message(const struct codegen_message *message, enum sdfg_error_stage stage);
/* Texts that callers free: *out gets a copy of `t` and a zero behind it, unless there is an `error` already, which is
 * returned. `size` may be NULL. */
sdfg_error *give_text(char **out, const struct text *t, size_t *size, sdfg_error *error);
/* As bytes (engine/program/bytes.h); NULL is allowed. */
void error_put(struct text *out, const sdfg_error *e);
sdfg_error *error_take(struct bytes *b);

#endif
