/* libsdfg: loads SDFGs (the data-flow IR of DaCe), compiles them in memory and runs them.
 *
 * This file is what programs need to run SDFGs; other languages read it as a whole to make their bindings. Graphs are
 * made with sdfg_graph.h, plug-ins with sdfg_plugin.h.
 *
 *     sdfg_engine  *e;  sdfg_engine_new(&e, NULL);
 *     sdfg_program *p;  sdfg_program_load_file(&p, e, "gemm.sdfg");
 *     sdfg_args    *a;  sdfg_args_new(&a, p);
 *     sdfg_args_array(a, "A", SDFG_ARRAY(.data = A, .dtype = SDFG_F64, .rank = 2, .shape = { m, k }));
 *     sdfg_args_f64(a, "alpha", 1.5);
 *     sdfg_error *error = sdfg_call(p, a);
 *     if (error) { fputs(sdfg_error_text(error), stderr); sdfg_error_free(error); }
 *
 * Rules that hold everywhere
 * - Errors are returned objects: NULL is success, the caller frees the rest with sdfg_error_free. A failing function
 * leaves its out-parameter NULL.
 * - What comes out of an out-parameter belongs to the caller (there is a function that frees it); what comes as a
 * return value belongs to the handle it was asked from and lives as long as that.
 * - Engines, programs, kernels and bound calls may be used from any thread at the same time. Argument sets and errors
 * belong to one thread at a time.
 * - Objects may be freed in any order: an engine goes with the last of its programs, a program with the last of its
 * argument sets, bound calls and kernels. What was freed must not be given to a function any more.
 * - NULL for a parameter that must not be NULL is an INVALID error; functions that return no error do nothing then, or
 * return 0, "" or NULL.
 * - Exhausted memory is an ENVIRONMENT error with the code MEMORY, also inside the compiler; the process goes on
 * (docs/architecture.md says what is contained and what is not). Hooks must not throw or jump out.
 * - Structs grow at their end in later versions. One that begins with struct_size is as long as whoever made it says:
 * fields behind that count as zero for the library, and are not written by it. Start from SDFG_..._INIT, or set
 * struct_size to the size of the struct and the rest to zero. Arrays that the library hands out have elements with
 * reserved fields instead, which are zero. docs/stability.md has the whole promise.
 * - Sizes, shapes and strides count elements, never bytes, unless a name says so. Text is UTF-8 and zero-terminated.
 * - Free functions accept NULL. */
#ifndef SDFG_H
#define SDFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SDFG_API __attribute__((visibility("default")))
#else
#define SDFG_API
#endif

#define SDFG_VERSION_MAJOR 0
#define SDFG_VERSION_MINOR 1
#define SDFG_VERSION_PATCH 0

/* As one number that can be compared: #if SDFG_VERSION >= SDFG_VERSION_NUMBER(0, 2, 0) */
#define SDFG_VERSION_NUMBER(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define SDFG_VERSION                             SDFG_VERSION_NUMBER(SDFG_VERSION_MAJOR, SDFG_VERSION_MINOR, SDFG_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sdfg_engine sdfg_engine;   /* options and the code generator; any thread */
typedef struct sdfg_program sdfg_program; /* a loaded SDFG, its kernels and persistent memory; any thread */
typedef struct sdfg_args sdfg_args;       /* the arguments of a call, by name; one thread at a time */
typedef struct sdfg_bound sdfg_bound;     /* a call whose arguments are looked up and checked; any thread */
typedef struct sdfg_kernel sdfg_kernel;   /* one specialization; any thread, runs may overlap */
typedef struct sdfg_error sdfg_error;     /* what went wrong; one thread at a time */

/* ---- version ---- */

/* "0.1.0": of the library that runs, which may differ from SDFG_VERSION_*. Static text. */
SDFG_API const char *sdfg_version(void);
/* The same as SDFG_VERSION_NUMBER makes it. */
SDFG_API int sdfg_version_number(void);
/* Whether the library that runs serves a program that was compiled with the header of this version: NULL, or an error
 * of class ENVIRONMENT that names both. It does if the major version is the same and the library is not older; before
 * version 1.0, if major and minor version are the same. */
SDFG_API sdfg_error *sdfg_version_check(int major, int minor, int patch);
/* ... of this header. */
#define SDFG_VERSION_CHECK() sdfg_version_check(SDFG_VERSION_MAJOR, SDFG_VERSION_MINOR, SDFG_VERSION_PATCH)

/* ---- errors ---- */

enum sdfg_error_class {
    SDFG_ERROR_INVALID,     /* the SDFG or an argument is wrong */
    SDFG_ERROR_UNSUPPORTED, /* right, but this library cannot do it */
    SDFG_ERROR_ENVIRONMENT, /* a file, library, device or memory is missing */
    SDFG_ERROR_BUG          /* a defect of this library */
};

/* What was being done when the error was found. */
enum sdfg_error_stage { SDFG_STAGE_OPTIONS, SDFG_STAGE_LOAD, SDFG_STAGE_BIND, SDFG_STAGE_COMPILE, SDFG_STAGE_RUN };

/* One message. An error has at least one that is not a warning; INVALID ones are collected, so there may be many. */
typedef struct sdfg_message {
    size_t struct_size; /* set by the library */
    enum sdfg_error_class class_id;
    bool warning;
    const char *code;    /* stable identifier, such as "NO_TARGET" */
    const char *text;    /* one sentence */
    const char *path;    /* element path, such as axpy/state[0] "MapState"/map[0] "axpy_5"; "" when there is none */
    const char *source;  /* line of the user's program, "user.py:5:4", or "" */
    const char *excerpt; /* the text in question with a caret below the fault, or "" */
} sdfg_message;

SDFG_API enum sdfg_error_class sdfg_error_class_of(const sdfg_error *e); /* the worst among its messages */
SDFG_API const char *sdfg_error_class_name(enum sdfg_error_class c);     /* "invalid", ...; static text */
SDFG_API enum sdfg_error_stage sdfg_error_stage_of(const sdfg_error *e);
/* Of the first message of the worst class. */
SDFG_API const char *sdfg_error_code(const sdfg_error *e);
SDFG_API const char *sdfg_error_message(const sdfg_error *e);
SDFG_API const char *sdfg_error_path(const sdfg_error *e);
SDFG_API const char *sdfg_error_source(const sdfg_error *e);
/* All messages, one at a time, in the order in which they were found. Warnings are among them. */
SDFG_API size_t sdfg_error_count(const sdfg_error *e);
SDFG_API const sdfg_message *sdfg_error_get(const sdfg_error *e, size_t index); /* NULL if out of range */
/* All messages as a terminal shows them, and as {"class", "stage", "messages": [...]}. */
SDFG_API const char *sdfg_error_text(const sdfg_error *e);
SDFG_API const char *sdfg_error_json(const sdfg_error *e);
SDFG_API void sdfg_error_free(sdfg_error *e);

/* ---- options ---- */

enum sdfg_fp {
    SDFG_FP_DEFAULT, /* IEEE, with fused multiply-add */
    SDFG_FP_STRICT,  /* IEEE, no contraction */
    SDFG_FP_FAST     /* re-association, reciprocals, no NaN or infinity assumed */
};

enum sdfg_linker {
    SDFG_LINKER_AUTO, /* our own placer; LLVM's ORC for what that cannot do, and for debug_info */
    SDFG_LINKER_PLACE,
    SDFG_LINKER_ORC
};

enum sdfg_opt_level {
    SDFG_OPT_DEFAULT = -1,
    /* The default, and what models cannot tell is measured: the first call of each specialization tries for
     * `tune_seconds` which passes it is faster without (sdfg_tune), unless that is in the disk cache. */
    SDFG_OPT_MAX = 4
};

/* How much is done to make code fast. Both tiers compute the same, except that, unless fp is SDFG_FP_STRICT, fused
 * multiply-adds and the order of sums may differ in the last bits, as they may from one specialization to another. */
enum sdfg_tier {
    SDFG_TIER_FULL,  /* optimized code */
    SDFG_TIER_QUICK, /* code that is there soon */
    SDFG_TIER_AUTO /* quick code at first, if the first call is so small that it ends sooner with that; from the second
                      call on, a thread of the engine makes optimized code, which calls take when it is there */
};

/* Which files a program may name for its nested SDFGs (ext_sdfg_path). Only regular files are read, whatever this is.
 */
enum sdfg_external_files {
    SDFG_EXTERNAL_FOLDER, /* those in the folder of the program and below it, after symbolic links are followed */
    SDFG_EXTERNAL_NONE,   /* a program that names one is refused */
    SDFG_EXTERNAL_ANY
};

/* What reading may take in; beyond it loading fails with an ENVIRONMENT error. */
typedef struct sdfg_limits {
    size_t struct_size;  /* set by the caller */
    uint64_t file_bytes; /* of the program, and of each file it names; 0: 1 GiB */
    uint64_t text_bytes; /* of the JSON in such a file, which may be compressed; 0: 1 GiB; at most 4 GiB */
} sdfg_limits;

/* Receives a dump: `title` says of what. Called from the thread that compiles. */
typedef void sdfg_dump(void *user, const char *title, const char *text);

/* What happens to kernels. */
enum sdfg_event_kind {
    SDFG_EVENT_COMPILING, /* begins; the text says why */
    SDFG_EVENT_COMPILED,
    SDFG_EVENT_READ, /* from the disk cache */
    SDFG_EVENT_FAILED,
    SDFG_EVENT_DROPPED /* had to leave memory */
};
typedef struct sdfg_event {
    size_t struct_size; /* set by the library */
    enum sdfg_event_kind kind;
    const sdfg_program *program;
    const char *text; /* such as "N = 24, arrays aligned to 64 bytes"; gone after the call */
    double seconds;   /* that it took; 0 where it has no duration */
} sdfg_event;
/* Called from the thread in which it happens, without locks, so it may ask the library whatever it likes. With
 * SDFG_TIER_AUTO that may be a thread of the engine, which must not free the program. */
typedef void sdfg_event_function(void *user, const sdfg_event *e);

typedef struct sdfg_counter {
    const char *name; /* "page_faults" */
    double value;
} sdfg_counter;

/* What was measured of an element of the SDFG: how long it took that has instrumentation Timer, or what another
 * provider (SDFG_LIST_PROVIDERS) counted; of programs on a GPU also each "Kernel NAME", "Transfer in", "out" and
 * "within", "Clear", and "Wait" of the host. */
typedef struct sdfg_timing {
    const char *name;            /* "SDFG axpy", "State main", "Map rows", "Tasklet 0_1_4" ... */
    int64_t region, state, node; /* numbers of the control-flow region (0: the SDFG itself, then in the order of the
                                    file), of the state in it, and of the node in that; -1: not below the former */
    int64_t thread;              /* as the system numbers them; 0: the GPU */
    double begin, seconds;       /* begin: of a clock that never goes back */
    int64_t bytes;               /* of a transfer to or from the GPU; else 0 */
    const char *provider;        /* the kind of instrumentation: "Timer", "GPU_Events", "PAPI_Counters" ... */
    const sdfg_counter *counter; /* NULL: it is a duration; else what was counted until `begin`, `seconds` is 0 */
} sdfg_timing;
/* The timings of one call of a program, in the order in which they ended; `timings` is gone afterwards. Called from the
 * thread of the call, without locks. */
typedef void sdfg_timing_function(void *user, const sdfg_timing *timings, size_t count);

/* Elements of a program that are measured without a change of its file; bits of sdfg_options.instrument. */
enum sdfg_instrument {
    SDFG_INSTRUMENT_MAPS = 1, /* and consume scopes */
    SDFG_INSTRUMENT_STATES = 2,
    SDFG_INSTRUMENT_TASKLETS = 4,
    SDFG_INSTRUMENT_OTHERS = 8, /* the SDFG, nested SDFGs, library nodes */
    SDFG_INSTRUMENT_ALL = 15
};

/* What checked mode looks for while a program runs (docs/checking.md); bits of sdfg_options.check. */
enum sdfg_check {
    SDFG_CHECK_BOUNDS = 1,   /* accesses outside of a container */
    SDFG_CHECK_UNINIT = 2,   /* reads of elements of transients that nothing has written */
    SDFG_CHECK_ALIAS = 4,    /* arguments that share memory although neither is declared with may_alias */
    SDFG_CHECK_OVERFLOW = 8, /* integers that do not fit: symbols, and indices computed in tasklets */
    SDFG_CHECK_SCOPE = 16,   /* accesses to memory whose scope has ended, and through references that are not set */
    SDFG_CHECK_NAN = 32,     /* values stored that are NaN or infinite */
    SDFG_CHECK_RACE = 64,    /* iterations of a parallel map that touch the same element, one of them writing */
    SDFG_CHECK_RACE_SAMPLE = 128, /* the same for one element of each 64 */
    SDFG_CHECK_DEFAULT = 31,      /* what costs little */
    SDFG_CHECK_ALL = 127
};
/* "bounds,uninit", "default", "all" and so on, in any order, as bits. False, with the bits unchanged, for a word that
 * is none, and if `check` is NULL; NULL and "" are the default. */
SDFG_API bool sdfg_check_by_name(const char *names, unsigned *check);
/* The word of one bit, or NULL; static text. */
SDFG_API const char *sdfg_check_name(enum sdfg_check check);

/* Memory for a program, from sdfg_options.allocate; NULL: there is none, which fails the call. */
typedef void *sdfg_allocate_function(void *user, size_t bytes, size_t alignment);
typedef void sdfg_release_function(void *user, void *memory, size_t bytes);

/* The first fault of a call in checked mode. All texts and lists are gone after the call of the function. */
typedef struct sdfg_fault {
    size_t struct_size;        /* set by the library */
    enum sdfg_check check;     /* which check found it; one bit */
    const char *container;     /* name as the SDFG has it */
    const char *path;          /* element path of the access, or "" */
    const char *source;        /* line of the user's program, "user.py:5:4", or "" */
    const char *text;          /* the message of the error that the call returns */
    size_t rank;               /* of the container; 0 where the fault has no indices */
    const int64_t *low, *high; /* first and last index of the access, one per dimension */
    const int64_t *extent;     /* of the container, one per dimension */
    int64_t thread;            /* number of the thread in its parallel region; 0 outside */
    uint64_t count;            /* faults of the call until it stopped, this one included */
    const char *kernel;        /* of a GPU: the function that found it, as --emit=cuda shows it; "" on the CPU */
    uint32_t block[3], thread_of_block[3]; /* x, y, z of that thread of the GPU */
} sdfg_fault;
/* Called from the thread of the call, without locks, before the call returns its error. */
typedef void sdfg_fault_function(void *user, const sdfg_fault *f);

/* Options of an engine. All texts are copied. Each function has a `..._user` of its own, which it is called with. */
typedef struct sdfg_options {
    size_t struct_size; /* set by the caller */
    int opt_level;      /* 0..3; -1: the default; SDFG_OPT_MAX */
    int num_threads;    /* of parallel regions; 1: sequential code is generated; 0: decided at run time */
    enum sdfg_fp fp;
    enum sdfg_tier tier;
    enum sdfg_linker linker;
    enum sdfg_external_files external_files;
    const char *specialize; /* symbols that become constants: "auto", "none", "all" or names "N,M"; NULL is "auto" */
    /* Where programs run: "cpu" or NULL; "cuda" or "cuda:N" for a GPU by its number among those that the driver shows
     * (the first); "auto": the first one if it is there and a call is expected to cost less on it. Without a driver, a
     * device or NVRTC calls get an ENVIRONMENT error that says what was tried. What runs where, and what a program for
     * a GPU means on a CPU: docs/gpu.md. */
    const char *device;
    const char *codegen;       /* path of the code generator library; NULL: beside this library */
    const sdfg_limits *limits; /* copied; NULL: the defaults */
    const char *cache_dir;     /* folder where compiled kernels are kept for other processes; "default": libsdfg below
                                  $XDG_CACHE_HOME or ~/.cache; NULL: none */
    uint64_t cache_bytes;      /* limits of that folder; 0: 512 MiB */
    unsigned cache_days;       /* since a kernel was last used; 0: 90 */
    unsigned check;         /* bits of enum sdfg_check: a fault that they find ends the call with an error; 0: none */
    uint64_t memory_bytes;  /* kernels in memory beyond this are dropped, those used longest ago first; 0: 256 MiB */
    bool debug_info;        /* source lines for debuggers and profilers */
    bool profiler;          /* announce generated code to perf and gdb */
    const char *debug;      /* debug words, as in $SDFG_DEBUG; NULL: none */
    const char *dump_dir;   /* dumps become files here if there is no `dump`; NULL: they are dropped */
    const char *dump_after; /* pass whose result is dumped, or NULL */
    sdfg_dump *dump;
    void *dump_user;
    /* Where memory of the program comes from: transients of a call, persistent ones; NULL: the system, and large blocks
     * are kept for the next call. Called from any thread. `bytes` is what was asked for. */
    sdfg_allocate_function *allocate;
    sdfg_release_function *release;
    void *allocator_user;       /* for both */
    sdfg_event_function *event; /* hears of kernels; NULL: nobody does */
    void *event_user;
    sdfg_fault_function *fault; /* hears of the first fault of a call; NULL: nobody does */
    void *fault_user;
    /* Instrumentation that the SDFG asks for; without these there is no trace of it in generated code. */
    sdfg_timing_function *timing; /* hears after each call what was measured; NULL: nothing is */
    void *timing_user;
    const char *save_data;    /* folder for containers and symbols that nodes and states save; NULL: not saved */
    const char *restore_data; /* ... and restore; NULL: programs that restore are refused */
    int arch;                 /* compute capability that device code is made for, 90 for sm_90; 0: the device's */
    /* How programs in Python are read, parts with ';' between them: types of parameters without annotation
     * ("A=float64[100, N]"), "assert=drop" (assertions on data), "index=trust" (indices known at run time only do not
     * count from the end); NULL: nothing of it. Copied. */
    const char *python;
    /* Files of plug-ins with ':' between them, loaded in this order (docs/plugins.md); NULL: none. Copied. */
    const char *plugins;
    /* Choice of passes, with ',' between them: "-NAME" skips a pass over the loop tree or of a plug-in, "NAME" runs
     * one; if any is named, no others of these run. Passes over the graph that are named run even where nothing needs
     * them. SDFG_LIST_PASSES has the names. "NAME=NUMBER" is a number for passes: caches, region, jam, chunk, dynamic
     * (docs/passes.md). NULL: all, as usual. Copied. */
    const char *passes;
    /* Bits of enum sdfg_instrument: elements that `timing` hears of as if the file gave them instrumentation
     * `instrument_with`, a row of SDFG_LIST_PROVIDERS; NULL: "Timer". Copied. */
    unsigned instrument;
    const char *instrument_with;
    double tune_seconds; /* with SDFG_OPT_MAX: how long the first call of a specialization tries; 0: 10 */
} sdfg_options;

/* SDFG_OPTIONS_INIT for a struct of any size, with `debug`, `dump_dir` and `plugins` from SDFG_DEBUG, SDFG_DUMP_DIR and
 * SDFG_PLUGINS (the texts belong to the environment; SDFG_PLUGINS is not read by set-user-ID programs). `struct_size`
 * is sizeof(sdfg_options) as the caller knows it. */
SDFG_API void sdfg_options_init(sdfg_options *o, size_t struct_size);

/* ---- engine ---- */

/* `o` may be NULL: the defaults. Nothing is opened yet: the code generator is, when something must be compiled. */
SDFG_API sdfg_error *sdfg_engine_new(sdfg_engine **out, const sdfg_options *o);
SDFG_API void sdfg_engine_free(sdfg_engine *e);
/* Waits until nothing is compiled or written in the background. Call it before fork. */
SDFG_API void sdfg_engine_wait(sdfg_engine *e);
/* The pass that a compilation of any thread is in, in the words of sdfg_engine_list; of the one that came to its pass
 * last, if there are several. NULL: nothing is compiled. The text stays; any thread may ask. */
SDFG_API const char *sdfg_engine_phase(sdfg_engine *e);
/* "LLVM 22.1.8"; opens the code generator. The text lives as long as the engine. */
SDFG_API sdfg_error *sdfg_engine_backend(const char **out, sdfg_engine *e);

/* ---- lists: what an engine has ---- */

typedef struct sdfg_list sdfg_list; /* rows as they were when it was made; any thread */

enum sdfg_list_kind {
    SDFG_LIST_TARGETS, /* in the order in which they are asked whether they serve a schedule or storage; values:
                          schedules, storages, plug-in */
    SDFG_LIST_PASSES,  /* of the compiler in the order in which they run; values: needs, makes and breaks (facts about
                          the program), code (CPU, GPU or BOTH), plug-in */
    SDFG_LIST_OPS,     /* library nodes that become code: those of plug-ins and of sdfg_engine_implement by their class
                          path, then our own as "blas.Gemm"; values: library, class, plug-in */
    SDFG_LIST_ENUMS,   /* enumerations of the file format; values: members, those of plug-ins last, and plug-ins: each
                          of these with the name of its plug-in */
    SDFG_LIST_PLUGINS, /* plug-ins in the order in which they were loaded; values: version, file */
    SDFG_LIST_PROVIDERS,   /* of instrumentation, those of plug-ins last; values: enumeration whose member the name is,
                              counters, plug-in */
    SDFG_LIST_CONVERTIBLES /* objects that graphs call by name; values: parameters, those of them that must be
                              constants, plug-in */
};

typedef struct sdfg_list_row {
    size_t struct_size;   /* set by the library */
    const char *name;     /* unique in its list */
    const char *text;     /* one line that says what it is or does */
    const char *unusable; /* why programs cannot run there on this machine, maybe several lines; NULL: they can */
    size_t num_values;
    const char *const *names;  /* of the values, those named above; more may come */
    const char *const *values; /* words with ", " between them, or "" */
} sdfg_list_row;

/* Opens the code generator, except for enumerations; for targets also the drivers of devices. Free the list with
 * sdfg_list_free; its rows live as long as it. INVALID: there is no such list. */
SDFG_API sdfg_error *sdfg_engine_list(sdfg_list **out, sdfg_engine *e, enum sdfg_list_kind what);
SDFG_API size_t sdfg_list_count(const sdfg_list *l);
SDFG_API const sdfg_list_row *sdfg_list_get(const sdfg_list *l, size_t index); /* NULL if out of range */
SDFG_API void sdfg_list_free(sdfg_list *l);

/* ---- the disk cache: trouble with it is counted here and never an error of a call ---- */

typedef struct sdfg_cache_info {
    size_t struct_size; /* set by the caller */
    const char *folder; /* NULL: the cache is off */
    const char *off;    /* why it is off, or NULL */
    uint64_t hits, misses, stored, removed, troubles;
    char trouble[512]; /* the last one, or "" */
} sdfg_cache_info;

/* Waits for kernels that are being written. Texts live as long as the engine. */
SDFG_API void sdfg_engine_cache(sdfg_engine *e, sdfg_cache_info *out);

/* ---- kernels in memory ---- */

/* What happened since a program was loaded, or an engine made. */
typedef struct sdfg_stats {
    size_t struct_size;             /* set by the caller */
    uint64_t calls;                 /* runs of kernels */
    uint64_t found;                 /* requests for a kernel that was in memory; a repeated call asks for none ... */
    uint64_t read;                  /* ... was read from the disk cache ... */
    uint64_t compiled;              /* ... was compiled ... */
    uint64_t waited;                /* ... was being made for another thread ... */
    uint64_t failed;                /* ... could not be made */
    uint64_t dropped;               /* kernels that had to leave memory */
    uint64_t kernels, kernel_bytes; /* in memory now */
    double compile_seconds;         /* of all compilations together */
    uint64_t improved;              /* quick kernels whose place optimized ones took; both were compiled or read */
    uint64_t memory_peak; /* bytes that a program's calls and persistent memory took at one time at most, but for blocks
                             below 64 KiB; of an engine 0 */
    uint64_t abandoned; /* times that LLVM ran out of memory or gave up in this process: the call got an error, and what
                           LLVM had in use is kept until the process ends; of a program 0 */
    uint64_t parsed;    /* Python files whose graph was made by sdfg_program_load_file, and not read from the disk
                           cache; of a program 0 */
} sdfg_stats;

SDFG_API void sdfg_engine_stats(sdfg_engine *e, sdfg_stats *out); /* of all its programs, also freed ones */

/* ---- programs ---- */

/* Reads and validates an SDFG: `size` bytes of JSON, plain or gzip. The bytes are copied. `folder` is where external
 * nested SDFGs are looked up, or NULL. */
SDFG_API sdfg_error *sdfg_program_load(sdfg_program **out, sdfg_engine *e, const char *json, size_t size,
                                       const char *folder);
/* A file; or a function of a Python file, "prog.py:f" ("prog.py": its only program), see docs/python-programs.md. */
SDFG_API sdfg_error *sdfg_program_load_file(sdfg_program **out, sdfg_engine *e, const char *path);
/* The path of file `index` of those that it was read from: the first is that of the call, files that a Python program
 * imports follow. NULL: there are no more, or it was not read from files. Lives as long as the program. */
SDFG_API const char *sdfg_program_source(const sdfg_program *p, size_t index);
/* ---- functions of a live interpreter, see docs/python.md ----
 *
 * A Python function as a program: its text is parsed and lowered here, and the interpreter is asked for what the text
 * does not say, the objects behind names, attributes and elements. Each answer of the host is a constant of the program
 * or an array that becomes an argument; sdfg_program_guard lists the answers, so that the caller can see whether they
 * are still the same. */

enum sdfg_object_kind {
    SDFG_OBJECT_UNKNOWN, /* there is none; `text` says why, or is NULL */
    SDFG_OBJECT_NONE,
    SDFG_OBJECT_BOOL,    /* `integer` */
    SDFG_OBJECT_INTEGER, /* `integer` */
    SDFG_OBJECT_FLOAT,   /* `real` */
    SDFG_OBJECT_COMPLEX, /* `real`, `imaginary` */
    SDFG_OBJECT_STRING,  /* `text` */
    SDFG_OBJECT_ELLIPSIS,
    SDFG_OBJECT_TYPE,       /* `type`: an element type */
    SDFG_OBJECT_DESCRIPTOR, /* `type`, `rank`, `shape`: the type of an array, as annotations have it */
    SDFG_OBJECT_SYMBOL,     /* `text`: an expression over symbols. Their types are asked for by `symbol` */
    SDFG_OBJECT_MODULE,     /* `text`: a module that the library knows: "numpy", "math", "dace", "sdfg" ... */
    SDFG_OBJECT_BUILTIN,    /* `text`: a function that it knows: "numpy.sum", "builtins.len" */
    SDFG_OBJECT_VALUE,      /* `type`, `weak`: a single value that differs from call to call; for parameters only */
    SDFG_OBJECT_ARRAY,      /* `type`, `rank`, `shape`, `strides`: live memory, an argument of the program */
    SDFG_OBJECT_FUNCTION,   /* `source` has its text; `self`: the object that a method is bound to, or 0 */
    SDFG_OBJECT_TUPLE,      /* `count` elements, asked for by `item` */
    SDFG_OBJECT_LIST,       /* the same */
    SDFG_OBJECT_DICTIONARY, /* `count` keys, asked for by `key` */
    SDFG_OBJECT_OTHER,      /* `text` describes it: "an object of class 'Grid'" */
    SDFG_OBJECT_SLICE       /* `items`: begin, end and step, each NONE, INTEGER or SYMBOL */
};

/* One object of the interpreter, as its host describes it. The host fills it in; the library clears it before. Texts
 * and lists are copied before the host is asked again. */
typedef struct sdfg_object {
    size_t struct_size; /* set by the library */
    enum sdfg_object_kind kind;
    bool weak;      /* numbers of Python, which take the type of what they meet; not NumPy's, which have `type` */
    bool transient; /* of ARRAY: memory of the program, which is no argument and whose elements no call finds again */
    uint64_t id;    /* names the object in questions; the same for the same object, not 0 */
    int64_t integer;
    double real, imaginary;
    const char *text;
    const char *type;           /* "float64", as sdfg_dtype_name has it */
    size_t rank;                /* at most SDFG_MAX_RANK */
    const char *const *shape;   /* `rank` expressions: "10", "N" */
    const char *const *strides; /* the same, in elements; NULL: packed */
    size_t count;
    uint64_t self;
    /* In arguments and results of callbacks: `count` elements of a TUPLE or LIST, or keys and values of a DICTIONARY;
     * the parts of a SLICE. */
    const struct sdfg_object *items;
} sdfg_object;

/* The text of a function. */
typedef struct sdfg_source {
    size_t struct_size; /* set by the library */
    const char *path;   /* of its file, for messages */
    const char *text; /* the statement that defines it, UTF-8, indented as in the file; decorators are not looked at */
    size_t size;
    unsigned first_line; /* of the text in its file; 0 is 1 */
    const char *name;    /* of the function; "<lambda>": the lambda in the text */
    bool dace;           /* the dialect of dace.program instead of NumPy's meaning */
    bool strict;         /* what cannot be compiled is an error, also where the host has `callback` */
    uint32_t unroll;     /* loops over ranges of constants with at most so many iterations are unrolled; 4096 at most */
} sdfg_source;

/* A call that is not compiled, so that the interpreter makes it whenever the program comes to it. */
typedef struct sdfg_site {
    size_t struct_size;    /* set by the library */
    uint64_t object, self; /* what is called; `self` as in sdfg_object */
    /* The argument of the program that takes the function pointer. NULL: only the types of the results are wanted yet;
     * the host is asked again for the same call. */
    const char *argument;
    const char *path, *why; /* how the program reaches the object; why it is not compiled, or NULL */
    const char *file;
    unsigned line;
    /* Constants as in `call`; VALUE, ARRAY and SYMBOL are known at run time, TUPLE and LIST hold others. The last
     * `num_names` have the names. */
    const sdfg_object *arguments;
    size_t count;
    const char *const *names;
    size_t num_names;
    /* What the program needs as the result: VALUE or ARRAY by its type and shape, NONE: nothing, TUPLE: as many,
     * UNKNOWN: whatever it is. */
    const sdfg_object *wanted;
    /* Where a block of `with` begins: its number. Where it ends: minus that; this call is also made after another one
     * has failed, if the block had begun. 0: another call. */
    int64_t manager;
} sdfg_site;

/* The graph that a call stands for. The host fills it in; the library clears it before and copies texts and lists
 * before it asks again. */
typedef struct sdfg_graph_answer {
    size_t struct_size; /* set by the library */
    const char *text;   /* `size` bytes of JSON; if there is no graph, why (a C string), or NULL */
    size_t size;
    /* For each argument of the call the container or symbol of the graph that it is, or NULL: the graph has no use for
     * it. Containers "__return", "__return_0" ... are what the call gives. */
    const char *const *names;
    /* Arrays that the graph takes besides: ARRAY with `id`, the containers that they are, and how the program reaches
     * them. They become arguments of the program, as those of `lookup` do. */
    const sdfg_object *captured;
    const char *const *captured_names, *const *captured_paths;
    size_t num_captured;
    bool wrong; /* with false: the call is an error, `text` says why */
} sdfg_graph_answer;

typedef enum sdfg_attempt { SDFG_ATTEMPT_BEGINS, SDFG_ATTEMPT_SUCCEEDS, SDFG_ATTEMPT_FAILS } sdfg_attempt;

/* What a live interpreter is asked for, one question at a time while the call that was given the host waits, possibly
 * from another thread. Each function fills in *out and returns true; false: `text` of an UNKNOWN object, or nothing,
 * says what went wrong. NULL: no such thing is ever there. */
typedef struct sdfg_host {
    size_t struct_size; /* set by the caller: sizeof(sdfg_host) */
    void *user;         /* first argument of all functions */
    bool (*source)(void *user, uint64_t function, sdfg_source *out);
    /* What the call gives for a parameter of the program. UNKNOWN: its annotation counts. Arrays with the same `id`,
     * here and in other answers, are one argument, named after the first. */
    bool (*parameter)(void *user, const char *name, sdfg_object *out);
    bool (*lookup)(void *user, uint64_t function, const char *name, sdfg_object *out); /* a free name of a function */
    bool (*symbol)(void *user, const char *name, sdfg_object *out);                    /* TYPE */
    /* `object` 0: what calls the method `name` of its first argument, an object that a callback has returned. */
    bool (*attribute)(void *user, uint64_t object, const char *name, sdfg_object *out);
    bool (*item)(void *user, uint64_t object, const sdfg_object *key, sdfg_object *out); /* of lists by position */
    bool (*key)(void *user, uint64_t dictionary, size_t index, sdfg_object *out);
    /* Calls an object whose result is a constant of the program; arguments are constants, the last `num_names` of them
     * with the names. UNKNOWN: it is none such. `out->integer` is 1 on entry where the program says inline(...): any
     * function is called then. */
    bool (*call)(void *user, uint64_t object, const sdfg_object *arguments, size_t count, const char *const *names,
                 size_t num_names, sdfg_object *out);
    /* Allows that a call is made at run time, and says what it gives: NONE, VALUE (`type`, also "pyobject": a number by
     * which the host knows an object), ARRAY (`type`, `rank`, `shape`), or a TUPLE of such; `integer` is not 0 if the
     * function never writes the arrays that it gets. The function gets, for each argument that is known at run time, in
     * order: of a SYMBOL its value (int64_t); of a VALUE the address of an array and the number of the element in it
     * (int64_t); of an ARRAY the same, then `rank` extents and `rank` strides in elements (int64_t). For each result:
     * the address where it goes, packed, and of an ARRAY `rank` extents. It returns nothing. */
    bool (*callback)(void *user, const sdfg_site *site, sdfg_object *out);
    /* Before and after the library tries whether a function compiles; attempts lie inside each other. The program does
     * not depend on answers, but for arrays, that were given during one that fails; it may ask for them again. */
    void (*attempt)(void *user, sdfg_attempt now);
    /* Hears the type of each name of the program where it is bound, and where one from outside is used: "float64[N]".
     * NULL: nobody wants to know. */
    void (*typed)(void *user, const char *file, unsigned line, const char *name, const char *type);
    /* Asked before `callback` (`argument` of the site is NULL): whether the call stands for a graph, which is compiled
     * in as a nested SDFG. False, or where the graph does not fit what is passed: `callback` decides. */
    bool (*graph)(void *user, const sdfg_site *site, sdfg_graph_answer *out);
} sdfg_host;

/* The host is asked during the call only. */
SDFG_API sdfg_error *sdfg_program_load_function(sdfg_program **out, sdfg_engine *e, uint64_t function,
                                                const sdfg_host *host);

/* An answer of the host that the program depends on. */
typedef struct sdfg_guard {
    size_t struct_size;   /* set by the caller: sizeof(sdfg_guard) */
    const char *path;     /* "self.sizes[2]", as the function that was compiled reaches it */
    const char *argument; /* the argument that an array became, such as "__g_self_a", or NULL */
    enum sdfg_object_kind kind;
    uint64_t id;       /* of the object */
    const char *value; /* of constants as Python writes them; of arrays "float64[10, N]"; else what it is */
} sdfg_guard;

/* 0 for programs that are not from sdfg_program_load_function. */
SDFG_API size_t sdfg_program_num_guards(const sdfg_program *p);
SDFG_API bool sdfg_program_guard(const sdfg_program *p, size_t index, sdfg_guard *out); /* false if out of range */
/* How many values the function returns, -1: a single one, no tuple; and whether a result is a single number, for which
 * the program has an array of one element. */
SDFG_API ptrdiff_t sdfg_program_num_results(const sdfg_program *p);
SDFG_API bool sdfg_program_result_is_number(const sdfg_program *p, size_t index);
/* A result of a callback of type "pyobject": the program has an array of one uint64, the host's number for it. */
SDFG_API bool sdfg_program_result_is_object(const sdfg_program *p, size_t index);

/* The functions that Python programs may call: "numpy.sum", "builtins.len", "ndarray.copy"; static text. */
SDFG_API size_t sdfg_num_functions(void);
SDFG_API const char *sdfg_function_name(size_t index); /* "" if out of range */

/* Runs the exit code of the program, releases its persistent memory and drops its kernels, as soon as its argument
 * sets, bound calls and kernels are freed, too. No call may be in flight. */
SDFG_API void sdfg_program_free(sdfg_program *p);

SDFG_API void sdfg_program_stats(sdfg_program *p, sdfg_stats *out);

/* Element types. Values are stable. */
typedef enum sdfg_dtype {
    SDFG_NONE = 0,
    SDFG_BOOL = 1,
    SDFG_I8 = 2,
    SDFG_I16 = 3,
    SDFG_I32 = 4,
    SDFG_I64 = 5,
    SDFG_U8 = 6,
    SDFG_U16 = 7,
    SDFG_U32 = 8,
    SDFG_U64 = 9,
    SDFG_F16 = 10,
    SDFG_BF16 = 11,
    SDFG_F8E4M3 = 12,
    SDFG_F8E5M2 = 13,
    SDFG_F32 = 14,
    SDFG_F64 = 15,
    SDFG_C64 = 16,
    SDFG_C128 = 17,
    SDFG_RECORD = 18 /* a structure stored in place (struct types of element level); see sdfg_array.item_bytes */
} sdfg_dtype;

SDFG_API size_t sdfg_dtype_size(sdfg_dtype t);            /* bytes; 0 for SDFG_NONE and SDFG_RECORD */
SDFG_API const char *sdfg_dtype_name(sdfg_dtype t);       /* "float64"; static text */
SDFG_API sdfg_dtype sdfg_dtype_by_name(const char *name); /* SDFG_NONE if there is none */

enum sdfg_argument_kind {
    SDFG_KIND_ARRAY,
    SDFG_KIND_SCALAR,
    SDFG_KIND_SYMBOL,
    SDFG_KIND_STRUCTURE,       /* give its members by dotted name: "A.indices" */
    SDFG_KIND_CONTAINER_ARRAY, /* give its elements by index: "B[0]", "B[0].data" */
    SDFG_KIND_OTHER,           /* cannot be passed */
    SDFG_KIND_STREAM           /* queues, see sdfg_args_stream; `total_size` says how many */
};

enum { SDFG_MAX_RANK = 32 };

/* An argument or container of a program; all texts belong to the program. */
typedef struct sdfg_argument {
    size_t struct_size; /* set by the caller */
    const char *name;
    enum sdfg_argument_kind kind;
    sdfg_dtype dtype;         /* base type for vectors; SDFG_NONE if it is none of the above */
    const char *type;         /* "float64", "vec<float32,4>", "struct CSR" ... */
    int lanes;                /* of a vector element, else 1 */
    int rank;                 /* 0 for scalars and symbols */
    const char *const *shape; /* `rank` expressions, such as "N + 1" */
    const char *const *strides;
    const char *total_size;         /* elements of memory needed */
    const char *storage, *lifetime; /* as in files; "" for symbols */
    bool transient;                 /* memory of the program itself; never an argument */
    bool optional;                  /* may be null */
    bool returned;      /* named __return...: the caller allocates it, its contents on entry do not matter */
    bool written;       /* by any state, as far as the graph shows */
    bool solvable;      /* symbols: some argument's shape or stride may determine it */
    size_t num_members; /* of a structure; 1 for a container array: its element */
    /* For who lays out structures by hand, as libraries of sdfg_program_export take them: scalars are values in them,
     * everything else pointers, elements of container arrays are pointers one behind the other. */
    size_t bytes;     /* of a structure */
    ptrdiff_t offset; /* of a member in its structure; -1: it has no place there, or is no member */
} sdfg_argument;

SDFG_API const char *sdfg_program_name(const sdfg_program *p);
SDFG_API const char *sdfg_program_dace_version(const sdfg_program *p); /* that wrote the file, or "" */
SDFG_API const char *sdfg_program_hash(const sdfg_program *p); /* of the graph, that DaCe wrote into the file, or "" */
/* Everything a call takes: containers by name, then scalars and symbols by name. */
SDFG_API size_t sdfg_program_num_arguments(const sdfg_program *p);
/* False if out of range. */
SDFG_API bool sdfg_program_argument(const sdfg_program *p, size_t index, sdfg_argument *out);
/* Position of a name, or -1. */
SDFG_API ptrdiff_t sdfg_program_find_argument(const sdfg_program *p, const char *name);
/* An argument, or by dotted name or index a member of one: "A.data", "B[0]". False if there is none. */
SDFG_API bool sdfg_program_lookup(const sdfg_program *p, const char *name, sdfg_argument *out);
/* Member of the structure (or element of the container array) `name`; its own name has no prefix. */
SDFG_API bool sdfg_program_member(const sdfg_program *p, const char *name, size_t index, sdfg_argument *out);
/* Memory the program allocates itself (top level only). */
SDFG_API size_t sdfg_program_num_transients(const sdfg_program *p);
SDFG_API bool sdfg_program_transient(const sdfg_program *p, size_t index, sdfg_argument *out);
/* What the shapes and strides of arguments must satisfy: "A.shape[0] = N + 1". */
SDFG_API size_t sdfg_program_num_constraints(const sdfg_program *p);
SDFG_API const char *sdfg_program_constraint(const sdfg_program *p, size_t index);
/* Kinds of storage ("CPU_Heap") that have containers of lifetime External, also in nested SDFGs: their memory comes
 * from the caller, see sdfg_args_workspace. */
SDFG_API size_t sdfg_program_num_workspaces(const sdfg_program *p);
SDFG_API const char *sdfg_program_workspace(const sdfg_program *p, size_t index); /* NULL if out of range */
/* Warnings of reading and validation; NULL if there are none. */
SDFG_API const sdfg_error *sdfg_program_warnings(const sdfg_program *p);

/* ---- own library nodes ---- */

/* An operand of a library node: a region of memory, never packed. Lives as long as the call of the function. */
typedef struct sdfg_operand {
    const char *connector; /* "" for an edge without one */
    bool output;
    sdfg_dtype dtype; /* base type for vectors */
    int lanes;        /* of a vector element, else 1 */
    int rank;         /* dimensions of the memlet; those of extent 1 are among them */
    void *data;       /* first element of the region; inputs must not be written */
    const int64_t *shape;
    const int64_t *strides; /* in elements, steps of the memlet included */
    int64_t reserved[3];
} sdfg_operand;

/* A library node that is being executed; all of it lives as long as the call of the function. */
typedef struct sdfg_node {
    size_t struct_size; /* set by the library */
    const char *class_path, *label;
    const char *properties; /* JSON object: the attributes as the file has them */
    size_t num_operands;
    const sdfg_operand *operands; /* inputs, then outputs, in the order of the edges */
} sdfg_node;

/* Does what the node means; false fails the call of the program, whose error says that a node failed. */
typedef bool sdfg_node_function(void *user, const sdfg_node *node);

/* Library nodes of this class (the whole class path as in files) are executed by `f`, also those that this library has
 * an implementation for. All classes must be given before the first program is loaded, and each once. `f` is called
 * each time a node is executed, by the thread that executes it: that of sdfg_call and its relatives or, inside parallel
 * maps, several at the same time. It must not call back into the program that runs. `f` and `user` must live as long as
 * the engine. */
SDFG_API sdfg_error *sdfg_engine_implement(sdfg_engine *e, const char *class_path, sdfg_node_function *f, void *user);
/* The operand of that name and side; NULL if it is not wired. */
SDFG_API const sdfg_operand *sdfg_node_operand(const sdfg_node *n, const char *connector, bool output);

/* ---- plug-ins: what is added to an engine; sdfg_plugin.h is what they are made with, docs/plugins.md ---- */

typedef struct sdfg_plugin_about sdfg_plugin_about; /* what a plug-in says of itself */
typedef struct sdfg_plugin_api sdfg_plugin_api;     /* what it registers with */

/* Registers what the plug-in adds; false: it cannot. Called once for each engine. */
typedef bool sdfg_plugin_function(const sdfg_plugin_api *api);

/* Loads a plug-in from a file, before the first program is loaded. A path without '/' is looked up as dlopen does. The
 * file stays open as long as the engine. The contents of the file are part of the keys of the disk cache.
 * ENVIRONMENT: it cannot be opened, belongs to another version, or its function failed; INVALID: it registers something
 * wrong. */
SDFG_API sdfg_error *sdfg_engine_plugin(sdfg_engine *e, const char *path);
/* The same for a plug-in that is part of the embedding program; name and version are part of the keys of the disk
 * cache, so the version changes whenever what it does changes. `about` is copied. */
SDFG_API sdfg_error *sdfg_engine_extend(sdfg_engine *e, const sdfg_plugin_about *about, sdfg_plugin_function *f);

/* ---- arguments ---- */

/* Where memory is. The numbers are those of DLPack (DLDeviceType), the struct is its DLDevice. */
enum sdfg_device_kind {
    SDFG_DEVICE_DEFAULT = 0, /* what the driver says, for engines whose programs run on a GPU; else the CPU */
    SDFG_DEVICE_CPU = 1,     /* ordinary memory of the host */
    SDFG_DEVICE_CUDA = 2,
    SDFG_DEVICE_CUDA_HOST = 3,    /* memory of the host that is pinned for CUDA devices */
    SDFG_DEVICE_CUDA_MANAGED = 13 /* moves between host and devices by itself */
};

typedef struct sdfg_device {
    enum sdfg_device_kind kind;
    int index; /* number of the device among those of its kind, as the driver counts; -1: not known */
} sdfg_device;

typedef struct sdfg_array {
    size_t struct_size; /* set by the caller */
    void *data;         /* first element; only used by calls, never owned */
    sdfg_dtype dtype; /* a container of vectors takes an array of its base type whose last dimension holds the lanes */
    int rank;         /* at most SDFG_MAX_RANK; 0 is a single value */
    int64_t shape[SDFG_MAX_RANK];
    const int64_t *strides; /* `rank` entries, copied; NULL: C order, packed */
    size_t item_bytes;      /* SDFG_RECORD only: bytes of one element */
    /* That `data` is memory of. INVALID: the address is elsewhere, or on another device than the program. UNSUPPORTED:
     * the program does not reach it; a single value, or part of a structure or container array, on a device. */
    sdfg_device device;
} sdfg_array;

SDFG_API sdfg_error *sdfg_args_new(sdfg_args **out, sdfg_program *p);
SDFG_API void sdfg_args_free(sdfg_args *a);
SDFG_API void sdfg_args_clear(sdfg_args *a); /* as new */

/* Each gives a value to one name and replaces what was given before; an unknown name is an INVALID error that suggests
 * another. Members of structures have dotted names, elements of container arrays an index: "A.data", "B[2].x". */

/* Where the fields of array objects of an interpreter (NumPy's, in CPython) and of its tuples lie: bytes from the
 * beginning of the object. For bindings without compiled code of their own, which must have found these out. */
typedef struct sdfg_object_layout {
    size_t struct_size;                       /* set by the caller: sizeof(sdfg_object_layout) */
    size_t type;                              /* pointer to the class of any object */
    const void *array_type;                   /* that of arrays; objects of others are not read */
    size_t data, rank, shape, strides, dtype; /* pointer, int, pointers to int64_t (strides in bytes), pointer */
    size_t items;                             /* of a tuple: the first of its pointers to objects */
    const void *const *dtypes;                /* by sdfg_dtype: the object that stands for it, or NULL */
    size_t num_dtypes;
    size_t flags; /* int, for sdfg_objects_ready */
    int writable; /* the bit of it that arrays have whose elements may be written */
} sdfg_object_layout;

/* The same for the first `count` objects of a tuple, one name each, until one is no array of the layout; *taken is how
 * many were given. The interpreter must not change them meanwhile. */
SDFG_API sdfg_error *sdfg_args_objects(size_t *taken, sdfg_args *a, const sdfg_object_layout *l,
                                       const char *const *names, size_t count, const void *tuple);

/* Arguments of calls that repeat, by the objects of a tuple. */
typedef struct sdfg_objects {
    size_t struct_size; /* set by the caller: sizeof(sdfg_objects) */
    sdfg_args *args;
    const sdfg_object_layout *layout;
    const char *const *names; /* `count`, one for each object */
    size_t count;
} sdfg_objects;

/* Gives all objects, and is sdfg_args_ready. False: some object is no array of the layout, is read-only although the
 * program writes it, or its name had no array before; then only some may have been given. Never fails. */
SDFG_API bool sdfg_objects_ready(const sdfg_objects *o, const void *tuple);

/* Type and layout are checked against the descriptor by the call. A scalar member of a structure given as an array of
 * rank 0 is written back after the call. */
SDFG_API sdfg_error *sdfg_args_array(sdfg_args *a, const char *name, const sdfg_array *array);
/* Memory that lies exactly as the descriptor says, nothing is checked and no symbol is solved from it. */
SDFG_API sdfg_error *sdfg_args_pointer(sdfg_args *a, const char *name, void *data);
/* A null pointer, for optional arrays. */
SDFG_API sdfg_error *sdfg_args_null(sdfg_args *a, const char *name);
/* Scalars and symbols are converted to the declared type; a value that does not fit is an INVALID error of the call. */
SDFG_API sdfg_error *sdfg_args_i64(sdfg_args *a, const char *name, int64_t value);
SDFG_API sdfg_error *sdfg_args_f64(sdfg_args *a, const char *name, double value);
SDFG_API sdfg_error *sdfg_args_complex(sdfg_args *a, const char *name, double re, double im);
SDFG_API sdfg_error *sdfg_args_scalar(sdfg_args *a, const char *name, sdfg_dtype dtype, const void *value); /* copied */
SDFG_API sdfg_error *sdfg_args_string(sdfg_args *a, const char *name, const char *text);                    /* copied */

/* Threads of parallel regions in calls with these arguments; 0: what the engine says. Code for one thread
 * (sdfg_options.num_threads == 1) stays sequential. */
SDFG_API sdfg_error *sdfg_args_threads(sdfg_args *a, int num_threads);

/* The processes that calls with these arguments send messages to and receive them from (docs/mpi.md): a communicator of
 * the MPI library that this process uses, as Fortran's handle (what MPI_Comm_c2f and mpi4py's py2f give). It belongs to
 * the caller and has to live as long as the calls. Ranks in the program are those in it. Without this: all processes.
 * That there is no MPI, or no such communicator, is an ENVIRONMENT error of the call (RUN_MPI). */
SDFG_API sdfg_error *sdfg_args_communicator(sdfg_args *a, int32_t communicator);

/* What is in a stream of the device (CUstream, of the context that calls run in) when a call begins comes before the
 * call's own work. For any number of streams, until sdfg_args_clear. UNSUPPORTED: programs run on the CPU. */
SDFG_API sdfg_error *sdfg_args_after(sdfg_args *a, void *stream);

/* Programs from Python functions refuse calls whose arguments overlap where one of them is written, by comparing first
 * and last elements (ARGUMENT_OVERLAP). This says that the arguments given to `a` have no element in common, as the
 * even and odd elements of one array, until sdfg_args_clear. */
SDFG_API sdfg_error *sdfg_args_disjoint(sdfg_args *a);

/* Memory for the containers of lifetime External in one kind of storage, used by calls with these arguments; it belongs
 * to the caller, and its contents on entry are what those containers hold. */
SDFG_API sdfg_error *sdfg_args_workspace(sdfg_args *a, const char *storage, void *memory, size_t bytes);
/* How many bytes that takes. All arguments must have been given; compiles what the call will run. */
SDFG_API sdfg_error *sdfg_args_workspace_size(size_t *out, sdfg_args *a, const char *storage);

/* ---- streams ----
 *
 * The queues of a stream argument, one for each element of the stream's shape in row-major order. They belong to the
 * caller and keep what is in them between calls, so that one program may leave elements for the next. Elements are
 * copied as bytes; a queue is unbounded and gives elements in the order of one pusher. Any number of threads may push
 * and pop, also during calls; but a program that waits for elements fails when none of its own threads can push any
 * more, so what it needs must be there before. Outlives the calls, not the arguments that name it. */
typedef struct sdfg_stream sdfg_stream;
SDFG_API sdfg_error *sdfg_stream_new(sdfg_stream **out, size_t item_bytes, size_t num_queues);
SDFG_API void sdfg_stream_free(sdfg_stream *s); /* with the elements; NULL is fine */
SDFG_API sdfg_error *sdfg_stream_push(sdfg_stream *s, size_t queue, const void *items, size_t count);
/* Takes up to `most` elements, the oldest first; how many there were. Does not wait. */
SDFG_API size_t sdfg_stream_pop(sdfg_stream *s, size_t queue, void *items, size_t most);
SDFG_API size_t sdfg_stream_size(sdfg_stream *s, size_t queue); /* 0 for a queue that is not there */
SDFG_API sdfg_error *sdfg_args_stream(sdfg_args *a, const char *name, sdfg_stream *s);

/* Solves the symbols from what was given so far. A symbol that cannot be solved is no error here. */
SDFG_API sdfg_error *sdfg_args_solve(sdfg_args *a);
/* The value of a symbol, integer scalar, or member that is one ("grid.n"), given or solved by sdfg_args_solve or a
 * call; false if it has none. */
SDFG_API bool sdfg_args_value(const sdfg_args *a, const char *name, int64_t *value);
/* Shape and strides of an argument under the values known so far (call sdfg_args_solve first). `elements` is the memory
 * it needs, in elements of its type (vectors count as one). INVALID if a symbol is unknown. */
SDFG_API sdfg_error *sdfg_args_layout(const sdfg_args *a, const char *name, int *rank, int64_t *shape, int64_t *strides,
                                      int64_t *elements);
/* How each symbol got its value or which equations were tried, one line each. The caller frees it with sdfg_text_free.
 */
SDFG_API sdfg_error *sdfg_args_explain(char **out, sdfg_args *a);

/* Whether a call with these arguments would find its code in memory or on disk, and if not, what is different from the
 * nearest kernel in memory; a line each for policy, memory and disk. Nothing is compiled. The caller frees it with
 * sdfg_text_free. */
SDFG_API sdfg_error *sdfg_args_explain_cache(char **out, sdfg_args *a);
/* Whether the code for a call with these arguments is in memory, so that the call neither compiles nor waits; code that
 * the disk cache has is read into memory. Says nothing about arguments that the call refuses. For callers that compile
 * on another thread first: sdfg_bind makes the code. */
SDFG_API bool sdfg_args_ready(sdfg_args *a);

/* ---- calls ---- */

/* Solves the symbols, checks the arguments, takes or compiles the specialization and runs it. Arrays are read and
 * written in place. Two calls of one program may overlap unless it has persistent memory; then the second waits. */
SDFG_API sdfg_error *sdfg_call(sdfg_program *p, sdfg_args *a);

/* Stops the call that runs with these arguments, from any thread or from a signal handler: it returns an ENVIRONMENT
 * error with the code RUN_CANCELLED at the next place where it looks, which are back edges of loops around other loops
 * outside of parallel regions, and what lies between loop nests, parallel regions, library calls and states. A call
 * that has begun but still compiles stops before its first statement; one that begins later is not affected. Arrays
 * that the program writes hold part of the results then. The arguments and the program may be used for further calls.
 * Does nothing if no call runs. */
SDFG_API void sdfg_call_cancel(sdfg_args *a);

/* The same, split: everything but the run. Later changes of `a` have no effect; `a` may be freed. The arrays must stay
 * where they are; their contents may change. */
SDFG_API sdfg_error *sdfg_bind(sdfg_bound **out, sdfg_program *p, sdfg_args *a);
SDFG_API sdfg_error *sdfg_bound_call(sdfg_bound *b);
SDFG_API void sdfg_bound_cancel(sdfg_bound *b); /* as sdfg_call_cancel, for all calls of `b` that run */
SDFG_API const sdfg_kernel *sdfg_bound_kernel(const sdfg_bound *b); /* lives as long as `b` */
/* What is passed for a parameter of the kernel, as sdfg_run takes it; lives as long as `b`. NULL if out of range. */
SDFG_API void *sdfg_bound_address(const sdfg_bound *b, size_t index);
SDFG_API void sdfg_bound_free(sdfg_bound *b);

/* ---- calls that go on on a GPU; docs/gpu.md says where the host waits nevertheless ---- */

/* Of the caller, from CUDA. The context has to live as long as the engine, and be of the engine's device. */
typedef struct sdfg_cuda_stream {
    size_t struct_size;
    void *context; /* CUcontext; NULL: the primary one of the device, which CUDA's runtime uses, too */
    void *stream;  /* CUstream; NULL: the default stream */
} sdfg_cuda_stream;
typedef struct sdfg_pending sdfg_pending; /* a call that may go on; one thread at a time */

/* As sdfg_call and sdfg_bound_call, but return when all work is in the stream, behind what is in it (NULL: one of the
 * library). `a` and `b` may be used again or freed; the arrays must stay. Errors of what is checked before are returned
 * (*out is NULL then), later ones by sdfg_pending_wait. On the CPU the call has ended; a stream is UNSUPPORTED then. */
SDFG_API sdfg_error *sdfg_call_async(sdfg_pending **out, sdfg_program *p, sdfg_args *a, const sdfg_cuda_stream *stream);
SDFG_API sdfg_error *sdfg_bound_call_async(sdfg_pending **out, sdfg_bound *b, const sdfg_cuda_stream *stream);
SDFG_API bool sdfg_pending_done(sdfg_pending *c);        /* has it ended? Does not wait */
SDFG_API sdfg_error *sdfg_pending_wait(sdfg_pending *c); /* for the end; the call's error, each time it is asked */
SDFG_API void sdfg_pending_free(sdfg_pending *c);        /* waits, too; NULL is fine */

/* ---- kernels ---- */

/* A pair, which stays as it is: arrays of them are given and handed out. */
typedef struct sdfg_symbol {
    const char *name;
    int64_t value;
} sdfg_symbol;

/* A specialization for given symbol values (n may be 0: generic in all that is not given). */
SDFG_API sdfg_error *sdfg_specialize(sdfg_kernel **out, sdfg_program *p, const sdfg_symbol *symbols, size_t n);
/* Gives the kernel back, once for each time it was asked for. The program keeps it for the next one who asks, but may
 * drop it from now on if there are too many (sdfg_options.memory_bytes). */
SDFG_API void sdfg_kernel_free(sdfg_kernel *k);

/* Parameters in the order of sdfg_run. */
typedef struct sdfg_param {
    size_t struct_size; /* set by the library */
    const char *name;
    const char *type;
    bool by_value; /* pass the address of a value of that type; else the address of the data */
} sdfg_param;

SDFG_API size_t sdfg_kernel_num_params(const sdfg_kernel *k);
SDFG_API const sdfg_param *sdfg_kernel_param(const sdfg_kernel *k, size_t index); /* NULL if out of range */
/* Runs with bare addresses, unchecked: n must be the number of parameters. Arrays must be aligned to their elements,
 * lie as the descriptors say and not overlap. */
SDFG_API sdfg_error *sdfg_run(sdfg_kernel *k, void *const *args, size_t n);

typedef struct sdfg_phase {
    const char *name;
    double seconds;
    double budget; /* seconds that it should take at most for a program of this size; 0: there is no limit */
    int64_t reserved[2];
} sdfg_phase;

typedef struct sdfg_kernel_info {
    size_t struct_size; /* set by the caller */
    double compile_seconds;
    size_t code_bytes; /* machine code */
    size_t peak_bytes; /* memory of the compiler */
    size_t num_phases;
    const sdfg_phase *phases; /* of the compilation, in order; live as long as the kernel */
    size_t num_bound;
    const sdfg_symbol *bound; /* symbols that are constants in this kernel */
    bool from_disk;           /* read from the disk cache */
    const char *origin;       /* in plain words, why it was compiled or where it was read */
    enum sdfg_tier tier;      /* full or quick */
    const char *objects;      /* what the code consists of: "machine code 'axpy.0' 1632 bytes", separated by ", " */
} sdfg_kernel_info;

SDFG_API void sdfg_kernel_describe(const sdfg_kernel *k, sdfg_kernel_info *out);

/* ---- looking inside ---- */

enum sdfg_emit {
    SDFG_EMIT_SDFG,   /* the graph as read, in the current file format */
    SDFG_EMIT_TREE,   /* the loop tree */
    SDFG_EMIT_LL,     /* LLVM IR before optimization */
    SDFG_EMIT_LL_OPT, /* and after */
    SDFG_EMIT_ASM,
    SDFG_EMIT_OBJECT,
    SDFG_EMIT_WORK,    /* JSON: operations and bytes of each loop nest, as far as they are known without data */
    SDFG_EMIT_REMARKS, /* what was done for speed and what was not, and why: a line each, sorted (docs/debugging.md) */
    /* JSON: {"transients", "per_thread", "persistent", "unknown"}: bytes that a call holds at one time, that each
     * thread holds besides, that are kept between calls; allocations whose size is not known */
    SDFG_EMIT_MEMORY,
    /* Of what runs on a GPU. The last two are made by NVRTC for sdfg_options.arch, which need not be that of a device
     * of this machine. */
    SDFG_EMIT_CUDA, /* CUDA C */
    SDFG_EMIT_PTX,
    SDFG_EMIT_CUBIN, /* machine code (ELF) */
    /* Of SDFG_EMIT_OBJECT: a line for each range of machine code, "function 0xBEGIN-0xEND element
     * (file.py:LINE:COLUMN)", in bytes from the begin of the function; END is the first byte beyond */
    SDFG_EMIT_MAP
};

/* Text or bytes of one representation, specialized for the given symbols. `size` may be NULL; the bytes are followed by
 * a zero. The caller frees them with sdfg_text_free. */
SDFG_API sdfg_error *sdfg_program_emit(char **out, size_t *size, sdfg_program *p, enum sdfg_emit what,
                                       const sdfg_symbol *symbols, size_t n);
/* The same for the specialization that a call with these arguments would take. */
SDFG_API sdfg_error *sdfg_args_emit(char **out, size_t *size, sdfg_args *a, enum sdfg_emit what);
SDFG_API void sdfg_text_free(char *text);

/* ---- tuning: the choice of passes is measured (docs/tuning.md) ---- */

/* One version of a call that was measured against the best one so far. */
typedef struct sdfg_trial {
    size_t struct_size;      /* set by the library */
    const char *change;      /* what was added to the choice of passes: "-fuse", "caches=50"; static text */
    double ratio, low, high; /* its time by that of the best one: median, which lies in low .. high with 95 %
                                confidence; 0: it was not measured */
    bool adopted;            /* it is the best one now */
    bool differs;            /* it computes something else: it was not measured */
} sdfg_trial;
typedef void sdfg_trial_function(void *user, const sdfg_trial *t); /* from the thread of sdfg_tune */

typedef struct sdfg_tuning {
    size_t struct_size; /* set by the caller */
    double seconds;     /* for all of it; 0: 10. Code that is being compiled is waited for */
    sdfg_trial_function *trial;
    void *user;
} sdfg_tuning;

typedef struct sdfg_tuned {
    size_t struct_size;      /* set by the caller */
    const char *passes;      /* for sdfg_options.passes, with those of the engine; NULL: the default is best */
    const char *text;        /* the same for people. Both live as long as the program */
    double ratio, low, high; /* time by that of the default, measured again at the end; 1: the default is best */
    bool complete;           /* time was enough to try everything */
} sdfg_tuned;

/* Measures for a call with these arguments, by copies of them, what it is faster without, and keeps that for its
 * specialization and number of threads, in memory and in the disk cache, for engines with SDFG_OPT_MAX. `t` NULL: the
 * defaults; `out` may be NULL. UNSUPPORTED: calls of the program do more than compute, keep memory, or take streams or
 * pointers; it may run on a GPU; or the engine checks or measures calls. */
SDFG_API sdfg_error *sdfg_tune(sdfg_tuned *out, sdfg_program *p, sdfg_args *a, const sdfg_tuning *t);

/* ---- compiling ahead of time, for programs that do not have this library (docs/export.md) ---- */

/* The interface is that of DaCe's own libraries: __dace_init_NAME(symbols...), __program_NAME(handle, arguments...),
 * __dace_exit_NAME(handle); and __sdfg_call_NAME, which is __program_NAME but returns 0 or what went wrong instead of
 * ending the process. The code calls sdfg_rt_* functions, which libsdfg-rt has. */
enum sdfg_export_form {
    SDFG_EXPORT_OBJECT,  /* relocatable: NAME.o */
    SDFG_EXPORT_ARCHIVE, /* the same in a static library */
    SDFG_EXPORT_SHARED,  /* a shared library that needs libsdfg-rt.so; written without a linker */
    SDFG_EXPORT_C,       /* prototypes for C and C++ */
    SDFG_EXPORT_FORTRAN, /* a module with interfaces */
    SDFG_EXPORT_ASM,     /* the object as assembly, to look at: NAME.s */
    SDFG_EXPORT_TREE,    /* the loop tree that the code is made of, as text (docs/tree.md) */
    SDFG_EXPORT_REMARKS, /* what was done for speed and what not, and why, as text */
    SDFG_EXPORT_SDFG     /* the graph behind the passes over graphs that options and plug-ins ask for, as JSON */
};

typedef struct sdfg_export {
    size_t struct_size; /* set by the caller */
    enum sdfg_export_form form;
    const char *target;   /* "x86_64", "aarch64" or a triple of LLVM; NULL: this machine */
    const char *cpu;      /* as LLVM names it, features may follow: "generic+sve"; NULL: this one or the baseline */
    const char *features; /* "+sve,-avx512f"; NULL: those of the processor */
    const sdfg_symbol *symbols; /* the code is for these values only: calls with others fail */
    size_t num_symbols;
    const char *const *optional; /* symbols that the functions take though the code does not need them */
    size_t num_optional;
} sdfg_export;

/* Bytes of a file, or text, followed by a zero. The caller frees them with sdfg_text_free. `size` may be NULL. Options
 * of the engine count, but the disk cache is not used. */
SDFG_API sdfg_error *sdfg_program_export(char **out, size_t *size, sdfg_program *p, const sdfg_export *x);

/* ---- processes that run a program together (MPI, docs/mpi.md) ----
 *
 * The MPI library is opened at run time. Programs open it themselves when they send their first message; these
 * functions are for hosts that have no MPI of their own but were started by a launcher such as mpirun. They may be
 * called from any thread; sdfg_mpi_least and sdfg_mpi_transfer from one at a time. */

/* Whether a launcher started this process, as its environment says. Opens nothing. */
SDFG_API bool sdfg_mpi_launched(void);
/* Opens and initializes MPI if that is not done; then it is finalized when the process exits. A process without
 * launcher and without MPI is rank 0 of 1. `size` may be NULL. ENVIRONMENT: the library cannot be opened or does not
 * start. */
SDFG_API sdfg_error *sdfg_mpi_world(int *rank, int *size);
/* The least `value` that any process gives; waits until all have called. ENVIRONMENT: a message failed. */
SDFG_API sdfg_error *sdfg_mpi_least(int64_t *least, int64_t value);
/* Reads or writes parts of a file for all processes together (MPI's input and output); all call it, with a count of 0
 * if they have none. The part: the bytes `begin` + i0 * strides[0] + i1 * strides[1] + ... with i0 < counts[0], ..., in
 * a file that is there; `rank` numbers in both, at most 2 * SDFG_MAX_RANK. In memory they lie one behind the other, row
 * by row; `memory` may be NULL if there are none. *done: false if nothing was done, in any process, since one has no
 * MPI or none that can use the file: then the host reads or writes by itself. ENVIRONMENT: it failed, and others may
 * wait for this process. */
SDFG_API sdfg_error *sdfg_mpi_transfer(bool *done, const char *path, bool writes, int64_t begin, int rank,
                                       const int64_t *counts, const int64_t *strides, void *memory);
/* What this process waits for, of which the library would not come back: "rank 1 of 4 waits in MPI_Recv for rank 0, tag
 * 3, at PATH", cut off after `size` bytes. 0: for nothing (`text` stays), else a number that is another one for each
 * message. Signal handlers may call it. */
SDFG_API unsigned sdfg_mpi_waits(char *text, size_t size);
/* Ends all processes at once, this one with the exit code. Output that is not flushed is lost. Does not return. */
SDFG_API void sdfg_mpi_abort(int code);

/* ---- structs before their first use: sdfg_stats s = SDFG_STATS_INIT; ---- */

/* clang-format off */
#define SDFG_ARGUMENT_INIT { sizeof(sdfg_argument), NULL, SDFG_KIND_ARRAY, SDFG_NONE, NULL, 0, 0, NULL, NULL, NULL, \
    NULL, NULL, false, false, false, false, false, 0, 0, 0 }
#define SDFG_ARRAY_INIT { sizeof(sdfg_array), NULL, SDFG_NONE, 0, { 0 }, NULL, 0, { SDFG_DEVICE_DEFAULT, 0 } }
#define SDFG_CACHE_INFO_INIT { sizeof(sdfg_cache_info), NULL, NULL, 0, 0, 0, 0, 0, { 0 } }
#define SDFG_CUDA_STREAM_INIT { sizeof(sdfg_cuda_stream), NULL, NULL }
#define SDFG_EXPORT_INIT { sizeof(sdfg_export), SDFG_EXPORT_OBJECT, NULL, NULL, NULL, NULL, 0, NULL, 0 }
#define SDFG_GUARD_INIT { sizeof(sdfg_guard), NULL, NULL, SDFG_OBJECT_UNKNOWN, 0, NULL }
#define SDFG_HOST_INIT                                                                                                 \
    { sizeof(sdfg_host), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }
#define SDFG_KERNEL_INFO_INIT { sizeof(sdfg_kernel_info), 0, 0, 0, 0, NULL, 0, NULL, false, NULL, SDFG_TIER_FULL, NULL }
#define SDFG_LIMITS_INIT { sizeof(sdfg_limits), 0, 0 }
#define SDFG_OBJECT_LAYOUT_INIT { sizeof(sdfg_object_layout), 0, NULL, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0 }
#define SDFG_OBJECTS_INIT { sizeof(sdfg_objects), NULL, NULL, NULL, 0 }
#define SDFG_OPTIONS_INIT { sizeof(sdfg_options), -1, 0, SDFG_FP_DEFAULT, SDFG_TIER_FULL, SDFG_LINKER_AUTO, \
    SDFG_EXTERNAL_FOLDER, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, false, false, NULL, NULL, NULL, NULL, NULL, NULL, \
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, 0, NULL, 0 }
#define SDFG_STATS_INIT { sizeof(sdfg_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define SDFG_TUNED_INIT { sizeof(sdfg_tuned), NULL, NULL, 0, 0, 0, false }
#define SDFG_TUNING_INIT { sizeof(sdfg_tuning), 0, NULL, NULL }
/* clang-format on */

#ifndef __cplusplus
/* Address of an array with these fields, which lives as long as the block around it:
 * SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { n }) */
#define SDFG_ARRAY(...) (&(sdfg_array){ .struct_size = sizeof(sdfg_array), __VA_ARGS__ })
#endif

#ifdef __cplusplus
}
#endif

#endif
