/* Products of matrices whose extents and strides are constants, in vectors, in place of a call of the runtime: those
 * that are so small that the call and the choice of a kernel would take a good part of their time. The forms are those
 * of runtime/linalg/blas_tiles.inc: tiles of C whose sums stay in registers, terms in order, and products of rows with
 * a vector, whose lanes are added up in the end. */
#include "base/remark.h"
#include "lower/llvm/llvm_lanes.h"
#include "lower/tree/tree_callee.h"

#include <string.h>

enum {
    MOST_OPERATIONS = 4096, /* on vectors */
    STRAIGHT = 64,          /* ... of a tile up to which they stand one after the other, without a loop */
    CHAINS = 8,             /* sums that are added to side by side, so that none waits for the one before */
    HELD = 8,               /* parts of the vector that rows are multiplied with, which stay in registers */
    MOST_SUMS = 24,         /* registers for them, and half as many */
    MOST_VECTORS = 6,       /* of a row of a tile, and half as many */
    MOST_OF_ROW = 32,       /* of a row of C */
    MOST_VALUES = 2 + CHAINS /* in a loop: two addresses, sums */ + MOST_SUMS
};

struct matrix {
    const struct tree_expr *address;
    LLVMValueRef at;  /* its value, as soon as it is sure that it is needed */
    int64_t row, col; /* strides in elements */
};

struct product {
    struct llvm_func *f;
    int64_t m, n, k;
    struct matrix a, b, c;
    const struct type *type;
    LLVMValueRef alpha, beta; /* NULL: 1, 0 */
    LLVMValueRef *held;       /* the parts of the vector, or NULL */
    int64_t widest;           /* lanes of a vector */
    bool many;                /* registers: 32, else 16 */
    bool halves;              /* two vectors of half of the lanes take as long */
};

/* ---- what is done here ---- */

static bool constant(const struct tree_expr *e, int64_t *out)
{
    *out = e->i;
    return e->op == EXPR_INT;
}

/* Processors whose loads and stores can leave lanes out. */
static bool choose_vectors(struct product *p)
{
    LLVMValueRef function = p->f->function;
    if (!p->f->unit->x86 || !llvm_has_feature(function, "+avx2") || !llvm_has_feature(function, "+fma"))
        return false;
    p->many = llvm_has_feature(function, "+avx512f") && llvm_has_feature(function, "+avx512vl");
    p->halves = p->many && p->f->emitter->tree->machine->double_pumped;
    p->widest = (p->many ? 64 : 32) / (int64_t)p->type->size;
    return true;
}

/* Elements between neighbours, few enough that products with extents (LARGEST) are numbers. */
static bool constant_stride(const struct tree_expr *e, int64_t *out)
{
    return constant(e, out) && *out == (int32_t)*out;
}

static bool take_matrix(struct matrix *m, struct tree_expr *const *address_and_strides)
{
    m->address = address_and_strides[0];
    return constant_stride(address_and_strides[1], &m->row) && constant_stride(address_and_strides[2], &m->col);
}

static bool take_gemm(struct product *p, const struct tree_stmt *s)
{
    p->type = s->product->type;
    return constant(s->args[PRODUCT_M], &p->m) && constant(s->args[PRODUCT_N], &p->n) &&
           constant(s->args[PRODUCT_K], &p->k) && take_matrix(&p->a, s->args + PRODUCT_A) &&
           take_matrix(&p->b, s->args + PRODUCT_B) && take_matrix(&p->c, s->args + PRODUCT_C) &&
           (s->args[PRODUCT_BETA]->op == EXPR_NULL || s->product->beta);
}

static bool take_dot(struct product *p, const struct tree_stmt *s)
{
    enum { N = 2, X, X_STEP, Y, Y_STEP, RESULT }; /* runtime/abi.def */
    p->a = (struct matrix){ .address = s->args[X], .col = 1 };
    p->b = (struct matrix){ .address = s->args[Y], .row = 1 };
    p->c = (struct matrix){ .address = s->args[RESULT] };
    p->type = p->c.address->type->elem;
    p->m = p->n = 1;
    return constant(s->args[N], &p->k) && expr_is_int(s->args[X_STEP], 1) && expr_is_int(s->args[Y_STEP], 1);
}

static bool take(struct product *p, const struct tree_stmt *s)
{
    enum { LARGEST = 1 << 16 };
    bool dot = s->kind == STMT_CALL && stmt_callee(s) == &tree_callees[CALLEE_sdfg_rt_dot];
    if (dot ? !take_dot(p, s) : !s->product || !take_gemm(p, s))
        return false;
    return p->m > 0 && p->n > 0 && p->k > 0 && p->m < LARGEST && p->n < LARGEST && p->k < LARGEST &&
           (p->type->kind == TYPE_F32 || p->type->kind == TYPE_F64);
}

/* C^T = B^T A^T */
static struct product turned(const struct product *p)
{
    struct product t = *p;
    t.m = p->n;
    t.n = p->m;
    t.a = (struct matrix){ p->b.address, p->b.at, p->b.col, p->b.row };
    t.b = (struct matrix){ p->a.address, p->a.at, p->a.col, p->a.row };
    t.c = (struct matrix){ p->c.address, p->c.at, p->c.col, p->c.row };
    return t;
}

static int64_t parts(int64_t count, int64_t most) { return (count + most - 1) / most; }

/* Lanes for rows of `count` numbers: no more than they fill, but for the last one. */
static int64_t lanes_for(const struct product *p, int64_t count)
{
    int64_t lanes = 16 / (int64_t)p->type->size;
    while (lanes < p->widest && lanes < count)
        lanes *= 2;
    return lanes;
}

/* ... of C, in tiles: half as many where fewer are left over then and two vectors of them take no longer. */
static int64_t lanes_for_columns(const struct product *p)
{
    enum { FEW = 3 };
    int64_t lanes = lanes_for(p, p->n), half = lanes / 2;
    bool less = p->halves && lanes == p->widest && (p->n - 1) % lanes < half;
    return less && p->n <= FEW * half ? half : lanes;
}

static bool is_rows(const struct product *p)
{
    bool lies = p->n == 1 && p->a.col == 1 && p->b.row == 1;
    return lies && p->m * parts(p->k, lanes_for(p, p->k)) <= MOST_OPERATIONS;
}

/* Few columns and so long rows of A that the runtime takes them as inner products (vectors_pay of
 * runtime/linalg/blas_small.c, whose estimate this is, and the call). */
static bool is_inner(const struct product *p)
{
    enum { FEW_ROWS = 4, SUM = 2, CALL = 400 /* multiply-adds, both */ };
    int64_t dots = p->m * 2 * p->n * (parts(p->k, p->widest) + SUM) + p->n * p->k + CALL;
    return p->m >= FEW_ROWS && p->a.col == 1 && dots <= p->m * p->k;
}

static bool is_tiles(const struct product *p)
{
    bool lies = p->n > 1 && p->b.col == 1 && p->c.col == 1;
    int64_t vectors = parts(p->n, lanes_for_columns(p));
    return lies && !is_inner(p) && p->m * p->k * vectors <= MOST_OPERATIONS && vectors <= MOST_OF_ROW;
}

/* ---- what both forms do ---- */

static struct llvm_lanes lanes_of(const struct product *p, int64_t lanes, int64_t count)
{
    return llvm_lanes(p->f, p->type, lanes, count);
}

static LLVMValueRef address(struct product *p, LLVMValueRef from, int64_t elements)
{
    return llvm_address(p->f, p->type, from, llvm_int(p->f->unit->i64, elements));
}

static LLVMValueRef load(struct product *p, struct llvm_lanes s, LLVMValueRef at)
{
    return llvm_lanes_load(p->f, &s, at);
}

static LLVMValueRef multiply_add(struct product *p, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum)
{
    return llvm_intrinsic(p->f, "llvm.fma", LLVMTypeOf(sum), (LLVMValueRef[]){ a, b, sum }, 3);
}

/* alpha sum + beta C */
static LLVMValueRef finished(struct product *p, struct llvm_lanes s, LLVMValueRef sum, LLVMValueRef at)
{
    if (p->alpha)
        sum = LLVMBuildFMul(p->f->builder, llvm_splat(p->f, LLVMTypeOf(sum), p->alpha), sum, "");
    return p->beta ? multiply_add(p, llvm_splat(p->f, LLVMTypeOf(sum), p->beta), load(p, s, at), sum) : sum;
}

/* ---- tiles ---- */

struct tile {
    int64_t rows, vectors, lanes, ways;
    struct llvm_lanes whole, last;
};

/* Adds the term of A and B at these addresses to the sums. */
static void add_term(struct product *p, const struct tile *t, LLVMValueRef a, LLVMValueRef b, LLVMValueRef *sums)
{
    LLVMValueRef x[MOST_VECTORS];
    for (int64_t v = 0; v < t->vectors; v++)
        x[v] = load(p, v + 1 < t->vectors ? t->whole : t->last, address(p, b, v * t->lanes));
    struct llvm_lanes number = lanes_of(p, 1, 1);
    for (int64_t r = 0; r < t->rows; r++) {
        LLVMValueRef value = llvm_splat(p->f, LLVMTypeOf(x[0]), load(p, number, address(p, a, r * p->a.row)));
        for (int64_t v = 0; v < t->vectors; v++)
            sums[r * t->vectors + v] = multiply_add(p, value, x[v], sums[r * t->vectors + v]);
    }
}

/* The sums of all terms of a tile whose parts of A and B begin here. */
static void add_terms(struct product *p, const struct tile *t, LLVMValueRef a, LLVMValueRef b, LLVMValueRef *sums)
{
    int64_t count = t->rows * t->vectors, rounds = p->k / t->ways, done = 0;
    LLVMValueRef values[MOST_VALUES];
    unsigned n = (unsigned)(2 + count * t->ways);
    values[0] = a;
    values[1] = b;
    for (unsigned i = 2; i < n; i++)
        values[i] = LLVMConstNull(t->whole.type);
    if (count * p->k > STRAIGHT && rounds > 1) {
        struct llvm_repeat loop = llvm_flow_repeat(p->f, llvm_int(p->f->unit->i64, rounds), values, n);
        for (int64_t w = 0; w < t->ways; w++)
            add_term(p, t, address(p, values[0], w * p->a.col), address(p, values[1], w * p->b.row),
                     values + 2 + w * count);
        values[0] = address(p, values[0], t->ways * p->a.col);
        values[1] = address(p, values[1], t->ways * p->b.row);
        llvm_flow_repeat_end(p->f, &loop, values, n);
        done = rounds * t->ways;
    }
    for (int64_t i = 0; done + i < p->k; i++)
        add_term(p, t, address(p, values[0], i * p->a.col), address(p, values[1], i * p->b.row),
                 values + 2 + i % t->ways * count);
    for (int64_t i = 0; i < count; i++) {
        sums[i] = values[2 + i];
        for (int64_t w = 1; w < t->ways; w++)
            sums[i] = LLVMBuildFAdd(p->f->builder, sums[i], values[2 + w * count + i], "");
    }
}

/* All loads before the stores: one that meets a store of a part waits for it. */
static void emit_tile(struct product *p, const struct tile *t, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef sums[MOST_SUMS];
    add_terms(p, t, a, b, sums);
    for (int turn = 0; turn < 2; turn++)
        for (int64_t r = 0; r < t->rows; r++)
            for (int64_t v = 0; v < t->vectors; v++) {
                struct llvm_lanes s = v + 1 < t->vectors ? t->whole : t->last;
                LLVMValueRef at = address(p, c, r * p->c.row + v * t->lanes), *sum = &sums[r * t->vectors + v];
                if (turn == 0)
                    *sum = finished(p, s, *sum, at);
                else
                    llvm_lanes_store(p->f, &s, *sum, at);
            }
}

static int64_t columns_of_tile(const struct product *p)
{
    int64_t lanes = lanes_for_columns(p), vectors = parts(p->n, lanes),
            most = p->many ? MOST_VECTORS : MOST_VECTORS / 2;
    return parts(vectors, parts(vectors, most)) * lanes;
}

/* So many rows of C, from these of A and C on. */
static void emit_band(struct product *p, int64_t rows, LLVMValueRef a, LLVMValueRef c)
{
    int64_t lanes = lanes_for_columns(p), columns = columns_of_tile(p);
    for (int64_t j = 0; j < p->n; j += columns) {
        struct tile t = { .lanes = lanes, .rows = rows };
        int64_t left = p->n - j < columns ? p->n - j : columns;
        t.vectors = parts(left, lanes);
        t.whole = lanes_of(p, lanes, lanes);
        t.last = lanes_of(p, lanes, left - (t.vectors - 1) * lanes);
        t.ways = CHAINS / (t.rows * t.vectors);
        t.ways = t.ways < 1 ? 1 : t.ways > p->k ? p->k : t.ways;
        emit_tile(p, &t, a, address(p, p->b.at, j), address(p, c, j));
    }
}

/* `rows` rows of A and C at a time, in a loop where it is more than twice. */
static void emit_bands(struct product *p, int64_t rows,
                       void (*emit)(struct product *p, int64_t rows, LLVMValueRef a, LLVMValueRef c))
{
    LLVMValueRef at[] = { p->a.at, p->c.at };
    int64_t rounds = p->m / rows, i = 0, step = rows;
    if (rounds > 2) {
        struct llvm_repeat loop = llvm_flow_repeat(p->f, llvm_int(p->f->unit->i64, rounds), at, 2);
        emit(p, rows, at[0], at[1]);
        at[0] = address(p, at[0], rows * p->a.row);
        at[1] = address(p, at[1], rows * p->c.row);
        llvm_flow_repeat_end(p->f, &loop, at, 2);
        i = rounds * rows;
    }
    for (; i < p->m; i += step) {
        step = p->m - i < rows ? p->m - i : rows;
        emit(p, step, at[0], at[1]);
        at[0] = address(p, at[0], step * p->a.row);
        at[1] = address(p, at[1], step * p->c.row);
    }
}

static void emit_tiles(struct product *p)
{
    int64_t most = (p->many ? MOST_SUMS : MOST_SUMS / 2) * lanes_for_columns(p) / columns_of_tile(p);
    emit_bands(p, parts(p->m, parts(p->m, most)), emit_band);
}

/* ---- products of rows with a vector ---- */

struct rows {
    int64_t rows, lanes, ways;
    struct llvm_lanes whole, last;
};

/* Adds what part `part` of the vector gives, counted from these addresses on. */
static void add_part(struct product *p, const struct rows *g, LLVMValueRef a, LLVMValueRef x, int64_t part, bool last,
                     LLVMValueRef *sums)
{
    struct llvm_lanes s = last ? g->last : g->whole;
    LLVMValueRef value = p->held ? p->held[part] : load(p, s, address(p, x, part * g->lanes));
    for (int64_t r = 0; r < g->rows; r++)
        sums[r] = multiply_add(p, load(p, s, address(p, a, r * p->a.row + part * g->lanes)), value, sums[r]);
}

static void add_parts(struct product *p, const struct rows *g, LLVMValueRef a, LLVMValueRef *sums)
{
    int64_t all = parts(p->k, g->lanes), rounds = (all - 1) / g->ways, done = 0;
    LLVMValueRef values[MOST_VALUES] = { a, p->b.at };
    unsigned n = (unsigned)(2 + g->rows * g->ways);
    for (unsigned i = 2; i < n; i++)
        values[i] = LLVMConstNull(g->whole.type);
    if (!p->held && rounds > 1) {
        struct llvm_repeat loop = llvm_flow_repeat(p->f, llvm_int(p->f->unit->i64, rounds), values, n);
        for (int64_t w = 0; w < g->ways; w++)
            add_part(p, g, values[0], values[1], w, false, values + 2 + w * g->rows);
        values[0] = address(p, values[0], g->ways * g->lanes);
        values[1] = address(p, values[1], g->ways * g->lanes);
        llvm_flow_repeat_end(p->f, &loop, values, n);
        done = rounds * g->ways;
    }
    for (int64_t i = 0; done + i < all; i++)
        add_part(p, g, values[0], values[1], i, done + i + 1 == all, values + 2 + i % g->ways * g->rows);
    for (int64_t left = g->ways; left > 1; left = (left + 1) / 2)
        for (int64_t i = 0; i < left / 2 * g->rows; i++)
            values[2 + i] = LLVMBuildFAdd(p->f->builder, values[2 + i], values[2 + (left + 1) / 2 * g->rows + i], "");
    memcpy(sums, values + 2, (size_t)g->rows * sizeof *sums);
}

static void emit_group(struct product *p, int64_t rows, LLVMValueRef a, LLVMValueRef c)
{
    struct rows g = { .rows = rows, .lanes = lanes_for(p, p->k) };
    LLVMValueRef sums[LLVM_LANES_GROUP], all = NULL;
    int64_t count = parts(p->k, g.lanes);
    g.whole = lanes_of(p, g.lanes, g.lanes);
    g.last = lanes_of(p, g.lanes, p->k - (count - 1) * g.lanes);
    g.ways = CHAINS / rows < count ? CHAINS / rows : count;
    add_parts(p, &g, a, sums);
    struct llvm_lanes four = lanes_of(p, LLVM_LANES_GROUP, LLVM_LANES_GROUP), number = lanes_of(p, 1, 1);
    if (rows == LLVM_LANES_GROUP)
        all = llvm_lanes_sums(p->f, sums);
    if (all && p->c.row == 1) {
        llvm_lanes_store(p->f, &four, finished(p, four, all, c), c);
        return;
    }
    for (int64_t r = 0; r < rows; r++) {
        LLVMValueRef sum = all ? llvm_lane(p->f, (struct llvm_value){ all, NULL }, llvm_int(p->f->unit->i32, r)).v
                               : llvm_lanes_sum(p->f, sums[r]);
        LLVMValueRef at = address(p, c, r * p->c.row);
        llvm_lanes_store(p->f, &number, finished(p, number, sum, at), at);
    }
}

static void emit_rows(struct product *p)
{
    int64_t lanes = lanes_for(p, p->k), count = parts(p->k, lanes);
    LLVMValueRef held[HELD];
    for (int64_t i = 0; i < count && count <= HELD; i++) {
        held[i] = load(p, lanes_of(p, lanes, i + 1 < count ? lanes : p->k - i * lanes), address(p, p->b.at, i * lanes));
        p->held = held;
    }
    emit_bands(p, LLVM_LANES_GROUP, emit_group);
}

static void take_factors(struct product *p, const struct tree_stmt *s)
{
    const struct tree_expr *alpha = s->args[PRODUCT_ALPHA];
    if (s->args[PRODUCT_BETA]->op != EXPR_NULL)
        p->beta = llvm_expr(p->f, s->product->beta).v;
    if (alpha->op != EXPR_NULL)
        p->alpha = s->product->alpha ? llvm_expr(p->f, s->product->alpha).v
                                     : load(p, lanes_of(p, 1, 1), llvm_expr(p->f, alpha).v);
}

bool llvm_product(struct llvm_func *f, const struct tree_stmt *s)
{
    struct product p = { .f = f };
    if (!take(&p, s) || !choose_vectors(&p))
        return false;
    struct product t = turned(&p);
    bool rows = is_rows(&p) || is_rows(&t), turn = rows ? !is_rows(&p) : !is_tiles(&p);
    if (!rows && !is_tiles(&p) && !is_tiles(&t))
        return false;
    p.a.at = llvm_expr(f, p.a.address).v;
    p.b.at = llvm_expr(f, p.b.address).v;
    p.c.at = llvm_expr(f, p.c.address).v;
    if (s->product)
        take_factors(&p, s);
    t = turned(&p);
    (rows ? emit_rows : emit_tiles)(turn ? &t : &p);
    remark(f->emitter->options->remarks, f->place, NULL, REMARK_PRODUCT_IN_PLACE, (long long)p.m, (long long)p.k,
           (long long)p.k, (long long)p.n);
    return true;
}
