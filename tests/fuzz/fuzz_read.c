/* Any bytes as an SDFG: no input crashes reading, validation, printing or writing, and what was read is written to a
 * file that reads back as the same graph. */
#include "ir/graph.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sdfg *read_again(struct ir *ir, const struct text *written)
{
    struct sdfg *s = sdfg_read(ir, text_get(written), written->length, NULL);
    if (!s)
        abort();
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ir *ir = ir_new(), *other = ir_new();
    struct sdfg *s = sdfg_read(ir, (const char *)data, size, NULL);
    if (!s && !diags_errors(ir->diags))
        abort();
    if (s) {
        struct text printed = text_new(ir->arena), once = text_new(ir->arena), twice = text_new(ir->arena);
        sdfg_print(s, &printed);
        sdfg_write(s, &once);
        bool valid = sdfg_validate(s);
        struct sdfg *copy = read_again(other, &once);
        if (sdfg_validate(copy) != valid && s->dace_version) /* what is written has a version, so more rules apply */
            abort();
        sdfg_write(copy, &twice);
        if (strcmp(text_get(&once), text_get(&twice)) != 0)
            abort();
    }
    ir_free(ir);
    ir_free(other);
    return 0;
}
