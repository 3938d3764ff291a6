/* Any bytes as JSON: no input crashes the reader, what it accepts is written to a text that means the same, and what it
 * does not accept stays what it is. */
#include "ir/json/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new();
    struct diags *d = diags_new(a);
    char *text = arena_copy(a, data, size); /* without a zero behind it */
    const struct json *v = json_parse_in_place(a, d, text, size);
    if (!v != (diags_errors(d) > 0) || (!v && size && memcmp(text, data, size)))
        abort();
    if (v) {
        struct text once = text_new(a), twice = text_new(a);
        struct json_writer w = { .out = &once }, again = { .out = &twice };
        json_write_value(&w, NULL, v);
        const struct json *copy = json_parse(a, d, text_get(&once), once.length);
        if (!copy || !json_equal(v, copy))
            abort();
        json_write_value(&again, NULL, copy);
        if (strcmp(text_get(&once), text_get(&twice)) != 0)
            abort();
    }
    arena_free(a);
    return 0;
}
