/* From machine code back to the program. The lines of debug information are numbers of places
 * (lower/llvm/llvm_debug.c), so that the table of lines, which LLVM keeps through all its passes, is one of elements.
 */
#include "jit/internal.h"
#include "jit/shim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct mapping {
    struct arena *arena;
    const struct remarks *places;
    struct text *out;
    const char *function; /* of the range that is not written yet; NULL: there is none */
    uint64_t begin, end;
    const struct place *at; /* NULL: LLVM knows no element */
};

static void write_range(struct mapping *m)
{
    struct text path = text_new(m->arena), source = text_new(m->arena);
    if (!m->function)
        return;
    if (m->at) {
        place_print(m->at, &path);
        place_print_source(m->at, &source);
    }
    text_printf(m->out, "%s 0x%" PRIx64 "-0x%" PRIx64 " %s", m->function, m->begin, m->end,
                m->at ? text_get(&path) : "-");
    if (source.length)
        text_printf(m->out, " (%s)", text_get(&source));
    text_addc(m->out, '\n');
}

static bool goes_on(const struct mapping *m, const char *function, size_t length, const struct place *at)
{
    return m->function && m->at == at && strlen(m->function) == length && !memcmp(m->function, function, length);
}

static void take(void *mapping, const char *function, size_t length, uint64_t begin, uint64_t end, uint32_t number)
{
    struct mapping *m = mapping;
    const struct place *at = NULL;
    const char *subject;
    remarks_numbered(m->places, number, &at, &subject);
    if (!goes_on(m, function, length, at)) {
        write_range(m);
        m->function = arena_strndup(m->arena, function, length);
        m->begin = begin;
        m->at = at;
    }
    m->end = end;
}

bool jit_map(struct jit *j, const struct remarks *places, struct text *out)
{
    const char *object;
    size_t size;
    struct mapping m = { .arena = j->arena, .places = places, .out = out };
    if (!jit_text(j, JIT_TEXT_OBJECT, &object, &size))
        return false;
    if (!size)
        return true;
    char *wrong = shim_lines(object, size, take, &m);
    write_range(&m);
    if (!wrong)
        return true;
    diag_error(j->diags, NULL, DIAG_LLVM, "reading lines", arena_strdup(j->arena, wrong));
    free(wrong);
    return false;
}
