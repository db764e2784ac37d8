// What crosses to other tasks instead of the object.
import RepriseObjectModel

func send<M: PersistentModel>(_ object: M) {
  let id = object.id
  let snapshot = object.snapshot
  Task.detached { print(id, snapshot) }
}
