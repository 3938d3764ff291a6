#include "base/place.h"

void place_print(const struct place *p, struct text *out)
{
    if (!p)
        return;
    if (!p->parent) {
        text_add(out, p->label && *p->label ? p->label : p->noun ? p->noun : "?");
        return;
    }
    place_print(p->parent, out);
    text_printf(out, "/%s", p->noun ? p->noun : "?");
    if (p->id != PLACE_NO_ID)
        text_printf(out, "[%u]", p->id);
    if (p->label && *p->label)
        text_printf(out, " \"%s\"", p->label);
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
