#include "ir/python/ast.h"

#include "base/vec.h"

static void dump_bytes(const char *text, uint32_t length, struct text *out)
{
    text_addc(out, '"');
    for (uint32_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' || c >= 0x7f || c == '"' || c == '\\')
            text_printf(out, "\\%02x", c);
        else
            text_addc(out, (char)c);
    }
    text_addc(out, '"');
}

static int digit_of(char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

/* A number of any size in hexadecimal: digits of base 16 are multiplied up, 32 bits at a time. */
static void dump_big(const struct py_value *v, struct text *out)
{
    VEC(uint32_t) words = { 0 };
    char mark = v->text[0] == '0' ? (char)(v->text[1] | 0x20) : 0;
    uint32_t base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    for (const char *s = v->text + (base == 10 ? 0 : 2); *s; s++) {
        uint64_t carry = (uint64_t)digit_of(*s);
        for (uint32_t i = 0; i < words.count; i++) {
            carry += (uint64_t)words.items[i] * base;
            words.items[i] = (uint32_t)carry;
            carry >>= 32;
        }
        if (carry)
            vec_push(out->arena, &words, (uint32_t)carry);
    }
    text_add(out, "0x");
    for (uint32_t i = words.count; i-- > 0;)
        text_printf(out, i + 1 == words.count ? "%x" : "%08x", words.items[i]);
}

static void dump_value(const struct py_value *v, struct text *out)
{
    static const char *const names[] = { "None", "False", "True", "Ellipsis" };
    switch (v->kind) {
    case PY_INT:
        if (v->big)
            dump_big(v, out);
        else
            text_printf(out, "%llu", (unsigned long long)v->u);
        return;
    case PY_FLOAT:
        text_printf(out, "%a", v->f);
        return;
    case PY_IMAG:
        text_printf(out, "%aj", v->f);
        return;
    case PY_BYTES:
        text_addc(out, 'b');
        dump_bytes(v->text, v->length, out);
        return;
    case PY_STRING:
        if (v->unicode)
            text_addc(out, 'u');
        dump_bytes(v->text, v->length, out);
        return;
    default:
        text_add(out, names[v->kind]);
    }
}

static void dump_list(const struct py_list *l, const struct py_lines *lines, struct text *out)
{
    text_addc(out, '[');
    for (uint32_t i = 0; i < l->count; i++) {
        if (i)
            text_add(out, ", ");
        py_dump(l->items[i], lines, out);
    }
    text_addc(out, ']');
}

static bool is_empty(const struct py_field *f, const void *at)
{
    switch (f->type) {
    case PY_FIELD_NODE:
        return !*(struct py *const *)at;
    case PY_FIELD_LIST:
        return ((const struct py_list *)at)->count == 0;
    case PY_FIELD_NAME:
        return !*(const char *const *)at;
    default:
        return f->type == PY_FIELD_NONE;
    }
}

static void dump_field(const struct py_field *f, const void *at, const struct py_lines *lines, struct text *out)
{
    switch (f->type) {
    case PY_FIELD_NODE:
        py_dump(*(struct py *const *)at, lines, out);
        return;
    case PY_FIELD_LIST:
        dump_list(at, lines, out);
        return;
    case PY_FIELD_NAME:
        text_printf(out, "'%s'", *(const char *const *)at);
        return;
    case PY_FIELD_OP:
        text_printf(out, "%s()", py_op_name(*(const enum py_op *)at));
        return;
    case PY_FIELD_INT:
        text_printf(out, "%d", *(const int *)at);
        return;
    default:
        dump_value(at, out);
    }
}

void py_dump(const struct py *n, const struct py_lines *lines, struct text *out)
{
    if (!n) {
        text_add(out, "None");
        return;
    }
    if (n->kind == PY_IDENTIFIER) {
        text_printf(out, "'%s'", n->identifier.name);
        return;
    }
    if (n->kind == PY_OPERATOR) {
        text_printf(out, "%s()", py_op_name(n->op.op));
        return;
    }
    const struct py_info *info = &py_info[n->kind];
    const char *separator = "";
    text_printf(out, "%s(", info->name);
    for (uint32_t i = 0; i < info->num_fields; i++) {
        const struct py_field *f = &info->fields[i];
        const void *at = (const char *)n + f->offset;
        if (is_empty(f, at))
            continue;
        text_printf(out, "%s%s=", separator, f->name);
        dump_field(f, at, lines, out);
        separator = ", ";
    }
    text_addc(out, ')');
    if (!info->placed)
        return;
    uint32_t line, column, end_line, end_column;
    py_place(lines, n->begin, &line, &column);
    py_place(lines, n->end, &end_line, &end_column);
    text_printf(out, "@%u:%u-%u:%u", line, column, end_line, end_column);
}
