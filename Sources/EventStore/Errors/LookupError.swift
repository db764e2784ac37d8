import RepriseObjectModel

/// Why there is no object for an ID or a URI.
public enum LookupError: RepriseError {
  /// No such object, as this context sees it.
  case notFound(AnyObjectID)
  /// It was deleted, as this context sees it.
  case deleted(AnyObjectID)
  /// The text is not `reprise://<log uuid>/<Entity>/<object uuid>`.
  case malformedURI(String)
  /// The URI belongs to another log.
  case foreignStore(uri: String, log: UniqueID)
  /// The store has no such entity among its models.
  case unknownEntity(String)
  /// The object's record could not be read.
  case unreadable(AnyObjectID, reason: String)
  /// The store could not be read.
  case store(StoreError)
}

extension LookupError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .notFound(let id): "There is no object \(id) at this context's position. Refresh the context, or drop the ID."
    case .deleted(let id): "The object \(id) was deleted. Drop the ID, or undo the deletion."
    case .malformedURI(let text): "'\(text)' is not an object's URI (reprise://<log>/<Entity>/<object>). Correct it."
    case .foreignStore(let uri, let log):
      "\(uri) names an object of another log; this store's is \(log). Open the store that it belongs to."
    case .unknownEntity(let name): "The store has no model '\(name)'. Open it with that model, or correct the name."
    case .unreadable(let id, let reason): "The record of \(id) cannot be read: \(reason). Verify the store."
    case .store(let error): error.description
    }
  }
}
