#include "workload.h"

void workload_word(int64_t index, char *word) {
  uint64_t state = (uint64_t)index + 500, bits = workload_random(&state);
  for (int i = 0; i < WORKLOAD_WORD; i++, bits >>= 8) word[i] = (char)('a' + (bits & 0xFF) % 26);
}

void workload_task_at(int64_t number, workload_task *task) {
  uint64_t state = (uint64_t)number * 0xA24BAED4963EE407u;
  for (int place = 0; place < WORKLOAD_NOTES; place += WORKLOAD_WORD + 1) {
    // The third power of an even distribution, in thousandths.
    uint64_t even = workload_random(&state) % 1000;
    workload_word((int64_t)(even * even * even / 1000000), task->text + place);
    task->text[place + WORKLOAD_WORD] = ' ';
  }
  task->text[WORKLOAD_NOTES - 1] = '.';
  task->ticks = workload_ticks(number);
  task->is_done = (int64_t)(workload_random(&state) & 1);
}

int64_t workload_middle_ticks(void) { return ((int64_t)1 << 52) + ((int64_t)1 << 51); }
