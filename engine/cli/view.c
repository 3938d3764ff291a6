#include "engine/cli/view.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

/* Shapes and strides come from files: what leaves 64 bits stays at their end. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) ? product : (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

struct view view_of_tensor(const struct tensor *t)
{
    struct view v = { .dtype = t->dtype, .item_bytes = t->item_bytes, .rank = t->rank, .data = t->data };
    int64_t stride = 1;
    for (int i = t->rank - 1; i >= 0; i--) {
        v.shape[i] = t->shape[i];
        v.strides[i] = stride;
        stride = times(stride, t->shape[i]);
    }
    return v;
}

int64_t view_count(const struct view *v)
{
    int64_t count = 1;
    for (int i = 0; i < v->rank; i++)
        count = times(count, v->shape[i]);
    return count;
}

unsigned char *view_at(const struct view *v, int64_t n)
{
    int64_t at = 0;
    for (int i = v->rank - 1; i >= 0; i--) {
        at += n % v->shape[i] * v->strides[i];
        n /= v->shape[i];
    }
    return v->data + at * (int64_t)v->item_bytes;
}

void view_extent(const struct view *v, int64_t *begin, int64_t *end)
{
    *begin = *end = 0;
    if (!view_count(v))
        return;
    *end = 1;
    for (int i = 0; i < v->rank; i++) {
        int64_t span = times(v->shape[i] - 1, v->strides[i]), *way = span < 0 ? begin : end;
        *way = plus(*way, span);
    }
}

void view_scatter(const struct view *v, const struct tensor *from)
{
    int64_t count = tensor_count(from);
    for (int64_t n = 0; n < count; n++)
        memcpy(view_at(v, n), (const unsigned char *)from->data + (size_t)n * from->item_bytes, v->item_bytes);
}

bool view_gather(const struct view *v, struct tensor *out)
{
    if (!tensor_alloc(out, v->dtype, v->item_bytes, v->rank, v->shape))
        return false;
    int64_t count = view_count(v);
    for (int64_t n = 0; n < count; n++)
        memcpy((unsigned char *)out->data + (size_t)n * v->item_bytes, view_at(v, n), v->item_bytes);
    return true;
}

/* ---- comparing ---- */

static void index_text(const struct view *v, int64_t n, char *text, size_t size)
{
    int64_t index[SDFG_MAX_RANK];
    for (int i = v->rank - 1; i >= 0; i--) {
        index[i] = n % v->shape[i];
        n /= v->shape[i];
    }
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < v->rank && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%lld", i ? ", " : "", (long long)index[i]);
}

static double magnitude(struct element e) { return e.im != 0 ? hypot(e.re, e.im) : fabs(e.re); }

static bool part_close(double a, double b, double allowed)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= allowed;
}

static bool close_enough(struct element a, struct element b, struct tolerance t)
{
    if (a.is_integer)
        return a.u == b.u;
    double allowed = t.atol + t.rtol * magnitude(b);
    if (isnan(allowed) || isinf(allowed))
        allowed = 0;
    if (isnan(b.re) || isnan(b.im) || isinf(b.re) || isinf(b.im) || b.im == 0)
        return part_close(a.re, b.re, allowed) && part_close(a.im, b.im, allowed);
    return hypot(a.re - b.re, a.im - b.im) <= allowed;
}

static bool never_written(const unsigned char *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (p[i] != 0xa5)
            return false;
    return true;
}

/* float64: 1e-9 and 1e-12 of the largest magnitude; float32: 2e-4 and 1e-6; narrower: 2e-2 and 1e-3. */
static struct tolerance fill_in(struct tolerance t, const struct tensor *reference)
{
    sdfg_dtype d = reference->dtype;
    bool f64 = d == SDFG_F64 || d == SDFG_C128, f32 = d == SDFG_F32 || d == SDFG_C64;
    double largest = 0;
    int64_t count = tensor_count(reference);
    for (int64_t n = 0; n < count && t.atol < 0; n++) {
        const unsigned char *p = (const unsigned char *)reference->data + (size_t)n * reference->item_bytes;
        double m = magnitude(element_get(d, p));
        if (isfinite(m) && m > largest && !(t.skip_uninitialised && never_written(p, reference->item_bytes)))
            largest = m;
    }
    if (t.rtol < 0)
        t.rtol = f64 ? 1e-9 : f32 ? 2e-4 : 2e-2;
    if (t.atol < 0)
        t.atol = (f64 ? 1e-12 : f32 ? 1e-6 : 1e-3) * largest;
    return t;
}

bool view_compare(const struct view *v, const struct tensor *reference, struct tolerance t, char *text, size_t size)
{
    int64_t count = view_count(v), different = 0, first = -1;
    double largest = 0;
    if (v->dtype != reference->dtype || v->item_bytes != reference->item_bytes) {
        snprintf(text, size, "holds %s, the reference %s", sdfg_dtype_name(v->dtype),
                 sdfg_dtype_name(reference->dtype));
        return false;
    }
    if (count != tensor_count(reference)) {
        snprintf(text, size, "has %lld elements, the reference %lld", (long long)count,
                 (long long)tensor_count(reference));
        return false;
    }
    bool record = v->dtype == SDFG_RECORD;
    if (!record)
        t = fill_in(t, reference);
    for (int64_t n = 0; n < count; n++) {
        const unsigned char *a = view_at(v, n), *b = (const unsigned char *)reference->data + (size_t)n * v->item_bytes;
        if (t.skip_uninitialised && never_written(b, v->item_bytes))
            continue;
        struct element x = { 0 }, y = { 0 };
        if (!record) {
            x = element_get(v->dtype, a);
            y = element_get(v->dtype, b);
        }
        if (record ? !memcmp(a, b, v->item_bytes) : close_enough(x, y, t))
            continue;
        double error = record ? 0 : hypot(x.re - y.re, x.im - y.im);
        if (!(error <= largest))
            largest = error;
        if (!different++)
            first = n;
    }
    if (!different)
        return true;
    char index[256], is[96] = "?", expected[96] = "?", by[NUMBER_TEXT_SIZE];
    index_text(v, first, index, sizeof index);
    if (!record) {
        element_text(v->dtype, view_at(v, first), is, sizeof is);
        element_text(v->dtype, (const unsigned char *)reference->data + (size_t)first * v->item_bytes, expected,
                     sizeof expected);
    }
    snprintf(text, size, "[%s] is %s, expected %s (%lld of %lld differ, by up to %s)", index, is, expected,
             (long long)different, (long long)count, number_print(largest, by));
    return false;
}

/* ---- showing ---- */

void view_summary(const struct view *v, char *text, size_t size)
{
    int64_t count = view_count(v), nans = 0;
    double low = INFINITY, high = -INFINITY, sum = 0;
    size_t at = (size_t)snprintf(text, size, "%s [", sdfg_dtype_name(v->dtype));
    for (int i = 0; i < v->rank && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%lld", i ? ", " : "", (long long)v->shape[i]);
    if (at >= size)
        return;
    at += (size_t)snprintf(text + at, size - at, "]");
    if (!count || v->dtype == SDFG_RECORD || at >= size)
        return;
    for (int64_t n = 0; n < count; n++) {
        struct element e = element_get(v->dtype, view_at(v, n));
        double m = dtype_is_complex(v->dtype) ? hypot(e.re, e.im) : e.re;
        if (isnan(m)) {
            nans++;
            continue;
        }
        low = m < low ? m : low;
        high = m > high ? m : high;
        sum += m;
    }
    const char *what = dtype_is_complex(v->dtype) ? "|" : "";
    if (nans < count)
        at += (size_t)snprintf(text + at, size - at, "  %smin%s %.6g  %smax%s %.6g  %smean%s %.6g", what, what, low,
                               what, what, high, what, what, sum / (double)(count - nans));
    if (nans && at < size)
        snprintf(text + at, size - at, "  NaN %lld", (long long)nans);
}

void view_print(const struct view *v, FILE *f)
{
    char text[96];
    int64_t count = view_count(v), row = v->rank ? v->shape[v->rank - 1] : 1;
    for (int64_t n = 0; n < count; n++) {
        if (v->dtype == SDFG_RECORD)
            for (size_t i = 0; i < v->item_bytes; i++)
                fprintf(f, "%02x", view_at(v, n)[i]);
        else
            fputs(element_text(v->dtype, view_at(v, n), text, sizeof text), f);
        fputc((n + 1) % row ? ' ' : '\n', f);
    }
}
