#include "processor.h"
#include "reprise_checksums.h"
#include <stdatomic.h>
#include <string.h>

// Castagnoli's polynomial, bits reversed.
#define POLYNOMIAL 0x82F63B78u

// Row k: the effect of a byte that has k more bytes behind it.
static uint32_t table[8][256];
static atomic_int table_is_filled;

static void fill_table(void) {
  // Two threads may both fill it; they store the same values, and readers wait for the flag.
  uint32_t rows[8][256];
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) ? POLYNOMIAL : 0);
    rows[0][byte] = crc;
  }
  for (int row = 1; row < 8; row++)
    for (int byte = 0; byte < 256; byte++) {
      uint32_t before = rows[row - 1][byte];
      rows[row][byte] = (before >> 8) ^ rows[0][before & 255];
    }
  static atomic_flag writing = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set_explicit(&writing, memory_order_acquire)) {
    memcpy(table, rows, sizeof table);
    atomic_store_explicit(&table_is_filled, 1, memory_order_release);
  }
  while (!atomic_load_explicit(&table_is_filled, memory_order_acquire)) {
  }
}

uint32_t reprise_crc32c_portable(uint32_t crc, const void *data, size_t length) {
  if (!atomic_load_explicit(&table_is_filled, memory_order_acquire)) fill_table();
  const uint8_t *bytes = data;
  crc = ~crc;
  while (length >= 8) {
    crc ^= (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    crc = table[7][crc & 255] ^ table[6][crc >> 8 & 255] ^ table[5][crc >> 16 & 255] ^ table[4][crc >> 24]
        ^ table[3][bytes[4]] ^ table[2][bytes[5]] ^ table[1][bytes[6]] ^ table[0][bytes[7]];
    bytes += 8;
    length -= 8;
  }
  while (length--) crc = (crc >> 8) ^ table[0][(crc ^ *bytes++) & 255];
  return ~crc;
}

#if REPRISE_X86
#include <nmmintrin.h>
#define HAS_HARDWARE_PATH 1
#define WITH_CRC32C __attribute__((target("sse4.2")))
#define STEP8(crc, word) ((uint32_t)_mm_crc32_u64((crc), (word)))
#define STEP1(crc, byte) _mm_crc32_u8((crc), (byte))
#elif REPRISE_ARM
#include <arm_acle.h>
#define HAS_HARDWARE_PATH 1
#if defined(__ARM_FEATURE_CRC32)
#define WITH_CRC32C
#elif defined(__clang__)
#define WITH_CRC32C __attribute__((target("crc")))
#else
#define WITH_CRC32C __attribute__((target("+crc")))
#endif
#define STEP8(crc, word) __crc32cd((crc), (word))
#define STEP1(crc, byte) __crc32cb((crc), (byte))
#endif

#if HAS_HARDWARE_PATH
WITH_CRC32C static uint32_t crc32c_hardware(uint32_t crc, const uint8_t *bytes, size_t length) {
  crc = ~crc;
  while (length >= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    crc = STEP8(crc, word);
    bytes += 8;
    length -= 8;
  }
  while (length--) crc = STEP1(crc, *bytes++);
  return ~crc;
}
#endif

uint32_t reprise_crc32c(uint32_t crc, const void *data, size_t length) {
#if HAS_HARDWARE_PATH
  if (reprise_processor() & REPRISE_PROCESSOR_CRC32C) return crc32c_hardware(crc, data, length);
#endif
  return reprise_crc32c_portable(crc, data, length);
}
