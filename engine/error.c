#include "engine/error.h"

#include "base/stack.h"
#include "base/vec.h"
#include "ir/json/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sdfg_error {
    struct arena *arena; /* NULL: it is static */
    enum sdfg_error_stage stage;
    VEC(sdfg_message) messages;
    uint32_t worst; /* first message of the worst class */
    const char *text, *json;
};

_Static_assert((int)SDFG_ERROR_INVALID == (int)DIAG_CLASS_INVALID && (int)SDFG_ERROR_BUG == (int)DIAG_CLASS_BUG &&
                   (int)SDFG_ERROR_UNSUPPORTED == (int)DIAG_CLASS_UNSUPPORTED &&
                   (int)SDFG_ERROR_ENVIRONMENT == (int)DIAG_CLASS_ENVIRONMENT,
               "classes are passed on as they are");

static const char *copy(struct arena *a, const char *text) { return text ? arena_strdup(a, text) : ""; }

static void print_message(const sdfg_message *m, struct text *out)
{
    text_printf(out, "%s[%s]: %s\n", m->warning ? "warning" : "error", sdfg_error_class_name(m->class_id), m->text);
    if (*m->path || *m->source)
        text_add(out, "  at ");
    text_add(out, m->path);
    if (*m->source)
        text_printf(out, "%s(%s)", *m->path ? "   " : "", m->source);
    if (*m->path || *m->source)
        text_addc(out, '\n');
    if (*m->excerpt)
        text_printf(out, "%s\n", m->excerpt);
}

static const char *const stages[] = { "options", "load", "bind", "compile", "run" };

static void write_json(const sdfg_error *e, struct text *out)
{
    struct json_writer w = { .out = out };
    json_begin(&w, NULL, '{');
    json_write_string(&w, "class", sdfg_error_class_name(sdfg_error_class_of(e)));
    json_write_string(&w, "stage", stages[e->stage]);
    json_begin(&w, "messages", '[');
    for (uint32_t i = 0; i < e->messages.count; i++) {
        const sdfg_message *m = &e->messages.items[i];
        json_begin(&w, NULL, '{');
        json_write_string(&w, "class", sdfg_error_class_name(m->class_id));
        json_write_bool(&w, "warning", m->warning);
        json_write_string(&w, "code", m->code);
        json_write_string(&w, "text", m->text);
        json_write_string(&w, "path", m->path);
        json_write_string(&w, "source", m->source);
        json_write_string(&w, "excerpt", m->excerpt);
        json_end(&w, '}');
    }
    json_end(&w, ']');
    json_end(&w, '}');
}

/* ---- without memory ---- */

sdfg_error *error_memory(enum sdfg_error_stage stage)
{
    static sdfg_message message = { .struct_size = sizeof(sdfg_message),
                                    .class_id = SDFG_ERROR_ENVIRONMENT,
                                    .code = "MEMORY",
                                    .text = "out of memory",
                                    .path = "",
                                    .source = "",
                                    .excerpt = "" };
#define MEMORY_ERROR(NAME, name)                                                                                       \
    [SDFG_STAGE_##NAME] = {                                                                                            \
        .stage = SDFG_STAGE_##NAME,                                                                                    \
        .messages = { .items = &message, .count = 1, .capacity = 1 },                                                  \
        .text = "error[environment]: out of memory\n",                                                                 \
        .json = "{\"class\": \"environment\", \"stage\": \"" name "\", \"messages\": [{\"class\": "                    \
                "\"environment\", \"warning\": false, \"code\": \"MEMORY\", \"text\": \"out of "                       \
                "memory\", \"path\": \"\", \"source\": \"\", \"excerpt\": \"\"}]}"                                     \
    }
    static sdfg_error errors[] = { MEMORY_ERROR(OPTIONS, "options"), MEMORY_ERROR(LOAD, "load"),
                                   MEMORY_ERROR(BIND, "bind"), MEMORY_ERROR(COMPILE, "compile"),
                                   MEMORY_ERROR(RUN, "run") };
#undef MEMORY_ERROR
    return &errors[stage];
}

/* ---- with it ---- */

static sdfg_error *error_new(enum sdfg_error_stage stage)
{
    struct arena *a = arena_new();
    sdfg_error *e = NEW(a, sdfg_error);
    e->arena = a;
    e->stage = stage;
    return e;
}

/* Everything but the messages, which are there. */
static sdfg_error *finish(sdfg_error *e)
{
    struct text text = text_new(e->arena), json = text_new(e->arena);
    int worst = -1;
    for (uint32_t i = 0; i < e->messages.count; i++) {
        const sdfg_message *m = &e->messages.items[i];
        if (!m->warning && (int)m->class_id > worst) {
            worst = (int)m->class_id;
            e->worst = i;
        }
        print_message(m, &text);
    }
    write_json(e, &json);
    e->text = text_get(&text);
    e->json = text_get(&json);
    return e;
}

sdfg_error *error_from_diags(const struct diags *d, enum sdfg_error_stage stage)
{
    if (!diags_count(d))
        return NULL;
    sdfg_error *e = error_new(stage);
    for (uint32_t i = 0; i < diags_count(d); i++) {
        const struct diag *g = diags_get(d, i);
        sdfg_message m = {
            .struct_size = sizeof m,
            .class_id = (enum sdfg_error_class)diag_class_of(g->code),
            .warning = g->warning,
            .code = diag_name(g->code),
            .text = copy(e->arena, g->message),
            .path = copy(e->arena, g->path),
            .source = copy(e->arena, g->source),
            .excerpt = copy(e->arena, g->excerpt),
        };
        vec_push(e->arena, &e->messages, m);
    }
    return finish(e);
}

sdfg_error *error_join(sdfg_error *e, sdfg_error *more)
{
    if (!e || !more)
        return e ? e : more;
    for (uint32_t i = 0; i < more->messages.count; i++) {
        sdfg_message m = more->messages.items[i];
        m.text = copy(e->arena, m.text);
        m.path = copy(e->arena, m.path);
        m.source = copy(e->arena, m.source);
        m.excerpt = copy(e->arena, m.excerpt);
        vec_push(e->arena, &e->messages, m);
    }
    sdfg_error_free(more);
    return finish(e);
}

static sdfg_error *from_messages(const struct codegen_message *messages, uint32_t count, enum sdfg_error_stage stage)
{
    if (!count)
        return NULL;
    sdfg_error *e = error_new(stage);
    for (uint32_t i = 0; i < count; i++) {
        const struct codegen_message *g = &messages[i];
        sdfg_message m = {
            .struct_size = sizeof m,
            .class_id = (enum sdfg_error_class)g->class_id,
            .warning = g->warning,
            .code = copy(e->arena, g->code),
            .text = copy(e->arena, g->message),
            .path = copy(e->arena, g->path),
            .source = copy(e->arena, g->source),
            .excerpt = copy(e->arena, g->excerpt),
        };
        vec_push(e->arena, &e->messages, m);
    }
    return finish(e);
}

sdfg_error *error_from_message(const struct codegen_message *message, enum sdfg_error_stage stage)
{
    return from_messages(message, 1, stage);
}

sdfg_error *error_from_messages(const struct codegen_message *messages, uint32_t count)
{
    bool option = count && !strncmp(messages[0].code, "OPTION_", 7); /* that only LLVM can judge */
    return from_messages(messages, count, option ? SDFG_STAGE_OPTIONS : SDFG_STAGE_COMPILE);
}

void error_put(struct text *out, const sdfg_error *e)
{
    bytes_put_number(out, e ? e->messages.count : 0);
    for (uint32_t i = 0; e && i < e->messages.count; i++) {
        const sdfg_message *m = &e->messages.items[i];
        bytes_put_number(out, m->class_id);
        bytes_put_number(out, m->warning);
        bytes_put_text(out, m->code);
        bytes_put_text(out, m->text);
        bytes_put_text(out, m->path);
        bytes_put_text(out, m->source);
        bytes_put_text(out, m->excerpt);
    }
    if (e)
        bytes_put_number(out, e->stage);
}

sdfg_error *error_take(struct bytes *b)
{
    struct arena *a = arena_new();
    uint32_t count = (uint32_t)bytes_take_number(b, b->left);
    struct codegen_message *messages = NEW_ARRAY(a, struct codegen_message, count);
    for (uint32_t i = 0; i < count && !b->failed; i++) {
        struct codegen_message *m = &messages[i];
        m->class_id = (int)bytes_take_number(b, SDFG_ERROR_BUG);
        m->warning = bytes_take_number(b, 1);
        m->code = bytes_look_text(b);
        m->message = bytes_look_text(b);
        m->path = bytes_look_text(b);
        m->source = bytes_look_text(b);
        m->excerpt = bytes_look_text(b);
    }
    enum sdfg_error_stage stage = (enum sdfg_error_stage)(count ? bytes_take_number(b, SDFG_STAGE_RUN) : 0);
    sdfg_error *e = b->failed ? NULL : from_messages(messages, count, stage);
    arena_free(a);
    return e;
}

sdfg_error *error_stack(enum sdfg_error_stage stage)
{
    const char *why = strerror(errno);
    return error_of(stage, DIAG_STACK, (unsigned)(stack_bytes >> 20), why);
}

sdfg_error *error_copy(const sdfg_error *e)
{
    GUARDED(error_memory(e->stage));
    sdfg_error *c = error_new(e->stage);
    for (uint32_t i = 0; i < e->messages.count; i++) {
        sdfg_message m = e->messages.items[i];
        m.code = copy(c->arena, m.code);
        m.text = copy(c->arena, m.text);
        m.path = copy(c->arena, m.path);
        m.source = copy(c->arena, m.source);
        m.excerpt = copy(c->arena, m.excerpt);
        vec_push(c->arena, &c->messages, m);
    }
    return finish(c);
}

struct report report_begin(void)
{
    struct arena *a = arena_new();
    return (struct report){ .arena = a, .diags = diags_new(a) };
}

struct report report_in(struct arena *a)
{
    return (struct report){ .arena = a, .diags = diags_new(a), .borrowed = true };
}

sdfg_error *report_end(struct report *r, enum sdfg_error_stage stage)
{
    sdfg_error *e = diags_errors(r->diags) ? error_from_diags(r->diags, stage) : NULL;
    if (!r->borrowed)
        arena_free(r->arena);
    r->arena = NULL;
    return e;
}

sdfg_error *error_of(enum sdfg_error_stage stage, enum diag_code code, ...)
{
    GUARDED(error_memory(stage));
    va_list args;
    struct report r = report_begin();
    va_start(args, code);
    diag_verror(r.diags, NULL, code, args);
    va_end(args);
    return report_end(&r, stage);
}

sdfg_error *error_null(const char *function, const char *parameter)
{
    return error_of(SDFG_STAGE_BIND, DIAG_NULL_PARAMETER, function, parameter);
}

sdfg_error *give_text(char **out, const struct text *t, size_t *size, sdfg_error *error)
{
    if (error)
        return error;
    char *copy = malloc(t->length + 1);
    if (!copy)
        return error_memory(SDFG_STAGE_BIND);
    if (t->length)
        memcpy(copy, t->data, t->length);
    copy[t->length] = 0;
    *out = copy;
    if (size)
        *size = t->length;
    return NULL;
}

enum sdfg_error_class sdfg_error_class_of(const sdfg_error *e)
{
    return e ? e->messages.items[e->worst].class_id : SDFG_ERROR_INVALID;
}

const char *sdfg_error_class_name(enum sdfg_error_class c)
{
    return (unsigned)c <= SDFG_ERROR_BUG ? diag_class_name((enum diag_class)c) : "unknown";
}

enum sdfg_error_stage sdfg_error_stage_of(const sdfg_error *e) { return e ? e->stage : SDFG_STAGE_OPTIONS; }

const char *sdfg_error_code(const sdfg_error *e) { return e ? e->messages.items[e->worst].code : ""; }

const char *sdfg_error_message(const sdfg_error *e) { return e ? e->messages.items[e->worst].text : ""; }

const char *sdfg_error_path(const sdfg_error *e) { return e ? e->messages.items[e->worst].path : ""; }

const char *sdfg_error_source(const sdfg_error *e) { return e ? e->messages.items[e->worst].source : ""; }

size_t sdfg_error_count(const sdfg_error *e) { return e ? e->messages.count : 0; }

const sdfg_message *sdfg_error_get(const sdfg_error *e, size_t index)
{
    return e && index < e->messages.count ? &e->messages.items[index] : NULL;
}

const char *sdfg_error_text(const sdfg_error *e) { return e ? e->text : ""; }

const char *sdfg_error_json(const sdfg_error *e) { return e ? e->json : ""; }

void sdfg_error_free(sdfg_error *e)
{
    if (e)
        arena_free(e->arena); /* NULL if it is static */
}
