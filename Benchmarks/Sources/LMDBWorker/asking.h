// Queries and lists: what they share.
#ifndef LMDB_WORKER_ASKING_H
#define LMDB_WORKER_ASKING_H

#include "store.h"

// The number at the end of a key of `dates` or `names`.
int64_t number_in(const MDB_val *key);
MDB_cursor *open_cursor(MDB_txn *transaction, MDB_dbi table);
// Moves to the first key that is not before these bytes; false if there is none.
int seek(MDB_cursor *cursor, const void *bytes, size_t count, MDB_val *key);
int next_key(MDB_cursor *cursor, MDB_val *key);
// Gives the item a value on the other side of the half.
void edit_value(store *store, MDB_txn *transaction, int64_t number);

// Both end the process with status 64 if there is no such question.
void query(const char *path, const char *question, int64_t rounds);
void list(const char *path, const char *question, int64_t rounds, int64_t seed);
void list_memory(const char *path);

// A store of tasks, which is one of its own.
void make_tasks(const char *path, int64_t objects, int64_t batch);
// Whether it is a question of tasks, which this then has answered.
int query_tasks(const char *path, const char *question, int64_t rounds);

#endif
