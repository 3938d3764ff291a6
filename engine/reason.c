#include "engine/reason.h"

#include <stdio.h>

void reason_take(void *reason, const char *text, size_t size)
{
    struct reason *r = reason;
    if (text)
        snprintf(r->text, sizeof r->text, "%.*s", (int)(size < REASON_BYTES ? size : REASON_BYTES), text);
}

void reason_settle(struct reason *r)
{
    if (!*r->text)
        snprintf(r->text, sizeof r->text, "it did not say why");
}
