#include "base/number.h"
#include "ir/enums.h"
#include "ir/json/json.h"
#include "ir/type.h"
#include "tests/unit/check.h"

#include <math.h>

TEST(basic_types)
{
    struct ir *ir = ir_new();
    CHECK(type_by_name(ir, "float64") == type_basic(ir, TYPE_F64));
    CHECK(type_by_name(ir, "bool_") == type_basic(ir, TYPE_BOOL));
    CHECK(type_by_name(ir, "double") == NULL);
    CHECK_INT(type_basic(ir, TYPE_C128)->size, 16);
    CHECK_INT(type_basic(ir, TYPE_C128)->align, 8);
    CHECK_INT(type_basic(ir, TYPE_BF16)->size, 2);
    CHECK_INT(type_basic(ir, TYPE_STRING)->size, 8);
    ir_free(ir);
}

TEST(constructed_types)
{
    struct ir *ir = ir_new();
    const struct type *f64 = type_basic(ir, TYPE_F64), *i8 = type_basic(ir, TYPE_I8), *i32 = type_basic(ir, TYPE_I32);
    CHECK(type_pointer(ir, f64) == type_pointer(ir, f64));
    CHECK(type_pointer(ir, f64) != type_pointer(ir, i32));
    CHECK(type_vector(ir, i32, 4, NULL) == type_vector(ir, i32, 4, NULL));
    CHECK(type_vector(ir, i32, 0, "W") != type_vector(ir, i32, 0, "V"));
    CHECK_STR(type_text(ir, type_pointer(ir, type_vector(ir, type_basic(ir, TYPE_F32), 4, NULL))), "vec<float32,4>*");
    CHECK_STR(type_text(ir, type_vector(ir, i32, 0, "W")), "vec<int32,W>");
    struct type_field fields[] = { { .name = "a", .type = i8 },
                                   { .name = "b", .type = f64 },
                                   { .name = "c", .type = i32 } };
    const struct type *s = type_struct(ir, "S", fields, 3);
    CHECK(s == type_struct(ir, "S", fields, 3));
    CHECK(s != type_struct(ir, "S", fields, 2));
    CHECK_INT(s->fields[1].offset, 8);
    CHECK_INT(s->fields[2].offset, 16);
    CHECK_INT(s->size, 24);
    CHECK_INT(s->align, 8);
    CHECK_STR(type_text(ir, s), "struct S");
    const struct type *f = type_callback(ir, fields, 2, &i32, 1);
    CHECK(f == type_callback(ir, fields, 2, &i32, 1));
    CHECK_STR(type_text(ir, f), "callback(int8, float64) -> int32");
    CHECK_INT(type_opaque(ir, "pyobject")->size, 8);
    CHECK_INT(type_opaque(ir, "MPI_Request")->size, 8); /* handles that the runtime knows */
    CHECK_INT(type_opaque(ir, "MPI_Comm")->size, 8);
    ir_free(ir);
}

static const char *joint(struct ir *ir, enum type_kind a, enum type_kind b)
{
    return type_joint(ir, type_basic(ir, a), type_basic(ir, b))->name;
}

static const char *arithmetic(struct ir *ir, enum type_kind a, enum type_kind b)
{
    return type_arithmetic(ir, type_basic(ir, a), type_basic(ir, b))->name;
}

TEST(joint_types)
{
    struct ir *ir = ir_new();
    CHECK_STR(joint(ir, TYPE_I32, TYPE_I64), "int64");
    CHECK_STR(joint(ir, TYPE_I32, TYPE_U32), "uint32");
    CHECK_STR(joint(ir, TYPE_U8, TYPE_I16), "int16");
    CHECK_STR(joint(ir, TYPE_I64, TYPE_F32), "float32");
    CHECK_STR(joint(ir, TYPE_BOOL, TYPE_I32), "bool");
    CHECK_STR(joint(ir, TYPE_F32, TYPE_F64), "float64");
    CHECK_STR(joint(ir, TYPE_C64, TYPE_F64), "float64");
    CHECK_STR(joint(ir, TYPE_F64, TYPE_C64), "complex64");
    const struct type *v = type_vector(ir, type_basic(ir, TYPE_F32), 4, NULL);
    CHECK(type_joint(ir, type_basic(ir, TYPE_F64), v) == v);
    CHECK(type_joint(ir, type_opaque(ir, "T"), type_basic(ir, TYPE_I32)) == NULL);
    ir_free(ir);
}

TEST(arithmetic_types)
{
    struct ir *ir = ir_new();
    CHECK_STR(arithmetic(ir, TYPE_I8, TYPE_I8), "int32");
    CHECK_STR(arithmetic(ir, TYPE_U16, TYPE_BOOL), "int32");
    CHECK_STR(arithmetic(ir, TYPE_I64, TYPE_U32), "int64");
    CHECK_STR(arithmetic(ir, TYPE_I64, TYPE_U64), "uint64");
    CHECK_STR(arithmetic(ir, TYPE_I64, TYPE_F32), "float32");
    CHECK_STR(arithmetic(ir, TYPE_F16, TYPE_F16), "float32");
    CHECK_STR(arithmetic(ir, TYPE_C64, TYPE_F32), "complex64");
    CHECK_STR(arithmetic(ir, TYPE_C64, TYPE_F64), "complex128");
    CHECK_STR(arithmetic(ir, TYPE_I32, TYPE_C64), "complex64");
    ir_free(ir);
}

static const struct enum_value *from_text(struct ir *ir, enum enum_kind kind, const char *text)
{
    return enum_from_json(ir, kind, json_parse(ir->arena, ir->diags, text, strlen(text)));
}

/* The order of the two does not matter, unless both are of a kind that has no joint type. */
TEST(types_of_all_pairs)
{
    static const char *const names[] = { "bool",     "int8",    "uint8",   "int16",     "uint16",
                                         "int32",    "uint32",  "int64",   "uint64",    "float16",
                                         "bfloat16", "float32", "float64", "complex64", "complex128" };
    enum { BASIC = sizeof names / sizeof *names, ALL = BASIC + 4 };
    struct ir *ir = ir_new();
    const struct type *types[ALL];
    for (int i = 0; i < BASIC; i++)
        types[i] = type_by_name(ir, names[i]);
    types[BASIC] = type_pointer(ir, types[5]);
    types[BASIC + 1] = type_vector(ir, types[11], 4, NULL);
    types[BASIC + 2] = type_opaque(ir, "MPI_Comm");
    types[BASIC + 3] = type_struct(ir, "pair", NULL, 0);
    CHECK(!type_joint(ir, NULL, types[0]) && !type_joint(ir, types[0], NULL) && !type_joint(ir, NULL, NULL));
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < ALL; j++) {
            const struct type *joint = type_joint(ir, types[i], types[j]), *other = type_joint(ir, types[j], types[i]);
            const struct type *sum = type_arithmetic(ir, types[i], types[j]),
                              *turned = type_arithmetic(ir, types[j], types[i]);
            bool sized = types[i]->size != types[j]->size; /* else there may be none that holds both: as DaCe's */
            CHECK(joint == other || !sized);
            CHECK(sum == turned || (sum && sum->size == turned->size));
            if (i < BASIC && j < BASIC)
                CHECK(joint && sum);
            else if (i != j && i != BASIC && j != BASIC && i != BASIC + 1 && j != BASIC + 1)
                CHECK(!joint && !sum);
        }
    ir_free(ir);
}

TEST(enumerations)
{
    struct ir *ir = ir_new();
    CHECK(enum_by_name(ir, ENUM_SCHEDULE, "SVE_Map") == enum_builtin(ir, SCHEDULE_SVE_MAP));
    CHECK(enum_by_name(ir, ENUM_STORAGE, "Default") == enum_builtin(ir, STORAGE_DEFAULT));
    CHECK(enum_by_name(ir, ENUM_SCHEDULE, "GPU_Default") == enum_builtin(ir, SCHEDULE_DEFAULT));
    CHECK(enum_by_name(ir, ENUM_STORAGE, "CPU_Stack") == enum_builtin(ir, STORAGE_REGISTER));
    CHECK(enum_by_name(ir, ENUM_LANGUAGE, "Language.Python") == enum_builtin(ir, LANGUAGE_PYTHON));
    const struct enum_value *unknown = enum_by_name(ir, ENUM_SCHEDULE, "Lanes");
    CHECK_INT(unknown->row, SCHEDULE_UNDEFINED);
    CHECK_STR(unknown->name, "Lanes");
    CHECK(unknown == enum_by_name(ir, ENUM_SCHEDULE, "Lanes"));
    CHECK_INT(enum_by_name(ir, ENUM_LIFETIME, "Forever")->row, LIFETIME_SCOPE);
    CHECK(!enum_member_of(ir, unknown) && !enum_member_of(ir, enum_builtin(ir, SCHEDULE_MPI)));
    ir_free(ir);
}

/* Lanes(width: integer, names: text) and a storage of the same name without attributes. */
static const enum_members *lanes_and_tape(void)
{
    static const struct enum_field fields[] = {
        { "width", ENUM_FIELD_INTEGER }, { "x", ENUM_FIELD_REAL },         { "on", ENUM_FIELD_BOOL },
        { "name", ENUM_FIELD_TEXT },     { "block", ENUM_FIELD_INTEGERS },
    };
    static struct enum_member items[] = {
        { ENUM_SCHEDULE, "Lanes", "p", fields, 5, NULL, NULL },
        { ENUM_STORAGE, "Lanes", "p", NULL, 0, NULL, NULL },
    };
    static const enum_members members = { items, 2, 2 };
    return &members;
}

TEST(registered_members)
{
    struct ir *ir = ir_new();
    enums_extend(ir, lanes_and_tape());
    const struct enum_value *lanes = enum_by_name(ir, ENUM_SCHEDULE, "Lanes");
    const struct enum_value *storage = enum_by_name(ir, ENUM_STORAGE, "Lanes");
    CHECK_INT(lanes->row, ENUM_BUILTIN_ROWS);
    CHECK_INT(storage->row, ENUM_BUILTIN_ROWS + 1);
    CHECK(enum_by_name(ir, ENUM_SCHEDULE, "ScheduleType.Lanes") == lanes);
    CHECK_STR(enum_member_of(ir, storage)->plugin, "p");
    CHECK(enum_is_builtin(ENUM_SCHEDULE, "MPI") && enum_is_builtin(ENUM_STORAGE, "CPU_Stack"));
    CHECK(!enum_is_builtin(ENUM_SCHEDULE, "Lanes") && !enum_is_builtin(ENUM_STORAGE, "MPI"));
    ir_free(ir);
}

static const char *wrong(struct ir *ir, const char *attributes)
{
    char text[256];
    snprintf(text, sizeof text, "{\"type\": \"ScheduleType.Lanes\", %s}", attributes);
    const char *why = enum_attributes_wrong(ir, from_text(ir, ENUM_SCHEDULE, text));
    return why ? why : "";
}

TEST(attributes_of_registered_templates)
{
    struct ir *ir = ir_new();
    enums_extend(ir, lanes_and_tape());
    CHECK_STR(wrong(ir, "\"width\": 4, \"x\": 1, \"on\": true, \"name\": \"a\", \"block\": [1, 2]"), "");
    CHECK_STR(wrong(ir, "\"block\": [], \"name\": \"\", \"on\": false, \"x\": 1.5, \"width\": -4"), "");
    CHECK_STR(wrong(ir, "\"width\": 4, \"x\": 1, \"on\": true, \"name\": \"a\""), "lacks the attribute 'block'");
    CHECK_STR(wrong(ir, "\"width\": 4, \"x\": 1, \"on\": true, \"name\": \"a\", \"block\": [1.5]"),
              "has an attribute 'block' that is not a list of integers");
    CHECK_STR(wrong(ir, "\"width\": 4.5"), "has an attribute 'width' that is not an integer");
    CHECK_STR(wrong(ir, "\"width\": 4, \"x\": \"a\""), "has an attribute 'x' that is not a number");
    CHECK_STR(wrong(ir, "\"width\": 4, \"x\": 1, \"on\": 1"), "has an attribute 'on' that is not a boolean");
    CHECK_STR(wrong(ir, "\"width\": 4, \"x\": 1, \"on\": true, \"name\": 1"),
              "has an attribute 'name' that is not text");
    CHECK_STR(wrong(ir, "\"depth\": 4"), "has no attribute 'depth'");
    const struct enum_value *four = from_text(ir, ENUM_SCHEDULE, "{\"type\": \"ScheduleType.Lanes\", \"width\": 4}");
    int64_t width;
    CHECK(json_int(enum_attribute(four, "width"), &width) && width == 4);
    CHECK(!enum_attribute(four, "type") && !enum_attribute(four, "x"));
    CHECK(!enum_attributes_wrong(ir, enum_by_name(ir, ENUM_SCHEDULE, "Lanes")));
    ir_free(ir);
}

TEST(templates)
{
    struct ir *ir = ir_new();
    const struct enum_value *lanes = enum_by_name(ir, ENUM_SCHEDULE, "Lanes");
    const struct enum_value *four =
        from_text(ir, ENUM_SCHEDULE, "{\"type\": \"ScheduleType.Lanes\", \"width\": 4, \"x\": 1}");
    CHECK(four == from_text(ir, ENUM_SCHEDULE, "{\"x\": 1, \"width\": 4, \"type\": \"ScheduleType.Lanes\"}"));
    const struct enum_value *eight = from_text(ir, ENUM_SCHEDULE, "{\"type\": \"ScheduleType.Lanes\", \"width\": 8}");
    CHECK(eight != four);
    CHECK(from_text(ir, ENUM_SCHEDULE, "{\"type\": \"ScheduleType.Lanes\"}") == lanes);
    CHECK(from_text(ir, ENUM_SCHEDULE, "{\"width\": 4}") == NULL);
    CHECK(enum_matches(lanes, four) && enum_matches(lanes, eight) && enum_matches(four, four));
    CHECK(!enum_matches(four, eight) && !enum_matches(four, lanes));
    ir_free(ir);
}

TEST(number_texts)
{
    double f, re, im;
    char buffer[NUMBER_TEXT_SIZE];
    CHECK(number_parse("-1.5e3", &f) && f == -1500);
    CHECK(number_parse("inf", &f) && isinf(f));
    CHECK(number_parse("NaN", &f) && isnan(f));
    CHECK(!number_parse("", &f) && !number_parse("0x10", &f) && !number_parse("1.5 ", &f) && !number_parse("N", &f));
    CHECK_STR(number_print(0.1, buffer), "0.1");
    CHECK_STR(number_print(1e22, buffer), "1e+22");
    CHECK_STR(number_print(-2, buffer), "-2.0");
    CHECK(number_parse_complex("(1-2.5e-3j)", &re, &im) && re == 1 && im == -2.5e-3);
    CHECK(number_parse_complex("2j", &re, &im) && re == 0 && im == 2);
    CHECK(number_parse_complex("(nan+infj)", &re, &im) && isnan(re) && isinf(im));
    CHECK(number_parse_complex("7", &re, &im) && re == 7 && im == 0);
    CHECK(!number_parse_complex("1+j2", &re, &im) && !number_parse_complex("()", &re, &im));
}

CHECK_MAIN
