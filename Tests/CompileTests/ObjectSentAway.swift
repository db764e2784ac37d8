// An object belongs to the isolation of its context; another task gets its ID.
import RepriseObjectModel

func send<M: PersistentModel>(_ object: M) {
  // error: sending
  Task.detached {
    _ = object.snapshot
  }
}
