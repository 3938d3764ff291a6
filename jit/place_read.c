#include "jit/place_internal.h"

#include "base/intern.h"

#include <string.h>

/* The tables of one object, with everything checked that later steps rely on. */

enum { MOST_ALIGNMENT = 4096 };

static bool within(const struct place_file *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset;
}

static bool read_header(struct placed *p, struct place_file *f, Elf64_Ehdr *h)
{
    if (!within(f, 0, sizeof *h))
        return place_refuse(p, "the object is shorter than an ELF header");
    memcpy(h, f->bytes, sizeof *h);
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_version != EV_CURRENT || h->e_type != ET_REL)
        return place_refuse(p, "not a relocatable little-endian ELF64 object");
    if (h->e_machine != f->machine)
        return place_refuse(p, "the object is for machine %u, not %u", h->e_machine, f->machine);
    if (h->e_shentsize != sizeof(Elf64_Shdr) || !h->e_shnum || h->e_shnum >= SHN_LORESERVE ||
        !within(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
        return place_refuse(p, "the section table does not lie within the object");
    return true;
}

/* Where a section goes; false if it asks for more than memory with its contents. */
static bool classify(struct placed *p, struct place_section *s)
{
    const Elf64_Shdr *h = &s->header;
    s->group = GROUP_NONE;
    if (!(h->sh_flags & SHF_ALLOC) || h->sh_type == SHT_NOTE || !h->sh_size)
        return true;
    if (h->sh_flags & (SHF_TLS | SHF_COMPRESSED))
        return place_refuse(p, "a section is thread-local or compressed");
    if (h->sh_type != SHT_PROGBITS && h->sh_type != SHT_NOBITS && h->sh_type != SHT_X86_64_UNWIND)
        return place_refuse(p, "a section is of type 0x%x", h->sh_type);
    if ((h->sh_flags & SHF_WRITE) && (h->sh_flags & SHF_EXECINSTR))
        return place_refuse(p, "a section is writable and executable");
    if (h->sh_addralign > MOST_ALIGNMENT || (h->sh_addralign & (h->sh_addralign - 1)))
        return place_refuse(p, "a section is aligned to %llu bytes", (unsigned long long)h->sh_addralign);
    s->group = h->sh_flags & SHF_EXECINSTR ? GROUP_CODE : h->sh_flags & SHF_WRITE ? GROUP_DATA : GROUP_CONSTANT;
    return true;
}

/* Functions to be called when code is loaded or unloaded; older forms have no type of their own. */
static bool has_constructors(const struct place_file *f, const Elf64_Ehdr *h)
{
    static const char *const names[] = { ".ctors", ".dtors", ".init", ".fini" };
    const struct place_section *strings = h->e_shstrndx < f->num_sections ? &f->sections[h->e_shstrndx] : NULL;
    if (!strings || strings->header.sh_type != SHT_STRTAB)
        return false;
    for (uint32_t i = 0; i < f->num_sections; i++) {
        uint64_t at = f->sections[i].header.sh_name, size = strings->header.sh_size;
        for (size_t k = 0; k < sizeof names / sizeof *names && f->sections[i].group != GROUP_NONE; k++) {
            size_t length = strlen(names[k]);
            if (at < size && length <= size - at &&
                !memcmp(f->bytes + strings->header.sh_offset + at, names[k], length))
                return true;
        }
    }
    return false;
}

static bool read_sections(struct placed *p, struct place_file *f, const Elf64_Ehdr *h)
{
    f->num_sections = h->e_shnum;
    f->sections = NEW_ARRAY(p->arena, struct place_section, f->num_sections);
    for (uint32_t i = 0; i < f->num_sections; i++) {
        struct place_section *s = &f->sections[i];
        memcpy(&s->header, f->bytes + h->e_shoff + i * sizeof s->header, sizeof s->header);
        if (s->header.sh_type != SHT_NOBITS && s->header.sh_type != SHT_NULL &&
            !within(f, s->header.sh_offset, s->header.sh_size))
            return place_refuse(p, "section %u does not lie within the object", i);
        if (!classify(p, s))
            return false;
        if (s->header.sh_type == SHT_SYMTAB) {
            if (f->symbol_table)
                return place_refuse(p, "the object has two symbol tables");
            f->symbol_table = i;
        }
    }
    return !has_constructors(f, h) || place_refuse(p, "the object has constructors");
}

static bool check_symbol(struct placed *p, const struct place_file *f, const struct place_symbol *s)
{
    unsigned type = ELF64_ST_TYPE(s->entry.st_info);
    uint16_t section = s->entry.st_shndx;
    if (type == STT_TLS || type == STT_GNU_IFUNC || type == STT_COMMON || section == SHN_COMMON)
        return place_refuse(p, "'%s' is thread-local, indirect or common", s->name);
    if (section >= SHN_LORESERVE)
        return section == SHN_ABS || place_refuse(p, "'%s' lies in special section 0x%x", s->name, section);
    if (section >= f->num_sections)
        return place_refuse(p, "'%s' lies in a section that does not exist", s->name);
    if (section != SHN_UNDEF && s->entry.st_value > f->sections[section].header.sh_size)
        return place_refuse(p, "'%s' lies outside its section", s->name);
    return true;
}

static bool read_symbols(struct placed *p, struct place_file *f)
{
    if (!f->symbol_table)
        return true;
    const Elf64_Shdr *table = &f->sections[f->symbol_table].header;
    if (table->sh_entsize != sizeof(Elf64_Sym) || table->sh_link >= f->num_sections ||
        f->sections[table->sh_link].header.sh_type != SHT_STRTAB)
        return place_refuse(p, "the symbol table is malformed");
    const Elf64_Shdr *strings = &f->sections[table->sh_link].header;
    const char *text = (const char *)f->bytes + strings->sh_offset;
    f->num_symbols = (uint32_t)(table->sh_size / sizeof(Elf64_Sym));
    f->symbols = NEW_ARRAY(p->arena, struct place_symbol, f->num_symbols);
    for (uint32_t i = 0; i < f->num_symbols; i++) {
        struct place_symbol *s = &f->symbols[i];
        memcpy(&s->entry, f->bytes + table->sh_offset + i * sizeof s->entry, sizeof s->entry);
        uint64_t name = s->entry.st_name;
        if (name >= strings->sh_size || !memchr(text + name, 0, strings->sh_size - name))
            return place_refuse(p, "the name of symbol %u does not lie within the object", i);
        s->name = intern(p->names, text + name);
        if (!check_symbol(p, f, s))
            return false;
    }
    return true;
}

bool place_read(struct placed *p, struct place_file *f)
{
    Elf64_Ehdr h;
    return read_header(p, f, &h) && read_sections(p, f, &h) && read_symbols(p, f);
}
