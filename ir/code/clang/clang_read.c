#include "base/fatal.h"
#include "ir/code/clang/clang.h"

#include "ir/code/clang/clang_nesting.h"
#include "ir/code/clang/clang_unit.h"

#include <string.h>

/* ---- helpers of all parts ---- */

struct gathered {
    struct arena *arena;
    VEC(CXCursor) list;
};

static enum CXChildVisitResult visit_child(CXCursor c, CXCursor parent, CXClientData data)
{
    struct gathered *g = data;
    (void)parent;
    vec_push(g->arena, &g->list, c);
    return CXChildVisit_Continue;
}

struct clang_cursors clang_children(struct clang_walk *w, CXCursor c)
{
    struct gathered g = { .arena = w->arena };
    w->api->visitChildren(c, visit_child, &g);
    return (struct clang_cursors){ g.list.items, g.list.count };
}

struct clang_cursors clang_expressions(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors all = clang_children(w, c);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all.count; i++)
        if (w->api->isExpression(w->api->getCursorKind(all.items[i])))
            all.items[kept++] = all.items[i];
    all.count = kept;
    return all;
}

const char *clang_spelling(struct clang_walk *w, CXCursor c)
{
    CXString s = w->api->getCursorSpelling(c);
    const char *text = w->api->getCString(s);
    text = intern(w->ir->names, text ? text : "");
    w->api->disposeString(s);
    return text;
}

uint32_t clang_offset(struct clang_walk *w, CXCursor c)
{
    unsigned offset;
    w->api->getExpansionLocation(w->api->getRangeStart(w->api->getCursorExtent(c)), NULL, NULL, NULL, &offset);
    return offset;
}

bool clang_in_prelude(struct clang_walk *w, CXCursor c) { return clang_offset(w, c) < w->prelude; }

/* Where a cursor stands in the tasklet's text: of inlined code, the call. */
static void locate(struct clang_walk *w, CXCursor at, struct code *c)
{
    unsigned line, column, offset;
    for (const struct clang_frame *f = w->frame; f; f = f->outer)
        at = f->call;
    w->api->getExpansionLocation(w->api->getCursorLocation(at), NULL, &line, &column, &offset);
    const struct clang_piece *p = w->piece;
    bool inside = offset >= p->begin && offset <= p->begin + p->length;
    c->offset = inside ? offset - p->begin : 0;
    c->line = inside ? line - p->line : 1;
    c->column = inside ? column : 1;
}

void *clang_unsupported(struct clang_walk *w, CXCursor at, const char *format, ...)
{
    struct code c;
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(w->arena, format, args);
    va_end(args);
    locate(w, at, &c);
    diag_error_in(w->ir->diags, w->piece->place, w->piece->text, w->piece->length, c.offset, DIAG_CPP_UNSUPPORTED,
                  message);
    return NULL;
}

struct code *clang_node(struct clang_walk *w, CXCursor at, enum code_kind kind, uint32_t count)
{
    struct code *c = code_new(w->ir, kind, count);
    locate(w, at, c);
    return c;
}

struct code *clang_name(struct clang_walk *w, CXCursor at, const char *name)
{
    struct code *c = clang_node(w, at, CODE_NAME, 0);
    c->name = name;
    return c;
}

/* ---- what libclang says ---- */

/* Names that only a header we do not have can declare. */
static bool is_unknown_name(const char *message)
{
    static const char *const beginnings[] = { "use of undeclared",    "unknown type name", "no member named",
                                              "no type named",        "no template named", "no matching",
                                              "unknown template name" };
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(message, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static void report(struct clang_walk *w, const struct clang_unit *u, CXDiagnostic d)
{
    unsigned offset;
    w->api->getExpansionLocation(w->api->getDiagnosticLocation(d), NULL, NULL, NULL, &offset);
    CXString s = w->api->getDiagnosticSpelling(d);
    const char *message = arena_strdup(w->arena, w->api->getCString(s));
    w->api->disposeString(s);
    enum diag_code code = is_unknown_name(message) ? DIAG_CPP_UNKNOWN : DIAG_CPP_INVALID;
    const struct clang_piece *last = NULL;
    for (uint32_t i = 0; i < u->pieces.count; i++)
        if (u->pieces.items[i].begin <= offset)
            last = &u->pieces.items[i];
    if (!last) { /* in the declarations in front of the code, which are made of the program's types */
        diag_error(w->ir->diags, u->bodies.items[0].place, DIAG_CPP_TYPES, message);
        return;
    }
    uint32_t at = offset - last->begin < last->length ? offset - last->begin : last->length;
    diag_error_in(w->ir->diags, last->place, last->text, last->length, at, code, message);
}

/* The first error of each piece; what follows often stems from it. */
static bool check(struct clang_walk *w, const struct clang_unit *u)
{
    bool good = true;
    unsigned count = w->api->getNumDiagnostics(w->unit);
    for (unsigned i = 0; i < count && good; i++) {
        CXDiagnostic d = w->api->getDiagnostic(w->unit, i);
        if (w->api->getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            report(w, u, d);
            good = false;
        }
        w->api->disposeDiagnostic(d);
    }
    return good;
}

/* ---- bodies ---- */

/* The text must not have closed the function itself. */
static bool is_whole(struct clang_walk *w, CXCursor function)
{
    unsigned end;
    w->api->getExpansionLocation(w->api->getRangeEnd(w->api->getCursorExtent(function)), NULL, NULL, NULL, &end);
    return end == w->piece->begin + w->piece->length + strlen("\n}}");
}

static bool read_body(struct clang_walk *w, const struct clang_body *b, CXCursor function)
{
    struct clang_cursors parts = clang_children(w, function);
    CXCursor body = parts.count ? parts.items[parts.count - 1] : function;
    if (!is_whole(w, function) || w->api->getCursorKind(body) != CXCursor_CompoundStmt)
        return diag_error(w->ir->diags, b->place, DIAG_CPP_INVALID, "the braces do not match");
    w->locals.count = w->constants.count = w->objects.count = 0;
    w->outside_loop = w->outside_break = w->outside_call = 0;
    struct code *block = clang_block(w, body);
    if (!block)
        return false;
    if (w->constants.count) { /* before the statements */
        struct code *all = clang_node(w, body, CODE_BLOCK, 0);
        for (uint32_t i = 0; i < w->constants.count; i++)
            clang_append(w, all, w->constants.items[i]);
        clang_append(w, all, block);
        block = all;
    }
    b->code->tree = block;
    return true;
}

/* The fields stand at the beginning of the program's state. */
static bool read_state(struct clang_walk *w, const struct clang_unit *u, CXCursor record)
{
    w->piece = &u->pieces.items[u->first_function - 1]; /* the last field */
    w->state->fields = clang_type(w, record, w->api->getCursorType(record));
    if (w->state->fields)
        clang_reserve(w->state, w->state->fields->size);
    return w->state->fields;
}

static bool read_functions(struct clang_walk *w, const struct clang_unit *u)
{
    struct clang_cursors top = clang_children(w, w->api->getTranslationUnitCursor(w->unit));
    uint32_t done = 0;
    bool good = true;
    for (uint32_t i = 0; i < top.count && done < u->bodies.count; i++) {
        if (w->api->getCursorKind(top.items[i]) == CXCursor_StructDecl &&
            strcmp(clang_spelling(w, top.items[i]), CLANG_STATE) == 0 && !read_state(w, u, top.items[i]))
            return false;
        if (w->api->getCursorKind(top.items[i]) != CXCursor_FunctionDecl ||
            strcmp(clang_spelling(w, top.items[i]), arena_printf(w->arena, CLANG_FUNCTION "%u", done)) != 0)
            continue;
        w->piece = &u->pieces.items[u->first_function + done];
        good = read_body(w, &u->bodies.items[done++], top.items[i]) && good;
    }
    if (good && done < u->bodies.count)
        return diag_error(w->ir->diags, u->bodies.items[done].place, DIAG_CPP_INVALID, "the braces do not match");
    return good;
}

/* libclang survives its own crashes while it parses, by signal handlers for the whole process: they are there as long
 * as somebody parses, and then those of the program are back. */
static pthread_mutex_t recovery = PTHREAD_MUTEX_INITIALIZER;
static unsigned parsing;

static void change_parsing(const struct clang_api *api, int by)
{
    pthread_mutex_lock(&recovery);
    bool before = parsing;
    parsing += (unsigned)by;
    if (before != (parsing > 0))
        api->toggleCrashRecovery(parsing > 0);
    pthread_mutex_unlock(&recovery);
}

struct reading {
    const struct clang_walk *walk;
    CXIndex index;
};

static void end_reading(void *reading)
{
    const struct reading *r = reading;
    if (r->walk->unit)
        r->walk->api->disposeTranslationUnit(r->walk->unit);
    r->walk->api->disposeIndex(r->index);
}

static enum CXErrorCode parse_text(struct clang_walk *w, struct reading *r, struct CXUnsavedFile *text,
                                   const char *const *options, int num_options)
{
    change_parsing(w->api, 1);
    r->index = w->api->createIndex(0, 0); /* switches recovery on, if it was off */
    enum CXErrorCode error = w->api->parseTranslationUnit2(r->index, text->Filename, options, num_options, text, 1,
                                                           CXTranslationUnit_None, &w->unit);
    change_parsing(w->api, -1);
    return error;
}

static bool parse(struct clang_walk *w, struct clang_unit *u)
{
    static const char *const options[] = {
        "-x",
        "c++",
        "-std=c++20",
        "-nostdinc",
        "-w",
        "-Wno-narrowing",
        "-fno-caret-diagnostics",
        "-ftemplate-depth=200",
        "-fconstexpr-depth=200",
        "-fbracket-depth=2000",
    };
    static const char file[] = "tasklets.cpp";
    struct CXUnsavedFile text = { .Filename = file, .Contents = text_get(&u->out), .Length = u->out.length };
    struct reading r = { .walk = w };
    struct cleanup begun;
    enum CXErrorCode error = parse_text(w, &r, &text, options, sizeof options / sizeof *options);
    bool good = !error && w->unit;
    cleanup_push(&begun, end_reading, &r);
    if (error == CXError_Crashed)
        diag_error(w->ir->diags, u->bodies.items[0].place, DIAG_LLVM, "reading C++ code", "libclang crashed");
    else if (!good)
        diag_error(w->ir->diags, u->bodies.items[0].place, DIAG_CPP_INVALID, "libclang gave up");
    good = good && check(w, u) && read_functions(w, u);
    cleanup_pop(&begun);
    end_reading(&r);
    return good;
}

bool clang_has_work(struct sdfg *root)
{
    struct clang_unit u = { .ir = root->ir, .arena = root->ir->arena };
    clang_find_code(&u, root);
    return u.bodies.count;
}

bool clang_read_tasklets(struct sdfg *root)
{
    struct ir *ir = root->ir;
    struct clang_unit u = { .ir = ir, .arena = ir->arena, .out = text_new(ir->arena) };
    struct clang_walk w = { .ir = ir, .arena = ir->arena, .state = &root->state };
    clang_find_code(&u, root);
    if (!u.bodies.count)
        return true;
    const char *tried;
    w.api = clang_api_open(ir->arena, &tried);
    if (!w.api)
        return diag_error(ir->diags, u.bodies.items[0].place, DIAG_CLANG_MISSING, tried);
    return clang_write_unit(&u, &w) && clang_check_nesting(&u) && parse(&w, &u);
}
