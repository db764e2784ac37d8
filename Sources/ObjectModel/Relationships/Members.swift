/// The content of a ``ToMany`` or an ``OrderedToMany``: the members of a relationship, or objects to assign to one.
///
/// Not generic, so that the views of all models share its code and its metadata.
enum Members {
  case relationship(Int, of: any PersistentModel)
  case assigned(AssignedObjects)

  var objects: [any PersistentModel] {
    switch self {
    case .assigned(let list): list.objects
    case .relationship(let slot, let owner): owner._storage.members(slot)
    }
  }

  var count: Int {
    switch self {
    case .assigned(let list): list.objects.count
    case .relationship(let slot, let owner): owner._storage.memberCount(slot)
    }
  }

  func contains(_ object: any PersistentModel) -> Bool {
    switch self {
    case .assigned(let list): return list.contains(object)
    case .relationship(let slot, let owner):
      let storage = owner._storage
      storage.noteRead(slot)
      return storage.hasMember(object, at: slot)
    }
  }

  func remove(_ object: any PersistentModel) {
    switch self {
    case .assigned(let list): list.remove(object)
    case .relationship(let slot, let owner): owner._storage.removeMember(object, from: slot, of: owner)
    }
  }

  func removeAll() {
    let all = objects
    asOneStep { for object in all { remove(object) } }
  }

  func asOneStep(_ body: () -> Void) {
    switch self {
    case .assigned: body()
    case .relationship(_, let owner): owner._storage.asOneStep(body)
    }
  }
}
