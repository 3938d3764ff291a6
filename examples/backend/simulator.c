/* A back end as a plug-in: the simulator of an accelerator with memory of its own. It is made to be copied.
 *
 *     cc -shared -fPIC backend/simulator.c $(pkg-config --cflags sdfg) -o libsimulator.so
 *     sdfg-run backend/simulator.sdfg --N=1000 --plugin=./libsimulator.so
 *
 * It adds to the format:
 *
 *     schedule Sim_Grid                 blocks of a kernel, on the threads of the host
 *     schedule Sim_Threads (size)       threads of a block, in groups of `size` that run one after the other
 *     storage  Sim_Global               memory of the accelerator
 *     storage  Sim_Shared               memory of a block
 *
 * and one target that serves them. Code for loops is made with sdfg_code; what only the accelerator can do (its memory,
 * copies, kernel launches) are C functions, which the program calls by name. What the accelerator must know of a kernel
 * is an object: it is kept with the code, and loaded before the program runs. SIMULATOR=off says that there is no
 * accelerator, SIMULATOR=trace prints what it did. */
#include <sdfg_plugin.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the accelerator: an environment with state; its "driver" are functions of the C library ---- */

struct accelerator {
    void *(*take)(size_t bytes);
    void (*give_back)(void *address);
    atomic_llong kernels, launches, groups, copies;
};

static bool accelerator_begin(void *state, void *const *symbols, sdfg_give *give, void *to)
{
    struct accelerator *a = state;
    (void)give, (void)to; /* nothing here can fail */
    memcpy(&a->take, &symbols[0], sizeof a->take);
    memcpy(&a->give_back, &symbols[1], sizeof a->give_back);
    return true;
}

static void accelerator_end(void *state)
{
    struct accelerator *a = state;
    const char *mode = getenv("SIMULATOR");
    if (mode && !strcmp(mode, "trace"))
        fprintf(stderr, "simulator: kernels %lld, launches %lld, groups %lld, copies %lld\n", a->kernels, a->launches,
                a->groups, a->copies);
}

static const char *const driver[] = { "libc.so.6", NULL };
static const char *const driver_symbols[] = { "malloc", "free", NULL };

static const sdfg_environment environment = {
    .struct_size = sizeof environment,
    .name = "simulator.driver",
    .libraries = driver,
    .symbols = driver_symbols,
    .state_bytes = sizeof(struct accelerator),
    .init = accelerator_begin,
    .exit = accelerator_end,
};

/* ---- what programs call ---- */

static struct accelerator *accelerator_of(const sdfg_target_call *call) { return call->states[0]; }

static bool take(sdfg_target_call *call) /* bytes: address */
{
    void *memory = call->arguments[0] > 1LL << 40 ? NULL : accelerator_of(call)->take((size_t)call->arguments[0] + 1);
    call->result = (int64_t)(intptr_t)memory;
    return memory != NULL;
}

static bool give_back(sdfg_target_call *call) /* address */
{
    accelerator_of(call)->give_back((void *)(intptr_t)call->arguments[0]);
    return true;
}

/* A kernel as the accelerator knows it. */
struct kernel {
    char name[64];
    atomic_llong launches;
};

static bool load(sdfg_loaded_object *o, sdfg_give *give, void *to)
{
    static const char no_memory[] = "there is no memory for the kernel";
    struct accelerator *a = o->states[0];
    struct kernel *k = calloc(1, sizeof *k);
    if (!k)
        return give(to, no_memory, sizeof no_memory - 1), false;
    snprintf(k->name, sizeof k->name, "%.*s", (int)o->object->size, (const char *)o->object->bytes);
    a->kernels++;
    o->value = (int64_t)(intptr_t)k;
    return true;
}

static void unload(const sdfg_loaded_object *o)
{
    struct kernel *k = (void *)(intptr_t)o->value;
    const char *mode = getenv("SIMULATOR");
    if (mode && !strcmp(mode, "trace"))
        fprintf(stderr, "simulator: kernel '%s', launches %lld\n", k->name, k->launches);
    free(k);
}

static bool launch(sdfg_target_call *call) /* kernel */
{
    struct kernel *k = (void *)(intptr_t)call->arguments[0];
    k->launches++;
    accelerator_of(call)->launches++;
    return true;
}

static bool group(sdfg_target_call *call)
{
    accelerator_of(call)->groups++;
    return true;
}

enum { TO, FROM, ELEMENT, RANK, DIMENSIONS }; /* then of each dimension: extent, stride there, stride here */

static void copy_dimension(char *to, const char *from, const int64_t *d, int64_t rank, size_t element)
{
    if (!rank)
        memcpy(to, from, element);
    else if (rank == 1 && d[1] == (int64_t)element && d[2] == (int64_t)element)
        memmove(to, from, (size_t)d[0] * element);
    else
        for (int64_t i = 0; i < d[0]; i++)
            copy_dimension(to + i * d[1], from + i * d[2], d + 3, rank - 1, element);
}

static bool copy(sdfg_target_call *call)
{
    const int64_t *a = call->arguments;
    accelerator_of(call)->copies++;
    for (int64_t i = 0; i < a[RANK]; i++)
        if (a[DIMENSIONS + 3 * i] <= 0)
            return true;
    copy_dimension((char *)(intptr_t)a[TO], (const char *)(intptr_t)a[FROM], a + DIMENSIONS, a[RANK],
                   (size_t)a[ELEMENT]);
    return true;
}

static const sdfg_target_entry functions[] = {
    { "take", take }, { "give_back", give_back }, { "launch", launch }, { "group", group }, { "copy", copy },
};

/* ---- how code is made ---- */

static bool probe(void *user, sdfg_give *give, void *to)
{
    static const char why[] = "the environment variable SIMULATOR says 'off'";
    const char *mode = getenv("SIMULATOR");
    (void)user;
    if (!mode || strcmp(mode, "off") != 0)
        return true;
    give(to, why, sizeof why - 1);
    return false;
}

/* A kernel: parallel loops over the blocks, behind a call that launches it. */
static enum sdfg_answer enter_grid(sdfg_code *code, const sdfg_map *map)
{
    sdfg_code_object o = { sizeof o, code->path, map->label, strlen(map->label) };
    sdfg_value *kernel = code->object(code, &o);
    code->call(code, "launch", &kernel, 1);
    for (size_t i = 0; i < map->rank; i++)
        code->parameter(code, i,
                        code->loop(code, map->params[i], map->begin[i], map->end[i], map->step[i],
                                   SDFG_LOOP_INDEPENDENT | (i ? 0u : (unsigned)SDFG_LOOP_PARALLEL)));
    return SDFG_DONE;
}

/* Threads of a block: along the first dimension in groups of `size`. */
static enum sdfg_answer enter_threads(sdfg_code *code, const sdfg_map *map)
{
    sdfg_value *size = code->compute(code, SDFG_MUL, code->number(code, code->attribute(code, "size")), map->step[0]);
    sdfg_value *first = code->loop(code, "group", map->begin[0], map->end[0], size, 0);
    code->call(code, "group", NULL, 0);
    sdfg_value *beyond = code->compute(code, SDFG_MIN, code->compute(code, SDFG_ADD, first, size), map->end[0]);
    for (size_t i = 0; i < map->rank; i++)
        code->parameter(code, i,
                        code->loop(code, map->params[i], i ? map->begin[i] : first, i ? map->end[i] : beyond,
                                   map->step[i], SDFG_LOOP_INDEPENDENT));
    return SDFG_DONE;
}

static enum sdfg_answer enter(void *user, sdfg_code *code, const sdfg_map *map)
{
    (void)user;
    return strcmp(map->schedule, "Sim_Grid") ? enter_threads(code, map) : enter_grid(code, map);
}

/* Memory of a block is that of the thread that runs it, as the base has it. */
static enum sdfg_answer allocate(void *user, sdfg_code *code, sdfg_memory *m)
{
    (void)user;
    if (strcmp(m->storage, "Sim_Global") != 0)
        return SDFG_INHERITED;
    m->address = code->call(code, "take", &m->bytes, 1);
    return SDFG_DONE;
}

static enum sdfg_answer release(void *user, sdfg_code *code, const sdfg_memory *m)
{
    (void)user;
    if (strcmp(m->storage, "Sim_Global") != 0)
        return SDFG_INHERITED;
    code->call(code, "give_back", &m->address, 1);
    return SDFG_DONE;
}

/* Between host and accelerator. Conversions and sums are left to the base, which can reach both. */
static enum sdfg_answer transfer(void *user, sdfg_code *code, const sdfg_transfer *c)
{
    enum { MOST = 8 };
    sdfg_value *arguments[DIMENSIONS + 3 * MOST];
    (void)user;
    if (c->converts || c->reduces)
        return SDFG_INHERITED;
    if (c->rank > MOST) {
        code->fail(code, "copies of more than 8 dimensions");
        return SDFG_FAILED;
    }
    arguments[TO] = c->to.address;
    arguments[FROM] = c->from.address;
    arguments[ELEMENT] = code->number(code, (int64_t)c->from.element_bytes);
    arguments[RANK] = code->number(code, (int64_t)c->rank);
    for (size_t i = 0; i < c->rank; i++) {
        arguments[DIMENSIONS + 3 * i] = c->extents[i];
        arguments[DIMENSIONS + 3 * i + 1] = c->to.strides[i];
        arguments[DIMENSIONS + 3 * i + 2] = c->from.strides[i];
    }
    code->call(code, "copy", arguments, DIMENSIONS + 3 * c->rank);
    return SDFG_DONE;
}

static const char *const schedules[] = { "Sim_Grid", "Sim_Threads", NULL };
static const char *const memory[] = { "Sim_Global", "Sim_Shared", NULL };
static const char *const host[] = { "Default", "CPU_Heap", "CPU_Pinned", "Register", NULL };
static const char *const environments[] = { "simulator.driver", NULL };

static const sdfg_claim claims[] = {
    { .kind = SDFG_CLAIM_SCHEDULE, .names = schedules },
    { .kind = SDFG_CLAIM_STORAGE, .names = memory },
    { .kind = SDFG_CLAIM_COPY, .names = host, .to = memory },
    { .kind = SDFG_CLAIM_COPY, .names = memory, .to = host },
    { .kind = SDFG_CLAIM_COPY, .names = memory, .to = memory },
};

static const sdfg_target simulator = {
    .struct_size = sizeof simulator,
    .name = "simulator",
    .text = "kernels and memory of a simulated accelerator",
    .extends = "cpu",
    .claims = claims,
    .num_claims = sizeof claims / sizeof *claims,
    .functions = functions,
    .num_functions = sizeof functions / sizeof *functions,
    .environments = environments,
    .probe = probe,
    .enter = enter,
    .allocate = allocate,
    .release = release,
    .copy = transfer,
    .load = load,
    .unload = unload,
};

/* ---- what the plug-in adds ---- */

static bool add_member(const sdfg_plugin_api *api, enum sdfg_enumeration e, const char *name, const char *inside)
{
    static const sdfg_attribute size[] = { { .name = "size", .type = SDFG_ATTRIBUTE_INTEGER } };
    sdfg_member m = { .struct_size = sizeof m, .enumeration = e, .name = name };
    if (!strcmp(name, "Sim_Threads")) {
        m.attributes = size;
        m.num_attributes = 1;
    }
    m.storage_inside = inside;
    return api->member(api->plugin, &m);
}

SDFG_PLUGIN("simulator", "1.0", "a simulated accelerator");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    return add_member(api, SDFG_ENUM_STORAGE, "Sim_Global", NULL) &&
           add_member(api, SDFG_ENUM_STORAGE, "Sim_Shared", NULL) &&
           add_member(api, SDFG_ENUM_SCHEDULE, "Sim_Threads", "Register") &&
           add_member(api, SDFG_ENUM_SCHEDULE, "Sim_Grid", "Sim_Shared") &&
           api->environment(api->plugin, &environment) && api->target(api->plugin, &simulator);
}
