#include "jit/place_internal.h"

#include "base/vec.h"

#include <string.h>

/* Relocations that LLVM writes for position-independent code of the small model, on x86-64 and AArch64 (names and
 * formulas: the psABI of x86-64, ELF for the Arm 64-bit architecture). S is the symbol, A the addend, P the place. */

enum formula {
    ABSOLUTE,     /* S + A */
    RELATIVE,     /* S + A - P */
    CALL,         /* the same, by a veneer if that is too far */
    GOT_RELATIVE, /* slot + A - P */
    PAGE,         /* page(S + A) - page(P) */
    GOT_PAGE,     /* page(slot + A) - page(P) */
    LOW_BITS,     /* (S + A) within its page */
    GOT_LOW_BITS, /* slot + A within its page */
    NOTHING
};

/* How the value is stored. `bits` is the signed range, checked; 0: all 64 bits, or low bits only. */
enum field {
    FIELD_64,
    FIELD_32, /* signed */
    FIELD_32_UNSIGNED,
    FIELD_BRANCH26,
    FIELD_BRANCH19,
    FIELD_BRANCH14,
    FIELD_ADR21,  /* bytes */
    FIELD_ADRP21, /* pages */
    FIELD_IMM12   /* scaled by the access size */
};

struct kind {
    uint32_t type;
    enum formula formula;
    enum field field;
    unsigned scale; /* FIELD_IMM12: log2 of the access size */
};

static const struct kind x86_64[] = {
    { R_X86_64_NONE, NOTHING, FIELD_32, 0 },
    { R_X86_64_64, ABSOLUTE, FIELD_64, 0 },
    { R_X86_64_32, ABSOLUTE, FIELD_32_UNSIGNED, 0 },
    { R_X86_64_32S, ABSOLUTE, FIELD_32, 0 },
    { R_X86_64_PC32, RELATIVE, FIELD_32, 0 },
    { R_X86_64_PC64, RELATIVE, FIELD_64, 0 },
    { R_X86_64_PLT32, CALL, FIELD_32, 0 },
    { R_X86_64_GOTPCREL, GOT_RELATIVE, FIELD_32, 0 },
    { R_X86_64_GOTPCRELX, GOT_RELATIVE, FIELD_32, 0 },
    { R_X86_64_REX_GOTPCRELX, GOT_RELATIVE, FIELD_32, 0 },
};

static const struct kind aarch64[] = {
    { R_AARCH64_NONE, NOTHING, FIELD_32, 0 },
    { R_AARCH64_ABS64, ABSOLUTE, FIELD_64, 0 },
    { R_AARCH64_ABS32, ABSOLUTE, FIELD_32_UNSIGNED, 0 },
    { R_AARCH64_PREL64, RELATIVE, FIELD_64, 0 },
    { R_AARCH64_PREL32, RELATIVE, FIELD_32, 0 },
    { R_AARCH64_CALL26, CALL, FIELD_BRANCH26, 0 },
    { R_AARCH64_JUMP26, CALL, FIELD_BRANCH26, 0 },
    { R_AARCH64_CONDBR19, RELATIVE, FIELD_BRANCH19, 0 },
    { R_AARCH64_LD_PREL_LO19, RELATIVE, FIELD_BRANCH19, 0 },
    { R_AARCH64_TSTBR14, RELATIVE, FIELD_BRANCH14, 0 },
    { R_AARCH64_ADR_PREL_LO21, RELATIVE, FIELD_ADR21, 0 },
    { R_AARCH64_ADR_PREL_PG_HI21, PAGE, FIELD_ADRP21, 0 },
    { R_AARCH64_ADD_ABS_LO12_NC, LOW_BITS, FIELD_IMM12, 0 },
    { R_AARCH64_LDST8_ABS_LO12_NC, LOW_BITS, FIELD_IMM12, 0 },
    { R_AARCH64_LDST16_ABS_LO12_NC, LOW_BITS, FIELD_IMM12, 1 },
    { R_AARCH64_LDST32_ABS_LO12_NC, LOW_BITS, FIELD_IMM12, 2 },
    { R_AARCH64_LDST64_ABS_LO12_NC, LOW_BITS, FIELD_IMM12, 3 },
    { R_AARCH64_LDST128_ABS_LO12_NC, LOW_BITS, FIELD_IMM12, 4 },
    { R_AARCH64_ADR_GOT_PAGE, GOT_PAGE, FIELD_ADRP21, 0 },
    { R_AARCH64_LD64_GOT_LO12_NC, GOT_LOW_BITS, FIELD_IMM12, 3 },
};

static const struct kind *find_kind(uint16_t machine, uint32_t type)
{
    const struct kind *kinds = machine == EM_X86_64 ? x86_64 : aarch64;
    size_t count = machine == EM_X86_64 ? sizeof x86_64 / sizeof *x86_64 : sizeof aarch64 / sizeof *aarch64;
    for (size_t i = 0; i < count; i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

static bool takes_got(const struct kind *k)
{
    return k->formula == GOT_RELATIVE || k->formula == GOT_PAGE || k->formula == GOT_LOW_BITS;
}

/* ---- the relocations of a file ---- */

typedef bool visitor(struct placed *p, struct place_file *f, const struct kind *k, const Elf64_Rela *r,
                     const struct place_section *target);

static bool check_table(struct placed *p, const struct place_file *f, const Elf64_Shdr *table)
{
    if (table->sh_type == SHT_REL)
        return place_refuse(p, "relocations have no addends");
    if (table->sh_entsize != sizeof(Elf64_Rela) || !f->symbol_table || table->sh_link != f->symbol_table)
        return place_refuse(p, "a relocation table is malformed");
    return true;
}

static bool each_in_table(struct placed *p, struct place_file *f, const Elf64_Shdr *table, visitor *visit)
{
    const struct place_section *target = &f->sections[table->sh_info];
    for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela r;
        memcpy(&r, f->bytes + table->sh_offset + i * sizeof r, sizeof r);
        const struct kind *k = find_kind(f->machine, ELF64_R_TYPE(r.r_info));
        if (!k)
            return place_refuse(p, "relocation of type %u", (unsigned)ELF64_R_TYPE(r.r_info));
        if (!visit(p, f, k, &r, target))
            return false;
    }
    return true;
}

/* Those of sections that are not loaded (debug information) are the business of debuggers. */
static bool each_relocation(struct placed *p, struct place_file *f, visitor *visit)
{
    for (uint32_t i = 0; i < f->num_sections; i++) {
        const Elf64_Shdr *table = &f->sections[i].header;
        if ((table->sh_type != SHT_RELA && table->sh_type != SHT_REL) || table->sh_info >= f->num_sections ||
            f->sections[table->sh_info].group == GROUP_NONE)
            continue;
        if (!check_table(p, f, table) || !each_in_table(p, f, table, visit))
            return false;
    }
    return true;
}

static bool scan(struct placed *p, struct place_file *f, const struct kind *k, const Elf64_Rela *r,
                 const struct place_section *target)
{
    uint64_t symbol = ELF64_R_SYM(r->r_info), width = k->field == FIELD_64 ? 8 : 4, size = target->header.sh_size;
    if (symbol >= f->num_symbols)
        return place_refuse(p, "a relocation names a symbol that does not exist");
    if (target->header.sh_type == SHT_NOBITS || r->r_offset > size || width > size - r->r_offset)
        return place_refuse(p, "a relocation lies outside its section");
    struct place_symbol *s = &f->symbols[symbol];
    if (s->entry.st_shndx != SHN_UNDEF && s->entry.st_shndx != SHN_ABS &&
        f->sections[s->entry.st_shndx].group == GROUP_NONE && f->sections[s->entry.st_shndx].header.sh_size)
        return place_refuse(p, "a relocation refers to a section that is not loaded");
    if (takes_got(k) && !s->got)
        s->got = ++p->num_got;
    if (k->formula == CALL && s->entry.st_shndx == SHN_UNDEF && !s->veneer)
        s->veneer = ++p->num_veneers;
    return true;
}

bool place_scan(struct placed *p, struct place_file *f) { return each_relocation(p, f, scan); }

/* ---- applying ---- */

static bool fits(int64_t value, unsigned bits)
{
    return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

static void insert(unsigned char *at, uint32_t mask, uint32_t value)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    word = (word & ~mask) | (value & mask);
    memcpy(at, &word, sizeof word);
}

/* False if the value does not fit. */
static bool store(const struct kind *k, unsigned char *at, uint64_t value)
{
    int64_t v = (int64_t)value;
    uint32_t word = (uint32_t)value;
    switch (k->field) {
    case FIELD_64:
        memcpy(at, &value, sizeof value);
        return true;
    case FIELD_32:
        memcpy(at, &word, sizeof word);
        return fits(v, 32);
    case FIELD_32_UNSIGNED:
        memcpy(at, &word, sizeof word);
        return value <= UINT32_MAX;
    case FIELD_BRANCH26:
        insert(at, 0x03ffffff, (uint32_t)(v >> 2));
        return fits(v, 28) && !(v & 3);
    case FIELD_BRANCH19:
        insert(at, 0x7ffff << 5, (uint32_t)(v >> 2) << 5);
        return fits(v, 21) && !(v & 3);
    case FIELD_BRANCH14:
        insert(at, 0x3fff << 5, (uint32_t)(v >> 2) << 5);
        return fits(v, 16) && !(v & 3);
    case FIELD_ADR21:
    case FIELD_ADRP21: {
        int64_t units = k->field == FIELD_ADRP21 ? v >> 12 : v;
        insert(at, 0x60ffffe0, (uint32_t)(units & 3) << 29 | (uint32_t)(units >> 2 & 0x7ffff) << 5);
        return fits(units, 21);
    }
    case FIELD_IMM12:
        insert(at, 0xfff << 10, (word >> k->scale) << 10);
        return !(word & ((1u << k->scale) - 1));
    }
    return false;
}

static uint64_t page(uint64_t address) { return address & ~(uint64_t)0xfff; }

static bool reaches(const struct kind *k, int64_t distance)
{
    return k->field == FIELD_BRANCH26 ? fits(distance, 28) : fits(distance, 32);
}

static uint64_t value_of(const struct placed *p, const struct kind *k, const struct place_symbol *s, uint64_t addend,
                         uint64_t place)
{
    uint64_t symbol = s->address, slot = (uint64_t)(uintptr_t)p->got + (uint64_t)(s->got - 1) * GOT_BYTES;
    switch (k->formula) {
    case ABSOLUTE:
        return symbol + addend;
    case RELATIVE:
        return symbol + addend - place;
    case CALL:
        if (s->veneer && !reaches(k, (int64_t)(symbol + addend - place)))
            symbol = (uint64_t)(uintptr_t)p->veneers + (uint64_t)(s->veneer - 1) * VENEER_BYTES;
        return symbol + addend - place;
    case GOT_RELATIVE:
        return slot + addend - place;
    case PAGE:
        return page(symbol + addend) - page(place);
    case GOT_PAGE:
        return page(slot + addend) - page(place);
    case LOW_BITS:
        return (symbol + addend) & 0xfff;
    case GOT_LOW_BITS:
        return (slot + addend) & 0xfff;
    case NOTHING:
        break;
    }
    return 0;
}

/* An address that is not known before the library is loaded. */
static bool fix_up(struct placed *p, const struct kind *k, const struct place_symbol *s, const Elf64_Rela *r,
                   const struct place_section *target)
{
    if (k->field != FIELD_64)
        return place_refuse(p, "the address of '%s' does not have 64 bits", s->name);
    if (target->group != GROUP_DATA)
        return place_refuse(p, "the address of '%s' lies where it cannot be written", s->name);
    struct place_fixup x = { (size_t)(target->memory - p->image) + r->r_offset, s, (uint64_t)r->r_addend, false };
    vec_push(p->arena, p->fixups, x);
    return true;
}

static bool apply(struct placed *p, struct place_file *f, const struct kind *k, const Elf64_Rela *r,
                  const struct place_section *target)
{
    const struct place_symbol *s = &f->symbols[ELF64_R_SYM(r->r_info)];
    unsigned char *at = target->memory + r->r_offset;
    if (k->formula == NOTHING)
        return true;
    if (p->fixups && k->formula == ABSOLUTE)
        return fix_up(p, k, s, r, target);
    uint64_t value = value_of(p, k, s, (uint64_t)r->r_addend, (uint64_t)(uintptr_t)at);
    return store(k, at, value) || place_refuse(p, "'%s' is too far away, or not aligned", s->name);
}

bool place_relocate(struct placed *p, struct place_file *f) { return each_relocation(p, f, apply); }

/* A jump through the address that follows it. */
void place_write_veneer(uint16_t machine, unsigned char *veneer, uint64_t target)
{
    static const unsigned char x86_64_jump[8] = { 0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc };        /* jmp *8(veneer) */
    static const unsigned char aarch64_jump[8] = { 0x50, 0, 0, 0x58, 0x00, 0x02, 0x1f, 0xd6 }; /* ldr x16, 8; br x16 */
    memcpy(veneer, machine == EM_X86_64 ? x86_64_jump : aarch64_jump, 8);
    memcpy(veneer + 8, &target, sizeof target);
}

/* A jump through a slot that the dynamic linker fills. */
void place_write_jump(uint16_t machine, unsigned char *jump, const unsigned char *slot)
{
    static const unsigned char x86_64_jump[] = { 0xff, 0x25, 0,    0,    0,    0,    0xcc, 0xcc, /* jmp *slot(%rip) */
                                                 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc };
    static const unsigned char aarch64_jump[] = { 0x10, 0,    0,    0x90,   /* adrp x16, slot */
                                                  0x11, 0x02, 0x40, 0xf9,   /* ldr x17, [x16, slot] */
                                                  0x20, 0x02, 0x1f, 0xd6,   /* br x17 */
                                                  0x1f, 0x20, 0x03, 0xd5 }; /* nop */
    static const struct kind displacement = { 0, RELATIVE, FIELD_32, 0 }, pages = { 0, GOT_PAGE, FIELD_ADRP21, 0 },
                             low = { 0, GOT_LOW_BITS, FIELD_IMM12, 3 };
    uint64_t at = (uint64_t)(uintptr_t)jump, to = (uint64_t)(uintptr_t)slot;
    memcpy(jump, machine == EM_X86_64 ? x86_64_jump : aarch64_jump, VENEER_BYTES);
    if (machine == EM_X86_64) {
        store(&displacement, jump + 2, to - (at + 6));
    } else {
        store(&pages, jump, page(to) - page(at));
        store(&low, jump + 4, to & 0xfff);
    }
}
