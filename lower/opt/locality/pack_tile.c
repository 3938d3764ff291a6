/* Loops over rows, strips of columns, and sums in registers. */
#include "lower/opt/locality/pack_tile.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

/* ---- expressions ---- */

struct tree_stmt *pack_loop(struct pack_tile *w, struct tree_stmt *block, const struct tree_stmt *like,
                            struct tree_expr *begin, struct tree_expr *end)
{
    struct tree *t = w->tree;
    struct tree_var *v = tree_var(t, like->var->name, like->var->type);
    struct tree_stmt *s = stmt_for(t, block, v, begin, end, expr_i64(t, 1));
    s->place = like->place;
    return s;
}

struct substitution {
    const struct tree_var *var;
    struct tree_expr *value;
};

static struct tree_expr *substitute(void *user, struct tree_expr *e)
{
    const struct substitution *s = user;
    return e->op == EXPR_VAR && e->var == s->var ? s->value : e;
}

static struct tree_expr *replaced(struct tree *t, struct tree_expr *e, const struct tree_var *v,
                                  struct tree_expr *value)
{
    return expr_rewrite(t, e, substitute, &(struct substitution){ v, value });
}

/* ---- packing ---- */

/* Copies of the values of a block that are the same for all rows. */
static void copy_values(struct pack_tile *w, struct tree_stmt *to, const struct tree_stmt *block)
{
    for (uint32_t i = 0; i + 1 < block->items.count; i++)
        if (!(pack_mask_of(w->p, block->items.items[i]->value) & ~(PACK_COLUMN | PACK_SUM)))
            stmt_append(w->tree, to, stmt_clone(w->tree, block->items.items[i]));
}

struct tree_expr *pack_place(struct pack_tile *w, struct tree_expr *strip, struct tree_stmt *const *sums, int64_t width)
{
    struct tree *t = w->tree;
    struct tree_expr *term = expr_i64(t, 0);
    for (uint32_t i = 0; i < w->p->num_sums; i++)
        term = pack_add(t, expr_binary(t, EXPR_MUL, term, w->counts[i]),
                        pack_sub(t, expr_var(t, sums[i]->var), w->p->sums[i]->begin));
    return pack_times(t, pack_add(t, expr_binary(t, EXPR_MUL, strip, w->terms), term), width);
}

/* All terms of the columns of a strip, of which there are `count`. */
static void put_strip(struct pack_tile *w, struct tree_stmt *block, struct tree_expr *number, struct tree_expr *column,
                      struct tree_expr *count)
{
    struct tree *t = w->tree;
    const struct pack *p = w->p;
    struct tree_stmt *sums[PACK_SUMS], *body = block;
    struct tree_expr *zero = expr_i64(t, 0), *wide = expr_i64(t, w->width);
    for (uint32_t i = 0; i < p->num_sums; i++) {
        sums[i] = pack_loop(w, body, p->sums[i], p->sums[i]->begin, p->sums[i]->end);
        body = sums[i]->body;
        copy_values(w, body, p->sums[i]->body);
    }
    struct tree_expr *at = pack_place(w, number, sums, w->width);
    struct tree_stmt *partial = stmt_if(t, body, expr_binary(t, EXPR_LT, count, wide));
    for (uint32_t i = 0; i < p->num_packed; i++)
        stmt_zero(t, partial->body, p->type, expr_offset(t, w->packed[i], at), w->alias[i], wide);
    struct tree_stmt *lane = pack_loop(w, body, p->column, zero, count);
    lane->loop.independent = true;
    copy_values(w, lane->body, p->column->body);
    for (uint32_t i = 0; i < p->num_packed; i++)
        stmt_store(t, lane->body, w->packed[i], pack_add(t, at, expr_var(t, lane->var)), p->packed[i], w->alias[i]);
    for (uint32_t i = 0; i < p->num_sums; i++)
        stmt_substitute(t, sums[i]->body, p->sums[i]->var, expr_var(t, sums[i]->var));
    stmt_substitute(t, lane->body, p->column->var, pack_add(t, column, expr_var(t, lane->var)));
}

static void put_packing(struct pack_tile *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    struct tree_stmt *nest = stmt_block(t);
    struct tree_expr *zero = expr_i64(t, 0), *wide = expr_i64(t, w->width);
    struct tree_stmt *strip =
        pack_loop(w, nest, w->p->column, zero, pack_sub(t, pack_add(t, w->columns, wide), expr_i64(t, 1)));
    strip->end = expr_binary(t, EXPR_DIV, strip->end, wide);
    strip->loop.parallel = strip->loop.independent = true;
    struct tree_expr *number = expr_var(t, strip->var), *done = pack_times(t, number, w->width);
    struct tree_expr *count =
        stmt_variable(t, strip->body, "count", expr_binary(t, EXPR_MIN, pack_sub(t, w->columns, done), wide));
    put_strip(w, strip->body, number, pack_add(t, w->first_column, done), count);
    stmt_append(t, block, stmt_clone_apart(t, nest));
}

/* ---- tiles ---- */

/* Columns of the rows in the strip, from the sums' place to `buffer` or back. */
static void put_copy(struct pack_tile *w, struct tree_stmt *block, struct tree_expr *base, struct tree_expr *buffer,
                     uint32_t alias, bool back)
{
    struct tree *t = w->tree;
    const struct pack *p = w->p;
    const struct tree_var *row = p->row->var;
    struct tree_expr *number = expr_i64(t, 0), *r = w->row[0];
    if (w->rows > 1) {
        struct tree_stmt *rows = pack_loop(w, block, p->row, number, expr_i64(t, w->rows));
        block = rows->body;
        number = expr_var(t, rows->var);
        r = pack_add(t, r, number);
    }
    struct tree_expr *begin = expr_binary(t, EXPR_MAX, replaced(t, p->column->begin, row, r), base);
    struct tree_expr *end = replaced(t, p->column->end, row, r);
    end = expr_binary(t, EXPR_MIN, end, pack_add(t, base, expr_i64(t, w->width)));
    struct tree_stmt *loop = pack_loop(w, block, p->column, begin, end);
    loop->loop.independent = true;
    struct tree_expr *column = expr_var(t, loop->var);
    struct tree_expr *index = replaced(t, replaced(t, p->store->index, row, r), p->column->var, column);
    struct tree_expr *at = pack_add(t, pack_sub(t, column, base), pack_times(t, number, w->width));
    struct tree_expr *pointer = p->store->pointer;
    if (back)
        stmt_store(t, loop->body, pointer, index, expr_load(t, p->type, buffer, at, alias), p->store->alias);
    else
        stmt_store(t, loop->body, buffer, at, expr_load(t, p->type, pointer, index, p->store->alias), alias);
    loop->body->items.items[0]->place = p->store->place;
}

/* Between the buffer and the vectors of sums. */
static void put_sums(struct pack_tile *w, struct tree_stmt *block, struct tree_expr *buffer, uint32_t alias, bool back)
{
    struct tree *t = w->tree;
    struct tree_expr *vectors = expr_cast(t, type_pointer(t->ir, w->vector), buffer);
    for (uint32_t r = 0; r < w->rows; r++)
        for (uint32_t v = 0; v < PACK_VECTORS; v++) {
            struct tree_expr *at = expr_i64(t, r * PACK_VECTORS + v);
            if (!back)
                w->sums[r][v] = tree_var(t, "sums", w->vector);
            if (back)
                stmt_store(t, block, vectors, at, expr_var(t, w->sums[r][v]), alias);
            else
                stmt_assign(t, block, w->sums[r][v], expr_load(t, w->vector, vectors, at, alias));
        }
}

/* All columns of the rows at hand. */
static void put_tiles(struct pack_tile *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct pack *p = w->p;
    struct tree_expr *wide = expr_i64(t, w->width);
    struct tree_expr *begin = pack_sub(t, replaced(t, p->column->begin, p->row->var, w->row[0]), w->first_column);
    struct tree_expr *end = pack_sub(t, replaced(t, p->column->end, p->row->var, w->row[w->rows - 1]), w->first_column);
    end = pack_add(t, end, expr_i64(t, w->width - 1));
    struct tree_stmt *strip =
        pack_loop(w, block, p->column, expr_binary(t, EXPR_DIV, begin, wide), expr_binary(t, EXPR_DIV, end, wide));
    struct tree_expr *number = expr_var(t, strip->var);
    struct tree_expr *base =
        stmt_variable(t, strip->body, "base", pack_add(t, w->first_column, pack_times(t, number, w->width)));
    struct tree_var *memory = tree_var(t, "buffer", type_pointer(t->ir, p->type));
    struct tree_expr *buffer = expr_var(t, memory), *size = expr_i64(t, w->rows * w->width);
    uint32_t alias = t->num_aliases++;
    struct tree_stmt *alloc = stmt_alloc(t, strip->body, memory, p->type, size, TREE_STACK);
    alloc->place = p->store->place;
    alloc->alias = alias;
    stmt_zero(t, strip->body, p->type, buffer, alias, size);
    put_copy(w, strip->body, base, buffer, alias, false);
    put_sums(w, strip->body, buffer, alias, false);
    pack_terms(w, strip->body, number);
    put_sums(w, strip->body, buffer, alias, true);
    put_copy(w, strip->body, base, buffer, alias, true);
}

/* ---- rows ---- */

/* A loop over the rows at hand with what is not part of the sums. */
static void put_others(struct pack_tile *w, struct tree_stmt *block, const struct tree_stmt *others)
{
    struct tree *t = w->tree;
    if (others->items.count == 0)
        return;
    struct tree_stmt *loop =
        pack_loop(w, block, w->p->row, w->row[0], pack_add(t, w->row[w->rows - 1], expr_i64(t, 1)));
    loop->body = stmt_clone_apart(t, others);
    stmt_substitute(t, loop->body, w->p->row->var, expr_var(t, loop->var));
}

/* Values of a row without columns are not needed, and what they are loaded from may not be there. Other rows of the
 * tile have columns, so what such a one loads is. */
static struct tree_expr *full_row(struct pack_tile *w, struct tree_stmt *block, struct tree_expr *row)
{
    struct tree *t = w->tree;
    if (!w->first_full && !w->last_full)
        return row;
    return stmt_variable(t, block, "row",
                         w->first_full ? expr_binary(t, EXPR_MAX, row, w->first_full)
                                       : expr_binary(t, EXPR_MIN, row, w->last_full));
}

/* A block that runs if all the loops do. */
static struct tree_stmt *if_runs(struct pack_tile *w, struct tree_stmt *block, struct tree_stmt *const *loops,
                                 uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct tree_expr *runs = expr_binary(w->tree, EXPR_LT, loops[i]->begin, loops[i]->end);
        if (!expr_is_int(runs, 1))
            block = stmt_if(w->tree, block, runs)->body;
    }
    return block;
}

static void put_rows(struct pack_tile *w, struct tree_stmt *block, struct tree_expr *first, uint32_t rows)
{
    struct tree *t = w->tree;
    w->rows = rows;
    for (uint32_t r = 0; r < rows; r++) {
        w->row[r] = pack_add(t, first, expr_i64(t, r));
        w->full[r] = full_row(w, block, w->row[r]);
    }
    put_others(w, block, w->p->before);
    put_tiles(w, if_runs(w, block, w->p->sums, w->p->num_sums));
    put_others(w, block, w->p->after);
}

static void allocate(struct pack_tile *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct pack *p = w->p;
    struct tree_expr *strips =
        expr_binary(t, EXPR_DIV, pack_add(t, w->columns, expr_i64(t, w->width - 1)), expr_i64(t, w->width));
    struct tree_expr *count = pack_times(t, expr_binary(t, EXPR_MUL, strips, w->terms), w->width);
    for (uint32_t i = 0; p->num_homes > 1 && i < p->num_homes;
         i++) /* sizes of loops that do not run need not make sense */
        count = expr_select(t, expr_binary(t, EXPR_LT, p->homes[i]->begin, p->homes[i]->end), count, expr_i64(t, 0));
    for (uint32_t i = 0; i < p->num_packed; i++) {
        struct tree_var *v = tree_var(t, "packed", type_pointer(t->ir, p->type));
        struct tree_stmt *alloc = stmt_alloc(t, block, v, p->type, count, TREE_HEAP);
        alloc->place = p->sums[0]->place;
        w->alias[i] = alloc->alias = t->num_aliases++;
        w->packed[i] = expr_var(t, v);
    }
}

/* First column and number of columns that all rows have together. */
static void find_columns(struct pack_tile *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct pack *p = w->p;
    struct tree_expr *zero = expr_i64(t, 0), *last = pack_sub(t, p->row->end, expr_i64(t, 1));
    struct tree_expr *end = replaced(t, p->column->end, p->row->var, last);
    w->first_column = stmt_variable(t, block, "first", replaced(t, p->column->begin, p->row->var, p->row->begin));
    w->columns = stmt_variable(t, block, "columns", expr_binary(t, EXPR_MAX, pack_sub(t, end, w->first_column), zero));
    for (uint32_t i = 0; i < p->num_sums; i++) {
        struct tree_expr *count = pack_sub(t, p->sums[i]->end, p->sums[i]->begin);
        w->counts[i] = stmt_variable(t, block, "terms", expr_binary(t, EXPR_MAX, count, zero));
        w->terms = i == 0 ? w->counts[0] : expr_binary(t, EXPR_MUL, w->terms, w->counts[i]);
    }
    if (p->num_sums > 1)
        w->terms = stmt_variable(t, block, "terms", w->terms);
}

static bool is_at_least(const struct tree_expr *e, int64_t least) { return e->op == EXPR_INT && e->i >= least; }

/* If columns end one later with each row, the first rows may have none; if they begin one later, the last rows. */
static void find_full_rows(struct pack_tile *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct pack *p = w->p;
    struct tree_expr *begin = p->row->begin, *one = expr_i64(t, 1);
    struct tree_expr *columns = pack_sub(t, replaced(t, p->column->end, p->row->var, begin), w->first_column);
    struct tree_expr *rows = pack_sub(t, p->row->end, begin);
    if (p->end_slope > 0 && !is_at_least(columns, 1))
        w->first_full = stmt_variable(t, block, "full", pack_add(t, begin, pack_sub(t, one, columns)));
    if (p->begin_slope > 0 && !is_at_least(pack_sub(t, columns, rows), 0))
        w->last_full = stmt_variable(t, block, "full", pack_sub(t, pack_add(t, begin, columns), one));
}

/* Of vectors: narrow ones for few columns. */
static int64_t bytes_of_vector(const struct pack *p)
{
    bool few = loop_has_constant_bounds(p->column) &&
               loop_span(p->column) * (int64_t)p->type->size <= PACK_VECTORS * PACK_VECTOR_BYTES / 4;
    return p->num_sums == 1 && p->gathers ? PACK_VECTOR_BYTES : few ? PACK_VECTOR_BYTES / 4 : PACK_VECTOR_BYTES / 2;
}

/* All rows, several at a time, and those left over one by one. */
static void put_all_rows(struct pack_tile *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct pack *p = w->p;
    struct tree_expr *span = pack_sub(t, p->row->end, p->row->begin);
    struct tree_expr *blocks =
        stmt_variable(t, block, "blocks", expr_binary(t, EXPR_DIV, span, expr_i64(t, PACK_ROWS)));
    struct tree_stmt *main = pack_loop(w, block, p->row, expr_i64(t, 0), blocks);
    main->loop = p->row->loop;
    if (p->begin_slope + p->end_slope > 0 && main->loop.omp == TREE_OMP_STATIC && main->loop.chunk == 0)
        main->loop.chunk = 1; /* long and short ones for all threads */
    put_rows(w, main->body,
             stmt_variable(t, main->body, "first",
                           pack_add(t, p->row->begin, pack_times(t, expr_var(t, main->var), PACK_ROWS))),
             PACK_ROWS);
    struct tree_expr *left = pack_add(t, p->row->begin, pack_times(t, blocks, PACK_ROWS));
    if (expr_equal(left, p->row->end))
        return;
    struct tree_stmt *rest = pack_loop(w, block, p->row, left, p->row->end);
    rest->loop.independent = true;
    put_rows(w, rest->body, expr_var(t, rest->var), 1);
}

void pack_rewrite(struct pack *p, struct tree_stmt *first, struct tree_stmt *last)
{
    struct tree *t = p->tree;
    const struct tree_stmt *around = t->region;
    t->region = p->row->var->owner;
    struct pack_tile w = { .p = p, .tree = t, .lanes = bytes_of_vector(p) / p->type->size };
    w.width = w.lanes * PACK_VECTORS;
    w.vector = type_vector(t->ir, p->type, (uint32_t)w.lanes, NULL);
    pack_join_sums(p);
    struct tree_stmt *block = stmt_block(t), *inside = if_runs(&w, block, &p->row, 1);
    bool here = p->num_homes == 1;
    first = here ? inside : first;
    find_columns(&w, first);
    find_full_rows(&w, first);
    allocate(&w, first);
    put_packing(&w, here ? inside : if_runs(&w, first, p->homes, p->num_homes));
    put_all_rows(&w, inside);
    for (uint32_t i = p->num_packed; i-- > 0;)
        stmt_free(t, here ? inside : last, w.packed[i]->var);
    *p->row = *block;
    t->region = around;
}
