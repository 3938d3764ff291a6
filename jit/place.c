#include "jit/place.h"

#include "base/fatal.h"
#include "base/intern.h"
#include "jit/place_internal.h"

#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 30 }; /* relocations reach 2 GiB either way */

bool place_refuse(struct placed *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!p->why)
        p->why = arena_vprintf(p->arena, format, args);
    va_end(args);
    return false;
}

/* ---- symbols ---- */

bool place_is_definition(const struct place_symbol *s) { return s->entry.st_shndx != SHN_UNDEF; }

static bool define_globals(struct placed *p, struct place_file *f)
{
    for (uint32_t i = 0; i < f->num_symbols; i++) {
        struct place_symbol *s = &f->symbols[i];
        if (!place_is_definition(s) || ELF64_ST_BIND(s->entry.st_info) == STB_LOCAL)
            continue;
        if (map_has(&p->globals, s->name))
            return place_refuse(p, "'%s' is defined twice", s->name);
        map_put(p->arena, &p->globals, s->name, s);
    }
    return true;
}

static void set_address(const struct place_file *f, struct place_symbol *s)
{
    s->address = s->entry.st_value;
    if (s->entry.st_shndx != SHN_ABS)
        s->address += (uint64_t)(uintptr_t)f->sections[s->entry.st_shndx].memory;
}

/* Definitions of all objects have their addresses. */
static bool resolve(struct placed *p, struct place_file *f, const struct place_options *o)
{
    for (uint32_t i = 1; i < f->num_symbols; i++) { /* the first is no symbol */
        struct place_symbol *s = &f->symbols[i];
        if (place_is_definition(s))
            continue;
        const struct place_symbol *definition = map_get(&p->globals, s->name);
        s->address = definition ? definition->address : (uint64_t)(uintptr_t)place_find(o->symbol, s->name);
        if (!s->address && ELF64_ST_BIND(s->entry.st_info) != STB_WEAK)
            return place_refuse(p, "nobody has '%s'", s->name);
    }
    return true;
}

/* ---- memory ---- */

static size_t round_up(size_t n, size_t alignment) { return (n + alignment - 1) & ~(alignment - 1); }

bool place_reserve(struct placed *p, enum place_group g, uint64_t bytes, size_t alignment, size_t *offset)
{
    struct place_range *group = &p->groups[g];
    if (bytes > MOST_BYTES || group->size > MOST_BYTES)
        return place_refuse(p, "the objects need more than 1 GiB");
    *offset = round_up(group->size, alignment ? alignment : 1);
    group->size = *offset + (size_t)bytes;
    return true;
}

bool place_lay_out(struct placed *p, size_t page)
{
    for (uint32_t i = 0; i < p->num_files; i++)
        for (uint32_t k = 0; k < p->files[i].num_sections; k++) {
            struct place_section *s = &p->files[i].sections[k];
            if (s->group == GROUP_NONE)
                continue;
            if (!place_reserve(p, s->group, s->header.sh_size, s->header.sh_addralign, &s->offset))
                return false;
            p->bytes += s->header.sh_size;
        }
    if (!place_reserve(p, GROUP_CODE, (uint64_t)p->num_veneers * VENEER_BYTES, VENEER_BYTES, &p->veneers_at) ||
        !place_reserve(p, p->got_group, (uint64_t)p->num_got * GOT_BYTES, GOT_BYTES, &p->got_at))
        return false;
    for (int g = 0; g < GROUP_COUNT; g++) {
        p->groups[g].offset = p->image_size;
        p->groups[g].size = round_up(p->groups[g].size, page);
        p->image_size += p->groups[g].size;
    }
    return p->image_size <= MOST_BYTES || place_refuse(p, "the objects need more than 1 GiB");
}

static void copy_sections(struct placed *p, struct place_file *f)
{
    for (uint32_t i = 0; i < f->num_sections; i++) {
        struct place_section *s = &f->sections[i];
        if (s->group == GROUP_NONE)
            continue;
        s->memory = p->image + p->groups[s->group].offset + s->offset;
        if (s->header.sh_type != SHT_NOBITS)
            memcpy(s->memory, f->bytes + s->header.sh_offset, s->header.sh_size);
    }
    for (uint32_t i = 0; i < f->num_symbols; i++)
        if (place_is_definition(&f->symbols[i]))
            set_address(f, &f->symbols[i]);
}

bool place_map(struct placed *p)
{
    if (!p->image_size)
        return place_refuse(p, "the objects have no code");
    void *memory = mmap(NULL, p->image_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return place_refuse(p, "no memory for the code");
    p->image = memory;
    p->veneers = p->image + p->groups[GROUP_CODE].offset + p->veneers_at;
    p->got = p->image + p->groups[p->got_group].offset + p->got_at;
    for (uint32_t i = 0; i < p->num_files; i++)
        copy_sections(p, &p->files[i]);
    return true;
}

static void fill_slots(struct placed *p, const struct place_file *f)
{
    for (uint32_t i = 0; i < f->num_symbols; i++) {
        const struct place_symbol *s = &f->symbols[i];
        if (s->got)
            memcpy(p->got + (size_t)(s->got - 1) * GOT_BYTES, &s->address, GOT_BYTES);
        if (s->veneer)
            place_write_veneer(f->machine, p->veneers + (size_t)(s->veneer - 1) * VENEER_BYTES, s->address);
    }
}

/* From here on nothing is writable and executable at once, and before nothing was executable. */
static bool protect(struct placed *p)
{
    static const int rights[GROUP_COUNT] = {
        [GROUP_CODE] = PROT_READ | PROT_EXEC,
        [GROUP_CONSTANT] = PROT_READ,
        [GROUP_DATA] = PROT_READ | PROT_WRITE,
    };
    for (int g = 0; g < GROUP_COUNT; g++) {
        const struct place_range *range = &p->groups[g];
        if (range->size && g != GROUP_DATA && mprotect(p->image + range->offset, range->size, rights[g]))
            return place_refuse(p, "memory cannot be made executable");
    }
    char *code = (char *)p->image + p->groups[GROUP_CODE].offset;
    __builtin___clear_cache(code, code + p->groups[GROUP_CODE].size);
    return true;
}

/* ---- all of it ---- */

static uint16_t this_machine(void)
{
#if defined(__x86_64__)
    return EM_X86_64;
#elif defined(__aarch64__)
    return EM_AARCH64;
#else
    return EM_NONE;
#endif
}

bool place_read_all(struct placed *p)
{
    for (uint32_t i = 0; i < p->num_files; i++)
        if (!place_read(p, &p->files[i]) || !define_globals(p, &p->files[i]) || !place_scan(p, &p->files[i]))
            return false;
    return true;
}

static bool place_all(struct placed *p, const struct place_options *o)
{
    p->got_group = GROUP_CONSTANT;
    if (!place_read_all(p) || !place_lay_out(p, (size_t)sysconf(_SC_PAGESIZE)) || !place_map(p))
        return false;
    for (uint32_t i = 0; i < p->num_files; i++) {
        if (!resolve(p, &p->files[i], o))
            return false;
        fill_slots(p, &p->files[i]);
        if (!place_relocate(p, &p->files[i]))
            return false;
    }
    return protect(p);
}

static void free_half_made(void *placed) { place_free(placed); }

struct placed *place_new(const struct code_object *objects, uint32_t count, const struct place_options *o,
                         struct arena *a, const char **why)
{
    struct arena *own = arena_new();
    struct placed *p = NEW(own, struct placed);
    p->arena = own;
    struct cleanup half_made;
    cleanup_push(&half_made, free_half_made, p);
    p->names = intern_new(own);
    p->files = NEW_ARRAY(own, struct place_file, count);
    for (uint32_t i = 0; i < count; i++)
        if (objects[i].type != CODE_KEPT)
            p->files[p->num_files++] = (struct place_file){ .bytes = objects[i].bytes,
                                                            .size = objects[i].size,
                                                            .machine = o->machine ? o->machine : this_machine() };
    if (!place_all(p, o)) {
        *why = arena_strdup(a, p->why);
        cleanup_pop(&half_made);
        place_free(p);
        return NULL;
    }
    if (o->listeners)
        place_announce(p);
    cleanup_pop(&half_made);
    arena_keep(own);
    for (uint32_t i = 0; i < p->num_files; i++)
        p->files[i].bytes = NULL; /* the caller's; not kept */
    return p;
}

void place_free(struct placed *p)
{
    if (!p)
        return;
    place_withdraw(p);
    if (p->image)
        munmap(p->image, p->image_size);
    arena_free(p->arena);
}

void *place_address(const struct placed *p, const char *name)
{
    const char *known = intern_find(p->names, name);
    const struct place_symbol *s = known ? map_get(&p->globals, known) : NULL;
    if (!s)
        return NULL;
    const struct place_range *code = &p->groups[GROUP_CODE];
    return s->address - (uint64_t)(uintptr_t)(p->image + code->offset) < code->size ? (void *)(uintptr_t)s->address
                                                                                    : NULL;
}

size_t place_bytes(const struct placed *p) { return p->bytes; }

size_t place_memory(const struct placed *p) { return p->image_size + arena_bytes(p->arena); }
