#include <stdlib.h>
#include <string.h>

#include "store.h"

// What a program has after its restore: the rows that the editor shows, beside those of the list.
typedef struct {
  workload_item edited[WORKLOAD_ROWS];
  MDB_txn *transaction;
  const first_screen *screen;
} restored;

typedef struct {
  int64_t open, tree, rows, position, draft;
} stamps;

static void apply(restored *restored) {
  const first_screen *screen = restored->screen;
  memcpy(restored->edited, screen->rows, sizeof restored->edited);
  // Edits stand in the order of the rows, so the row of an edit is the one before or the next.
  int row = 0;
  for (int number = 0; number < screen->edit_count; number++) {
    const edit *edit = &screen->edits[number];
    while (screen->selections[row] != edit->item) row++;
    workload_item *item = &restored->edited[row];
    switch (edit->attribute) {
      case ATTRIBUTE_NAME: memcpy(item->name, edit->text, WORKLOAD_NAME); break;
      case ATTRIBUTE_SERIAL: memcpy(item->serial, edit->text, WORKLOAD_SERIAL); break;
      case ATTRIBUTE_NOTES: memcpy(item->notes, edit->text, WORKLOAD_NOTES); break;
      case ATTRIBUTE_VALUE: item->value = edit->number; break;
    }
  }
}

static void restore_once(store *store, const char *path, restored *restored, stamps *stamps) {
  store_open_state(store, path);
  stamps->open = workload_now();
  // The value is used where it lies, so the transaction stays open as long as the screen.
  check(mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &restored->transaction), "mdb_txn_begin");
  MDB_val key = {6, "screen"}, value;
  check(mdb_get(restored->transaction, store->state, &key, &value), "the first screen");
  restored->screen = value.mv_data;
  stamps->tree = stamps->rows = stamps->position = workload_now();
  apply(restored);
  stamps->draft = workload_now();
}

static uint64_t hash_item(uint64_t hash, const workload_item *item) {
  hash = workload_hash_bytes(hash, item->name, WORKLOAD_NAME);
  hash = workload_hash_bytes(hash, item->serial, WORKLOAD_SERIAL);
  hash = workload_hash_bytes(hash, item->notes, WORKLOAD_NOTES);
  hash = workload_hash_integer(hash, item->value);
  hash = workload_hash_integer(hash, item->ticks);
  return workload_hash_integer(hash, 0);
}

static int64_t hash_of(const restored *restored) {
  const first_screen *screen = restored->screen;
  uint64_t hash = workload_hash_integer(workload_hash_begin(), screen->row_count);
  for (int row = 0; row < screen->row_count; row++) hash = hash_item(hash, &screen->rows[row]);
  hash = workload_hash_integer(hash, screen->rank);
  for (int row = 0; row < screen->row_count; row++) hash = hash_item(hash, &restored->edited[row]);
  hash = workload_hash_integer(hash, WORKLOAD_SCREENS);
  for (int number = 0; number < WORKLOAD_SCREENS; number++) {
    hash = workload_hash_bytes(hash, screen->screens[number].title, WORKLOAD_TITLE);
    hash = workload_hash_integer(hash, (int64_t)(screen->screens[number].offset * 8));
  }
  return (int64_t)(hash >> 1);
}

void restore(const char *path, int64_t main_began) {
  static restored restored;
  store store;
  stamps stamps;
  restore_once(&store, path, &restored, &stamps);
  int64_t ready = workload_now();
  workload_put("main", main_began);
  workload_put("open", stamps.open);
  workload_put("tree", stamps.tree);
  workload_put("rows", stamps.rows);
  workload_put("position", stamps.position);
  workload_put("draft", stamps.draft);
  workload_put("ready", ready);
  workload_put("check", hash_of(&restored));
  workload_put("anonymous", workload_anonymous_bytes());
}

void inside(const char *path, int64_t rounds) {
  static restored restored;
  int64_t hash = 0;
  for (int64_t round = 0; round < rounds; round++) {
    store store;
    stamps stamps;
    int64_t began = workload_now();
    restore_once(&store, path, &restored, &stamps);
    int64_t ready = workload_now();
    hash = hash_of(&restored);
    int64_t closing = workload_now();
    mdb_txn_abort(restored.transaction);
    store_close(&store);
    workload_put("restore", ready - began);
    workload_put("close", workload_now() - closing);
  }
  workload_put("check", hash);
}
