#include "processor.h"
#include "reprise_checksums.h"
#include <string.h>

static const uint32_t K[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, int by) { return word >> by | word << (32 - by); }

static uint32_t small0(uint32_t word) { return rotate(word, 7) ^ rotate(word, 18) ^ word >> 3; }
static uint32_t small1(uint32_t word) { return rotate(word, 17) ^ rotate(word, 19) ^ word >> 10; }
// Rotations by 2, 13 and 22, and by 6, 11 and 25, each made from the one before.
static uint32_t large0(uint32_t word) { return rotate(rotate(rotate(word, 9) ^ word, 11) ^ word, 2); }
static uint32_t large1(uint32_t word) { return rotate(rotate(rotate(word, 14) ^ word, 5) ^ word, 6); }

// The names of the words move, and not the words: after eight rounds each is back in its place.
#define ROUND(a, b, c, d, e, f, g, h, i)                                \
  h += large1(e) + (g ^ (e & (f ^ g))) + K[first + (i)] + w[i], d += h; \
  h += large0(a) + ((a & b) | (c & (a | b)));

#define EIGHT_ROUNDS(i)                  \
  ROUND(a, b, c, d, e, f, g, h, i)       \
  ROUND(h, a, b, c, d, e, f, g, i + 1)   \
  ROUND(g, h, a, b, c, d, e, f, i + 2)   \
  ROUND(f, g, h, a, b, c, d, e, i + 3)   \
  ROUND(e, f, g, h, a, b, c, d, i + 4)   \
  ROUND(d, e, f, g, h, a, b, c, i + 5)   \
  ROUND(c, d, e, f, g, h, a, b, i + 6)   \
  ROUND(b, c, d, e, f, g, h, a, i + 7)

void reprise_sha256_blocks_portable(uint32_t state[8], const uint8_t *blocks, size_t count) {
  for (; count > 0; count--, blocks += 64) {
    // A ring of the last sixteen message words.
    uint32_t w[16];
    for (int i = 0; i < 16; i++)
      w[i] = (uint32_t)blocks[4 * i] << 24 | (uint32_t)blocks[4 * i + 1] << 16 | (uint32_t)blocks[4 * i + 2] << 8
           | (uint32_t)blocks[4 * i + 3];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int first = 0; first < 64; first += 16) {
      if (first > 0)
        for (int i = 0; i < 16; i++) w[i] += small0(w[(i + 1) & 15]) + w[(i + 9) & 15] + small1(w[(i + 14) & 15]);
      EIGHT_ROUNDS(0)
      EIGHT_ROUNDS(8)
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
  }
}

#undef ROUND
#undef EIGHT_ROUNDS

#if REPRISE_X86
#include <immintrin.h>
#define HAS_HARDWARE_PATH 1

// The instructions want the eight words as (A B E F) and (C D G H), highest lane first.
__attribute__((target("sha,sse4.1,ssse3")))
static void blocks_hardware(uint32_t state[8], const uint8_t *blocks, size_t count) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bll, 0x0405060700010203ll);
  __m128i dcba = _mm_loadu_si128((const __m128i *)state);
  __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
  __m128i badc = _mm_shuffle_epi32(dcba, 0xB1);
  __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1B);
  __m128i abef = _mm_alignr_epi8(badc, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, badc, 0xF0);

  for (; count > 0; count--, blocks += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; i++)
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(blocks + 16 * i)), swap);
    // Four rounds a step; w[] is a ring of the last sixteen message words.
    for (int step = 0; step < 16; step++) {
      __m128i words = w[step & 3];
      if (step >= 4) {
        __m128i next = _mm_sha256msg1_epu32(words, w[(step + 1) & 3]);
        next = _mm_add_epi32(next, _mm_alignr_epi8(w[(step + 3) & 3], w[(step + 2) & 3], 4));
        words = w[step & 3] = _mm_sha256msg2_epu32(next, w[(step + 3) & 3]);
      }
      __m128i sum = _mm_add_epi32(words, _mm_loadu_si128((const __m128i *)(K + 4 * step)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }

  __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#elif REPRISE_ARM
#include <arm_neon.h>
#define HAS_HARDWARE_PATH 1
#if defined(__ARM_FEATURE_SHA2)
#define WITH_SHA256
#elif defined(__clang__)
#define WITH_SHA256 __attribute__((target("sha2")))
#else
#define WITH_SHA256 __attribute__((target("+sha2")))
#endif

WITH_SHA256 static void blocks_hardware(uint32_t state[8], const uint8_t *blocks, size_t count) {
  uint32x4_t abcd = vld1q_u32(state);
  uint32x4_t efgh = vld1q_u32(state + 4);
  for (; count > 0; count--, blocks += 64) {
    const uint32x4_t abcd_before = abcd, efgh_before = efgh;
    uint32x4_t w[4];
    for (int i = 0; i < 4; i++) w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(blocks + 16 * i)));
    // Four rounds a step; w[] is a ring of the last sixteen message words.
    for (int step = 0; step < 16; step++) {
      uint32x4_t words = w[step & 3];
      if (step >= 4)
        words = w[step & 3] = vsha256su1q_u32(
            vsha256su0q_u32(words, w[(step + 1) & 3]), w[(step + 2) & 3], w[(step + 3) & 3]);
      uint32x4_t sum = vaddq_u32(words, vld1q_u32(K + 4 * step));
      uint32x4_t abcd_now = abcd;
      abcd = vsha256hq_u32(abcd, efgh, sum);
      efgh = vsha256h2q_u32(efgh, abcd_now, sum);
    }
    abcd = vaddq_u32(abcd, abcd_before);
    efgh = vaddq_u32(efgh, efgh_before);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}
#endif

void reprise_sha256_blocks(uint32_t state[8], const uint8_t *blocks, size_t count) {
#if HAS_HARDWARE_PATH
  if (reprise_processor() & REPRISE_PROCESSOR_SHA256) {
    blocks_hardware(state, blocks, count);
    return;
  }
#endif
  reprise_sha256_blocks_portable(state, blocks, count);
}

void reprise_sha256_init(reprise_sha256 *hash) {
  static const uint32_t start[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  };
  memset(hash, 0, sizeof *hash);
  memcpy(hash->state, start, sizeof start);
}

void reprise_sha256_update(reprise_sha256 *hash, const void *data, size_t length) {
  if (length == 0) return;
  const uint8_t *bytes = data;
  size_t waiting = hash->length % 64;
  hash->length += length;
  if (waiting > 0) {
    size_t taken = length < 64 - waiting ? length : 64 - waiting;
    memcpy(hash->block + waiting, bytes, taken);
    bytes += taken;
    length -= taken;
    if (waiting + taken < 64) return;
    reprise_sha256_blocks(hash->state, hash->block, 1);
  }
  reprise_sha256_blocks(hash->state, bytes, length / 64);
  memcpy(hash->block, bytes + length / 64 * 64, length % 64);
}

void reprise_sha256_final(reprise_sha256 *hash, uint8_t digest[32]) {
  uint64_t bits = hash->length * 8;
  size_t waiting = hash->length % 64;
  hash->block[waiting++] = 0x80;
  if (waiting > 56) {
    memset(hash->block + waiting, 0, 64 - waiting);
    reprise_sha256_blocks(hash->state, hash->block, 1);
    waiting = 0;
  }
  memset(hash->block + waiting, 0, 56 - waiting);
  for (int i = 0; i < 8; i++) hash->block[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
  reprise_sha256_blocks(hash->state, hash->block, 1);
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
