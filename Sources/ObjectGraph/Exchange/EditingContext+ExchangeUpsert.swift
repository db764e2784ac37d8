import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Finds the object with the unique values that a decoder has, or inserts one, and changes it to what the decoder has
  /// of the properties that a form names.
  ///
  /// What is not there stays as it is in an object that is found, and must be there for a new one, unless it is
  /// optional. The ID may be left out: the key identifies the object, also among uncommitted changes. An object that
  /// only has the ID, and another key, is changed as well. One undo step, or none if nothing changes. O(log n), and the
  /// objects that are read.
  ///
  /// - Parameter key: A unique attribute, or all properties that are unique together. They must be attributes.
  /// - Returns: The object, and what was done.
  /// - Throws: ``ExchangeError``, also if the ID that the decoder has is that of another object than the key; and
  ///   ``UpdateError`` if the key is not unique, or a value of it is not there. Then nothing has changed.
  public func upsert<Model: PersistentModel>(
    _ model: Model.Type, by key: PartialKeyPath<Model>..., from decoder: any Decoder, as form: ObjectForm = .attributes
  ) throws -> (object: Model, outcome: UpsertOutcome) {
    let decoded = try ExchangeError.converting {
      try DecodedObject(from: decoder, Model.entity, form, isWhole: false)
    }
    return try upsert([decoded], as: model, by: key)[0]
  }

  package func upsert<Model: PersistentModel>(
    _ decoded: [DecodedObject], as model: Model.Type, by key: [PartialKeyPath<Model>]
  ) throws -> [(object: Model, outcome: UpsertOutcome)] {
    let upsert = try PlannedUpsert(Model.self, by: key, in: self)
    return try asOneBatch {
      try group(nil) {
        try decoded.map { decoded in
          let before = projection.histories.map(\.stamp)
          let known = try upsert.object(withKeyIn: decoded.values)
          if let known, let id = decoded.id, id != known {
            let path = decoded.path.isEmpty ? "id" : "\(decoded.path).id"
            let reason = "\(id) is another object than \(known), which has the key"
            throw ExchangeError.wrongType(path: path, reason: reason)
          }
          let existing = try known.map { try object(ObjectID<Model>(uuid: $0.uuid)) }
          if let existing { try fill(existing, from: decoded) }
          let wasThere = existing != nil || decoded.id.map { (try? object($0)) != nil } ?? false
          guard let object = try existing ?? make(decoded) as? Model else {
            throw ExchangeError.unknownProperty(decoded.path, entity: Model.entity.name)
          }
          let isSame = projection.histories.map(\.stamp) == before
          return (object, wasThere ? isSame ? .unchanged : .updated : .inserted)
        }
      }
    }
  }
}

extension UpsertCounts {
  /// Counts what was done with each object.
  package init(_ outcomes: some Sequence<UpsertOutcome>) {
    self.init()
    for outcome in outcomes {
      switch outcome {
      case .inserted: inserted += 1
      case .updated: updated += 1
      case .unchanged: unchanged += 1
      }
    }
  }
}
