#include "workload.h"

#include <string.h>

static uint64_t mixed(uint64_t bits) {
  bits += 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

// Words of lower-case letters: text that neither compresses to nothing nor shares long prefixes.
static void fill_text(char *text, size_t count, uint64_t seed) {
  uint64_t bits = 0;
  for (size_t i = 0; i < count; i++) {
    if (i % 8 == 0) bits = mixed(seed + i);
    text[i] = i % 8 == 7 ? ' ' : (char)('a' + (bits & 0xFF) % 26);
    bits >>= 8;
  }
  if (text[count - 1] == ' ') text[count - 1] = '.';
}

int64_t workload_ticks(int64_t number) {
  // A permutation of 52 bits (odd factors and shifts can be taken back), so no two items share a date.
  const uint64_t mask = ((uint64_t)1 << 52) - 1;
  uint64_t bits = ((uint64_t)number * 0x9E3779B97F4A7C15u) & mask;
  bits ^= bits >> 27;
  bits = (bits * 0xBF58476D1CE4E5B9u) & mask;
  bits ^= bits >> 27;
  return ((int64_t)1 << 52) + (int64_t)bits;
}

double workload_date(int64_t ticks) { return (double)ticks / 16777216.0; }

int64_t workload_ticks_of(double date) { return (int64_t)(date * 16777216.0); }

void workload_item_at(int64_t number, workload_item *item) {
  fill_text(item->name, WORKLOAD_NAME, (uint64_t)number * 1000);
  fill_text(item->notes, WORKLOAD_NOTES, (uint64_t)number * 1000 + 500);
  uint64_t rest = (uint64_t)number;
  for (int i = WORKLOAD_SERIAL - 1; i >= 0; i--) {
    item->serial[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % 36];
    rest /= 36;
  }
  item->value = (int64_t)(mixed((uint64_t)number) % 10000);
  item->ticks = workload_ticks(number);
}

void workload_edited_item_at(int64_t number, workload_item *item) {
  int64_t ticks = workload_ticks(number);
  workload_item_at(number + 30000000, item);
  item->ticks = ticks;
}

int workload_visible(int64_t objects, int64_t *numbers) {
  // The 50 items whose dates follow the middle of the range, by insertion into a short sorted list.
  const int64_t middle = ((int64_t)1 << 52) + ((int64_t)1 << 51);
  int64_t dates[WORKLOAD_ROWS];
  int count = 0;
  for (int64_t number = 0; number < objects; number++) {
    int64_t date = workload_ticks(number);
    if (objects > WORKLOAD_ROWS * 4 && date < middle) continue;
    if (count == WORKLOAD_ROWS && date > dates[count - 1]) continue;
    int place = count < WORKLOAD_ROWS ? count++ : count - 1;
    while (place > 0 && dates[place - 1] > date) {
      dates[place] = dates[place - 1];
      numbers[place] = numbers[place - 1];
      place--;
    }
    dates[place] = date;
    numbers[place] = number;
  }
  return count;
}

int64_t workload_updated_item(int64_t update, int64_t objects) {
  // Without a common divisor with powers of ten, so every item has its turn before one has a second.
  return (int64_t)(((uint64_t)update * 7919) % (uint64_t)objects);
}

int64_t workload_updated_value(int64_t update) { return 10000 + update; }

void workload_screen_at(int32_t number, workload_screen *screen) {
  memcpy(screen->title, "Screen 00 of 100", WORKLOAD_TITLE);
  screen->title[7] = (char)('0' + number / 10);
  screen->title[8] = (char)('0' + number % 10);
  screen->offset = (double)(mixed((uint64_t)number) % 1000000) / 8;
  screen->parent = number == 0 ? -1 : (number - 1) / 3;
}
