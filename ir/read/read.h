/* The parts of the reader share this; nobody else includes it.
 *
 * One struct reader per file. Every function records what is wrong and goes on with a harmless value, so that one pass
 * over a file finds all its faults; sdfg_read gives NULL if anything was recorded. */
#ifndef IR_READ_H
#define IR_READ_H

#include "ir/graph.h"
#include "ir/json/json.h"

struct reader {
    struct ir *ir;
    const struct json *json;  /* the root record */
    struct sdfg *root, *sdfg; /* `sdfg`: the one being read */
    const char *folder;       /* of external files, or NULL */
    const char *top;          /* the folder of the program */
    uint32_t *external;       /* how many files nested SDFGs have loaded so far, over all readers */
    enum sym_syntax syntax;
    struct map symbolic; /* interned text -> const struct sym * */
};

/* ---- ir/read/read.c ---- */
struct sdfg *read_external(struct reader *r, struct nested *parent, const char *path);

/* ---- ir/read/read_descriptor_code.c ---- */
/* Leaves out what DaCe wrote for the process grids, sub-arrays and redistributions of `s`. */
void read_drop_descriptor_code(struct reader *r, struct sdfg *s);

/* ---- ir/read/read_symbol_code.c ---- */
/* Finds the symbols of `s` that its code takes from members of arguments (s->sources), and leaves that code out. */
void read_symbol_code(struct reader *r, struct sdfg *s);

/* ---- ir/read/read_value.c: attributes of any record; absent and null give the default ---- */
const struct json *read_attributes(struct reader *r, const struct place *at, const struct json *record);
const struct json *read_required(struct reader *r, const struct place *at, const struct json *record, const char *key,
                                 enum json_kind kind);
bool read_flag(struct reader *r, const struct place *at, const struct json *attributes, const char *key,
               bool otherwise);
int read_int(struct reader *r, const struct place *at, const struct json *attributes, const char *key, int otherwise);
const char *read_string(struct reader *r, const struct place *at, const struct json *attributes, const char *key,
                        const char *otherwise);
/* Text, a bare number or {"main", "approx"}; NULL for NULL and null. */
const struct sym *read_symbolic(struct reader *r, const struct place *at, const struct json *value);
const struct sym *read_symbolic_at(struct reader *r, const struct place *at, const struct json *attributes,
                                   const char *key, int64_t otherwise);
const struct enum_value *read_enum(struct reader *r, const struct place *at, const struct json *attributes,
                                   const char *key, enum enum_row otherwise);
/* An element type; NULL if it is not known. `null` is void. */
const struct type *read_type(struct reader *r, const struct json *value);
/* A code record, a bare string, or nothing. */
struct code_text read_code(struct reader *r, const struct place *at, const struct json *value, enum enum_row language);
/* The same for one Python expression or (`statement`) the first statement; the tree stays NULL for blank text. */
struct code_text read_python(struct reader *r, const struct place *at, const struct json *value, bool statement);
void read_debug_info(struct reader *r, struct place *at, const struct json *attributes);
bool read_name(struct reader *r, const struct place *at, const char *name); /* format.md 2.0, "Names" */
/* An index into a list of `count` elements: a number or decimal text. */
bool read_index(struct reader *r, const struct place *at, const struct json *record, const char *key, uint32_t count,
                uint32_t *out);

/* ---- ir/read/read_container.c ---- */
struct container *read_container(struct reader *r, const struct place *parent, const char *name,
                                 const struct json *record);

/* ---- ir/read/read_sdfg.c ---- */
struct sdfg *read_sdfg(struct reader *r, struct nested *parent, const struct json *record);

/* ---- ir/read/read_block.c ---- */
/* Blocks and transitions of `record` into `region`, whose block is filled in already. */
void read_region(struct reader *r, struct region *region, const struct json *record);

/* ---- ir/read/read_node.c, ir/read/read_memlet.c ---- */
struct node *read_node(struct reader *r, struct state *st, uint32_t index, const struct json *record);
void read_memlet(struct reader *r, struct sdfg *s, struct edge *e, const struct json *record);
void read_subset(struct reader *r, const struct place *at, const struct json *record, struct subset *out);

#endif
