import RepriseObjectModel

/// The transactions to return, and the changes in them. A property that is `nil` excludes nothing.
///
/// ```swift
/// let filter = TransactionFilter(excludingAuthors: ["sync"], entities: ["Note"])
/// ```
public struct TransactionFilter: Hashable, Sendable {
  /// Only transactions of these authors. An empty text means transactions without an author.
  public var authors: Set<String>?
  /// No transactions of these authors. For example, a synchroniser excludes its own transactions.
  public var excludedAuthors: Set<String>
  /// Only transactions of contexts with these names. An empty text means contexts without a name.
  public var contextNames: Set<String>?
  /// Only transactions with these names. An empty text means transactions without a name.
  public var names: Set<String>?
  /// Only transactions whose metadata has all these values under these keys.
  public var metadata: [String: String]
  /// Only changes of objects of these entities.
  public var entities: Set<String>?
  /// Only changes of these objects.
  public var objects: Set<AnyObjectID>?

  /// Makes a filter. Arguments that are omitted exclude nothing.
  public init(
    authors: Set<String>? = nil, excludingAuthors: Set<String> = [], contextNames: Set<String>? = nil,
    names: Set<String>? = nil, metadata: [String: String] = [:], entities: Set<String>? = nil,
    objects: Set<AnyObjectID>? = nil
  ) {
    self.authors = authors
    excludedAuthors = excludingAuthors
    self.contextNames = contextNames
    self.names = names
    self.metadata = metadata
    self.entities = entities
    self.objects = objects
  }

  /// Whether the filter selects changes. Then only transactions with a selected change are returned.
  var isOfChanges: Bool { entities != nil || objects != nil }

  func passes(author: String?) -> Bool {
    let author = author ?? ""
    return !excludedAuthors.contains(author) && authors?.contains(author) ?? true
  }

  func passes(name: String?, contextName: String?) -> Bool {
    names?.contains(name ?? "") ?? true && contextNames?.contains(contextName ?? "") ?? true
  }

  func passes(metadata found: [String: String]) -> Bool {
    metadata.isEmpty || metadata.allSatisfy { found[$0.key] == $0.value }
  }

  func passes(_ object: AnyObjectID) -> Bool {
    objects?.contains(object) ?? true && entities?.contains(object.entity) ?? true
  }
}
