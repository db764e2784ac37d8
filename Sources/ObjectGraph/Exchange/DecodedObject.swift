import RepriseEventStore
import RepriseObjectModel

/// An object that another program encoded, checked against a model and a selection. It is in no context yet, so that
/// errors are thrown before anything changes.
package struct DecodedObject: Decodable {
  /// The model, the selection and the completeness that the decoder requires.
  package final class Expectation: Sendable {
    let entity: Entity
    let selection: PropertySelection
    /// Whether attributes that are not optional must be present.
    let isWhole: Bool

    package init(_ entity: Entity, _ selection: PropertySelection, isWhole: Bool) {
      self.entity = entity
      self.selection = selection
      self.isWhole = isWhole
    }
  }

  /// An object at the end of a relationship.
  enum Member {
    case id(AnyObjectID)
    case object(DecodedObject)
  }

  let entity: Entity
  let path: String
  let id: AnyObjectID?
  /// The path of the first value that is missing, and that a new object would need.
  private(set) var missing: String?
  private(set) var values: [(slot: Int, value: PropertyValue)] = []
  private(set) var members: [(slot: Int, path: String, members: [Member])] = []

  /// The key of the expectation in a decoder's `userInfo`.
  package static let expectation = CodingUserInfoKey(rawValue: "Reprise.DecodedObject")

  package init(from decoder: any Decoder) throws {
    guard let key = Self.expectation, let expected = decoder.userInfo[key] as? Expectation else {
      throw ExchangeError.malformed(reason: "the decoder's `userInfo` does not have the model to decode")
    }
    try self.init(from: decoder, expected.entity, expected.selection, isWhole: expected.isWhole)
  }

  init(from decoder: any Decoder, _ entity: Entity, _ selection: PropertySelection, isWhole: Bool) throws {
    self.entity = entity
    path = ExchangeError.path(decoder.codingPath)
    let container = try decoder.container(keyedBy: PropertyKey.self)
    let parts = try selection.parts(of: entity)
    let known = Set(parts.map(\.property.name) + [PropertyKey.id.stringValue])
    if let key = container.allKeys.first(where: { !known.contains($0.stringValue) }) {
      throw ExchangeError.unknownKey(path: ExchangeError.path(container.codingPath + [key]))
    }
    id = try container.contains(.id) ? container.id(of: entity, forKey: .id) : nil
    for (slot, property, part) in parts {
      let key = PropertyKey(property.name)
      guard let part else {
        // A derived attribute is computed from other attributes.
        guard let type = property.type, !property.isDerived else { continue }
        if !isWhole, !container.contains(key) {
          if missing == nil, !property.isOptional { missing = ExchangeError.path(container.codingPath + [key]) }
          continue
        }
        values.append((slot, try container.decode(stored: type, forKey: key)))
        continue
      }
      guard container.contains(key), let target = property.target else { continue }
      let path = ExchangeError.path(container.codingPath + [key])
      var found: [Member] = []
      if property.isToMany {
        var list = try container.nestedUnkeyedContainer(forKey: key)
        while !list.isAtEnd { found.append(try Member(from: list.superDecoder(), target, part)) }
      } else if try !container.decodeNil(forKey: key) {
        found.append(try Member(from: container.superDecoder(forKey: key), target, part))
      }
      members.append((slot, path, found))
    }
  }
}

extension DecodedObject.Member {
  fileprivate init(from decoder: any Decoder, _ entity: Entity, _ part: PropertySelection.Part) throws {
    switch part {
    case .id:
      let container = try decoder.singleValueContainer()
      self = .id(try AnyObjectID(container.decode(AnyObjectID.self), of: entity, at: container.codingPath))
    case .object(let selection):
      // Missing keys of an existing object keep their values.
      let isNew = try !decoder.container(keyedBy: PropertyKey.self).contains(.id)
      self = .object(try DecodedObject(from: decoder, entity, selection, isWhole: isNew))
    }
  }
}

extension KeyedDecodingContainer {
  fileprivate func id(of entity: Entity, forKey key: Key) throws -> AnyObjectID {
    try AnyObjectID(decode(AnyObjectID.self, forKey: key), of: entity, at: codingPath + [key])
  }
}

extension AnyObjectID {
  /// The ID with the current name of its model.
  fileprivate init(_ id: AnyObjectID, of entity: Entity, at path: [any CodingKey]) throws(ExchangeError) {
    guard entity.isEverNamed(id.entity) else {
      throw .wrongType(path: ExchangeError.path(path), reason: "\(id) is not an object of \(entity.name)")
    }
    self.init(entity.interned, id.uuid)
  }
}
