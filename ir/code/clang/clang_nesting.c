#include "ir/code/clang/clang_nesting.h"

#include "ir/code/clang/clang_token.h"

#include <string.h>

/* An upper bound from the tokens alone: brackets that are open, and in each of them what may still be around the token
 * at hand in its statement. A macro counts with all that its body holds. */

enum { SATURATED = 1 << 28, MOST_MACROS_IN_MACROS = 100 };

struct cost {
    uint32_t nesting, chain, tokens; /* SATURATED at most */
};

struct macro {
    const char *name; /* interned */
    const char *body;
    VEC(const char *) parameters; /* interned */
    bool takes_arguments;
    enum { UNKNOWN, BUSY, KNOWN } state;
    struct cost cost;
    uint32_t copies; /* of an argument, at most */
};

/* A bracket, or all of the text. */
struct level {
    bool is_head; /* the parentheses of `if (...)` and its like */
    bool is_list; /* commas separate values */
    struct cost pending;
    uint32_t dos, questions; /* without their `while` and `:` so far */
    uint32_t copies;         /* of each token in here: the arguments of a macro */
};

struct macros {
    struct clang_unit *unit;
    VEC(struct macro *) all;
    uint32_t depth; /* of macros in macros */
};

struct scan {
    struct macros *macros;
    const struct macro *body; /* whose body this is; NULL: the text */
    VEC(struct level) levels;
    struct cost open, most; /* sums over the levels, and their maxima */
    uint32_t copies;        /* of an argument of `body` */
    struct clang_token before;
    uint32_t next_copies;      /* of what is in the parentheses that come next */
    const char *beyond, *what; /* where a limit is passed first, and which; NULL: nowhere */
};

static uint32_t plus(uint32_t a, uint32_t b) { return a + b < SATURATED ? a + b : SATURATED; }

static uint32_t times(uint32_t a, uint32_t b)
{
    uint64_t product = (uint64_t)a * b;
    return product < SATURATED ? (uint32_t)product : SATURATED;
}

static bool is_one_of(const struct clang_token *t, const char *const *words)
{
    for (; *words; words++)
        if (clang_token_is(t, *words))
            return true;
    return false;
}

/* ---- what tokens do ---- */

static struct level *inner(struct scan *s) { return &vec_last(&s->levels); }

static void refuse(struct scan *s, const char *at, const char *what)
{
    if (s->beyond)
        return;
    s->beyond = at;
    s->what = what;
}

static void add(struct scan *s, const struct clang_token *at, struct cost c)
{
    struct level *l = inner(s);
    l->pending.nesting = plus(l->pending.nesting, c.nesting);
    l->pending.chain = plus(l->pending.chain, c.chain);
    s->open.nesting = plus(s->open.nesting, c.nesting);
    s->open.chain = plus(s->open.chain, c.chain);
    s->most.nesting = s->most.nesting > s->open.nesting ? s->most.nesting : s->open.nesting;
    s->most.chain = s->most.chain > s->open.chain ? s->most.chain : s->open.chain;
    s->most.tokens = plus(s->most.tokens, times(l->copies, c.tokens));
    if (s->most.nesting > CLANG_MOST_NESTING || s->most.chain > CLANG_MOST_CHAIN)
        refuse(s, at->at, "code nested this deep");
    else if (s->most.tokens > CLANG_MOST_TOKENS)
        refuse(s, at->at, "a macro that expands to this much");
}

/* The statement, or the value of a list, ends. */
static void settle(struct scan *s)
{
    struct level *l = inner(s);
    s->open.nesting -= l->pending.nesting < s->open.nesting ? l->pending.nesting : s->open.nesting;
    s->open.chain -= l->pending.chain < s->open.chain ? l->pending.chain : s->open.chain;
    l->pending.nesting = l->pending.chain = 0;
}

static bool is_operand(const struct clang_token *t)
{
    static const char *const words[] = { "return", "case", "throw",  "sizeof", "alignof",  "new",
                                         "delete", "else", "do",     "not",    "compl",    "and",
                                         "or",     "xor",  "bitand", "bitor",  "co_await", NULL };
    switch (t->kind) {
    case CLANG_NAME:
        return !is_one_of(t, words);
    case CLANG_NUMBER:
    case CLANG_TEXT:
        return true;
    case CLANG_SIGN:
        return strchr(")]}", *t->at);
    case CLANG_END:
        return false;
    }
    return false;
}

static void open_bracket(struct scan *s, const struct clang_token *t)
{
    static const char *const heads[] = { "if", "for", "while", "switch", "catch", "constexpr", NULL };
    static const char *const blocks[] = { "else", "do", "try", NULL };
    const struct clang_token *b = &s->before;
    const struct level *around = inner(s);
    bool named = b->kind == CLANG_NAME && !is_one_of(b, blocks);
    struct level l = { .copies = times(around->copies, s->next_copies) };
    l.is_head = *t->at == '(' && b->kind == CLANG_NAME && is_one_of(b, heads);
    if (*t->at == '(')
        l.is_list = named && !l.is_head;
    else if (*t->at == '{' || *t->at == '<')
        l.is_list = named || (b->kind == CLANG_SIGN && (strchr("=,(", *b->at) || (*b->at == '{' && around->is_list)));
    vec_push(s->macros->unit->arena, &s->levels, l);
    add(s, t, (struct cost){ .nesting = 1, .tokens = 1 });
}

/* `else` and what belongs to an earlier head go on with the statement that seemed to end. */
static bool goes_on(const struct scan *s, const struct clang_token *next)
{
    static const char *const words[] = { "else", "catch", "and", "or", "xor", "bitand", "bitor", "not_eq", NULL };
    const struct level *l = &vec_last(&s->levels);
    return next->kind == CLANG_NAME && (is_one_of(next, words) || (l->dos && clang_token_is(next, "while")));
}

static void close_bracket(struct scan *s, const struct clang_token *t)
{
    struct clang_token next = clang_token_after(t);
    bool was_head = inner(s)->is_head;
    settle(s);
    if (s->levels.count > 1)
        s->levels.count--;
    if (s->body) /* more than was opened may be closed here and opened elsewhere */
        return;
    if (*t->at == '}' && !goes_on(s, &next) && (next.kind == CLANG_NAME || next.kind == CLANG_END || *next.at == '}'))
        settle(s);
    bool applied = next.kind != CLANG_END && (next.kind != CLANG_SIGN || strchr("({~!", *next.at));
    if (*t->at == ')' && !was_head && applied) /* a cast, or a call of what was called */
        add(s, t, (struct cost){ .nesting = 1 });
}

static struct cost cost_of_sign(struct scan *s, const struct clang_token *t)
{
    static const char *const nest[] = { "=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=",
                                        "^=", "<<=", ">>=", "?",  "!",  "~",  "<",  NULL };
    static const char *const chain[] = { "+",  "-",  "*",  "/",  "%",  "&",  "|",   "^",   "<<", ">>", ">",  "<=", ">=",
                                         "==", "!=", "&&", "||", "++", "--", "->*", "<=>", ".",  "->", "::", NULL };
    bool binary = is_operand(&s->before);
    if (is_one_of(t, nest) || (!binary && is_one_of(t, chain)))
        return (struct cost){ .nesting = 1, .tokens = 1 };
    bool comma = clang_token_is(t, ",") && !inner(s)->is_list;
    return (struct cost){ .chain = comma || is_one_of(t, chain), .tokens = 1 };
}

static void take_sign(struct scan *s, const struct clang_token *t)
{
    struct clang_token next;
    struct level *l = inner(s);
    add(s, t, cost_of_sign(s, t));
    if (clang_token_is(t, "?"))
        l->questions++;
    else if (clang_token_is(t, ":") && l->questions)
        l->questions--;
    else if (clang_token_is(t, ":")) /* of a label */
        add(s, t, (struct cost){ .nesting = 1 });
    if (clang_token_is(t, "(") || clang_token_is(t, "[") || clang_token_is(t, "{") || clang_token_is(t, "<%") ||
        clang_token_is(t, "<:")) {
        open_bracket(s, t);
    } else if (strchr(")]}", *t->at) || clang_token_is(t, "%>") || clang_token_is(t, ":>")) {
        close_bracket(s, t);
    } else if (clang_token_is(t, ",") && inner(s)->is_list) {
        settle(s);
    } else if (clang_token_is(t, ";") && !s->body) {
        next = clang_token_after(t);
        if (!goes_on(s, &next))
            settle(s);
    }
}

/* ---- macros ---- */

static struct macro *find_macro(const struct macros *m, const char *name)
{
    for (uint32_t i = 0; i < m->all.count; i++)
        if (m->all.items[i]->name == name)
            return m->all.items[i];
    return NULL;
}

static const char *spelling(const struct macros *m, const struct clang_token *t)
{
    return intern_n(m->unit->ir->names, t->at, t->length);
}

static void scan_text(struct scan *s, struct clang_token t);

static void measure(struct macros *m, struct macro *macro)
{
    if (macro->state == KNOWN)
        return;
    if (macro->state == BUSY || m->depth >= MOST_MACROS_IN_MACROS) { /* a macro is not expanded in itself */
        macro->cost = macro->state == BUSY ? (struct cost){ .tokens = 1 } : (struct cost){ SATURATED, 0, 0 };
        return;
    }
    macro->state = BUSY;
    m->depth++;
    struct scan s = { .macros = m, .body = macro };
    const char *end = clang_line_end(macro->body);
    scan_text(&s, clang_token(arena_strndup(m->unit->arena, macro->body, (size_t)(end - macro->body)), false));
    m->depth--;
    macro->cost = s.most;
    macro->copies = s.copies;
    macro->state = KNOWN;
}

/* Names made by ## may be those of any macro. */
static struct cost costliest(struct macros *m)
{
    struct cost c = { 0 };
    for (uint32_t i = 0; i < m->all.count; i++) {
        struct macro *macro = m->all.items[i];
        measure(m, macro);
        c.nesting = c.nesting > macro->cost.nesting ? c.nesting : macro->cost.nesting;
        c.chain = c.chain > macro->cost.chain ? c.chain : macro->cost.chain;
        c.tokens = c.tokens > macro->cost.tokens ? c.tokens : macro->cost.tokens;
    }
    return c;
}

static bool is_parameter(const struct macro *macro, const char *name)
{
    for (uint32_t i = 0; macro && i < macro->parameters.count; i++)
        if (macro->parameters.items[i] == name)
            return true;
    return false;
}

static void take_name(struct scan *s, const struct clang_token *t)
{
    static const char *const nest[] = { "if",     "for", "while", "do",  "switch", "sizeof",   "alignof", "co_await",
                                        "delete", "new", "throw", "not", "compl",  "template", NULL };
    static const char *const chain[] = { "and", "or", "xor", "bitand", "bitor", "not_eq", NULL };
    struct macros *m = s->macros;
    const char *name = m->all.count ? spelling(m, t) : NULL;
    struct macro *macro = name ? find_macro(m, name) : NULL;
    if (is_parameter(s->body, name))
        s->copies = plus(s->copies, inner(s)->copies);
    struct level *l = inner(s);
    if (clang_token_is(t, "do"))
        l->dos++;
    else if (l->dos && clang_token_is(t, "while"))
        l->dos--;
    add(s, t, (struct cost){ .nesting = is_one_of(t, nest), .chain = is_one_of(t, chain), .tokens = 1 });
    if (!macro)
        return;
    measure(m, macro);
    add(s, t, macro->cost);
    if (macro->takes_arguments)
        s->next_copies = macro->copies > 1 ? macro->copies : 1;
}

/* #define NAME(parameters) body */
static void define(struct macros *m, const struct clang_token *keyword)
{
    struct clang_token t = clang_token_after(keyword);
    if (t.kind != CLANG_NAME || t.first)
        return;
    struct macro *macro = NEW(m->unit->arena, struct macro);
    *macro =
        (struct macro){ .name = spelling(m, &t), .body = t.at + t.length, .takes_arguments = t.at[t.length] == '(' };
    if (macro->takes_arguments) {
        for (t = clang_token_after(&t); t.kind != CLANG_END && !clang_token_is(&t, ")"); t = clang_token_after(&t))
            if (t.kind == CLANG_NAME || clang_token_is(&t, "..."))
                vec_push(m->unit->arena, &macro->parameters,
                         t.kind == CLANG_NAME ? spelling(m, &t) : intern(m->unit->ir->names, "__VA_ARGS__"));
        macro->body = t.at + t.length;
    }
    vec_push(m->unit->arena, &m->all, macro);
}

/* Behind the directive. */
static struct clang_token take_directive(struct scan *s, const struct clang_token *hash)
{
    struct clang_token keyword = clang_token_after(hash);
    const char *end = clang_line_end(hash->at);
    if (keyword.at < end && clang_token_is(&keyword, "embed"))
        refuse(s, hash->at, "a directive that reads a file");
    return clang_token(end, true);
}

static void scan_text(struct scan *s, struct clang_token t)
{
    s->next_copies = 1;
    vec_push(s->macros->unit->arena, &s->levels, ((struct level){ .copies = 1 }));
    while (t.kind != CLANG_END && !s->beyond) {
        if (!s->body && clang_token_is_hash(&t)) {
            t = take_directive(s, &t);
            continue;
        }
        if (t.kind == CLANG_NAME)
            take_name(s, &t);
        else if (t.kind == CLANG_SIGN)
            take_sign(s, &t);
        else
            add(s, &t, (struct cost){ .tokens = 1 });
        if (s->body && clang_token_is(&t, "##"))
            add(s, &t, costliest(s->macros));
        if (t.kind != CLANG_NAME)
            s->next_copies = 1;
        s->before = t;
        t = clang_token_after(&t);
    }
}

static void find_macros(struct macros *m, const char *text)
{
    for (struct clang_token t = clang_token(text, true); t.kind != CLANG_END;) {
        if (!clang_token_is_hash(&t)) {
            t = clang_token_after(&t);
            continue;
        }
        struct clang_token keyword = clang_token_after(&t);
        if (clang_token_is(&keyword, "define") && !keyword.first)
            define(m, &keyword);
        t = clang_token(clang_line_end(t.at), true);
    }
}

bool clang_check_nesting(struct clang_unit *u)
{
    struct macros m = { .unit = u };
    for (uint32_t i = 0; i < u->pieces.count; i++)
        find_macros(&m, u->pieces.items[i].text);
    bool good = true;
    uint32_t left_open = 0; /* in earlier pieces: it stays around the later ones */
    for (uint32_t i = 0; i < u->pieces.count; i++) {
        const struct clang_piece *p = &u->pieces.items[i];
        struct scan s = { .macros = &m, .open.nesting = left_open };
        scan_text(&s, clang_token(p->text, true));
        for (uint32_t k = 1; k < s.levels.count; k++)
            left_open = plus(left_open, 1 + s.levels.items[k].pending.nesting);
        if (s.beyond)
            good = diag_error_in(u->ir->diags, p->place, p->text, p->length, (size_t)(s.beyond - p->text),
                                 DIAG_CPP_UNSUPPORTED, s.what);
    }
    return good;
}

void clang_blank_includes(char *text)
{
    static const char *const words[] = { "include", "include_next", "import", NULL };
    for (struct clang_token t = clang_token(text, true); t.kind != CLANG_END;) {
        if (!clang_token_is_hash(&t)) {
            t = clang_token_after(&t);
            continue;
        }
        struct clang_token keyword = clang_token_after(&t);
        char *at = text + (t.at - text);
        const char *end = clang_line_end(at);
        bool reads = keyword.at < end && is_one_of(&keyword, words);
        for (; reads && at < end; at++)
            *at = *at == '\n' ? '\n' : ' ';
        t = clang_token(end, true);
    }
}
