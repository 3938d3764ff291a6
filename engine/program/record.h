/* Types and expressions as bytes: each is written where it is mentioned first, and by number from then on. */
#ifndef ENGINE_RECORD_H
#define ENGINE_RECORD_H

#include "base/map.h"
#include "base/vec.h"
#include "engine/program/bytes.h"
#include "ir/sym/sym.h"

struct record_writer {
    struct text *out;
    struct arena *arena; /* of what is needed while writing */
    struct map types, syms;
};

/* NULL is allowed. */
void record_put_type(struct record_writer *w, const struct type *t);
void record_put_sym(struct record_writer *w, const struct sym *s);

struct record_reader {
    struct bytes bytes; /* live as long as `ir`: texts stay in them */
    struct ir *ir;
    VEC(const void *) types, syms;
    uint32_t depth;
};

/* Made with the constructors of `ir`, so they are what any other way to make them gives. NULL after a failure, too. */
const struct type *record_take_type(struct record_reader *r);
const struct sym *record_take_sym(struct record_reader *r);
/* An interned name. */
const char *record_take_name(struct record_reader *r);

#endif
