#include "base/intern.h"
#include "base/vec.h"
#include "jit/place_internal.h"

#include <stddef.h>
#include <string.h>

/* One object as a shared library: the image that the placer makes, behind the tables that the dynamic linker reads.
 * Addresses in the library are positions in its file. What is not defined here goes through slots that the dynamic
 * linker fills when it loads the library (formats: System V ABI, chapters 4 and 5). */

enum { SEGMENTS = GROUP_COUNT + 3, NUM_TAGS = 14 };

struct shared_writer {
    struct placed *p;
    const struct place_shared *options;
    struct place_file *file;
    struct arena *arena;
    uint16_t machine;
    size_t page;
    size_t base;             /* position of the image in the file */
    uint32_t *dynamic_index; /* per symbol of the object: its place in the dynamic symbol table, or 0 */
    VEC(Elf64_Sym) symbols;
    struct text strings;
    size_t dynamic_at; /* in GROUP_DATA */
    size_t symbols_at, strings_at, hash_at, relocations_at;
    struct text head; /* everything before the image */
};

static void put(struct text *t, const void *bytes, size_t size) { text_addn(t, bytes, size); }

static void pad(struct text *t, size_t alignment)
{
    while (t->length % alignment)
        text_addc(t, 0);
}

static uint32_t string(struct shared_writer *w, const char *s)
{
    uint32_t at = (uint32_t)w->strings.length;
    put(&w->strings, s, strlen(s) + 1);
    return at;
}

static uint64_t file_address(const struct shared_writer *w, uint64_t in_memory)
{
    return in_memory - (uint64_t)(uintptr_t)w->p->image + w->base;
}

/* ---- the image ---- */

/* Calls of what is elsewhere jump through a slot; nothing reaches it directly. */
static void route_calls(struct shared_writer *w)
{
    for (uint32_t i = 0; i < w->file->num_symbols; i++) {
        struct place_symbol *s = &w->file->symbols[i];
        if (s->veneer && !s->got)
            s->got = ++w->p->num_got;
    }
}

static void link_outside(struct shared_writer *w)
{
    struct placed *p = w->p;
    for (uint32_t i = 0; i < w->file->num_symbols; i++) {
        struct place_symbol *s = &w->file->symbols[i];
        if (!place_is_definition(s))
            s->address = (uint64_t)(uintptr_t)p->image + ((uint64_t)1 << 40); /* too far for any relocation */
        unsigned char *slot = p->got + (size_t)(s->got - 1) * GOT_BYTES;
        if (s->veneer)
            place_write_jump(w->machine, p->veneers + (size_t)(s->veneer - 1) * VENEER_BYTES, slot);
        if (s->got) {
            struct place_fixup x = { (size_t)(slot - p->image), s, 0, true };
            vec_push(p->arena, p->fixups, x);
        }
    }
}

static bool make_image(struct shared_writer *w)
{
    struct placed *p = w->p;
    p->fixups = NEW(p->arena, struct place_fixups);
    p->got_group = GROUP_DATA;
    size_t tags = NUM_TAGS + w->options->num_needed;
    if (!place_read_all(p))
        return false;
    route_calls(w);
    if (!place_reserve(p, GROUP_DATA, tags * sizeof(Elf64_Dyn), sizeof(Elf64_Dyn), &w->dynamic_at) ||
        !place_lay_out(p, w->page) || !place_map(p))
        return false;
    link_outside(w);
    return place_relocate(p, w->file);
}

/* ---- tables ---- */

static void add_symbol(struct shared_writer *w, const struct place_symbol *s, unsigned char binding)
{
    Elf64_Sym out = { .st_name = string(w, s->name) };
    bool defined = place_is_definition(s);
    out.st_info = (unsigned char)ELF64_ST_INFO(binding, defined ? STT_FUNC : STT_NOTYPE);
    out.st_size = defined ? s->entry.st_size : 0;
    out.st_shndx = defined ? 1 : SHN_UNDEF; /* any section; the tables are read by address */
    out.st_value = defined ? s->address : 0;
    vec_push(w->arena, &w->symbols, out);
    w->dynamic_index[s - w->file->symbols] = w->symbols.count - 1;
}

static bool add_symbols(struct shared_writer *w)
{
    vec_push(w->arena, &w->symbols, ((Elf64_Sym){ 0 }));
    for (uint32_t i = 0; i < w->options->num_exports; i++) {
        const char *name = w->options->exports[i], *known = intern_find(w->p->names, name);
        const struct place_symbol *s = known ? map_get(&w->p->globals, known) : NULL;
        if (!s)
            return place_refuse(w->p, "the object does not define '%s'", name);
        add_symbol(w, s, STB_GLOBAL);
    }
    for (uint32_t i = 0; i < w->p->fixups->count; i++) {
        const struct place_symbol *s = w->p->fixups->items[i].symbol;
        if (!place_is_definition(s) && !w->dynamic_index[s - w->file->symbols])
            add_symbol(w, s, ELF64_ST_BIND(s->entry.st_info) == STB_WEAK ? STB_WEAK : STB_GLOBAL);
    }
    return true;
}

/* One bucket: there are few symbols. */
static void add_hash(struct shared_writer *w)
{
    uint32_t count = w->symbols.count, words[] = { 1, count, count > 1 ? 1 : 0 };
    put(&w->head, words, sizeof words);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = i && i + 1 < count ? i + 1 : 0;
        put(&w->head, &next, sizeof next);
    }
}

static void add_relocations(struct shared_writer *w)
{
    bool x86 = w->machine == EM_X86_64;
    uint32_t relative = x86 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE,
             slot = x86 ? R_X86_64_GLOB_DAT : R_AARCH64_GLOB_DAT, word = x86 ? R_X86_64_64 : R_AARCH64_ABS64;
    for (uint32_t i = 0; i < w->p->fixups->count; i++) {
        const struct place_fixup *x = &w->p->fixups->items[i];
        uint64_t index = w->dynamic_index[x->symbol - w->file->symbols];
        Elf64_Rela r = { .r_offset = w->base + x->offset };
        if (place_is_definition(x->symbol)) {
            r.r_info = ELF64_R_INFO(0, relative);
            r.r_addend = (int64_t)(file_address(w, x->symbol->address) + x->addend);
        } else {
            r.r_info = ELF64_R_INFO(index, x->slot ? slot : word);
            r.r_addend = (int64_t)x->addend;
        }
        put(&w->head, &r, sizeof r);
    }
}

static size_t round_up(size_t n, size_t alignment) { return (n + alignment - 1) / alignment * alignment; }

/* Positions of the tables and, behind them, of the image. */
static void lay_out_head(struct shared_writer *w)
{
    w->symbols_at = sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr);
    w->hash_at = w->symbols_at + w->symbols.count * sizeof(Elf64_Sym);
    w->relocations_at = round_up(w->hash_at + (3 + (size_t)w->symbols.count) * sizeof(uint32_t), 8);
    w->strings_at = w->relocations_at + w->p->fixups->count * sizeof(Elf64_Rela);
    w->base = round_up(w->strings_at + w->strings.length, w->page);
}

static void write_dynamic(struct shared_writer *w, uint32_t name, uint32_t search, const uint32_t *needed)
{
    unsigned char *at = w->p->image + w->p->groups[GROUP_DATA].offset + w->dynamic_at;
    Elf64_Dyn tags[NUM_TAGS] = {
        { DT_SONAME, { name } },
        { DT_RUNPATH, { search } },
        { DT_HASH, { w->hash_at } },
        { DT_SYMTAB, { w->symbols_at } },
        { DT_SYMENT, { sizeof(Elf64_Sym) } },
        { DT_STRTAB, { w->strings_at } },
        { DT_STRSZ, { w->strings.length } },
        { DT_RELA, { w->relocations_at } },
        { DT_RELASZ, { w->p->fixups->count * sizeof(Elf64_Rela) } },
        { DT_RELAENT, { sizeof(Elf64_Rela) } },
        { DT_FLAGS, { DF_BIND_NOW } },
        { DT_FLAGS_1, { DF_1_NOW } },
    };
    for (uint32_t i = 0; i < w->options->num_needed; i++, at += sizeof(Elf64_Dyn))
        memcpy(at, &(Elf64_Dyn){ DT_NEEDED, { needed[i] } }, sizeof(Elf64_Dyn));
    memcpy(at, tags, sizeof tags);
}

/* ---- headers ---- */

static void add_file_header(struct shared_writer *w, size_t sections_at, uint16_t num_sections)
{
    Elf64_Ehdr h = {
        .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
        .e_type = ET_DYN,
        .e_machine = w->machine,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof h,
        .e_shoff = sections_at,
        .e_ehsize = sizeof h,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = SEGMENTS,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = num_sections,
        .e_shstrndx = (uint16_t)(num_sections - 1),
    };
    put(&w->head, &h, sizeof h);
}

static void add_segment(struct shared_writer *w, uint32_t type, uint32_t rights, size_t at, size_t size,
                        size_t alignment)
{
    Elf64_Phdr h = { type, rights, at, at, at, size, size, alignment };
    put(&w->head, &h, sizeof h);
}

static void add_segments(struct shared_writer *w)
{
    static const uint32_t rights[GROUP_COUNT] = {
        [GROUP_CODE] = PF_R | PF_X, [GROUP_CONSTANT] = PF_R, [GROUP_DATA] = PF_R | PF_W
    };
    const struct place_range *data = &w->p->groups[GROUP_DATA];
    size_t tags = NUM_TAGS + w->options->num_needed;
    add_segment(w, PT_LOAD, PF_R, 0, w->strings_at + w->strings.length, w->page);
    for (int g = 0; g < GROUP_COUNT; g++) /* the dynamic linker does not mind empty ones */
        add_segment(w, PT_LOAD, rights[g], w->base + w->p->groups[g].offset, w->p->groups[g].size, w->page);
    add_segment(w, PT_DYNAMIC, PF_R | PF_W, w->base + data->offset + w->dynamic_at, tags * sizeof(Elf64_Dyn), 8);
    add_segment(w, PT_GNU_STACK, PF_R | PF_W, 0, 0, 16);
}

/* Linkers and tools find the tables by sections. The first one stands for the image, so that its symbols have one. */
static void add_sections(struct shared_writer *w, struct text *out)
{
    static const char names[] = "\0.text\0.dynsym\0.dynstr\0.hash\0.rela.dyn\0.dynamic\0.shstrtab";
    enum { TEXT = 1, DYNSYM = 7, DYNSTR = 15, HASH = 23, RELA = 29, DYNAMIC = 39, SHSTRTAB = 48, NUM_SECTIONS = 8 };
    const struct place_range *groups = w->p->groups;
    size_t dynamic = w->base + groups[GROUP_DATA].offset + w->dynamic_at,
           dynamic_size = (NUM_TAGS + w->options->num_needed) * sizeof(Elf64_Dyn), names_at = out->length;
    put(out, names, sizeof names);
    pad(out, 8);
    const Elf64_Shdr sections[NUM_SECTIONS] = {
        { 0 },
        { TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, w->base, w->base, groups[GROUP_CODE].size, 0, 0, 16, 0 },
        { DYNSYM, SHT_DYNSYM, SHF_ALLOC, w->symbols_at, w->symbols_at, w->symbols.count * sizeof(Elf64_Sym), 3, 1, 8,
          sizeof(Elf64_Sym) },
        { DYNSTR, SHT_STRTAB, SHF_ALLOC, w->strings_at, w->strings_at, w->strings.length, 0, 0, 1, 0 },
        { HASH, SHT_HASH, SHF_ALLOC, w->hash_at, w->hash_at, (3 + (size_t)w->symbols.count) * 4, 2, 0, 4, 4 },
        { RELA, SHT_RELA, SHF_ALLOC, w->relocations_at, w->relocations_at, w->p->fixups->count * sizeof(Elf64_Rela), 2,
          0, 8, sizeof(Elf64_Rela) },
        { DYNAMIC, SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, dynamic, dynamic, dynamic_size, 3, 0, 8, sizeof(Elf64_Dyn) },
        { SHSTRTAB, SHT_STRTAB, 0, 0, names_at, sizeof names, 0, 0, 1, 0 },
    };
    size_t at = out->length;
    put(out, sections, sizeof sections);
    add_file_header(w, at, NUM_SECTIONS);
}

static bool write_file(struct shared_writer *w, struct text *out)
{
    string(w, "");
    uint32_t name = string(w, w->options->name), search = string(w, w->options->search);
    uint32_t *needed = NEW_ARRAY(w->arena, uint32_t, w->options->num_needed);
    for (uint32_t i = 0; i < w->options->num_needed; i++)
        needed[i] = string(w, w->options->needed[i]);
    if (!add_symbols(w))
        return false;
    lay_out_head(w);
    for (uint32_t i = 1; i < w->symbols.count; i++)
        if (w->symbols.items[i].st_shndx)
            w->symbols.items[i].st_value = file_address(w, w->symbols.items[i].st_value);
    write_dynamic(w, name, search, needed);

    struct text tail = text_new(w->arena); /* the image, and the table of sections */
    for (size_t i = 0; i < w->base; i += 64)
        put(&tail, (const char[64]){ 0 }, 64);
    put(&tail, w->p->image, w->p->image_size);
    add_sections(w, &tail);
    add_segments(w);
    put(&w->head, w->symbols.items, w->symbols.count * sizeof(Elf64_Sym));
    add_hash(w);
    pad(&w->head, 8);
    add_relocations(w);
    put(&w->head, text_get(&w->strings), w->strings.length);
    memcpy(tail.data, w->head.data, w->head.length);
    put(out, tail.data, tail.length);
    return true;
}

bool place_write_shared(const struct code_object *object, const struct place_shared *o, struct text *out,
                        const char **why)
{
    struct arena *a = arena_new();
    struct placed *p = NEW(a, struct placed);
    p->arena = a;
    p->names = intern_new(a);
    p->num_files = 1;
    p->files = NEW_ARRAY(a, struct place_file, 1);
    uint16_t machine = EM_NONE;
    if (object->size >= sizeof(Elf64_Ehdr))
        memcpy(&machine, (const char *)object->bytes + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
    *p->files = (struct place_file){ .bytes = object->bytes, .size = object->size, .machine = machine };
    struct shared_writer w = { .p = p, .options = o, .file = p->files, .arena = a, .machine = machine };
    w.page = machine == EM_AARCH64 ? 0x10000 : 0x1000; /* the largest that systems have */
    w.strings = w.head = text_new(a);
    bool ok = machine == EM_X86_64 || machine == EM_AARCH64 ||
              place_refuse(p, "the object is no ELF file of x86-64 or AArch64");
    if (ok && make_image(&w)) {
        w.dynamic_index = NEW_ARRAY(a, uint32_t, w.file->num_symbols);
        ok = write_file(&w, out);
    } else {
        ok = false;
    }
    if (!ok)
        *why = arena_strdup(out->arena, p->why);
    place_free(p);
    return ok;
}
