import RepriseLog
import RepriseObjectModel

/// Applies the conversions of a migration to a draft from before the migration. The draft is then based on the migrated
/// objects.
///
/// All of the draft is converted at once, before anything is typed in it with the new models.
package struct DraftConversion: Sendable {
  private let map: SchemaMap
  private let lookUp: @Sendable (EntityMap) -> [UInt32: FormerAttribute]
  private var formers: [UInt32: [UInt32: FormerAttribute]] = [:]
  /// The blobs that the edits refer to, where an attribute became one of blobs.
  private(set) var blobs: [(blob: Blob, bytes: [UInt8])] = []

  /// - Parameter formers: Returns the former attributes of an entity, by their former numbers.
  package init(_ map: SchemaMap, _ formers: @escaping @Sendable (EntityMap) -> [UInt32: FormerAttribute]) {
    self.map = map
    lookUp = formers
  }

  /// The draft after the migrations. `nil` if it touches nothing that they converted. Undo ends before an edit with a
  /// value that cannot be converted. Throws if that is a value of the draft as it stands.
  mutating func converted(_ state: DraftReplay) throws(MalformedBytes) -> DraftReplay? {
    var result = state
    var isConverted = false
    for layer in state.layers.indices {
      try result.mapNet(layer) { (change, body) throws(MalformedBytes) in
        guard let found = try self.body(change, try change.wholeFields(map)) else { return body }
        isConverted = true
        return found
      }
    }
    guard isConverted else { return nil }
    for layer in state.layers.indices { (result.layers[layer].groups, result.layers[layer].redo) = ([], []) }
    state.bytes.lend { lent in
      // Both walks reach the last group of a layer first.
      let undo = state.forEachGroup(map, lent) { (place, group, steps) throws(MalformedBytes) in
        let found = try converted(group, steps, &result)
        result.layers[place.layer].groups.insert(found, at: 0)
      }
      let redo = state.forEachUndone(map, lent) { (place, group, steps) throws(MalformedBytes) in
        let found = try converted(group, steps, &result)
        result.layers[place.layer].redo.insert(found, at: 0)
      }
      result.problems += undo + redo
    }
    return result
  }

  private mutating func converted(
    _ group: DraftReplay.Group, _ steps: [WholeSteps.Step], _ result: inout DraftReplay
  ) throws(MalformedBytes) -> DraftReplay.Group {
    var converted = group.emptied
    for (place, step) in zip(group.steps, steps) {
      guard let body = try body(step.change, step.fields) else {
        converted.append(place)
        continue
      }
      // Its splices rest on nothing: it has whole values.
      converted.append(([0] + body).withUnsafeBytes { result.bytes.copy($0) })
    }
    return converted
  }

  /// The body of a change with converted values. `nil` if no value needs a conversion.
  private mutating func body(
    _ change: Change, _ fields: [(number: UInt32, old: PropertyValue?, new: PropertyValue?)]
  ) throws(MalformedBytes) -> [UInt8]? {
    var (found, isConverted) = (fields, false)
    for (place, field) in fields.enumerated() {
      guard let former = former(change.object.entity, field.number) else { continue }
      isConverted = true
      found[place] = (
        former.number, try field.old.map { (it) throws(MalformedBytes) in try converted(it, former) },
        try field.new.map { (it) throws(MalformedBytes) in try converted(it, former) }
      )
    }
    if !isConverted { return nil }
    var body = ByteWriter()
    body.change(change.kind, change.object)
    for (number, old, new) in found.sorted(by: { $0.number < $1.number }) {
      let (old, new) = (encoded(old), encoded(new))
      old.withUnsafeBytes { old in
        new.withUnsafeBytes { new in body.field(number, .set(old: old, new: new), of: change.kind) }
      }
    }
    return body.bytes
  }

  private func encoded(_ value: PropertyValue?) -> [UInt8] {
    var writer = ByteWriter()
    if let value { writer.value(value, map) }
    return writer.bytes
  }

  private mutating func former(_ entity: UInt32, _ number: UInt32) -> FormerAttribute? {
    if let known = formers[entity] { return known[number] }
    let found = map.map(number: entity).map(lookUp) ?? [:]
    formers[entity] = found
    return found[number]
  }

  private mutating func converted(
    _ value: PropertyValue, _ former: FormerAttribute
  ) throws(MalformedBytes) -> PropertyValue {
    // Where deletion and insertion came to an update.
    if value.isNull, !former.isOptional { return value }
    var value = value
    for step in former.steps {
      let earlier = value
      do {
        value = try step.convert(earlier)
      } catch {
        throw MalformedBytes("a value of \(former.name) that the migration can convert (\(error))", at: 0)
      }
      if case .blob(let blob) = value, let bytes = step.blobContent(earlier) { blobs.append((blob, bytes)) }
    }
    return value
  }
}

extension Change {
  /// The values of a change that has no splices. `nil` where there is no field.
  fileprivate func wholeFields(
    _ map: SchemaMap
  ) throws(MalformedBytes) -> [(number: UInt32, old: PropertyValue?, new: PropertyValue?)] {
    var found: [(number: UInt32, old: PropertyValue?, new: PropertyValue?)] = []
    func decoded(_ value: UnsafeRawBufferPointer) throws(MalformedBytes) -> PropertyValue? {
      if value.isEmpty { return nil }
      var reader = ByteReader(value)
      return try reader.value(map)
    }
    var fields = fields
    while let (number, field) = try fields.next() {
      guard case .set(let old, let new) = field else { throw MalformedBytes("whole values", at: 0) }
      found.append((number, try decoded(old), try decoded(new)))
    }
    return found
  }
}

/// An attribute as it was before migrations converted it.
package struct FormerAttribute: Sendable {
  /// The conversion from one form to the next.
  package struct Step: Sendable {
    package let convert: @Sendable (PropertyValue) throws -> PropertyValue
    /// The bytes of the blob that a value becomes. `nil` if it becomes none.
    let blobContent: @Sendable (PropertyValue) -> [UInt8]?

    package init(
      convert: @escaping @Sendable (PropertyValue) throws -> PropertyValue,
      blobContent: @escaping @Sendable (PropertyValue) -> [UInt8]?
    ) {
      self.convert = convert
      self.blobContent = blobContent
    }
  }

  /// Of the attribute that it became.
  package let number: UInt32
  package let name: String
  package let isOptional: Bool
  package let steps: [Step]

  package init(number: UInt32, name: String, isOptional: Bool, steps: [Step]) {
    self.number = number
    self.name = name
    self.isOptional = isOptional
    self.steps = steps
  }
}
