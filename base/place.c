#include "base/place.h"

static void print_step(const struct place *p, struct text *out)
{
    text_add(out, p->noun ? p->noun : "?");
    if (p->id != PLACE_NO_ID)
        text_printf(out, "[%u]", p->id);
    if (p->label && *p->label)
        text_printf(out, " \"%s\"", p->label);
}

void place_print(const struct place *p, struct text *out)
{
    if (!p)
        return;
    if (!p->parent) {
        text_add(out, p->label && *p->label ? p->label : p->noun ? p->noun : "?");
        return;
    }
    place_print(p->parent, out);
    text_addc(out, '/');
    print_step(p, out);
}

void place_print_inner(const struct place *p, struct text *out)
{
    if (!p || !p->parent)
        return;
    place_print_inner(p->parent, out);
    if (p->parent->parent)
        text_addc(out, '/');
    print_step(p, out);
}

const struct place *place_source(const struct place *p)
{
    while (p && !p->line)
        p = p->parent;
    return p;
}

void place_print_source(const struct place *p, struct text *out)
{
    p = place_source(p);
    if (!p)
        return;
    text_printf(out, "%s:%u", p->file ? p->file : "?", p->line);
    if (p->column)
        text_printf(out, ":%u", p->column);
}
