/* Matrix-vector products in a loop whose columns are equally spaced become one matrix product per block of iterations.
 *
 *     for i {                                     for i' = 0 to N step W {
 *         gemm(C[i, i:] = A[i:, :] B[:, i])  ->       gemm(panel = A[i':, :] B[:, i' : i' + W])
 *         ...                                         for i = i' to i' + W {
 *     }                                                   C[i, i:] = panel[i:, i]
 *                                                         ...
 *
 * Legality: The loop does not write the operands. The matrix is the same in all iterations, or loses a row at its
 * begin or end with each.
 * Profitability: From 16 iterations on; for a device if cuBLAS does the products. */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

enum {
    WIDTH = 64,         /* iterations of a block: the panel of their results stays in the cache */
    DEVICE_WIDTH = 512, /* on a device: products that all of it works on */
    FEWEST = 16,        /* iterations that are worth it */
    SMALLEST = 1 << 12  /* multiply-adds of one of them */
};

struct batch {
    struct tree *tree;
    int64_t width;           /* iterations of a block */
    struct tree_whole whole; /* the function */
};

/* The product of one iteration, with everything as it depends on the loop's variable. */
struct candidate {
    struct tree_stmt *loop, *call;
    struct tree_scan scan;          /* of the loop's body */
    struct linear next;             /* the variable in the next iteration */
    struct tree_expr *a, *x;        /* base addresses */
    struct linear at_a, at_x, rows; /* of the first elements, and how many rows there are */
    struct linear apart;            /* columns of x of neighbouring iterations */
    int64_t fewer;                  /* rows per iteration: at the begin of A or (less than 0: more) at its end */
    bool moves;                     /* A begins one row later with each iteration */
};

/* ---- may they ---- */

/* `pointer` as an address that no iteration changes and an index. */
static bool split_address(struct candidate *x, struct tree_expr *pointer, struct tree_expr **base, struct linear *at)
{
    bool offset = pointer->op == EXPR_OFFSET;
    *base = offset ? pointer->args[0] : pointer;
    *at = (struct linear){ .known = true };
    if (offset)
        linear_of(at, pointer->args[1]);
    return at->known && tree_scan_invariant(&x->scan, *base);
}

/* Can the expression be evaluated in front of the loop, once its variable is replaced? */
static bool is_ahead(const struct candidate *x, const struct linear *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t k = 0; k < l->terms[i].count; k++) {
            const struct tree_expr *e = l->terms[i].factors[k];
            bool itself = e->op == EXPR_VAR && e->var == x->loop->var;
            if (!itself && !tree_scan_invariant(&x->scan, e))
                return false;
        }
    return l->known;
}

/* What the value grows by from one iteration to the next. */
static bool growth(const struct candidate *x, const struct linear *of, struct linear *out)
{
    struct linear next;
    linear_replace(&next, of, x->loop->var, &x->next);
    *out = (struct linear){ .known = true };
    linear_add(out, &next, 1);
    linear_add(out, of, -1);
    for (uint32_t i = 0; i < out->count; i++)
        if (linear_term_has(&out->terms[i], x->loop->var))
            return false;
    return out->known;
}

static bool matches(const struct linear *a, const struct tree_expr *e)
{
    struct linear b;
    linear_of(&b, e);
    return b.known && linear_equal(a, &b);
}

/* Rows begin one later, or where they did. */
static bool rows_fit(struct candidate *x)
{
    struct linear step, fewer;
    if (!growth(x, &x->at_a, &step) || !growth(x, &x->rows, &fewer) || !linear_is_constant(&fewer))
        return false;
    x->moves = !(linear_is_constant(&step) && step.constant == 0);
    x->fewer = -fewer.constant;
    return x->moves ? x->fewer == 1 && matches(&step, x->call->args[PRODUCT_A_ROW]) : x->fewer <= 0;
}

static bool is_worth_it(const struct candidate *x)
{
    struct tree_frame frame = tree_frame_of(NULL, x->loop);
    struct interval rows = linear_interval(&x->rows, &frame, NULL),
                    sum = interval_of(x->call->args[PRODUCT_K], &frame, NULL);
    bool few = frame.range.known && frame.range.high - frame.range.low + 1 < FEWEST;
    return !few && (!rows.known || !sum.known || (double)rows.high * (double)sum.high >= SMALLEST);
}

/* Does anything in the loop write what the product reads, or things nobody knows of? */
static bool are_kept(const struct batch *b, const struct candidate *x)
{
    const struct tree_product *p = x->call->product;
    const struct tree_stmt *body = x->loop->body;
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *s = body->items.items[i];
        struct tree_piece piece = { 0 };
        if (s->product) {
            if (!s->product->c || s->product->c == p->a || s->product->c == p->b)
                return false;
            continue;
        }
        piece_add(b->tree->scratch, &piece, s, NULL);
        if (piece.control)
            return false;
        for (uint32_t k = 0; k < piece.accesses.count; k++) {
            const struct tree_access *a = piece.accesses.items[k];
            if (a->write && (!a->alias || a->alias == p->a || a->alias == p->b))
                return false;
        }
    }
    return true;
}

static bool is_invariant(const struct candidate *x, const int *args, int count)
{
    for (int i = 0; i < count; i++)
        if (!tree_scan_invariant(&x->scan, x->call->args[args[i]]))
            return false;
    return true;
}

static bool is_candidate(struct candidate *x)
{
    static const int fixed[] = { PRODUCT_K, PRODUCT_A_ROW, PRODUCT_A_COL, PRODUCT_B_ROW };
    const struct tree_product *p = x->call->product;
    struct tree_expr *const *args = x->call->args;
    linear_of(&x->rows, args[PRODUCT_M]);
    return p->a && p->b && p->c && expr_is_float(p->alpha, 1) && expr_is_float(p->beta, 0) &&
           expr_is_int(args[PRODUCT_N], 1) && is_invariant(x, fixed, sizeof fixed / sizeof *fixed) &&
           split_address(x, args[PRODUCT_A], &x->a, &x->at_a) && split_address(x, args[PRODUCT_B], &x->x, &x->at_x) &&
           is_ahead(x, &x->at_a) && is_ahead(x, &x->at_x) && is_ahead(x, &x->rows) && rows_fit(x) &&
           growth(x, &x->at_x, &x->apart) && x->apart.count + (x->apart.constant != 0) > 0 && is_worth_it(x);
}

/* ---- rewriting ---- */

static struct tree_expr *value_at(struct tree *t, const struct candidate *x, const struct linear *l,
                                  struct tree_expr *i)
{
    struct linear value, out;
    linear_of(&value, i);
    linear_replace(&out, l, x->loop->var, &value);
    return linear_expr(t, &out);
}

static struct tree_var *i64_new(struct tree *t, struct tree_stmt *b, const char *name, struct tree_expr *value)
{
    struct tree_var *v = tree_var(t, name, type_basic(t->ir, TYPE_I64));
    stmt_assign(t, b, v, value);
    return v;
}

/* panel[i, r] = row r of A as block `base` sees it, times column i. */
static void call_block(struct tree *t, struct tree_stmt *b, const struct candidate *x, struct tree_expr *base,
                       struct tree_expr *last, struct tree_expr *rows, struct tree_expr *panel, struct tree_expr *ld)
{
    const struct type *pointer = type_pointer(t->ir, x->call->product->type);
    struct tree_product *p = NEW(t->arena, struct tree_product);
    struct tree_expr **args = arena_copy(t->arena, x->call->args, x->call->num_args * sizeof *args);
    *p = *x->call->product;
    p->c = 0;
    args[PRODUCT_M] = rows;
    args[PRODUCT_N] = expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_SUB, last, base), expr_i64(t, 1));
    args[PRODUCT_A] = expr_offset(t, x->a, value_at(t, x, &x->at_a, base));
    args[PRODUCT_B] = expr_offset(t, x->x, value_at(t, x, &x->at_x, base));
    args[PRODUCT_B_COL] = linear_expr(t, &x->apart);
    args[PRODUCT_C] = panel;
    args[PRODUCT_C_ROW] = expr_i64(t, 1);
    args[PRODUCT_C_COL] = ld;
    args[PRODUCT_ALPHA] = args[PRODUCT_BETA] = expr_null(t, pointer);
    struct tree_stmt *call = stmt_call(t, b, NULL, "sdfg_rt_gemm", args, x->call->num_args);
    call->place = x->call->place;
    call->product = p;
}

/* The call becomes a copy from the panel. */
static void read_panel(struct tree *t, const struct candidate *x, struct tree_expr *base, struct tree_expr *panel,
                       struct tree_expr *ld, uint32_t alias)
{
    struct tree_stmt *call = x->call, *b = stmt_block(t);
    const struct type *type = call->product->type;
    struct tree_expr *column = expr_binary(t, EXPR_SUB, expr_var(t, x->loop->var), base);
    struct tree_expr *first = expr_binary(t, EXPR_MUL, column, ld);
    if (x->moves)
        first = expr_binary(t, EXPR_ADD, first, column);
    struct tree_var *r = tree_var(t, "r", type_basic(t->ir, TYPE_I64));
    struct tree_stmt *l = stmt_for(t, b, r, expr_i64(t, 0), call->args[PRODUCT_M], expr_i64(t, 1));
    l->place = call->place;
    l->loop.parallel = l->loop.independent = true;
    struct tree_expr *from = expr_load(t, type, panel, expr_binary(t, EXPR_ADD, first, expr_var(t, r)), alias);
    struct tree_expr *to = expr_binary(t, EXPR_MUL, expr_var(t, r), call->args[PRODUCT_C_ROW]);
    stmt_store(t, l->body, call->args[PRODUCT_C], to, from, call->product->c)->place = call->place;
    *call = *b;
}

static void make_blocks(struct batch *b, struct candidate *x)
{
    struct tree *t = b->tree;
    const struct type *type = x->call->product->type, *i64 = type_basic(t->ir, TYPE_I64);
    struct tree_stmt *loop = x->loop, *block = stmt_block(t);
    uint32_t alias = t->num_aliases++;
    struct tree_expr *end = loop->end, *one = expr_i64(t, 1), *behind = expr_binary(t, EXPR_SUB, end, one);
    struct tree_expr *most = value_at(t, x, &x->rows, x->fewer < 0 ? behind : loop->begin);
    struct tree_expr *ld = expr_binary(t, EXPR_MAX, most, one);
    if (ld->op != EXPR_INT)
        ld = expr_var(t, i64_new(t, block, "rows", ld));
    struct tree_var *panel = tree_var(t, "panel", type_pointer(t->ir, type));
    struct tree_expr *p = expr_var(t, panel);
    stmt_alloc(t, block, panel, type, expr_binary(t, EXPR_MUL, ld, expr_i64(t, b->width)), TREE_HEAP)->place =
        loop->place;
    struct tree_var *first = tree_var(t, loop->var->name, i64);
    struct tree_stmt *outer = stmt_for(t, block, first, loop->begin, end, expr_i64(t, b->width));
    struct tree_expr *base = expr_var(t, first);
    struct tree_expr *full = expr_binary(t, EXPR_ADD, base, expr_i64(t, b->width));
    struct tree_var *stop = i64_new(t, outer->body, "stop", expr_binary(t, EXPR_MIN, full, end));
    struct tree_expr *last = expr_binary(t, EXPR_SUB, expr_var(t, stop), one);
    struct tree_expr *rows = value_at(t, x, &x->rows, x->fewer < 0 ? last : base);
    outer->place = loop->place;
    call_block(t, outer->body, x, base, last, rows, p, ld);
    read_panel(t, x, base, p, ld, alias);
    struct tree_stmt *inner = NEW(t->arena, struct tree_stmt);
    *inner = *loop;
    inner->begin = base;
    inner->end = expr_var(t, stop);
    stmt_append(t, outer->body, inner);
    stmt_free(t, block, panel);
    *loop = *block;
}

/* ---- the walk ---- */

/* Is the loop's variable of no interest behind it, and do bounds stay? */
static bool is_plain(struct batch *b, const struct tree_stmt *loop, const struct tree_scan *scan)
{
    const struct tree_scan *whole = tree_whole(&b->whole);
    uintptr_t inside = (uintptr_t)map_get(&scan->uses, loop->var);
    return loop->kind == STMT_FOR && !loop->loop.parallel && expr_is_int(loop->step, 1) &&
           loop->var->type->kind == TYPE_I64 && (uintptr_t)map_get(&whole->uses, loop->var) == inside + 1 &&
           tree_scan_is_closed(scan, whole) && expr_is_pure(loop->begin) && tree_scan_invariant(scan, loop->begin) &&
           tree_scan_invariant(scan, loop->end);
}

static void try_loop(struct batch *b, struct tree_stmt *loop)
{
    struct candidate x = { .loop = loop, .scan = { .arena = b->tree->scratch } };
    if (!stmt_has_products(loop->body))
        return;
    tree_scan_add(&x.scan, loop->body);
    linear_of(&x.next,
              expr_binary(b->tree, EXPR_ADD, expr_var(b->tree, loop->var), expr_int(b->tree, loop->var->type, 1)));
    for (uint32_t i = 0; is_plain(b, loop, &x.scan) && i < loop->body->items.count; i++) {
        x.call = loop->body->items.items[i];
        if (!x.call->product || !is_candidate(&x))
            continue;
        const char *subject = remark_subject(b->tree, loop);
        if (are_kept(b, &x)) {
            remark(b->tree->ir->remarks, x.call->place, NULL, REMARK_PRODUCT_BATCHED, (int)b->width, subject);
            make_blocks(b, &x);
            return;
        }
        remark(b->tree->ir->remarks, x.call->place, NULL, REMARK_PRODUCT_KEPT, subject);
    }
}

static bool look(void *user, struct tree_stmt *s)
{
    if (s->kind == STMT_PARALLEL || (s->kind == STMT_FOR && s->loop.parallel))
        return false;
    if (s->kind == STMT_FOR)
        try_loop(user, s);
    return true;
}

bool opt_batch_gemv(struct tree *t, const struct tree_options *o)
{
    bool library = !o->device || o->cublas; /* that does products of matrices better */
    for (uint32_t i = 0; library && !o->strict_fp && i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct batch b = { .tree = t, .width = o->device ? DEVICE_WIDTH : WIDTH, .whole = { t, f, { 0 } } };
        stmt_visit(f->body, look, &b);
        stmt_flatten(t, f->body);
    }
    return true;
}
