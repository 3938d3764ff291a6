/* The parts of lowering: errors, evaluation, statements, calls, modules. */
#ifndef FRONTEND_LOWER_H
#define FRONTEND_LOWER_H

#include "frontend/graph.h"

/* ---- errors (fe.c) ---- */
/* Records the error at the node; NULL. */
void *fe_error(struct fe *f, const struct py *n, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for what Python would raise there: "ValueError", "TypeError", "IndexError", "KeyError", "AssertionError". */
void *fe_raise(struct fe *f, const struct py *n, const char *exception, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* What `@dace.program` means by the node and NumPy does not. */
void fe_warn_dialect(struct fe *f, const struct py *n, const char *message);
void *fe_unsupported(struct fe *f, const struct py *n, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *fe_format(struct fe *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *fe_numbered(struct fe *f, const char *prefix, long long number); /* the number behind the prefix */
/* "float64[N, 3]", "int", "the symbol N": for messages. */
const char *fe_describe(struct fe *f, const struct value *v);
void fe_place(const struct fe *f, const struct py *n, struct place *out);
/* What labels of this statement end with: its line. In a live function comments and lines before it do not count, so
 * that its graph stays the same where only they change. */
uint32_t fe_label_line(const struct fe *f);
/* A name that nothing has yet: the wish, or the wish with a number. */
const char *fe_unique(struct fe *f, const char *wish);
bool fe_has_name(const char *const *list, uint32_t count, const char *name);

/* Forgets the errors after the first `before`; the text of the first of them, with its line. */
const char *fe_reason(struct fe *f, uint32_t before);

extern const char fe_wrong[]; /* `gone` of names whose statement had an error */

/* ---- trials (trial.c) ---- */
struct fe_trial {
    struct fe kept;
    struct fe_host *host;
    uint32_t errors, mark;
    bool ordered; /* it needs an order of iterations that a map does not have */
};
struct fe_trial fe_trial_begin(struct fe *f, struct fe_host *h);
/* Restores everything but tables that only grow, and drops the errors of the trial. */
void fe_trial_end(struct fe *f, struct fe_trial *t, bool good);

/* ---- what calls must satisfy (require.c) ---- */
/* Both extents must be equal: true if they are, or if every call is made to satisfy that, and an error else. `said`:
 * what is wrong if they are not. */
bool fe_require_same(struct fe *f, const struct py *n, const struct sym *a, const struct sym *b, const char *said);
bool fe_is_of_program(const struct fe *f, const struct sym *s); /* has no symbols but those of the program */
/* The expression as a requirement of every call, outside of branches and where it is one of the program's symbols. */
void fe_require_negative(struct fe *f, const struct py *n, const struct sym *s, const char *said);
/* The condition, or its opposite, as a requirement of every call; false without an error: it is none. */
bool fe_require(struct fe *f, const struct py *n, const struct py *condition, bool opposite, const char *said);

/* ---- evaluation (eval.c) ---- */
const struct value *fe_eval(struct fe *f, const struct py *n);
const struct value *fe_eval_lazy(struct fe *f, const struct py *n); /* live tuples and dictionaries stay objects */
const struct value *fe_hinted(struct fe *f, const struct value *v, const char *storage);
const struct value *fe_eval_index(struct fe *f, const struct py *n); /* slices too */
/* A tuple or dictionary from a live one; other values stay. */
const struct value *fe_expand(struct fe *f, const struct py *n, const struct value *v);
/* The method of an object that is known at run time only, to be called. */
const struct value *fe_object_method(struct fe *f, const struct py *n, const struct value *object, const char *name);
struct fe_host *fe_live_host(const struct fe *f); /* NULL: there is no interpreter */
bool fe_is_live(const struct fe *f);              /* there is an interpreter */
const struct value *fe_attribute(struct fe *f, const struct py *n, const struct value *v, const char *name);

/* ---- names (names.c) ---- */
const struct value *fe_name(struct fe *f, const struct py *n); /* what it is bound to */
/* A value of the module as the function that is lowered sees it: its symbols may have values there. */
const struct value *fe_in_context(struct fe *f, const struct py *n, const struct value *v);
struct fe_binding *fe_find(struct fe_scope *s, const char *name); /* NULL: it was never bound there */
struct fe_binding *fe_bind(struct fe *f, struct fe_scope *s, const char *name, const struct value *v);
/* To be called before a binding of the scope is changed by other means than fe_bind(); but `joined` may be changed at
 * any time. */
struct fe_binding *fe_change(struct fe *f, struct fe_scope *s, struct fe_binding *b);
/* The names of f->scope as they are now, to come back to. */
struct fe_snapshot {
    uint32_t changes, count, symbols;
    bool ended;
};
struct fe_snapshot fe_snapshot(struct fe *f);
/* Names are bound to what they were; what was found about types stays. As often as it is needed, inner ones first. */
void fe_restore(struct fe *f, const struct fe_snapshot *s);
/* The names that were changed since, each once, with what they were; new names are behind s->count. */
struct fe_changed {
    VEC(struct fe_change) list;
    struct map by_name; /* name -> its place in the list, from 1 */
};
struct fe_changed fe_changed(struct fe *f, const struct fe_snapshot *s);
/* What the name was bound to then; NULL: nothing. */
const struct value *fe_was(const struct fe *f, const struct fe_snapshot *s, const struct fe_changed *changed,
                           const struct fe_binding *b);
/* Tells who wants to know what a name is that the source has at the node (typed.c). */
void fe_typed(struct fe *f, const struct py *n, const char *name, const struct value *v);

/* ---- statements (stmt.c, loop.c, assign.c) ---- */
bool fe_block(struct fe *f, const struct py_list *body);
bool fe_assign(struct fe *f, const struct py *target, const struct value *v, const char *wcr);
bool fe_unpack(struct fe *f, const struct py *target, const struct value *v);
bool fe_assign_name(struct fe *f, const struct py *n, const char *name, const struct value *v);
bool fe_augment(struct fe *f, const struct py *n);
const char *fe_raised(struct fe *f, const struct py *n); /* what a `raise` says */
bool fe_if(struct fe *f, const struct py *n);
bool fe_for(struct fe *f, const struct py *n);
bool fe_while(struct fe *f, const struct py *n);
/* What `for` goes through, as a tuple: the elements or rows of an array, or those of zip and enumerate, whose number is
 * constant. NULL with an error. */
const struct value *fe_elements(struct fe *f, const struct py *n, const struct value *v);
/* How many elements `for` goes through: the extent, for zip that of all parts; NULL without an error: it is not known.
 */
const struct sym *fe_length(struct fe *f, const struct py *n, const struct value *v);
/* A list comprehension or generator: a tuple, or a list whose length the run decides (comprehension.c). */
const struct value *fe_comprehension(struct fe *f, const struct py *n);
bool fe_loop_else(struct fe *f, const struct py *n); /* a loop with `else` */
bool fe_for_range(struct fe *f, const struct py *n, const struct value *range);
bool fe_map(struct fe *f, const struct py *n, const struct value *ranges);
/* A map or a consume scope, whose body is an SDFG of its own (map.c). */
struct fe_parameter {
    const struct py *node;
    const char *name, *symbol;
    const struct sym *least, *most; /* or NULL */
};
struct fe_scoped {
    const struct py *node;
    const struct py_list *body;
    const char *what;   /* "map", "consume" */
    const char *ranges; /* of a map */
    VEC(struct fe_parameter) parameters;
    /* of a consume scope: */
    const struct value *stream; /* a region of one; NULL: this is a map */
    struct fe_parameter element;
    const char *workers, *condition; /* condition NULL: until the stream is empty and nothing is worked on */
    int64_t chunk;                   /* elements at a time: more than 1 make the element an array */
};
bool fe_scoped(struct fe *f, struct fe_scoped *s);
bool fe_consume_loop(struct fe *f, const struct py *n); /* `for x in dace.consume(S, 4)` (consume.c) */
/* Explicit dataflow (tasklet.c): `with dace.tasklet`, decorated functions, copies by memlets. */
bool fe_is_memlet(const struct py *n);            /* a statement `a << b` or `a >> b` */
const char *fe_memlet_target(const struct py *n); /* the name that a memlet of a tasklet writes, or NULL */
bool fe_tasklet(struct fe *f, const struct py *n, const struct py_list *body);
/* The row of functions.def that a decorator or context manager is, with or without arguments: dace.map, dace.tasklet.
 * NULL: none of dace's. */
const char *fe_construct_of(struct fe *f, const struct py *n);
bool fe_decorated(struct fe *f, const struct py *n);
bool fe_memlet_copy(struct fe *f, const struct py *n);
/* What `A(volume, wcr)[subset]` names; a region of a stream, too. */
const struct value *fe_memlet_region(struct fe *f, const struct py *n, bool write);
/* Between a stream and an array, or another stream (stream.c). */
bool fe_stream_copy(struct fe *f, const struct py *n, const struct value *to, const struct value *from,
                    const char *wcr);
typedef bool fe_body(struct fe *f, const void *user);
struct fe_region { /* where the builder stands, to come back */
    struct region *region;
    struct block *last;
    uint32_t symbols;
};
struct fe_region fe_enter(struct fe *f, struct region *r);
void fe_leave(struct fe *f, const struct fe_region *r);
void fe_jump(struct fe *f, enum block_kind kind, const char *label);
void fe_declare_symbol(struct fe *f, const char *name);
const char *fe_loop_symbol(struct fe *f, const char *name); /* for a loop variable of that name */
/* Runs `run` with storage for the names that the bodies assign (storage.c): two bodies are branches; with
 * `updates_only` names that are updated before they are assigned. */
bool fe_with_storage(struct fe *f, const struct py_list *const *bodies, uint32_t count, bool updates_only, fe_body *run,
                     const void *user);
/* `v and n` (or `v or n`) where n is computed only if v does not decide. */
const struct value *fe_guarded(struct fe *f, const struct py *at, bool is_and, const struct value *v,
                               const struct py *n);
/* Of a dictionary: a tuple of its keys ("k"), values ("v") or pairs of both ("kv"). */
const struct value *fe_entries(struct fe *f, const struct value *dictionary, const char *which);
const struct value *fe_unroll_range(struct fe *f, const struct value *range);
void fe_mark_wrong(struct fe *f, const struct py *n); /* the names that the statement would bind */
bool fe_return_statement(struct fe *f, const struct py *n);
/* Of what a callee returns: the name of an element of the tuple that has the name `of`. */
const char *fe_result_name(struct fe *f, const char *of, uint32_t index);
bool fe_is_result_name(const char *name); /* of what a callee returns, or of a part of it */
bool fe_condition(struct fe *f, const struct py *n, const struct value **constant, const char **text);
/* A condition that is computed again and again, over elements of containers; NULL with an error. */
const char *fe_repeated_condition(struct fe *f, const struct py *n);

/* ---- lists, dictionaries and records (holder.c) ---- */
/* What may be changed in place has the depth where it was made. */
const struct value *fe_as_list(struct fe *f, const struct value *tuple);
/* What a name or a list keeps: elements are values of their own, whatever happens to the array they come from. */
const struct value *fe_kept(struct fe *f, const struct py *n, const struct value *v, const char *name);
/* holder[index] = v of a list or dictionary; also of a record, whose field the index names. */
bool fe_set_item(struct fe *f, const struct py *n, const struct value *holder, const struct value *index,
                 const struct value *v);
/* Whether the body changes lists or dictionaries in place that the function has now. */
bool fe_changes_holders(struct fe *f, const struct py_list *body);

/* ---- classes (class.c) ---- */
/* The class that a definition makes; NULL without an error: programs cannot use it, as *why says. */
const struct value *fe_class(struct fe *f, struct fe_scope *s, const struct py *n, const char **why);
const struct value *fe_new_record(struct fe *f, const struct value *class, struct fe_args *a);
/* Of a class or record: NULL without an error: it has none. */
const struct value *fe_member(struct fe *f, const struct value *v, const char *name);

/* ---- trees that are made (rewrite.c) ---- */
struct py *fe_node(struct fe *f, enum py_kind kind, const struct py *at);
struct py *fe_node_name(struct fe *f, const struct py *at, const char *name, enum py_op ctx);
struct py *fe_node_assign(struct fe *f, const struct py *at, const char *name, struct py *value);
struct py_list fe_node_list(struct fe *f, struct py *const *items, uint32_t count);
/* Statements that others stand for: `match`. */
void fe_rewrite(struct fe *f, const struct fe_source *s, struct py *tree);

/* ---- with (with.c) ---- */
bool fe_with(struct fe *f, const struct py *n);
/* Ends the blocks of managers, innermost first, but for the first `outer` of f->managers: a jump leaves them. */
bool fe_leave_managers(struct fe *f, uint32_t outer);
bool fe_may_return(const struct py_list *body);     /* there is a `return` */
bool fe_always_returns(const struct py_list *body); /* its last statement returns, whatever happens (stmt.c) */

/* ---- calls (call.c, builtin.c) ---- */
struct fe_args {
    const struct py *node;
    const struct value *const *items;
    uint32_t count;
    const char *const *names;
    const struct value *const *values;
    uint32_t num_names;
    uint32_t used;              /* bits: keywords that were asked for */
    const struct py *target;    /* that the call is assigned to, or NULL */
    bool strong;                /* the result is NumPy's number even if all operands are Python's */
    const struct value *wanted; /* live_callback */
    int64_t manager;            /* sdfg_site */
};
typedef const struct value *fe_call_function(struct fe *f, const struct fe_builtin *b, struct fe_args *a);
struct fe_builtin {
    const char *module, *name;
    fe_call_function *call;
    const char *format; /* of elementwise functions */
    int kind;           /* enum fe_rule */
};
void fe_prepend(struct fe *f, struct fe_args *a, const struct value *self); /* as the first argument */
bool fe_to_object(const struct value *v,
                  struct sdfg_object *o); /* a constant for the host (live.c); false: it is none */
const struct value *fe_call(struct fe *f, const struct py *n);
const struct value *fe_matmul(struct fe *f, const struct py *n, const struct value *a, const struct value *b);
/* Of a function, method, type ... */
const struct value *fe_call_value(struct fe *f, const struct py *n, const struct value *callee, struct fe_args *a);
const struct value *fe_call_function_value(struct fe *f, const struct fe_function *fn, struct fe_args *a);
/* np.add.outer, np.maximum.reduce, ... */
const struct value *fe_ufunc_method(struct fe *f, const struct fe_builtin *b, const char *method, struct fe_args *a);
/* An array of the elements of a tuple or list, as np.array makes one; NULL with an error. */
const struct value *fe_as_array(struct fe *f, const struct py *n, const struct value *tuple);
const struct fe_builtin *fe_builtin_find(const char *module, const char *name);
bool fe_is_sized(const struct fe_builtin *b);       /* the size of its result is known at run time only */
bool fe_is_python_only(const struct fe_builtin *b); /* print: the file has no use for it, an interpreter does */
const char *fe_builtin_near(const char *module, const char *name);
/* A parameter by position or name; NULL: not given. */
const struct value *fe_arg(struct fe_args *a, uint32_t position, const char *name);
bool fe_args_done(struct fe *f, struct fe_args *a, uint32_t most); /* nothing else was given */

struct fe_return {
    bool inlined;                      /* of a callee: the value goes to the caller */
    const struct value *value;         /* of the last statement */
    VEC(struct fe_container *) values; /* where they go */
    bool tuple, any;
};

/* ---- sources and functions (program.c) ---- */
struct py *fe_parse(struct fe *f, const struct fe_source *s, enum py_mode mode); /* `s` as it is lowered; NULL: error */
/* The tree of a file, whose encoding it may declare; f->source becomes its source. */
struct py *fe_parse_file(struct fe *f, const char *path, const char *bytes, size_t size);
struct fe_source *fe_source(struct fe *f, const char *path, const char *text, size_t size, uint32_t first_line);
/* An argument of the program. */
struct fe_container *fe_argument(struct fe *f, const char *name, const struct value *type);

/* ---- messages between processes (functions_mpi.c, mpi_grid.c) ---- */
const struct value *fe_communicator(struct fe *f, const char *name); /* COMM_WORLD, COMM_NULL; NULL: no such */
const struct value *fe_mpi_constant(struct fe *f, const char *name); /* of the module MPI of mpi4py; NULL: no such */
const struct value *fe_grid_attribute(struct fe *f, const struct py *n, const struct value *v, const char *name);
const struct value *fe_compare_grids(struct fe *f, const struct py *n, enum py_op op, const struct value *a,
                                     const struct value *b);
bool fe_is_request(const struct type *t);
/* At the end: what computes f->process and f->processes goes in front of the program. */
bool fe_count_processes(struct fe *f);

/* ---- live objects (live.c) ---- */
const struct fe_function *fe_live(struct fe *f, const struct sdfg_host *host, uint64_t function);

/* ---- modules (module.c) ---- */
struct fe_scope *fe_module(struct fe *f, const struct py *tree);
/* Binds the function that a definition makes, outside of programs. */
const struct value *fe_define(struct fe *f, struct fe_scope *s, const struct py *n);
const struct value *fe_python_name(struct fe *f, const char *name);                      /* `len`, `float`, ... */
const struct value *fe_known_module(struct fe *f, const char *name);                     /* NULL: not known */
const struct value *fe_file_attribute(struct fe *f, const char *file, const char *name); /* of an imported file */
const struct value *fe_module_attribute(struct fe *f, const char *module, const char *name);

#endif
