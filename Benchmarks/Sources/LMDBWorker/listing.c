#include <stdlib.h>
#include <string.h>

#include "asking.h"

// A list as an array in its order, followed by binary search: what a program would write that has one list.
typedef struct {
  int64_t ticks, number;
} dated;

typedef struct {
  char name[WORKLOAD_NAME];
  int64_t ticks, number;
} named;

typedef struct {
  store store;
  MDB_txn *transaction;
  int64_t objects, seed, count;
  dated *rows;
  named *names;
} listing;

static int compare_dated(const void *left, const void *right) {
  const dated *a = left, *b = right;
  if (a->ticks != b->ticks) return a->ticks < b->ticks ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

// By name, then the later date first.
static int compare_named(const void *left, const void *right) {
  const named *a = left, *b = right;
  int order = memcmp(a->name, b->name, WORKLOAD_NAME);
  if (order) return order;
  if (a->ticks != b->ticks) return a->ticks > b->ticks ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

// The place of the first of `count` rows that is not before `row`.
static int64_t place_of(
    const void *rows, int64_t count, size_t size, const void *row, int (*compare)(const void *, const void *)) {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (compare((const char *)rows + (size_t)middle * size, row) < 0) low = middle + 1; else high = middle;
  }
  return low;
}

static void insert_row(void *rows, int64_t *count, size_t size, int64_t place, const void *row) {
  char *at = (char *)rows + (size_t)place * size;
  memmove(at + size, at, (size_t)(*count - place) * size);
  memcpy(at, row, size);
  ++*count;
}

static void remove_row(void *rows, int64_t *count, size_t size, int64_t place) {
  char *at = (char *)rows + (size_t)place * size;
  memmove(at, at + size, (size_t)(*count - place - 1) * size);
  --*count;
}

// The items whose value is above that, by their dates. The array grows by halves, and keeps room for one edit.
static void open_dated(listing *listing, int64_t above) {
  int64_t room = 1024;
  listing->rows = malloc((size_t)room * sizeof *listing->rows);
  listing->count = 0;
  MDB_cursor *dates = open_cursor(listing->transaction, listing->store.dates);
  MDB_val key;
  for (int found = seek(dates, NULL, 0, &key); found; found = next_key(dates, &key)) {
    int64_t number = number_in(&key);
    const workload_item *item = find_item(&listing->store, listing->transaction, number);
    if (item->value <= above) continue;
    if (listing->count == room) {
      room += room / 2;
      listing->rows = realloc(listing->rows, (size_t)room * sizeof *listing->rows);
    }
    listing->rows[listing->count++] = (dated){item->ticks, number};
  }
  mdb_cursor_close(dates);
  listing->rows = realloc(listing->rows, (size_t)(listing->count + WORKLOAD_SAVED) * sizeof *listing->rows);
}

static void open_half(listing *listing) { open_dated(listing, WORKLOAD_HALF); }

static void open_named(listing *listing) {
  listing->names = malloc((size_t)(listing->objects + 1) * sizeof *listing->names);
  MDB_cursor *names = open_cursor(listing->transaction, listing->store.names);
  MDB_val key;
  for (int found = seek(names, NULL, 0, &key); found; found = next_key(names, &key)) {
    int64_t number = number_in(&key);
    const workload_item *item = find_item(&listing->store, listing->transaction, number);
    named *row = &listing->names[listing->count++];
    memcpy(row->name, item->name, WORKLOAD_NAME);
    row->ticks = item->ticks;
    row->number = number;
  }
  mdb_cursor_close(names);
}

static void open_nothing(listing *listing) { listing->count = 0; }

static void open_again(listing *listing, int64_t sample) {
  (void)sample;
  // The list before is given up by the loop, outside the clock.
  open_half(listing);
}

static void change_value(listing *listing, int64_t sample) {
  int64_t number = workload_edited(listing->seed, sample, listing->objects);
  edit_value(&listing->store, listing->transaction, number);
  const workload_item *item = find_item(&listing->store, listing->transaction, number);
  dated row = {item->ticks, number};
  int64_t place = place_of(listing->rows, listing->count, sizeof row, &row, compare_dated);
  if (item->value > WORKLOAD_HALF) {
    insert_row(listing->rows, &listing->count, sizeof row, place, &row);
  } else {
    remove_row(listing->rows, &listing->count, sizeof row, place);
  }
}

// The name with its row in the index.
static void rename_item(listing *listing, int64_t number, const char *name) {
  store *store = &listing->store;
  workload_item item = *find_item(store, listing->transaction, number);
  struct {
    char name[WORKLOAD_NAME];
    uint64_t number;
  } row = {.number = big_endian(number)};
  memcpy(row.name, item.name, WORKLOAD_NAME);
  MDB_val key = {sizeof row, &row}, nothing = {0, NULL};
  check(mdb_del(listing->transaction, store->names, &key, NULL), "a row of the names");
  memcpy(row.name, name, WORKLOAD_NAME);
  check(mdb_put(listing->transaction, store->names, &key, &nothing, 0), "a row of the names");
  memcpy(item.name, name, WORKLOAD_NAME);
  MDB_val own = {sizeof number, &number}, value = {sizeof item, &item};
  check(mdb_put(listing->transaction, store->items, &own, &value, 0), "an item");
}

static void change_name(listing *listing, int64_t sample) {
  int64_t number = workload_edited(listing->seed, sample, listing->objects);
  const workload_item *item = find_item(&listing->store, listing->transaction, number);
  named row = {.ticks = item->ticks, .number = number};
  memcpy(row.name, item->name, WORKLOAD_NAME);
  remove_row(
      listing->names, &listing->count, sizeof row,
      place_of(listing->names, listing->count, sizeof row, &row, compare_named));
  workload_edited_name(listing->seed, sample, row.name);
  rename_item(listing, number, row.name);
  insert_row(
      listing->names, &listing->count, sizeof row,
      place_of(listing->names, listing->count, sizeof row, &row, compare_named), &row);
}

// The index is the list.
static void change_date(listing *listing, int64_t sample) {
  update_item(
      &listing->store, listing->transaction, workload_edited(listing->seed, sample, listing->objects), ATTRIBUTE_DATE,
      workload_edited_ticks(listing->seed, sample));
}

// Another transaction changes so many objects; what follows is to be timed.
static void save_changes(listing *listing, int64_t sample) {
  mdb_txn_abort(listing->transaction);
  MDB_txn *writing;
  check(mdb_txn_begin(listing->store.environment, NULL, 0, &writing), "mdb_txn_begin");
  for (int64_t edit = 0; edit < WORKLOAD_SAVED; edit++) {
    edit_value(
        &listing->store, writing,
        workload_edited(listing->seed, sample * WORKLOAD_SAVED + edit, listing->objects));
  }
  check(mdb_txn_commit(writing), "mdb_txn_commit");
  check(mdb_txn_begin(listing->store.environment, NULL, MDB_RDONLY, &listing->transaction), "mdb_txn_begin");
}

// The changed objects, sorted as the list is, are merged with it in one pass.
static void follow_save(listing *listing, int64_t sample) {
  dated changed[WORKLOAD_SAVED];
  int is_in[WORKLOAD_SAVED];
  for (int64_t edit = 0; edit < WORKLOAD_SAVED; edit++) {
    int64_t number = workload_edited(listing->seed, sample * WORKLOAD_SAVED + edit, listing->objects);
    changed[edit] = (dated){find_item(&listing->store, listing->transaction, number)->ticks, number};
  }
  qsort(changed, WORKLOAD_SAVED, sizeof *changed, compare_dated);
  for (int64_t edit = 0; edit < WORKLOAD_SAVED; edit++) {
    is_in[edit] = find_item(&listing->store, listing->transaction, changed[edit].number)->value > WORKLOAD_HALF;
  }
  dated *merged = malloc((size_t)(listing->count + WORKLOAD_SAVED) * sizeof *merged);
  int64_t count = 0, edit = 0;
  for (int64_t place = 0; place < listing->count; place++) {
    for (; edit < WORKLOAD_SAVED && compare_dated(&changed[edit], &listing->rows[place]) < 0; edit++) {
      if (is_in[edit]) merged[count++] = changed[edit];
    }
    if (edit < WORKLOAD_SAVED && changed[edit].number == listing->rows[place].number) {
      if (is_in[edit]) merged[count++] = changed[edit];
      edit++;
    } else {
      merged[count++] = listing->rows[place];
    }
  }
  for (; edit < WORKLOAD_SAVED; edit++) {
    if (is_in[edit]) merged[count++] = changed[edit];
  }
  free(listing->rows);
  listing->rows = merged;
  listing->count = count;
}

static const struct {
  const char *name;
  void (*open)(listing *);
  // What precedes a sample, and the sample.
  void (*prepare)(listing *, int64_t), (*follow)(listing *, int64_t);
  // Whether edits stay in one transaction, which is given up at the end.
  int edits;
} questions[] = {
    {"open.condition", open_nothing, NULL, open_again, 0}, {"change.condition", open_half, NULL, change_value, 1},
    {"change.twoKeys", open_named, NULL, change_name, 1},  {"change.index", open_nothing, NULL, change_date, 1},
    {"change.saved", open_half, save_changes, follow_save, 0},
};

static uint64_t hash_of(listing *listing) {
  uint64_t hash = workload_hash_begin();
  if (listing->rows || listing->names) {
    hash = workload_hash_integer(hash, listing->count);
    for (int64_t place = 0; place < listing->count; place++) {
      hash = workload_hash_integer(hash, listing->rows ? listing->rows[place].number : listing->names[place].number);
    }
    return hash;
  }
  hash = workload_hash_integer(hash, listing->objects);
  MDB_cursor *dates = open_cursor(listing->transaction, listing->store.dates);
  MDB_val key;
  for (int found = seek(dates, NULL, 0, &key); found; found = next_key(dates, &key)) {
    hash = workload_hash_integer(hash, number_in(&key));
  }
  mdb_cursor_close(dates);
  return hash;
}

static void begin(listing *listing, const char *path, unsigned flags) {
  memset(listing, 0, sizeof *listing);
  store_open(&listing->store, path, 0, 0);
  check(mdb_txn_begin(listing->store.environment, NULL, flags, &listing->transaction), "mdb_txn_begin");
  listing->objects = count_items(&listing->store, listing->transaction);
}

void list(const char *path, const char *name, int64_t rounds, int64_t seed) {
  size_t number = 0, all = sizeof questions / sizeof *questions;
  while (number < all && strcmp(questions[number].name, name) != 0) number++;
  if (number == all) workload_exit(64);
  listing listing;
  begin(&listing, path, questions[number].edits ? 0 : MDB_RDONLY);
  listing.seed = seed;
  questions[number].open(&listing);
  for (int64_t sample = 0; sample < rounds; sample++) {
    if (questions[number].prepare) questions[number].prepare(&listing, sample);
    dated *before = questions[number].follow == open_again ? listing.rows : NULL;
    int64_t began = workload_now();
    questions[number].follow(&listing, sample);
    workload_put("sample", workload_now() - began);
    free(before);
  }
  workload_put("check", (int64_t)(hash_of(&listing) >> 1));
  mdb_txn_abort(listing.transaction);
}

void list_memory(const char *path) {
  listing listing;
  begin(&listing, path, MDB_RDONLY);
  open_dated(&listing, WORKLOAD_ONE_PERCENT);
  free(listing.rows);
  int64_t before = workload_kept_bytes();
  open_dated(&listing, WORKLOAD_HALF);
  workload_put("bytes", workload_kept_bytes() - before);
  workload_put("rows", listing.count);
  workload_put("check", (int64_t)(hash_of(&listing) >> 1));
}
