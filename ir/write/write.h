/* The parts of the writer share this; nobody else includes it.
 *
 * Attributes that the graph holds are written from it in a fixed order, unless they have their default; all others
 * follow as they were read. That makes a second round trip give the same bytes. */
#ifndef IR_WRITE_H
#define IR_WRITE_H

#include "ir/graph.h"
#include "ir/json/json.h"

struct writer {
    struct json_writer json;
    struct ir *ir;
    const struct sdfg *root, *sdfg; /* `sdfg`: the one being written */
    struct text scratch;            /* of one symbolic text */
    uint32_t next_region;           /* cfg_list_id, in the order of writing */
};

/* ---- ir/write/write.c ---- */
void write_sdfg(struct writer *w, const char *key, const struct sdfg *s);

/* ---- ir/write/write_value.c ---- */
const struct json *write_attributes_of(const struct json *record); /* NULL if there are none */
/* The members of `object` that are not in the two lists (each ends with NULL): what the graph holds or recomputes. */
void write_rest(struct writer *w, const struct json *object, const char *const *known, const char *const *more);
void write_flag(struct writer *w, const char *key, bool value, bool otherwise);
void write_int(struct writer *w, const char *key, int value, int otherwise);
void write_text(struct writer *w, const char *key, const char *value); /* nothing if NULL or "" */
void write_sym(struct writer *w, const char *key, const struct sym *s);
void write_sym_list(struct writer *w, const char *key, const struct sym *const *items, uint32_t count);
/* Symbolic text that only the file knows, in today's syntax. */
void write_symbolic_value(struct writer *w, const char *key, const struct json *v);
void write_enum(struct writer *w, const char *key, const struct enum_value *e, enum enum_row otherwise);
/* `json` is the type as read, or NULL; used where the type is unknown or says less than the text. */
void write_type(struct writer *w, const char *key, const struct type *t, const struct json *json);
void write_code(struct writer *w, const char *key, const struct code_text *c);
void write_gate(struct writer *w, const char *key, const struct code_text *c); /* a condition that is 1 by default */
void write_debug_info(struct writer *w, const struct place *at, const struct json *attributes);
void write_subset(struct writer *w, const char *key, const struct subset *s);
void write_container(struct writer *w, const char *key, const struct container *c);

/* ---- ir/write/write_block.c, ir/write/write_node.c ---- */
/* Attributes of every kind of block that are analysis results or identifiers (format.md 1.5), up to NULL. */
extern const char *const block_derived[];
void write_index(struct writer *w, uint32_t index);               /* as text, as references are written */
void write_region_body(struct writer *w, const struct region *r); /* nodes, edges, cfg_list_id, start_block */
void write_node(struct writer *w, const struct node *n);
void write_edge(struct writer *w, const struct edge *e);

#endif
