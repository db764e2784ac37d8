// Of the stable interface of the Swift runtime: retains an object and returns it, or returns null if it is being released.
// What reading a weak reference does, for who holds the object's memory in another way.
extern void *_Nullable swift_tryRetain(void *_Nonnull object);
