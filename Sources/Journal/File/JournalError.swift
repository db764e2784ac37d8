import RepriseLog
import RepriseObjectModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

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
      "The journals in \(path) cannot be listed (\(systemText(code))). Check that this user may read the folder."
    case .cannotCreate(let path, let code):
      "The journal \(path) cannot be made (\(systemText(code))). Edits wait in memory until it can. "
        + remedy(code)
    case .cannotRead(let path, let code):
      "The journal \(path) cannot be read (\(systemText(code))), and is kept. \(remedy(code, "read")) Then open "
        + "the store again."
    case .cannotWrite(let path, let code):
      "The journal \(path) cannot be written (\(systemText(code))). Edits wait in memory until it can. "
        + remedy(code)
    case .cannotFlush(let path, let code):
      "The journal \(path) cannot be flushed (\(systemText(code))), so a power cut may lose edits. Check the disk, and "
        + "save the drafts."
    case .cannotRemove(let path, let code):
      "The journal \(path), whose content is in the store by now, cannot be removed (\(systemText(code))). Allow this "
        + "user to write in its folder."
    case .notInSchema(let draft, let entity):
      "An edit in the draft '\(draft)' was not recorded, because the store does not know \(entity). Open the store "
        + "with the model \(entity)."
    case .tooLong(let name, let limit):
      "A change of the draft or the screen '\(name)' was not recorded, because it takes more than \(limit) bytes. Keep "
        + "large data in files or blobs."
    case .cannotClaim(let path, let code):
      "No draft or scene can be locked in \(path) (\(systemText(code))). Check that this user may open and lock the "
        + "store's files."
    case .tables(let reason):
      "The store's tables of drafts and screens cannot be read: \(reason). Verify the store with "
        + "`StoreMaintenance.verify(_:)`."
    case .closed: "The journal is closed. Open the store again."
    }
  }
  /// The next step after a call of the system failed with this error number.
  private func remedy(_ code: Int32, _ wanted: String = "write") -> String {
    switch code {
    case ENOSPC, EDQUOT: "Free some space."
    case EACCES, EPERM: "Allow this user to \(wanted) there."
    case EMFILE, ENFILE: "Close some files, or raise their limit (`ulimit -n`)."
    default: "Check the disk."
    }
  }
}
