/* A tree for tests of passes that change loops over rows: two arrays, memory taken here, loops with constant bounds. */
#ifndef TESTS_UNIT_TREE_ROWS_H
#define TESTS_UNIT_TREE_ROWS_H

#include "lower/opt/passes.h"

#include "tests/unit/tree_text.h"

struct sample {
    struct ir *ir;
    struct tree *t;
    struct tree_func *f;
    const struct type *f64, *i64;
    struct tree_var *a, *b;  /* of the alias classes 1 and 2; 3 is that of other memory */
    struct tree_var *memory; /* of that class, in tests that take some */
    struct tree_options options;
};

static inline struct tree_var *array(struct sample *s, const char *name)
{
    struct tree_var *v = tree_var(s->t, name, type_pointer(s->ir, s->f64));
    vec_push(s->t->arena, &s->f->params, ((struct tree_param){ .name = name, .var = v }));
    return v;
}

static inline struct sample sample_new(void)
{
    struct sample s = { .ir = ir_new(), .options = { .num_threads = 1 } };
    s.ir->remarks = remarks_new(s.ir->arena);
    s.t = tree_new(s.ir, "p");
    s.f = tree_func(s.t, "main");
    s.f64 = type_basic(s.ir, TYPE_F64);
    s.i64 = type_basic(s.ir, TYPE_I64);
    s.a = array(&s, "A");
    s.b = array(&s, "B");
    s.t->num_aliases = 4;
    return s;
}

static inline struct tree_stmt *loop(struct sample *s, struct tree_stmt *b, const char *name, int64_t begin,
                                     int64_t end)
{
    struct tree_var *v = tree_var(s->t, name, s->i64);
    return stmt_for(s->t, b, v, expr_i64(s->t, begin), expr_i64(s->t, end), expr_i64(s->t, 1));
}

/* i * by_i + k * by_k + shift; k may be NULL. */
static inline struct tree_expr *at(struct sample *s, struct tree_stmt *i, int64_t by_i, struct tree_stmt *k,
                                   int64_t by_k, int64_t shift)
{
    struct tree_expr *x = expr_binary(s->t, EXPR_MUL, expr_var(s->t, i->var), expr_i64(s->t, by_i));
    if (k)
        x = expr_binary(s->t, EXPR_ADD, x, expr_binary(s->t, EXPR_MUL, expr_var(s->t, k->var), expr_i64(s->t, by_k)));
    return expr_binary(s->t, EXPR_ADD, x, expr_i64(s->t, shift));
}

static inline uint32_t alias_of(const struct sample *s, const struct tree_var *v)
{
    return v == s->a ? 1 : v == s->b ? 2 : 3;
}

static inline struct tree_expr *load(struct sample *s, struct tree_var *from, struct tree_expr *index)
{
    return expr_load(s->t, s->f64, expr_var(s->t, from), index, alias_of(s, from));
}

static inline void store(struct sample *s, struct tree_stmt *b, struct tree_var *to, struct tree_expr *index,
                         struct tree_expr *value)
{
    stmt_store(s->t, b, expr_var(s->t, to), index, value, alias_of(s, to));
}

static inline const char *shown(struct sample *s) { return tree_text(s->t, s->f->body); }

#endif
