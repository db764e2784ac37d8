import RepriseObjectModel

/// Which transactions are wanted, and which of their changes. What is `nil` excludes nothing.
public struct TransactionFilter: Hashable, Sendable {
  /// Only transactions of these authors; an empty text stands for those without one.
  public var authors: Set<String>?
  /// No transactions of these authors: so a synchroniser does not receive what it saved itself.
  public var excludedAuthors: Set<String>
  /// Only transactions of contexts with these names; an empty text stands for those without one.
  public var contextNames: Set<String>?
  /// Only transactions with these names; an empty text stands for those without one.
  public var names: Set<String>?
  /// Only transactions whose metadata has all these values under these keys.
  public var metadata: [String: String]
  /// Only changes to objects of these entities.
  public var entities: Set<String>?
  /// Only changes to these objects.
  public var objects: Set<AnyObjectID>?

  /// A filter that lets everything pass, but for what the arguments exclude.
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

  /// Whether only some of a transaction's changes may pass: one of which none does is not wanted then.
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
