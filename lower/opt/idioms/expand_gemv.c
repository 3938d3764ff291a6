/* A matrix-vector product whose matrix other statements of the block read or write too is expanded to loops over rows
 * of memory, which later passes fuse into one sweep over the matrix.
 *
 *     gemm(y = A x)                      for i ... parallel { y[i] = 0 }
 *     gemm(z = A^T v)         ->         for i ... parallel { for j { y[i] += A[i, j] * x[j] } }
 *                                        for i ... parallel { z[i] = 0 }
 *                                        for k ... parallel { for i { atomic z[i] += A[k, i] * v[k] } }
 *
 * Legality: The product is a library statement with known strides, one of which is 1, and its result does not alias an
 * operand.
 * Profitability: The matrix is written by a loop of the block, or is larger than the second-level cache and shared by
 * several products. A product on its own stays a library call, which is as fast as memory. */
#include "lower/opt/fusion/fuse.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

/* y = A x */
struct matvec {
    const struct type *type;
    struct tree_expr *rows, *cols, *row_stride, *col_stride, *x_stride, *y_stride; /* of A as it is multiplied */
    struct tree_expr *a, *x, *y;
    uint32_t alias_a, alias_x, alias_y;
    bool adds; /* y += A x */
};

/* ---- which calls ---- */

/* The same value in every iteration of loops in place of the call? */
static bool is_steady(const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL)
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_steady(e->args[i]))
            return false;
    return true;
}

static bool is_number(const struct tree_stmt *call, int arg, struct tree_expr **out)
{
    *out = call->args[arg];
    return (*out)->type->kind == TYPE_I64 && is_steady(*out);
}

static bool is_several(const struct tree_expr *e) { return e->op != EXPR_INT || e->i > 1; }

static bool matvec_of(const struct tree_stmt *s, struct matvec *v)
{
    *v = (struct matvec){ .rows = NULL };
    if (s->kind != STMT_CALL || !s->product || !expr_is_float(s->product->alpha, 1) || !s->product->a ||
        !s->product->b || !s->product->c || type_is_complex(s->product->type) || !expr_is_int(s->args[PRODUCT_N], 1) ||
        !is_number(s, PRODUCT_M, &v->rows) || !is_number(s, PRODUCT_K, &v->cols) ||
        !is_number(s, PRODUCT_A_ROW, &v->row_stride) || !is_number(s, PRODUCT_A_COL, &v->col_stride) ||
        !is_number(s, PRODUCT_B_ROW, &v->x_stride) || !is_number(s, PRODUCT_C_ROW, &v->y_stride))
        return false;
    v->type = s->product->type;
    v->adds = expr_is_float(s->product->beta, 1);
    v->a = s->args[PRODUCT_A];
    v->x = s->args[PRODUCT_B];
    v->y = s->args[PRODUCT_C];
    v->alias_a = s->product->a;
    v->alias_x = s->product->b;
    v->alias_y = s->product->c;
    return (v->adds || expr_is_float(s->product->beta, 0)) && is_several(v->rows) && is_several(v->cols) &&
           (expr_is_int(v->col_stride, 1) || expr_is_int(v->row_stride, 1)) && v->alias_y != v->alias_a &&
           v->alias_y != v->alias_x;
}

/* Smaller matrices stay in the cache from one product to the next. Those of unknown size are taken for large ones. */
static bool is_large(const struct machine *m, const struct matvec *v)
{
    if (v->rows->op != EXPR_INT || v->cols->op != EXPR_INT)
        return true;
    return (double)v->rows->i * (double)v->cols->i * v->type->size >= (double)m->second_cache;
}

/* What the statements of a block do with containers. */
struct partners {
    struct map made;     /* alias class -> a loop that writes it */
    struct map products; /* alias class -> a product that has it as its matrix */
    struct map shared;   /* alias class -> another one */
};

static const void *key_of(uint32_t alias) { return (const void *)(uintptr_t)alias; }

static struct tree_piece piece_of(const struct tree *t, struct tree_stmt *s)
{
    struct tree_piece piece = { 0 };
    piece_add(t->scratch, &piece, s, NULL);
    return piece;
}

static void note(const struct tree *t, struct partners *p, struct tree_stmt *s)
{
    struct matvec v;
    if (matvec_of(s, &v))
        map_put(t->scratch, map_has(&p->products, key_of(v.alias_a)) ? &p->shared : &p->products, key_of(v.alias_a), s);
    if (s->kind != STMT_FOR)
        return;
    struct tree_piece piece = piece_of(t, s);
    for (uint32_t i = 0; i < piece.accesses.count; i++)
        if (piece.accesses.items[i]->write && piece.accesses.items[i]->alias)
            map_put(t->scratch, &p->made, key_of(piece.accesses.items[i]->alias), s);
}

static bool is_wanted(const struct machine *m, const struct partners *p, const struct matvec *v)
{
    return map_has(&p->made, key_of(v->alias_a)) || (is_large(m, v) && map_has(&p->shared, key_of(v->alias_a)));
}

/* ---- loops ---- */

static struct tree_stmt *loop(struct tree *t, struct tree_stmt *b, const struct tree_stmt *call, const char *name,
                              struct tree_expr *end)
{
    struct tree_var *i = tree_var(t, name, type_basic(t->ir, TYPE_I64));
    struct tree_stmt *s = stmt_for(t, b, i, expr_i64(t, 0), end, expr_i64(t, 1));
    s->place = call->place;
    return s;
}

static struct tree_expr *times(struct tree *t, const struct tree_stmt *l, struct tree_expr *stride)
{
    return expr_binary(t, EXPR_MUL, expr_var(t, l->var), stride);
}

static void clear(struct tree *t, struct tree_stmt *b, const struct tree_stmt *call, const struct matvec *v)
{
    struct tree_stmt *i = loop(t, b, call, "i", v->rows);
    i->loop.parallel = i->loop.independent = true;
    stmt_store(t, i->body, v->y, times(t, i, v->y_stride), expr_zero(t, v->type), v->alias_y)->place = call->place;
}

/* Rows of A are rows of memory, or columns are. */
static struct tree_stmt *sweep(struct tree *t, struct tree_stmt *b, const struct tree_stmt *call,
                               const struct matvec *v)
{
    bool by_rows = expr_is_int(v->col_stride, 1);
    struct tree_stmt *outer = loop(t, b, call, by_rows ? "i" : "k", by_rows ? v->rows : v->cols);
    struct tree_stmt *inner = loop(t, outer->body, call, by_rows ? "k" : "i", by_rows ? v->cols : v->rows);
    struct tree_stmt *i = by_rows ? outer : inner, *k = by_rows ? inner : outer;
    outer->loop.parallel = true;
    i->loop.independent = true;
    struct tree_expr *at = expr_binary(t, EXPR_ADD, times(t, i, v->row_stride), times(t, k, v->col_stride));
    struct tree_expr *a = expr_load(t, v->type, v->a, at, v->alias_a);
    struct tree_expr *x = expr_load(t, v->type, v->x, times(t, k, v->x_stride), v->alias_x);
    stmt_reduce(t, inner->body, WCR_SUM, !by_rows, v->y, times(t, i, v->y_stride), expr_binary(t, EXPR_MUL, a, x),
                v->alias_y)
        ->place = call->place;
    return outer;
}

/* ---- bringing them together ---- */

struct products {
    struct tree *tree;
    const struct tree_options *options;
    struct tree_whole whole; /* the function */
    uint32_t num_vars;       /* that are counted there */
    struct piece_set set;
};

struct list {
    VEC(struct tree_stmt *) items;
};

/* May the statement change places with all items from number `first` on? */
static bool may_pass(struct products *p, const struct list *out, uint32_t first, struct tree_stmt *s)
{
    struct tree_piece piece = piece_of(p->tree, s);
    piece_set_clear(&p->set);
    for (uint32_t i = first; i < out->items.count; i++) {
        struct tree_piece other = piece_of(p->tree, out->items.items[i]);
        piece_set_add(&p->set, &other);
    }
    return !piece.frees && !piece_set_orders(&p->set, &piece);
}

/* Number of the last item that is `s`, plus one. */
static uint32_t place_of(const struct list *out, const struct tree_stmt *s)
{
    uint32_t i = out->items.count;
    while (s && i > 0 && out->items.items[i - 1] != s)
        i--;
    return s ? i : 0;
}

static void insert(struct products *p, struct list *out, uint32_t at, struct tree_stmt *s)
{
    vec_push(p->tree->arena, &out->items, s);
    for (uint32_t i = out->items.count - 1; i > at; i--)
        out->items.items[i] = out->items.items[i - 1];
    out->items.items[at] = s;
}

/* The loop that makes the matrix goes down to the sweep over it, into the same nest if possible. */
static void join_maker(struct products *p, struct list *out, uint32_t maker, struct tree_stmt *sweep)
{
    struct tree_stmt *both = stmt_block(p->tree);
    stmt_append(p->tree, both, out->items.items[maker]);
    stmt_append(p->tree, both, sweep);
    fuse_nests_in(p->tree, p->options, &p->whole, p->num_vars, both);
    for (uint32_t i = maker; i + 1 < out->items.count; i++)
        out->items.items[i] = out->items.items[i + 1];
    out->items.count--;
    for (uint32_t i = 0; i < both->items.count; i++)
        vec_push(p->tree->arena, &out->items, both->items.items[i]);
}

/* The last loop so far that writes the matrix, as place_of. */
static uint32_t find_maker(const struct products *p, const struct list *out, const struct matvec *v)
{
    for (uint32_t i = out->items.count; i > 0; i--) {
        if (out->items.items[i - 1]->kind != STMT_FOR)
            continue;
        struct tree_piece piece = piece_of(p->tree, out->items.items[i - 1]);
        for (uint32_t k = 0; k < piece.accesses.count; k++)
            if (piece.accesses.items[k]->write && piece.accesses.items[k]->alias == v->alias_a)
                return i;
    }
    return 0;
}

/* `sweeps`: alias class of a matrix -> the last sweep over it. */
static void expand(struct products *p, struct list *out, struct map *sweeps, const struct tree_stmt *call,
                   const struct matvec *v)
{
    struct tree *t = p->tree;
    struct tree_stmt *both = stmt_block(t);
    if (!v->adds)
        clear(t, both, call, v);
    struct tree_stmt *loops = sweep(t, both, call, v);
    uint32_t other = place_of(out, map_get(sweeps, key_of(v->alias_a))), maker = find_maker(p, out, v);
    map_put(t->scratch, sweeps, key_of(v->alias_a), loops);
    struct remarks *r = t->ir->remarks;
    if (maker > other && may_pass(p, out, maker, out->items.items[maker - 1])) {
        if (!v->adds)
            vec_push(t->arena, &out->items, both->items.items[0]);
        remark(r, call->place, NULL, REMARK_PRODUCT_SWEEP, remark_subject(t, out->items.items[maker - 1]));
        join_maker(p, out, maker - 1, loops);
        return;
    }
    remark(r, call->place, NULL, REMARK_PRODUCT_SWEEP, "the other product");
    uint32_t at = other && may_pass(p, out, other, both) ? other : out->items.count;
    for (uint32_t i = 0; i < both->items.count; i++)
        insert(p, out, at + i, both->items.items[i]);
}

/* ---- the walk ---- */

static void look(struct products *p, struct tree_stmt *s);

static void look_at_block(struct products *p, struct tree_stmt *block)
{
    struct partners partners = { 0 };
    struct list out = { { 0 } };
    struct map sweeps = { 0 };
    tree_whole(&p->whole); /* as long as nothing has changed */
    for (uint32_t i = 0; i < block->items.count; i++)
        note(p->tree, &partners, block->items.items[i]);
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        struct matvec v;
        if (matvec_of(s, &v) && is_wanted(p->whole.tree->machine, &partners, &v)) {
            expand(p, &out, &sweeps, s, &v);
        } else {
            if (s->product && matvec_of(s, &v) && map_has(&partners.shared, key_of(v.alias_a)))
                remark(p->tree->ir->remarks, s->place, NULL, REMARK_PRODUCT_SMALL);
            look(p, s);
            vec_push(p->tree->arena, &out.items, s);
        }
    }
    block->items.count = 0;
    for (uint32_t i = 0; i < out.items.count; i++)
        stmt_append(p->tree, block, out.items.items[i]);
}

static void look(struct products *p, struct tree_stmt *s)
{
    if (s->kind == STMT_PARALLEL || (s->kind == STMT_FOR && s->loop.parallel))
        return; /* what each thread does alone stays with the library */
    if (stmt_has_products(s))
        look_at_block(p, s);
    else
        for (uint32_t i = 0; i < s->items.count; i++)
            look(p, s->items.items[i]);
    if (s->body)
        look(p, s->body);
    if (s->otherwise)
        look(p, s->otherwise);
}

bool opt_expand_gemv(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; !o->strict_fp && i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        stmt_flatten(t, f->body);
        struct products p = {
            .tree = t, .options = o, .whole = { .tree = t, .func = f, .changes = true }, .num_vars = t->num_vars
        };
        piece_set_init(&p.set, t->scratch, t);
        look(&p, f->body);
    }
    return true;
}
