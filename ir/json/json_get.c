#include "ir/json/json.h"

#include "base/number.h"

#include <string.h>

const struct json *json_find(const struct json *object, const char *key, uint32_t mark)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json *m = object->first; m; m = m->next)
        if (m->mark == mark && !strcmp(m->key, key))
            return m;
    return NULL;
}

const struct json *json_at(const struct json *array, uint32_t i)
{
    if (!array || (array->kind != JSON_ARRAY && array->kind != JSON_OBJECT))
        return NULL;
    const struct json *v = array->first;
    while (v && i--)
        v = v->next;
    return v;
}

const char *json_string(const struct json *v) { return v && v->kind == JSON_STRING ? v->text : NULL; }

bool json_int(const struct json *v, int64_t *out)
{
    if (!v || (v->kind != JSON_INT && v->kind != JSON_STRING))
        return false;
    const char *c = v->text;
    bool negative = *c == '-';
    c += negative;
    if (!*c)
        return false;
    int64_t value = 0;
    for (; *c; c++) /* counted downwards: INT64_MIN has no positive counterpart */
        if (*c < '0' || *c > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *c - '0', &value))
            return false;
    if (!negative && value == INT64_MIN)
        return false;
    *out = negative ? value : -value;
    return true;
}

bool json_real(const struct json *v, double *out)
{
    return v && (v->kind == JSON_INT || v->kind == JSON_REAL) && number_parse(v->text, out);
}

bool json_bool(const struct json *v, bool otherwise)
{
    return v && (v->kind == JSON_TRUE || v->kind == JSON_FALSE) ? v->kind == JSON_TRUE : otherwise;
}

static bool same_members(const struct json *a, const struct json *b)
{
    for (const struct json *m = a->first; m; m = m->next) {
        const struct json *other = json_find(b, m->key, m->mark);
        if (!other || !json_equal(m, other))
            return false;
    }
    return true;
}

bool json_equal(const struct json *a, const struct json *b)
{
    if (a->kind != b->kind || a->count != b->count || a->length != b->length)
        return false;
    if (a->kind == JSON_OBJECT)
        return same_members(a, b);
    if (a->kind == JSON_ARRAY) {
        const struct json *y = b->first;
        for (const struct json *x = a->first; x; x = x->next, y = y->next)
            if (!json_equal(x, y))
                return false;
        return true;
    }
    return !a->text || !strcmp(a->text, b->text);
}
