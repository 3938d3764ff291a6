#include "jit/internal.h"

#include "base/fatal.h"
#include "base/heap.h"
#include "base/stack.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

bool jit_unit_fail(struct jit_unit *u, const char *doing, const char *message)
{
    /* The arena and the diagnostics belong to another thread. The first failure is the cause of the others. */
    if (!u->failed && asprintf(&u->error, "%s: %s", doing, message) < 0)
        u->error = NULL;
    u->failed = true;
    return false;
}

bool jit_unit_report(struct jit *j, struct jit_unit *u)
{
    if (!u->failed)
        return true;
    if (u->memory || !u->error)
        return diag_error(j->diags, NULL, DIAG_MEMORY);
    return diag_error(j->diags, NULL, DIAG_LLVM, "compiling", u->error);
}

bool jit_unit_emit(struct jit_unit *u, LLVMTargetMachineRef machine, LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out)
{
    char *message = NULL;
    *out = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, u->module, kind, &message, out)) {
        jit_unit_fail(u, "emitting", message);
        LLVMDisposeMessage(message);
    } else if (!*out) { /* the copy of the object needs memory */
        fatal_memory();
    }
    return !u->failed;
}

struct unit_task {
    struct jit_unit *unit;
    LLVMTargetMachineRef machine;
    const struct jit_options *options;
};

static void unit_compile(void *task)
{
    struct unit_task *t = task;
    struct jit_unit *u = t->unit;
    LLVMTargetMachineRef machine = t->machine;
    const struct jit_options *o = t->options;
    double start = jit_now();
    bool ok = jit_unit_optimize(u, machine, o);
    double middle = jit_now();
    if (ok)
        jit_unit_emit(u, machine, LLVMObjectFile, &u->object);
    u->optimize = middle - start;
    u->emit = jit_now() - middle;
    /* The module is large and no longer needed; the unit keeps its object and its error. */
    LLVMDisposeModule(u->module);
    LLVMContextDispose(u->context);
    u->module = NULL;
    u->context = NULL;
}

/* LLVM could not go on with this unit: its context and the machine stay as they are. */
static void abandon(struct jit *j, struct jit_unit *u, const struct guard *failed)
{
    atomic_store(&j->abandoned, true);
    jit_abandoned();
    u->module = NULL;
    u->context = NULL;
    u->object = NULL;
    if (failed->memory)
        u->memory = u->failed = true;
    else
        jit_unit_fail(u, "LLVM gave up", failed->message);
}

/* Threads take the next unit until none is left. A target machine cannot be shared. */
struct crew {
    struct jit *jit;
    atomic_uint next;
};

static void work(struct crew *c, LLVMTargetMachineRef machine)
{
    struct jit *j = c->jit;
    for (;;) {
        uint32_t i = atomic_fetch_add(&c->next, 1);
        if (i >= j->units.count || atomic_load(&j->abandoned))
            return;
        struct unit_task t = { j->units.items[i], machine, &j->options };
        struct guard failed;
        if (t.unit->module && !guard_run(unit_compile, &t, &failed))
            abandon(j, t.unit, &failed);
    }
}

struct machine_task {
    const struct jit_machine *kind;
    LLVMTargetMachineRef *out;
};

static void machine_new(void *task)
{
    struct machine_task *t = task;
    *t->out = jit_machine_new(t->kind);
}

static void *worker(void *crew)
{
    struct crew *c = crew;
    struct guard failed;
    LLVMTargetMachineRef machine = NULL;
    struct machine_task t = { &c->jit->machine, &machine };
    void *room = heap_room();
    if (!guard_run(machine_new, &t, &failed)) { /* the other threads do the work */
        jit_abandoned();
        free(room);
        return NULL;
    }
    work(c, machine);
    free(room);
    if (!atomic_load(&c->jit->abandoned))
        LLVMDisposeTargetMachine(machine);
    return NULL;
}

static uint32_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

bool jit_compile(struct jit *j)
{
    enum { MAX_THREADS = 16 };
    uint32_t wanted = j->options.num_threads > 0 ? (uint32_t)j->options.num_threads : processors();
    uint32_t threads = wanted < j->units.count ? wanted : j->units.count;
    threads = threads < MAX_THREADS ? threads : MAX_THREADS;

    struct crew crew = { .jit = j };
    pthread_t helpers[MAX_THREADS];
    uint32_t started = 0;
    while (started + 1 < threads && stack_thread(&helpers[started], worker, &crew) == 0)
        started++; /* fewer helpers than wanted only take longer */
    work(&crew, j->target_machine);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);

    bool ok = true;
    for (uint32_t i = 0; i < j->units.count; i++)
        ok = jit_unit_report(j, j->units.items[i]) && ok;
    if (ok)
        jit_first_done();
    return ok;
}
