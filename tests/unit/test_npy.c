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

CHECK_MAIN
