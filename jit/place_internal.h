/* What the files of the placer share. */
#ifndef JIT_PLACE_INTERNAL_H
#define JIT_PLACE_INTERNAL_H

#include "base/map.h"
#include "base/text.h"
#include "jit/place.h"

#include <elf.h>

/* Pages of one protection. */
enum place_group { GROUP_CODE, GROUP_CONSTANT, GROUP_DATA, GROUP_COUNT, GROUP_NONE = GROUP_COUNT };

struct place_section {
    Elf64_Shdr header;
    enum place_group group; /* GROUP_NONE: not loaded */
    size_t offset;          /* in the group */
    unsigned char *memory;  /* in the image */
};

struct place_symbol {
    const char *name; /* interned */
    Elf64_Sym entry;
    uint64_t address;
    uint32_t got, veneer; /* 1 + slot; 0: none needed */
};

/* One object. Tables are copies: the bytes need no alignment. */
struct place_file {
    const unsigned char *bytes;
    size_t size;
    uint16_t machine;
    struct place_section *sections;
    uint32_t num_sections;
    uint32_t symbol_table; /* index of its section; 0: there is none */
    struct place_symbol *symbols;
    uint32_t num_symbols;
};

struct place_range {
    size_t offset, size; /* in the image; whole pages */
};

/* An address that only the dynamic linker knows. */
struct place_fixup {
    size_t offset;                     /* in the image */
    const struct place_symbol *symbol; /* what is meant, plus */
    uint64_t addend;
    bool slot; /* of the GOT */
};
struct place_fixups {
    struct place_fixup *items;
    uint32_t count, capacity;
};

enum { VENEER_BYTES = 16, GOT_BYTES = 8 };

struct placed {
    struct arena *arena;
    struct intern *names;
    struct map globals; /* name -> struct place_symbol */
    struct place_file *files;
    uint32_t num_files;
    unsigned char *image;
    size_t image_size, bytes;
    struct place_range groups[GROUP_COUNT];
    uint32_t num_veneers, num_got;
    unsigned char *veneers, *got;
    enum place_group got_group;
    size_t veneers_at, got_at;         /* in their groups */
    struct place_fixups *fixups;       /* of a shared library being written; NULL: code for this process */
    struct place_announced *announced; /* to gdb */
    const char *why;                   /* first reason */
};

/* Records the reason; always false. */
bool place_refuse(struct placed *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* place.c: steps */
bool place_read_all(struct placed *p); /* all tables; what has to be linked is known then */
/* Space at the end of a group; the image never grows over its limit, so sums do not overflow. */
bool place_reserve(struct placed *p, enum place_group g, uint64_t bytes, size_t alignment, size_t *offset);
bool place_lay_out(struct placed *p, size_t page);
bool place_map(struct placed *p); /* with the contents of all sections */
bool place_is_definition(const struct place_symbol *s);

/* place_read.c: checks the file and fills the tables. */
bool place_read(struct placed *p, struct place_file *f);

/* place_relocate.c */
bool place_scan(struct placed *p, struct place_file *f);     /* checks all relocations, assigns veneers and GOT slots */
bool place_relocate(struct placed *p, struct place_file *f); /* when all addresses are known */
void place_write_veneer(uint16_t machine, unsigned char *veneer, uint64_t target);
void place_write_jump(uint16_t machine, unsigned char *jump, const unsigned char *slot); /* by way of a GOT slot */

/* place_listen.c */
void place_announce(struct placed *p);
void place_withdraw(struct placed *p);

#endif
