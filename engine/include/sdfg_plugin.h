/* Plug-ins of libsdfg: shared libraries that add to an engine (docs/plugins.md). They need this header and link
 * nothing:
 *
 *     #include <sdfg_plugin.h>
 *
 *     static bool scale(void *user, const sdfg_node *node) { ... }
 *     SDFG_PLUGIN("acme", "1.0", "nodes of Acme's accelerator");
 *     SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
 *     {
 *         return api->implement(api->plugin, "acme.nodes.Scale", "scales an array", scale, NULL);
 *     }
 *
 * What it registers belongs to one engine. If one registration or the function fails, the engine is as if the plug-in
 * had never been loaded. Structs that are registered are copied with all their texts. */
#ifndef SDFG_PLUGIN_H
#define SDFG_PLUGIN_H

#include "sdfg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when plug-ins must be compiled again; new functions are appended to sdfg_plugin_api without that. */
#define SDFG_PLUGIN_ABI 1

typedef struct sdfg_plugin sdfg_plugin; /* a plug-in that registers itself; only inside its function, in that thread */

/* What a plug-in says of itself. */
struct sdfg_plugin_about {
    size_t struct_size; /* set by the plug-in */
    int abi;            /* SDFG_PLUGIN_ABI of the header that it was compiled with */
    const char *name;   /* letters, digits and any of "_-."; unique in an engine */
    const char *version;
    const char *text; /* one line that says what it adds */
};

/* Enumerations of the file format. The last two have the members of the format alone: plug-ins cannot add to them. */
enum sdfg_enumeration {
    SDFG_ENUM_SCHEDULE,
    SDFG_ENUM_STORAGE,
    SDFG_ENUM_LANGUAGE,
    SDFG_ENUM_INSTRUMENT,
    SDFG_ENUM_DATA_INSTRUMENT,
    SDFG_ENUM_LIFETIME,
    SDFG_ENUM_OMP_SCHEDULE
};

struct sdfg_convertible; /* sdfg_graph.h */

/* Types of the attributes of a template, as JSON has them. */
enum sdfg_attribute_type {
    SDFG_ATTRIBUTE_INTEGER,
    SDFG_ATTRIBUTE_REAL, /* or an integer */
    SDFG_ATTRIBUTE_BOOL,
    SDFG_ATTRIBUTE_TEXT,
    SDFG_ATTRIBUTE_INTEGERS /* a list */
};

typedef struct sdfg_attribute {
    const char *name;
    enum sdfg_attribute_type type;
    int64_t reserved[2];
} sdfg_attribute;

/* A member of an enumeration. With attributes it is a template: files have {"type": "ScheduleType.NAME", "size": 4} for
 * an instance of it, in which all attributes are given, and the name alone for the template. */
typedef struct sdfg_member {
    size_t struct_size; /* set by the plug-in */
    enum sdfg_enumeration enumeration;
    const char *name; /* as in files; an identifier that the enumeration does not have yet */
    const sdfg_attribute *attributes;
    size_t num_attributes;
    /* What Default means near it (NULL: what it means elsewhere). Of a schedule: the storage of transients and the
     * schedule of scopes directly inside its scopes. */
    const char *storage_inside, *schedule_inside;
} sdfg_member;

/* A library node that is replaced by a graph before code is made for it. All of it lives as long as the call. */
typedef struct sdfg_connector {
    const char *name;
    bool output;
    const char *container;    /* that the memlet names */
    const char *type;         /* of its elements, as in files: "float64" */
    int rank;                 /* of the container */
    const char *const *shape; /* `rank` expressions of the memlet's extents, those of 1 included; NULL: no memlet */
    int64_t reserved[3];
} sdfg_connector;

typedef struct sdfg_expansion {
    size_t struct_size; /* set by the library */
    const char *class_path, *label;
    const char *properties; /* JSON object: the attributes as the file has them */
    size_t num_connectors;
    const sdfg_connector *connectors; /* inputs, then outputs */
} sdfg_expansion;

/* Takes a text, which is copied: of an expansion the JSON of an SDFG, `size` bytes. The last one counts. */
typedef void sdfg_give(void *to, const char *text, size_t size);

/* Gives `give` the SDFG that does what the node means: its containers have the names of the connectors and are not
 * transient; its free symbols are those of the graph around the node. False: `give` got a sentence that says why not,
 * or nothing. Called when code is made, from any thread, several at the same time. */
typedef bool sdfg_expand_function(void *user, const sdfg_expansion *x, sdfg_give *give, void *to);

/* ---- targets: who makes the code of schedules, storages, copies and nodes (docs/plugins.md, examples/backend) ----
 *
 * The functions of a target run when code is made. What they tell `code` to do is done by the program: numbers and
 * addresses of the program are sdfg_value there. What the library does not know how to do is done by C functions of the
 * target, which the program calls by name. */

/* What a function of a target answers. */
enum sdfg_answer {
    SDFG_FAILED,   /* after sdfg_code.fail: an error at the element */
    SDFG_DONE,     /* the code of the element is made */
    SDFG_INHERITED /* nothing is made: as the target that it extends does it; if there is none, as the library does */
};

/* Where an operand of a library node lies: an element is at address + sum of index * stride (bytes). Dimensions of
 * extent 1 are there, too. */
typedef struct sdfg_area sdfg_area;

typedef struct sdfg_value sdfg_value; /* int64: a number, or an address; lives as long as the function that got it */

/* Bytes that a target keeps with the code of a program (code of a device, a table): with it they go into caches, and
 * come back when it is loaded. */
typedef struct sdfg_code_object {
    size_t struct_size; /* set by whoever fills it */
    const char *name;   /* another one for each object of the target in a program */
    const void *bytes;  /* copied; aligned to 16 bytes when it is loaded. NULL: sdfg_target.compile gives them */
    size_t size;
} sdfg_code_object;

/* An object while code that has it is in memory. */
typedef struct sdfg_loaded_object {
    size_t struct_size; /* set by the library */
    void *user;
    void *const *states; /* of the target's environments, in their order */
    const sdfg_code_object *object;
    int64_t value; /* what sdfg_code.object is in the program; before `load` the address of the bytes */
} sdfg_loaded_object;

enum sdfg_operator {
    SDFG_ADD,
    SDFG_SUB,
    SDFG_MUL,
    SDFG_DIV, /* truncates */
    SDFG_REM,
    SDFG_MIN,
    SDFG_MAX,
    SDFG_LESS, /* 1 or 0, as the next ones */
    SDFG_LESS_EQUAL,
    SDFG_EQUAL,
    SDFG_NOT_EQUAL
};

/* Iterations of a loop have nothing in common, unless the map has conflicting writes: they may run in any order. With
 * PARALLEL the loop asks for threads, unless the program is sequential or runs on several threads there already. */
enum sdfg_loop_flags { SDFG_LOOP_INDEPENDENT = 1, SDFG_LOOP_PARALLEL = 2 };

/* The place where code is made: statements are appended there. Functions that got a null value, or failed, give a null
 * value; the function of the target then may go on, its answer is an error all the same. */
typedef struct sdfg_code sdfg_code;
struct sdfg_code {
    size_t struct_size; /* set by the library */
    const char *path;   /* of the element, as in errors */
    /* JSON: the attributes of the schedule (of a map) or storage (of memory), or "{}". */
    const char *attributes;
    /* Why the function will answer SDFG_FAILED. The error is UNSUPPORTED. */
    void (*fail)(sdfg_code *code, const char *why);
    /* An attribute that is an integer; a mistake if there is none of that name. */
    int64_t (*attribute)(sdfg_code *code, const char *name);
    sdfg_value *(*number)(sdfg_code *code, int64_t value);
    /* A symbolic expression of the symbols and parameters around the element: "N*M + i". */
    sdfg_value *(*expression)(sdfg_code *code, const char *text);
    sdfg_value *(*compute)(sdfg_code *code, enum sdfg_operator op, sdfg_value *a, sdfg_value *b);
    /* Calls a function of the target: what it puts into `result`. */
    sdfg_value *(*call)(sdfg_code *code, const char *function, sdfg_value *const *arguments, size_t num_arguments);
    /* What follows is inside of a loop over begin, begin + step ... < end (step above 0), or under a condition; `end`
     * closes the innermost one. The value is that of the loop's variable. `flags`: of enum sdfg_loop_flags. */
    sdfg_value *(*loop)(sdfg_code *code, const char *name, sdfg_value *begin, sdfg_value *end, sdfg_value *step,
                        unsigned flags);
    void (*branch)(sdfg_code *code, sdfg_value *condition);
    void (*end)(sdfg_code *code);
    /* enter: the value of a parameter of the map in the innermost loop; each must get one. */
    void (*parameter)(sdfg_code *code, size_t index, sdfg_value *value);
    /* Text that defines functions, behind what the target has given for this program before: sdfg_target.compile makes
     * code of all of it. */
    void (*source)(sdfg_code *code, const char *text);
    /* A number for names of functions: another one with each call of a target in a program. */
    int64_t (*unique)(sdfg_code *code);
    /* Calls a function that the source defines: its result. In C: int64_t function(int64_t, ...), with as many
     * parameters as there are arguments; other names than those that begin with "sdfg_". */
    sdfg_value *(*invoke)(sdfg_code *code, const char *function, sdfg_value *const *arguments, size_t num_arguments);
    /* node: an operand of the library node. Old contents of outputs are there; with a conflict resolution the place is
     * temporary and combined behind the node. A target that asks for operands does not inherit. `connector` NULL: the
     * first one that has data. */
    const sdfg_area *(*operand)(sdfg_code *code, const char *connector, bool output);
    /* Adds an object to the code; one of the same name and with the same bytes is the same one. The value is what
     * sdfg_target.load made of it, or the address of its bytes. */
    sdfg_value *(*object)(sdfg_code *code, const sdfg_code_object *object);
};

/* A map: `rank` parameters, each with begin, end (the first number beyond) and step. */
typedef struct sdfg_map {
    size_t struct_size; /* set by the library, as in the structs below */
    const char *label, *schedule;
    size_t rank;
    const char *const *params;
    sdfg_value *const *begin, *const *end, *const *step;
    bool threads; /* several threads run this place already */
} sdfg_map;

/* Memory of a container. The program reads and writes it at its address, on the host. */
typedef struct sdfg_memory {
    size_t struct_size;
    const char *container, *storage, *type; /* of its elements, as in files */
    sdfg_value *bytes;                      /* allocate */
    /* allocate sets it: where `bytes` bytes begin, aligned for the elements, or 0: the call of the program fails, and
     * what it has taken before is not released. release reads it: never 0. */
    sdfg_value *address;
    bool program; /* for as long as the program is loaded, not for one call or scope */
} sdfg_memory;

typedef struct sdfg_region {
    const char *container, *storage; /* "" and "Register": memory for the time being */
    const char *type;
    size_t element_bytes;
    sdfg_value *address;        /* of the first element */
    sdfg_value *const *strides; /* bytes from one element to the next, of each dimension */
} sdfg_region;

struct sdfg_area {
    size_t struct_size; /* set by the library */
    sdfg_region region;
    size_t rank;
    sdfg_value *const *extents;
};

/* A copy of a region with the same extents on both sides; dimensions of extent 1 are left out, and a region without
 * gaps has one dimension. */
typedef struct sdfg_transfer {
    size_t struct_size;
    size_t rank;
    sdfg_value *const *extents;
    sdfg_region from, to;
    bool converts; /* the types differ */
    bool reduces;  /* elements are combined with those that are there */
} sdfg_transfer;

typedef struct sdfg_claimed_node {
    size_t struct_size;
    const char *type, *label; /* "Tasklet", "NestedSDFG", "LibraryNode" ... */
    const char *class_path;   /* of a library node, else "" */
    /* Of a library node: the attributes as the file has them (JSON object), connectors with data; lists end with NULL.
     */
    const char *properties;
    const char *const *inputs, *const *outputs;
} sdfg_claimed_node;

/* What sdfg_code.source has got for a program. */
typedef struct sdfg_target_source sdfg_target_source;
struct sdfg_target_source {
    size_t struct_size; /* set by the library */
    const char *program;
    const char *text;
    size_t size;
    const char *triple, *cpu, *features; /* of the machine that code is made for, as LLVM names them */
    int opt_level;                       /* as in sdfg_options */
    /* The bytes of an object that sdfg_code.object got without them. False: there is none of that name. */
    bool (*object)(const sdfg_target_source *source, const sdfg_code_object *object);
};

enum sdfg_claim_kind {
    SDFG_CLAIM_SCHEDULE, /* maps */
    SDFG_CLAIM_STORAGE,  /* memory of containers */
    SDFG_CLAIM_COPY,     /* copies between containers */
    SDFG_CLAIM_NODE
};

/* The element of a claim, for its predicate: texts that do not apply are "". */
typedef struct sdfg_claim_site {
    size_t struct_size;
    const char *name, *to; /* as in sdfg_claim */
    const char *schedule;  /* of the innermost scope around, or of the map */
    const char *label;     /* of the node or container */
    const char *class_path;
} sdfg_claim_site;

/* One row of what a target serves. Lists end with NULL; NULL instead of a list: every name. The most specific row
 * decides: with a predicate before one without, then with schedules before without, then with more lists; of equals the
 * one of the later target. */
typedef struct sdfg_claim {
    enum sdfg_claim_kind kind;
    const char *const *names;     /* schedules, storages, types of nodes; of a copy, storages of its source */
    const char *const *to;        /* copies: storages of the destination */
    const char *const *schedules; /* copies: of the innermost scope around */
    bool (*holds)(void *user, const sdfg_claim_site *site); /* NULL: always */
    const char *refused; /* why there is no code for it: the error of programs that have it; NULL: there is code */
    bool parts;          /* storages: memory from outside of a parallel map has a part for each of its threads */
    /* A predicate of the library instead of `holds`: "per-thread" (memory inside a kernel that each of its threads has
     * for itself), "for-threads" (tasklets beside the maps of a block that ask for their thread); or NULL. */
    const char *rule;
} sdfg_claim;

/* What C functions need before they are called: a library that is opened, state that is made. Environments begin when
 * the first program of an engine uses a target with them, after those that they need, and end with the engine, in
 * reverse order. */
typedef struct sdfg_environment {
    size_t struct_size;           /* set by the plug-in */
    const char *name;             /* unique in an engine */
    const char *const *needs;     /* environments that begin before; a list that ends with NULL, or NULL */
    const char *const *libraries; /* files, of which the first that can be opened is taken; or NULL */
    const char *const *symbols;   /* that it must have; or NULL */
    size_t state_bytes;
    /* Makes the state, which is zero: `symbols` are their addresses. False: `give` got a sentence that says why not. */
    bool (*init)(void *state, void *const *symbols, sdfg_give *give, void *to);
    void (*exit)(void *state); /* not called if init failed */
} sdfg_environment;

/* A function of a target while the program calls it. */
typedef struct sdfg_target_call {
    size_t struct_size; /* set by the library */
    void *user;
    void *const *states; /* of the target's environments, in their order */
    const int64_t *arguments;
    size_t num_arguments;
    int64_t result; /* 0 before */
} sdfg_target_call;

/* False: the call of the program fails. Called by the thread that gets there, maybe several at the same time. */
typedef bool sdfg_target_function(sdfg_target_call *call);

typedef struct sdfg_target_entry {
    const char *name;
    sdfg_target_function *function;
} sdfg_target_entry;

/* A target. Functions may be missing: then it is as if they answered SDFG_INHERITED. */
typedef struct sdfg_target {
    size_t struct_size; /* set by the plug-in */
    const char *name, *text;
    const char *extends; /* "cpu", "openmp", "mpi", "gpu", "cuda" or a target that was registered before; NULL: "cpu" */
    const sdfg_claim *claims;
    size_t num_claims;
    const sdfg_target_entry *functions;
    size_t num_functions;
    const char *const *environments; /* that its functions need; a list that ends with NULL, or NULL */
    void *user;
    /* Can programs use it on this machine? False: `give` got a sentence that says why not. */
    bool (*probe)(void *user, sdfg_give *give, void *to);
    /* Once in a program that uses the target: code at the beginning and at the end of each call. */
    enum sdfg_answer (*begin)(void *user, sdfg_code *code);
    enum sdfg_answer (*end)(void *user, sdfg_code *code);
    /* Opens the loops of a map and gives its parameters values; the body follows in the innermost one. `leave` is
     * called behind the body, inside of these loops, and may end them to add code behind; the rest is ended for it. */
    enum sdfg_answer (*enter)(void *user, sdfg_code *code, const sdfg_map *map);
    enum sdfg_answer (*leave)(void *user, sdfg_code *code, const sdfg_map *map);
    /* Both answer alike for one storage. */
    enum sdfg_answer (*allocate)(void *user, sdfg_code *code, sdfg_memory *memory);
    enum sdfg_answer (*release)(void *user, sdfg_code *code, const sdfg_memory *memory);
    enum sdfg_answer (*copy)(void *user, sdfg_code *code, const sdfg_transfer *transfer);
    enum sdfg_answer (*node)(void *user, sdfg_code *code, const sdfg_claimed_node *node);
    /* Compiles what `source` of sdfg_code got. `give` gets LLVM IR (text or bitcode of LLVM's interface in C, of this
     * library's LLVM or an older one), which is verified, optimized and compiled with the program, or an object file of
     * this machine (ELF, position-independent), or nothing if the text defines no function that is invoked: then
     * `source` got objects. False: `give` got a sentence that says why not. NULL: the text is LLVM IR. Called when code
     * is made, from any thread. */
    bool (*compile)(void *user, const sdfg_target_source *source, sdfg_give *give, void *to);
    /* The library's target of this name ("openmp") does what these functions would do: none of them is given, from
     * `begin` to `compile`. NULL: they are its own. */
    const char *library;
    bool base; /* only there to be extended: what it claims falls to those that extend it */
    /* Takes an object when code that has it was made or read from a cache, before the code runs, and may set its value.
     * False: `give` got a sentence that says why not; calls of the program fail. `unload`: the code is gone. From any
     * thread, several at the same time. */
    bool (*load)(sdfg_loaded_object *object, sdfg_give *give, void *to);
    void (*unload)(const sdfg_loaded_object *object);
} sdfg_target;

/* ---- passes (docs/plugins.md) ---- */

enum sdfg_pass_kind {
    SDFG_PASS_GRAPH, /* over the SDFG, as JSON, between "validate" and "infer-types" */
    SDFG_PASS_TREE   /* over the loop tree, as text (docs/tree.md), between "lower" and "tier" */
};

enum sdfg_pass_where { SDFG_PASS_AFTER, SDFG_PASS_BEFORE, SDFG_PASS_INSTEAD };

enum sdfg_pass_code { SDFG_PASS_ANY, SDFG_PASS_HOST, SDFG_PASS_DEVICE }; /* for a CPU, for a GPU and its host */

/* What a pass is told; all of it lives as long as the call. */
typedef struct sdfg_pass_run sdfg_pass_run;
struct sdfg_pass_run {
    size_t struct_size; /* set by the library */
    const char *program;
    bool device;      /* code for a GPU */
    int opt_level;    /* as in sdfg_options */
    const char *text; /* the program; NULL for `condition` */
    size_t size;
    /* What is known of `text`: an analysis of the library (JSON: "accesses" of graphs; "loops", "memory", "work" of
     * trees; docs/plugins.md), or what an earlier pass told of a fact that holds. False: `give` got a sentence that
     * says why not. NULL for `condition`, as is `tell`. */
    bool (*ask)(const sdfg_pass_run *run, const char *what, sdfg_give *give, void *to);
    /* Keeps a text for later passes with one of the facts that this pass makes, until a pass breaks it. False: the pass
     * makes no such fact. */
    bool (*tell)(const sdfg_pass_run *run, const char *fact, const char *text, size_t size);
    unsigned round; /* of its group, from 0 on */
};

typedef struct sdfg_pass {
    size_t struct_size; /* set by the plug-in */
    const char *name, *text;
    enum sdfg_pass_kind kind;
    enum sdfg_pass_where where; /* it stands, of the pass `other`; NULL: "validate", of trees "lower" */
    const char *other;          /* passes of the library and of plug-ins, those with the same `where` in order */
    /* Facts (`sdfg-run --list=passes` has those of the library; other names are facts of plug-ins); lists that end with
     * NULL, or NULL. A graph pass may rely on "valid", a tree pass on "tree". */
    const char *const *needs, *const *makes, *const *breaks;
    void *user;
    bool (*condition)(void *user, const sdfg_pass_run *what); /* NULL: always */
    /* Gives `give` the program as it is to be from now on, or nothing: it stays. It is checked like a file; arguments,
     * and functions and parameters of a tree, stay as they are. False: `give` got a sentence that says why it failed.
     * Called when code is made, from any thread, several at the same time. */
    bool (*run)(void *user, const sdfg_pass_run *what, sdfg_give *give, void *to);
    /* Of the passes of one group the first to the last, with all between them, run again until a round changes nothing,
     * `rounds` times at most (1 to 1000, the largest of the group). NULL: they run once. Groups lie apart. */
    const char *group;
    unsigned rounds;
    /* The library's pass of this name ("load-forwarding") does the work, with its facts and its condition beside those
     * given here: another place for it. `run` is NULL then. NULL: `run` does it. */
    const char *library;
    enum sdfg_pass_code code; /* for which it is */
} sdfg_pass;

/* ---- instrumentation (docs/plugins.md) ---- */

/* An element of a program, with the name and the numbers of sdfg_timing. */
typedef struct sdfg_probe {
    size_t struct_size; /* set by the library */
    const char *name;   /* of an access node "Access CONTAINER" */
    int64_t region, state, node;
} sdfg_probe;

/* Who measures elements whose instrumentation is a member of InstrumentationType, or looks at the containers of access
 * nodes whose instrumentation is one of DataInstrumentationType. The functions are called from any thread, several at
 * the same time. */
typedef struct sdfg_provider {
    size_t struct_size;                /* set by the plug-in */
    enum sdfg_enumeration enumeration; /* SDFG_ENUM_INSTRUMENT or SDFG_ENUM_DATA_INSTRUMENT */
    const char *name;                  /* a member that has no provider yet: of the format, or registered before */
    const char *text;
    const char *const *counters; /* names of what `end` counts, 16 at most; a list that ends with NULL, or NULL */
    void *user;
    /* Can it be used on this machine? False: `give` got a sentence that says why not; programs that need it get an
     * error. NULL: yes. */
    bool (*probe)(void *user, sdfg_give *give, void *to);
    /* Is the element one that it measures? Asked when code is made. NULL: all are. */
    bool (*wants)(void *user, const sdfg_probe *site);
    /* Before and behind each execution of an element, in the thread that comes there; in parallel maps that is the one
     * which begins the map. `begun` is what `begin` gave; `values`, one for each counter, are told to
     * sdfg_options.timing unless they stay NaN. Only if sdfg_options.timing is set. Both NULL: the time that elements
     * take is told. */
    int64_t (*begin)(void *user, const sdfg_probe *site);
    void (*end)(void *user, const sdfg_probe *site, int64_t begun, double *values);
    /* Of data instrumentation: the container (`connector` has its name) when what comes into the access node is there
     * and the condition of the node holds. It may change elements. False: the call of the program fails. */
    bool (*data)(void *user, const sdfg_probe *site, const sdfg_operand *data);
} sdfg_provider;

/* What a plug-in registers with. The functions return false after a mistake, which becomes an error of whoever loads
 * the plug-in. */
struct sdfg_plugin_api {
    size_t struct_size; /* set by the library: a plug-in may ask whether a function is there */
    int version;        /* of the library, as sdfg_version_number */
    sdfg_plugin *plugin;
    /* Why the function will return false, for the error; NULL: it does not say. */
    void (*fail)(sdfg_plugin *p, const char *why);
    /* `function` is called when the engine is freed, and if loading the plug-in fails later; the last first. */
    void (*at_free)(sdfg_plugin *p, void (*function)(void *user), void *user);
    /* As sdfg_engine_implement; `text`: one line that says what the node does, or NULL. */
    bool (*implement)(sdfg_plugin *p, const char *class_path, const char *text, sdfg_node_function *f, void *user);
    /* Library nodes of this class become graphs; the last registration of a class, also one of `implement`, is the only
     * one: a second one is a mistake. */
    bool (*expand)(sdfg_plugin *p, const char *class_path, const char *text, sdfg_expand_function *f, void *user);
    bool (*member)(sdfg_plugin *p, const sdfg_member *m);
    bool (*environment)(sdfg_plugin *p, const sdfg_environment *e);
    bool (*target)(sdfg_plugin *p, const sdfg_target *t);
    bool (*pass)(sdfg_plugin *p, const sdfg_pass *pass);
    bool (*provider)(sdfg_plugin *p, const sdfg_provider *provider);
    /* Library nodes of this class are what the library's operation `library` ("blas.Gemm") is, with its connectors and
     * attributes. */
    bool (*operation)(sdfg_plugin *p, const char *class_path, const char *text, const char *library);
    /* An object that graphs call by its name (sdfg_engine_convertible of sdfg_graph.h); `text`: one line that says what
     * it computes, or NULL. Its `user` stays until the engine is freed. */
    bool (*convertible)(sdfg_plugin *p, const char *text, const struct sdfg_convertible *object);
};

#if defined(__GNUC__)
#define SDFG_PLUGIN_VISIBLE __attribute__((visibility("default")))
#else
#define SDFG_PLUGIN_VISIBLE
#endif
/* The two symbols of a plug-in: SDFG_PLUGIN("acme", "1.0", "what it adds"); and, after SDFG_PLUGIN_EXPORT, the function
 * sdfg_plugin_init. */
#ifdef __cplusplus
#define SDFG_PLUGIN_EXPORT extern "C" SDFG_PLUGIN_VISIBLE
#else
#define SDFG_PLUGIN_EXPORT SDFG_PLUGIN_VISIBLE
#endif
#define SDFG_PLUGIN(name, version, text)                                                                               \
    SDFG_PLUGIN_EXPORT sdfg_plugin_function sdfg_plugin_init;                                                          \
    SDFG_PLUGIN_EXPORT const sdfg_plugin_about *sdfg_plugin_get(void);                                                 \
    SDFG_PLUGIN_EXPORT const sdfg_plugin_about *sdfg_plugin_get(void)                                                  \
    {                                                                                                                  \
        static const sdfg_plugin_about about = { sizeof(sdfg_plugin_about), SDFG_PLUGIN_ABI, name, version, text };    \
        return &about;                                                                                                 \
    }                                                                                                                  \
    struct sdfg_plugin_end

#ifdef __cplusplus
}
#endif

#endif
