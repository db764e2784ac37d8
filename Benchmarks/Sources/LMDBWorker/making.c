#include <stdlib.h>
#include <string.h>

#include "store.h"

static void add_edit(first_screen *screen, int64_t item, int attribute, const char *text, int length, int64_t number) {
  edit *edit = &screen->edits[screen->edit_count++];
  edit->item = item;
  edit->attribute = attribute;
  edit->length = length;
  if (text) memcpy(edit->text, text, (size_t)length);
  edit->number = number;
}

static void leave_behind(store *store, int64_t objects) {
  first_screen *screen = calloc(1, sizeof *screen);
  int64_t visible[WORKLOAD_ROWS];
  screen->row_count = workload_visible(objects, visible);
  screen->rank = -1;
  MDB_txn *transaction;
  check(mdb_txn_begin(store->environment, NULL, 0, &transaction), "mdb_txn_begin");
  for (int32_t number = 0; number < WORKLOAD_SCREENS; number++) {
    workload_screen_at(number, &screen->screens[number]);
    screen->selections[number] = number < screen->row_count ? visible[number] : -1;
  }
  for (int row = 0; row < screen->row_count; row++) {
    screen->rows[row] = *find_item(store, transaction, visible[row]);
    workload_item edited;
    workload_edited_item_at(visible[row], &edited);
    add_edit(screen, visible[row], ATTRIBUTE_NAME, edited.name, WORKLOAD_NAME, 0);
    add_edit(screen, visible[row], ATTRIBUTE_SERIAL, edited.serial, WORKLOAD_SERIAL, 0);
    add_edit(screen, visible[row], ATTRIBUTE_VALUE, NULL, 0, edited.value);
    add_edit(screen, visible[row], ATTRIBUTE_NOTES, edited.notes, WORKLOAD_NOTES, 0);
  }
  if (screen->row_count > WORKLOAD_ANCHOR) {
    int64_t anchor = visible[WORKLOAD_ANCHOR];
    screen->rank = rank_of(store, transaction, workload_ticks(anchor), anchor);
  }
  MDB_val key = {6, "screen"}, value = {sizeof *screen, screen};
  check(mdb_put(transaction, store->state, &key, &value, 0), "the first screen");
  check(mdb_txn_commit(transaction), "mdb_txn_commit");
  free(screen);
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
