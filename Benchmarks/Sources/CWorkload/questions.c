#include "workload.h"

#include <string.h>

static const int64_t first_date = (int64_t)1 << 52;

static uint64_t random_at(int64_t number) {
  uint64_t state = (uint64_t)number * 0xD1342543DE82EF95u;
  return workload_random(&state);
}

workload_dates workload_counted_dates(int64_t sample) {
  const uint64_t mask = ((uint64_t)1 << 51) - 1;
  int64_t from = first_date + (int64_t)(random_at(sample * 2) & mask);
  return (workload_dates){from, from + (int64_t)(random_at(sample * 2 + 1) & mask)};
}

workload_dates workload_union_dates(void) {
  int64_t from = first_date + ((int64_t)1 << 51);
  return (workload_dates){from, from + ((int64_t)1 << 52) / 200};
}

int64_t workload_asked(int64_t sample, int64_t objects) {
  return (int64_t)(random_at(sample + 1000000) % (uint64_t)objects);
}

int64_t workload_named(int64_t index, int64_t objects) { return (index * 7919 + 13) % objects; }

int64_t workload_edited(int64_t seed, int64_t edit, int64_t objects) {
  // Without a common divisor with powers of ten, as workload_updated_item.
  uint64_t start = random_at(seed + 2000000) % (uint64_t)objects;
  return (int64_t)((start + (uint64_t)edit * 7919) % (uint64_t)objects);
}

int64_t workload_other_half(int64_t value) {
  const int64_t half = WORKLOAD_VALUES / 2;
  return value > WORKLOAD_HALF ? value - half : value + half;
}

// Beyond the numbers of all items, and of the draft's.
static int64_t number_beyond(int64_t seed, int64_t edit) { return 100000000 + seed * 100000 + edit; }

int64_t workload_edited_ticks(int64_t seed, int64_t edit) { return workload_ticks(number_beyond(seed, edit)); }

void workload_edited_name(int64_t seed, int64_t edit, char *name) {
  workload_item item;
  workload_item_at(number_beyond(seed, edit), &item);
  memcpy(name, item.name, WORKLOAD_NAME);
}
