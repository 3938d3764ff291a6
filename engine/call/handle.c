#include "engine/call/handle.h"

#include "base/fatal.h"
#include "engine/call/device.h"
#include "engine/kernels/kernels.h"
#include "runtime/abi.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct handle_table {
    struct sdfg_program *program;
    pthread_mutex_t lock; /* guards the list */
    struct arena *arena;
    struct handle *first;
};

struct scan {
    const struct sdfg_program *program;
    bool *in_key;
    bool persistent_inside; /* a nested SDFG has persistent memory: its sizes may depend on any symbol */
};

static bool is_persistent(const struct container *c)
{
    return c->lifetime && (c->lifetime->row == LIFETIME_PERSISTENT || c->lifetime->row == LIFETIME_GLOBAL ||
                           c->lifetime->row == LIFETIME_EXTERNAL);
}

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool text_names(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[length]))
            return true;
    return false;
}

/* What runs when the handle is made has the values of its symbols. */
static void scan_text(struct scan *scan, const char *text)
{
    for (uint32_t v = 0; v < scan->program->num_variables; v++)
        scan->in_key[v] |= text_names(text, scan->program->variables[v].name);
}

static void scan_block(void *user, struct block *b)
{
    struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++)
        if (as_tasklet(st->nodes.items[i]))
            scan_text(user, as_tasklet(st->nodes.items[i])->code_init.text);
}

static void scan_sdfg(void *user, struct sdfg *s)
{
    struct scan *scan = user;
    const struct sdfg_program *p = scan->program;
    for (uint32_t i = 0; i < s->init_code.count; i++)
        scan_text(scan, s->init_code.items[i].text);
    region_each_block(&s->region, scan_block, scan);
    for (uint32_t i = 0; i < s->containers.count; i++) {
        const struct container *c = s->containers.items[i];
        if (!c->transient || !is_persistent(c))
            continue;
        scan->persistent_inside |= s != p->root;
        for (uint32_t v = 0; v < p->num_variables; v++)
            scan->in_key[v] |= c->total_size && sym_mentions(c->total_size, p->variables[v].name);
    }
}

struct handle_table *handles_new(struct sdfg_program *p)
{
    struct arena *a = arena_new();
    struct handle_table *t = NEW(a, struct handle_table);
    t->program = p;
    t->arena = a;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

bool *handles_key(const struct sdfg_program *p)
{
    struct scan scan = { .program = p, .in_key = NEW_ARRAY(p->ir->arena, bool, p->num_variables) };
    sdfg_each(p->root, scan_sdfg, &scan);
    for (uint32_t v = 0; scan.persistent_inside && v < p->num_variables; v++)
        scan.in_key[v] = true;
    return scan.in_key;
}

static bool same_key(const struct handle_table *t, const struct handle *h, const struct symbol_value *values)
{
    for (uint32_t v = 0; v < t->program->num_variables; v++)
        if (t->program->in_key[v] && h->key[v] != values[v].value)
            return false;
    return true;
}

static struct handle *find_or_add(struct handle_table *t, const struct symbol_value *values)
{
    struct cleanup locked;
    guard_lock(&locked, &t->lock);
    struct handle *h = t->first;
    while (h && !same_key(t, h, values))
        h = h->next;
    if (!h) {
        h = NEW(t->arena, struct handle);
        h->key = NEW_ARRAY(t->arena, int64_t, t->program->num_variables);
        for (uint32_t v = 0; v < t->program->num_variables; v++)
            h->key[v] = values[v].value;
        pthread_mutex_init(&h->run, NULL);
        h->next = t->first;
        t->first = h;
    }
    guard_unlock(&locked);
    return h;
}

static sdfg_error *start(struct handle *h, struct sdfg_kernel *k, void *const *args)
{
    if (k->code.num_slots && !(h->slots = calloc(k->code.num_slots, sizeof *h->slots)))
        return run_error(SDFG_RT_OUT_OF_MEMORY);
    h->num_slots = k->code.num_slots;
    if (k->code.init) {
        struct sdfg_rt_context context = { .num_threads = k->program->engine->options.num_threads,
                                           .slots = h->slots,
                                           .user = engine_functions(k->program->engine),
                                           .pool = k->program->pool,
                                           .objects = k->kept_values };
        struct sdfg_rt_device device;
        device_enter(k, &device, &context);
        k->code.init(&context, args);
        if (context.error) {
            sdfg_rt_release(&context);
            free(h->slots);
            h->slots = NULL;
            return device_explains(&context) ? device_error(&context) : run_error(context.error);
        }
        sdfg_rt_hand_over(&context);
    }
    kernels_pin(k); /* its exit code is needed in the end */
    h->owner = k;
    return NULL;
}

struct handle *handles_enter(struct handle_table *t, struct sdfg_kernel *k, void *const *args,
                             const struct symbol_value *values, sdfg_error **error)
{
    GUARDED((*error = error_memory(SDFG_STAGE_RUN), NULL));
    struct handle *h = find_or_add(t, values);
    pthread_mutex_lock(&h->run);
    *error = NULL;
    if (!h->owner)
        *error = start(h, k, args);
    else if (h->num_slots != k->code.num_slots)
        *error = error_of(SDFG_STAGE_RUN, DIAG_PERSISTENT_CHANGED, h->num_slots, k->code.num_slots);
    if (!*error)
        return h;
    pthread_mutex_unlock(&h->run);
    return NULL;
}

void handles_free(struct handle_table *t)
{
    if (!t)
        return;
    for (struct handle *h = t->first; h; h = h->next) {
        if (h->owner && h->owner->code.exit) {
            /* Exit code takes no arguments: what it needs was put into the slots. */
            struct sdfg_rt_context context = { .num_threads = 1,
                                               .slots = h->slots,
                                               .user = engine_functions(t->program->engine),
                                               .pool = t->program->pool,
                                               .objects = h->owner->kept_values };
            struct sdfg_rt_device device;
            device_enter(h->owner, &device, &context);
            h->owner->code.exit(&context, NULL);
        }
        free(h->slots);
        pthread_mutex_destroy(&h->run);
    }
    pthread_mutex_destroy(&t->lock);
    arena_free(t->arena);
}
