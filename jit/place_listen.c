#include "jit/place_internal.h"

#include "base/vec.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* ---- gdb's JIT interface: names, layout and values are gdb's (its manual, "JIT Compilation Interface") ---- */

struct jit_code_entry {
    struct jit_code_entry *next_entry, *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
};

struct jit_descriptor {
    uint32_t version, action_flag;
    struct jit_code_entry *relevant_entry, *first_entry;
};

enum { JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN };

void __jit_debug_register_code(void);
extern struct jit_descriptor __jit_debug_descriptor;

/* Weak, because a program may contain LLVM, which defines the same pair. gdb sets a breakpoint here. */
__attribute__((weak, noinline)) void __jit_debug_register_code(void) { __asm__ volatile("" ::: "memory"); }

__attribute__((weak)) struct jit_descriptor __jit_debug_descriptor = { 1, JIT_NOACTION, NULL, NULL };

static pthread_mutex_t gdb_lock = PTHREAD_MUTEX_INITIALIZER; /* the list is one per process */

struct place_announced {
    struct jit_code_entry entry;
    struct place_announced *next;
};

static void tell_gdb(struct jit_code_entry *entry, uint32_t action)
{
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_descriptor.action_flag = action;
    __jit_debug_register_code();
}

/* gdb reads a copy of the object in which sections say where they lie. */
static struct place_announced *symbol_file(struct placed *p, const struct place_file *f)
{
    struct place_announced *announced = NEW(p->arena, struct place_announced);
    unsigned char *copy = arena_copy(p->arena, f->bytes, f->size);
    Elf64_Ehdr header;
    memcpy(&header, copy, sizeof header);
    for (uint32_t i = 0; i < f->num_sections; i++) {
        Elf64_Shdr section = f->sections[i].header;
        section.sh_addr = (uint64_t)(uintptr_t)f->sections[i].memory;
        memcpy(copy + header.e_shoff + i * sizeof section, &section, sizeof section);
    }
    announced->entry = (struct jit_code_entry){ .symfile_addr = (const char *)copy, .symfile_size = f->size };
    return announced;
}

static void announce_to_gdb(struct placed *p, const struct place_file *f)
{
    struct place_announced *announced = symbol_file(p, f);
    announced->next = p->announced;
    p->announced = announced;
    struct jit_code_entry *entry = &announced->entry;
    pthread_mutex_lock(&gdb_lock);
    entry->next_entry = __jit_debug_descriptor.first_entry;
    if (entry->next_entry)
        entry->next_entry->prev_entry = entry;
    __jit_debug_descriptor.first_entry = entry;
    tell_gdb(entry, JIT_REGISTER_FN);
    pthread_mutex_unlock(&gdb_lock);
}

void place_withdraw(struct placed *p)
{
    for (struct place_announced *announced = p->announced; announced; announced = announced->next) {
        struct jit_code_entry *entry = &announced->entry;
        pthread_mutex_lock(&gdb_lock);
        if (entry->prev_entry)
            entry->prev_entry->next_entry = entry->next_entry;
        else
            __jit_debug_descriptor.first_entry = entry->next_entry;
        if (entry->next_entry)
            entry->next_entry->prev_entry = entry->prev_entry;
        tell_gdb(entry, JIT_UNREGISTER_FN);
        pthread_mutex_unlock(&gdb_lock);
    }
    p->announced = NULL;
}

/* ---- perf ---- */

static void add_functions(const struct place_file *f, struct text *lines)
{
    for (uint32_t i = 0; i < f->num_symbols; i++) {
        const struct place_symbol *s = &f->symbols[i];
        if (ELF64_ST_TYPE(s->entry.st_info) == STT_FUNC && s->entry.st_shndx != SHN_UNDEF)
            text_printf(lines, "%llx %llx %s\n", (unsigned long long)s->address, (unsigned long long)s->entry.st_size,
                        s->name);
    }
}

/* The file's name is perf's. One write, so that several threads do not mix their lines; a reader who cannot get the
 * file loses names only. */
static void announce_to_perf(struct placed *p)
{
    struct text lines = text_new(p->arena);
    for (uint32_t i = 0; i < p->num_files; i++)
        add_functions(&p->files[i], &lines);
    int file = open(arena_printf(p->arena, "/tmp/perf-%d.map", (int)getpid()),
                    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0)
        return;
    ssize_t written = write(file, text_get(&lines), lines.length);
    (void)written;
    close(file);
}

void place_announce(struct placed *p)
{
    for (uint32_t i = 0; i < p->num_files; i++)
        announce_to_gdb(p, &p->files[i]);
    announce_to_perf(p);
}
