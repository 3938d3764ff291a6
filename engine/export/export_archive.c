#include "engine/export/export.h"

#include <stdio.h>
#include <string.h>

/* Static libraries in the format of System V: a text line, then members with a header of fixed fields each. The first
 * member, "/", tells linkers which symbols are in which member. Dates and owners are zero, so that equal programs give
 * equal files. */

enum { HEADER_BYTES = 60 };

/* Members begin at even positions. */
static void member(struct text *out, const char *name, const char *mode, const char *bytes, size_t size)
{
    char header[HEADER_BYTES + 1];
    snprintf(header, sizeof header, "%-16.16s%-12s%-6s%-6s%-8s%-10zu`\n", name, "0", "0", "0", mode, size);
    text_addn(out, header, HEADER_BYTES);
    text_addn(out, bytes, size);
    if (size & 1)
        text_addc(out, '\n');
}

static void add_number(struct text *out, uint32_t n)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        text_addc(out, (char)(n >> shift));
}

void export_archive(struct text *out, const char *name, const char *bytes, size_t size, const char *const *symbols,
                    uint32_t num_symbols)
{
    static const char magic[] = "!<arch>\n";
    struct text index = text_new(out->arena);
    size_t index_bytes = 4 + 4 * (size_t)num_symbols;
    for (uint32_t i = 0; i < num_symbols; i++)
        index_bytes += strlen(symbols[i]) + 1;
    size_t object = sizeof magic - 1 + HEADER_BYTES + index_bytes + (index_bytes & 1);
    add_number(&index, num_symbols);
    for (uint32_t i = 0; i < num_symbols; i++)
        add_number(&index, (uint32_t)object);
    for (uint32_t i = 0; i < num_symbols; i++)
        text_addn(&index, symbols[i], strlen(symbols[i]) + 1);

    enum { LONGEST = 12 }; /* with ".o/" in the 16 characters of a header */
    text_add(out, magic);
    member(out, "/", "0", text_get(&index), index.length);
    member(out, arena_printf(out->arena, "%.*s.o/", LONGEST, name), "644", bytes, size);
}
