// The store of the limit: a program in C that does nothing but what the row asks for.
//
// Tables: `items` (number → workload_item as it is in memory), `dates` (date and number, big-endian → nothing), `names`
// (name and number → nothing), `events` (sequence → item, attribute, old and new value; or the whole item), `state` (two
// rows: the tree of screens, and the draft).
//
// Those two rows are flat bytes, read in place, without decoding, checksums or objects; the visible items are looked up
// one by one, as by everybody. The place of the anchor is remembered with the screens: a program that had to find it
// would count rows, which LMDB keeps no counts for. It is a floor under all others and no product.
//
// Single transactions with LMDB's own durability; no group commit, no recovery but LMDB's. The map is opened with
// MDB_NORDAHEAD: read-ahead makes a restore after a dropped page cache two to three times slower.
#ifndef LMDB_WORKER_STORE_H
#define LMDB_WORKER_STORE_H

#include <lmdb.h>
#include <stdint.h>

#include "workload.h"

typedef struct {
  MDB_env *environment;
  MDB_dbi items, dates, names, events, state;
} store;

// What is restored, as it stands in the two rows.
typedef struct {
  int64_t item;
  int32_t attribute;
  int32_t length;
  char text[WORKLOAD_NOTES];
  int64_t number;
} edit;

typedef struct {
  int32_t row_count;
  int64_t rank;
  workload_screen screens[WORKLOAD_SCREENS];
  int64_t selections[WORKLOAD_SCREENS];
} tree;

typedef struct {
  int32_t edit_count;
  edit edits[WORKLOAD_EDITS];
} draft;

enum { ATTRIBUTE_NAME, ATTRIBUTE_SERIAL, ATTRIBUTE_VALUE, ATTRIBUTE_NOTES, ATTRIBUTE_DATE };

// Ends the process with a message unless `code` is 0.
void check(int code, const char *what);
// Opens the environment alone.
void open_environment(store *store, const char *path, unsigned flags);
// Opens the environment and its tables; `flags` are LMDB's. Makes them with `create`.
void store_open(store *store, const char *path, unsigned flags, int create);
// The same for a restore, with the tables that it needs.
void store_open_restoring(store *store, const char *path);
void store_close(store *store);
// Number and date or name as a key that sorts.
void put_date_row(store *store, MDB_txn *transaction, int64_t ticks, int64_t number);
void delete_date_row(store *store, MDB_txn *transaction, int64_t ticks, int64_t number);
// As keys that sort have a number.
uint64_t big_endian(int64_t number);
// The number of the next event, by a cursor over the events.
uint64_t next_event(MDB_cursor *events);
// Items with their index rows and events, so many a transaction.
void insert_items(store *store, int64_t objects, int64_t batch);
// One attribute, with its event.
void update_item(store *store, MDB_txn *transaction, int64_t number, int attribute, int64_t value);
const workload_item *find_item(store *store, MDB_txn *transaction, int64_t number);
int64_t count_items(store *store, MDB_txn *transaction);
// The place of a date in their order, by a scan of the keys before it: LMDB keeps no counts.
int64_t rank_of(store *store, MDB_txn *transaction, int64_t ticks, int64_t number);

void make(const char *path, int64_t objects, int64_t events, int64_t batch);
void load(const char *path, int64_t objects, int64_t batch);
void restore(const char *path, int64_t main_began);
void inside(const char *path, int64_t rounds);
void read_items(const char *path, int64_t rounds);
void rank(const char *path, int64_t rounds);
void sizes(const char *path);
void save(const char *path, int64_t rounds, int changes_index);
void save_together(const char *path, int64_t rounds, int64_t threads);
void save_page(const char *path, int64_t rounds);
void discard(const char *path, int64_t edits, int64_t rounds);

#endif
