/* blas.Einsum and linalg.TensorDot: sums of products over labelled dimensions (library-nodes.md 3.8 and 5).
 *
 * Two operands whose labels fall into rows, columns and summed dimensions become matrix products inside loops over what is left
 * after dimensions that lie next to each other in memory have been merged. Everything else is a plain loop nest. */
#include "lower/library/library.h"

#include "ir/json.h"
#include "ir/library.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LABELS = 64, MAX_OPERANDS = 16 };

struct operand_labels {
    struct area area;
    uint32_t count;
    uint32_t label[2 * LOWER_MAX_RANK + 1]; /* of each dimension */
};

struct labelled {
    uint32_t num_labels, num_inputs;
    const struct sym *size[MAX_LABELS];
    struct operand_labels in[MAX_OPERANDS], out;
    struct tree_expr *alpha, *beta; /* of the result's type */
};

/* Elements of memory per step of a label; a repeated label walks the diagonal. */
static const struct sym *stride_of(struct lower *lw, const struct operand_labels *o, uint32_t label)
{
    const struct sym *s = sym_int(lw->ir, 0);
    for (uint32_t i = 0; i < o->count; i++)
        if (o->label[i] == label)
            s = sym_add(lw->ir, s, o->area.strides[i]);
    return s;
}

static bool has_label(const struct operand_labels *o, uint32_t label)
{
    for (uint32_t i = 0; i < o->count; i++)
        if (o->label[i] == label)
            return true;
    return false;
}

/* result = beta * result before terms are added. */
static bool prepare_result(struct scope *sc, const struct place *place, const struct labelled *l)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct area *out = &l->out.area;
    if (library_is_constant(l->beta, 1))
        return true;
    if (library_is_constant(l->beta, 0))
        return library_fill(sc, place, out, expr_zero(t, out->type));
    const struct sym *index[2 * LOWER_MAX_RANK + 1];
    struct tree_stmt *body = lower_loops(sc, place, out->rank, out->sizes, true, index);
    struct tree_expr *at = body ? area_offset(lw, place, out, index) : NULL;
    if (!at)
        return false;
    struct tree_expr *old = expr_load(t, out->type, out->pointer, at, out->alias);
    stmt_store(t, body, out->pointer, at, expr_binary(t, EXPR_MUL, l->beta, old), out->alias);
    return true;
}

static struct tree_expr *address(struct scope *sc, const struct place *place, const struct operand_labels *o,
                                 const uint32_t *labels, const struct sym *const *index, uint32_t count)
{
    struct lower *lw = sc->act->lw;
    const struct sym *at = sym_int(lw->ir, 0);
    for (uint32_t i = 0; i < count; i++)
        at = sym_add(lw->ir, at, sym_mul(lw->ir, index[i], stride_of(lw, o, labels[i])));
    struct tree_expr *e = lower_index(lw, place, at);
    return e ? expr_offset(lw->tree, o->area.pointer, e) : NULL;
}

static struct tree_stmt *loops_over(struct scope *sc, const struct place *place, const struct labelled *l, const uint32_t *labels,
                                    uint32_t count, bool parallel, const struct sym **index)
{
    const struct sym *sizes[MAX_LABELS];
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = l->size[labels[i]];
    return lower_loops(sc, place, count, sizes, parallel, index);
}

static bool generic_loops(struct scope *sc, const struct place *place, const struct labelled *l)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    uint32_t order[MAX_LABELS], count = 0;
    for (uint32_t i = 0; i < l->out.count; i++)
        order[count++] = l->out.label[i];
    uint32_t kept = count;
    for (uint32_t i = 0; i < l->num_labels; i++)
        if (!has_label(&l->out, i))
            order[count++] = i;
    const struct sym *index[MAX_LABELS];
    struct scope outer = *sc, body = *sc;
    outer.block = loops_over(sc, place, l, order, kept, true, index);
    if (!outer.block)
        return false;
    uint32_t before = outer.block->items.count;
    outer.parallel = true;
    body.block = loops_over(&outer, place, l, order + kept, count - kept, false, index + kept);
    if (!body.block)
        return false;
    if (outer.block->items.count > before)
        for (struct tree_stmt *s = vec_last(&outer.block->items); s && s->kind == STMT_FOR;
             s = s->body->items.count ? s->body->items.items[0] : NULL)
            s->loop.independent = false;
    const struct type *wide = type_promote(lw->ir, l->out.area.type);
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    struct tree_expr *product = library_is_constant(l->alpha, 1) ? NULL : expr_cast(t, wide, l->alpha);
    for (uint32_t k = 0; k < l->num_inputs; k++) {
        const struct area *a = &l->in[k].area;
        struct tree_expr *p = address(sc, place, &l->in[k], order, index, count);
        struct tree_expr *v = p ? code_convert(&cs, wide, expr_load(t, a->type, p, expr_i64(t, 0), a->alias)) : NULL;
        if (!v)
            return false;
        product = product ? expr_binary(t, EXPR_MUL, product, v) : v;
    }
    struct tree_expr *to = address(sc, place, &l->out, order, index, kept);
    if (!to)
        return false;
    stmt_reduce(t, body.block, WCR_SUM, false, to, expr_i64(t, 0), expr_cast(t, l->out.area.type, product), l->out.area.alias)->place = place;
    return true;
}

/* ---- two operands as matrix products ---- */

struct groups {
    uint32_t m[MAX_LABELS], n[MAX_LABELS], k[MAX_LABELS], batch[MAX_LABELS];
    uint32_t num_m, num_n, num_k, num_batch;
};

static bool classify(const struct labelled *l, struct groups *g)
{
    const struct operand_labels *a = &l->in[0], *b = &l->in[1], *c = &l->out;
    for (uint32_t i = 0; i < c->count; i++) { /* in the order of the result */
        bool in_a = has_label(a, c->label[i]), in_b = has_label(b, c->label[i]);
        if (in_a && in_b)
            g->batch[g->num_batch++] = c->label[i];
        else if (in_a)
            g->m[g->num_m++] = c->label[i];
        else if (in_b)
            g->n[g->num_n++] = c->label[i];
        else
            return false;
    }
    for (uint32_t i = 0; i < a->count; i++) { /* in the order of the first operand */
        if (has_label(c, a->label[i]))
            continue;
        if (!has_label(b, a->label[i]))
            return false;
        g->k[g->num_k++] = a->label[i];
    }
    for (uint32_t i = 0; i < b->count; i++)
        if (!has_label(c, b->label[i]) && !has_label(a, b->label[i]))
            return false;
    return g->num_m && g->num_n && g->num_k;
}

static bool repeats(const struct operand_labels *o)
{
    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t k = i + 1; k < o->count; k++)
            if (o->label[i] == o->label[k])
                return true;
    return false;
}

/* The last labels of a group that lie next to each other in both operands become one dimension; returns how many stay outside. */
static uint32_t merge(struct lower *lw, const struct labelled *l, const struct operand_labels *x, const struct operand_labels *y,
                      const uint32_t *group, uint32_t count, const struct sym **size)
{
    *size = l->size[group[count - 1]];
    const struct sym *sx = stride_of(lw, x, group[count - 1]), *sy = stride_of(lw, y, group[count - 1]);
    while (count > 1 && stride_of(lw, x, group[count - 2]) == sym_mul(lw->ir, *size, sx) &&
           stride_of(lw, y, group[count - 2]) == sym_mul(lw->ir, *size, sy)) {
        *size = sym_mul(lw->ir, *size, l->size[group[count - 2]]);
        count--;
    }
    return count - 1;
}

static bool as_products(struct scope *sc, const struct place *place, const struct labelled *l, const struct groups *g)
{
    struct lower *lw = sc->act->lw;
    const struct operand_labels *a = &l->in[0], *b = &l->in[1], *c = &l->out;
    struct contraction p = { .type = c->area.type, .type_a = a->area.type, .type_b = b->area.type };
    uint32_t rest_m = merge(lw, l, a, c, g->m, g->num_m, &p.m), rest_n = merge(lw, l, b, c, g->n, g->num_n, &p.n),
             rest_k = merge(lw, l, a, b, g->k, g->num_k, &p.k);
    p.sam = stride_of(lw, a, g->m[g->num_m - 1]);
    p.scm = stride_of(lw, c, g->m[g->num_m - 1]);
    p.sbn = stride_of(lw, b, g->n[g->num_n - 1]);
    p.scn = stride_of(lw, c, g->n[g->num_n - 1]);
    p.sak = stride_of(lw, a, g->k[g->num_k - 1]);
    p.sbk = stride_of(lw, b, g->k[g->num_k - 1]);
    p.alias_a = a->area.alias;
    p.alias_b = b->area.alias;
    p.alias_c = c->area.alias;
    p.alpha = l->alpha;
    p.beta = l->beta;
    if (rest_k) {
        if (!prepare_result(sc, place, l))
            return false;
        p.beta = expr_cast(lw->tree, p.type, expr_i64(lw->tree, 1));
    }
    uint32_t outer[MAX_LABELS], count = 0;
    for (uint32_t i = 0; i < g->num_batch; i++)
        outer[count++] = g->batch[i];
    for (uint32_t i = 0; i < rest_m; i++)
        outer[count++] = g->m[i];
    for (uint32_t i = 0; i < rest_n; i++)
        outer[count++] = g->n[i];
    uint32_t parallel = count;
    for (uint32_t i = 0; i < rest_k; i++)
        outer[count++] = g->k[i];
    const struct sym *index[MAX_LABELS];
    struct scope body = *sc;
    body.block = loops_over(sc, place, l, outer, count, parallel > 0, index);
    body.parallel = sc->parallel || parallel > 0;
    if (!body.block)
        return false;
    p.a = address(&body, place, a, outer, index, count);
    p.b = address(&body, place, b, outer, index, count);
    p.c = address(&body, place, c, outer, index, parallel);
    return p.a && p.b && p.c && library_contract(&body, place, &p);
}

static bool contract(struct scope *sc, const struct place *place, const struct labelled *l)
{
    struct groups g = { 0 };
    if (l->num_inputs == 2 && !repeats(&l->in[0]) && !repeats(&l->in[1]) && classify(l, &g))
        return as_products(sc, place, l, &g);
    return prepare_result(sc, place, l) && generic_loops(sc, place, l);
}

/* ---- nodes ---- */

static bool wrong(struct scope *sc, struct library *n, const char *what)
{
    return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_SHAPES, what);
}

static uint32_t label_of(struct labelled *l, uint32_t *known, char letter)
{
    uint32_t *k = &known[(unsigned char)letter];
    if (!*k)
        *k = ++l->num_labels;
    return *k - 1;
}

static bool label_operand(struct scope *sc, struct library *n, struct labelled *l, uint32_t *known, struct operand_labels *o,
                          const char *letters, size_t count)
{
    if (o->area.rank != count) {
        uint32_t excess = o->area.rank > count ? o->area.rank - (uint32_t)count : 0, kept = 0;
        for (uint32_t i = 0; i < o->area.rank; i++) {
            if (excess && sym_is_int(o->area.sizes[i], 1)) {
                excess--;
                continue;
            }
            o->area.sizes[kept] = o->area.sizes[i];
            o->area.strides[kept++] = o->area.strides[i];
        }
        o->area.rank = kept;
    }
    if (o->area.rank != count || l->num_labels + count > MAX_LABELS)
        return wrong(sc, n, "the subscripts do not match the rank");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t label = label_of(l, known, letters[i]);
        o->label[i] = label;
        if (!l->size[label])
            l->size[label] = o->area.sizes[i];
    }
    o->count = (uint32_t)count;
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Letters that occur in exactly one operand, in alphabetical order. */
static const char *implicit_output(struct lower *lw, const char *inputs)
{
    struct text t = text_new(lw->arena);
    for (char letter = 'A'; letter <= 'z'; letter++) {
        uint32_t operands = 0;
        bool inside = false;
        for (const char *p = inputs;; p++) {
            if (*p == letter)
                inside = true;
            if (*p == ',' || !*p) {
                operands += inside;
                inside = false;
            }
            if (!*p)
                break;
        }
        if (operands == 1)
            text_addc(&t, letter);
    }
    return text_get(&t);
}

bool lower_einsum(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    const char *subscripts, *names[MAX_OPERANDS];
    if (!library_string(n, "einsum_str", "", &subscripts))
        return false;
    char *inputs = arena_strdup(lw->arena, subscripts);
    char *arrow = strstr(inputs, "->");
    const char *output;
    if (arrow) {
        *arrow = 0;
        output = arrow + 2;
    } else {
        output = implicit_output(lw, inputs);
    }
    struct labelled *l = NEW(lw->arena, struct labelled);
    uint32_t *known = NEW_ARRAY(lw->arena, uint32_t, 256);
    for (uint32_t i = 0; i < n->node.in.count; i++) {
        if (memlet_is_empty(&n->node.in.items[i]->memlet))
            continue;
        if (l->num_inputs == MAX_OPERANDS)
            return lower_unsupported(sc, &n->node.place, "einsum of more than 16 operands");
        names[l->num_inputs++] = n->node.in.items[i]->dst_conn ? n->node.in.items[i]->dst_conn : "";
    }
    qsort(names, l->num_inputs, sizeof *names, by_text); /* operands follow the order of the connector names */
    const char *p = inputs;
    for (uint32_t i = 0; i < l->num_inputs; i++) {
        size_t count = strcspn(p, ",");
        if (!library_input(sc, n, names[i], &l->in[i].area) || !label_operand(sc, n, l, known, &l->in[i], p, count))
            return false;
        p += count + (p[count] == ',');
    }
    if (*p)
        return wrong(sc, n, "more subscripts than operands");
    if (!library_output(sc, n, NULL, &l->out.area))
        return false;
    uint32_t before = l->num_labels;
    if (!label_operand(sc, n, l, known, &l->out, output, strlen(output)))
        return false;
    if (l->num_labels != before)
        return wrong(sc, n, "the result has a subscript that no operand has");
    l->alpha = library_scalar(sc, n, "alpha", 1, l->out.area.type);
    l->beta = library_scalar(sc, n, "beta", 0, l->out.area.type);
    return l->alpha && l->beta && contract(sc, &n->node.place, l);
}

static bool read_axes(struct scope *sc, struct library *n, const char *key, uint32_t rank, int64_t **axes, uint32_t *count)
{
    if (!library_ints(n, key, axes, count))
        return false;
    for (uint32_t i = 0; i < *count; i++)
        if ((*axes)[i] < 0 || (*axes)[i] >= rank)
            return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_PROPERTY, key);
    return true;
}

/* out = sum over left_axes[i] == right_axes[i]; free dimensions of the left, then of the right, permuted. */
bool lower_tensor_dot(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    struct labelled *l = NEW(lw->arena, struct labelled);
    struct area *a = &l->in[0].area, *b = &l->in[1].area;
    l->num_inputs = 2;
    if (!library_input(sc, n, "_left_tensor", a) || !library_input(sc, n, "_right_tensor", b) ||
        !library_output(sc, n, "_out_tensor", &l->out.area))
        return false;
    int64_t *left, *right, *permutation;
    uint32_t num_left, num_right, num_permutation;
    if (!read_axes(sc, n, "left_axes", a->rank, &left, &num_left) || !read_axes(sc, n, "right_axes", b->rank, &right, &num_right))
        return false;
    if (num_left != num_right)
        return wrong(sc, n, "different numbers of contracted axes");
    l->in[0].count = a->rank;
    l->in[1].count = b->rank;
    uint32_t free_labels[MAX_LABELS], num_free = 0;
    for (uint32_t i = 0; i < a->rank; i++) {
        l->in[0].label[i] = l->num_labels;
        l->size[l->num_labels] = a->sizes[i];
        bool summed = false;
        for (uint32_t k = 0; k < num_left; k++)
            summed = summed || left[k] == i;
        if (!summed)
            free_labels[num_free++] = l->num_labels;
        l->num_labels++;
    }
    for (uint32_t i = 0; i < b->rank; i++) {
        uint32_t label = l->num_labels;
        for (uint32_t k = 0; k < num_right; k++)
            if (right[k] == i)
                label = l->in[0].label[left[k]];
        l->in[1].label[i] = label;
        if (label == l->num_labels) {
            l->size[label] = b->sizes[i];
            free_labels[num_free++] = label;
            l->num_labels++;
        }
    }
    if (!read_axes(sc, n, "permutation", num_free, &permutation, &num_permutation))
        return false;
    if (l->out.area.rank != num_free)
        area_squeeze(&l->out.area);
    if ((num_free && l->out.area.rank != num_free) || (permutation && num_permutation && num_permutation != num_free))
        return wrong(sc, n, "the result has another rank");
    l->out.count = num_free ? num_free : l->out.area.rank;
    for (uint32_t i = 0; i < num_free; i++)
        l->out.label[i] = free_labels[permutation && num_permutation ? permutation[i] : i];
    if (!num_free)
        l->out.count = 0;
    l->alpha = expr_cast(lw->tree, l->out.area.type, expr_i64(lw->tree, 1));
    l->beta = expr_cast(lw->tree, l->out.area.type, expr_i64(lw->tree, 0));
    return contract(sc, &n->node.place, l);
}
