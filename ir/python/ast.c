#include "ir/python/ast.h"

#include <string.h>

#define F(TYPE, member, field)             { #field, PY_FIELD_##TYPE, (uint16_t)offsetof(struct py, member.field) },
#define NODE_BARE(KIND, member, Name, ...) NODE(KIND, member, Name, __VA_ARGS__)

#define NODE(KIND, member, Name, ...) static const struct py_field fields_##KIND[] = { __VA_ARGS__ };
#include "ir/python/ast.def"
#undef NODE
#undef NODE_BARE

#define ROW(KIND, member, Name, placed)                                                                                \
    [PY_##KIND] = { #Name, (uint16_t)(offsetof(struct py, member) + sizeof(((struct py *)0)->member)), placed,         \
                    sizeof fields_##KIND / sizeof *fields_##KIND, fields_##KIND },
const struct py_info py_info[PY_KIND_COUNT] = {
#define NODE(KIND, member, Name, list)      ROW(KIND, member, Name, true)
#define NODE_BARE(KIND, member, Name, list) ROW(KIND, member, Name, false)
#include "ir/python/ast.def"
#undef NODE
#undef NODE_BARE
};

const char *py_op_name(enum py_op op)
{
    static const char *const names[PY_OP_COUNT] = {
        "Load",   "Store", "Del",    "Add",    "Sub",      "Mult",   "MatMult", "Div",   "Mod",  "Pow", "LShift",
        "RShift", "BitOr", "BitXor", "BitAnd", "FloorDiv", "Invert", "Not",     "UAdd",  "USub", "Eq",  "NotEq",
        "Lt",     "LtE",   "Gt",     "GtE",    "Is",       "IsNot",  "In",      "NotIn", "And",  "Or",
    };
    return names[op];
}

void py_visit(struct py *n, bool (*visit)(void *user, struct py *n), void *user)
{
    if (!n || !visit(user, n))
        return;
    const struct py_info *info = &py_info[n->kind];
    for (uint32_t i = 0; i < info->num_fields; i++) {
        const void *field = (const char *)n + info->fields[i].offset;
        if (info->fields[i].type == PY_FIELD_NODE) {
            py_visit(*(struct py *const *)field, visit, user);
        } else if (info->fields[i].type == PY_FIELD_LIST) {
            const struct py_list *list = field;
            for (uint32_t k = 0; k < list->count; k++)
                py_visit(list->items[k], visit, user);
        }
    }
}

static bool ends_line(const char *text, size_t length, size_t at)
{
    return text[at] == '\n' || (text[at] == '\r' && (at + 1 == length || text[at + 1] != '\n'));
}

struct py_lines py_lines(struct arena *a, const char *text, size_t length)
{
    struct py_lines l = { .text = text, .count = 1 };
    for (size_t i = 0; i < length; i++)
        l.count += ends_line(text, length, i);
    l.begins = NEW_ARRAY(a, uint32_t, l.count);
    l.count = 1;
    for (size_t i = 0; i < length; i++)
        if (ends_line(text, length, i))
            l.begins[l.count++] = (uint32_t)i + 1;
    return l;
}

void py_place(const struct py_lines *l, uint32_t offset, uint32_t *line, uint32_t *column)
{
    uint32_t low = 0, high = l->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (l->begins[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    *line = low + 1;
    *column = offset - l->begins[low];
}
