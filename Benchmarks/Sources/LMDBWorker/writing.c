#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store.h"

static int64_t count_all(store *store) {
  MDB_txn *transaction;
  check(mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &transaction), "mdb_txn_begin");
  int64_t count = count_items(store, transaction);
  mdb_txn_abort(transaction);
  if (count == 0) check(MDB_NOTFOUND, "the store has no items");
  return count;
}

static void save_one(store *store, int64_t number, int changes_index, uint64_t *seed) {
  const uint64_t mask = ((uint64_t)1 << 52) - 1;
  int64_t date = ((int64_t)1 << 52) + (int64_t)(workload_random(seed) & mask);
  MDB_txn *transaction;
  check(mdb_txn_begin(store->environment, NULL, 0, &transaction), "mdb_txn_begin");
  if (changes_index) {
    update_item(store, transaction, number, ATTRIBUTE_DATE, date);
  } else {
    update_item(store, transaction, number, ATTRIBUTE_VALUE, workload_fresh());
  }
  check(mdb_txn_commit(transaction), "mdb_txn_commit");
}

// The first flush writes what making or copying the store left in memory: that is nobody's save.
static void warm_up(store *store) {
  uint64_t seed = workload_seed();
  save_one(store, 0, 0, &seed);
}

void save(const char *path, int64_t rounds, int changes_index) {
  store store;
  store_open(&store, path, 0, 0);
  int64_t count = count_all(&store);
  uint64_t seed = workload_seed();
  warm_up(&store);
  for (int64_t round = 0; round < rounds; round++) {
    int64_t number = (int64_t)(workload_random(&seed) % (uint64_t)count);
    int64_t began = workload_now();
    save_one(&store, number, changes_index, &seed);
    workload_put("save", workload_now() - began);
  }
}

// The least that a durable save can cost: a page is appended to a file, and the file is flushed.
void save_page(const char *path, int64_t rounds) {
  char file[4096], page[4096] = {1};
  snprintf(file, sizeof file, "%s-page", path);
  int descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (descriptor < 0) check(errno, file);
  for (int64_t round = -1; round < rounds; round++) {
    int64_t began = workload_now();
    if (write(descriptor, page, sizeof page) != sizeof page || fdatasync(descriptor) != 0) check(errno, file);
    // The first flush also makes the file.
    if (round >= 0) workload_put("save", workload_now() - began);
  }
  close(descriptor);
  unlink(file);
}

typedef struct {
  store *store;
  int64_t rounds, count;
  uint64_t seed;
} saver;

static void *run_saver(void *argument) {
  saver *saver = argument;
  for (int64_t round = 0; round < saver->rounds; round++) {
    save_one(saver->store, (int64_t)(workload_random(&saver->seed) % (uint64_t)saver->count), 0, &saver->seed);
  }
  return NULL;
}

void save_together(const char *path, int64_t rounds, int64_t threads) {
  store store;
  store_open(&store, path, 0, 0);
  int64_t count = count_all(&store);
  pthread_t *running = calloc((size_t)threads, sizeof *running);
  saver *savers = calloc((size_t)threads, sizeof *savers);
  warm_up(&store);
  int64_t began = workload_now();
  for (int64_t i = 0; i < threads; i++) {
    savers[i] = (saver){&store, rounds, count, workload_seed() + (uint64_t)i * 977};
    check(pthread_create(&running[i], NULL, run_saver, &savers[i]), "pthread_create");
  }
  for (int64_t i = 0; i < threads; i++) pthread_join(running[i], NULL);
  workload_put("saves", rounds * threads);
  workload_put("elapsed", workload_now() - began);
}

void discard(const char *path, int64_t edits, int64_t rounds) {
  store store;
  store_open(&store, path, 0, 0);
  int64_t count = count_all(&store);
  uint64_t seed = workload_seed();
  for (int64_t round = 0; round < rounds; round++) {
    MDB_txn *transaction, *nested;
    check(mdb_txn_begin(store.environment, NULL, 0, &transaction), "mdb_txn_begin");
    check(mdb_txn_begin(store.environment, transaction, 0, &nested), "mdb_txn_begin");
    int64_t began = workload_now();
    for (int64_t edit = 0; edit < edits; edit++) {
      int64_t number = (int64_t)(workload_random(&seed) % (uint64_t)count);
      update_item(&store, nested, number, ATTRIBUTE_VALUE, workload_fresh());
    }
    int64_t edited = workload_now();
    mdb_txn_abort(nested);
    workload_put("edit", edited - began);
    workload_put("discard", workload_now() - edited);
    mdb_txn_abort(transaction);
  }
}
