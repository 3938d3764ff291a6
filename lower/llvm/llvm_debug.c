/* Debug info: every function is a subprogram, and an instruction stands at the source line nearest to its statement's
 * place. */
#include "lower/llvm/llvm_emit.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

struct llvm_debug {
    LLVMDIBuilderRef builder;
    LLVMMetadataRef file, signature;
    struct map files;  /* file name (interned) -> file */
    struct map blocks; /* file name -> the part of the current subprogram that stands in it */
};

static LLVMMetadataRef make_file(struct llvm_debug *d, const char *name)
{
    return LLVMDIBuilderCreateFile(d->builder, name, strlen(name), "", 0);
}

static void flag(struct llvm_unit *u, const char *name, unsigned value)
{
    LLVMAddModuleFlag(u->module, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(llvm_int(u->i32, value)));
}

void llvm_debug_unit(struct llvm_unit *u)
{
    const struct llvm_options *o = u->emitter->options;
    if (!o->debug_info && !o->remarks && !o->places)
        return;
    struct llvm_debug *d = NEW(u->emitter->arena, struct llvm_debug);
    const char *name = u->emitter->tree->name ? u->emitter->tree->name : "sdfg", *producer = "libsdfg";
    d->builder = LLVMCreateDIBuilder(u->module);
    d->file = make_file(d, name);
    d->signature = LLVMDIBuilderCreateSubroutineType(d->builder, d->file, NULL, 0, LLVMDIFlagZero);
    LLVMDIBuilderCreateCompileUnit(d->builder, LLVMDWARFSourceLanguageC11, d->file, producer, strlen(producer), true,
                                   "", 0, 0, "", 0, LLVMDWARFEmissionLineTablesOnly, 0, false, false, "", 0, "", 0);
    flag(u, "Debug Info Version", LLVMDebugMetadataVersion());
    flag(u, "Dwarf Version", 4);
    u->debug = d;
}

static LLVMMetadataRef scope_in(struct llvm_func *f, const char *file)
{
    struct llvm_debug *d = f->unit->debug;
    LLVMMetadataRef block = map_get(&d->blocks, file);
    if (block)
        return block;
    LLVMMetadataRef in = map_get(&d->files, file);
    if (!in) {
        in = make_file(d, file);
        map_put(f->emitter->arena, &d->files, file, in);
    }
    block = LLVMDIBuilderCreateLexicalBlockFile(d->builder, f->subprogram, in, 0);
    map_put(f->emitter->arena, &d->blocks, file, block);
    return block;
}

static void stand_at(struct llvm_func *f, LLVMMetadataRef scope, unsigned line, unsigned column)
{
    LLVMSetCurrentDebugLocation2(f->builder,
                                 LLVMDIBuilderCreateDebugLocation(f->unit->context, line, column, scope, NULL));
}

void llvm_debug_function(struct llvm_func *f)
{
    struct llvm_debug *d = f->unit->debug;
    LLVMSetCurrentDebugLocation2(f->builder, NULL);
    if (!d)
        return;
    const char *name = f->code->name;
    d->blocks = (struct map){ 0 };
    f->subprogram = LLVMDIBuilderCreateFunction(d->builder, d->file, name, strlen(name), name, strlen(name), d->file, 1,
                                                d->signature, false, true, 1, LLVMDIFlagZero, true);
    LLVMSetSubprogram(f->function, f->subprogram);
    stand_at(f, f->subprogram, 0, 0);
}

static void stand_at_number(struct llvm_func *f, const struct tree_stmt *s)
{
    const char *subject = "the loop";
    if (s->kind == STMT_FOR)
        subject = arena_printf(f->emitter->arena, "loop %s", s->var->name);
    else if (s->kind != STMT_WHILE && s->kind != STMT_DO)
        return; /* LLVM is asked about loops alone */
    stand_at(f, f->subprogram, remarks_number(f->emitter->options->remarks, f->place, subject), 1);
}

void llvm_debug_place(struct llvm_func *f, const struct tree_stmt *s)
{
    const struct place *p = s->place;
    const struct llvm_options *o = f->emitter->options;
    if (o->remarks) {
        stand_at_number(f, s);
        return;
    }
    if (o->places) {
        stand_at(f, f->subprogram, remarks_number(o->places, f->place, NULL), 1);
        return;
    }
    const struct place *source = f->unit->debug ? place_source(p) : NULL;
    if (source)
        stand_at(f, source->file ? scope_in(f, source->file) : f->subprogram, source->line, source->column);
}

LLVMMetadataRef llvm_debug_here(struct llvm_func *f)
{
    return f->emitter->options->remarks ? LLVMGetCurrentDebugLocation2(f->builder) : NULL;
}

void llvm_debug_finish(struct llvm_unit *u)
{
    if (!u->debug)
        return;
    LLVMDIBuilderFinalize(u->debug->builder);
    LLVMDisposeDIBuilder(u->debug->builder);
}
