#include "lower/opt/passes.h"
#include "lower/tree/tree.h"

#include "tests/unit/tree_text.h"

/* A program with an array A, a size N and a pointer variable v; tests say what is done with them. */
struct sample {
    struct ir *ir;
    struct tree *t;
    struct tree_func *f;
    struct tree_expr *a, *n;
    struct tree_var *v;
};

static struct sample sample_new(void)
{
    struct sample s = { .ir = ir_new() };
    s.t = tree_new(s.ir, "p");
    s.f = tree_func(s.t, "main");
    const struct type *f64 = type_basic(s.ir, TYPE_F64);
    struct tree_var *a = tree_var(s.t, "A", type_pointer(s.ir, f64)),
                    *n = tree_var(s.t, "N", type_basic(s.ir, TYPE_I64));
    vec_push(s.t->arena, &s.f->params, ((struct tree_param){ .name = "A", .var = a }));
    vec_push(s.t->arena, &s.f->params, ((struct tree_param){ .name = "N", .var = n, .by_value = true }));
    s.a = expr_var(s.t, a);
    s.n = expr_var(s.t, n);
    s.v = tree_var(s.t, "v", a->type);
    return s;
}

/* v[index] = 1.0 */
static void write_v(struct sample *s, struct tree_stmt *b, struct tree_expr *index)
{
    stmt_store(s->t, b, expr_var(s->t, s->v), index, expr_float(s->t, s->v->type->elem, 1), 0);
}

static const char *after(struct sample *s)
{
    opt_copy_propagation(s->t, NULL);
    return tree_text(s->t, s->f->body);
}

TEST(view_in_a_loop)
{
    struct sample s = sample_new();
    struct tree_var *i = tree_var(s.t, "i", s.n->type), *w = tree_var(s.t, "w", s.v->type);
    struct tree_stmt *loop = stmt_for(s.t, s.f->body, i, expr_i64(s.t, 0), s.n, expr_i64(s.t, 1));
    struct tree_expr *index = expr_binary(s.t, EXPR_MUL, expr_var(s.t, i), expr_i64(s.t, 8));
    stmt_assign(s.t, loop->body, s.v, expr_offset(s.t, s.a, index));
    stmt_assign(s.t, loop->body, w, expr_offset(s.t, expr_var(s.t, s.v), expr_i64(s.t, 2)));
    struct tree_expr *value = expr_load(s.t, w->type->elem, expr_var(s.t, w), s.n, 0);
    stmt_store(s.t, loop->body, expr_var(s.t, s.v), expr_i64(s.t, 1), value, 0);
    CHECK_STR(after(&s), "for i = 0 to N step 1 {\n"
                         "    A[i * 8 + 1] = A[i * 8 + N + 2]\n"
                         "}\n");
    ir_free(s.ir);
}

TEST(assigned_twice)
{
    struct sample s = sample_new();
    stmt_assign(s.t, s.f->body, s.v, s.a);
    stmt_assign(s.t, s.f->body, s.v, expr_offset(s.t, s.a, s.n));
    write_v(&s, s.f->body, s.n);
    CHECK(strstr(after(&s), "v[N] = 1.0"));
    ir_free(s.ir);
}

TEST(used_outside_of_the_block)
{
    struct sample s = sample_new();
    struct tree_stmt *branch = stmt_if(s.t, s.f->body, expr_binary(s.t, EXPR_LT, s.n, expr_i64(s.t, 4)));
    stmt_assign(s.t, branch->body, s.v, s.a);
    write_v(&s, s.f->body, s.n);
    CHECK(strstr(after(&s), "v[N] = 1.0"));
    ir_free(s.ir);
}

TEST(used_before_in_a_loop)
{
    struct sample s = sample_new();
    struct tree_stmt *loop = stmt_while(s.t, s.f->body, expr_binary(s.t, EXPR_LT, s.n, expr_i64(s.t, 4)));
    write_v(&s, loop->body, s.n);
    stmt_assign(s.t, loop->body, s.v, s.a);
    CHECK(strstr(after(&s), "v[N] = 1.0"));
    ir_free(s.ir);
}

TEST(value_changes)
{
    struct sample s = sample_new();
    struct tree_var *k = tree_var(s.t, "k", s.n->type), *m = tree_var(s.t, "m", s.n->type);
    stmt_assign(s.t, s.f->body, k, s.n);
    stmt_assign(s.t, s.f->body, m, s.n);
    stmt_assign(s.t, s.f->body, s.v, expr_offset(s.t, s.a, expr_var(s.t, k)));
    write_v(&s, s.f->body, expr_var(s.t, m));
    struct tree_stmt *change = stmt_assign(s.t, s.f->body, k, expr_i64(s.t, 0));
    CHECK(strstr(after(&s), "v[m] = 1.0"));
    change->var = tree_var(s.t, "other", s.n->type);
    CHECK(strstr(after(&s), "A[k + m] = 1.0"));
    ir_free(s.ir);
}

TEST(freed_memory)
{
    struct sample s = sample_new();
    struct tree_var *heap = tree_var(s.t, "heap", s.v->type);
    stmt_alloc(s.t, s.f->body, heap, s.v->type->elem, s.n, TREE_HEAP);
    stmt_assign(s.t, s.f->body, s.v, expr_var(s.t, heap));
    struct tree_stmt *early = stmt_free(s.t, s.f->body, heap);
    write_v(&s, s.f->body, s.n);
    struct tree_stmt *late = stmt_free(s.t, s.f->body, heap);
    CHECK(strstr(after(&s), "v[N] = 1.0"));
    *early = *stmt_block(s.t);
    CHECK(strstr(after(&s), "heap[N] = 1.0\nfree heap\n"));
    CHECK(late->kind == STMT_FREE);
    ir_free(s.ir);
}

TEST(labels)
{
    struct sample s = sample_new();
    struct tree_label *l = tree_label(s.t, "again");
    stmt_assign(s.t, s.f->body, s.v, s.a);
    stmt_label(s.t, s.f->body, l);
    write_v(&s, s.f->body, s.n);
    CHECK(strstr(after(&s), "v[N] = 1.0"));
    ir_free(s.ir);
}

CHECK_MAIN
