import RepriseObjectModel

extension EditingContext {
  func requireOwn(_ storage: ObjectStorage, _ verb: StaticString) {
    guard let host = storage.host else {
      preconditionFailure("\(storage.id) is in no context yet. Insert it before you \(verb) it.")
    }
    if host === self { return }
    let (theirs, ours) = (Self.name(of: host), Self.name(of: self))
    preconditionFailure(
      "\(storage.id) belongs to \(theirs), but was used in \(theirs == ours ? "another context" : ours). Pass the "
        + "object's `id`, and look the object up in the context that uses it.")
  }

  private static func name(of host: any ObjectHost) -> String {
    if let draft = (host as? EditingContext)?.draftID { return "the context with the draft '\(draft)'" }
    switch host {
    case let root as RootContext: return root.name.map { "the root context '\($0)'" } ?? "a root context"
    case is ChildContext: return "a child context"
    default: return "a context that only reads"
    }
  }
}
