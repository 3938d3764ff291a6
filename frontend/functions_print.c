/* Formatted strings and print. What is known is text; the rest becomes the conversions of py_print, which the runtime
 * has (sdfg_rt_print), and DaCe's code by the text below. */
#include "frontend/functions.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

static const char py_print[] =
    "#include <cmath>\n#include <cstdarg>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include "
    "<string>\n"
    "static std::string py_repr(double x, bool single) {\n"
    "    char t[48];\n"
    "    int p = 0;\n"
    "    if (x != x) return \"nan\";\n"
    "    if (std::isinf(x)) return x < 0 ? \"-inf\" : \"inf\";\n"
    "    do snprintf(t, sizeof t, \"%.*e\", p, x);\n"
    "    while ((single ? strtof(t, nullptr) != (float)x : strtod(t, nullptr) != x) && p++ < 17);\n"
    "    int e = atoi(strchr(t, 'e') + 1);\n"
    "    if (e >= -4 && e < 16) snprintf(t, sizeof t, \"%.*f\", p - e > 0 ? p - e : 1, x);\n"
    "    return t;\n"
    "}\n"
    "static int py_print(const char *c, ...) {\n"
    "    std::string all;\n"
    "    char t[512];\n"
    "    va_list a;\n"
    "    va_start(a, c);\n"
    "    for (; *c; c++) {\n"
    "        if (*c != '%') { all += *c; continue; }\n"
    "        std::string f = \"%\";\n"
    "        for (c++; *c && strchr(\"-+ #0.123456789\", *c); c++) f += *c;\n"
    "        t[0] = 0;\n"
    "        if (*c == '%') { all += '%'; continue; }\n"
    "        if (strchr(\"sbrh\", *c)) {\n"
    "            std::string v = *c == 's' ? va_arg(a, const char *) : *c == 'b' ? (va_arg(a, int) ? \"True\" : "
    "\"False\")\n"
    "                            : py_repr(va_arg(a, double), *c == 'h');\n"
    "            snprintf(t, sizeof t, (f + 's').c_str(), v.c_str());\n"
    "        } else if (strchr(\"diouxX\", *c)) snprintf(t, sizeof t, (f + \"ll\" + *c).c_str(), va_arg(a, long "
    "long));\n"
    "        else snprintf(t, sizeof t, (f + *c).c_str(), va_arg(a, double));\n"
    "        all += t;\n"
    "    }\n"
    "    va_end(a);\n"
    "    return (int)fwrite(all.data(), 1, all.size(), stdout);\n"
    "}\n";

/* A text under construction: a format, and the values of its conversions. */
struct line {
    struct fe *f;
    const struct py *node;
    struct text format;
    VEC(const struct value *) args;
};

static void plain(struct line *l, const char *text)
{
    for (; *text; text++)
        text_printf(&l->format, *text == '%' ? "%%%%" : "%c", *text);
}

static bool convert(struct line *l, const char *flags, char how, enum type_kind kind, const struct value *v)
{
    v = fe_cast(l->f, l->node, type_basic(l->f->ir, kind), v);
    if (!v)
        return false;
    text_printf(&l->format, "%%%s%c", flags, how);
    vec_push(l->f->arena, &l->args, v);
    return true;
}

/* Python's format of a number: [-+ ]...; as printf's flags, the conversion in `how`, 0 for none. False: another one. */
static bool read_format(struct fe *f, const char *spec, bool number, const char **flags, char *how)
{
    struct text t = text_new(f->arena);
    bool left = *spec == '<' || (!number && *spec != '>');
    spec += *spec == '<' || *spec == '>';
    if (*spec == '+' || *spec == ' ')
        text_addc(&t, *spec++);
    if (*spec == '#')
        text_addc(&t, *spec++);
    if (*spec == '0' && !left)
        text_addc(&t, *spec++);
    if (left && *spec >= '1' && *spec <= '9')
        text_addc(&t, '-');
    while (*spec >= '0' && *spec <= '9')
        text_addc(&t, *spec++);
    if (*spec == '.') {
        text_addc(&t, *spec++);
        while (*spec >= '0' && *spec <= '9')
            text_addc(&t, *spec++);
    }
    *how = *spec && !spec[1] ? *spec : 0;
    *flags = text_get(&t);
    return !*spec || (!spec[1] && strchr(number ? "dxXofFeEgG" : "s", *spec)) ? t.length < 20 : false;
}

static bool number(struct line *l, const struct value *v, const char *spec)
{
    struct fe *f = l->f;
    const struct type *t = fe_own_type(f, v);
    const char *flags = "";
    char how = 0;
    if (fe_is_data(v) && v->rank) {
        const struct value *s = fe_squeeze(f, fe_materialize(f, l->node, v, "printed"));
        if (s->rank)
            return fe_unsupported(f, l->node, "an array as text, here %s", fe_describe(f, v)) != NULL;
        v = s;
    }
    if (type_is_complex(t) || !type_is_basic(t))
        return fe_unsupported(f, l->node, "%s as text", fe_describe(f, v)) != NULL;
    if (spec && !read_format(f, spec, true, &flags, &how))
        return fe_unsupported(f, l->node, "the format '%s' of a number", spec) != NULL;
    bool integer = fe_is_int_type(t), real = how && strchr("fFeEgG", how);
    if (how && !real && !integer)
        return fe_error(f, l->node, "the format '%s' is for integers, this is %s", spec, fe_describe(f, v)) != NULL;
    if (!how && strchr(flags, '.'))
        return fe_unsupported(f, l->node, "the format '%s', which has a precision but no kind", spec) != NULL;
    if (real)
        return convert(l, flags, how, TYPE_F64, v);
    if (t->kind == TYPE_BOOL && !how)
        return *flags ? convert(l, flags, 'd', TYPE_I64, v) : convert(l, "", 'b', TYPE_BOOL, v);
    if (integer)
        return convert(l, flags,
                       how && how != 'd'     ? how
                       : t->kind == TYPE_U64 ? 'u'
                                             : 'd',
                       t->kind == TYPE_U64 ? TYPE_U64 : TYPE_I64, v);
    bool single = !spec && (t->kind == TYPE_F32 || t->kind == TYPE_F16); /* format() makes a Python float of it */
    return convert(l, flags, single ? 'h' : 'r', TYPE_F64, v);
}

/* As repr writes it: scalars of NumPy say so. */
static bool repr(struct line *l, const struct value *v)
{
    const struct type *t = fe_own_type(l->f, v);
    bool wrapped = !v->weak && type_is_basic(t) && (fe_is_data(v) || fe_is_number(v));
    if (wrapped && t->kind == TYPE_BOOL)
        return fe_unsupported(l->f, l->node, "the repr of a bool of NumPy") != NULL;
    plain(l, wrapped ? fe_format(l->f, "np.%s(", t->name) : "");
    bool good = number(l, v, NULL);
    plain(l, wrapped ? ")" : "");
    return good;
}

static bool add(struct line *l, const struct value *v, const char *spec, bool quoted);

static bool add_tuple(struct line *l, const struct value *v)
{
    plain(l, v->list ? "[" : "(");
    for (uint32_t i = 0; i < v->count; i++) {
        plain(l, i ? ", " : "");
        if (!add(l, v->items[i], NULL, true))
            return false;
    }
    plain(l, v->list ? "]" : v->count == 1 ? ",)" : ")");
    return true;
}

static bool add_text(struct line *l, const char *text, const char *spec, bool quoted)
{
    const char *flags = "";
    char how;
    if (quoted && strpbrk(text, "'\"\\\n\t\r"))
        return fe_unsupported(l->f, l->node, "the repr of a text with quotes or control characters") != NULL;
    if (spec && !read_format(l->f, spec, false, &flags, &how))
        return fe_unsupported(l->f, l->node, "the format '%s' of a text", spec) != NULL;
    char *end;
    long precision = strchr(flags, '.') ? strtol(strchr(flags, '.') + 1, NULL, 10) : -1;
    long width = strtol(flags + (*flags == '-'), &end, 10), length = (long)strlen(text);
    length = precision >= 0 && precision < length ? precision : length;
    for (long i = length; *flags != '-' && i < width; i++)
        plain(l, " ");
    plain(l, quoted ? fe_format(l->f, "'%s'", text) : arena_strndup(l->f->arena, text, (size_t)length));
    for (long i = length; *flags == '-' && i < width; i++)
        plain(l, " ");
    return true;
}

static bool add(struct line *l, const struct value *v, const char *spec, bool quoted)
{
    switch (v->kind) {
    case FE_STRING:
        return add_text(l, v->text, spec, quoted);
    case FE_NONE:
        return add_text(l, "None", spec, false);
    case FE_BOOL:
        if (!spec || !*spec)
            return add_text(l, v->i ? "True" : "False", NULL, false);
        return number(l, v, spec);
    case FE_INT:
        if (!spec || !*spec)
            return add_text(l, fe_format(l->f, "%lld", (long long)v->i), NULL, false);
        return number(l, v, spec);
    case FE_TUPLE:
        return spec && *spec ? fe_error(l->f, l->node, "a tuple has no format") != NULL : add_tuple(l, v);
    case FE_TYPE:
        return add_text(l, v->type->name, spec, false);
    case FE_FORMAT:
        for (uint32_t i = 0; i < v->count; i++) {
            const struct value *piece = v->items[i];
            bool text = piece->kind == FE_STRING;
            if (!(text ? add_text(l, piece->text, NULL, false)
                       : add(l, piece->items[0], piece->items[2]->i > 0 ? NULL : piece->items[1]->text,
                             piece->items[2]->i == 'r')))
                return false;
        }
        return true;
    default:
        return fe_is_operand(v) ? quoted ? repr(l, v) : number(l, v, spec)
                                : fe_unsupported(l->f, l->node, "%s as text", fe_describe(l->f, v)) != NULL;
    }
}

/* ---- formatted strings ---- */

const struct value *fe_formatted(struct fe *f, const struct py *n)
{
    VEC(const struct value *) pieces = { 0 };
    struct line known = { .f = f, .node = n, .format = text_new(f->arena) };
    for (uint32_t i = 0; i < n->joined.values.count; i++) {
        const struct py *e = n->joined.values.items[i];
        if (e->kind != PY_FORMATTED_VALUE) {
            const struct value *text = fe_eval(f, e);
            if (!text)
                return NULL;
            vec_push(f->arena, &pieces, text);
            continue;
        }
        const struct value *v = fe_eval(f, e->formatted.value);
        const struct value *spec = e->formatted.format_spec ? fe_eval(f, e->formatted.format_spec) : fe_string(f, "");
        if (!v || !spec)
            return NULL;
        if (spec->kind != FE_STRING)
            return fe_unsupported(f, e->formatted.format_spec, "a format that is known at run time only");
        if (e->formatted.conversion == 'a' || (e->formatted.conversion > 0 && *spec->text))
            return fe_unsupported(f, e, "this conversion of a formatted value");
        v = fe_is_data(v) && v->kind == FE_ELEM ? fe_materialize(f, n, v, "text") : v;
        const struct value *piece[3] = { v, spec, fe_int(f, e->formatted.conversion) };
        if (!v)
            return NULL;
        vec_push(f->arena, &pieces, fe_tuple(f, piece, 3));
    }
    struct value *all = fe_new(f, FE_FORMAT);
    all->items = pieces.items;
    all->count = pieces.count;
    if (!add(&known, all, NULL, false))
        return NULL;
    if (known.args.count)
        return all;
    struct text t = text_new(f->arena); /* all is known */
    for (const char *c = text_get(&known.format); *c; c++) {
        text_addc(&t, *c);
        c += *c == '%';
    }
    return fe_string(f, text_get(&t));
}

/* ---- print ---- */

/* As a string of the tasklet. */
static const char *quoted(struct fe *f, const char *text)
{
    struct text t = text_new(f->arena);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            text_printf(&t, "\\%c", *text);
        else if (*text == '\n')
            text_add(&t, "\\n");
        else if (*text == '\t')
            text_add(&t, "\\t");
        else if (*text == '\r')
            text_add(&t, "\\r");
        else
            text_addc(&t, *text);
    }
    return fe_format(f, "\"%s\"", text_get(&t));
}

static const char *separator(struct fe *f, struct fe_args *a, const char *name, const char *otherwise)
{
    const struct value *v = fe_arg(a, UINT32_MAX, name);
    if (v && v->kind != FE_NONE && v->kind != FE_STRING)
        return fe_unsupported(f, a->node, "'%s' that is no constant text", name);
    return v && v->kind == FE_STRING ? v->text : otherwise;
}

const struct value *fn_print(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    struct line l = { .f = f, .node = a->node, .format = text_new(f->arena) };
    const char *sep = separator(f, a, "sep", " "), *end = separator(f, a, "end", "\n");
    fe_arg(a, UINT32_MAX, "flush");
    if (!sep || !end || !fe_args_done(f, a, UINT32_MAX))
        return NULL;
    if (!f->level)
        return fe_unsupported(f, a->node, "'print' outside of a program");
    for (uint32_t i = 0; i < a->count; i++) {
        plain(&l, i ? sep : "");
        if (!add(&l, a->items[i], NULL, false))
            return NULL;
    }
    plain(&l, end);
    struct text code = text_new(f->arena);
    text_printf(&code, "py_print(%s", quoted(f, text_get(&l.format)));
    for (uint32_t i = 0; i < l.args.count; i++)
        text_add(&code, ", \1");
    text_addc(&code, ')');
    struct fe_level *top = f->level;
    while (top->outer)
        top = top->outer;
    if (!f->dry)
        build_global_code(top->sdfg, py_print);
    return fe_effect(f, "print", text_get(&code), l.args.count, l.args.items) ? fe_none(f) : NULL;
}
