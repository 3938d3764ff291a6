/* Errors as callers see them, made from the diagnostics of one public call. */
#ifndef ENGINE_ERROR_H
#define ENGINE_ERROR_H

#include "base/diag.h"
#include "engine/codegen.h"
#include "engine/include/sdfg.h"
#include "engine/program/bytes.h"

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

/* The same from diagnostics that live elsewhere. With only warnings in it: an object that carries these; NULL if empty.
 */
sdfg_error *error_from_diags(const struct diags *d, enum sdfg_error_stage stage);
sdfg_error *error_copy(const sdfg_error *e);
/* From what the code generator said; NULL if it said nothing. */
sdfg_error *error_from_messages(const struct codegen_message *messages, uint32_t count);
/* As bytes (engine/program/bytes.h); NULL is allowed. */
void error_put(struct text *out, const sdfg_error *e);
sdfg_error *error_take(struct bytes *b);

#endif
