#include "ir/ir.h"
#include "ir/json/json.h"
#include "tests/unit/check.h"

#include <math.h>
#include <stdlib.h>

static const struct json *parse(struct ir *ir, const char *text)
{
    return json_parse(ir->arena, ir->diags, text, strlen(text));
}

static const char *rewritten(struct ir *ir, const char *text)
{
    const struct json *v = parse(ir, text);
    struct text out = text_new(ir->arena);
    struct json_writer w = { .out = &out };
    if (v)
        json_write_value(&w, NULL, v);
    return text_get(&out);
}

TEST(values)
{
    struct ir *ir = ir_new();
    const struct json *v =
        parse(ir, " {\"a\": [1, -2.5e3, null], \"b\" : {\"c\": true, \"d\": false}, \"e\": \"text\"}\r\n");
    CHECK(json_is(v, JSON_OBJECT));
    CHECK_INT(v->count, 3);
    CHECK_INT(json_get(v, "a")->count, 3);
    CHECK(json_is(json_at(json_get(v, "a"), 2), JSON_NULL));
    CHECK(json_at(json_get(v, "a"), 3) == NULL);
    CHECK(json_bool(json_get(json_get(v, "b"), "c"), false));
    CHECK(!json_bool(json_get(json_get(v, "b"), "d"), true));
    CHECK(json_bool(json_get(v, "absent"), true));
    CHECK_STR(json_string(json_get(v, "e")), "text");
    CHECK(json_string(json_get(v, "a")) == NULL);
    CHECK_INT(json_get(v, "e")->offset, 62);
    ir_free(ir);
}

TEST(numbers)
{
    struct ir *ir = ir_new();
    const struct json *v =
        parse(ir, "[9223372036854775807, -9223372036854775808, 9223372036854775808, \"12\", 2.0, 1e400, NaN, "
                  "-Infinity, Infinity, -0, \"x\"]");
    int64_t i;
    double f;
    CHECK(json_int(json_at(v, 0), &i) && i == INT64_MAX);
    CHECK(json_int(json_at(v, 1), &i) && i == INT64_MIN);
    CHECK(!json_int(json_at(v, 2), &i));
    CHECK(json_real(json_at(v, 2), &f) && f == 9223372036854775808.0);
    CHECK(json_int(json_at(v, 3), &i) && i == 12);
    CHECK(!json_int(json_at(v, 4), &i));
    CHECK(json_real(json_at(v, 5), &f) && isinf(f));
    CHECK(json_real(json_at(v, 6), &f) && isnan(f));
    CHECK(json_real(json_at(v, 7), &f) && f == -INFINITY);
    CHECK(json_real(json_at(v, 8), &f) && f == INFINITY);
    CHECK(json_int(json_at(v, 9), &i) && i == 0);
    CHECK(!json_int(json_at(v, 10), &i));
    ir_free(ir);
}

TEST(strings)
{
    struct ir *ir = ir_new();
    const struct json *v =
        parse(ir, "[\"\\u00e9\\ud83d\\ude00\\n\\/\\\"\", \"\xc3\xa9\xf0\x9f\x98\x80 eight or more plain bytes\"]");
    CHECK_STR(json_at(v, 0)->text, "\xc3\xa9\xf0\x9f\x98\x80\n/\"");
    CHECK_INT(json_at(v, 0)->length, 9);
    CHECK_STR(json_at(v, 1)->text, "\xc3\xa9\xf0\x9f\x98\x80 eight or more plain bytes");
    ir_free(ir);
}

/* Keys are told apart by all of their bytes, not only by those of their marks. */
TEST(keys)
{
    struct ir *ir = ir_new();
    const struct json *v = parse(ir, "{\"abc\":1,\"axc\":2,\"\":3,\"a\":4,\"a\\u0062d\":5}");
    int64_t i;
    CHECK(json_int(json_get(v, "axc"), &i) && i == 2);
    CHECK(json_int(json_get(v, ""), &i) && i == 3);
    CHECK(json_int(json_get(v, "a"), &i) && i == 4);
    CHECK(json_int(json_get(v, "abd"), &i) && i == 5);
    CHECK(json_get(v, "ayc") == NULL);
    ir_free(ir);
}

TEST(in_place)
{
    struct ir *ir = ir_new();
    char text[] = "{\"name\": [\"plain\", \"\\ttab\", 12]}";
    const struct json *v = json_parse_in_place(ir->arena, ir->diags, text, strlen(text)), *list = json_get(v, "name");
    CHECK(json_at(list, 0)->text == text + 11);
    CHECK_STR(json_at(list, 0)->text, "plain");
    CHECK_STR(json_at(list, 1)->text, "\ttab");
    CHECK_STR(json_at(list, 2)->text, "12");
    ir_free(ir);
}

TEST(rewriting)
{
    struct ir *ir = ir_new();
    CHECK_STR(rewritten(ir, "{ \"b\" : [ ], \"a\" : { } , \"n\" : 18446744073709551616 }"),
              "{\"b\":[],\"a\":{},\"n\":18446744073709551616}");
    CHECK_STR(rewritten(ir, "[NaN,-Infinity,1.50,null,true,false]"), "[NaN,-Infinity,1.50,null,true,false]");
    CHECK_STR(rewritten(ir, "\"\\u00e9\\ud83d\\ude00\\t\\u0001\\u007f\\/\""),
              "\"\\u00e9\\ud83d\\ude00\\t\\u0001\\u007f/\"");
    ir_free(ir);
}

TEST(writing)
{
    struct ir *ir = ir_new();
    struct text out = text_new(ir->arena);
    struct json_writer w = { .out = &out };
    json_begin(&w, NULL, '{');
    json_write_int(&w, "i", -7);
    json_begin(&w, "l", '[');
    json_write_real(&w, NULL, 0.1);
    json_write_real(&w, NULL, 3);
    json_write_real(&w, NULL, 1.7976931348623157e308);
    json_write_real(&w, NULL, -INFINITY);
    json_write_real(&w, NULL, NAN);
    json_end(&w, ']');
    json_write_bool(&w, "b", true);
    json_write_string(&w, "s", NULL);
    json_write_literal(&w, "\"x\":1,\"y\":{\"z\":[");
    json_write_literal(&w, "2");
    json_write_int(&w, NULL, 3);
    json_end(&w, ']');
    json_write_key(&w, "k");
    json_write_string(&w, NULL, "four");
    json_end(&w, '}');
    json_end(&w, '}');
    CHECK_STR(text_get(&out), "{\"i\":-7,\"l\":[0.1,3.0,1.7976931348623157e+308,-Infinity,NaN],\"b\":true,\"s\":null,"
                              "\"x\":1,\"y\":{\"z\":[2,3],\"k\":\"four\"}}");
    ir_free(ir);
}

TEST(equality)
{
    struct ir *ir = ir_new();
    const struct json *v = parse(ir, "[{\"a\":1,\"b\":[2]}, {\"b\":[2],\"a\":1}, {\"a\":1,\"b\":[3]}, {\"a\":1}]");
    CHECK(json_equal(json_at(v, 0), json_at(v, 1)));
    CHECK(!json_equal(json_at(v, 0), json_at(v, 2)));
    CHECK(!json_equal(json_at(v, 0), json_at(v, 3)));
    ir_free(ir);
}

/* What is said about text that is not JSON, which stays what it is. */
static const char *complaint(struct ir *ir, const char *text)
{
    char *copy = arena_strdup(ir->arena, text);
    diags_reset(ir->diags, 0);
    if (json_parse_in_place(ir->arena, ir->diags, copy, strlen(text)) || diags_errors(ir->diags) != 1)
        return "no complaint";
    CHECK_STR(copy, text);
    return diags_get(ir->diags, 0)->message;
}

TEST(errors)
{
    struct ir *ir = ir_new();
    CHECK_STR(complaint(ir, ""), "not JSON: line 1, column 1: unexpected end of the file");
    CHECK_STR(complaint(ir, "{\"a\": 1,\n \"b\" 2}"), "not JSON: line 2, column 6: ':' expected");
    CHECK_STR(complaint(ir, "{\"a\": 1\n \"b\": 2}"), "not JSON: line 2, column 2: ',' or '}' expected");
    CHECK_STR(complaint(ir, "[1 2]"), "not JSON: line 1, column 4: ',' or ']' expected");
    CHECK_STR(complaint(ir, "[1,]"), "not JSON: line 1, column 4: value expected");
    CHECK_STR(complaint(ir, "{\"a\":1,}"), "not JSON: line 1, column 8: key expected");
    CHECK_STR(complaint(ir, "{\"a\":1,\"b\":2,\"a\":3}"),
              "not JSON: line 1, column 18: key \"a\" occurs twice in this object");
    CHECK_STR(complaint(ir, "{\"\\u0061b\":1,\"ab\":2,\"c\":\"d\"}"),
              "not JSON: line 1, column 19: key \"ab\" occurs twice in this object");
    CHECK_STR(complaint(ir, "[01]"), "not JSON: line 1, column 2: number with a leading zero");
    CHECK_STR(complaint(ir, "[1.]"), "not JSON: line 1, column 2: digit expected after the decimal point");
    CHECK_STR(complaint(ir, "[1e]"), "not JSON: line 1, column 2: digit expected in the exponent");
    CHECK_STR(complaint(ir, "[-]"), "not JSON: line 1, column 2: invalid number");
    CHECK_STR(complaint(ir, "nul"), "not JSON: line 1, column 1: value expected");
    CHECK_STR(complaint(ir, "[\"a\\x\"]"), "not JSON: line 1, column 4: invalid escape");
    CHECK_STR(complaint(ir, "\"\\ud800 \""), "not JSON: line 1, column 2: half of a surrogate pair");
    CHECK_STR(complaint(ir, "\"\\u0000\""), "not JSON: line 1, column 2: NUL character in a string");
    CHECK_STR(complaint(ir, "\"\xc3(\""), "not JSON: line 1, column 2: invalid UTF-8");
    CHECK_STR(complaint(ir, "\"\xed\xa0\x80\""), "not JSON: line 1, column 2: invalid UTF-8");
    CHECK_STR(complaint(ir, "\"a\nb\""), "not JSON: line 1, column 3: control character in a string");
    CHECK_STR(complaint(ir, "[\"abc]"), "not JSON: line 1, column 2: string without an end");
    CHECK_STR(complaint(ir, "{} x"), "not JSON: line 1, column 4: text after the end of the value");
    CHECK_STR(complaint(ir, "{\"a\": 1,\n \"b\" 2}"), "not JSON: line 2, column 6: ':' expected");
    CHECK_STR(diags_get(ir->diags, 0)->excerpt, "     \"b\" 2}\n         ^");
    ir_free(ir);
}

TEST(many_keys)
{
    struct ir *ir = ir_new();
    struct text t = text_new(ir->arena);
    text_add(&t, "{");
    for (int i = 0; i < 1000; i++)
        text_printf(&t, "\"key%d\":%d,", i, i);
    size_t length = t.length;
    text_add(&t, "\"last\":0}");
    const struct json *v = parse(ir, t.data);
    CHECK(v && v->count == 1001);
    t.length = length;
    text_add(&t, "\"key500\":0}");
    CHECK(parse(ir, t.data) == NULL);
    ir_free(ir);
}

static bool nested_parses(struct ir *ir, int depth)
{
    char *text = malloc((size_t)depth * 2 + 1);
    memset(text, '[', (size_t)depth);
    memset(text + depth, ']', (size_t)depth);
    text[depth * 2] = 0;
    bool good = parse(ir, text);
    free(text);
    return good;
}

/* What is no UTF-8 (names and paths of callers) is written as the sign for that. */
TEST(broken_text)
{
    struct arena *a = arena_new();
    const char *const texts[][2] = {
        { "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\\u00e4 \\u20ac \\ud83d\\ude00\"" },
        { "a\xc3", "\"a\\ufffd\"" },
        { "\xf0\x9f", "\"\\ufffd\"" },
        { "\xe2\x82z", "\"\\ufffdz\"" },
        { "\x80\xff", "\"\\ufffd\\ufffd\"" },
        { "\xed\xa0\x80", "\"\\ufffd\"" }, /* half a pair */
        { "\xe0\x80\x80", "\"\\ufffd\"" }, /* longer than needed */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct text out = text_new(a);
        struct json_writer w = { .out = &out };
        json_write_string(&w, NULL, texts[i][0]);
        CHECK_STR(text_get(&out), texts[i][1]);
    }
    arena_free(a);
}

TEST(depth)
{
    struct ir *ir = ir_new();
    CHECK(nested_parses(ir, 4000));
    CHECK(!nested_parses(ir, 4001));
    CHECK(!nested_parses(ir, 1000000));
    ir_free(ir);
}

CHECK_MAIN
