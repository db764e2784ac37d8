import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// The values of an entity's attributes before migrations converted them, for readers at earlier positions.
///
/// A converted attribute has another number than before. So an object at an earlier position is read with all its
/// numbers, and a value under an earlier number is converted as the migration did it.
final class ConvertedAttributes: Sendable {
  /// An attribute with its successive forms.
  private struct Attribute: Sendable {
    let slot: Int
    /// The slot of the first form in ``forms``. The other forms follow, the present one last.
    let first: Int
    let steps: [Step]
  }

  /// The step from one form to the next.
  private struct Step: Sendable {
    let conversion: AttributeConversion
    /// The value of an object that has no value of the earlier form.
    let defaultValue: PropertyValue
    /// The transaction that declared the later form. Later transactions converted the objects. 0 if the log no longer
    /// has it, and so has no earlier state either.
    let position: Position
  }

  private let attributes: [Attribute]
  private let forms: EntityMap
  /// Marks a missing value. No attribute holds a reference.
  private let noValue: PropertyValue

  /// `nil` if these conversions converted none of the entity's attributes.
  init?(
    _ map: EntityMap, _ schema: SchemaMap, _ conversions: [AttributeConversion], _ log: LogTable, _ view: View
  ) throws(StorageError) {
    guard let entity = schema.stored.entity(number: map.number) else { return nil }
    let noValue = PropertyValue.reference(AnyObjectID(map.entity.interned, .zero))
    var attributes: [Attribute] = []
    var forms: [StoredProperty] = []
    for stored in map.stored {
      guard let present = entity.property(number: stored.number) else { continue }
      let chain = Self.chain(to: present, of: entity, map.entity, conversions)
      if chain.isEmpty { continue }
      var steps: [Step] = []
      for (place, (former, conversion)) in chain.enumerated() {
        let next = place + 1 < chain.count ? chain[place + 1].former : present
        steps.append(
          Step(
            conversion: conversion, defaultValue: former.defaultValue,
            position: try log.position(ofReplacing: former.number, by: next.number, view) ?? 0))
      }
      attributes.append(Attribute(slot: stored.slot, first: forms.count, steps: steps))
      forms += chain.map(\.former) + [present]
    }
    if attributes.isEmpty { return nil }
    guard let map = EntityMap(forms: forms, of: entity, withoutValue: noValue) else { return nil }
    self.attributes = attributes
    self.forms = map
    self.noValue = noValue
  }

  /// The earlier forms of an attribute, oldest first, each with the conversion to the next.
  ///
  /// A conversion gives the new form the name that the earlier one had at that time, and retires the earlier one.
  fileprivate static func chain(
    to present: StoredProperty, of entity: StoredEntity, _ model: Entity, _ conversions: [AttributeConversion]
  ) -> [(former: StoredProperty, conversion: AttributeConversion)] {
    var chain: [(former: StoredProperty, conversion: AttributeConversion)] = []
    var later = present
    var rest = conversions[...]
    while let former = entity.properties.last(where: { $0.number < later.number && $0.mayBecome(later) }),
      let place = rest.lastIndex(where: { $0.leads(from: former, to: later, of: entity, model) })
    {
      chain.insert((former, rest[place]), at: 0)
      later = former
      rest = rest[..<place]
    }
    return chain
  }

  /// Sets the converted attributes of an object to their values at a position, converted. A value that cannot be
  /// converted becomes the default. The migration never had to convert it.
  func restore(
    _ values: inout ContiguousArray<PropertyValue>, of id: AnyObjectID, at position: Position, _ past: PastReader,
    _ view: View
  ) throws(StorageError) {
    let now = try past.objects.values(of: id.uuid, forms, past.map, view)
    guard let then = try past.rewind(now, id, forms, from: Position(.max), to: position, view) else { return }
    for attribute in attributes {
      if let value = value(of: attribute, then, at: position) { values[attribute.slot] = value }
    }
  }

  /// The value of an attribute at a position, converted to the present form. `nil` if the migration had already
  /// converted the object, or if the value cannot be converted.
  private func value(of attribute: Attribute, _ then: ContiguousArray<PropertyValue>, at position: Position)
    -> PropertyValue?
  {
    for (place, step) in attribute.steps.enumerated() {
      let found = then[attribute.first + place]
      let isMissing = found.isIdentical(to: noValue)
      // During a migration only some objects were converted.
      if position >= step.position, isMissing { continue }
      let earlier = isMissing ? step.defaultValue : found
      return try? attribute.steps[place...].reduce(earlier) { try $1.conversion.convert($0) }
    }
    return nil
  }
}

/// The conversions of a program's plan, and their effect on each entity, computed on first use.
final class ConversionHistory: Sendable {
  private struct Known {
    var revision: UInt32 = 0
    var entities: [UInt32: ConvertedAttributes?] = [:]
  }

  private let conversions: [AttributeConversion]
  private let known = Guarded(Known())

  init(_ plan: MigrationPlan?) { conversions = plan?.migrations.flatMap(\.conversions) ?? [] }

  /// `nil` if none of the entity's attributes was converted.
  func attributes(
    of map: EntityMap, _ past: PastReader, _ view: View
  ) throws(StorageError) -> ConvertedAttributes? {
    guard !conversions.isEmpty, past.map.map(number: map.number) === map else { return nil }
    let revision = past.map.revision
    let found = known.withLock { $0.revision == revision ? $0.entities[map.number] : nil }
    if let found { return found }
    let made = try ConvertedAttributes(map, past.map, conversions, past.log, view)
    known.withLock { known in
      if known.revision != revision { known = Known(revision: revision) }
      known.entities.updateValue(made, forKey: map.number)
    }
    return made
  }

  /// The conversion for drafts from before the migrations. `nil` if the plan converts nothing.
  func ofDrafts(_ schema: SchemaMap) -> DraftConversion? {
    if conversions.isEmpty { return nil }
    return DraftConversion(schema) { [self] map in formers(of: map, schema) }
  }

  private func formers(of map: EntityMap, _ schema: SchemaMap) -> [UInt32: FormerAttribute] {
    guard let entity = schema.stored.entity(number: map.number) else { return [:] }
    var formers: [UInt32: FormerAttribute] = [:]
    for stored in map.stored {
      guard let present = entity.property(number: stored.number) else { continue }
      let chain = ConvertedAttributes.chain(to: present, of: entity, map.entity, conversions)
      for (place, (former, _)) in chain.enumerated() {
        formers[former.number] = FormerAttribute(
          number: present.number, name: present.name, isOptional: former.isOptional,
          steps: chain[place...].map(\.conversion).map { conversion in
            { (try conversion.convert($0), conversion.makesBlobs ? $0.blobContent : nil) }
          })
      }
    }
    return formers
  }
}

extension AttributeConversion {
  /// Whether this conversion made one attribute of another.
  fileprivate func leads(
    from former: StoredProperty, to next: StoredProperty, of entity: StoredEntity, _ model: Entity
  ) -> Bool {
    guard case .attribute(old, _) = former.role, case .attribute(new.attribute?.kind, _) = next.role else {
      return false
    }
    let isOfEntity =
      self.entity == entity.name || entity.formerNames.contains(self.entity) || model.isEverNamed(self.entity)
    return isOfEntity && (former.formerNames + next.formerNames + [next.name]).contains(property)
  }
}

extension EntityMap {
  /// Some of an entity's attributes in this order, even if they are retired.
  fileprivate convenience init?(
    forms: [StoredProperty], of entity: StoredEntity, withoutValue noValue: PropertyValue
  ) {
    var stored: [StoredProperty] = []
    var properties: [Property] = []
    for (place, form) in forms.enumerated() {
      guard case .attribute(let kind, let isOptional) = form.role else { return nil }
      stored.append(
        StoredProperty(number: form.number, name: "\(place)", role: form.role, defaultValue: noValue))
      properties.append(.storedAttribute("\(place)", kind, isOptional: isOptional, default: .null))
    }
    stored.heapSort { $0.number < $1.number }
    self.init(
      Entity(linksNamed: entity.lastName, properties: properties),
      StoredEntity(number: entity.number, name: entity.lastName, properties: stored))
  }
}
