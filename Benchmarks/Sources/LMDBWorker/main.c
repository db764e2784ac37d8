#include <lmdb.h>

int main(void) { return 64; }
