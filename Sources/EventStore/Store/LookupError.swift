import RepriseObjectModel

/// Why an ID or a URI does not lead to an object.
public enum LookupError: RepriseError {
  /// The object does not exist in this context's view.
  case notFound(AnyObjectID)
  /// The object is deleted in this context's view.
  case deleted(AnyObjectID)
  /// The text is not `reprise://<log uuid>/<Entity>/<object uuid>`.
  case malformedURI(String)
  /// The URI belongs to another log.
  case foreignStore(uri: String, log: UniqueID)
  /// The entity is not among the models that the store was opened with.
  case unknownEntity(String)
  /// The object's record could not be read.
  case unreadable(AnyObjectID, reason: String)
  /// The store could not be read.
  case store(StoreError)
}

extension LookupError: CustomStringConvertible {
  /// What happened and what to do next.
  public var description: String {
    switch self {
    case .notFound(let id): "There is no object \(id) at this context's position. Refresh the context, or drop the ID."
    case .deleted(let id): "The object \(id) was deleted. Drop the ID, or undo the deletion."
    case .malformedURI(let text): "'\(text)' is not an object's URI (reprise://<log>/<Entity>/<object>). Correct it."
    case .foreignStore(let uri, let log):
      "The URI \(uri) names an object of another log; this store's is \(log). Open the store that it belongs to."
    case .unknownEntity(let name): "The store has no model '\(name)'. Open it with that model, or correct the name."
    case .unreadable(let id, let reason): "The record of \(id) cannot be read: \(reason). Verify the store."
    case .store(let error): error.description
    }
  }
}
