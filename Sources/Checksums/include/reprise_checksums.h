#ifndef REPRISE_CHECKSUMS_H
#define REPRISE_CHECKSUMS_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// CRC-32C (Castagnoli). `crc` is 0 at the start, or the result of the bytes before.
uint32_t reprise_crc32c(uint32_t crc, const void *data, size_t length);

// SHA-256 (FIPS 180-4). `length` counts all bytes so far; the last `length % 64` of them wait in `block`.
typedef struct {
  uint32_t state[8];
  uint64_t length;
  uint8_t block[64];
} reprise_sha256;

void reprise_sha256_init(reprise_sha256 *hash);
void reprise_sha256_update(reprise_sha256 *hash, const void *data, size_t length);
void reprise_sha256_final(reprise_sha256 *hash, uint8_t digest[32]);

// For tests that the paths with and without help of the processor agree.
uint32_t reprise_crc32c_portable(uint32_t crc, const void *data, size_t length);
void reprise_sha256_blocks_portable(uint32_t state[8], const uint8_t *blocks, size_t count);
void reprise_sha256_blocks(uint32_t state[8], const uint8_t *blocks, size_t count);

#ifdef __cplusplus
}
#endif
#endif
