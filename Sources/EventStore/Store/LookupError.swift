import RepriseLog
import RepriseObjectModel

/// Why an ID or a URI does not lead to an object.
///
/// `object(_:)`, `object(uri:)` and `load(_:)` of contexts throw it, and so do `Store.uri(for:)`, `Store.id(fromURI:)`
/// and `TransactionLog.history(of:)`.
@nonexhaustive
public enum LookupError: RepriseError {
  /// The object does not exist in the context's view.
  ///
  /// Calls of contexts throw it. Refresh the context, or drop the ID.
  case notFound(AnyObjectID)
  /// The context has deleted the object.
  ///
  /// Calls of contexts throw it. Drop the ID, or undo the deletion.
  case deleted(AnyObjectID)
  /// The text is not `reprise://<log uuid>/<Entity>/<object uuid>`.
  ///
  /// Calls with a URI throw it. Correct the text.
  case malformedURI(String)
  /// The URI belongs to another log.
  ///
  /// Calls with a URI throw it. Open the store that the URI belongs to.
  case foreignStore(uri: String, log: UniqueID)
  /// The entity is not among the models that the store was opened with.
  ///
  /// All calls throw it. Open the store with that model.
  case unknownEntity(String)
  /// The object's record could not be read.
  ///
  /// Calls of contexts throw it. Verify the store with `StoreMaintenance.verify(_:)`.
  case unreadable(AnyObjectID, reason: String)
  /// The store could not be read.
  ///
  /// Calls of contexts throw it, and so do `Store.uri(for:)` and `Store.id(fromURI:)`. The ``StoreError`` says how to
  /// recover.
  case store(StoreError)
}

extension LookupError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .notFound(let id):
      "There is no object \(id) in the state of the store that this context shows. Refresh the context, or drop the ID."
    case .deleted(let id): "The object \(id) was deleted. Drop the ID, or undo the deletion."
    case .malformedURI(let text):
      "'\(text)' is not an object's URI: reprise://<log>/<Entity>/<object>, with two UUIDs. Correct the text."
    case .foreignStore(let uri, let log):
      "The URI \(uri) belongs to another store. The log of this store is \(log). Open the store that the URI belongs "
        + "to."
    case .unknownEntity(let name):
      "The store was opened without a model '\(name)'. Open it with that model, or correct the name."
    case .unreadable(let id, let reason):
      "The object \(id) cannot be read: \(reason). Verify the store with `StoreMaintenance.verify(_:)`."
    case .store(let error): error.description
    }
  }
}
