#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void check(int code, const char *what) {
  if (code == 0) return;
  fprintf(stderr, "lmdb-worker: %s: %s\n", what, mdb_strerror(code));
  exit(1);
}

uint64_t big_endian(int64_t number) { return __builtin_bswap64((uint64_t)number); }

void open_environment(store *store, const char *path, unsigned flags) {
  memset(store, 0, sizeof *store);
  check(mdb_env_create(&store->environment), "mdb_env_create");
  check(mdb_env_set_mapsize(store->environment, (size_t)1 << 40), "mdb_env_set_mapsize");
  check(mdb_env_set_maxdbs(store->environment, 8), "mdb_env_set_maxdbs");
  check(mdb_env_open(store->environment, path, flags | MDB_NORDAHEAD | MDB_NOTLS, 0644), path);
}

void store_open(store *store, const char *path, unsigned flags, int create) {
  if (create) mkdir(path, 0755);
  open_environment(store, path, flags);
  MDB_txn *transaction;
  check(mdb_txn_begin(store->environment, NULL, create ? 0 : MDB_RDONLY, &transaction), "mdb_txn_begin");
  unsigned table = create ? MDB_CREATE : 0;
  check(mdb_dbi_open(transaction, "items", table | MDB_INTEGERKEY, &store->items), "items");
  check(mdb_dbi_open(transaction, "dates", table, &store->dates), "dates");
  check(mdb_dbi_open(transaction, "names", table, &store->names), "names");
  check(mdb_dbi_open(transaction, "events", table | MDB_INTEGERKEY, &store->events), "events");
  check(mdb_dbi_open(transaction, "state", table, &store->state), "state");
  check(mdb_txn_commit(transaction), "mdb_txn_commit");
}

void store_open_restoring(store *store, const char *path) {
  open_environment(store, path, 0);
  MDB_txn *transaction;
  check(mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction), "mdb_txn_begin");
  check(mdb_dbi_open(transaction, "items", MDB_INTEGERKEY, &store->items), "items");
  check(mdb_dbi_open(transaction, "state", 0, &store->state), "state");
  check(mdb_txn_commit(transaction), "mdb_txn_commit");
}

void store_close(store *store) { mdb_env_close(store->environment); }

void put_date_row(store *store, MDB_txn *transaction, int64_t ticks, int64_t number) {
  uint64_t parts[2] = {big_endian(ticks), big_endian(number)};
  MDB_val key = {sizeof parts, parts}, nothing = {0, NULL};
  check(mdb_put(transaction, store->dates, &key, &nothing, 0), "a row of the dates");
}

void delete_date_row(store *store, MDB_txn *transaction, int64_t ticks, int64_t number) {
  uint64_t parts[2] = {big_endian(ticks), big_endian(number)};
  MDB_val key = {sizeof parts, parts};
  check(mdb_del(transaction, store->dates, &key, NULL), "a row of the dates");
}

uint64_t next_event(MDB_cursor *events) {
  uint64_t sequence = 0;
  MDB_val key, value;
  if (mdb_cursor_get(events, &key, &value, MDB_LAST) == 0) memcpy(&sequence, key.mv_data, sizeof sequence);
  return sequence + 1;
}

static void append_event(store *store, MDB_txn *transaction, const void *bytes, size_t count) {
  MDB_cursor *cursor;
  MDB_val key, value;
  check(mdb_cursor_open(transaction, store->events, &cursor), "events");
  uint64_t sequence = next_event(cursor);
  key = (MDB_val){sizeof sequence, &sequence};
  value = (MDB_val){count, (void *)bytes};
  check(mdb_cursor_put(cursor, &key, &value, MDB_APPEND), "an event");
  mdb_cursor_close(cursor);
}

void update_item(store *store, MDB_txn *transaction, int64_t number, int attribute, int64_t new_value) {
  MDB_val key = {sizeof number, &number}, value;
  check(mdb_get(transaction, store->items, &key, &value), "an item");
  workload_item item;
  memcpy(&item, value.mv_data, sizeof item);
  int64_t old = attribute == ATTRIBUTE_DATE ? item.ticks : item.value;
  if (attribute == ATTRIBUTE_DATE) {
    delete_date_row(store, transaction, item.ticks, number);
    put_date_row(store, transaction, new_value, number);
    item.ticks = new_value;
  } else {
    item.value = new_value;
  }
  value = (MDB_val){sizeof item, &item};
  check(mdb_put(transaction, store->items, &key, &value, 0), "an item");
  int64_t event[5] = {number, 2, attribute, old, new_value};
  append_event(store, transaction, event, sizeof event);
}

const workload_item *find_item(store *store, MDB_txn *transaction, int64_t number) {
  MDB_val key = {sizeof number, &number}, value;
  check(mdb_get(transaction, store->items, &key, &value), "an item");
  return value.mv_data;
}

int64_t count_items(store *store, MDB_txn *transaction) {
  MDB_stat facts;
  check(mdb_stat(transaction, store->items, &facts), "mdb_stat");
  return (int64_t)facts.ms_entries;
}

int64_t rank_of(store *store, MDB_txn *transaction, int64_t ticks, int64_t number) {
  uint64_t parts[2] = {big_endian(ticks), big_endian(number)};
  MDB_cursor *cursor;
  MDB_val key, value;
  check(mdb_cursor_open(transaction, store->dates, &cursor), "dates");
  int64_t rank = 0;
  int code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
  while (code == 0 && memcmp(key.mv_data, parts, sizeof parts) < 0) {
    rank++;
    code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
  }
  mdb_cursor_close(cursor);
  return rank;
}
