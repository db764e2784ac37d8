import RepriseCore
import RepriseTool

/// Transactions as the page gets them.
struct TransactionForm {
  let store: Store
  /// The most changes of a transaction that are sent.
  var limit = 20
  /// Whether the page asked for a change.
  var isWanted: (LoggedTransaction.Change) -> Bool = { _ in true }

  /// The place of a transaction in time.
  static func moment(_ transaction: LoggedTransaction) -> [String: JSON] {
    var json: [String: JSON] = [
      "position": .int(transaction.position.number), "time": .text(ValueText.time(transaction.microseconds)),
    ]
    if let author = transaction.author { json["author"] = .text(author) }
    if let name = transaction.name { json["name"] = .text(name) }
    return json
  }

  func json(_ transaction: LoggedTransaction) -> JSON {
    let wanted = transaction.changes.filter(isWanted)
    var json = Self.moment(transaction)
    json["context"] = .text(transaction.contextName)
    json["base"] = .int(transaction.base.number)
    json["undoes"] = transaction.undoes.map { .int($0.number) } ?? .null
    json["supersedes"] = transaction.supersedes.map { .int($0.number) } ?? .null
    json["metadata"] = .object(transaction.metadata.mapValues { .text($0) })
    for kind in [LoggedTransaction.Change.Kind.inserted, .updated, .deleted] {
      json[kind.rawValue] = .int(transaction.changes.count { $0.kind == kind })
    }
    json["changes"] = .list(wanted.prefix(limit).map(change))
    json["omitted"] = .int(max(0, wanted.count - limit))
    return .object(json)
  }

  func change(_ change: LoggedTransaction.Change) -> JSON {
    Self.json(ChangeText(change, of: store))
  }

  static func json(_ change: ChangeText) -> JSON {
    .object([
      "object": .text(change.object), "kind": .text(change.kind.rawValue), "isMoved": .bool(change.isMoved),
      "properties": .list(change.properties.map { json($0.difference) }),
    ])
  }

  static func json(_ difference: PropertyDifference) -> JSON {
    var json: [String: JSON] = ["property": .text(difference.property)]
    switch difference.form {
    case .value(let old, let new):
      json["old"] = ValueForm.json(old)
      json["new"] = ValueForm.json(new)
    case .text(let offset, let removed, let inserted):
      json["offset"] = .int(offset)
      json["removed"] = .text(String(removed.prefix(longestPart)))
      json["inserted"] = .text(String(inserted.prefix(longestPart)))
    case .bytes(let offset, let removed, let inserted):
      json["offset"] = .int(offset)
      json["removedCount"] = .int(removed.count)
      json["insertedCount"] = .int(inserted.count)
    case .members(let added, let removed):
      json["added"] = .list(added.map { .text($0.description) })
      json["removed"] = .list(removed.map { .text($0.description) })
    default: json["isErased"] = .bool(true)
    }
    return .object(json)
  }

  /// The most characters of a changed part of a text.
  private static let longestPart = 2_000
}
