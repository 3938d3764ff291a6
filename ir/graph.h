/* The SDFG as a graph: exactly what the file says, with names, connectors, scopes and memlet ends resolved.
 *
 * Everything is allocated in the arena of its `struct ir` and never freed alone. Lists are in file order. What this
 * release does not know is kept as JSON (`json` of each element) and written back. Symbolic NULL never occurs in
 * subsets or shapes; missing strides, offsets and sizes are filled in on reading (packed, zeros, product). Terms are
 * those of format.md. */
#ifndef IR_GRAPH_H
#define IR_GRAPH_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/code/code.h"
#include "ir/enums.h"
#include "ir/sym/sym.h"

struct bound;
struct json;

/* ---- subsets and memlets ---- */

struct range {
    const struct sym *begin, *end, *step, *tile; /* `end` is inclusive, as in files */
};

struct subset {
    uint32_t rank;
    struct range *dims;
};

struct memlet {
    struct container *data; /* NULL: empty memlet; for "S.x" the member's descriptor */
    const char *name;       /* as written, may be dotted; NULL when empty */
    struct subset *subset;  /* NULL: the whole container */
    struct subset *other;   /* region at the other end, or NULL */
    bool subset_is_source;  /* `subset` describes the source end of the memlet path (format.md 2.17) */
    bool dynamic, wcr_nonatomic, allow_oob;
    bool flag_is_data_src; /* is_data_src as read; true when absent */
    const struct sym *volume;
    struct code *wcr;     /* CODE_LAMBDA or NULL */
    const char *wcr_text; /* as written */
    enum wcr_kind wcr_kind;
};

static inline bool memlet_is_empty(const struct memlet *m) { return !m->name; }

/* ---- containers ---- */

enum container_kind {
#define CONTAINER(K, json) CONTAINER_##K,
#include "ir/containers.def"
#undef CONTAINER
    CONTAINER_COUNT
};

struct container {
    struct place place; /* noun "container", label: name */
    const struct json *json;
    enum container_kind kind;
    const char *name;        /* interned; members of structures have their own name without prefix */
    uint32_t index;          /* position in sdfg->containers (or in the parent's members) */
    const struct type *type; /* element type; NULL if the file's type is unknown (error at first use) */
    uint32_t rank;
    const struct sym **shape, **strides, **offset; /* rank entries each; scalars have shape [1] */
    const struct sym *total_size;
    const struct sym *start_offset;
    const struct sym *buffer_size; /* streams */
    const struct enum_value *storage, *lifetime;
    bool transient, may_alias, allow_conflicts, pool;
    int optional;             /* 0 no, 1 yes, -1 undecided */
    int alignment;            /* bytes; 0 default, negative none */
    const char *unknown_type; /* class name of CONTAINER_UNKNOWN */
    /* structures: members in order; container arrays: the one element descriptor */
    VEC(struct container *) members;
    struct container *parent; /* structure that contains this member */
    const char *struct_name;
    const struct distributed *distributed; /* process grids, sub-arrays, redistributions; else NULL */
};

/* How data lie on processes (library-nodes.md 10). */
struct distributed {
    bool is_subgrid;
    const char *parent;        /* grid: of which it is a part; sub-array: its grid; or NULL */
    const char *from, *to;     /* redistribution: sub-arrays */
    const int64_t *dimensions; /* grid: 1 for those of the parent that stay; sub-array: that of the grid for each */
    uint32_t num_dimensions;
    const struct sym *exact;     /* grid: only the part with this rank of the parent takes part; or NULL */
    const struct sym **subshape; /* sub-array: of a block, `rank` of them */
};

static inline bool container_is_view(const struct container *c)
{
    return c->kind == CONTAINER_VIEW || c->kind == CONTAINER_STRUCTURE_VIEW || c->kind == CONTAINER_CONTAINER_VIEW;
}
static inline bool container_is_reference(const struct container *c)
{
    return c->kind == CONTAINER_REFERENCE || c->kind == CONTAINER_STRUCTURE_REFERENCE ||
           c->kind == CONTAINER_CONTAINER_REFERENCE;
}
/* One whose type is a pointer to the structure's own type. */
static inline bool container_is_structure(const struct container *c)
{
    return c->kind == CONTAINER_STRUCTURE || c->kind == CONTAINER_STRUCTURE_VIEW ||
           c->kind == CONTAINER_STRUCTURE_REFERENCE || c->kind == CONTAINER_TENSOR;
}

struct constant {
    const char *name;
    struct container *desc;   /* SCALAR or ARRAY descriptor */
    const struct json *value; /* raw; decoded by constant_bytes */
};

struct symbol_decl {
    const char *name;
    const struct type *type; /* NULL if unknown */
};

/* ---- nodes of a state ---- */

enum node_kind {
#define NODE(K, json, s, family, doc) NODE_##K,
#include "ir/nodes.def"
#undef NODE
    NODE_COUNT
};

typedef VEC(const char *) name_list;

struct connector {
    const char *name;        /* interned */
    const struct type *type; /* as written, or NULL; passes fill in inferred types */
    bool inferred;           /* `type` was not in the file */
};
typedef VEC(struct connector) connector_list;

struct node {
    struct place place; /* noun by kind, id: position in the state, label */
    enum node_kind kind;
    uint32_t index; /* in state->nodes */
    struct state *state;
    const struct json *json;
    const char *label;
    VEC(struct edge *) in, out; /* in file order */
    connector_list in_conns, out_conns;
    struct node *scope;           /* the entry node around this one, or NULL; an exit lies in its own scope */
    struct node *inside, *beside; /* of an entry node: the first node of its scope; the next one of the same scope */
};

struct edge {
    struct place place; /* noun "edge" */
    uint32_t index;
    struct node *src, *dst;
    const char *src_conn, *dst_conn; /* interned, or NULL */
    struct memlet memlet;
    struct edge *first, *last; /* of its memlet path; NULL before state_resolve, and if the state is not valid */
    const struct json *json;
};

struct access {
    struct node node;
    const char *name;       /* as written, may be dotted */
    struct container *data; /* resolved; members resolve to the member's descriptor */
    bool setzero;
    const struct enum_value *instrument;
    struct code_text instrument_condition; /* text "" when absent: always; not parsed */
};

struct tasklet {
    struct node node;
    struct code_text code;
    struct code_text code_global, code_init, code_exit;
    name_list state_fields;
    int side_effects; /* 0, 1, or -1: inferred */
    const struct enum_value *instrument;
};

struct map_entry {
    struct node node;
    struct node *exit;
    VEC(const char *) params; /* interned */
    struct subset range;      /* one dimension per parameter */
    const struct enum_value *schedule, *omp_schedule, *instrument;
    bool unroll;
    int unroll_factor, collapse, omp_num_threads, omp_chunk_size;
};

struct map_exit {
    struct node node;
    struct node *entry;
};

struct consume_entry {
    struct node node;
    struct node *exit;
    const char *pe_index; /* interned; "" when absent */
    const struct sym *num_pes;
    struct code_text condition; /* text "" when absent */
    const struct enum_value *schedule, *instrument;
    int chunksize;
};

struct consume_exit {
    struct node node;
    struct node *entry;
};

struct symbol_mapping {
    const char *name;        /* inner symbol */
    const struct sym *value; /* in terms of the outer scope */
};

struct nested {
    struct node node;
    struct sdfg *sdfg; /* NULL when only ext_sdfg_path is given */
    const char *ext_path;
    VEC(struct symbol_mapping) mapping;
    bool no_inline;
    bool whole; /* connectors stand for whole containers, as in ir->whole_connectors */
    const struct enum_value *instrument;
};

struct library {
    struct node node;
    const char *classpath;
    const char *implementation; /* hint, or NULL */
    const struct enum_value *schedule, *instrument;
    const struct json *attributes; /* the class's own properties: read with library_* of ir/library.h */
};

struct unknown {
    struct node node;
    const char *type_name;
};

#define NODE_CAST(K, s)                                                                                                \
    static inline struct s *as_##s(const struct node *n)                                                               \
    {                                                                                                                  \
        return n->kind == NODE_##K ? (struct s *)(uintptr_t)n : NULL;                                                  \
    }
NODE_CAST(ACCESS, access)
NODE_CAST(TASKLET, tasklet)
NODE_CAST(MAP_ENTRY, map_entry)
NODE_CAST(MAP_EXIT, map_exit)
NODE_CAST(CONSUME_ENTRY, consume_entry)
NODE_CAST(CONSUME_EXIT, consume_exit)
NODE_CAST(NESTED, nested)
NODE_CAST(LIBRARY, library)
NODE_CAST(UNKNOWN, unknown)
#undef NODE_CAST

static inline bool node_is_entry(const struct node *n)
{
    return n->kind == NODE_MAP_ENTRY || n->kind == NODE_CONSUME_ENTRY;
}
static inline bool node_is_exit(const struct node *n)
{
    return n->kind == NODE_MAP_EXIT || n->kind == NODE_CONSUME_EXIT;
}
static inline struct node *scope_exit(const struct node *entry)
{
    return entry->kind == NODE_MAP_ENTRY ? as_map_entry(entry)->exit : as_consume_entry(entry)->exit;
}
static inline struct node *scope_entry(const struct node *exit)
{
    return exit->kind == NODE_MAP_EXIT ? as_map_exit(exit)->entry : as_consume_exit(exit)->entry;
}

/* ---- control flow ---- */

enum block_kind {
#define BLOCK(K, json, noun) BLOCK_##K,
#include "ir/blocks.def"
#undef BLOCK
    BLOCK_COUNT
};

struct assignment {
    const char *name;   /* symbol, interned */
    const char *text;   /* Python expression as written */
    struct code *value; /* parsed */
};

struct transition {
    struct place place; /* noun "transition" */
    uint32_t index;
    struct block *src, *dst;
    struct code_text condition; /* code.tree is the expression; NULL tree: unconditional ("1" or empty) */
    VEC(struct assignment) assignments;
    const struct json *json;
};

struct block {
    struct place place; /* noun by kind, label */
    enum block_kind kind;
    uint32_t index;        /* in region->blocks */
    struct region *region; /* that contains this block; NULL for an SDFG's own region */
    const char *label;
    const struct json *json;
    VEC(struct transition *) in, out; /* in file order */
};

struct state {
    struct block block;
    struct sdfg *sdfg;
    VEC(struct node *) nodes;
    VEC(struct edge *) edges;
    struct node *inside; /* the first node outside of all scopes */
    const struct enum_value *instrument, *symbol_instrument;
    struct code_text symbol_instrument_condition; /* as in struct access */
};

/* The nodes of a scope (entry NULL: the top level) in the order of the file: this one, then `beside`. */
static inline struct node *scope_first(const struct state *st, const struct node *entry)
{
    return entry ? entry->inside : st->inside;
}

/* A list of blocks with transitions: an SDFG, a plain, named or call region, the body of a loop, a branch. */
struct region {
    struct block block;
    struct sdfg *sdfg;
    const char *type_name; /* "ControlFlowRegion", "NamedRegion", ... as written */
    VEC(struct block *) blocks;
    VEC(struct transition *) transitions;
    struct block *start; /* by the rule of format.md 2.2; NULL if undetermined */
};

struct loop {
    struct region region;
    const char *variable;                     /* interned; "" when absent */
    struct code_text init, condition, update; /* texts "" when absent */
    bool inverted, update_before_condition, unroll;
    int unroll_factor;
};

struct branch {
    struct code_text condition; /* text "" and tree NULL: else */
    struct region *region;
};

struct conditional {
    struct block block;
    VEC(struct branch) branches;
};

static inline struct state *as_state(struct block *b) { return b->kind == BLOCK_STATE ? (struct state *)b : NULL; }
static inline struct region *as_region(struct block *b)
{
    return b->kind == BLOCK_REGION || b->kind == BLOCK_LOOP ? (struct region *)b : NULL;
}
static inline struct loop *as_loop(struct block *b) { return b->kind == BLOCK_LOOP ? (struct loop *)b : NULL; }
static inline struct conditional *as_conditional(struct block *b)
{
    return b->kind == BLOCK_CONDITIONAL ? (struct conditional *)b : NULL;
}

/* What C++ code keeps between calls of the program: one block of memory, zero at first. The fields that tasklets add to
 * DaCe's state stand at its beginning, then static variables. Filled where C++ is read (ir/code/clang/). */
struct program_state {
    const struct type *fields; /* structure, or NULL: there are none */
    uint64_t size;             /* bytes; 0: nothing is kept */
    VEC(struct code *) values; /* CODE_BLOCK: a CODE_STATIC without a value, then its constant value */
    VEC(struct code *) ends;   /* CODE_BLOCK: destructors, to be run from the last to the first */
};

/* What the symbols of a call must satisfy, or nothing runs: one of the expressions is negative. An attribute of our
 * own, "call_requirements", which DaCe skips. */
struct requirement {
    struct place place;
    const char *message; /* what is wrong if none is */
    const struct sym **negative;
    uint32_t count;
};

/* A symbol whose value is that of a scalar member of an argument when a call begins. */
struct symbol_source {
    const char *symbol; /* interned */
    const char *path;   /* "argument.member.member" */
};

struct sdfg {
    struct region region; /* region.block.place is the SDFG's place; kind BLOCK_REGION */
    struct ir *ir;
    const char *name;
    struct nested *parent; /* the node that contains this SDFG, or NULL */
    VEC(struct container *) containers;
    struct map container_by_name; /* interned name -> struct container * */
    VEC(struct symbol_decl) symbols;
    struct map symbol_by_name; /* interned name -> const struct type * (a non-NULL marker type if unknown: void) */
    VEC(struct constant) constants;
    VEC(const char *) arg_names;
    /* Non-blank records only; of init_code and exit_code those of the main file. */
    code_pieces global_code, init_code, exit_code;
    const struct enum_value *instrument;
    const struct json *json;
    enum sym_syntax syntax;         /* of the file */
    const char *dace_version;       /* root only; NULL if absent */
    VEC(const char *) source_files; /* root only */
    struct program_state state;     /* root only */
    const struct bound *bounds;     /* root only: what sdfg_validate found to depend on symbols (ir/bounds/bounds.h) */
    uint32_t num_bounds;
    bool openmp_sections;
    VEC(struct requirement *) requirements; /* root only */
    VEC(struct symbol_source) sources;      /* root only */
};

/* ---- reading, writing, printing ---- */

/* Reads one SDFG from `size` bytes (plain or gzip JSON, any vintage). `folder` is where ext_sdfg_path is looked up
 * (NULL: nowhere). NULL on failure, with the reasons in ir->diags. */
struct sdfg *sdfg_read(struct ir *ir, const char *text, size_t size, const char *folder);
/* One container of an SDFG that is being built, from its record in files; it is not among those of `s` yet. NULL, or
 * errors in ir->diags, if the record is wrong. And a type from its record, NULL if it is none. */
struct container *sdfg_read_container(struct sdfg *s, const char *name, const struct json *record);
const struct type *sdfg_read_type(struct sdfg *s, const struct json *record);
/* The first half of it: the JSON, which may take over `text`, as json_parse_in_place() does. NULL on failure. */
const struct json *sdfg_parse(struct arena *a, struct diags *d, char *text, size_t size,
                              const struct read_limits *limits);
/* The second half; the JSON must stay alive as long as `ir` and is not changed. *external: how many other files were
 * read. */
struct sdfg *sdfg_read_json(struct ir *ir, const struct json *json, const char *folder, uint32_t *external);
/* Reads a file into the arena; NULL on failure with a FILE_* diagnostic, also if it has more than `most` bytes. */
char *file_read_most(struct arena *a, struct diags *d, const char *path, size_t *size, uint64_t most);
char *file_read(struct arena *a, struct diags *d, const char *path, size_t *size); /* READ_BYTES */
/* The same of a file that is named by somebody who is not trusted: no device, pipe or socket is opened. `folder`: it
 * must lie in there, whatever symbolic links say; NULL: anywhere. *why says what is wrong before it is opened. */
char *file_read_named(struct arena *a, struct diags *d, const char *path, const char *folder, size_t *size,
                      uint64_t most, const char **why);
/* Current-format JSON of the graph; unknown content is written as it was read. Reading the result and writing again
 * gives the same bytes. */
void sdfg_write(const struct sdfg *s, struct text *out);
/* Short stable text: one line per container, node and memlet; what SDFG_DEBUG=ir and --dump-after show. */
void sdfg_print(const struct sdfg *s, struct text *out);

/* ---- queries (ir/scope.c, ir/memlet.c, ir/walk.c) ---- */

struct container *sdfg_find_container(const struct sdfg *s, const char *name);     /* dotted names resolve to members */
const struct type *sdfg_symbol_type(const struct sdfg *s, const char *name);       /* declared, or NULL */
const struct constant *sdfg_find_constant(const struct sdfg *s, const char *name); /* also of enclosing SDFGs */
bool constant_bytes(struct ir *ir, const struct constant *c, void **bytes, size_t *size); /* decoded, C order */
uint64_t constant_elements(const struct constant *c);                                     /* that the value has */

const struct connector *node_in_conn(const struct node *n, const char *name); /* NULL if not declared; of NULL, too */
const struct connector *node_out_conn(const struct node *n, const char *name);
struct edge *node_in_edge(const struct node *n, const char *conn); /* first edge into that connector, or NULL */
struct edge *node_out_edge(const struct node *n, const char *conn);

/* Scopes, start blocks and memlet ends; sdfg_read calls it, passes that rewire a state call it again for that state. */
bool state_resolve(struct state *st);
/* Walk a memlet path (format.md 2.19.2): outwards to the access or code node at its start / end. For an entry node with
 * several edges on the OUT_ connector the end is that of the first. */
struct edge *path_first_edge(struct edge *e);
struct edge *path_last_edge(struct edge *e);
static inline struct node *path_source(struct edge *e) { return path_first_edge(e)->src; }
static inline struct node *path_target(struct edge *e) { return path_last_edge(e)->dst; }
/* The region of the memlet at the source or target end of its path; NULL: not given (see semantics.md 4.4 rule 1). */
struct subset *memlet_source_subset(const struct memlet *m);
struct subset *memlet_target_subset(const struct memlet *m);
/* The edge that ties a view's access node to the viewed container (format.md 2.20.4); NULL if ambiguous or missing. */
struct edge *view_edge(const struct access *a);

struct subset *subset_whole(struct ir *ir, const struct container *c);
struct subset *subset_new(struct ir *ir, uint32_t rank);
const struct sym *subset_size(struct ir *ir, const struct subset *s, uint32_t dim); /* tile * ceil(...) */
const struct sym *subset_volume(struct ir *ir, const struct subset *s);
struct subset *subset_substitute(struct ir *ir, const struct subset *s, sym_lookup *lookup, void *user);

/* Nodes of a scope (entry NULL: the top level) in an order that respects the edges; deterministic: DaCe's depth-first
 * topological order from the sources in file order (semantics.md 2.6). Exit nodes are not listed. */
uint32_t scope_order(struct state *st, const struct node *entry, struct node ***out);
/* Calls `visit` for every SDFG (outermost first), every block, every state. */
void sdfg_each(struct sdfg *s, void (*visit)(void *user, struct sdfg *s), void *user);            /* with nested ones */
void region_each_block(struct region *r, void (*visit)(void *user, struct block *b), void *user); /* recursively */
/* The number of lanes of the machine's vectors, in the graphs that DaCe makes for SVE: no SDFG declares it, and no
 * caller gives it. */
#define SDFG_LANES "__dace_sve_len"
/* Free symbols of an SDFG (used before assigned, not containers or constants), sorted by name. With
 * `shapes_of_arguments` the symbols that occur only in shapes of arguments count too. */
uint32_t sdfg_free_symbols(struct sdfg *s, bool shapes_of_arguments, const char ***out);
/* The symbol that has the number of elements that a consume scope has taken, in its body; interned. */
const char *consume_count_name(const struct consume_entry *c);
/* Every symbol assigned by a transition or a loop of this SDFG (not nested ones): interned name -> non-NULL. */
void sdfg_assigned_symbols(struct sdfg *s, struct map *out);

/* What the states of this SDFG (not nested ones) read and write (ir/uses.c): interned container name -> non-NULL. What
 * conditions and transitions may read counts as read: all containers where there are several blocks, and what is not
 * written. What a view shows is read and written as the view is; what a reference is set to is not followed. */
struct sdfg_uses {
    struct map read, written;
    bool references; /* there are some */
};
struct sdfg_uses sdfg_uses(struct sdfg *s);
static inline bool sdfg_may_read(const struct sdfg_uses *u, const struct container *c)
{
    return u->references || map_has(&u->read, c->name);
}
static inline bool sdfg_may_write(const struct sdfg_uses *u, const struct container *c)
{
    return u->references || map_has(&u->written, c->name);
}

/* All rules of format.md 9 and semantics.md 12.1; reports every violation, false if there was an error. */
bool sdfg_validate(struct sdfg *s);

#endif
