// What every peer does, in C so that the C peer shares it: the data, the tree of screens and the draft, each a function
// of a number, so that any process knows what another one stored; the hash over what was restored; clock and output.
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

enum {
  WORKLOAD_NAME = 24,
  WORKLOAD_SERIAL = 5,
  WORKLOAD_NOTES = 120,
  WORKLOAD_TITLE = 16,
  // The visible rows: those around the middle of all items in the order of their dates.
  WORKLOAD_ROWS = 50,
  WORKLOAD_SCREENS = 100,
  // The row whose position in the list is asked for.
  WORKLOAD_ANCHOR = 25,
  // The draft changes name, serial, value and notes of every visible row.
  WORKLOAD_EDITS = 200
};

// An item without its owner, which is nobody in all stores. Texts are ASCII and have no terminator.
typedef struct {
  char name[WORKLOAD_NAME];
  char serial[WORKLOAD_SERIAL];
  char notes[WORKLOAD_NOTES];
  int64_t value;
  // The date, in units of 2^-24 seconds since 2001. No two items have the same.
  int64_t ticks;
} workload_item;

// A screen of the tree. Screens 0 ..< WORKLOAD_ROWS have a visible row selected, the others none.
typedef struct {
  char title[WORKLOAD_TITLE];
  double offset;
  // The number of the screen above; -1 for the root.
  int32_t parent;
} workload_screen;

void workload_item_at(int64_t number, workload_item *item);
// What the draft makes of an item: name, serial, value and notes are others.
void workload_edited_item_at(int64_t number, workload_item *item);
int64_t workload_ticks(int64_t number);
// Exact: the number of seconds fits a double to the last bit.
double workload_date(int64_t ticks);
int64_t workload_ticks_of(double date);
// The numbers of the visible rows, in the order of their dates. Returns how many there are: WORKLOAD_ROWS, or all.
int workload_visible(int64_t objects, int64_t *numbers);
// Updates spread over all items: the item that the n-th one changes, and the new value.
int64_t workload_updated_item(int64_t update, int64_t objects);
int64_t workload_updated_value(int64_t update);
void workload_screen_at(int32_t number, workload_screen *screen);

// What queries and lists are asked, and what is edited: each a function of a number, so that all peers ask and edit the
// same. Values are spread evenly over 0 ..< 10,000, the first letters of names over the alphabet.
enum {
  // As many items have a greater value than this.
  WORKLOAD_HALF = 4999,
  WORKLOAD_ONE_PERCENT = 9899,
  WORKLOAD_VALUES = 10000,
  // As many rows are fetched where a fetch has a limit.
  WORKLOAD_FIRST = 50,
  // As many names are asked for at once.
  WORKLOAD_NAMES = 100,
  // As many edits are pending, and so many objects change in one save.
  WORKLOAD_PENDING = 10000,
  WORKLOAD_SAVED = 1000
};

// The one letter that names begin with, and the two of the union.
#define WORKLOAD_PREFIX "m"
#define WORKLOAD_UNION_PREFIX "qa"

// Dates in ticks, from the first to before the second.
typedef struct {
  int64_t from, before;
} workload_dates;

// The range whose rows a sample counts: a quarter of all on average.
workload_dates workload_counted_dates(int64_t sample);
// The range of the union, one date in 200.
workload_dates workload_union_dates(void);
// The number of the item, or of the place, that a sample asks for.
int64_t workload_asked(int64_t sample, int64_t objects);
// One of the 100 items whose names are asked for.
int64_t workload_named(int64_t index, int64_t objects);

// The number of the item that the n-th edit changes. With one seed, every item has its turn before one has a second.
int64_t workload_edited(int64_t seed, int64_t edit, int64_t objects);
// A value on the other side of WORKLOAD_HALF: the item enters or leaves a list with that condition.
int64_t workload_other_half(int64_t value);
// A date that no item has, and a name.
int64_t workload_edited_ticks(int64_t seed, int64_t edit);
void workload_edited_name(int64_t seed, int64_t edit, char *name);

// A task: what is asked by words and by two properties at once. Its text has 15 words of a vocabulary, the first ones far
// more often than the last; half of the tasks are done.
enum {
  WORKLOAD_WORD = 7,
  WORKLOAD_VOCABULARY = 1000,
  // The two words that are searched for: one text in 400 has both.
  WORKLOAD_ONE_WORD = 20,
  WORKLOAD_OTHER_WORD = 50
};

typedef struct {
  char text[WORKLOAD_NOTES];
  int64_t ticks;
  int64_t is_done;
} workload_task;

void workload_task_at(int64_t number, workload_task *task);
// Without a terminator.
void workload_word(int64_t index, char *word);
// The date in the middle of all.
int64_t workload_middle_ticks(void);

// FNV-1a over everything restored, in a fixed order: the 50 rows, the rank, the 50 rows as the draft has them, and of
// every screen its title and offset.
uint64_t workload_hash_begin(void);
uint64_t workload_hash_bytes(uint64_t hash, const void *bytes, size_t count);
uint64_t workload_hash_integer(uint64_t hash, int64_t value);

// CLOCK_MONOTONIC, in nanoseconds.
int64_t workload_now(void);
// A value that no earlier run had, ascending by one each time: a store is not flattered by writing what is there.
int64_t workload_fresh(void);
// A seed of its own for each run.
uint64_t workload_seed(void);
// The next random number, SplitMix64.
uint64_t workload_random(uint64_t *state);
// Anonymous resident memory of this process: what the map of a store does not count in.
int64_t workload_anonymous_bytes(void);
// The same, once the allocator has given back what it holds for later.
int64_t workload_kept_bytes(void);

// From now on each flush of a file takes so many nanoseconds longer. Linux only.
void workload_slow_flushes(int64_t nanoseconds);

// Keeps a line of output until the end, so that writing it disturbs no measurement.
void workload_put(const char *label, int64_t value);
// Writes what was put, and ends the process as a kill would: nothing is closed, folded or flushed.
void workload_exit(int status) __attribute__((noreturn));
// Writes what was put.
void workload_flush(void);
void workload_complain(const char *program, const char *text);

#endif
