/* The border between the core library and libsdfg-codegen.so, which holds everything that needs LLVM or libclang and is
 * opened on the first specialization that must be compiled. Plain data crosses it, a program in and machine code and
 * tables out; nothing is shared that either side changes. The plugin exports one symbol, `sdfg_codegen_api`, a struct
 * codegen_api. */
#ifndef ENGINE_CODEGEN_H
#define ENGINE_CODEGEN_H

#include "base/code_object.h"
#include "base/vec.h"
#include "engine/include/sdfg_plugin.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODEGEN_ABI = 28 };

struct arena;
struct json;
struct sdfg;

enum codegen_emit {
    CODEGEN_EMIT_CODE,
    CODEGEN_EMIT_SDFG,
    CODEGEN_EMIT_TREE,
    CODEGEN_EMIT_LL,
    CODEGEN_EMIT_LL_OPT,
    CODEGEN_EMIT_ASM,
    CODEGEN_EMIT_OBJECT,
    CODEGEN_EMIT_WORK,
    CODEGEN_EMIT_REMARKS,
    CODEGEN_EMIT_MEMORY,
    CODEGEN_EMIT_MAP,
    CODEGEN_EMIT_CUDA,
    CODEGEN_EMIT_PTX,
    CODEGEN_EMIT_CUBIN
};

/* An argument of exported functions. */
struct codegen_argument {
    const char *name;
    int value_type; /* sdfg_dtype of what is passed by value; 0: a pointer */
    bool symbol;    /* known when the program is initialised */
};

struct codegen_storage {
    const char *name;
    int64_t id;
};

/* An object for other programs instead of code for this process: functions with the interface of DaCe's libraries. */
struct codegen_export {
    const char *name;
    const struct codegen_argument *arguments; /* in the order of semantics.md 1.2 */
    uint32_t num_arguments;
    const struct codegen_storage *storages; /* with containers of lifetime External */
    uint32_t num_storages;
    const char *triple, *cpu, *features; /* NULL: this host */
};

struct codegen_expansion {
    const char *class_path, *text, *plugin;
    sdfg_expand_function *function;
    void *user;
};

/* Rows of the registry; `plugin` NULL: of the library, whose rows come first. */
struct codegen_target {
    const sdfg_target *target;
    const char *plugin;
};

struct codegen_pass {
    const sdfg_pass *pass;
    const char *plugin;
};

struct codegen_operation {
    const char *class_path; /* of the library: "blas.Gemm", as `library` */
    const char *library, *text, *plugin;
};

struct codegen_provider {
    const sdfg_provider *provider;
    const char *plugin;
};

/* What is registered. */
struct codegen_added {
    const struct codegen_target *targets;
    uint32_t num_targets;
    const struct codegen_pass *passes;
    uint32_t num_passes;
    const struct codegen_operation *operations;
    uint32_t num_operations;
    /* Can target number `index` be used, and have its environments begun? If not, why. Any thread. */
    bool (*target_is_ready)(void *user, uint32_t index, const char **why);
    const struct codegen_provider *providers;
    uint32_t num_providers;
    bool (*provider_is_usable)(void *user, uint32_t index, const char **why); /* if not, why; any thread */
    void *user;
};

struct codegen_request {
    const char *json; /* the SDFG, as read from the file (plain or gzip) */
    size_t json_size;
    /* The same as a tree, from a graph that was read and found valid, or NULL; stays as it is until the result is
     * released. Both libraries are built from the same source, and the tree is constant, so any number of compilations
     * may read it. */
    const struct json *tree;
    /* The same as a valid graph made from the tree, or NULL. It goes over to the compilation with all its `ir`, which
     * is freed with the result at the latest, so that the first compilation need not read it again. */
    struct sdfg *graph;
    const char *folder;              /* for external nested SDFGs, or NULL */
    uint64_t file_bytes, text_bytes; /* limits of those, as in sdfg_limits; 0: the default */
    int external_files;              /* as enum sdfg_external_files */
    const sdfg_symbol *bound;        /* free symbols with a known value: become constants */
    uint32_t num_bound;
    const sdfg_symbol *values; /* integers of a call, constants or not, for what is counted about it */
    uint32_t num_values;
    const char *const *may_alias; /* arguments that overlap others in this call */
    uint32_t num_may_alias;
    const char *const *node_classes; /* class paths of library nodes that the embedding program implements */
    uint32_t num_node_classes;
    const struct codegen_expansion *expansions; /* library nodes that plug-ins replace by graphs */
    uint32_t num_expansions;
    const struct codegen_added *added; /* stays as it is until the release */
    const void *members; /* of enumerations, those of plug-ins: enum_members; stays as it is until the release */
    uint32_t alignment;  /* bytes every array argument is aligned to; 0: element size only */
    bool device;         /* code for a GPU and its host, instead of code for the CPU; of CODEGEN_EMIT_WORK: what either
                            would cost */
    const char *device_why; /* for a remark: why it was chosen, or not; NULL: it was not */
    int num_threads;        /* 1: sequential code; 0: decided at run time */
    int opt_level;          /* 0..3, -1: the default pipeline */
    int arch;               /* compute capability of device code: 90 */
    /* Libraries that device code may call: they are on this machine, where the code runs. */
    bool cublas, cusolver, cufft;
    /* Device code that was made before from the same text (the key), and where to keep it; NULL: nowhere. The code is
     * in the arena. Any thread. */
    const void *(*device_load)(void *user, const char *key, size_t key_size, struct arena *a, size_t *size);
    void (*device_store)(void *user, const char *key, size_t key_size, const void *code, size_t size);
    void *device_user;
    enum sdfg_fp fp;
    enum sdfg_tier tier; /* AUTO: quick if optimizing takes longer than it can save the first call */
    enum sdfg_linker linker;
    bool debug_info;                      /* source lines for debuggers and profilers */
    bool profiler;                        /* announce the code to perf and gdb */
    bool timing;                          /* elements are measured */
    unsigned instrument;                  /* enum sdfg_instrument: elements that get instrumentation */
    const char *instrument_with;          /* ... this one; NULL: Timer */
    bool save_data, restore_data;         /* data instrumentation is carried out */
    unsigned check;                       /* enum sdfg_rt_check_kind: what checked mode looks for */
    enum codegen_emit emit;               /* text or object wanted instead of code */
    const struct codegen_export *exports; /* what the functions of an object are; NULL: none */
    _Atomic(const char *) *phase;         /* gets the name of each pass when it begins, static text; or NULL */
    const char *passes;                   /* as in sdfg_options, or NULL */
    const char *tuned;                    /* for a remark: how those were chosen; NULL: by nobody, or by the caller */
    const char *dump_after;               /* pass whose result goes to `dump`, or NULL */
    const char *debug_words;              /* as in SDFG_DEBUG, or NULL */
    void (*dump)(void *user, const char *title, const char *text);
    void *dump_user;
    /* Runtime functions by name: what sdfg_rt_symbol of the core answers. */
    void *(*runtime_symbol)(const char *name);
};

/* One parameter of the program, in the order in which addresses are passed (semantics.md 1.2). */
struct codegen_param {
    const char *name;
    bool by_value;    /* scalar or symbol: the address of the value is passed; else the data itself */
    bool host_code;   /* of code for a device: memory that its host part reads or writes */
    const char *type; /* element type name as in files, or "struct:NAME", "pointer" ... */
};

/* What a call would cost on the CPU and on a GPU, in seconds, without the transfers of arguments. */
struct codegen_cost {
    bool known; /* false: that depends on data */
    double cpu, gpu, launches;
    uint32_t kernels; /* 0: nothing would run on the GPU */
};

struct codegen_message {
    int class_id; /* enum diag_class */
    bool warning;
    const char *code, *message, *path, *source, *excerpt;
};

struct codegen_phase {
    const char *name;
    double seconds, budget; /* budget 0: no limit */
};

struct sdfg_rt_context;
typedef void codegen_entry(struct sdfg_rt_context *context, void *const *args);

struct codegen_result {
    bool ok;
    bool quick;                       /* code was hardly optimized */
    bool memory;                      /* it failed because memory was exhausted; there may be no message */
    struct codegen_message *messages; /* errors and warnings */
    uint32_t num_messages;
    codegen_entry *main, *init, *exit; /* init and exit may be NULL */
    codegen_entry *workspace;          /* asks for the memory of lifetime External and does nothing else; may be NULL */
    struct codegen_param *params;
    uint32_t num_params, num_slots;
    int64_t cache_least, cache_most; /* bytes: the code would be the same for largest caches between these */
    struct code_object *objects;     /* what the code was linked from, for caches */
    uint32_t num_objects;
    char *text; /* emitted text or object bytes, zero-terminated */
    size_t text_size;
    struct codegen_cost cost;     /* CODEGEN_EMIT_WORK for a device */
    const char *noticed;          /* CODEGEN_EMIT_TREE: a function it calls whose calls others notice, or NULL */
    struct codegen_phase *phases; /* times in order, for --time and bench/compile */
    uint32_t num_phases;
    size_t code_bytes, peak_bytes; /* machine code; compiler memory */
    size_t kept_bytes;             /* memory until the release */
    void *owner;                   /* keeps code and strings alive until codegen_api.release */
};

/* A row of a list (sdfg_engine_list). */
enum { CODEGEN_LIST_VALUES = 5 };
struct codegen_row {
    const char *name, *text;
    bool device; /* may be missing on this machine */
    uint32_t num_values;
    const char *names[CODEGEN_LIST_VALUES], *values[CODEGEN_LIST_VALUES];
};
typedef VEC(struct codegen_row) codegen_rows;

struct codegen_api {
    uint32_t abi; /* CODEGEN_ABI */
    /* Thread-safe; several compilations may run at once. Always fills *out; release it in any case. */
    void (*compile)(const struct codegen_request *request, struct codegen_result *out);
    void (*release)(struct codegen_result *result);
    const char *(*version)(void); /* "LLVM 22.1.8" */
    /* Times that LLVM could not go on in this process and what it had in use was left as it was. */
    unsigned (*abandoned)(void);
    /* Targets and passes, in order; they and their texts are in `a`. No LLVM is needed. False: out of memory. */
    bool (*list)(enum sdfg_list_kind what, const struct codegen_added *added, struct arena *a, codegen_rows *out);
};

#endif
