#include "engine/cli/npy.h"

#include "tests/unit/check.h"

#include <stdlib.h>
#include <unistd.h>

static char why[200];

/* A version 1 file with this header text and these bytes. */
static bool parse(struct tensor *t, const char *header, const void *data, size_t size)
{
    unsigned char file[512] = "\x93NUMPY\x01";
    size_t length = strlen(header);
    file[8] = (unsigned char)length;
    memcpy(file + 10, header, length);
    if (size)
        memcpy(file + 10 + length, data, size);
    return npy_parse(t, file, 10 + length + size, why, sizeof why);
}

TEST(reads_basic_types)
{
    struct tensor t;
    int32_t data[] = { 1, -2, 3, 4, 5, 6 };
    CHECK(parse(&t, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n", data, sizeof data));
    CHECK_INT(t.dtype, SDFG_I32);
    CHECK_INT(t.rank, 2);
    CHECK_INT(t.shape[0], 2);
    CHECK_INT(t.shape[1], 3);
    CHECK_INT(((int32_t *)t.data)[1], -2);
    tensor_free(&t);
    CHECK(parse(&t, "{'shape': (), 'fortran_order': False, 'descr': '|b1'}", "\1", 1));
    CHECK_INT(t.rank, 0);
    CHECK_INT(tensor_count(&t), 1);
    tensor_free(&t);
    CHECK(parse(&t, "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }", NULL, 0));
    CHECK_INT(tensor_count(&t), 0);
    tensor_free(&t);
}

TEST(fortran_order_becomes_c_order)
{
    struct tensor t;
    int16_t data[] = { 1, 4, 2, 5, 3, 6 };
    CHECK(parse(&t, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }", data, sizeof data));
    for (int i = 0; i < 6; i++)
        CHECK_INT(((int16_t *)t.data)[i], i + 1);
    tensor_free(&t);
}

TEST(big_endian_is_swapped)
{
    struct tensor t;
    CHECK(parse(&t, "{'descr': '>u4', 'fortran_order': False, 'shape': (1,), }", "\0\0\1\2", 4));
    CHECK_INT(*(uint32_t *)t.data, 258);
    tensor_free(&t);
}

TEST(records_have_their_size)
{
    struct tensor t;
    char data[16] = { 0 };
    CHECK(parse(&t, "{'descr': [('idx', '<i4'), ('', '|V4'), ('val', '<f8')], 'fortran_order': False, 'shape': (1,), }",
                data, 16));
    CHECK_INT(t.dtype, SDFG_RECORD);
    CHECK_INT(t.item_bytes, 16);
    tensor_free(&t);
}

TEST(bad_files_are_refused)
{
    struct tensor t;
    CHECK(!npy_parse(&t, "hello world", 11, why, sizeof why));
    CHECK_STR(why, "not a .npy file");
    CHECK(!parse(&t, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }", "\1\0\0\0", 4));
    CHECK_STR(why, "the data are cut off");
    CHECK(!parse(&t, "{'descr': '<i4', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807), }",
                 "", 0));
    CHECK_STR(why, "the array is too large");
    CHECK(!parse(&t, "{'descr': '<i4', 'fortran_order': False, 'shape': (-1,), }", "", 0));
    CHECK(!parse(&t, "{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }", "", 0));
    CHECK(!parse(&t, "{'descr': '<i4', 'shape': (1,), }", "\1\0\0\0", 4));
    CHECK(!parse(&t, "{'descr': '<i4', 'fortran_order': False, 'shape': (1,)", "\1\0\0\0", 4));
    CHECK(!npy_read(&t, "unit/no-such-file.npy", why, sizeof why));
    CHECK_STR(why, "No such file or directory");
}

TEST(what_is_written_reads_back)
{
    static const sdfg_dtype dtypes[] = {
        SDFG_BOOL, SDFG_I8, SDFG_U64, SDFG_F16, SDFG_F32, SDFG_F64, SDFG_C64, SDFG_C128
    };
    char path[] = "/tmp/test_npy_XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        for (int rank = 0; rank < 4; rank++) {
            struct tensor t, back;
            CHECK(tensor_alloc(&t, dtypes[k], sdfg_dtype_size(dtypes[k]), rank, (int64_t[]){ 2, 3, 4 }));
            for (int64_t i = 0; i < tensor_count(&t); i++)
                element_set_integer(t.dtype, (char *)t.data + (size_t)i * t.item_bytes, i);
            CHECK(npy_write(&t, path, why, sizeof why));
            CHECK(npy_read(&back, path, why, sizeof why));
            CHECK_INT(back.dtype, t.dtype);
            CHECK_INT(back.rank, rank);
            CHECK_INT(tensor_count(&back), tensor_count(&t));
            CHECK(!memcmp(back.data, t.data, (size_t)tensor_count(&t) * t.item_bytes));
            tensor_free(&t);
            tensor_free(&back);
        }
    unlink(path);
}

/* Headers as NumPy writes them, and as nobody does; the reason, or NULL. */
TEST(headers)
{
    static const char other[] = "the header is not one of an array of numbers or records";
    static const struct {
        const char *header, *why;
    } rows[] = {
        { "{'descr': '|V8', 'fortran_order': False, 'shape': (1L,)}", NULL },
        { "{\"descr\": \"=i4\", \"fortran_order\": False, \"shape\": (2 , 1)}", NULL },
        { "{'descr': [('v', '<f4', (2,))], 'fortran_order': False, 'shape': ()}", NULL },
        { "", other },
        { "('descr')", other },
        { "{descr: '<f8'}", other },
        { "{'descr' '<f8'}", other },
        { "{'descr", other },
        { "{'a key that is longer than those of arrays': 1}", other },
        { "{'order': True}", other },
        { "{'descr': '<f8'}", other },
        { "{'descr': '<f8', 'fortran_order': False}", other },
        { "{'descr': '<f8', 'shape': (1,)}", other },
        { "{'fortran_order': False, 'shape': (1,)}", other },
        { "{'descr': 8, 'fortran_order': False, 'shape': (1,)}", other },
        { "{'descr': '', 'fortran_order': False, 'shape': (1,)}", other },
        { "{'descr': 'f8', 'fortran_order': False, 'shape': (1,)}", other },
        { "{'descr': '<', 'fortran_order': False, 'shape': (1,)}", other },
        { "{'descr': '<f', 'fortran_order': False, 'shape': (1,)}", other },
        { "{'descr': '<f8x', 'fortran_order': False, 'shape': (1,)}", other },
        { "{'descr': '|V0', 'fortran_order': False, 'shape': (1,)}", other },
        { "{'descr': '|V9999999', 'fortran_order': False, 'shape': (1,)}", other },
        { "{'descr': '<f8', 'fortran_order': 1, 'shape': (1,)}", other },
        { "{'descr': '<f8', 'fortran_order': Tru", other },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': 1}", other },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}", other },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", other },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775808,)}", other },
        { "{'descr': '<f8', 'fortran_order': False, 'shape': "
          "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
          "1,1,1)}",
          other },
        { "{'descr': [], 'fortran_order': False, 'shape': ()}", other },
        { "{'descr': ['<f4'], 'fortran_order': False, 'shape': ()}", other },
        { "{'descr': [(1, '<f4')], 'fortran_order': False, 'shape': ()}", other },
        { "{'descr': [('v' '<f4')], 'fortran_order': False, 'shape': ()}", other },
        { "{'descr': [('v', 4)], 'fortran_order': False, 'shape': ()}", other },
        { "{'descr': [('v', '<x4')], 'fortran_order': False, 'shape': ()}", other },
        { "{'descr': [('v', '>f4')], 'fortran_order': False, 'shape': ()}", other },
        { "{'descr': [('v', '<f4', 3)], 'fortran_order': False, 'shape': ()}", other },
        { "{'descr': [('v', '<f4', (9999999,))], 'fortran_order': False, 'shape': ()}", other },
        { "{'descr': [('v', '<f8', (1000, 1000))], 'fortran_order': False, 'shape': ()}", other },
        { "{'descr': [('v', '<f4'], 'fortran_order': False, 'shape': ()}", other },
    };
    static const char data[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tensor t;
        why[0] = 0;
        bool good = parse(&t, rows[i].header, data, sizeof data);
        CHECK_STR(why, rows[i].why ? rows[i].why : "");
        if (good != !rows[i].why)
            printf("%s\n", rows[i].header);
        CHECK_INT(good, !rows[i].why);
        tensor_free(&t);
    }
}

TEST(versions_of_the_format)
{
    static const char header[] = "{'descr': '|i1', 'fortran_order': False, 'shape': (1,)}";
    static const struct {
        unsigned char version, length[4];
        size_t size;
        const char *why;
    } rows[] = {
        { 1, { sizeof header - 1 }, 200, "" },
        { 2, { sizeof header - 1 }, 200, "" },
        { 3, { sizeof header - 1 }, 200, "" },
        { 0, { sizeof header - 1 }, 200, "unknown version of the .npy format" },
        { 4, { sizeof header - 1 }, 200, "unknown version of the .npy format" },
        { 2, { sizeof header - 1 }, 11, "unknown version of the .npy format" },
        { 1, { 200 }, 200, "the header is cut off" },
        { 2, { 10, 0, 1 }, 200, "the header is cut off" },
        { 1, { sizeof header - 1 }, 9, "not a .npy file" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char file[200] = "\x93NUMPY";
        size_t prefix = rows[i].version > 1 ? 12 : 10;
        struct tensor t;
        file[6] = rows[i].version;
        memcpy(file + 8, rows[i].length, prefix - 8);
        memcpy(file + prefix, header, sizeof header - 1);
        why[0] = 0;
        CHECK_INT(npy_parse(&t, file, rows[i].size, why, sizeof why), !*rows[i].why);
        CHECK_STR(why, rows[i].why);
        tensor_free(&t);
    }
}

TEST(files_that_cannot_be_written)
{
    struct tensor t;
    int64_t shape = 1 << 20;
    CHECK(tensor_alloc(&t, SDFG_F64, 8, 1, &shape));
    CHECK(!npy_write(&t, "/no/such/folder/a.npy", why, sizeof why));
    CHECK_STR(why, "No such file or directory");
    CHECK(!npy_write(&t, "/dev/full", why, sizeof why));
    CHECK_STR(why, "No space left on device");
    CHECK(!npy_begin_parts(&t, "/no/such/folder/a.npy", why, sizeof why));
    CHECK_STR(why, "No such file or directory");
    CHECK(!npy_begin_parts(&t, "/dev/full", why, sizeof why));
    t.dtype = SDFG_BF16;
    CHECK(!npy_write(&t, "/tmp/never.npy", why, sizeof why));
    CHECK_STR(why, "the .npy format has no such element type");
    CHECK(!npy_begin_parts(&t, "/tmp/never.npy", why, sizeof why));
    CHECK_STR(why, "the .npy format has no such element type");
    tensor_free(&t);
}

/* ---- parts ---- */

static char file_path[] = "/tmp/test_npy_XXXXXX";

/* A file with this header and `size` bytes 0, 1, 2 ... */
static void write_file(const char *header, size_t size)
{
    unsigned char bytes[512] = "\x93NUMPY\x01";
    size_t length = strlen(header);
    FILE *f = fopen(file_path, "wb");
    bytes[8] = (unsigned char)length;
    memcpy(bytes + 10, header, length);
    for (size_t i = 0; i < size; i++)
        bytes[10 + length + i] = (unsigned char)i;
    CHECK(f && fwrite(bytes, 1, 10 + length + size, f) == 10 + length + size && !fclose(f));
}

/* What the part of the file's array is; an error: its text. */
static bool read_part(struct tensor *out, const struct npy_part *part)
{
    struct npy_reading r;
    if (!npy_begin_reading(&r, out, file_path, part, why, sizeof why))
        return false;
    bool good = npy_transfer(file_path, &r.rows, r.memory, false, why, sizeof why);
    npy_end_reading(&r, good);
    return good;
}

TEST(parts_of_files)
{
    static const char plain[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 6)}",
                      turned[] = "{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3)}",
                      complex[] = "{'descr': '>c8', 'fortran_order': False, 'shape': (2,)}",
                      empty[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3)}";
    static const struct npy_part cyclic = { .first = { 1, 2 }, .run = { 1, 2 }, .runs = { 2, 1 }, .apart = { 2, 4 } },
                                 rows = { .first = { 1, 0 }, .run = { 2, 6 }, .runs = { 1, 1 } },
                                 column = { .first = { 0, 1 }, .run = { 2, 1 }, .runs = { 1, 1 } },
                                 one = { .first = { 1 }, .run = { 1 }, .runs = { 1 } },
                                 none = { .run = { 0, 3 }, .runs = { 1, 1 } };
    struct tensor t;
    int file = mkstemp(file_path);
    CHECK(file >= 0 && !close(file));
    write_file(plain, 24);
    CHECK(read_part(&t, &cyclic));
    CHECK(t.shape[0] == 2 && t.shape[1] == 2 && !memcmp(t.data, "\x08\x09\x14\x15", 4));
    tensor_free(&t);
    CHECK(read_part(&t, &rows));
    CHECK(t.shape[0] == 2 && t.shape[1] == 6 && ((unsigned char *)t.data)[11] == 17);
    tensor_free(&t);
    write_file(turned, 12);
    CHECK(read_part(&t, &column));
    CHECK(t.shape[0] == 2 && t.shape[1] == 1 && ((uint16_t *)t.data)[0] == 0x0405 && ((uint16_t *)t.data)[1] == 0x0607);
    tensor_free(&t);
    write_file(complex, 16);
    CHECK(read_part(&t, &one));
    CHECK(!memcmp(t.data, "\x0b\x0a\x09\x08\x0f\x0e\x0d\x0c", 8));
    tensor_free(&t);
    write_file(empty, 0);
    CHECK(read_part(&t, &none));
    CHECK_INT(tensor_count(&t), 0);
    tensor_free(&t);
    write_file(plain, 23);
    CHECK(!read_part(&t, &rows));
    CHECK_STR(why, "the data are cut off");
    write_file("{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 23);
    CHECK(!read_part(&t, &rows));
    CHECK_STR(why, "the array is too large");
    write_file("{'descr': '|u1'}", 23);
    CHECK(!read_part(&t, &rows));
    CHECK_STR(why, "the header is not one of an array of numbers or records");
    CHECK(!npy_transfer("/dev/full", &(struct npy_rows){ .bytes = 1 }, (char[1]){ 0 }, true, why, sizeof why));
    CHECK_STR(why, "No space left on device");
    CHECK(!npy_transfer(file_path, &(struct npy_rows){ .begin = 1 << 20, .bytes = 1 }, (char[1]){ 0 }, false, why,
                        sizeof why));
    CHECK_STR(why, "Input/output error"); /* the file has become shorter */
    unlink(file_path);
    CHECK(!read_part(&t, &rows));
    CHECK_STR(why, "No such file or directory");
    CHECK(!npy_transfer(file_path, &(struct npy_rows){ .bytes = 1 }, (char[1]){ 0 }, false, why, sizeof why));
    CHECK_STR(why, "No such file or directory");
}

CHECK_MAIN
