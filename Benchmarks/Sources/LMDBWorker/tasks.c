#include <string.h>
#include <sys/stat.h>

#include "asking.h"

// Tables: `tasks` (number → workload_task as it is in memory), `due` (done or not, date and number, big-endian →
// nothing), `words` (word and number, big-endian → nothing).
typedef struct {
  store store;
  MDB_txn *transaction;
  MDB_dbi tasks, due, words;
  int64_t count, numbers[WORKLOAD_FIRST];
  workload_task found[WORKLOAD_FIRST];
} tasks;

typedef struct {
  uint64_t is_done, ticks, number;
} due_row;

typedef struct {
  char word[WORKLOAD_WORD + 1];
  uint64_t number;
} word_row;

static void begin(tasks *tasks, unsigned flags) {
  check(mdb_txn_begin(tasks->store.environment, NULL, flags, &tasks->transaction), "mdb_txn_begin");
}

static void open_tables(tasks *tasks, unsigned flags) {
  check(mdb_dbi_open(tasks->transaction, "tasks", flags | MDB_INTEGERKEY, &tasks->tasks), "tasks");
  check(mdb_dbi_open(tasks->transaction, "due", flags, &tasks->due), "due");
  check(mdb_dbi_open(tasks->transaction, "words", flags, &tasks->words), "words");
}

static word_row word_key(const char *word, int64_t number) {
  word_row row = {.number = big_endian(number)};
  memcpy(row.word, word, WORKLOAD_WORD);
  return row;
}

static void insert_task(tasks *tasks, int64_t number) {
  workload_task task = {0};
  workload_task_at(number, &task);
  MDB_val key = {sizeof number, &number}, value = {sizeof task, &task}, nothing = {0, NULL};
  check(mdb_put(tasks->transaction, tasks->tasks, &key, &value, 0), "a task");
  due_row due = {big_endian(task.is_done), big_endian(task.ticks), big_endian(number)};
  MDB_val due_key = {sizeof due, &due};
  check(mdb_put(tasks->transaction, tasks->due, &due_key, &nothing, 0), "a row of the dates");
  for (int place = 0; place < WORKLOAD_NOTES; place += WORKLOAD_WORD + 1) {
    word_row word = word_key(task.text + place, number);
    MDB_val own = {sizeof word, &word};
    check(mdb_put(tasks->transaction, tasks->words, &own, &nothing, 0), "a word");
  }
}

void make_tasks(const char *path, int64_t objects, int64_t batch) {
  int64_t began = workload_now();
  tasks tasks = {0};
  mkdir(path, 0755);
  // Nothing of this is measured but the result.
  open_environment(&tasks.store, path, MDB_NOSYNC);
  begin(&tasks, 0);
  open_tables(&tasks, MDB_CREATE);
  for (int64_t number = 0; number < objects; number++) {
    insert_task(&tasks, number);
    if ((number + 1) % batch) continue;
    check(mdb_txn_commit(tasks.transaction), "mdb_txn_commit");
    begin(&tasks, 0);
  }
  check(mdb_txn_commit(tasks.transaction), "mdb_txn_commit");
  check(mdb_env_sync(tasks.store.environment, 1), "mdb_env_sync");
  workload_put("objects", objects);
  workload_put("events", objects);
  workload_put("elapsed", workload_now() - began);
}

static void add_task(tasks *tasks, int64_t number) {
  MDB_val key = {sizeof number, &number}, value;
  check(mdb_get(tasks->transaction, tasks->tasks, &key, &value), "a task");
  memcpy(&tasks->found[tasks->count], value.mv_data, sizeof tasks->found[0]);
  tasks->numbers[tasks->count++] = number;
}

// Two cursors over the rows of a word each, of which the one behind moves to where the other is.
static void search(tasks *tasks) {
  char words[2][WORKLOAD_WORD];
  workload_word(WORKLOAD_ONE_WORD, words[0]);
  workload_word(WORKLOAD_OTHER_WORD, words[1]);
  MDB_cursor *cursors[2] = {
      open_cursor(tasks->transaction, tasks->words), open_cursor(tasks->transaction, tasks->words)};
  int64_t wanted = 0;
  for (int turn = 0, agreed = 0; tasks->count < WORKLOAD_FIRST; turn = !turn) {
    word_row from = word_key(words[turn], wanted);
    MDB_val key;
    if (!seek(cursors[turn], &from, sizeof from, &key) || memcmp(key.mv_data, words[turn], WORKLOAD_WORD) != 0) break;
    int64_t number = number_in(&key);
    agreed = number == wanted ? agreed + 1 : 1;
    wanted = number;
    if (agreed < 2) continue;
    add_task(tasks, number);
    wanted++;
    agreed = 0;
  }
  mdb_cursor_close(cursors[0]);
  mdb_cursor_close(cursors[1]);
}

static void open_from_the_middle(tasks *tasks) {
  due_row from = {0, big_endian(workload_middle_ticks()), 0};
  MDB_cursor *due = open_cursor(tasks->transaction, tasks->due);
  MDB_val key;
  for (int found = seek(due, &from, sizeof from, &key);
       found && tasks->count < WORKLOAD_FIRST && memcmp(key.mv_data, &from.is_done, sizeof from.is_done) == 0;
       found = next_key(due, &key)) {
    add_task(tasks, number_in(&key));
  }
  mdb_cursor_close(due);
}

int query_tasks(const char *path, const char *question, int64_t rounds) {
  int is_search = strcmp(question, "search") == 0;
  if (!is_search && strcmp(question, "compound") != 0) return 0;
  static tasks tasks;
  open_environment(&tasks.store, path, 0);
  begin(&tasks, MDB_RDONLY);
  open_tables(&tasks, 0);
  uint64_t hash = workload_hash_begin();
  // The first without the clock.
  for (int64_t sample = -1; sample < rounds; sample++) {
    tasks.count = 0;
    int64_t began = workload_now();
    if (is_search) search(&tasks); else open_from_the_middle(&tasks);
    if (sample < 0) continue;
    workload_put("sample", workload_now() - began);
    hash = workload_hash_integer(hash, tasks.count);
    for (int64_t i = 0; i < tasks.count; i++) hash = workload_hash_integer(hash, tasks.numbers[i]);
    for (int64_t i = 0; i < tasks.count; i++) hash = workload_hash_integer(hash, tasks.found[i].ticks);
  }
  workload_put("check", (int64_t)(hash >> 1));
  mdb_txn_abort(tasks.transaction);
  return 1;
}
