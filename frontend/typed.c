/* What names are, for readers of the source. */
#include "frontend/lower.h"

#include "base/number.h"

#include <string.h>

static const char *python_number(const struct type *t)
{
    if (t->kind == TYPE_BOOL)
        return "bool";
    return type_is_integer(t) ? "int" : type_is_complex(t) ? "complex" : "float";
}

static void add(struct fe *f, struct text *t, const struct value *v)
{
    char number[NUMBER_TEXT_SIZE];
    switch (v->kind) {
    case FE_TUPLE:
        text_add(t, v->list ? "[" : "(");
        for (uint32_t i = 0; i < v->count; i++) {
            text_add(t, i ? ", " : "");
            add(f, t, v->items[i]);
        }
        text_add(t, v->list ? "]" : ")");
        return;
    case FE_BOOL:
        text_add(t, v->i ? "True" : "False");
        return;
    case FE_INT:
        text_printf(t, "%lld", (long long)v->i);
        return;
    case FE_FLOAT:
        text_add(t, number_print(v->f, number));
        return;
    case FE_STRING:
        text_printf(t, "'%s'", v->text);
        return;
    case FE_SYMBOL:
        text_printf(t, "int %s", sym_text(f->ir, v->sym));
        return;
    case FE_TYPE:
        text_printf(t, "the type %s", v->type->name);
        return;
    default:
        text_add(t, fe_is_data(v) && v->weak && !v->rank ? python_number(v->type) : fe_describe(f, v));
    }
}

void fe_typed(struct fe *f, const struct py *n, const char *name, const struct value *v)
{
    bool hidden = f->dry || f->source->library || strncmp(name, "__", 2) == 0;
    bool known = v->kind == FE_MODULE || v->kind == FE_BUILTIN || v->kind == FE_FUNCTION;
    if (!f->typed || hidden || known)
        return;
    struct text type = text_new(f->arena);
    struct place at = f->place;
    if (n)
        fe_place(f, n, &at);
    add(f, &type, v);
    f->typed(f->typed_user, at.file, at.line, name, text_get(&type));
}
