/* Code that DaCe writes into `init_code` and `exit_code` of an SDFG for its process grids, sub-arrays and
 * redistributions (library-nodes.md 10): it fills fields of the program's state that the expansions of MPI nodes read.
 * Here those nodes make what they need from the descriptors themselves, so statements about these fields are left out.
 * What users wrote beside them stays; and all of it does where C++ tasklets look at the state. */
#include "ir/read/code_scan.h"
#include "ir/read/read.h"

#include <ctype.h>
#include <string.h>

/* What DaCe documents as fields of the program's state for a descriptor, after its name and an underscore; and two
 * variables that go with them (LOCALS of the list, from its beginning). */
enum { LOCALS = 2 };
static const char *const fields[] = { "periods",   "remain",      "group",     "rank",     "size",
                                      "dims",      "coords",      "valid",     "counts",   "displs",
                                      "sends",     "send_types",  "dst_ranks", "recvs",    "recv_types",
                                      "src_ranks", "self_copies", "self_src",  "self_dst", "self_size" };

/* The descriptor's own field, or one of those that go with it. */
static bool is_field_of(const char *word, size_t length, const char *name, bool member)
{
    size_t n = strlen(name), count = member ? sizeof fields / sizeof *fields : LOCALS;
    if (length < n || memcmp(word, name, n) != 0)
        return false;
    if (length == n)
        return member;
    for (size_t i = 0; word[n] == '_' && i < count; i++)
        if (strlen(fields[i]) == length - n - 1 && !memcmp(fields[i], word + n + 1, length - n - 1))
            return true;
    return false;
}

/* `member`: it stands behind "->". */
static bool is_field(const struct sdfg *s, const char *word, size_t length, bool member)
{
    for (uint32_t i = 0; i < s->containers.count; i++)
        if (s->containers.items[i]->distributed && is_field_of(word, length, s->containers.items[i]->name, member))
            return true;
    return false;
}

/* Behind the statement that begins at `c`, as brackets and semicolons tell; *owned: it is about a descriptor. */
static const char *skip_statement(const struct sdfg *s, const char *c, bool *owned)
{
    int depth = 0;
    const char *arrow = NULL; /* behind the last "->" */
    *owned = false;
    if (*c == '#')
        return c + strcspn(c, "\n");
    while (*c) {
        const char *next = code_skip_inert(c);
        if (next != c) {
            c = next;
            continue;
        }
        if (code_is_word(*c)) {
            const char *end = c;
            while (code_is_word(*end))
                end++;
            *owned = *owned || is_field(s, c, (size_t)(end - c), c == arrow);
            c = end;
            continue;
        }
        depth += (*c == '{' || *c == '(' || *c == '[') - (*c == '}' || *c == ')' || *c == ']');
        if (c[0] == '-' && c[1] == '>')
            arrow = c + 2;
        char last = *c++;
        if (depth <= 0 && last == ';')
            break;
        const char *then = code_skip_blanks(c);
        bool goes_on = !strncmp(then, "else", 4) || *then == ';' || *then == ',';
        if (depth <= 0 && last == '}' && !goes_on)
            break;
    }
    return c;
}

static void drop(struct reader *r, const struct sdfg *s, struct code_text *code)
{
    char *kept = NEW_ARRAY(r->ir->arena, char, strlen(code->text) + 1), *end = kept;
    for (const char *c = code->text; *c;) {
        const char *begin = c;
        bool owned = false;
        if (isspace((unsigned char)*c))
            c++;
        else if ((c = code_skip_inert(begin)) == begin)
            c = skip_statement(s, begin, &owned);
        for (; begin < c; begin++) /* lines keep their numbers */
            if (!owned || *begin == '\n')
                *end++ = *begin;
    }
    *end = 0;
    code->text = kept;
}

/* ---- who needs it ---- */

struct looking {
    bool found;
};

static void look_in_block(void *user, struct block *b)
{
    struct looking *l = user;
    struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        const struct tasklet *t = as_tasklet(st->nodes.items[i]);
        l->found =
            l->found || (t && t->code.language->row == LANGUAGE_CPP && strstr(t->code.text, CODE_STATE_NAME "->"));
    }
}

static void look_in_sdfg(void *user, struct sdfg *s) { region_each_block(&s->region, look_in_block, user); }

void read_drop_descriptor_code(struct reader *r, struct sdfg *s)
{
    bool any = false;
    struct looking tasklets = { false };
    for (uint32_t i = 0; i < s->containers.count; i++)
        any = any || s->containers.items[i]->distributed;
    if (!any || !(s->init_code.count + s->exit_code.count))
        return;
    sdfg_each(s, look_in_sdfg, &tasklets);
    for (uint32_t i = 0; !tasklets.found && i < s->init_code.count; i++)
        drop(r, s, &s->init_code.items[i]);
    for (uint32_t i = 0; !tasklets.found && i < s->exit_code.count; i++)
        drop(r, s, &s->exit_code.items[i]);
}
