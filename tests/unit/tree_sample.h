/* A small tree for tests of passes: a function of the size N, arrays with alias classes of their own, loops. */
#ifndef TESTS_UNIT_TREE_SAMPLE_H
#define TESTS_UNIT_TREE_SAMPLE_H

#include "lower/opt/passes.h"

#include "tests/unit/tree_text.h"

struct sample {
    struct ir *ir;
    struct tree *t;
    struct tree_func *f;
    struct tree_stmt *body;
    const struct type *f64, *i64;
    struct tree_expr *n;
    struct tree_options options;
};

/* A pointer with an alias class of its own. */
struct array {
    struct tree_var *var;
    uint32_t alias;
};

static inline struct tree_var *param(struct sample *s, const char *name, const struct type *type, bool by_value)
{
    struct tree_var *v = tree_var(s->t, name, type);
    vec_push(s->t->arena, &s->f->params, ((struct tree_param){ .name = name, .var = v, .by_value = by_value }));
    return v;
}

static inline struct sample sample_new(void)
{
    struct sample s = { .ir = ir_new() };
    s.ir->remarks = remarks_new(s.ir->arena);
    s.t = tree_new(s.ir, "p");
    s.f = tree_func(s.t, "main");
    s.body = s.f->body;
    s.f64 = type_basic(s.ir, TYPE_F64);
    s.i64 = type_basic(s.ir, TYPE_I64);
    s.n = expr_var(s.t, param(&s, "N", s.i64, true));
    return s;
}

static inline struct array array_new(struct sample *s, const char *name)
{
    struct array a = { param(s, name, type_pointer(s->ir, s->f64), false), s->t->num_aliases++ };
    return a;
}

static inline struct array temporary(struct sample *s, const char *name, struct tree_expr *count)
{
    struct array a = { tree_var(s->t, name, type_pointer(s->ir, s->f64)), s->t->num_aliases++ };
    stmt_alloc(s->t, s->body, a.var, s->f64, count, TREE_HEAP);
    return a;
}

static inline struct tree_expr *i64(struct sample *s, int64_t value) { return expr_i64(s->t, value); }

static inline struct tree_expr *var(struct sample *s, struct tree_var *v) { return expr_var(s->t, v); }

static inline struct tree_expr *plus(struct sample *s, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(s->t, EXPR_ADD, a, b);
}

static inline struct tree_expr *load(struct sample *s, struct array a, struct tree_expr *index)
{
    return expr_load(s->t, s->f64, var(s, a.var), index, a.alias);
}

static inline struct tree_stmt *store(struct sample *s, struct tree_stmt *b, struct array a, struct tree_expr *index,
                                      struct tree_expr *value)
{
    return stmt_store(s->t, b, var(s, a.var), index, value, a.alias);
}

static inline struct tree_stmt *loop(struct sample *s, struct tree_stmt *b, const char *name, struct tree_expr *begin,
                                     struct tree_expr *end)
{
    struct tree_stmt *l = stmt_for(s->t, b, tree_var(s->t, name, s->i64), begin, end, expr_i64(s->t, 1));
    l->loop.independent = true;
    return l;
}

static inline const char *shown(struct sample *s) { return tree_text(s->t, s->body); }

#endif
