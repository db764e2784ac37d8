#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asking.h"
#include "store.h"

static const char *text_of(int count, char **arguments, const char *name) {
  size_t length = strlen(name);
  for (int i = 3; i < count; i++) {
    if (strncmp(arguments[i], name, length) == 0 && arguments[i][length] == '=') return arguments[i] + length + 1;
  }
  return NULL;
}

static int64_t number_of(int count, char **arguments, const char *name, int64_t other) {
  const char *text = text_of(count, arguments, name);
  return text ? strtoll(text, NULL, 10) : other;
}

int main(int count, char **arguments) {
  int64_t began = workload_now();
  if (count < 3) {
    fprintf(stderr, "usage: lmdb-worker COMMAND STORE [name=value]...\n");
    return 1;
  }
  const char *command = arguments[1], *path = arguments[2];
  int64_t rounds = number_of(count, arguments, "rounds", 100);
  int64_t objects = number_of(count, arguments, "objects", 10000);
  int64_t batch = number_of(count, arguments, "batch", 1000);
  if (batch < 1) batch = 1;
  const char *attribute = text_of(count, arguments, "attribute"), *question = text_of(count, arguments, "question");
  int changes_index = attribute && strcmp(attribute, "date") == 0;
  if (strcmp(command, "restore") == 0) {
    restore(path, began);
  } else if (strcmp(command, "make") == 0) {
    make(path, objects, number_of(count, arguments, "events", objects), batch);
  } else if (strcmp(command, "load") == 0) {
    load(path, objects, batch);
  } else if (strcmp(command, "inside") == 0) {
    inside(path, rounds);
  } else if (strcmp(command, "read") == 0) {
    read_items(path, rounds);
  } else if (strcmp(command, "rank") == 0) {
    rank(path, rounds);
  } else if (strcmp(command, "sizes") == 0) {
    sizes(path);
  } else if (strcmp(command, "save") == 0) {
    save(path, rounds, changes_index);
  } else if (strcmp(command, "save-page") == 0) {
    save_page(path, rounds);
  } else if (strcmp(command, "save-eight") == 0) {
    save_together(path, rounds, number_of(count, arguments, "contexts", 8));
  } else if (strcmp(command, "discard") == 0) {
    discard(path, number_of(count, arguments, "edits", 1000), rounds);
  } else if (strcmp(command, "query") == 0 && question) {
    if (!query_tasks(path, question, rounds)) query(path, question, rounds);
  } else if (strcmp(command, "make-tasks") == 0) {
    make_tasks(path, objects, batch);
  } else if (strcmp(command, "list") == 0 && question) {
    list(path, question, rounds, number_of(count, arguments, "seed", 1));
  } else if (strcmp(command, "list-memory") == 0) {
    list_memory(path);
  } else {
    workload_exit(64);
  }
  workload_exit(0);
}
