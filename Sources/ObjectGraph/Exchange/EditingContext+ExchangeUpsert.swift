import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Finds the object with the decoded unique values, or inserts one, and assigns the decoded properties of a
  /// selection.
  ///
  /// If the object exists, properties that the decoder lacks stay unchanged. For a new object, every attribute that is
  /// not optional must be present. The decoder may lack an ID, because the key identifies the object, also among
  /// uncommitted changes. If no object has the key but one has the decoded ID, that object changes.
  ///
  /// The upsert is one undo step, or none if nothing changes. The cost is O(log n), plus time in proportion to the
  /// number of decoded objects.
  ///
  /// - Parameters:
  ///   - model: The model of the object.
  ///   - key: A unique attribute, or all attributes that are unique together. Relationships cannot be part of this key.
  ///   - decoder: The source of the values.
  ///   - selection: The properties to decode; all attributes by default.
  /// - Returns: The object, and whether it was inserted, updated or unchanged.
  /// - Throws: ``ExchangeError``, also if the decoder lacks a value of the key, or if the decoded ID and the key belong
  ///   to different objects. ``UpdateError`` if the key is not unique. ``LookupError`` if an object that the decoder
  ///   names cannot be read. Then nothing has changed.
  public func upsert<Model: PersistentModel>(
    _ model: Model.Type, by key: PartialKeyPath<Model>..., from decoder: any Decoder,
    properties selection: PropertySelection = .attributes
  ) throws -> (object: Model, outcome: UpsertOutcome) {
    let decoded = try ExchangeError.converting {
      try DecodedObject(from: decoder, Model.entity, selection, isWhole: false)
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
          func error(at name: String, _ reason: String) -> ExchangeError {
            .wrongType(path: decoded.path.isEmpty ? name : "\(decoded.path).\(name)", reason: reason)
          }
          let known = try upsert.object(withKeyIn: decoded.values, orThrow: error)
          if let known, let id = decoded.id, id != known {
            throw error(at: "id", "it is \(id), but \(known) already has the unique values of the data")
          }
          let existing = try known.map { try object(ObjectID<Model>(uuid: $0.uuid)) }
          if let existing { try fill(existing, from: decoded) }
          let wasThere = try existing != nil || decoded.id.map { try self.existing($0) != nil } ?? false
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
  /// Counts the outcomes of the objects.
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
