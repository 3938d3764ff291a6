#include "engine/cli/options.h"

#include <stdio.h>
#include <string.h>

enum { RUN = TOOL_RUN, BENCH = TOOL_BENCH, CC = TOOL_CC, OPT = TOOL_OPT };

/* In the order of the help. Rows without an option are headings. */
static const struct option options[] = {
    { NULL, 0, CC, 0, NULL, "What is written" },
    { "o", OPTION_FILE, CC, TAKES_VALUE, "FILE", "object FILE.o, static library FILE.a or shared library FILE.so" },
    { "emit", OPTION_EMIT_CODE, CC, TAKES_VALUE, "WHAT", "to look at: asm, tree or remarks, to -o FILE or on stdout" },
    { "header", OPTION_HEADER, CC, MAY_TAKE_VALUE, "FILE", "prototypes for C and C++ (beside -o, ending in .h)" },
    { "fortran", OPTION_FORTRAN, CC, MAY_TAKE_VALUE, "FILE", "module for Fortran (beside -o, ending in .f90)" },
    { NULL, 0, OPT, 0, NULL, "What is written" },
    { "emit", OPTION_EMIT_CODE, OPT, TAKES_VALUE, "WHAT", "sdfg or tree: the graph (as it is), or the loop tree" },
    { "o", OPTION_FILE, OPT, TAKES_VALUE, "FILE", "where it is written (stdout)" },
    { "list", OPTION_LIST, OPT, TAKES_VALUE, "WHAT",
      "targets, passes, ops, enums, plugins, providers or convertibles that there are" },
    { "dump-after", OPTION_DUMP_AFTER, OPT, TAKES_VALUE, "PASS", "print what that pass made, on stderr" },
    { NULL, 0, OPT, 0, NULL, "Programs and passes" },
    { "set", OPTION_SET, OPT, TAKES_VALUE, "NAME=VALUE",
      "the same as --NAME=VALUE, for symbols that are also options" },
    { NULL, 0, RUN | BENCH, 0, NULL, "Arguments of the program" },
    { "set", OPTION_SET, RUN | BENCH, TAKES_VALUE, "NAME=VALUE",
      "the same as --NAME=VALUE, for names that are also options" },
    { NULL, 0, RUN | BENCH | CC | OPT, 0, NULL, "Programs in Python" },
    { "assert", OPTION_ASSERT, RUN | BENCH | CC | OPT, TAKES_VALUE, "drop",
      "assertions on data are dropped, not refused" },
    { "index", OPTION_INDEX, RUN | BENCH | CC | OPT, TAKES_VALUE, "trust",
      "indices that are known at run time only do not count from the end" },
    { "warn", OPTION_WARN, RUN | BENCH | CC | OPT, TAKES_VALUE, "none",
      "no warnings where @dace.program means something else than NumPy" },
    { NULL, 0, CC, 0, NULL, "Code" },
    { "set", OPTION_SET, CC, TAKES_VALUE, "NAME=VALUE", "the same as --NAME=VALUE, for symbols that are also options" },
    { "target", OPTION_TARGET, CC, TAKES_VALUE, "NAME", "x86_64, aarch64 or a triple of LLVM (this machine)" },
    { "cpu", OPTION_CPU, CC, TAKES_VALUE, "NAME",
      "processor, as LLVM names it, generic+sve (this one, or the target's baseline)" },
    { "features", OPTION_FEATURES, CC, TAKES_VALUE, "LIST", "of the processor, as LLVM writes them: +sve,-avx512f" },
    { "output", OPTION_OUTPUT, RUN, TAKES_VALUE, "NAME=@FILE", "write an array after the run; '-' prints it" },
    { "distribute", OPTION_DISTRIBUTE, RUN, TAKES_VALUE, "X=block:0",
      "each process of an MPI launcher has a block of the array, or (cyclic:0/32) blocks in turn" },
    { "grid", OPTION_GRID, RUN, TAKES_VALUE, "PxQ", "how the processes lie for that (as square as possible)" },
    { "expect", OPTION_EXPECT, RUN, TAKES_VALUE, "NAME=@FILE", "compare with a reference; exit code 1 if it differs" },
    { "rtol", OPTION_RTOL, RUN | BENCH, TAKES_VALUE, "X", "relative tolerance of comparisons (by element type)" },
    { "atol", OPTION_ATOL, RUN | BENCH, TAKES_VALUE, "X",
      "absolute tolerance of comparisons (by element type and size of the values)" },
    { NULL, 0, RUN, 0, NULL, "Looking inside" },
    { "describe", OPTION_DESCRIBE, RUN, MAY_TAKE_VALUE, "json", "arguments, symbols, constraints and memory" },
    { "explain-symbols", OPTION_EXPLAIN_SYMBOLS, RUN, TAKES_NOTHING, NULL, "how each symbol gets its value" },
    { "explain-cache", OPTION_EXPLAIN_CACHE, RUN, TAKES_NOTHING, NULL, "where the code came from, on stderr" },
    { "emit", OPTION_EMIT, RUN, TAKES_VALUE, "WHAT",
      "sdfg, tree, ll, ll-opt, asm, obj, map (from machine code to elements and lines), work, cuda, ptx, cubin, dot "
      "(for Graphviz) or html (a page with the graph) instead of running" },
    { "remarks", OPTION_REMARKS, RUN, MAY_TAKE_VALUE, "KIND",
      "what was done for speed and what not, and why: done, missed or all, instead of running" },
    { "o", OPTION_FILE, RUN, TAKES_VALUE, "FILE", "where --emit and --remarks write (stdout)" },
    { "dump-after", OPTION_DUMP_AFTER, RUN, TAKES_VALUE, "PASS", "print what that pass made, on stderr" },
    { "list", OPTION_LIST, RUN, TAKES_VALUE, "WHAT",
      "targets, passes, ops, enums, plugins, providers or convertibles that there are; with --cases a file of cases "
      "that fail: case, "
      "tab, "
      "reason" },
    { "error-json", OPTION_ERROR_JSON, RUN | BENCH | CC | OPT, TAKES_NOTHING, NULL, "print errors as JSON" },
    { NULL, 0, RUN | BENCH, 0, NULL, "Running" },
    { "time", OPTION_TIME, RUN, MAY_TAKE_VALUE, "json", "times of all phases and runs" },
    { "repeat", OPTION_REPEAT, RUN, TAKES_VALUE, "N", "run N times" },
    { "watch", OPTION_WATCH, RUN, TAKES_NOTHING, NULL,
      "run again whenever a file changes that was read: the program, what it imports, arrays; ^C ends it" },
    { "warmup", OPTION_WARMUP, RUN, TAKES_VALUE, "N", "run N times before that, without measuring" },
    { "report", OPTION_REPORT, RUN, TAKES_VALUE, "FILE",
      "what was measured of elements that ask for it; '-' is stdout; with --emit=html one that was written, to show" },
    { "instrument", OPTION_INSTRUMENT, RUN, TAKES_VALUE, "WHAT",
      "timer or another of --list=providers, and :maps, :states, :tasklets or :all: what --report measures, whatever "
      "the file says" },
    { "check", OPTION_CHECK, RUN, MAY_TAKE_VALUE, "LIST",
      "find faults: bounds, uninit, alias, overflow, scope (these by default), nan, race, race-sample, all" },
    { "save-data", OPTION_SAVE_DATA, RUN, TAKES_VALUE, "DIR", "folder for data with instrumentation Save" },
    { "restore-data", OPTION_RESTORE_DATA, RUN, TAKES_VALUE, "DIR", "folder of data with instrumentation Restore" },
    { "timeout", OPTION_TIMEOUT, RUN, TAKES_VALUE, "S", "give up after S seconds (--cases: each case, 60)" },
    { "threads", OPTION_THREADS, RUN | BENCH | CC | OPT, TAKES_VALUE, "N",
      "threads of parallel regions (decided at run time)" },
    { "specialize", OPTION_SPECIALIZE, RUN | BENCH, TAKES_VALUE, "WHAT",
      "symbols that become constants: auto, none, all or names" },
    { "opt", OPTION_OPT, RUN, TAKES_VALUE, "0..3|max",
      "optimization level; max: the first run measures which passes it is faster without (--tune)" },
    { "opt", OPTION_OPT, BENCH | CC | OPT, TAKES_VALUE, "0..3", "optimization level" },
    { "tune", OPTION_TUNE, RUN, MAY_TAKE_VALUE, "SECONDS",
      "measure anew, on copies, which passes the run is faster without, and keep that for --opt=max (10)" },
    { "tier", OPTION_TIER, RUN | BENCH, TAKES_VALUE, "WHAT",
      "full: optimized code, quick: code that is there soon, or auto" },
    { "fp", OPTION_FP, RUN | BENCH | CC | OPT, TAKES_VALUE, "WHAT", "default, strict or fast floating point" },
    { "device", OPTION_DEVICE, RUN | BENCH | CC | OPT, TAKES_VALUE, "WHAT",
      "cpu, cuda, cuda:N or auto: where the program runs (cpu); auto: where a call costs less" },
    { "arch", OPTION_ARCH, RUN | BENCH | CC | OPT, TAKES_VALUE, "sm_NN", "GPU that code is made for (the device's)" },
    { "codegen", OPTION_CODEGEN, RUN | BENCH | CC | OPT, TAKES_VALUE, "FILE",
      "code generator library (beside this program)" },
    { "passes", OPTION_PASSES, RUN | BENCH | CC | OPT, TAKES_VALUE, "LIST",
      "passes over the loop tree and of plug-ins: NAME,NAME (no others) or -NAME,-NAME (not these); see "
      "--list=passes; NAME=NUMBER: caches, region, jam, chunk or dynamic" },
    { "plugin", OPTION_PLUGIN, RUN | BENCH | CC | OPT, TAKES_VALUE, "FILE",
      "loads a plug-in, after those of SDFG_PLUGINS; may be given several times" },
    { "linker", OPTION_LINKER, RUN | BENCH, TAKES_VALUE, "WHAT",
      "auto, place or orc: what puts machine code into memory" },
    { "cache", OPTION_CACHE, RUN, TAKES_VALUE, "DIR",
      "folder of compiled programs (libsdfg in the user's cache folder)" },
    { "no-cache", OPTION_NO_CACHE, RUN, TAKES_NOTHING, NULL, "compile, and keep nothing" },
    { "external-files", OPTION_EXTERNAL_FILES, RUN | BENCH | CC | OPT, TAKES_VALUE, "WHAT",
      "files that nested SDFGs may lie in: folder (of the program), none or any" },
    { "input-limit", OPTION_INPUT_LIMIT, RUN | BENCH | CC | OPT, TAKES_VALUE, "BYTES",
      "largest file read, text in it, and inputs made; K, M and G may follow (1G, .npy 64G)" },
    { "debug-info", OPTION_DEBUG_INFO, RUN | CC, TAKES_NOTHING, NULL, "source lines for debuggers and profilers" },
    { "profiler", OPTION_PROFILER, RUN, TAKES_NOTHING, NULL, "announce generated code to perf and gdb" },
    { NULL, 0, BENCH, 0, NULL, "Measuring" },
    { "against", OPTION_AGAINST, BENCH, TAKES_VALUE, "LIST",
      "what to compare with: aot, generic, c:FILE.c, dace (aot,generic)" },
    { "seconds", OPTION_SECONDS, BENCH, TAKES_VALUE, "S", "limit for all rounds; at least 5 are measured (20)" },
    { "samples", OPTION_SAMPLES, BENCH, TAKES_VALUE, "N", "samples of warm and bound calls (31)" },
    { "cold", OPTION_COLD_SAMPLES, BENCH, TAKES_VALUE, "N", "compilations of each build (5)" },
    { "tune", OPTION_TUNE, BENCH, MAY_TAKE_VALUE, "SECONDS",
      "measure instead which passes, and numbers for them, the program is faster with (10)" },
    { "cc", OPTION_COMPILER, BENCH, TAKES_VALUE, "COMMAND", "compiler of c:FILE.c (cc)" },
    { "cflags", OPTION_COMPILER_FLAGS, BENCH, TAKES_VALUE, "FLAGS", "its flags (-O3 -march=native -fopenmp)" },
    { "no-roofs", OPTION_NO_ROOFS, BENCH, TAKES_NOTHING, NULL, "do not measure what the machine can do" },
    { "json", OPTION_JSON, BENCH, TAKES_VALUE, "FILE", "write everything as JSON; '-' is stdout, without the table" },
    { "csv", OPTION_CSV, BENCH, TAKES_VALUE, "FILE", "write one line per sample" },
    { "html", OPTION_HTML, BENCH, TAKES_VALUE, "FILE", "write a page with plots" },
    { NULL, 0, RUN, 0, NULL, "Recorded cases" },
    { "case", OPTION_CASE, RUN, TAKES_VALUE, "DIR", "run one and compare" },
    { "cases", OPTION_CASES, RUN, TAKES_VALUE, "DIR", "run all below DIR, each in a process of its own" },
    { "sdfg", OPTION_SDFG, RUN, TAKES_VALUE, "NAME", "program file in each case folder (prog.sdfg)" },
    { "jobs", OPTION_JOBS, RUN, TAKES_VALUE, "N", "cases at the same time (number of processors)" },
    { NULL, 0, RUN | BENCH | CC | OPT, 0, NULL, "Other" },
    { "help", OPTION_HELP, RUN | BENCH | CC | OPT, TAKES_NOTHING, NULL, "this text" },
    { "version", OPTION_VERSION, RUN | BENCH | CC | OPT, TAKES_NOTHING, NULL,
      "versions of the library and the code generator" },
};

enum { NUM_OPTIONS = sizeof options / sizeof *options };

const char *tool_name(enum tool tool)
{
    return tool == TOOL_BENCH ? "sdfg-bench" : tool == TOOL_CC ? "sdfg-cc" : tool == TOOL_OPT ? "sdfg-opt" : "sdfg-run";
}

void options_help(enum tool tool)
{
    for (int i = 0; i < NUM_OPTIONS; i++) {
        const struct option *o = &options[i];
        char left[64];
        if (!(o->tools & tool))
            continue;
        if (!o->name) {
            printf("\n%s\n", o->help);
            continue;
        }
        const char *dashes = o->name[1] ? "--" : "-", *sign = o->name[1] ? "=" : " ";
        if (o->takes == TAKES_NOTHING)
            snprintf(left, sizeof left, "%s%s", dashes, o->name);
        else
            snprintf(left, sizeof left, o->takes == MAY_TAKE_VALUE ? "%s%s[%s%s]" : "%s%s%s%s", dashes, o->name, sign,
                     o->value);
        printf("  %-24s %s\n", left, o->help);
    }
}

void options_try(enum tool tool, struct near *n)
{
    for (int i = 0; i < NUM_OPTIONS; i++)
        if (options[i].name && options[i].name[1] && options[i].tools & tool)
            near_try(n, options[i].name);
}

const struct option *option_find(enum tool tool, const char *name, size_t length)
{
    for (int i = 0; i < NUM_OPTIONS; i++)
        if (options[i].name && options[i].tools & tool && !strncmp(options[i].name, name, length) &&
            !options[i].name[length])
            return &options[i];
    return NULL;
}
