#include "ir/library.h"

#include "base/number.h"
#include "ir/read/read.h"

#include <string.h>

/* NULL for absent and null. */
static const struct json *find(const struct library *l, const char *key)
{
    const struct json *v = json_get(l->attributes, key);
    return v && v->kind != JSON_NULL ? v : NULL;
}

static struct ir *ir_of(const struct library *l) { return l->node.state->sdfg->ir; }

static bool wrong_kind(const struct library *l, const char *key, const char *expected)
{
    return diag_error(ir_of(l)->diags, &l->node.place, DIAG_READ_KIND, key, expected);
}

bool library_bool(const struct library *l, const char *key, bool otherwise, bool *out)
{
    const struct json *v = find(l, key);
    *out = json_bool(v, otherwise);
    return !v || v->kind == JSON_TRUE || v->kind == JSON_FALSE || wrong_kind(l, key, "a boolean");
}

bool library_int(const struct library *l, const char *key, int64_t otherwise, int64_t *out)
{
    const struct json *v = find(l, key);
    *out = otherwise;
    return !v || json_int(v, out) || wrong_kind(l, key, "an integer");
}

static bool is_decimal(const char *text)
{
    text += *text == '-';
    return *text && !text[strspn(text, "0123456789")];
}

static void constant_number(const struct sym *s, struct library_number *out)
{
    *out = (struct library_number){ .symbol = NULL };
    switch (s->op) {
    case SYM_INT:
        out->re = (double)s->i;
        out->is_integer = true;
        break;
    case SYM_RATIONAL:
        out->re = (double)s->i / (double)s->den;
        break;
    case SYM_FLOAT:
        out->re = s->f;
        break;
    default:
        out->symbol = s;
    }
}

bool library_number(const struct library *l, const char *key, double otherwise, struct library_number *out)
{
    const struct json *v = find(l, key);
    *out = (struct library_number){ .re = otherwise, .is_integer = otherwise == (double)(int64_t)otherwise };
    if (!v)
        return true;
    if (v->kind != JSON_INT && v->kind != JSON_REAL && v->kind != JSON_STRING)
        return wrong_kind(l, key, "a number");
    if (number_parse_complex(v->text, &out->re, &out->im)) {
        out->is_integer = is_decimal(v->text);
        return true;
    }
    const struct sym *s;
    if (!library_symbolic(l, key, NULL, &s))
        return false;
    constant_number(s, out);
    return true;
}

static bool read_expression(const struct library *l, const char *key, const struct json *v, const struct sym **out)
{
    if (v->kind != JSON_INT && v->kind != JSON_REAL && v->kind != JSON_STRING)
        return wrong_kind(l, key, "a symbolic expression");
    *out = sym_parse(ir_of(l), &l->node.place, v->text, l->node.state->sdfg->syntax);
    return *out;
}

bool library_symbolic(const struct library *l, const char *key, const struct sym *otherwise, const struct sym **out)
{
    const struct json *v = find(l, key);
    *out = otherwise;
    return !v || read_expression(l, key, v, out);
}

bool library_symbolic_list(const struct library *l, const char *key, const struct sym ***out, uint32_t *count)
{
    const struct json *v = find(l, key);
    *out = NULL;
    *count = 0;
    if (!v)
        return true;
    if (v->kind != JSON_ARRAY)
        return wrong_kind(l, key, "a list of symbolic expressions");
    *out = NEW_ARRAY(ir_of(l)->arena, const struct sym *, v->count);
    for (const struct json *m = v->first; m; m = m->next)
        if (!read_expression(l, key, m, &(*out)[(*count)++]))
            return false;
    return true;
}

bool library_string(const struct library *l, const char *key, const char *otherwise, const char **out)
{
    const struct json *v = find(l, key);
    *out = otherwise;
    if (!v)
        return true;
    if (v->kind == JSON_ARRAY || v->kind == JSON_OBJECT)
        return wrong_kind(l, key, "a string");
    *out = v->kind == JSON_TRUE ? "True" : v->kind == JSON_FALSE ? "False" : v->text;
    return true;
}

bool library_ints(const struct library *l, const char *key, int64_t **out, uint32_t *count)
{
    const struct json *v = find(l, key);
    *out = NULL;
    *count = 0;
    if (!v)
        return true;
    bool single = json_is(v, JSON_INT);
    if (v->kind != JSON_ARRAY && !single)
        return wrong_kind(l, key, "a list of integers");
    *out = NEW_ARRAY(ir_of(l)->arena, int64_t, single ? 1 : v->count);
    for (const struct json *m = single ? v : v->first; m; m = single ? NULL : m->next)
        if (!json_int(m, &(*out)[(*count)++]))
            return wrong_kind(l, key, "a list of integers");
    return true;
}

bool library_strings(const struct library *l, const char *key, const char ***out, uint32_t *count)
{
    const struct json *v = find(l, key);
    *out = NULL;
    *count = 0;
    if (!v)
        return true;
    if (v->kind != JSON_ARRAY)
        return wrong_kind(l, key, "a list of strings");
    *out = NEW_ARRAY(ir_of(l)->arena, const char *, v->count);
    for (const struct json *m = v->first; m; m = m->next) {
        if (m->kind != JSON_STRING)
            return wrong_kind(l, key, "a list of strings");
        (*out)[(*count)++] = m->text;
    }
    return true;
}

bool library_type(const struct library *l, const char *key, const struct type **out)
{
    const struct json *v = find(l, key);
    struct reader r = { .ir = ir_of(l) };
    *out = v ? read_type(&r, v) : NULL;
    return !v || *out || wrong_kind(l, key, "an element type");
}

/* The properties of kind "symbolic" and the numbers that may be symbolic text, over all classes of defaults.json. */
bool library_is_symbolic(const char *key)
{
    static const char *const keys[] = { "a",           "alpha",       "beta",        "factor",     "k",
                                        "m",           "n",           "size",        "value",      "m_tile_size",
                                        "n_tile_size", "send_counts", "recv_counts", "recv_displs" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

const char *library_class(const struct library *l)
{
    const char *dot = strrchr(l->classpath, '.');
    return dot ? dot + 1 : l->classpath;
}
