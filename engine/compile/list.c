/* What the code generator has, as rows of texts. */
#include "engine/compile/compile.h"
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

static void list_targets(const struct targets *all, codegen_take *take, void *user)
{
    for (uint32_t i = all->count; i-- > 0;) {
        const struct target *t = all->items[i];
        struct words schedules = { .length = 0 }, storages = { .length = 0 };
        add_taken(&schedules, all, t, CLAIM_SCHEDULE, ENUM_SCHEDULE);
        add_taken(&storages, all, t, CLAIM_STORAGE, ENUM_STORAGE);
        struct codegen_row row = { .name = t->name, .text = t->text, .device = t->device && !t->user };
        add_value(&row, "schedules", schedules.text);
        add_value(&row, "storages", storages.text);
        take(user, &row);
    }
}

static const struct {
    enum fact fact;
    const char *name;
} facts[] = {
    { FACT_GRAPH, "graph" },     { FACT_VALID, "valid" }, { FACT_TYPES, "types" },
    { FACT_TARGET, "target" },   { FACT_TREE, "tree" },   { FACT_NONTEMPORAL, "nontemporal" },
    { FACT_THREADS, "threads" }, { FACT_JIT, "jit" },     { FACT_MODULES, "modules" },
    { FACT_OBJECTS, "objects" }, { FACT_CODE, "code" },
};

const char *fact_name(unsigned set)
{
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (set & facts[i].fact)
            return facts[i].name;
    return "";
}

static struct words names_of_facts(unsigned set)
{
    struct words w = { .length = 0 };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (set & facts[i].fact)
            add_word(&w, facts[i].name);
    return w;
}

static void list_passes(codegen_take *take, void *user)
{
    for (const struct pass *p = pipeline; p->run; p++) {
        struct words needs = names_of_facts(p->needs), makes = names_of_facts(p->makes),
                     breaks = names_of_facts(p->breaks);
        struct codegen_row row = { .name = p->name, .text = p->text };
        add_value(&row, "needs", needs.text);
        add_value(&row, "makes", makes.text);
        add_value(&row, "breaks", breaks.text);
        add_value(&row, "code", p->devices == TREE_PASS_CPU ? "CPU" : p->devices == TREE_PASS_GPU ? "GPU" : "BOTH");
        take(user, &row);
    }
}

static void list_ops(codegen_take *take, void *user)
{
    static const struct {
        const char *name, *library, *class, *text;
    } ops[] = {
#define LIBRARY_OP(function, library, class, text) { library "." class, library, class, text },
#include "lower/graph/library/ops.def"
#undef LIBRARY_OP
    };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct codegen_row row = { .name = ops[i].name, .text = ops[i].text };
        add_value(&row, "library", ops[i].library);
        add_value(&row, "class", ops[i].class);
        take(user, &row);
    }
}

void compile_list(enum sdfg_list_kind what, const struct codegen_target *targets, uint32_t num_targets,
                  codegen_take *take, void *user)
{
    if (what == SDFG_LIST_TARGETS) {
        struct arena *a = arena_new();
        list_targets(compile_targets(a, targets, num_targets, NULL), take, user);
        arena_free(a);
    } else if (what == SDFG_LIST_PASSES)
        list_passes(take, user);
    else if (what == SDFG_LIST_OPS)
        list_ops(take, user);
}
