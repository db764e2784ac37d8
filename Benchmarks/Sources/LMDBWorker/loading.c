#include <stdlib.h>
#include <string.h>

#include "store.h"

// What one transaction inserts. Items and events are appended; the rows of both indexes are put in the order of their
// keys, so that LMDB goes through their pages once and writes them side by side. Row by row, as the items come, is a
// third slower.
typedef struct {
  unsigned char key[WORKLOAD_NAME + 8];
} row;

typedef struct {
  workload_item *items;
  row *dates, *names;
} batch_rows;

static int compare_rows(const void *left, const void *right) { return memcmp(left, right, sizeof(row)); }

static void fill(batch_rows *rows, int64_t first, int64_t count) {
  memset(rows->items, 0, (size_t)count * sizeof *rows->items);
  memset(rows->dates, 0, (size_t)count * sizeof *rows->dates);
  for (int64_t i = 0; i < count; i++) {
    workload_item *item = &rows->items[i];
    workload_item_at(first + i, item);
    uint64_t date[2] = {big_endian(item->ticks), big_endian(first + i)};
    memcpy(rows->dates[i].key, date, sizeof date);
    memcpy(rows->names[i].key, item->name, WORKLOAD_NAME);
    memcpy(rows->names[i].key + WORKLOAD_NAME, &date[1], 8);
  }
}

static void append_items(store *store, MDB_txn *transaction, const batch_rows *rows, int64_t first, int64_t count) {
  MDB_cursor *items, *events;
  check(mdb_cursor_open(transaction, store->items, &items), "items");
  check(mdb_cursor_open(transaction, store->events, &events), "events");
  uint64_t sequence = next_event(events);
  for (int64_t i = 0; i < count; i++) {
    int64_t number = first + i;
    MDB_val key = {sizeof number, &number}, value = {sizeof *rows->items, &rows->items[i]};
    check(mdb_cursor_put(items, &key, &value, MDB_APPEND), "an item");
  }
  for (int64_t i = 0; i < count; i++, sequence++) {
    struct {
      int64_t number, kind;
      workload_item item;
    } event = {first + i, 1, rows->items[i]};
    MDB_val key = {sizeof sequence, &sequence}, value = {sizeof event, &event};
    check(mdb_cursor_put(events, &key, &value, MDB_APPEND), "an event");
  }
  mdb_cursor_close(events);
  mdb_cursor_close(items);
}

static void put_rows(MDB_txn *transaction, MDB_dbi table, row *rows, int64_t count, size_t size) {
  qsort(rows, (size_t)count, sizeof *rows, compare_rows);
  MDB_cursor *cursor;
  MDB_val nothing = {0, NULL};
  check(mdb_cursor_open(transaction, table, &cursor), "an index");
  for (int64_t i = 0; i < count; i++) {
    MDB_val key = {size, rows[i].key};
    check(mdb_cursor_put(cursor, &key, &nothing, 0), "a row of an index");
  }
  mdb_cursor_close(cursor);
}

void insert_items(store *store, int64_t objects, int64_t batch) {
  batch_rows rows = {calloc((size_t)batch, sizeof *rows.items), calloc((size_t)batch, sizeof *rows.dates),
                     calloc((size_t)batch, sizeof *rows.names)};
  for (int64_t first = 0; first < objects; first += batch) {
    int64_t count = objects - first < batch ? objects - first : batch;
    fill(&rows, first, count);
    MDB_txn *transaction;
    check(mdb_txn_begin(store->environment, NULL, 0, &transaction), "mdb_txn_begin");
    append_items(store, transaction, &rows, first, count);
    put_rows(transaction, store->dates, rows.dates, count, 16);
    put_rows(transaction, store->names, rows.names, count, sizeof(row));
    check(mdb_txn_commit(transaction), "mdb_txn_commit");
  }
  free(rows.items);
  free(rows.dates);
  free(rows.names);
}
