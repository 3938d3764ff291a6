#include "ir/python/parser.h"

/* After a condition a lone "=" has its own message (py_named). */
static struct py *condition(struct py_parser *p) { return py_named(p); }

static bool otherwise(struct py_parser *p, struct py_list *out)
{
    uint32_t begin = py_next(p)->begin;
    return !py_accept(p, PY_W_ELSE) || py_block(p, "'else' statement", begin, out);
}

struct py *py_if(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    bool is_elif = py_is(p, PY_W_ELIF);
    if (!py_enter(p))
        return NULL;
    p->at++;
    struct py_list body, orelse = { 0 };
    struct py *test = condition(p);
    if (!test || !py_block(p, is_elif ? "'elif' statement" : "'if' statement", begin, &body))
        return NULL;
    if (py_is(p, PY_W_ELIF)) {
        py_nodes nested = { 0 };
        struct py *n = py_if(p);
        if (!n)
            return NULL;
        py_add(p, &nested, n);
        orelse = py_list(p, &nested);
    } else if (!otherwise(p, &orelse)) {
        return NULL;
    }
    py_leave(p);
    struct py *n = py_new(p, PY_IF, begin);
    n->if_.test = test;
    n->if_.body = body;
    n->if_.orelse = orelse;
    return n;
}

struct py *py_while(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    p->at++;
    struct py_list body, orelse = { 0 };
    struct py *test = condition(p);
    if (!test || !py_block(p, "'while' statement", begin, &body) || !otherwise(p, &orelse))
        return NULL;
    struct py *n = py_new(p, PY_WHILE, begin);
    n->while_.test = test;
    n->while_.body = body;
    n->while_.orelse = orelse;
    return n;
}

struct py *py_for(struct py_parser *p, bool is_async, uint32_t begin)
{
    struct py_list body, orelse = { 0 };
    uint32_t word = py_next(p)->begin;
    p->at++;
    struct py *target = py_targets(p, PY_TARGET_FOR);
    if (!target)
        return NULL;
    if (!py_accept(p, PY_W_IN))
        return py_invalid(p);
    struct py *iter = py_star_expressions(p);
    if (!iter || !py_block(p, "'for' statement", word, &body) || !otherwise(p, &orelse))
        return NULL;
    struct py *n = py_new(p, is_async ? PY_ASYNC_FOR : PY_FOR, begin);
    n->for_.target = target;
    n->for_.iter = iter;
    n->for_.body = body;
    n->for_.orelse = orelse;
    return n;
}

/* ---- with ---- */

static struct py *with_item(struct py_parser *p)
{
    struct py *n = py_new(p, PY_WITH_ITEM, py_next(p)->begin);
    if (!(n->with_item.context_expr = py_expression(p)))
        return NULL;
    if (py_accept(p, PY_W_AS)) {
        bool raw = p->raw;
        p->raw = true;
        struct py *target = py_star_bitwise(p);
        p->raw = raw;
        if (!target || !py_make_target(p, target, PY_TARGET_ASSIGN))
            return NULL;
        n->with_item.optional_vars = target;
    }
    return py_end(p, n);
}

/* The bracket behind `with` holds items if a colon follows the one that closes it and it can be read so. */
static bool bracketed_items(struct py_parser *p)
{
    if (!py_is(p, PY_W_LPAR))
        return false;
    uint32_t level = py_next(p)->level;
    uint32_t at = p->at + 1;
    while (p->tokens.items[at].kind != PY_TOKEN_END &&
           !(p->tokens.items[at].word == PY_W_RPAR && p->tokens.items[at].level == level))
        at++;
    bool colon = p->tokens.items[at].kind != PY_TOKEN_END && p->tokens.items[at + 1].word == PY_W_COLON;
    if (!colon || at == p->at + 1)
        return false;
    for (uint32_t i = p->at + 1; i < at; i++) /* a generator, a walrus or a star make it an expression */
        if (p->tokens.items[i].level == level + 1) {
            enum py_word w = (enum py_word)p->tokens.items[i].word;
            if (w == PY_W_AS)
                return true;
            bool first = i == p->at + 1 || p->tokens.items[i - 1].word == PY_W_COMMA;
            if (w == PY_W_FOR || w == PY_W_WALRUS || w == PY_W_YIELD || (w == PY_W_STAR && first))
                return false;
        }
    return true;
}

struct py *py_with(struct py_parser *p, bool is_async, uint32_t begin)
{
    py_nodes items = { 0 };
    uint32_t word = py_next(p)->begin;
    p->at++;
    bool brackets = bracketed_items(p);
    p->at += brackets;
    do {
        if (brackets && items.count && py_is(p, PY_W_RPAR))
            break;
        struct py *item = with_item(p);
        if (!item)
            return NULL;
        py_add(p, &items, item);
    } while (py_accept(p, PY_W_COMMA));
    if (brackets && !py_accept(p, PY_W_RPAR))
        return py_invalid(p);
    struct py_list body;
    if (!py_block(p, "'with' statement", word, &body))
        return NULL;
    struct py *n = py_new(p, is_async ? PY_ASYNC_WITH : PY_WITH, begin);
    n->with.items = py_list(p, &items);
    n->with.body = body;
    return n;
}

/* ---- try ---- */

static struct py *handler(struct py_parser *p, bool *star)
{
    uint32_t begin = py_next(p)->begin;
    struct py *type = NULL;
    const char *name = NULL;
    p->at++;
    *star = py_accept(p, PY_W_STAR);
    if (py_starts_expression(p)) {
        if (!(type = py_expression(p)))
            return NULL;
        if (py_is(p, PY_W_COMMA)) {
            const struct py *first = type;
            return py_fail(p, first->begin, "multiple exception types must be parenthesized");
        }
        if (py_accept(p, PY_W_AS) && !(name = py_name(p)))
            return NULL;
    } else if (*star) {
        return py_is(p, PY_W_COLON) ? py_fail(p, py_next(p)->begin, "expected one or more exception types")
                                    : py_invalid(p);
    }
    struct py_list body;
    if (!py_block(p, *star ? "'except*' statement" : "'except' statement", begin, &body))
        return NULL;
    struct py *n = py_new(p, PY_EXCEPT_HANDLER, begin);
    n->handler.type = type;
    n->handler.name = name;
    n->handler.body = body;
    return n;
}

struct py *py_try(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    py_nodes handlers = { 0 };
    struct py_list body, orelse = { 0 }, finally = { 0 };
    bool any_star = false, star;
    p->at++;
    if (!py_block(p, "'try' statement", begin, &body))
        return NULL;
    while (py_is(p, PY_W_EXCEPT)) {
        uint32_t at = py_next(p)->begin;
        struct py *h = handler(p, &star);
        if (!h)
            return NULL;
        if (handlers.count && star != any_star)
            return py_fail(p, at, "cannot have both 'except' and 'except*' on the same 'try'");
        any_star = star;
        py_add(p, &handlers, h);
    }
    if (handlers.count && !otherwise(p, &orelse))
        return NULL;
    uint32_t finally_begin = py_next(p)->begin;
    if (py_accept(p, PY_W_FINALLY)) {
        if (!py_block(p, "'finally' statement", finally_begin, &finally))
            return NULL;
    } else if (!handlers.count) {
        return py_fail(p, py_next(p)->begin, "expected 'except' or 'finally' block");
    }
    struct py *n = py_new(p, any_star ? PY_TRY_STAR : PY_TRY, begin);
    n->try_.body = body;
    n->try_.handlers = py_list(p, &handlers);
    n->try_.orelse = orelse;
    n->try_.finalbody = finally;
    return n;
}
