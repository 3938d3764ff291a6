/* Diagonals and products over indices that are summed: einsum, tensordot; discrete Fourier transforms. */
#include "frontend/functions.h"

#include <string.h>

enum { MAX_OPERANDS = 16 };

static const struct value *slice_of(struct fe *f, const struct value *begin, const struct value *end)
{
    struct value *s = fe_new(f, FE_SLICE);
    const struct value *items[3] = { begin, end, fe_none(f) };
    s->items = arena_copy(f->arena, items, sizeof items);
    s->count = 3;
    return s;
}

/* The elements [i, i + offset] of a matrix: both dimensions of the container belong to one axis. */
const struct value *fn_diagonal(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = fe_arg(a, 0, "a"), *offset = fe_arg(a, 1, "offset");
    int64_t k = offset && offset->kind == FE_INT ? offset->i : 0;
    if (!v || !fe_is_data(v) || v->rank != 2 || !fe_args_done(f, a, 2))
        return f->failed ? NULL : fe_unsupported(f, a->node, "np.%s of anything but a matrix", b->name);
    if (offset && offset->kind != FE_INT)
        return fe_unsupported(f, a->node, "a diagonal whose offset is no constant");
    const struct value *none = fe_none(f), *up = fe_int(f, k > 0 ? k : 0), *down = fe_int(f, k < 0 ? -k : 0);
    const struct value *sizes[2];
    for (int i = 0; i < 2; i++)
        if (!(sizes[i] = fe_binary(f, a->node, PY_SUB, fe_symbol(f, v->shape[i]), i ? up : down)))
            return NULL;
    struct fe_args smaller = { .node = a->node, .items = sizes, .count = 2 };
    const struct fe_builtin *min = fe_builtin_find("builtins", "min");
    const struct value *count = fe_same_extent(f, fe_sym(f, sizes[0]), fe_sym(f, sizes[1])) ? sizes[0] : NULL;
    if (!count)
        count = min->call(f, min, &smaller);
    if (!count || !(v = fe_materialize(f, a->node, v, "matrix")))
        return NULL;
    const struct value *index[2] = { slice_of(f, down, none), slice_of(f, up, none) };
    const struct value *part = fe_subscript(f, a->node, v, fe_tuple(f, index, 2));
    if (!part)
        return NULL;
    struct value *diagonal = arena_copy(f->arena, part, sizeof *part);
    uint32_t dims = part->view.container->rank;
    struct fe_dim *out = arena_copy(f->arena, part->view.dims, dims * sizeof *out);
    for (uint32_t i = 0; i < dims; i++)
        out[i].axis = out[i].axis == 1 ? 0 : out[i].axis;
    const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, 1);
    shape[0] = fe_sym(f, count);
    diagonal->view.dims = out;
    diagonal->rank = 1;
    diagonal->shape = shape;
    return diagonal;
}

/* ---- einsum ---- */

struct einsum {
    const struct value *operands[MAX_OPERANDS];
    const char *letters[MAX_OPERANDS]; /* one for each axis */
    uint32_t count;
    const char *result;
};

static const struct sym *extent_of(const struct einsum *c, char letter)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const char *at = strchr(c->letters[i], letter);
        if (at)
            return c->operands[i]->shape[at - c->letters[i]];
    }
    return NULL;
}

static const struct value *contract(struct fe *f, const struct py *n, struct einsum *c)
{
    const char *connectors[MAX_OPERANDS + 1], *wish = f->wish ? f->wish : "contracted";
    const struct value *values[MAX_OPERANDS + 1];
    const struct type *t = NULL;
    struct text subscripts = text_new(f->arena);
    const struct sym *shape[FE_MAX_RANK + 1];
    uint32_t rank = 0;
    f->wish = NULL;
    for (uint32_t i = 0; i < c->count; i++)
        t = t ? fe_promote(f, t, c->operands[i]->type) : c->operands[i]->type;
    for (uint32_t i = 0; i < c->count; i++) {
        text_printf(&subscripts, "%s%s", i ? "," : "", c->letters[i]);
        connectors[i] = fe_format(f, "_in_%c", (char)('a' + i)); /* operands follow the order of these names */
        for (uint32_t k = 0; c->letters[i][k]; k++)
            if (!fe_same_extent(f, c->operands[i]->shape[k], extent_of(c, c->letters[i][k])))
                return fe_error(f, n, "subscript '%c' has the extents %s and %s", c->letters[i][k],
                                fe_text(f, c->operands[i]->shape[k]), fe_text(f, extent_of(c, c->letters[i][k])));
        values[i] = fe_plain(f, n, fe_cast(f, n, t, c->operands[i]), "operand");
        if (!values[i])
            return NULL;
    }
    for (const char *p = c->result; *p; p++) {
        if (rank == FE_MAX_RANK || !(shape[rank++] = extent_of(c, *p)) || strchr(p + 1, *p))
            return fe_error(f, n, "subscript '%c' of the result must be one of an operand, once", *p);
    }
    bool scalar = rank == 0;
    if (scalar)
        shape[rank++] = sym_int(f->ir, 1);
    values[c->count] = fe_whole(f, fe_container(f, wish, t, shape, rank));
    connectors[c->count] = "_out";
    text_printf(&subscripts, "->%s", c->result);
    const char *attributes = fe_format(f, "{\"einsum_str\": \"%s\"}", text_get(&subscripts));
    fe_library_node(f, "einsum", "dace.libraries.blas.nodes.einsum.Einsum", attributes, c->count + 1, connectors,
                    values);
    f->emitted++;
    return scalar ? fe_subscript(f, n, values[c->count], fe_int(f, 0)) : values[c->count];
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static uint32_t occurrences(const char *text, char letter)
{
    uint32_t n = 0;
    for (; *text; text++)
        n += *text == letter;
    return n;
}

/* The subscripts without blanks; NULL with an error. An ellipsis becomes letters that the subscripts do not have. */
static const char *read_subscripts(struct fe *f, struct fe_args *a, const char *text)
{
    struct text t = text_new(f->arena);
    uint32_t operand = 0;
    for (const char *p = text; *p; p++) {
        operand += *p == ',';
        if (*p == ' ')
            continue;
        if (strncmp(p, "...", 3) == 0)
            return fe_unsupported(f, a->node, "an ellipsis in the subscripts of np.einsum");
        if (!is_letter(*p) && *p != ',' && strncmp(p, "->", 2) != 0 && !(*p == '>' && p > text && p[-1] == '-'))
            return fe_error(f, a->node, "'%c' in the subscripts of np.einsum", *p);
        text_addc(&t, *p);
    }
    return text_get(&t);
}

const struct value *fn_einsum(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *text = fe_arg(a, 0, "subscripts"), *out = fe_arg(a, UINT32_MAX, "out");
    struct einsum c = { .count = a->count - 1 };
    (void)b;
    fe_arg(a, UINT32_MAX, "optimize");
    if (!text || text->kind != FE_STRING || a->count < 2 || c.count > MAX_OPERANDS || !fe_args_done(f, a, MAX_OPERANDS))
        return f->failed ? NULL : fe_unsupported(f, a->node, "np.einsum without a text of subscripts and operands");
    const char *subscripts = read_subscripts(f, a, text->text);
    if (!subscripts)
        return NULL;
    const char *arrow = strstr(subscripts, "->"), *p = subscripts;
    const char *inputs = arena_strndup(f->arena, subscripts, arrow ? (size_t)(arrow - subscripts) : strlen(subscripts));
    for (uint32_t i = 0; i < c.count; i++) {
        size_t length = strcspn(p, ",-");
        c.operands[i] = a->items[i + 1];
        c.letters[i] = arena_strndup(f->arena, p, length);
        if (!fe_is_data(c.operands[i]) || c.operands[i]->rank != length)
            return fe_error(f, a->node, "the subscripts '%s' are for %u axes, this is %s", c.letters[i],
                            (uint32_t)length, fe_describe(f, c.operands[i]));
        p += length + (p[length] == ',');
    }
    if (*p && p != arrow)
        return fe_error(f, a->node, "np.einsum has more subscripts than operands");
    struct text implicit = text_new(f->arena);
    for (char letter = 'A'; letter <= 'z' && !arrow; letter++)
        if (occurrences(inputs, letter) == 1)
            text_addc(&implicit, letter);
    c.result = arrow ? arrow + 2 : text_get(&implicit);
    const struct value *v = contract(f, a->node, &c);
    if (!v || !out || out->kind == FE_NONE)
        return v;
    return out->kind != FE_VIEW                 ? fe_error(f, a->node, "'out' must be an array")
           : fe_store(f, a->node, out, v, NULL) ? out
                                                : NULL;
}

/* The axis that number `i` of a list or a single integer names; -1 with an error. */
static int axis_at(struct fe *f, const struct py *n, const struct value *axes, uint32_t i, uint32_t rank)
{
    const struct value *v = axes->kind == FE_TUPLE ? axes->items[i] : axes;
    int64_t at = v->kind == FE_INT ? v->i : INT64_MAX;
    at += at < 0 ? rank : 0;
    if (at >= 0 && at < rank)
        return (int)at;
    fe_error(f, n, "there is no such axis: the array has %u", rank);
    return -1;
}

/* The pairs of axes that are summed; false with an error. */
static bool pair_axes(struct fe *f, struct fe_args *a, const struct value *axes, const struct value *const *v,
                      int *pairs[2], uint32_t *count)
{
    if (axes->kind == FE_INT) {
        if (axes->i < 0 || axes->i > v[0]->rank || axes->i > v[1]->rank)
            return fe_error(f, a->node, "%lld axes cannot be summed here", (long long)axes->i) != NULL;
        *count = (uint32_t)axes->i;
        for (uint32_t i = 0; i < *count; i++) {
            pairs[0][i] = (int)(v[0]->rank - *count + i);
            pairs[1][i] = (int)i;
        }
        return true;
    }
    if (axes->kind != FE_TUPLE || axes->count != 2)
        return fe_error(f, a->node, "'axes' is a number or two lists of axes") != NULL;
    uint32_t counts[2];
    for (int k = 0; k < 2; k++) {
        const struct value *list = axes->items[k];
        counts[k] = list->kind == FE_TUPLE ? list->count : 1;
        for (uint32_t i = 0; i < counts[k] && i < FE_MAX_RANK; i++)
            if ((pairs[k][i] = axis_at(f, a->node, list, i, v[k]->rank)) < 0)
                return false;
    }
    *count = counts[0];
    return (counts[0] == counts[1] && counts[0] <= FE_MAX_RANK) ||
           fe_error(f, a->node, "'axes' has lists of different lengths") != NULL;
}

/* The letters of the result in the order that is asked for. */
static const char *ordered(struct fe *f, const struct py *n, const char *letters, const struct value *order)
{
    uint32_t count = (uint32_t)strlen(letters);
    char *made = arena_strndup(f->arena, letters, count);
    if (order->kind != FE_TUPLE || order->count != count)
        return fe_error(f, n, "'out_axes' is a list of the %u axes of the result", count);
    for (uint32_t i = 0; i < count; i++) {
        int axis = axis_at(f, n, order, i, count);
        if (axis < 0)
            return NULL;
        made[i] = letters[axis];
    }
    for (uint32_t i = 0; i < count; i++)
        if (!strchr(made, letters[i]))
            return fe_error(f, n, "'out_axes' has an axis twice");
    return made;
}

const struct value *fn_tensordot(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v[2] = { fe_arg(a, 0, "a"), fe_arg(a, 1, "b") }, *axes = fe_arg(a, 2, "axes");
    int left[FE_MAX_RANK], right[FE_MAX_RANK], *pairs[2] = { left, right };
    const struct value *order = f->dace ? fe_arg(a, 3, "out_axes") : NULL; /* DaCe's own */
    uint32_t count, next = 0;
    (void)b;
    if (!v[0] || !v[1] || !fe_is_data(v[0]) || !fe_is_data(v[1]) || !fe_args_done(f, a, 3 + (order != NULL)))
        return f->failed ? NULL : fe_error(f, a->node, "np.tensordot needs two arrays");
    if (!pair_axes(f, a, axes ? axes : fe_int(f, 2), v, pairs, &count))
        return NULL;
    char letters[2][FE_MAX_RANK + 1] = { { 0 } }, result[2 * FE_MAX_RANK + 1] = { 0 };
    for (uint32_t i = 0; i < count; i++)
        letters[0][left[i]] = letters[1][right[i]] = (char)('A' + i);
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < v[k]->rank; i++)
            if (!letters[k][i]) {
                if (next == 26)
                    return fe_unsupported(f, a->node, "np.tensordot of more than 26 axes that stay");
                letters[k][i] = result[next] = (char)('a' + next);
                next++;
            }
    struct einsum c = { .operands = { v[0], v[1] }, .letters = { letters[0], letters[1] }, .count = 2 };
    c.result = result;
    if (order && !(c.result = ordered(f, a->node, result, order)))
        return NULL;
    return contract(f, a->node, &c);
}

/* ---- Fourier transforms ---- */

/* Of a vector of complex numbers, without a factor; library/fourier.py makes the functions of numpy.fft of it. */
const struct value *fn_fft(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = fe_plain(f, a->node, a->items[0], "signal");
    bool inverse = a->items[1]->i;
    (void)b;
    if (!v)
        return NULL;
    const struct value *to = fe_whole(f, fe_container(f, "spectrum", v->type, v->shape, v->rank));
    const char *connectors[2] = { "_inp", "_out" };
    const struct value *values[2] = { v, to };
    fe_library_node(f, inverse ? "ifft" : "fft",
                    inverse ? "dace.libraries.fft.nodes.fft.IFFT" : "dace.libraries.fft.nodes.fft.FFT", NULL, 2,
                    connectors, values);
    f->emitted++;
    return to;
}
