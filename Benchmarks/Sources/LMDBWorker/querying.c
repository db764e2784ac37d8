#include <stdlib.h>
#include <string.h>

#include "asking.h"

// One question under way. What it answers are numbers of items with copies of the items, or figures alone; they are
// hashed once the clock has stopped.
typedef struct {
  store store;
  MDB_txn *transaction;
  int64_t objects, sample;
  int64_t *numbers;
  workload_item *items;
  int64_t count, item_count;
} asking;

static void add_figure(asking *asking, int64_t figure) { asking->numbers[asking->count++] = figure; }

static void add_copy(asking *asking, int64_t number, const workload_item *item) {
  asking->items[asking->item_count++] = *item;
  add_figure(asking, number);
}

static void add_item(asking *asking, int64_t number) {
  add_copy(asking, number, find_item(&asking->store, asking->transaction, number));
}

static int compare_numbers(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return a < b ? -1 : a > b;
}

// The first by date above a value, as copies or as numbers with one property.
static void first(asking *asking, int64_t above, int is_whole) {
  MDB_cursor *dates = open_cursor(asking->transaction, asking->store.dates);
  MDB_val key;
  int matches = 0;
  for (int found = seek(dates, NULL, 0, &key); found && matches < WORKLOAD_FIRST; found = next_key(dates, &key)) {
    int64_t number = number_in(&key);
    const workload_item *item = find_item(&asking->store, asking->transaction, number);
    if (item->value <= above) continue;
    matches++;
    if (is_whole) {
      add_copy(asking, number, item);
    } else {
      add_figure(asking, number);
      add_figure(asking, item->value);
    }
  }
  mdb_cursor_close(dates);
}

static void first_half(asking *asking) { first(asking, WORKLOAD_HALF, 1); }

static void first_percent(asking *asking) { first(asking, WORKLOAD_ONE_PERCENT, 1); }

static void property_of_half(asking *asking) { first(asking, WORKLOAD_HALF, 0); }

static void property_of_percent(asking *asking) { first(asking, WORKLOAD_ONE_PERCENT, 0); }

static void first_by_prefix(asking *asking) {
  const size_t length = strlen(WORKLOAD_PREFIX);
  MDB_cursor *names = open_cursor(asking->transaction, asking->store.names);
  MDB_val key;
  for (int found = seek(names, WORKLOAD_PREFIX, length, &key);
       found && asking->count < WORKLOAD_FIRST && memcmp(key.mv_data, WORKLOAD_PREFIX, length) == 0;
       found = next_key(names, &key)) {
    add_item(asking, number_in(&key));
  }
  mdb_cursor_close(names);
}

static void all_objects(asking *asking) {
  MDB_cursor *dates = open_cursor(asking->transaction, asking->store.dates);
  MDB_val key;
  for (int found = seek(dates, NULL, 0, &key); found; found = next_key(dates, &key)) add_item(asking, number_in(&key));
  mdb_cursor_close(dates);
}

static void all_numbers(asking *asking) {
  MDB_cursor *dates = open_cursor(asking->transaction, asking->store.dates);
  MDB_val key;
  for (int found = seek(dates, NULL, 0, &key); found; found = next_key(dates, &key)) {
    add_figure(asking, number_in(&key));
  }
  mdb_cursor_close(dates);
}

// The 50 least values, the older item first where two are equal: items come in the order of their numbers.
static void top_by_value(asking *asking) {
  int64_t values[WORKLOAD_FIRST], numbers[WORKLOAD_FIRST];
  int count = 0;
  MDB_cursor *items = open_cursor(asking->transaction, asking->store.items);
  MDB_val key, value;
  for (int code = mdb_cursor_get(items, &key, &value, MDB_FIRST); code == 0;
       code = mdb_cursor_get(items, &key, &value, MDB_NEXT)) {
    int64_t own = ((const workload_item *)value.mv_data)->value;
    if (count == WORKLOAD_FIRST && own >= values[count - 1]) continue;
    int place = count < WORKLOAD_FIRST ? count++ : count - 1;
    for (; place > 0 && values[place - 1] > own; place--) {
      values[place] = values[place - 1];
      numbers[place] = numbers[place - 1];
    }
    values[place] = own;
    memcpy(&numbers[place], key.mv_data, sizeof numbers[place]);
  }
  mdb_cursor_close(items);
  for (int place = 0; place < count; place++) add_item(asking, numbers[place]);
}

static void count_dates(asking *asking) {
  workload_dates range = workload_counted_dates(asking->sample);
  uint64_t from = big_endian(range.from), before = big_endian(range.before);
  MDB_cursor *dates = open_cursor(asking->transaction, asking->store.dates);
  MDB_val key;
  int64_t count = 0;
  for (int found = seek(dates, &from, sizeof from, &key);
       found && memcmp(key.mv_data, &before, sizeof before) < 0; found = next_key(dates, &key)) {
    count++;
  }
  mdb_cursor_close(dates);
  add_figure(asking, count);
}

static void place_of_item(asking *asking) {
  int64_t number = workload_asked(asking->sample, asking->objects);
  add_figure(asking, rank_of(&asking->store, asking->transaction, workload_ticks(number), number));
}

static void item_at_place(asking *asking) {
  int64_t left = workload_asked(asking->sample, asking->objects);
  MDB_cursor *dates = open_cursor(asking->transaction, asking->store.dates);
  MDB_val key;
  int found = seek(dates, NULL, 0, &key);
  for (; found && left > 0; left--) found = next_key(dates, &key);
  if (found) add_item(asking, number_in(&key));
  mdb_cursor_close(dates);
}

static void by_names(asking *asking) {
  MDB_cursor *names = open_cursor(asking->transaction, asking->store.names);
  int64_t numbers[WORKLOAD_NAMES];
  int count = 0;
  for (int64_t index = 0; index < WORKLOAD_NAMES; index++) {
    workload_item item;
    workload_item_at(workload_named(index, asking->objects), &item);
    MDB_val key;
    if (seek(names, item.name, WORKLOAD_NAME, &key) && memcmp(key.mv_data, item.name, WORKLOAD_NAME) == 0) {
      numbers[count++] = number_in(&key);
    }
  }
  mdb_cursor_close(names);
  qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
  for (int i = 0; i < count; i++) add_item(asking, numbers[i]);
}

typedef struct {
  int64_t ticks, number;
} dated;

static int compare_dates(const void *left, const void *right) {
  const dated *a = left, *b = right;
  return a->ticks != b->ticks ? (a->ticks < b->ticks ? -1 : 1) : compare_numbers(&a->number, &b->number);
}

static void either_range(asking *asking) {
  workload_dates range = workload_union_dates();
  uint64_t from = big_endian(range.from), before = big_endian(range.before);
  const size_t length = strlen(WORKLOAD_UNION_PREFIX);
  dated *rows = malloc((size_t)asking->objects * 2 * sizeof *rows);
  size_t count = 0;
  MDB_val key;
  MDB_cursor *dates = open_cursor(asking->transaction, asking->store.dates);
  for (int found = seek(dates, &from, sizeof from, &key);
       found && memcmp(key.mv_data, &before, sizeof before) < 0; found = next_key(dates, &key)) {
    int64_t number = number_in(&key);
    rows[count++] = (dated){find_item(&asking->store, asking->transaction, number)->ticks, number};
  }
  mdb_cursor_close(dates);
  MDB_cursor *names = open_cursor(asking->transaction, asking->store.names);
  for (int found = seek(names, WORKLOAD_UNION_PREFIX, length, &key);
       found && memcmp(key.mv_data, WORKLOAD_UNION_PREFIX, length) == 0; found = next_key(names, &key)) {
    int64_t number = number_in(&key);
    rows[count++] = (dated){find_item(&asking->store, asking->transaction, number)->ticks, number};
  }
  mdb_cursor_close(names);
  qsort(rows, count, sizeof *rows, compare_dates);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || rows[i].number != rows[i - 1].number) add_item(asking, rows[i].number);
  }
  free(rows);
}

static void sums_by_value(asking *asking) {
  static int64_t sums[WORKLOAD_VALUES * 2], counts[WORKLOAD_VALUES * 2];
  memset(sums, 0, sizeof sums);
  memset(counts, 0, sizeof counts);
  MDB_cursor *items = open_cursor(asking->transaction, asking->store.items);
  MDB_val key, value;
  for (int code = mdb_cursor_get(items, &key, &value, MDB_FIRST); code == 0;
       code = mdb_cursor_get(items, &key, &value, MDB_NEXT)) {
    int64_t own = ((const workload_item *)value.mv_data)->value;
    sums[own] += own;
    counts[own]++;
  }
  mdb_cursor_close(items);
  for (int64_t group = 0; group < WORKLOAD_VALUES * 2; group++) {
    if (counts[group] == 0) continue;
    add_figure(asking, group);
    add_figure(asking, sums[group]);
  }
}

static void edit_items(asking *asking) {
  for (int64_t edit = 0; edit < WORKLOAD_PENDING; edit++) {
    edit_value(&asking->store, asking->transaction, workload_edited(0, edit, asking->objects));
  }
}

static void edit_others(asking *asking) {
  for (int64_t edit = 0; edit < WORKLOAD_PENDING; edit++) {
    MDB_val key = {sizeof edit, &edit}, value = {sizeof edit, &edit};
    check(mdb_put(asking->transaction, asking->store.state, &key, &value, 0), "another row");
  }
}

static const struct {
  const char *name;
  void (*answer)(asking *);
  // Edits within the transaction, which is given up at the end.
  void (*edit)(asking *);
} questions[] = {
    {"first50.half", first_half, NULL},
    {"first50.onePercent", first_percent, NULL},
    {"first50.half.property", property_of_half, NULL},
    {"first50.onePercent.property", property_of_percent, NULL},
    {"first50.pending", first_half, edit_items},
    {"first50.pendingOther", first_half, edit_others},
    {"prefix50", first_by_prefix, NULL},
    {"all.objects", all_objects, NULL},
    {"all.ids", all_numbers, NULL},
    {"top50.unindexed", top_by_value, NULL},
    {"count.range", count_dates, NULL},
    {"rank", place_of_item, NULL},
    {"nth", item_at_place, NULL},
    {"in100", by_names, NULL},
    {"or", either_range, NULL},
    {"sum.grouped", sums_by_value, NULL},
};

void query(const char *path, const char *name, int64_t rounds) {
  size_t number = 0, all = sizeof questions / sizeof *questions;
  while (number < all && strcmp(questions[number].name, name) != 0) number++;
  if (number == all) workload_exit(64);
  asking asking = {0};
  store_open(&asking.store, path, 0, 0);
  unsigned flags = questions[number].edit ? 0 : MDB_RDONLY;
  check(mdb_txn_begin(asking.store.environment, NULL, flags, &asking.transaction), "mdb_txn_begin");
  asking.objects = count_items(&asking.store, asking.transaction);
  size_t room = (size_t)asking.objects + WORKLOAD_VALUES * 4;
  asking.numbers = malloc(room * sizeof *asking.numbers);
  asking.items = malloc(room * sizeof *asking.items);
  if (questions[number].edit) questions[number].edit(&asking);
  // Once without the clock, of a sample beyond the others.
  asking.sample = rounds;
  questions[number].answer(&asking);
  uint64_t hash = workload_hash_begin();
  for (asking.sample = 0; asking.sample < rounds; asking.sample++) {
    asking.count = asking.item_count = 0;
    int64_t began = workload_now();
    questions[number].answer(&asking);
    workload_put("sample", workload_now() - began);
    hash = workload_hash_integer(hash, asking.count);
    for (int64_t i = 0; i < asking.count; i++) hash = workload_hash_integer(hash, asking.numbers[i]);
    for (int64_t i = 0; i < asking.item_count; i++) hash = workload_hash_integer(hash, asking.items[i].value);
  }
  workload_put("check", (int64_t)(hash >> 1));
  mdb_txn_abort(asking.transaction);
}
