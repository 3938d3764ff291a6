/* blas.Einsum and linalg.TensorDot (library-nodes.md 3.8 and 5.3). */
#include "lower/graph/library/labelled.h"

#include "ir/json/json.h"
#include "ir/library.h"

#include <stdlib.h>
#include <string.h>

static uint32_t label_of(struct labelled *l, uint32_t *known, char letter)
{
    uint32_t *k = &known[(unsigned char)letter];
    if (!*k)
        *k = ++l->num_labels;
    return *k - 1;
}

static bool label_operand(struct scope *sc, struct library *n, struct labelled *l, uint32_t *known,
                          struct operand_labels *o, const char *letters, size_t count)
{
    if (!library_to_rank(&o->area, (uint32_t)count) || l->num_labels + count > MAX_LABELS)
        return library_wrong_shapes(sc, n, "the subscripts do not match the rank");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t label = label_of(l, known, letters[i]);
        o->label[i] = label;
        if (!l->size[label])
            l->size[label] = o->area.sizes[i];
        else if (library_differ(sc->act->lw, l->size[label], o->area.sizes[i]))
            return library_wrong_shapes(sc, n, "one subscript has two extents");
    }
    o->count = (uint32_t)count;
    return true;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

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
        return library_wrong_shapes(sc, n, "more subscripts than operands");
    const struct edge *e = library_output_edge(n, NULL);
    if (!e)
        return diag_error(lw->diags, &n->node.place, DIAG_LIBRARY_OPERAND, "output");
    l->alpha = library_factor(sc, n, "alpha", 1, e->memlet.data->type);
    l->beta = library_factor(sc, n, "beta", 0, e->memlet.data->type);
    if (!l->alpha || !l->beta ||
        !(library_is_constant(l->beta, 0) ? library_output : library_update)(sc, n, NULL, &l->out.area))
        return false;
    uint32_t before = l->num_labels;
    if (!label_operand(sc, n, l, known, &l->out, output, strlen(output)))
        return false;
    if (l->num_labels != before)
        return library_wrong_shapes(sc, n, "the result has a subscript that no operand has");
    if (labelled_repeats(&l->out))
        return library_wrong_shapes(sc, n, "a subscript occurs twice in the result");
    return labelled_contract(sc, &n->node.place, l);
}

static bool read_axes(struct scope *sc, struct library *n, const char *key, uint32_t rank, int64_t **axes,
                      uint32_t *count)
{
    if (!library_ints(n, key, axes, count))
        return false;
    for (uint32_t i = 0; i < *count; i++)
        for (uint32_t k = i; k < *count; k++)
            if ((*axes)[i] < 0 || (*axes)[i] >= rank || (k > i && (*axes)[i] == (*axes)[k]))
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
    if (!read_axes(sc, n, "left_axes", a->rank, &left, &num_left) ||
        !read_axes(sc, n, "right_axes", b->rank, &right, &num_right))
        return false;
    if (num_left != num_right)
        return library_wrong_shapes(sc, n, "different numbers of contracted axes");
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
        if (label != l->num_labels && library_differ(lw, l->size[label], b->sizes[i]))
            return library_wrong_shapes(sc, n, "contracted extents differ");
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
        return library_wrong_shapes(sc, n, "the result has another rank");
    l->out.count = num_free ? num_free : l->out.area.rank;
    for (uint32_t i = 0; i < num_free; i++)
        l->out.label[i] = free_labels[permutation && num_permutation ? permutation[i] : i];
    for (uint32_t i = 0; i < num_free; i++)
        if (library_differ(lw, l->size[l->out.label[i]], l->out.area.sizes[i]))
            return library_wrong_shapes(sc, n, "the result has other extents");
    if (!num_free)
        l->out.count = 0;
    l->alpha = expr_cast(lw->tree, l->out.area.type, expr_i64(lw->tree, 1));
    l->beta = expr_cast(lw->tree, l->out.area.type, expr_i64(lw->tree, 0));
    return labelled_contract(sc, &n->node.place, l);
}
