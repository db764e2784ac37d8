public import RepriseObjectGraph
public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PersistentModel {
  /// The object as JSON: its ID, and what a form has of it.
  ///
  /// ```swift
  /// let data = try item.json(.attributes.ids("owner").nesting("parts"))
  /// ```
  ///
  /// - Parameter encoder: Says how dates, bytes and numbers are written, which the decoder must know as well. Left out,
  ///   it is one that writes keys in order.
  /// - Throws: ``ExchangeError``.
  public func json(_ form: ObjectForm = .attributes, encoder: JSONEncoder? = nil) throws -> Data {
    let sorting = JSONEncoder()
    sorting.outputFormatting = .sortedKeys
    return try ExchangeError.converting {
      try (encoder ?? sorting).encode(EncodableObject(object: self, form: form))
    }
  }
}

extension EditingContext {
  /// Inserts an object that is written as JSON, like ``EditingContext/insert(_:from:as:)``.
  ///
  /// - Throws: ``ExchangeError``, which names the path to what is wrong; then nothing has changed.
  @discardableResult
  public func insert<Model: PersistentModel>(
    _ model: Model.Type, json: Data, as form: ObjectForm = .attributes, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Model {
    try insert([decode(DecodedObject.self, json, model, form, isWhole: true, decoder)], as: model)[0]
  }

  /// Inserts the objects of a list that is written as JSON, all or none, as one undo step; otherwise like one.
  @discardableResult
  public func insertAll<Model: PersistentModel>(
    _ model: Model.Type, json: Data, as form: ObjectForm = .attributes, decoder: JSONDecoder = JSONDecoder()
  ) throws -> [Model] {
    try insert(decode([DecodedObject].self, json, model, form, isWhole: true, decoder), as: model)
  }

  /// Finds the object with the unique values that JSON has, or inserts one, and changes it, like
  /// ``EditingContext/upsert(_:by:from:as:)``: what is not there stays.
  ///
  /// ```swift
  /// let (ada, outcome) = try context.upsert(Person.self, by: \.email, json: data, as: .only("email", "name"))
  /// ```
  ///
  /// - Throws: ``ExchangeError``, which names the path to what is wrong, and ``UpdateError``; then nothing has changed.
  @discardableResult
  public func upsert<Model: PersistentModel>(
    _ model: Model.Type, by key: PartialKeyPath<Model>..., json: Data, as form: ObjectForm = .attributes,
    decoder: JSONDecoder = JSONDecoder()
  ) throws -> (object: Model, outcome: UpsertOutcome) {
    try upsert([decode(DecodedObject.self, json, model, form, isWhole: false, decoder)], as: model, by: key)[0]
  }

  /// Upserts the objects of a list that is written as JSON, all or none, as one undo step; otherwise like one.
  ///
  /// - Returns: How many were inserted, updated and unchanged.
  @discardableResult
  public func upsertAll<Model: PersistentModel>(
    _ model: Model.Type, by key: PartialKeyPath<Model>..., json: Data, as form: ObjectForm = .attributes,
    decoder: JSONDecoder = JSONDecoder()
  ) throws -> UpsertCounts {
    let decoded = try decode([DecodedObject].self, json, model, form, isWhole: false, decoder)
    return UpsertCounts(try upsert(decoded, as: model, by: key).map(\.outcome))
  }

  /// Changes an object to what JSON has of it, like ``EditingContext/update(_:from:as:)``: what is not there stays.
  ///
  /// - Throws: ``ExchangeError``, which names the path to what is wrong; then nothing has changed.
  public func update<Model: PersistentModel>(
    _ object: Model, json: Data, as form: ObjectForm = .attributes, decoder: JSONDecoder = JSONDecoder()
  ) throws {
    try update(object, decode(DecodedObject.self, json, Model.self, form, isWhole: false, decoder))
  }

  private func decode<Model: PersistentModel, Value: Decodable>(
    _ type: Value.Type, _ json: Data, _ model: Model.Type, _ form: ObjectForm, isWhole: Bool, _ decoder: JSONDecoder
  ) throws -> Value {
    guard let key = DecodedObject.expectation else { throw ExchangeError.malformed(reason: "it has no key") }
    let known = decoder.userInfo
    defer { decoder.userInfo = known }
    decoder.userInfo[key] = DecodedObject.Expectation(Model.entity, form, isWhole: isWhole)
    return try ExchangeError.converting { try decoder.decode(type, from: json) }
  }
}
