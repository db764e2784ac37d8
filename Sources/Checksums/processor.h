#ifndef REPRISE_PROCESSOR_H
#define REPRISE_PROCESSOR_H

#if defined(__x86_64__)
#define REPRISE_X86 1
#elif defined(__aarch64__) && defined(__LITTLE_ENDIAN__)
#define REPRISE_ARM 1
#elif defined(__aarch64__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define REPRISE_ARM 1
#endif

enum {
  REPRISE_PROCESSOR_KNOWN = 1,
  REPRISE_PROCESSOR_CRC32C = 2,
  REPRISE_PROCESSOR_SHA256 = 4,
};

// Asked once, then a relaxed load.
unsigned reprise_processor(void);

#endif
