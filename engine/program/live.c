/* Functions of a live interpreter as programs, and what their hosts answered. */
#include "base/sized.h"
#include "base/stack.h"
#include "engine/program/program.h"
#include "frontend/frontend.h"

#include <stddef.h>
#include <string.h>

struct lowering {
    struct ir *ir;
    const sdfg_host *host;
    uint64_t function;
    struct frontend_found *found;
    struct text json;
};

/* The text without what says where in the sources things are: the objects "debuginfo", and the list of files. */
static void add_meaning(struct text *out, const char *json)
{
    static const char *const keys[2] = { "\"debuginfo\":{", "\"source_files\":[" };
    for (const char *c = json; *c;) {
        const char *next = strchr(c, '"');
        int k = 0;
        while (next && k < 2 && strncmp(next, keys[k], strlen(keys[k])) != 0)
            k++;
        if (next && k < 2) {
            text_addn(out, c, (size_t)(next - c));
            c = next + strlen(keys[k]);
            bool string = false;
            for (; *c && (string || *c != (k ? ']' : '}')); c++) {
                if (string && *c == '\\' && c[1])
                    c++;
                else if (*c == '"')
                    string = !string;
            }
            continue;
        }
        const char *end = next; /* of the string, which may look like a key */
        while (end && *++end && *end != '"')
            end += *end == '\\' && end[1];
        size_t length = end && *end ? (size_t)(end + 1 - c) : strlen(c);
        text_addn(out, c, length);
        c += length;
    }
}

static void lower_now(void *lowering)
{
    struct lowering *l = lowering;
    struct sdfg *s = frontend_live(l->ir, l->host, l->function, l->found);
    l->json = text_new(l->ir->arena);
    if (s)
        sdfg_write(s, &l->json);
}

sdfg_error *sdfg_program_load_function(sdfg_program **out, sdfg_engine *e, uint64_t function, const sdfg_host *host)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(e);
    NEEDS(host);
    GUARDED(error_memory(SDFG_STAGE_LOAD));
    sdfg_host known = SDFG_HOST_INIT;
    const char *wrong = sized_take(&known, sizeof known, host);
    if (wrong)
        return error_of(SDFG_STAGE_LOAD, DIAG_STRUCT_SIZE, "sdfg_host", wrong);
    struct ir *ir = ir_new();
    registry_complete(e);
    struct frontend_found *found = NEW(ir->arena, struct frontend_found);
    struct lowering l = { .ir = ir, .host = &known, .function = function, .found = found };
    bool stack = stack_call(lower_now, &l);
    if (!stack || !l.json.length) {
        sdfg_error *error = stack ? error_from_diags(ir->diags, SDFG_STAGE_LOAD) : error_stack(SDFG_STAGE_LOAD);
        ir_free(ir);
        return error;
    }
    struct text meaning = text_new(ir->arena);
    add_meaning(&meaning, text_get(&l.json));
    struct program_text text = { .json = l.json.data,
                                 .size = l.json.length,
                                 .folder = ".",
                                 .meaning = text_get(&meaning),
                                 .meaning_size = meaning.length };
    sdfg_error *error = program_load(out, e, ir, &text);
    if (error)
        return error;
    (*out)->warnings = error_join(error_from_diags(ir->diags, SDFG_STAGE_LOAD), (*out)->warnings);
    diags_reset(ir->diags, 0);
    (*out)->found = found;
    (*out)->disjoint = true;
    return NULL;
}

size_t sdfg_num_functions(void)
{
    uint32_t count = 0;
    while (frontend_function_name(count))
        count++;
    return count;
}

const char *sdfg_function_name(size_t index)
{
    const char *name = index < UINT32_MAX ? frontend_function_name((uint32_t)index) : NULL;
    return name ? name : "";
}

size_t sdfg_program_num_guards(const sdfg_program *p) { return p && p->found ? p->found->guards.count : 0; }

bool sdfg_program_guard(const sdfg_program *p, size_t index, sdfg_guard *out)
{
    if (!out || index >= sdfg_program_num_guards(p))
        return false;
    const struct frontend_guard *g = &p->found->guards.items[index];
    sdfg_guard full = { .struct_size = out->struct_size,
                        .path = g->path,
                        .argument = g->argument,
                        .kind = (enum sdfg_object_kind)g->kind,
                        .id = g->id,
                        .value = g->value };
    sized_give(out, &full, sizeof full);
    return true;
}

ptrdiff_t sdfg_program_num_results(const sdfg_program *p)
{
    if (!p || !p->found)
        return 0;
    return p->found->tuple ? (ptrdiff_t)p->found->numbers.count : p->found->numbers.count ? -1 : 0;
}

bool sdfg_program_result_is_object(const sdfg_program *p, size_t index)
{
    return p && p->found && index < p->found->objects.count && p->found->objects.items[index];
}

bool sdfg_program_result_is_number(const sdfg_program *p, size_t index)
{
    return p && p->found && index < p->found->numbers.count && p->found->numbers.items[index];
}
