import RepriseLog
import RepriseObjectModel

/// The reason why changes were not saved, or not merged into a context.
///
/// Saves of root and child contexts throw it. So do `Store.write`, `EditingContext.apply` of a ``StoreDifference``, and
/// the calls of `BackgroundContext` that save in batches. Unless a case says otherwise, nothing was written, and the
/// changes are still uncommitted.
@nonexhaustive
public enum SaveError: RepriseError {
  /// The changes conflict with other changes, break rules of the models, or have values that their properties cannot
  /// hold.
  ///
  /// Every call that throws `SaveError` may throw this. The refusal lists all reasons. Resolve or discard its
  /// conflicts, assign other values, then save again.
  case refused(SaveRefusal)
  /// Objects of the context could not be read, for these reasons. A save might overwrite values that the program has
  /// not seen.
  ///
  /// Saves of root and child contexts throw it. Call `refresh()` of the root context, then save again. If you have
  /// assigned a value to such an object, also call `discard(_:)` with its ID.
  case unreadable([AnyObjectID: StoreError])
  /// Another save changed something that this context has read, and `isSerializable` is true.
  ///
  /// Saves of root contexts and `Store.write` throw it. The case lists the objects. The list is empty if the reason is
  /// not an object, for example if a fetch would now find other objects. Call `refresh()`, decide again, then save
  /// again.
  case overtaken([AnyObjectID])
  /// The save has more events than one transaction may have.
  ///
  /// All calls that write to the log throw it. Save in parts. If the delete rules concern so many objects, discard the
  /// deletion, and call `BackgroundContext.deleteAll`, which deletes them in several saves.
  case tooLarge(events: Int, limit: Int)
  /// An object, or the whole transaction, has more bytes than the store can hold in one piece.
  ///
  /// All calls that write to the log throw it. Save in parts, and store large data in attributes of the type ``Blob``.
  /// If a single deletion is too large, discard it, and call `BackgroundContext.deleteAll`.
  case tooLong(limit: Int)
  /// A save of a call that saves in batches failed after other saves of this call.
  ///
  /// All calls of `BackgroundContext` that save in batches throw it. `count` is the number of saved objects, or of
  /// saved elements of an import. `position` is the last save. After a deletion, the remaining objects meet the rules,
  /// and no reference leads to a deleted object. Recover as the reason describes, then repeat the call. For an import,
  /// leave out the first `count` elements.
  indirect case savedInPart(count: Int, position: Position, reason: SaveError)
  /// A difference has an entity or a property that the models of this program lack.
  ///
  /// Only `EditingContext.apply` throws it. `property` is `nil` if the models lack the entity. Apply the difference
  /// with a program that has these models.
  case unknown(entity: String, property: String?)
  /// The store could not be read or written.
  ///
  /// All calls that save throw it. The ``StoreError`` says how to recover. If it is ``StoreError/closed(path:)``, open
  /// the store again.
  case store(StoreError)
  /// The disk failed during the commit, or a shared log did not answer. The transaction may or may not be in the log.
  ///
  /// All calls that write to the log throw it. If the disk failed, close the store and open it again. If a shared log
  /// did not answer, wait until the log answers. Then call ``TransactionLog/position(ofTransaction:)``.
  case outcomeUnknown(transaction: UniqueID)
  /// The store shares its log with other machines, and the shared log could not be reached in time.
  ///
  /// All calls that write to the log throw it. Reads, drafts and undo steps work without the shared log. Save again
  /// when it can be reached.
  case unavailable(reason: String)
}

extension SaveError {
  /// The reasons for which the changes were refused. `nil` for other errors.
  package var refusal: SaveRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension SaveError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .unreadable(let objects):
      "This save wrote nothing. \(counted(objects.count, "object")) could not be read"
        + (objects.min { $0.key < $1.key }.map { ". \($0.key): \($0.value)" } ?? ".")
        + " Then save again. Or discard() the changes to these objects."
    case .overtaken(let objects):
      "This save wrote nothing. Another save changed "
        + (objects.first.map { "\($0)\(objects.count > 1 ? " and \(objects.count - 1) more" : "")" } ?? "objects")
        + ", which this context has read or looked for. Call refresh(), check whether your changes are still right, "
        + "then save again."
    case .tooLarge(let events, let limit):
      "This save wrote nothing. It has \(events) events, and a transaction has at most \(limit). Save in parts. If one "
        + "deletion concerns so many objects, discard the deletion and call BackgroundContext.deleteAll, which saves "
        + "in parts."
    case .tooLong(let limit):
      "This save wrote nothing. An object, or the whole save, has more than \(limit) bytes. Save in parts, and keep "
        + "large data in attributes of the type Blob. If one deletion is too large, discard the deletion and call "
        + "BackgroundContext.deleteAll, which saves in parts."
    case .savedInPart(let count, let position, let reason):
      "This call saved \(counted(count, "object")), up to transaction \(position), and its next save failed. \(reason) "
        + "Then repeat the call. If it is an import, leave out the first \(counted(count, "element"))."
    case .unknown(let entity, let property):
      "The difference was not applied. It changes \(property.map { "\(entity).\($0)" } ?? entity), which the models of "
        + "this program lack. Apply the difference with a program whose models have it."
    case .store(let error): "This save wrote nothing. \(error)"
    case .outcomeUnknown(let transaction):
      "The disk failed during the commit of transaction \(transaction), or a shared log did not answer. The "
        + "transaction may or may not be in the log. If the disk failed, close the store, repair the disk and open the "
        + "store again. Then call `position(ofTransaction:)`."
    case .unavailable(let reason):
      "This save wrote nothing. The shared log could not be reached: \(reason). Save again later."
    }
  }
}
