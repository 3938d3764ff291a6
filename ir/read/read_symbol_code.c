/* Symbols that a program takes from its arguments. Graphs made from Fortran (f2dace) declare such a symbol in
 * `global_code`, `int N;`, and set it in `init_code` from a scalar member of a structure, `N = config->sizes->n;`. Here
 * it is an equation between symbol and member, which calls solve as those of shapes; both statements are left out of
 * the code, so that C++ code that names the symbol gets its value as everywhere else. */
#include "ir/read/code_scan.h"
#include "ir/read/read.h"

#include <ctype.h>
#include <string.h>

/* Behind the word at `c`; `c` if there is none. */
static const char *skip_word(const char *c)
{
    while (code_is_word(*c))
        c++;
    return c;
}

/* `NAME = ARGUMENT->MEMBER...;` at `c`: behind it, with the path as "ARGUMENT.MEMBER"; NULL: it is none. */
static const char *parse_source(struct reader *r, const char *c, struct symbol_source *out)
{
    const char *end = skip_word(c);
    struct text path = text_new(r->ir->arena);
    if (end == c || isdigit((unsigned char)*c))
        return NULL;
    out->symbol = intern_n(r->ir->names, c, (size_t)(end - c));
    c = code_skip_blanks(end);
    if (*c != '=' || c[1] == '=')
        return NULL;
    for (c++;; c += 2) {
        const char *word = code_skip_blanks(c);
        end = skip_word(word);
        if (end == word)
            return NULL;
        text_addn(&path, word, (size_t)(end - word));
        c = code_skip_blanks(end);
        if (*c == ';')
            break;
        if (c[0] != '-' || c[1] != '>')
            return NULL;
        text_addc(&path, '.');
    }
    out->path = text_get(&path);
    return c + 1;
}

/* The scalar member of an argument with this path, or NULL. */
static const struct container *member_at(const struct sdfg *s, const char *path)
{
    const struct container *c = NULL;
    for (const char *end; *path; path = *end ? end + 1 : end) {
        end = path + strcspn(path, ".");
        size_t n = (size_t)(end - path);
        uint32_t count = c ? c->members.count : s->containers.count;
        struct container *const *list = c ? c->members.items : s->containers.items;
        c = NULL;
        for (uint32_t i = 0; i < count && !c; i++)
            if (strlen(list[i]->name) == n && !memcmp(list[i]->name, path, n))
                c = list[i];
        if (!c || (c->transient && !c->parent))
            return NULL;
    }
    return c && c->parent && c->kind == CONTAINER_SCALAR ? c : NULL;
}

/* Behind the statement or declaration at `c`, as brackets tell; a line of the preprocessor is one. */
static const char *skip_statement(const char *c)
{
    int depth = 0;
    if (*c == '#')
        return c + strcspn(c, "\n");
    while (*c) {
        const char *next = code_skip_inert(c);
        if (next != c) {
            c = next;
            continue;
        }
        depth += (*c == '{' || *c == '(' || *c == '[') - (*c == '}' || *c == ')' || *c == ']');
        char last = *c++;
        if (depth <= 0 && (last == ';' || last == '}'))
            break;
    }
    return c;
}

/* `TYPE NAME;` at `c`: behind it, or NULL. */
static const char *parse_declaration(const char *c, const char *name)
{
    const char *word = NULL;
    int count = 0;
    for (const char *end; (end = skip_word(c)) != c; count++) {
        word = c;
        c = code_skip_blanks(end);
    }
    size_t n = strlen(name);
    bool found = count > 1 && *c == ';' && !strncmp(word, name, n) && !code_is_word(word[n]);
    return found ? c + 1 : NULL;
}

static const char *find_declaration(const char *text, const char *name, const char **end)
{
    for (const char *c = code_skip_blanks(text); *c; c = code_skip_blanks(skip_statement(c)))
        if ((*end = parse_declaration(c, name)))
            return c;
    return NULL;
}

/* Lines keep their numbers. */
static void blank(char *begin, const char *end)
{
    for (; begin < end; begin++)
        if (*begin != '\n')
            *begin = ' ';
}

/* Takes the declaration of the symbol out of the global code; false: there is none. */
static bool drop_declaration(struct sdfg *s, const char *name)
{
    for (uint32_t i = 0; i < s->global_code.count; i++) {
        char *text = (char *)s->global_code.items[i].text;
        const char *end, *begin = find_declaration(text, name, &end);
        if (begin)
            return blank(text + (begin - text), end), true;
    }
    return false;
}

static void take_sources(struct reader *r, struct sdfg *s, char *text)
{
    struct symbol_source source;
    for (const char *c = code_skip_blanks(text), *end; *c; c = code_skip_blanks(end)) {
        end = parse_source(r, c, &source);
        bool taken = end && sdfg_symbol_type(s, source.symbol) && member_at(s, source.path) &&
                     drop_declaration(s, source.symbol);
        if (!taken) {
            end = skip_statement(c);
            continue;
        }
        blank(text + (c - text), end);
        vec_push(r->ir->arena, &s->sources, source);
    }
}

static void own_texts(struct reader *r, struct code_text *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        items[i].text = arena_strdup(r->ir->arena, items[i].text);
}

/* The number of those that still hold something, which are moved to the front. */
static uint32_t without_blank(struct code_text *items, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (*code_skip_blanks(items[i].text))
            items[kept++] = items[i];
    return kept;
}

void read_symbol_code(struct reader *r, struct sdfg *s)
{
    const struct json *attributes = json_get(s->json, "attributes");
    if (s->parent || !s->init_code.count || json_get(json_get(attributes, "init_code"), "string_data"))
        return; /* nested ones have no arguments, and single records are written from here */
    own_texts(r, s->global_code.items, s->global_code.count);
    own_texts(r, s->init_code.items, s->init_code.count);
    for (uint32_t i = 0; i < s->init_code.count; i++)
        take_sources(r, s, (char *)s->init_code.items[i].text);
    if (!s->sources.count)
        return;
    s->global_code.count = without_blank(s->global_code.items, s->global_code.count);
    s->init_code.count = without_blank(s->init_code.items, s->init_code.count);
}
