#include "processor.h"
#include <stdatomic.h>

#if REPRISE_X86 && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>

// The C library has asked the processor already. To ask again takes 20 us in a virtual machine, which must not let its
// guests do so themselves.
static unsigned detect(void) {
  unsigned found = 0;
  if (CPU_FEATURE_ACTIVE(SSE4_2)) found |= REPRISE_PROCESSOR_CRC32C;
  if (CPU_FEATURE_ACTIVE(SSSE3) && CPU_FEATURE_ACTIVE(SSE4_1) && CPU_FEATURE_ACTIVE(SHA))
    found |= REPRISE_PROCESSOR_SHA256;
  return found;
}

#elif REPRISE_X86
#include <cpuid.h>

static unsigned detect(void) {
  unsigned a, b, c, d, found = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
  const unsigned ssse3 = 1u << 9, sse41 = 1u << 19, sse42 = 1u << 20;
  if (c & sse42) found |= REPRISE_PROCESSOR_CRC32C;
  if ((c & ssse3) && (c & sse41) && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 29)))
    found |= REPRISE_PROCESSOR_SHA256;
  return found;
}

#elif REPRISE_ARM && defined(__APPLE__)

// Every 64-bit Apple processor that these systems run on has both.
static unsigned detect(void) { return REPRISE_PROCESSOR_CRC32C | REPRISE_PROCESSOR_SHA256; }

#elif REPRISE_ARM && defined(__linux__)
#include <sys/auxv.h>

static unsigned detect(void) {
  const unsigned long sha2 = 1ul << 6, crc32 = 1ul << 7;
  unsigned long offered = getauxval(AT_HWCAP);
  return ((offered & crc32) ? REPRISE_PROCESSOR_CRC32C : 0) | ((offered & sha2) ? REPRISE_PROCESSOR_SHA256 : 0);
}

#else

static unsigned detect(void) { return 0; }

#endif

unsigned reprise_processor(void) {
  static _Atomic unsigned cached;
  unsigned found = atomic_load_explicit(&cached, memory_order_relaxed);
  if (found == 0) {
    found = detect() | REPRISE_PROCESSOR_KNOWN;
    atomic_store_explicit(&cached, found, memory_order_relaxed);
  }
  return found;
}
