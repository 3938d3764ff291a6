/* Elements of tuples, lists and dictionaries. */
#include "frontend/functions.h"

/* The bound of a slice of so many elements. */
static int64_t clipped(int64_t i, int64_t count, bool down)
{
    int64_t least = down ? -1 : 0, most = down ? count - 1 : count;
    i += i < 0 ? count : 0;
    return i < least ? least : i > most ? most : i;
}

/* A step beyond the end is as good as any other one. */
static int64_t clipped_step(int64_t step, int64_t count)
{
    return step > count ? count + 1 : step < -count ? -count - 1 : step;
}

static const struct value *tuple_slice(struct fe *f, const struct value *base, const int64_t limits[3])
{
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, base->count + 1);
    uint32_t count = 0;
    for (int64_t i = limits[0]; limits[2] > 0 ? i < limits[1] : i > limits[1]; i += limits[2])
        items[count++] = base->items[i];
    const struct value *v = fe_tuple(f, items, count);
    return base->list ? fe_as_list(f, v) : v;
}

static bool is_run_time_index(const struct value *index)
{
    return index->kind == FE_SYMBOL || (fe_is_data(index) && !index->rank && fe_is_int_type(index->type));
}

static bool all_numbers(const struct value *tuple)
{
    for (uint32_t i = 0; i < tuple->count; i++)
        if (!fe_is_operand(tuple->items[i]) || (fe_is_data(tuple->items[i]) && tuple->items[i]->rank))
            return false;
    return tuple->count > 0;
}

const struct value *fe_item(struct fe *f, const struct py *n, const struct value *base, const struct value *index)
{
    if (base->kind == FE_TUPLE && !base->lazy && is_run_time_index(index) && all_numbers(base))
        return fe_subscript(f, n, fe_as_array(f, n, base), index);
    if (base->kind == FE_DICT) {
        for (uint32_t i = 0; i + 1 < base->count; i += 2) {
            const struct value *same = fe_is_data(index) ? NULL : fe_compare(f, n, PY_EQ, base->items[i], index);
            if (same && same->kind == FE_BOOL && same->i)
                return base->items[i + 1];
        }
        return fe_raise(f, n, "KeyError", "the dictionary has no such key");
    }
    if (index->kind == FE_SLICE) {
        const struct value *step = index->items[2];
        bool down = step->kind == FE_INT && step->i < 0;
        int64_t count = base->count, limits[3] = { down ? count - 1 : 0, down ? -1 : count, 1 };
        for (int i = 0; i < 3; i++) {
            if (index->items[i]->kind == FE_INT)
                limits[i] = i == 2 ? clipped_step(step->i, count) : clipped(index->items[i]->i, count, down);
            else if (index->items[i]->kind != FE_NONE)
                return fe_error(f, n, "a slice of %s must be constant", fe_describe(f, base));
        }
        if (!limits[2])
            return fe_raise(f, n, "ValueError", "the step of a slice is 0");
        return tuple_slice(f, base, limits);
    }
    if (is_run_time_index(index) && base->count)
        return fe_unsupported(
            f, n,
            "an index of %s that is known at run time only: the elements are not numbers (np.stack makes "
            "one array of several, an `if` statement chooses anything)",
            fe_describe(f, base));
    if (index->kind > FE_INT || index->kind == FE_NONE)
        return fe_error(f, n, "the index of a tuple must be a constant integer, this is %s", fe_describe(f, index));
    int64_t i = index->i < 0 ? index->i + base->count : index->i;
    if (i < 0 || i >= base->count)
        return fe_raise(f, n, "IndexError", "index %lld of a tuple of %u", (long long)index->i, base->count);
    return base->items[i];
}
