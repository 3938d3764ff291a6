/* What LLVM says of loops. It makes remarks only if its command line asks for them, and that is one for the process: it
 * is written once, when nobody reads it, the first time that somebody wants remarks. */
#include "jit/internal.h"

#include <llvm-c/Support.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t passes = PTHREAD_RWLOCK_INITIALIZER;

static void enable(void)
{
    static const char *const words[] = { "libsdfg", "-pass-remarks=loop-vectorize",
                                         "-pass-remarks-missed=loop-vectorize",
                                         "-pass-remarks-analysis=loop-vectorize" };
    pthread_rwlock_wrlock(&passes);
    LLVMParseCommandLineOptions((int)(sizeof words / sizeof *words), words, NULL);
    pthread_rwlock_unlock(&passes);
}

void jit_remarks_enable(void) { pthread_once(&once, enable); }

void jit_passes_begin(void) { pthread_rwlock_rdlock(&passes); }

void jit_passes_end(void) { pthread_rwlock_unlock(&passes); }

/* "file:NUMBER:column: text", as remarks are written. */
static const char *split(const char *description, uint32_t *number)
{
    for (const char *at = strchr(description, ':'); at; at = strchr(at + 1, ':')) {
        char *end, *after;
        unsigned long line = strtoul(at + 1, &end, 10);
        if (end == at + 1 || *end != ':')
            continue;
        strtoul(end + 1, &after, 10);
        if (after == end + 1 || strncmp(after, ": ", 2) != 0)
            continue;
        *number = (uint32_t)line;
        return after + 2;
    }
    return NULL;
}

/* What is said of vectors, in our words as far as we know theirs. NULL: that is about something else. */
static const char *reason(const char *text)
{
    static const char begin[] = "loop not vectorized: ";
    if (strstr(text, "vectorization is explicitly disabled")) /* lower/llvm/llvm_loop.c does that */
        return "its body is too long";
    if (!strncmp(text, begin, strlen(begin)))
        return text + strlen(begin);
    return strstr(text, "vectorization is not beneficial") ? "it would not be faster" : NULL;
}

static void take(struct jit_unit *u, uint32_t number, const char *text)
{
    const struct place *at;
    const char *subject;
    unsigned lanes, vectors;
    if (!remarks_numbered(u->remarks, number, &at, &subject))
        return;
    if (sscanf(text, "vectorized loop (vectorization width: %u, interleaved count: %u)", &lanes, &vectors) == 2)
        remark(u->remarks, at, subject, REMARK_VECTORIZED, lanes, vectors);
    else if (!strncmp(text, "vectorized ", strlen("vectorized ")))
        remark(u->remarks, at, subject, REMARK_VECTORIZED_SO, text);
    else if (number != u->last_remark && reason(text)) {
        int length = (int)strcspn(reason(text), ".\n"); /* what follows is advice on C */
        remark(u->remarks, at, subject, REMARK_NOT_VECTORIZED, length, reason(text));
        u->last_remark = number; /* the first reason is the closest one */
    }
}

void jit_remarks_take(struct jit_unit *u, LLVMDiagnosticInfoRef info)
{
    if (!u->remarks)
        return;
    char *description = LLVMGetDiagInfoDescription(info);
    uint32_t number = 0;
    const char *text = split(description, &number);
    if (text)
        take(u, number, text);
    LLVMDisposeMessage(description);
}
