import RepriseObjectModel

/// A failure of a journal. Appended entries stay in memory and are retried, unless the journal is closed.
package enum JournalError: Error, Equatable, Sendable {
  /// The folder of journals could not be listed.
  case cannotList(path: String, errno: Int32)
  case cannotCreate(path: String, errno: Int32)
  case cannotRead(path: String, errno: Int32)
  case cannotWrite(path: String, errno: Int32)
  /// Written entries may not survive a power cut.
  case cannotFlush(path: String, errno: Int32)
  case cannotRemove(path: String, errno: Int32)
  /// An edit names an entity or a property that is not in the store's schema. It was not recorded.
  case notInSchema(draft: String, entity: String)
  /// An edit of the draft, or a state of the node, with this name exceeds the limit in bytes. It was not recorded.
  case tooLong(name: String, limit: Int)
  /// The lock that claims a draft or a scene could not be tested.
  case cannotClaim(path: String, errno: Int32)
  /// The store's tables could not be read.
  case tables(String)
  case closed
}

extension JournalError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cannotList(let path, let code):
      "The journals in \(path) cannot be listed (\(systemText(code))). Check that the folder may be read."
    case .cannotCreate(let path, let code):
      "The journal \(path) cannot be made (\(systemText(code))). Free space, or allow it; edits wait in memory."
    case .cannotRead(let path, let code):
      "The journal \(path) cannot be read (\(systemText(code))). It is left as it is."
    case .cannotWrite(let path, let code):
      "The journal \(path) cannot be written (\(systemText(code))). Free space; edits wait in memory."
    case .cannotFlush(let path, let code):
      "The journal \(path) cannot be flushed (\(systemText(code))). Until then a power cut may lose edits."
    case .cannotRemove(let path, let code):
      "The checkpointed journal \(path) cannot be removed (\(systemText(code))). Allow writing in its folder."
    case .notInSchema(let draft, let entity):
      "An edit in the draft '\(draft)' is not recorded: the store does not know \(entity). Open it with that model."
    case .tooLong(let name, let limit):
      "A change of '\(name)' is not recorded: it takes more than \(limit) bytes. Keep large data in files of their own."
    case .cannotClaim(let path, let code):
      "No draft can be taken in \(path) (\(systemText(code))). Check that the store's files may be opened and locked."
    case .tables(let reason): "The tables of drafts and archives cannot be read: \(reason)"
    case .closed: "The journal is closed. Open the store again."
    }
  }
}
