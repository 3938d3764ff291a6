#include "jit/internal.h"

#include <elf.h>
#include <fcntl.h>
#include <llvm-c/LLJITUtils.h>
#include <string.h>
#include <unistd.h>

/* ---- gdb ---- */

/* LLVM's entry for gdb's JIT interface. ORC looks it up among the symbols of the process, where it is not when LLVM is
 * part of this library or was opened privately. */
extern char llvm_orc_registerJITLoaderGDBAllocAction;

static bool define_gdb_entry(struct jit *j)
{
    static const char name[] = "llvm_orc_registerJITLoaderGDBAllocAction";
    LLVMOrcJITDylibRef process =
        LLVMOrcExecutionSessionGetJITDylibByName(LLVMOrcLLJITGetExecutionSession(j->lljit), "<Process Symbols>");
    if (!process)
        return true;
    LLVMOrcCSymbolMapPair pair = { LLVMOrcLLJITMangleAndIntern(j->lljit, name),
                                   { (LLVMOrcExecutorAddress)(uintptr_t)&llvm_orc_registerJITLoaderGDBAllocAction,
                                     { LLVMJITSymbolGenericFlagsExported, 0 } } };
    return !llvm_failed(j->diags, LLVMOrcJITDylibDefine(process, LLVMOrcAbsoluteSymbols(&pair, 1)),
                        "announcing code to gdb");
}

/* LLVM 19 takes no entry but one that the process exports: there gdb does not learn of the code, which runs all the
 * same. */
bool jit_listen_begin(struct jit *j)
{
    if (!define_gdb_entry(j))
        return false;
    LLVMErrorRef error = LLVMOrcLLJITEnableDebugSupport(j->lljit);
    if (error) {
        char *message = LLVMGetErrorMessage(error);
        diag_warning(j->diags, NULL, DIAG_LLVM, "announcing code to gdb", message);
        LLVMDisposeErrorMessage(message);
    }
    return true;
}

/* ---- objects: only what LLVM just wrote is read here, in its own byte order ---- */

static void read_symbols(struct jit *j, const char *file, const Elf64_Shdr *sections, const Elf64_Shdr *table,
                         struct jit_functions *functions)
{
    const Elf64_Sym *symbols = (const Elf64_Sym *)(file + table->sh_offset);
    const char *names = file + sections[table->sh_link].sh_offset;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const Elf64_Sym *s = &symbols[i];
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF)
            continue;
        struct jit_function f = { .name = arena_strdup(j->arena, names + s->st_name),
                                  .section = s->st_shndx,
                                  .value = s->st_value,
                                  .size = s->st_size,
                                  .global = ELF64_ST_BIND(s->st_info) == STB_GLOBAL };
        vec_push(j->arena, &functions->list, f);
    }
}

void jit_object_read(struct jit *j, LLVMMemoryBufferRef object, struct jit_functions *functions)
{
    const char *file = LLVMGetBufferStart(object);
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
    for (uint32_t i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_flags & SHF_ALLOC)
            j->code_bytes += sections[i].sh_size;
        if (sections[i].sh_type == SHT_SYMTAB)
            read_symbols(j, file, sections, &sections[i], functions);
    }
}

/* ---- perf ---- */

/* Functions that are not global have no address ORC would tell; a section is placed as a whole, so a global neighbour
 * does. */
static bool section_address(struct jit *j, const struct jit_functions *functions, uint16_t section, uint64_t *address)
{
    for (uint32_t i = 0; i < functions->list.count; i++) {
        const struct jit_function *f = &functions->list.items[i];
        void *at = f->global && f->section == section ? jit_address(j, f->name) : NULL;
        if (at) {
            *address = (uint64_t)(uintptr_t)at - f->value;
            return true;
        }
    }
    return false;
}

void jit_listen_linked(struct jit *j, const struct jit_functions *objects, uint32_t num_objects)
{
    struct text lines = text_new(j->arena);
    for (uint32_t i = 0; i < num_objects; i++) {
        for (uint32_t k = 0; k < objects[i].list.count; k++) {
            const struct jit_function *f = &objects[i].list.items[k];
            uint64_t base;
            if (section_address(j, &objects[i], f->section, &base))
                text_printf(&lines, "%llx %llx %s\n", (unsigned long long)(base + f->value),
                            (unsigned long long)f->size, f->name);
        }
    }
    /* The name is perf's. One write, so that several threads do not mix their lines; a reader who cannot get the file
     * loses names only. */
    const char *path = arena_printf(j->arena, "/tmp/perf-%d.map", (int)getpid());
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0 || write(file, text_get(&lines), lines.length) != (ssize_t)lines.length)
        diag_warning(j->diags, NULL, DIAG_FILE_WRITE, path, "no names for perf");
    if (file >= 0)
        close(file);
}
