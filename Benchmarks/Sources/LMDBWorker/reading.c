#include <string.h>
#include <sys/stat.h>
#include <stdio.h>

#include "store.h"

static volatile int64_t sink;

static MDB_txn *begin_reading(store *store, const char *path) {
  store_open(store, path, 0, 0);
  MDB_txn *transaction;
  check(mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction), "mdb_txn_begin");
  return transaction;
}

void read_items(const char *path, int64_t rounds) {
  store store;
  MDB_txn *transaction = begin_reading(&store, path);
  int64_t count = count_items(&store, transaction);
  uint64_t seed = workload_seed();
  for (int64_t round = 0; round < rounds; round++) {
    int64_t numbers[100];
    for (int i = 0; i < 100; i++) numbers[i] = (int64_t)(workload_random(&seed) % (uint64_t)count);
    int64_t began = workload_now();
    for (int i = 0; i < 100; i++) {
      // All attributes, copied.
      workload_item item = *find_item(&store, transaction, numbers[i]);
      sink += item.value + item.notes[0];
    }
    workload_put("read", (workload_now() - began) / 100);
  }
  for (int64_t round = 0; round < rounds; round++) {
    int64_t numbers[100];
    for (int i = 0; i < 100; i++) numbers[i] = (int64_t)(workload_random(&seed) % (uint64_t)count);
    int64_t began = workload_now();
    for (int i = 0; i < 100; i++) sink += find_item(&store, transaction, numbers[i])->value;
    workload_put("one", (workload_now() - began) / 100);
  }
}

void rank(const char *path, int64_t rounds) {
  store store;
  MDB_txn *transaction = begin_reading(&store, path);
  int64_t count = count_items(&store, transaction);
  uint64_t seed = workload_seed();
  for (int64_t round = 0; round < rounds; round++) {
    int64_t number = (int64_t)(workload_random(&seed) % (uint64_t)count);
    int64_t ticks = find_item(&store, transaction, number)->ticks;
    int64_t began = workload_now();
    sink += rank_of(&store, transaction, ticks, number);
    workload_put("rank", workload_now() - began);
  }
}

void sizes(const char *path) {
  store store;
  MDB_txn *transaction = begin_reading(&store, path);
  MDB_dbi tables[3] = {store.items, store.dates, store.names};
  int64_t bytes = 0;
  for (int i = 0; i < 3; i++) {
    MDB_stat facts;
    check(mdb_stat(transaction, tables[i], &facts), "mdb_stat");
    bytes += (int64_t)((facts.ms_branch_pages + facts.ms_leaf_pages + facts.ms_overflow_pages) * facts.ms_psize);
  }
  char file[4096];
  struct stat status = {0};
  snprintf(file, sizeof file, "%s/data.mdb", path);
  stat(file, &status);
  workload_put("objects", count_items(&store, transaction));
  workload_put("bytes", bytes);
  workload_put("file", status.st_size);
}
