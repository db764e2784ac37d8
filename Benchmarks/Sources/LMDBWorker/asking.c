#include "asking.h"

#include <string.h>

int64_t number_in(const MDB_val *key) {
  uint64_t number;
  memcpy(&number, (const char *)key->mv_data + key->mv_size - sizeof number, sizeof number);
  return (int64_t)__builtin_bswap64(number);
}

MDB_cursor *open_cursor(MDB_txn *transaction, MDB_dbi table) {
  MDB_cursor *cursor;
  check(mdb_cursor_open(transaction, table, &cursor), "a cursor");
  return cursor;
}

int seek(MDB_cursor *cursor, const void *bytes, size_t count, MDB_val *key) {
  MDB_val value;
  *key = (MDB_val){count, (void *)bytes};
  return mdb_cursor_get(cursor, key, &value, count ? MDB_SET_RANGE : MDB_FIRST) == 0;
}

int next_key(MDB_cursor *cursor, MDB_val *key) {
  MDB_val value;
  return mdb_cursor_get(cursor, key, &value, MDB_NEXT) == 0;
}

void edit_value(store *store, MDB_txn *transaction, int64_t number) {
  int64_t value = find_item(store, transaction, number)->value;
  update_item(store, transaction, number, ATTRIBUTE_VALUE, workload_other_half(value));
}
