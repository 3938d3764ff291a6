/* The device of the stand-in: a process that has the memory of the device, and nothing else of the program, and runs
 * kernels. The threads of a block are fibers. A thread runs until it waits; then the next one does. The order in which
 * they come ($SDFG_STANDIN_ORDER: forward, reverse, rotated) must not matter for a correct kernel. */
#include "tests/gpu/standin/standin.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { GOOD = 0, NO_BINARY = 209, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, TIMEOUT = 702, LAUNCH_FAILED = 719 };
enum { NEW, READY, AT_BLOCK, AT_WARP, DONE }; /* of a thread */
enum { STACK = 64 << 10, MODULES = 4096, PASSES = 1 << 20 };

struct module {
    void *library;
    const struct standin_kernel *kernels;
    char *shared;
    size_t shared_size;
};
static struct module modules[MODULES];
static int num_modules;

struct standin_block {
    struct standin_thread *threads;
    unsigned live;
    char *shared; /* its contents while another block runs */
};

struct standin_thread *standin_self;
static void *scheduler_sp;
static sigjmp_buf recover;
static void (*body)(const char *);
static const char *params;

/* ---- fibers ---- */

/* Saves the registers that a function must keep, and goes on where the other stack was left. */
void standin_switch(void **save, void *to);
__asm__(".text\n.globl standin_switch\n.type standin_switch, @function\nstandin_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
        ".size standin_switch, . - standin_switch\n");

static void wait_as(int state)
{
    struct standin_thread *self = standin_self;
    self->state = state;
    standin_switch(&self->sp, scheduler_sp);
}

static void start(void)
{
    body(params);
    wait_as(DONE);
}

void standin_block_barrier(void) { wait_as(AT_BLOCK); }
void standin_yield(void) { wait_as(READY); }
void standin_warp_barrier(unsigned mask)
{
    standin_self->mask = mask;
    wait_as(AT_WARP);
}
void standin_trap(void) { siglongjmp(recover, LAUNCH_FAILED); }

/* Stacks are kept, in a list through their first words; a page below each faults. */
static void *stacks;
static void *take_stack(void)
{
    void *s = stacks;
    if (s) {
        stacks = *(void **)s;
        return s;
    }
    char *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, 4096, PROT_NONE))
        abort();
    return memory + 4096;
}
static void give_stack(void *s)
{
    *(void **)s = stacks;
    stacks = s;
}

static void prepare(struct standin_thread *t)
{
    enum { SAVED = 6 };
    t->stack = take_stack();
    void **top = (void **)((char *)t->stack + STACK - 4096);
    *--top = NULL; /* where `start` would return to; keeps the alignment */
    void (*first)(void) = start;
    memcpy(--top, &first, sizeof first);
    t->sp = top - SAVED;
}

/* ---- blocks ---- */

static int order;
static unsigned at(unsigned i, unsigned n) { return order == 0 ? i : order == 1 ? n - 1 - i : (i + n / 2 + 1) % n; }

/* All lanes of the mask that are there wait for each other. */
static bool warp_is_complete(const struct standin_block *b, const struct standin_thread *t, unsigned size)
{
    unsigned first = t->number - t->number % STANDIN_WARP;
    for (unsigned lane = 0; lane < STANDIN_WARP && first + lane < size; lane++) {
        const struct standin_thread *o = &b->threads[first + lane];
        if (t->mask >> lane & 1 && o->state != DONE && (o->state != AT_WARP || o->mask != t->mask))
            return false;
    }
    return true;
}

static void release(struct standin_block *b, unsigned size)
{
    unsigned waiting = 0;
    for (unsigned i = 0; i < size; i++)
        waiting += b->threads[i].state == AT_BLOCK;
    for (unsigned i = 0; i < size; i++) {
        struct standin_thread *t = &b->threads[i];
        if (t->state == AT_BLOCK && waiting == b->live) {
            t->state = READY;
        } else if (t->state == AT_WARP && warp_is_complete(b, t, size)) {
            unsigned mask = t->mask, first = i - i % STANDIN_WARP;
            for (unsigned lane = 0; lane < STANDIN_WARP && first + lane < size; lane++)
                if (mask >> lane & 1 && b->threads[first + lane].state == AT_WARP)
                    b->threads[first + lane].state = READY;
        }
    }
}

static void run_thread(struct standin_thread *t)
{
    if (t->state == NEW)
        prepare(t);
    standin_self = t;
    standin_switch(&scheduler_sp, t->sp);
    if (t->state == DONE) {
        give_stack(t->stack);
        t->owner->live--;
    }
}

/* Threads until they wait. Gives whether one ran; *yielded: all who did only let others go first. */
static bool run_some(struct standin_block *b, unsigned size)
{
    bool ran = false;
    for (unsigned i = 0; i < size; i++) {
        struct standin_thread *t = &b->threads[at(i, size)];
        if (t->state == NEW || t->state == READY) {
            run_thread(t);
            ran = true;
        }
    }
    return ran;
}

/* `count` blocks that are under way together. */
static int run_blocks(const struct module *m, struct standin_block *blocks, unsigned count, unsigned size)
{
    unsigned live = count;
    for (long pass = 0; live; pass++) {
        bool ran = false;
        live = 0;
        for (unsigned i = 0; i < count; i++) {
            struct standin_block *b = &blocks[at(i, count)];
            if (!b->live)
                continue;
            if (b->shared)
                memcpy(m->shared, b->shared, m->shared_size);
            ran |= run_some(b, size);
            if (b->shared)
                memcpy(b->shared, m->shared, m->shared_size);
            release(b, size);
            live += b->live != 0;
        }
        if ((!ran || pass > PASSES) && live)
            return TIMEOUT; /* they wait for what does not come */
    }
    return GOOD;
}

static void init_block(struct standin_block *b, const int64_t *s, int64_t number)
{
    unsigned size = (unsigned)(s[3] * s[4] * s[5]);
    b->live = size;
    for (unsigned i = 0; i < size; i++) {
        struct standin_thread *t = &b->threads[i];
        t->thread = (struct standin_dim){ i % s[3], i / s[3] % s[4], (unsigned)(i / s[3] / s[4]) };
        t->block = (struct standin_dim){ (unsigned)(number % s[0]), (unsigned)(number / s[0] % s[1]),
                                         (unsigned)(number / s[0] / s[1]) };
        t->threads = (struct standin_dim){ (unsigned)s[3], (unsigned)s[4], (unsigned)s[5] };
        t->blocks = (struct standin_dim){ (unsigned)s[0], (unsigned)s[1], (unsigned)s[2] };
        t->number = i;
        t->state = NEW;
        t->owner = b;
    }
}

static int run_grid(const struct module *m, const int64_t *s, bool together)
{
    unsigned size = (unsigned)(s[3] * s[4] * s[5]), all = (unsigned)(s[0] * s[1] * s[2]), count = together ? all : 1;
    struct standin_block *blocks = calloc(count, sizeof *blocks);
    struct standin_thread *threads = calloc((size_t)count * size, sizeof *threads);
    int result = GOOD;
    for (unsigned i = 0; i < count; i++) {
        blocks[i].threads = threads + (size_t)i * size;
        if (together && m->shared_size)
            blocks[i].shared = memset(malloc(m->shared_size), 0xff, m->shared_size);
    }
    for (unsigned i = 0; i < all && result == GOOD; i += count) {
        for (unsigned k = 0; k < count; k++)
            init_block(&blocks[k], s, together ? k : at(i, all));
        if (!together && m->shared_size)
            memset(m->shared, 0xff, m->shared_size);
        result = run_blocks(m, blocks, count, size);
    }
    for (unsigned i = 0; i < count; i++)
        free(blocks[i].shared);
    free(blocks);
    free(threads);
    return result;
}

/* ---- faults ---- */

static void fault(int number) { siglongjmp(recover, number == SIGALRM ? TIMEOUT : ILLEGAL_ADDRESS); }

static void watch(void)
{
    static char stack[1 << 16];
    stack_t alternative = { .ss_sp = stack, .ss_size = sizeof stack };
    sigaltstack(&alternative, NULL);
    struct sigaction act = { .sa_handler = fault, .sa_flags = SA_ONSTACK | SA_NODEFER };
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &act, NULL);
}

static int launch(const struct standin_request *q, const char *payload)
{
    const struct module *m = &modules[q->module];
    const char *limit = getenv("SDFG_STANDIN_TIMEOUT"); /* seconds */
    int code = sigsetjmp(recover, 1);
    if (code)
        return code;
    body = m->kernels[q->kernel].run;
    params = payload;
    alarm(limit ? (unsigned)atoi(limit) : 120);
    int result = run_grid(m, q->shape, q->cooperative);
    alarm(0);
    return result;
}

/* ---- requests ---- */

static int load(const char *file, int64_t *number)
{
    struct module m = { .library = dlopen(file, RTLD_NOW | RTLD_LOCAL) };
    if (!m.library) {
        fprintf(stderr, "stand-in device: %s\n", dlerror());
        return NO_BINARY;
    }
    m.kernels = dlsym(m.library, "standin_kernels");
    char *const *shared = dlsym(m.library, "standin_shared_memory");
    if (!m.kernels || !shared || num_modules == MODULES)
        return NO_BINARY;
    m.shared = shared[0];
    m.shared_size = (size_t)(shared[1] - shared[0]);
    modules[num_modules] = m;
    *number = num_modules++;
    return GOOD;
}

static int find(const struct module *m, const char *name, struct standin_reply *r)
{
    for (int64_t i = 0; m->kernels[i].name; i++)
        if (!strcmp(m->kernels[i].name, name)) {
            r->value = i;
            r->shape[0] = m->kernels[i].bytes;
            r->shape[1] = m->kernels[i].threads;
            return GOOD;
        }
    return NOT_FOUND;
}

static void answer(const struct standin_request *q, const char *payload, struct standin_reply *r)
{
    char *address = (char *)(uintptr_t)q->address;
    switch (q->kind) {
    case STANDIN_MAP:
        r->result = mprotect(address, (size_t)q->size, PROT_READ | PROT_WRITE) ? 2 : GOOD;
        break;
    case STANDIN_UNMAP:
        r->result = mprotect(address, (size_t)q->size, PROT_NONE) ? 2 : GOOD;
        break;
    case STANDIN_LOAD:
        r->result = load(payload, &r->value);
        break;
    case STANDIN_UNLOAD:
        dlclose(modules[q->module].library);
        break;
    case STANDIN_FIND:
        r->result = find(&modules[q->module], payload, r);
        break;
    default:
        r->result = launch(q, payload);
        break;
    }
}

static bool receive(void *out, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t n = read(STANDIN_SOCKET, (char *)out + got, size - got);
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

int main(void)
{
    const char *wanted = getenv("SDFG_STANDIN_ORDER");
    order = !wanted ? 0 : !strcmp(wanted, "reverse") ? 1 : !strcmp(wanted, "rotated") ? 2 : 0;
    void *memory = mmap((void *)(uintptr_t)STANDIN_BASE, STANDIN_SPACE, PROT_NONE,
                        MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, STANDIN_MEMORY, 0);
    if (memory == MAP_FAILED)
        return 1;
    watch();
    struct standin_request q;
    static char payload[1 << 16] __attribute__((aligned(16)));
    while (receive(&q, sizeof q)) {
        struct standin_reply r = { .result = GOOD };
        if (q.payload > (int64_t)sizeof payload || !receive(payload, (size_t)q.payload))
            return 1;
        answer(&q, payload, &r);
        if (write(STANDIN_SOCKET, &r, sizeof r) != sizeof r)
            return 1;
    }
    return 0;
}
