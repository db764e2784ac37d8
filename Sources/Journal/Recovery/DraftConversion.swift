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
  /// value that cannot be converted. Throws if a present value of the draft cannot be converted.
  mutating func converted(_ state: DraftReplay) throws(MalformedBytes) -> DraftReplay? {
    try state.bytes.lend { (lent) throws(MalformedBytes) in
      var result = state
      var isConverted = false
      for layer in state.layers.indices {
        try result.mapNet(layer) { (change, body) throws(MalformedBytes) in
          var steps = WholeSteps(state, map, lent)
          let step = try steps.read(DraftStep(bases: .none, change: change), isForward: true)
          guard let found = try converted(step) else { return body }
          isConverted = true
          return found
        }
        (result.layers[layer].groups, result.layers[layer].redo) = ([], [])
      }
      guard isConverted else { return nil }
      // Both walks begin with the last group of a layer.
      let undo = state.forEachGroup(map, lent) { (place, group, steps) throws(MalformedBytes) in
        let found = try converted(group, steps, &result)
        result.layers[place.layer].groups.insert(found, at: 0)
      }
      let redo = state.forEachUndone(map, lent) { (place, group, steps) throws(MalformedBytes) in
        let found = try converted(group, steps, &result)
        result.layers[place.layer].redo.insert(found, at: 0)
      }
      result.problems += undo + redo
      return result
    }
  }

  private mutating func converted(
    _ group: DraftReplay.Group, _ steps: [WholeSteps.Step], _ result: inout DraftReplay
  ) throws(MalformedBytes) -> DraftReplay.Group {
    var converted = group.emptied
    for (place, step) in zip(group.steps, steps) {
      // The step has whole values, so it has no splices that need a base.
      let found = try self.converted(step).map { body in ([0] + body).withUnsafeBytes { result.bytes.copy($0) } }
      converted.append(found ?? place)
    }
    return converted
  }

  /// The body of a change with converted values. `nil` if no value needs a conversion.
  private mutating func converted(_ step: WholeSteps.Step) throws(MalformedBytes) -> [UInt8]? {
    var (fields, isConverted) = (step.fields, false)
    for (place, field) in fields.enumerated() {
      guard let former = former(step.change.object.entity, field.number) else { continue }
      isConverted = true
      fields[place] = (former.number, try converted(field.old, former), try converted(field.new, former))
    }
    if !isConverted { return nil }
    var body = ByteWriter()
    body.change(step.change.kind, step.change.object)
    for (number, old, new) in fields.sorted(by: { $0.number < $1.number }) {
      encoded(old).withUnsafeBytes { old in
        encoded(new).withUnsafeBytes { new in body.field(number, .set(old: old, new: new), of: step.change.kind) }
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
    _ value: PropertyValue?, _ former: FormerAttribute
  ) throws(MalformedBytes) -> PropertyValue? {
    // If a deletion and an insertion were merged into an update, a value is null.
    guard var value, !value.isNull || former.isOptional else { return value }
    for step in former.steps {
      let content: [UInt8]?
      do {
        (value, content) = try step(value)
      } catch {
        throw MalformedBytes("a value of \(former.name) that the migration can convert (\(error))", at: 0)
      }
      if case .blob(let blob) = value, let content { blobs.append((blob, content)) }
    }
    return value
  }
}

/// An attribute as it was before migrations converted it.
package struct FormerAttribute: Sendable {
  /// The conversion from one form to the next. It also returns the bytes of the blob that the value becomes, if it
  /// becomes one.
  package typealias Step = @Sendable (PropertyValue) throws -> (value: PropertyValue, blob: [UInt8]?)

  /// Of the attribute that it became.
  let number: UInt32
  let name: String
  let isOptional: Bool
  let steps: [Step]

  package init(number: UInt32, name: String, isOptional: Bool, steps: [Step]) {
    self.number = number
    self.name = name
    self.isOptional = isOptional
    self.steps = steps
  }
}
