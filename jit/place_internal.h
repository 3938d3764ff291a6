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
    struct place_announced *announced; /* to gdb */
    const char *why;                   /* first reason */
};

/* Records the reason; always false. */
bool place_refuse(struct placed *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* place_read.c: checks the file and fills the tables. */
bool place_read(struct placed *p, struct place_file *f);

/* place_relocate.c */
bool place_scan(struct placed *p, struct place_file *f);     /* checks all relocations, assigns veneers and GOT slots */
bool place_relocate(struct placed *p, struct place_file *f); /* when all addresses are known */
void place_write_veneer(uint16_t machine, unsigned char *veneer, uint64_t target);

/* place_listen.c */
void place_announce(struct placed *p);
void place_withdraw(struct placed *p);

#endif
