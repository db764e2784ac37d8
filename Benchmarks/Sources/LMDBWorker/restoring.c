#include <stdlib.h>
#include <string.h>

#include "store.h"

// What a program has after its restore: the rows of the list, and beside them those that the editor shows. Screens are
// used where they lie, so the transaction stays open as long as they do.
typedef struct {
  MDB_txn *transaction;
  const tree *tree;
  workload_item rows[WORKLOAD_ROWS];
  workload_item edited[WORKLOAD_ROWS];
  int64_t rank;
} restored;

typedef struct {
  int64_t open, tree, rows, position, draft;
} stamps;

static const void *state(store *store, MDB_txn *transaction, char *name) {
  MDB_val key = {strlen(name), name}, value;
  check(mdb_get(transaction, store->state, &key, &value), name);
  return value.mv_data;
}

static void apply(restored *restored, const draft *draft) {
  memcpy(restored->edited, restored->rows, sizeof restored->edited);
  // Edits stand in the order of the rows, so the row of an edit is the one before or the next.
  int row = 0;
  for (int number = 0; number < draft->edit_count; number++) {
    const edit *edit = &draft->edits[number];
    while (restored->tree->selections[row] != edit->item) row++;
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
  store_open_restoring(store, path);
  stamps->open = workload_now();
  check(mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &restored->transaction), "mdb_txn_begin");
  restored->tree = state(store, restored->transaction, "tree");
  stamps->tree = workload_now();
  for (int row = 0; row < restored->tree->row_count; row++) {
    restored->rows[row] = *find_item(store, restored->transaction, restored->tree->selections[row]);
  }
  stamps->rows = workload_now();
  restored->rank = restored->tree->rank;
  stamps->position = workload_now();
  apply(restored, state(store, restored->transaction, "draft"));
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
  const tree *tree = restored->tree;
  uint64_t hash = workload_hash_integer(workload_hash_begin(), tree->row_count);
  for (int row = 0; row < tree->row_count; row++) hash = hash_item(hash, &restored->rows[row]);
  hash = workload_hash_integer(hash, restored->rank);
  for (int row = 0; row < tree->row_count; row++) hash = hash_item(hash, &restored->edited[row]);
  hash = workload_hash_integer(hash, WORKLOAD_SCREENS);
  for (int number = 0; number < WORKLOAD_SCREENS; number++) {
    hash = workload_hash_bytes(hash, tree->screens[number].title, WORKLOAD_TITLE);
    hash = workload_hash_integer(hash, (int64_t)(tree->screens[number].offset * 8));
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
