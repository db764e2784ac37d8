#include <string.h>

#include "store.h"

static void add_edit(draft *draft, int64_t item, int attribute, const char *text, int length, int64_t number) {
  edit *edit = &draft->edits[draft->edit_count++];
  edit->item = item;
  edit->attribute = attribute;
  edit->length = length;
  if (text) memcpy(edit->text, text, (size_t)length);
  edit->number = number;
}

static void put_state(store *store, MDB_txn *transaction, char *name, void *bytes, size_t count) {
  MDB_val key = {strlen(name), name}, value = {count, bytes};
  check(mdb_put(transaction, store->state, &key, &value, 0), name);
}

static void leave_behind(store *store, int64_t objects) {
  static tree tree;
  static draft draft;
  int64_t visible[WORKLOAD_ROWS];
  tree.row_count = workload_visible(objects, visible);
  tree.rank = -1;
  MDB_txn *transaction;
  check(mdb_txn_begin(store->environment, NULL, 0, &transaction), "mdb_txn_begin");
  for (int32_t number = 0; number < WORKLOAD_SCREENS; number++) {
    workload_screen_at(number, &tree.screens[number]);
    tree.selections[number] = number < tree.row_count ? visible[number] : -1;
  }
  for (int row = 0; row < tree.row_count; row++) {
    workload_item edited;
    workload_edited_item_at(visible[row], &edited);
    add_edit(&draft, visible[row], ATTRIBUTE_NAME, edited.name, WORKLOAD_NAME, 0);
    add_edit(&draft, visible[row], ATTRIBUTE_SERIAL, edited.serial, WORKLOAD_SERIAL, 0);
    add_edit(&draft, visible[row], ATTRIBUTE_VALUE, NULL, 0, edited.value);
    add_edit(&draft, visible[row], ATTRIBUTE_NOTES, edited.notes, WORKLOAD_NOTES, 0);
  }
  if (tree.row_count > WORKLOAD_ANCHOR) {
    int64_t anchor = visible[WORKLOAD_ANCHOR];
    tree.rank = rank_of(store, transaction, workload_ticks(anchor), anchor);
  }
  put_state(store, transaction, "tree", &tree, sizeof tree);
  put_state(store, transaction, "draft", &draft, sizeof draft);
  check(mdb_txn_commit(transaction), "mdb_txn_commit");
}

void make(const char *path, int64_t objects, int64_t events, int64_t batch) {
  int64_t began = workload_now();
  store store;
  // Nothing of this is measured but the result.
  store_open(&store, path, MDB_NOSYNC, 1);
  insert_items(&store, objects, batch);
  int64_t updates = events > objects ? events - objects : 0;
  for (int64_t start = 0; start < updates; start += batch) {
    MDB_txn *transaction;
    check(mdb_txn_begin(store.environment, NULL, 0, &transaction), "mdb_txn_begin");
    for (int64_t update = start; update < start + batch && update < updates; update++) {
      update_item(
          &store, transaction, workload_updated_item(update, objects), ATTRIBUTE_VALUE, workload_updated_value(update));
    }
    check(mdb_txn_commit(transaction), "mdb_txn_commit");
  }
  leave_behind(&store, objects);
  check(mdb_env_sync(store.environment, 1), "mdb_env_sync");
  workload_put("objects", objects);
  workload_put("events", objects + updates);
  workload_put("elapsed", workload_now() - began);
}

void load(const char *path, int64_t objects, int64_t batch) {
  store store;
  store_open(&store, path, 0, 1);
  int64_t began = workload_now();
  insert_items(&store, objects, batch);
  workload_put("objects", objects);
  workload_put("elapsed", workload_now() - began);
}
