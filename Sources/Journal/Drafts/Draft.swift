import RepriseLog
import RepriseObjectModel

/// One edit of one object.
package struct DraftEdit: Equatable, Sendable {
  package var object: AnyObjectID
  package var change: ObjectChange

  package init(object: AnyObjectID, change: ObjectChange) {
    self.object = object
    self.change = change
  }
}

/// An undo group: the edits that one undo reverts.
package struct DraftGroup: Equatable, Sendable {
  package var name: String?
  package var edits: [DraftEdit]
  /// The transaction that the group reverts. `nil` if it is a plain edit.
  package var reversal: Reversal?

  package init(name: String? = nil, edits: [DraftEdit] = [], reversal: Reversal? = nil) {
    self.name = name
    self.edits = edits
    self.reversal = reversal
  }

  /// Whether the group is a mark among the groups to redo. Redoing it removes the last reversal that `undo()` staged.
  package var isMark: Bool { edits.isEmpty && reversal?.origin == .undo }
}

/// The mark of a group that reverts a transaction of the log. The save writes it as a separate transaction with this
/// mark.
package struct Reversal: Equatable, Sendable {
  /// The reverted transaction.
  package let undoes: Position
  /// The transaction that is in effect again, if the reverted transaction had reverted it.
  package let supersedes: Position?
  package let origin: Origin

  /// The call that staged it.
  package enum Origin: UInt8, Sendable {
    /// The program asked for just this one.
    case request = 0
    /// `undo()` staged it. Then `redo()` removes it, and the next `undo()` continues with the transaction before.
    case undo = 1
    /// `redo()` staged it. Then the next `redo()` continues with the transaction after.
    case redo = 2
  }

  package init(undoes: Position, supersedes: Position? = nil, origin: Origin = .request) {
    self.undoes = undoes
    self.supersedes = supersedes
    self.origin = origin
  }
}

extension ByteWriter {
  mutating func reversal(_ reversal: Reversal) {
    append(reversal.origin.rawValue)
    position(reversal.undoes)
    position(reversal.supersedes ?? 0)
  }
}

extension ByteReader {
  mutating func reversal() throws(MalformedBytes) -> Reversal {
    guard let origin = Reversal.Origin(rawValue: try byte("a reversal's origin")) else {
      throw fail("a reversal's origin")
    }
    let undoes = try position()
    let supersedes = try position()
    return Reversal(undoes: undoes, supersedes: supersedes > 0 ? supersedes : nil, origin: origin)
  }
}
