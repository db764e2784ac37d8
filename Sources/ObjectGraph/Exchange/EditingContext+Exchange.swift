import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Decodes a new object and inserts it, as one undo step.
  ///
  /// The format is the one that `encode(_:to:)` writes. Every attribute of the selection that is not optional must be
  /// present, and every key must belong to the selection. The model's initialisers do not run. The next save checks the
  /// rules, as for any other change.
  ///
  /// If the data has an ID, the object gets that ID. If an object with that ID was deleted and the program still
  /// retains its instance, the call inserts that instance again. Nested objects are inserted too. If a nested object
  /// has the ID of an existing object, the call changes the existing one. Its former related objects leave the
  /// relationship, but are not deleted.
  ///
  /// Costs time in proportion to the number of decoded objects.
  ///
  /// - Parameters:
  ///   - model: The model of the object.
  ///   - decoder: The source of the values.
  ///   - selection: The properties to decode; all attributes by default.
  /// - Returns: The inserted object.
  /// - Throws: ``ExchangeError``; `exists` if there already is an object with the ID. ``LookupError`` if an object that
  ///   the decoder names cannot be read. Then nothing has changed.
  public func insert<Model: PersistentModel>(
    _ model: Model.Type, from decoder: any Decoder, properties selection: PropertySelection = .attributes
  ) throws -> Model {
    let decoded = try ExchangeError.converting {
      try DecodedObject(from: decoder, Model.entity, selection, isWhole: true)
    }
    return try insert([decoded], as: model)[0]
  }

  /// Decodes properties and assigns them to an object, as one undo step.
  ///
  /// Properties that the decoder lacks stay unchanged. Otherwise `update` works like ``insert(_:from:properties:)``. An
  /// object of another context stops the program.
  ///
  /// - Throws: ``ExchangeError``, also if the decoder has the ID of another object. ``LookupError`` if an object that
  ///   the decoder names cannot be read. Then nothing has changed.
  public func update<Model: PersistentModel>(
    _ object: Model, from decoder: any Decoder, properties selection: PropertySelection = .attributes
  ) throws {
    try update(
      object,
      ExchangeError.converting { try DecodedObject(from: decoder, Model.entity, selection, isWhole: false) })
  }

  package func insert<Model: PersistentModel>(_ decoded: [DecodedObject], as model: Model.Type) throws -> [Model] {
    try asOneBatch {
      try group(nil) {
        try decoded.map { decoded in
          if let id = decoded.id, try existing(id) != nil { throw ExchangeError.exists(id, path: decoded.path) }
          guard let object = try make(decoded) as? Model else {
            throw ExchangeError.unknownProperty(decoded.path, entity: Model.entity.name)
          }
          return object
        }
      }
    }
  }

  package func update<Model: PersistentModel>(_ object: Model, _ decoded: DecodedObject) throws {
    requireOwn(object._storage, "update")
    if let id = decoded.id, id != object._storage.id {
      throw ExchangeError.wrongType(path: "id", reason: "it is \(id), but the update is for \(object._storage.id)")
    }
    try asOneBatch { try group(nil) { try fill(object, from: decoded) } }
  }

  /// The object for decoded data: a new one, or the one with its ID.
  func make(_ decoded: DecodedObject) throws -> any PersistentModel {
    if let id = decoded.id, let known = try existing(id) {
      try fill(known, from: decoded)
      return known
    }
    if let missing = decoded.missing { throw ExchangeError.missingKey(path: missing) }
    if let id = decoded.id, let deleted = liveInstance(of: id) {
      // An object has at most one live instance.
      insertReachable(deleted)
      clear(deleted._storage, but: decoded)
      try fill(deleted, from: decoded)
      return deleted
    }
    let storage =
      if let id = decoded.id { ObjectStorage(decoded.entity, uuid: id.uuid) } else { ObjectStorage(decoded.entity) }
    let object = decoded.entity.makeObject(storage)
    for (slot, value) in decoded.values { storage.assign(value, at: slot) }
    insertReachable(object)
    try relate(object, as: decoded)
    return object
  }

  /// Gives properties that the decoded data lack the values of a new object.
  private func clear(_ storage: ObjectStorage, but decoded: DecodedObject) {
    let written = Set(decoded.values.map(\.slot) + decoded.members.map(\.slot))
    for (slot, property) in storage.entity.declaredProperties.enumerated() where !written.contains(slot) {
      switch property.kind {
      case .attribute: if !property.isDerived { storage.assign(property.defaultValue, at: slot) }
      case .toOne: setToOne(nil, at: slot, of: storage)
      case .toMany, .index: break
      }
    }
  }

  func fill(_ object: any PersistentModel, from decoded: DecodedObject) throws {
    for (slot, value) in decoded.values { object._storage.assign(value, at: slot) }
    try relate(object, as: decoded)
  }

  private func relate(_ object: any PersistentModel, as decoded: DecodedObject) throws {
    let storage = object._storage
    for (slot, path, members) in decoded.members {
      let wanted = try members.map { member -> any PersistentModel in
        switch member {
        case .object(let decoded): return try make(decoded)
        case .id(let id):
          guard let target = try existing(id) else { throw ExchangeError.missingTarget(id, path: path) }
          return target
        }
      }
      let property = storage.entity.properties[slot]
      if property.isToMany, let target = property.target {
        setMembers(slot, wanted, target.model, of: object, isOrdered: property.isOrdered)
      } else {
        setToOne(wanted.first, at: slot, of: storage)
      }
    }
  }

  /// Sets a to-many as a whole, as an assignment does.
  private func setMembers<Owner: PersistentModel, Member: PersistentModel>(
    _ slot: Int, _ members: [any PersistentModel], _ type: Member.Type, of owner: Owner, isOrdered: Bool
  ) {
    let members = members.compactMap { $0 as? Member }
    if isOrdered {
      owner._storage.setToMany(slot, OrderedToMany(members), of: owner)
    } else {
      owner._storage.setToMany(slot, ToMany(members), of: owner)
    }
  }
}
