#include <stdint.h>

void checksum(int64_t N, const uint8_t *restrict data, uint32_t *restrict out);
void checksum(int64_t N, const uint8_t *restrict data, uint32_t *restrict out)
{
    uint32_t crc = 0xffffffff;
    for (int64_t i = 0; i < N; i++) {
        crc ^= data[i];
        for (int b = 0; b < 8; b++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    out[0] = crc;
}
