/* Python files as programs. Any thread. */
#ifndef ENGINE_PROGRAM_PYTHON_H
#define ENGINE_PROGRAM_PYTHON_H

#include "engine/kernels/disk.h"
#include "frontend/frontend.h"

/* Whether the path names a Python program: "prog.py" or "prog.py:function"; "-" is standard input, which may also hold
 * an SDFG. */
bool python_names(const char *path);
/* A Python file on its way to an SDFG. */
struct python_reading {
    struct ir *ir;       /* its arena has all that comes out, its diags the reasons of a failure */
    struct ir *graph_ir; /* where the graph is built; its diags have what the program's text is found to be */
    const char *path, *options;
    uint64_t most;     /* bytes of the file */
    struct disk *disk; /* where graphs are kept, or NULL */
    /* what comes out: */
    char *json; /* the text of the SDFG; NULL: a failure */
    size_t size;
    struct sdfg *built; /* the graph; NULL if its text was on disk */
    bool graph;         /* standard input held the SDFG itself */
    bool parsed;        /* the file was parsed: its graph was not on disk */
    const char *file;
    struct frontend_imports imports; /* files that it depends on besides that one */
};
/* False, and errno says why: there can be no stack for it. */
bool python_read(struct python_reading *r);

#endif
