public import RepriseObjectGraph
public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PersistentModel {
  /// Returns the object as JSON: its ID, and the properties of a selection.
  ///
  /// ```swift
  /// let data = try item.json(.attributes.ids("owner").nesting("parts"))
  /// ```
  ///
  /// - Parameters:
  ///   - selection: The properties to encode; all attributes by default.
  ///   - encoder: Decides the format of dates, bytes and numbers. Decode with the same strategies. By default, it is an
  ///     encoder that sorts keys.
  /// - Throws: ``ExchangeError``.
  public func json(_ selection: PropertySelection = .attributes, encoder: JSONEncoder? = nil) throws -> Data {
    let sorting = JSONEncoder()
    sorting.outputFormatting = .sortedKeys
    return try ExchangeError.converting {
      try (encoder ?? sorting).encode(EncodableObject(object: self, selection: selection))
    }
  }
}

extension EditingContext {
  /// Decodes a new object from JSON and inserts it, like ``EditingContext/insert(_:from:properties:)``.
  ///
  /// Do not use `decoder` elsewhere during the call, because the call sets its `userInfo`.
  ///
  /// - Throws: ``ExchangeError`` with the path to the error. ``LookupError`` if an object cannot be read. Then nothing
  ///   has changed.
  @discardableResult
  public func insert<Model: PersistentModel>(
    _ model: Model.Type, json: Data, properties selection: PropertySelection = .attributes,
    decoder: JSONDecoder = JSONDecoder()
  ) throws -> Model {
    try insert([decode(DecodedObject.self, json, model, selection, isWhole: true, decoder)], as: model)[0]
  }

  /// Decodes new objects from a JSON array, and inserts all of them or none, as one undo step.
  ///
  /// Each element is decoded as by ``insert(_:json:properties:decoder:)``, which lists the errors, too.
  @discardableResult
  public func insertAll<Model: PersistentModel>(
    _ model: Model.Type, json: Data, properties selection: PropertySelection = .attributes,
    decoder: JSONDecoder = JSONDecoder()
  ) throws -> [Model] {
    try insert(decode([DecodedObject].self, json, model, selection, isWhole: true, decoder), as: model)
  }

  /// Finds the object with the unique values in JSON, or inserts one, and assigns the values in the JSON.
  ///
  /// The upsert works like ``EditingContext/upsert(_:by:from:properties:)``. Properties that the JSON lacks stay
  /// unchanged. Do not use `decoder` elsewhere during the call, because the call sets its `userInfo`.
  ///
  /// ```swift
  /// let (ada, outcome) = try context.upsert(Person.self, by: \.email, json: data, properties: .only("email", "name"))
  /// ```
  ///
  /// - Throws: ``ExchangeError`` with the path to the error, ``UpdateError``, or ``LookupError`` if an object cannot be
  ///   read. Then nothing has changed.
  @discardableResult
  public func upsert<Model: PersistentModel>(
    _ model: Model.Type, by key: PartialKeyPath<Model>..., json: Data,
    properties selection: PropertySelection = .attributes,
    decoder: JSONDecoder = JSONDecoder()
  ) throws -> (object: Model, outcome: UpsertOutcome) {
    try upsert([decode(DecodedObject.self, json, model, selection, isWhole: false, decoder)], as: model, by: key)[0]
  }

  /// Upserts all objects of a JSON array or none, as one undo step.
  ///
  /// Each element is upserted as by ``upsert(_:by:json:properties:decoder:)``, which lists the errors, too.
  ///
  /// - Returns: The numbers of objects inserted, updated and unchanged.
  @discardableResult
  public func upsertAll<Model: PersistentModel>(
    _ model: Model.Type, by key: PartialKeyPath<Model>..., json: Data,
    properties selection: PropertySelection = .attributes,
    decoder: JSONDecoder = JSONDecoder()
  ) throws -> UpsertCounts {
    let decoded = try decode([DecodedObject].self, json, model, selection, isWhole: false, decoder)
    return UpsertCounts(try upsert(decoded, as: model, by: key).map(\.outcome))
  }

  /// Assigns the values in JSON to an object, like ``EditingContext/update(_:from:properties:)``.
  ///
  /// Properties that the JSON lacks stay unchanged. Do not use `decoder` elsewhere during the call, because the call
  /// sets its `userInfo`.
  ///
  /// - Throws: ``ExchangeError`` with the path to the error. ``LookupError`` if an object cannot be read. Then nothing
  ///   has changed.
  public func update<Model: PersistentModel>(
    _ object: Model, json: Data, properties selection: PropertySelection = .attributes,
    decoder: JSONDecoder = JSONDecoder()
  ) throws {
    try update(object, decode(DecodedObject.self, json, Model.self, selection, isWhole: false, decoder))
  }

  private func decode<Model: PersistentModel, Value: Decodable>(
    _ type: Value.Type, _ json: Data, _ model: Model.Type, _ selection: PropertySelection, isWhole: Bool,
    _ decoder: JSONDecoder
  ) throws -> Value {
    guard let key = DecodedObject.expectation else { throw ExchangeError.malformed(reason: "it has no key") }
    let known = decoder.userInfo
    defer { decoder.userInfo = known }
    decoder.userInfo[key] = DecodedObject.Expectation(Model.entity, selection, isWhole: isWhole)
    return try ExchangeError.converting { try decoder.decode(type, from: json) }
  }
}
