/// The changes of one commit in the data's source.
struct HistoryTransaction {
  enum Operation {
    case insert(entity: String, key: String, attributes: [(key: String, value: JSON)])
    case update(entity: String, key: String, set: [(key: String, value: JSON)], unset: [String])
    case delete(entity: String, key: String)
  }

  /// From 1, without gaps.
  let number: Int
  /// The commit in the source.
  let revision: String
  /// When it was made, as ISO 8601.
  let time: String
  let operations: [Operation]
}

extension HistoryTransaction {
  init?(_ json: JSON) {
    guard let number = json["seq"]?.integer, let revision = json["rev"]?.string, let time = json["time"]?.string,
      let list = json["ops"]?.array
    else { return nil }
    self.number = number
    self.revision = revision
    self.time = time
    var operations: [Operation] = []
    operations.reserveCapacity(list.count)
    for element in list {
      guard let operation = Operation(element) else { return nil }
      operations.append(operation)
    }
    self.operations = operations
  }
}

extension HistoryTransaction.Operation {
  init?(_ json: JSON) {
    guard let parts = json.array, parts.count >= 3, let kind = parts[0].string, let entity = parts[1].string,
      let key = parts[2].string
    else { return nil }
    switch (kind, parts.count) {
    case ("+", 4):
      guard let attributes = parts[3].object else { return nil }
      self = .insert(entity: entity, key: key, attributes: attributes)
    case ("~", 4), ("~", 5):
      guard let set = parts[3].object else { return nil }
      var unset: [String] = []
      for name in parts.count == 5 ? parts[4].array ?? [.null] : [] {
        guard let name = name.string else { return nil }
        unset.append(name)
      }
      self = .update(entity: entity, key: key, set: set, unset: unset)
    case ("-", 3): self = .delete(entity: entity, key: key)
    default: return nil
    }
  }
}
