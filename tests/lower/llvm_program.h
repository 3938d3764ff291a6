/* For tests of the LLVM emitter: a program of one function "main" that is built, emitted, compiled and run in the
 * test's process. */
#ifndef TESTS_LOWER_LLVM_PROGRAM_H
#define TESTS_LOWER_LLVM_PROGRAM_H

#include "jit/jit.h"
#include "lower/llvm/llvm.h"
#include "runtime/abi.h"

#include "tests/unit/check.h"

enum { PROGRAM_MAX_ARGS = 32 };

struct program {
    struct ir *ir;
    struct tree *t;
    struct tree_func *main;
    struct tree_stmt *body;
    void *args[PROGRAM_MAX_ARGS];
    struct llvm_options options;
    int threads;
    const char *cpu, *features; /* NULL: this one, its own */
    struct sdfg_rt_context context;
    uint32_t units;                    /* modules made by the last run */
    void *(*symbol)(const char *name); /* NULL: the runtime only */
    struct jit *jit;
};

static const struct type *program_type(const struct program *p, enum type_kind kind) { return type_basic(p->ir, kind); }

static struct program program_begin(void)
{
    struct program p = { .ir = ir_new() };
    p.t = tree_new(p.ir, "test");
    p.main = tree_func(p.t, "main");
    p.body = p.main->body;
    return p;
}

static void program_end(struct program *p) { ir_free(p->ir); }

static struct tree_var *program_param(struct program *p, const char *name, const struct type *type, void *data,
                                      bool by_value)
{
    struct tree_param param = {
        .name = name, .var = tree_var(p->t, name, type), .by_value = by_value, .no_alias = !by_value
    };
    param.alias = by_value ? 0 : p->t->num_aliases++;
    param.alignment = by_value ? 0 : type->elem->align;
    p->args[p->main->params.count] = data;
    vec_push(p->t->arena, &p->main->params, param);
    return param.var;
}

/* An array argument. Its alias class is the number of arrays before it plus one. */
static __attribute__((unused)) struct tree_expr *program_array(struct program *p, const char *name,
                                                               const struct type *elem, void *data)
{
    return expr_var(p->t, program_param(p, name, type_pointer(p->ir, elem), data, false));
}

static __attribute__((unused)) struct tree_expr *program_value(struct program *p, const char *name, enum type_kind kind,
                                                               void *data)
{
    return expr_var(p->t, program_param(p, name, program_type(p, kind), data, true));
}

static uint32_t program_alias(const struct program *p, const struct tree_expr *array)
{
    for (uint32_t i = 0; i < p->main->params.count; i++)
        if (array->op == EXPR_VAR && p->main->params.items[i].var == array->var)
            return p->main->params.items[i].alias;
    return 0;
}

static __attribute__((unused)) struct tree_expr *program_load(struct program *p, struct tree_expr *array,
                                                              struct tree_expr *index)
{
    return expr_load(p->t, array->type->elem, array, index, program_alias(p, array));
}

static __attribute__((unused)) struct tree_stmt *program_store(struct program *p, struct tree_stmt *b,
                                                               struct tree_expr *array, struct tree_expr *index,
                                                               struct tree_expr *value)
{
    return stmt_store(p->t, b, array, index, value, program_alias(p, array));
}

/* for (i = 0; i < count; i++): gives i and the loop. */
static __attribute__((unused)) struct tree_stmt *program_for(struct program *p, struct tree_stmt *b,
                                                             struct tree_expr *count, struct tree_expr **i)
{
    struct tree_var *v = tree_var(p->t, "i", program_type(p, TYPE_I64));
    *i = expr_var(p->t, v);
    return stmt_for(p->t, b, v, expr_i64(p->t, 0), count, expr_i64(p->t, 1));
}

static LLVMModuleRef program_module(void *user, const char *name)
{
    struct program *p = user;
    p->units++;
    return jit_module(p->jit, CODE_MACHINE, name);
}

static void program_decorate(void *user, LLVMValueRef function)
{
    jit_function_attributes(((struct program *)user)->jit, function);
}

static bool program_emit(struct program *p, int opt_level)
{
    struct jit_options o = { .opt_level = opt_level,
                             .num_threads = 1,
                             .runtime_symbol = p->symbol ? p->symbol : sdfg_rt_symbol,
                             .cpu = p->cpu,
                             .features = p->features };
    CHECK(tree_verify(p->t, p->ir->diags));
    p->units = 0;
    p->jit = jit_new(p->ir->arena, p->ir->diags, &o);
    p->options.module = program_module;
    p->options.decorate = program_decorate;
    p->options.user = p;
    return p->jit && llvm_emit(p->t, p->ir->diags, &p->options);
}

static void program_show_errors(const struct program *p)
{
    for (uint32_t i = 0; i < diags_count(p->ir->diags); i++)
        printf("    %s\n", diags_get(p->ir->diags, i)->message);
    CHECK_INT(diags_count(p->ir->diags), 0);
}

/* Emits, compiles at the level and calls main once. */
static bool program_run(struct program *p, int opt_level)
{
    bool ok = program_emit(p, opt_level) && jit_compile(p->jit) && jit_link(p->jit);
    program_show_errors(p);
    void (*entry)(struct sdfg_rt_context *, void *const *) = ok ? jit_address(p->jit, "sdfg_main") : NULL;
    CHECK(entry);
    if (entry) {
        void *user = p->context.user, *slots = p->context.slots;
        p->context = (struct sdfg_rt_context){ .num_threads = p->threads, .slots = slots, .user = user };
        entry(&p->context, p->args);
    }
    jit_free(p->jit);
    p->jit = NULL;
    return entry != NULL;
}

/* The text of the module at the level; "" on failure. */
static __attribute__((unused)) const char *program_text(struct program *p, enum jit_text kind, int opt_level)
{
    const char *text = "";
    size_t size;
    bool ok = program_emit(p, opt_level) && jit_text(p->jit, kind, &text, &size);
    program_show_errors(p);
    jit_free(p->jit);
    p->jit = NULL;
    return ok ? text : "";
}

/* The statements of main; the tree is verified before. */
static __attribute__((unused)) const char *program_statements(struct program *p)
{
    struct text out = text_new(p->t->arena);
    CHECK(tree_verify(p->t, p->t->ir->diags));
    stmt_print(p->body, 0, &out);
    return text_get(&out);
}

#endif
