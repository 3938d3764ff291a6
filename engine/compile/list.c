/* What the code generator has, as rows of texts. */
#include "base/fatal.h"
#include "engine/compile/compile_passes.h"
#include "engine/compile/compile_target.h"
#include "lower/graph/target.h"

#include <string.h>

enum { LONGEST_VALUE = 512 };

/* Words with ", " between them. */
struct words {
    char text[LONGEST_VALUE];
    size_t length;
};

static void add_word(struct words *w, const char *word)
{
    size_t n = strlen(word), gap = w->length ? 2 : 0;
    if (w->length + gap + n >= sizeof w->text)
        return; /* 30 words at most, of 20 letters */
    memcpy(w->text + w->length, ", ", gap);
    memcpy(w->text + w->length + gap, word, n + 1);
    w->length += gap + n;
}

static void add_value(struct codegen_row *row, const char *name, const char *value)
{
    row->names[row->num_values] = name;
    row->values[row->num_values++] = value;
}

/* The target that takes every schedule or storage of a name. */
static const struct target *taker(const struct targets *all, enum claim_kind kind, const char *name)
{
    struct claim_site site = { .scope = NULL };
    struct claim_found found;
    const struct target *second;
    return target_find(all, kind, name, NULL, NULL, &site, &found, &second) ? found.target : NULL;
}

/* Members of an enumeration that a target takes: of the format, and of plug-ins, which its claims name. */
static void add_taken(struct words *w, const struct targets *all, const struct target *t, enum claim_kind kind,
                      enum enum_kind of)
{
    for (enum enum_row r = 0; r < ENUM_BUILTIN_ROWS; r++) {
        enum enum_kind whose;
        const char *name = enum_row_name(r, &whose);
        if (whose == of && taker(all, kind, name) == t)
            add_word(w, name);
    }
    for (uint32_t i = 0; i < t->num_claims; i++)
        for (const char *const *name = t->claims[i].names; t->claims[i].kind == kind && name && *name; name++)
            if (!enum_is_builtin(of, *name))
                add_word(w, *name);
}

/* What is listed, in the caller's arena. */
struct listing {
    enum sdfg_list_kind what;
    const struct codegen_added *added;
    struct arena *arena;
    codegen_rows *out;
};

static void list_targets(struct listing *l)
{
    const struct targets *all = compile_targets(l->arena, l->added);
    for (uint32_t i = all->count; i-- > 0;) {
        const struct target *t = all->items[i];
        struct words schedules = { .length = 0 }, storages = { .length = 0 };
        add_taken(&schedules, all, t, CLAIM_SCHEDULE, ENUM_SCHEDULE);
        add_taken(&storages, all, t, CLAIM_STORAGE, ENUM_STORAGE);
        struct codegen_row row = { .name = t->name, .text = t->text, .device = t->device && !t->user };
        add_value(&row, "schedules", arena_strdup(l->arena, schedules.text));
        add_value(&row, "storages", arena_strdup(l->arena, storages.text));
        vec_push(l->arena, l->out, row);
    }
}

static void list_passes(struct listing *l)
{
    struct arena *a = l->arena;
    struct fact_names names;
    for (const struct pass *p = passes_with(a, diags_new(a), l->added, &names); p->run; p++) {
        struct codegen_row row = { .name = p->name, .text = p->text };
        add_value(&row, "needs", facts_text(a, p->needs, &names));
        add_value(&row, "makes", facts_text(a, p->makes, &names));
        add_value(&row, "breaks", facts_text(a, p->breaks, &names));
        add_value(&row, "code", p->devices == TREE_PASS_CPU ? "CPU" : p->devices == TREE_PASS_GPU ? "GPU" : "BOTH");
        add_value(&row, "plug-in", p->plugin ? p->plugin->plugin : "");
        vec_push(a, l->out, row);
    }
}

static void list_all(void *listing)
{
    struct listing *l = listing;
    if (l->what == SDFG_LIST_TARGETS)
        list_targets(l);
    else if (l->what == SDFG_LIST_PASSES)
        list_passes(l);
}

bool compile_list(enum sdfg_list_kind what, const struct codegen_added *added, struct arena *a, codegen_rows *out)
{
    struct listing l = { what, added, a, out };
    return guard_run(list_all, &l, NULL);
}
