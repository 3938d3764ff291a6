#include "engine/include/sdfg.h"

#include "tests/unit/check.h"

#include <pthread.h>
#include <stdlib.h>

/* Programs whose parts nest deeply, read and compiled by a thread with little stack: whatever its size, they work or
 * are refused, by an error that names the element. */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SMALL_STACK = 512 << 10 };
#else
enum { SMALL_STACK = 64 << 10 };
#endif

enum expected { RUNS, REFUSED };

/* `before`, `count` times `open`, `middle`, `count` times `close`, `after`. */
struct nest {
    const char *language, *before, *open, *middle, *close, *after;
    int count;
    enum expected expected;
};

static const struct nest tasklets[] = {
    { "CPP", "b = ", "(", "a", ")", ";", 400, RUNS },
    { "CPP", "b = ", "(", "a", ")", ";", 2000, REFUSED },
    { "CPP", "b = ", "- ", "a", "", ";", 400, RUNS },
    { "CPP", "b = ", "- ", "a", "", ";", 5000, REFUSED },
    { "CPP", "b = ", "std::abs(", "a", ")", ";", 1000, REFUSED },
    { "CPP", "b = ", "(double)", "a", "", ";", 1400, REFUSED },
    { "CPP", "b = a; ", "for (;;) ", "break;", "", "", 5000, REFUSED },
    { "CPP", "b = a; ", "if (a > 0) ", "b = 1;", "", "", 5000, REFUSED },
    { "CPP", "b = a; ", "if (a > 0) { b = 1; } else ", "b = 2;", "", "", 400, RUNS },
    { "CPP", "b = a; ", "if (a > 0) { b = 1; } else ", "b = 2;", "", "", 30000, REFUSED },
    { "CPP", "b = a; ", "do ", "b = 1;", " while (0);", "", 5000, REFUSED },
    { "CPP", "b = a; ", "a: ", "b = 1;", "", "", 14000, REFUSED },
    { "CPP", "b = a; ", "{", "b = 1;", "}", "", 400, RUNS },
    { "CPP", "b = a; ", "{", "b = 1;", "}", "", 14000, REFUSED },
    { "CPP", "b = a; ", "b = b + 1; ", "", "while (b < 0) b++; ", "", 1000, RUNS },
    { "CPP", "b = ", "a + ", "a", "", ";", 10000, RUNS },
    { "CPP", "b = ", "a && ", "a", "", ";", 10000, RUNS },
    { "CPP", "b = (", "a, ", "a", "", ");", 10000, RUNS },
    { "CPP", "b = ", "a + ", "a", "", ";", 50000, REFUSED },
    { "CPP", "#define M ", "- ", "", "", "\nb = M a;", 5000, REFUSED },
    { "Python", "b = ", "(", "a", ")", "", 900, RUNS },
    { "Python", "b = ", "(", "a", ")", "", 100000, REFUSED },
    { "Python", "b = ", "-", "a", "", "", 900, RUNS },
    { "Python", "b = ", "-", "a", "", "", 100000, REFUSED },
    { "Python", "b = ", "abs(", "a", ")", "", 900, RUNS },
    { "Python", "b = ", "a + ", "a", "", "", 20000, RUNS },
    { "Python", "b = ", "a * ", "2 - a", "", "", 10000, RUNS },
    { "Python", "b = 1 if ", "a and ", "a", "", " else 2", 100000, RUNS },
    { "Python", "b = ", "a > 1 or ", "a", "", "", 10000, RUNS },
    { "Python", "b = ", "a < ", "a", "", "", 4000, RUNS },
    { "Python", "b = ", "int(a) | ", "1", "", "", 10000, RUNS },
    { "Python", "b = ", "math.pi + ", "a", "", "", 10000, RUNS },
    { "Python", "b = a ** (1", "/ 1", "", "", ")", 10000, RUNS },
    { "Python", "b = ", "a ** ", "a", "", "", 5000, REFUSED },
    { "Python", "b = ", "a if a > 0 else ", "a", "", "", 900, RUNS },
    { "Python", "b = ", "a if a > 0 else ", "a", "", "", 100000, REFUSED },
};

static const struct nest shapes[] = {
    { NULL, "", "(", "N", ")", "", 900, RUNS },       { NULL, "", "(", "N", ")", "", 100000, REFUSED },
    { NULL, "", "-", "N", "", "", 900, RUNS },        { NULL, "", "-", "N", "", "", 100000, REFUSED },
    { NULL, "", "Min(N, ", "7", ")", "", 900, RUNS }, { NULL, "", "int_floor(", "N", ", 2)", "", 5000, REFUSED },
};

static char *text_of(const struct nest *n)
{
    size_t size = 1 + strlen(n->before) + strlen(n->middle) + strlen(n->after);
    size += (size_t)n->count * (strlen(n->open) + strlen(n->close));
    char *text = malloc(size), *at = stpcpy(text, n->before);
    for (int i = 0; i < n->count; i++)
        at = stpcpy(at, n->open);
    at = stpcpy(at, n->middle);
    for (int i = 0; i < n->count; i++)
        at = stpcpy(at, n->close);
    stpcpy(at, n->after);
    return text;
}

/* Arrays A and B, and a tasklet that reads an element of A and writes one of B. */
static const char frame[] =
    "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"p\", \"symbols\": {\"N\": \"int64\"},"
    " \"init_code\": {\"frame\": {\"string_data\": \"%s\", \"language\": \"CPP\"}}, \"_arrays\": {"
    "\"A\": {\"type\": \"Array\", \"attributes\": {\"dtype\": \"float64\", \"shape\": [\"%s\"], \"transient\": false}},"
    "\"B\": {\"type\": \"Array\", \"attributes\": {\"dtype\": \"float64\", \"shape\": [\"8\"], \"transient\": "
    "false}}}},"
    "\"start_block\": 0, \"edges\": [], \"nodes\": [{\"type\": \"SDFGState\", \"label\": \"s\", \"id\": 0, "
    "\"attributes\": {}, \"nodes\": ["
    "{\"type\": \"AccessNode\", \"label\": \"A\", \"id\": 0, \"attributes\": {\"data\": \"A\"}},"
    "{\"type\": \"Tasklet\", \"label\": \"t\", \"id\": 1, \"attributes\": {\"label\": \"t\", \"code\": "
    "{\"string_data\": "
    "\"%s\", \"language\": \"%s\"}, \"in_connectors\": {\"a\": null}, \"out_connectors\": {\"b\": null}}},"
    "{\"type\": \"AccessNode\", \"label\": \"B\", \"id\": 2, \"attributes\": {\"data\": \"B\"}}], \"edges\": ["
    "{\"type\": \"MultiConnectorEdge\", \"src\": \"0\", \"dst\": \"1\", \"src_connector\": null, \"dst_connector\": "
    "\"a\","
    " \"attributes\": {\"data\": {\"type\": \"Memlet\", \"attributes\": {\"data\": \"A\", \"subset\": {\"type\": "
    "\"Range\","
    " \"ranges\": [{\"start\": \"0\", \"end\": \"0\", \"step\": \"1\", \"tile\": \"1\"}]}}}}},"
    "{\"type\": \"MultiConnectorEdge\", \"src\": \"1\", \"dst\": \"2\", \"src_connector\": \"b\", \"dst_connector\": "
    "null,"
    " \"attributes\": {\"data\": {\"type\": \"Memlet\", \"attributes\": {\"data\": \"B\", \"subset\": {\"type\": "
    "\"Range\","
    " \"ranges\": [{\"start\": \"0\", \"end\": \"0\", \"step\": \"1\", \"tile\": \"1\"}]}}}}}]}]}";

static char *escaped(const char *text)
{
    char *out = malloc(2 * strlen(text) + 1), *at = out;
    for (; *text; text++) {
        if (*text == '\n' || *text == '"')
            *at++ = '\\';
        *at++ = *text == '\n' ? 'n' : *text;
    }
    *at = 0;
    return out;
}

static char *program(const char *init, const char *shape, const char *language, const char *code)
{
    char *json, *i = escaped(init), *s = escaped(shape), *c = escaped(code);
    if (asprintf(&json, frame, i, s, c, language) < 0)
        json = NULL;
    free(i);
    free(s);
    free(c);
    return json;
}

/* ---- on a small stack ---- */

struct work {
    sdfg_engine *engine;
    const char *json;
    sdfg_error *error;
};

static void *compile(void *work)
{
    struct work *w = work;
    sdfg_program *p;
    char *text = NULL;
    w->error = sdfg_program_load(&p, w->engine, w->json, strlen(w->json), NULL);
    if (!w->error)
        w->error = sdfg_program_emit(&text, NULL, p, SDFG_EMIT_OBJECT, NULL, 0);
    sdfg_text_free(text);
    sdfg_program_free(p);
    return NULL;
}

static void try_program(char *json, enum expected expected, const char *what, int count)
{
    struct work w = { .json = json };
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(!sdfg_engine_new(&w.engine, NULL));
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SMALL_STACK);
    CHECK(!pthread_create(&thread, &attributes, compile, &w));
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    if (expected == RUNS) {
        CHECK(!w.error);
    } else {
        CHECK(w.error != NULL);
        if (w.error) {
            CHECK(sdfg_error_class_of(w.error) <= SDFG_ERROR_UNSUPPORTED);
            CHECK(*sdfg_error_path(w.error));
        }
    }
    if ((w.error != NULL) != (expected == REFUSED))
        printf("%s, %d times: %s\n", what, count, w.error ? sdfg_error_text(w.error) : "works");
    sdfg_error_free(w.error);
    sdfg_engine_free(w.engine);
    free(json);
}

TEST(tasklets)
{
    for (size_t i = 0; i < sizeof tasklets / sizeof *tasklets; i++) {
        const struct nest *n = &tasklets[i];
        char *text = text_of(n);
        try_program(program("", "N", n->language, text), n->expected, n->open, n->count);
        free(text);
    }
}

TEST(shapes)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char *text = text_of(&shapes[i]);
        try_program(program("", text, "Python", "b = a"), shapes[i].expected, shapes[i].open, shapes[i].count);
        free(text);
    }
}

TEST(code_of_the_program)
{
    static const struct nest init[] = { { NULL, "int x = ", "(", "1", ")", ";", 400, RUNS },
                                        { NULL, "int x = ", "(", "1", ")", ";", 5000, REFUSED } };
    for (size_t i = 0; i < sizeof init / sizeof *init; i++) {
        char *text = text_of(&init[i]);
        try_program(program(text, "N", "Python", "b = a"), init[i].expected, "init code", init[i].count);
        free(text);
    }
}

CHECK_MAIN
