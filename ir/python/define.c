#include "ir/python/parser.h"

/* ---- parameters of `def` and `lambda` ---- */

struct params {
    py_nodes positional, plain, only, only_defaults, defaults;
    struct py *vararg, *kwarg;
    bool slash, star, keyword;
    enum py_word close; /* ")" of a definition, ":" of a lambda */
};

static struct py *parameter(struct py_parser *p, const struct params *s, bool star)
{
    uint32_t begin = py_next(p)->begin;
    const char *name = py_name(p);
    struct py *annotation = NULL;
    if (!name)
        return NULL;
    if (s->close == PY_W_RPAR && py_accept(p, PY_W_COLON) &&
        !(annotation = star ? py_star_expression(p) : py_expression(p)))
        return NULL;
    struct py *n = py_new(p, PY_ARG, begin);
    n->arg.arg = name;
    n->arg.annotation = annotation;
    return n;
}

static bool default_value(struct py_parser *p, const struct params *s, struct py **value)
{
    const struct py_token is = *py_next(p);
    *value = NULL;
    if (!py_accept(p, PY_W_IS_SET))
        return true;
    if (py_is(p, s->close) || py_is(p, PY_W_COMMA))
        return py_fail(p, is.begin, "expected default value expression") != NULL;
    *value = py_expression(p);
    return *value != NULL;
}

static bool star_parameter(struct py_parser *p, struct params *s)
{
    const struct py_token star = *py_next(p);
    if (s->star)
        return py_fail(p, star.begin, "* argument may appear only once") != NULL;
    p->at++;
    s->star = true;
    if (py_is(p, PY_W_COMMA)) {
        const struct py_token *next = py_ahead(p, 1);
        if (next->word == s->close || next->word == PY_W_POWER)
            return py_fail(p, star.begin, "named arguments must follow bare *") != NULL;
        return true;
    }
    if (py_is(p, s->close))
        return py_fail(p, star.begin, "named arguments must follow bare *") != NULL;
    if (!(s->vararg = parameter(p, s, true)))
        return false;
    if (py_is(p, PY_W_IS_SET))
        return py_fail(p, py_next(p)->begin, "var-positional argument cannot have default value") != NULL;
    return true;
}

static bool one_parameter(struct py_parser *p, struct params *s)
{
    const struct py_token t = *py_next(p);
    struct py *value, *n;
    if (s->keyword) {
        bool more = t.kind == PY_TOKEN_NAME;
        return t.word == PY_W_STAR || t.word == PY_W_POWER || t.word == PY_W_SLASH || more
                   ? py_fail(p, t.begin, "arguments cannot follow var-keyword argument") != NULL
                   : py_invalid(p) != NULL;
    }
    if (t.word == PY_W_SLASH) {
        if (s->slash)
            return py_fail(p, t.begin, "/ may appear only once") != NULL;
        if (s->star)
            return py_fail(p, t.begin, "/ must be ahead of *") != NULL;
        if (!s->plain.count)
            return py_fail(p, t.begin, "at least one argument must precede /") != NULL;
        p->at++;
        s->slash = true;
        s->positional = s->plain;
        s->plain = (py_nodes){ 0 };
        return true;
    }
    if (t.word == PY_W_STAR)
        return star_parameter(p, s);
    if (py_accept(p, PY_W_POWER)) {
        s->keyword = true;
        if (!(s->kwarg = parameter(p, s, false)))
            return false;
        return !py_is(p, PY_W_IS_SET) ||
               py_fail(p, py_next(p)->begin, "var-keyword argument cannot have default value") != NULL;
    }
    if (t.word == PY_W_LPAR) { /* Python 2 */
        uint32_t i = 1;
        while (py_ahead(p, i)->kind == PY_TOKEN_NAME && py_ahead(p, i + 1)->word == PY_W_COMMA)
            i += 2;
        i += py_ahead(p, i)->kind == PY_TOKEN_NAME;
        if (i > 1 && py_ahead(p, i)->word == PY_W_RPAR)
            return py_fail(p, t.begin, "%s cannot be parenthesized",
                           s->close == PY_W_RPAR ? "Function parameters" : "Lambda expression parameters") != NULL;
        return py_invalid(p) != NULL;
    }
    if (!(n = parameter(p, s, false)) || !default_value(p, s, &value))
        return false;
    if (s->star) {
        py_add(p, &s->only, n);
        py_add(p, &s->only_defaults, value);
        return true;
    }
    py_add(p, &s->plain, n);
    if (value)
        py_add(p, &s->defaults, value);
    else if (s->defaults.count)
        return py_fail(p, t.begin, "parameter without a default follows parameter with a default") != NULL;
    return true;
}

static struct py *parameters(struct py_parser *p, enum py_word close)
{
    struct params s = { .close = close };
    struct py *n = py_new(p, PY_ARGUMENTS, py_next(p)->begin);
    while (!py_is(p, close)) {
        if (!one_parameter(p, &s))
            return NULL;
        if (!py_is(p, close) && !py_accept(p, PY_W_COMMA))
            return py_invalid(p);
    }
    if (s.star && !s.vararg && !s.only.count)
        return py_invalid(p);
    n->arguments.posonlyargs = py_list(p, &s.positional);
    n->arguments.args = py_list(p, &s.plain);
    n->arguments.vararg = s.vararg;
    n->arguments.kwonlyargs = py_list(p, &s.only);
    n->arguments.kw_defaults = py_list(p, &s.only_defaults);
    n->arguments.kwarg = s.kwarg;
    n->arguments.defaults = py_list(p, &s.defaults);
    return py_end(p, n);
}

struct py *py_lambda(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    p->at++;
    struct py *args = parameters(p, PY_W_COLON);
    if (!args || !py_expect(p, PY_W_COLON))
        return NULL;
    struct py *body = py_expression(p);
    if (!body)
        return NULL;
    struct py *n = py_new(p, PY_LAMBDA, begin);
    n->lambda.args = args;
    n->lambda.body = body;
    return n;
}

/* ---- type parameters ---- */

static struct py *type_parameter(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    bool many = py_accept(p, PY_W_STAR), spec = !many && py_accept(p, PY_W_POWER);
    const char *name = py_name(p);
    struct py *bound = NULL, *value = NULL;
    if (!name)
        return NULL;
    if (py_is(p, PY_W_COLON)) {
        if (many || spec)
            return py_fail(p, py_next(p)->begin, "cannot use bound with %s", many ? "TypeVarTuple" : "ParamSpec");
        p->at++;
        if (!(bound = py_expression(p)))
            return NULL;
    }
    if (py_accept(p, PY_W_IS_SET) && !(value = many ? py_star_expression(p) : py_expression(p)))
        return NULL;
    struct py *n = py_new(p, many ? PY_TYPE_VAR_TUPLE : spec ? PY_PARAM_SPEC : PY_TYPE_VAR, begin);
    n->type_var.name = name;
    if (many || spec) {
        n->param_spec.default_value = value; /* type_var_tuple has the same fields */
    } else {
        n->type_var.bound = bound;
        n->type_var.default_value = value;
    }
    return n;
}

static bool type_parameters(struct py_parser *p, struct py_list *out)
{
    py_nodes list = { 0 };
    *out = (struct py_list){ 0 };
    if (!py_accept(p, PY_W_LSQB))
        return true;
    if (py_is(p, PY_W_RSQB))
        return py_fail(p, py_next(p)->begin, "Type parameter list cannot be empty") != NULL;
    do {
        if (list.count && py_is(p, PY_W_RSQB))
            break;
        struct py *n = type_parameter(p);
        if (!n)
            return false;
        py_add(p, &list, n);
    } while (py_accept(p, PY_W_COMMA));
    *out = py_list(p, &list);
    return py_accept(p, PY_W_RSQB) || py_invalid(p) != NULL;
}

struct py *py_type_alias(struct py_parser *p)
{
    const struct py_token t = *py_next(p);
    p->at++;
    struct py *name = py_new(p, PY_NAME, py_next(p)->begin), *value;
    struct py_list params;
    name->name.id = py_name(p);
    name->name.ctx = PY_STORE;
    py_end(p, name);
    if (!type_parameters(p, &params) || !(py_accept(p, PY_W_IS_SET) || py_invalid(p)) || !(value = py_expression(p)))
        return NULL;
    struct py *n = py_new(p, PY_TYPE_ALIAS, t.begin);
    n->type_alias.name = name;
    n->type_alias.type_params = params;
    n->type_alias.value = value;
    return n;
}

/* ---- functions, classes ---- */

struct py *py_definition(struct py_parser *p, bool is_async, uint32_t begin, struct py_list decorators)
{
    uint32_t word = py_next(p)->begin;
    struct py_list params, body;
    struct py *args, *returns = NULL;
    p->at++;
    const char *name = py_name(p);
    if (!name || !type_parameters(p, &params) || !py_expect(p, PY_W_LPAR) || !(args = parameters(p, PY_W_RPAR)))
        return NULL;
    p->at++;
    if (py_accept(p, PY_W_ARROW) && !(returns = py_expression(p)))
        return NULL;
    if (!py_block(p, "function definition", word, &body))
        return NULL;
    struct py *n = py_new(p, is_async ? PY_ASYNC_FUNCTION_DEF : PY_FUNCTION_DEF, begin);
    n->function.name = name;
    n->function.args = args;
    n->function.body = body;
    n->function.decorator_list = decorators;
    n->function.returns = returns;
    n->function.type_params = params;
    return n;
}

struct py *py_class(struct py_parser *p, uint32_t begin, struct py_list decorators)
{
    struct py_list params, bases = { 0 }, keywords = { 0 }, body;
    uint32_t word = py_next(p)->begin;
    p->at++;
    const char *name = py_name(p);
    if (!name || !type_parameters(p, &params))
        return NULL;
    uint32_t open = py_next(p)->begin;
    if (py_accept(p, PY_W_LPAR) && !py_arguments(p, &bases, &keywords))
        return NULL;
    const struct py *bare = bases.count && bases.items[0]->kind == PY_GENERATOR_EXP ? bases.items[0] : NULL;
    if (bare && bare->begin == open)
        return py_fail(p, bare->generator.generators.items[0]->begin, "invalid syntax: unexpected 'for'");
    if (!py_block(p, "class definition", word, &body))
        return NULL;
    struct py *n = py_new(p, PY_CLASS_DEF, begin);
    n->class_def.name = name;
    n->class_def.bases = bases;
    n->class_def.keywords = keywords;
    n->class_def.body = body;
    n->class_def.decorator_list = decorators;
    n->class_def.type_params = params;
    return n;
}

/* ---- imports ---- */

static const char *dotted(struct py_parser *p)
{
    const char *name = py_name(p), *more = name;
    struct text t = text_new(p->arena);
    if (!name || !py_is(p, PY_W_DOT))
        return name;
    text_add(&t, name);
    while (more && py_accept(p, PY_W_DOT)) {
        if (!(more = py_name(p)))
            return NULL;
        text_printf(&t, ".%s", more);
    }
    return intern(p->names, text_get(&t));
}

static struct py *alias(struct py_parser *p, bool whole)
{
    uint32_t begin = py_next(p)->begin;
    const char *name = whole ? dotted(p) : py_name(p), *as = NULL;
    if (!name || (py_accept(p, PY_W_AS) && !(as = py_name(p))))
        return NULL;
    struct py *n = py_new(p, PY_ALIAS, begin);
    n->alias.name = name;
    n->alias.asname = as;
    return n;
}

struct py *py_import(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    py_nodes names = { 0 };
    p->at++;
    do {
        struct py *n = alias(p, true);
        if (!n)
            return NULL;
        py_add(p, &names, n);
    } while (py_accept(p, PY_W_COMMA));
    if (py_is(p, PY_W_FROM))
        return py_fail(p, begin, "Did you mean to use 'from ... import ...' instead?");
    struct py *n = py_new(p, PY_IMPORT, begin);
    n->import.names = py_list(p, &names);
    return n;
}

struct py *py_import_from(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    py_nodes names = { 0 };
    const char *module = NULL;
    int level = 0;
    p->at++;
    for (;; level += py_is(p, PY_W_ELLIPSIS) ? 3 : 1, p->at++)
        if (!py_is(p, PY_W_DOT) && !py_is(p, PY_W_ELLIPSIS))
            break;
    if ((!level || !py_is(p, PY_W_IMPORT)) && !(module = dotted(p)))
        return NULL;
    if (!py_accept(p, PY_W_IMPORT))
        return py_invalid(p);
    bool brackets = py_accept(p, PY_W_LPAR);
    if (!brackets && py_is(p, PY_W_STAR)) {
        struct py *n = py_new(p, PY_ALIAS, py_next(p)->begin);
        p->at++;
        n->alias.name = intern(p->names, "*");
        py_add(p, &names, py_end(p, n));
    } else {
        if (py_next(p)->kind == PY_TOKEN_NEWLINE)
            return py_fail(p, py_next(p)->begin, "Expected one or more names after 'import'");
        do {
            if (names.count && brackets && py_is(p, PY_W_RPAR))
                break;
            if (names.count && !brackets && py_next(p)->kind == PY_TOKEN_NEWLINE)
                return py_fail(p, p->tokens.items[p->at].begin,
                               "trailing comma not allowed without surrounding parentheses");
            struct py *n = alias(p, false);
            if (!n)
                return NULL;
            py_add(p, &names, n);
        } while (py_accept(p, PY_W_COMMA));
    }
    if (brackets && !py_accept(p, PY_W_RPAR))
        return py_invalid(p);
    struct py *n = py_new(p, PY_IMPORT_FROM, begin);
    n->import_from.module = module;
    n->import_from.names = py_list(p, &names);
    n->import_from.level = level;
    return n;
}
