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
  /// The properties, by their former numbers, whose values in the draft as it stands cannot be converted, with the
  /// reasons. They keep these numbers, so that no value is lost.
  private(set) var refused: [TextTrack.Key: String] = [:]
  /// The properties that a later change of the draft has decided about.
  private var decided: Set<TextTrack.Key> = []

  /// - Parameter formers: Returns the former attributes of an entity, by their former numbers.
  package init(_ map: SchemaMap, _ formers: @escaping @Sendable (EntityMap) -> [UInt32: FormerAttribute]) {
    self.map = map
    lookUp = formers
  }

  /// The draft after the migrations. `nil` if it touches nothing that they converted. If a present value of the draft
  /// cannot be converted, it stays as it is, and ``refused`` has the reason. Undo ends before an edit with another such
  /// value.
  mutating func converted(_ state: DraftReplay) throws(MalformedBytes) -> DraftReplay? {
    (refused, decided) = ([:], [])
    return try state.bytes.lend { (lent) throws(MalformedBytes) in
      var result = state
      var isConverted = false
      // The highest layer has the values as they stand.
      for layer in state.layers.indices.reversed() {
        try result.mapNet(layer) { (change, body) throws(MalformedBytes) in
          var steps = WholeSteps(state, map, lent)
          let step = try steps.read(DraftStep(bases: .none, change: change), isForward: true)
          decide(step)
          guard let found = try converted(step, isNet: true) else { return body }
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

  /// Notes the values of a net change that cannot be converted. A later change may have decided about a value already.
  private mutating func decide(_ step: WholeSteps.Step) {
    let object = step.change.object
    for field in step.fields {
      let key = TextTrack.Key(object: object.uuid, property: field.number)
      guard decided.insert(key).inserted, step.change.kind != .deleted,
        let former = former(object.entity, field.number)
      else { continue }
      let later = TextTrack.Key(object: object.uuid, property: former.number)
      if decided.contains(later) || step.fields.contains(where: { $0.number == former.number }) {
        // It is not listed, because nothing is lost.
        refused[key] = ""
        continue
      }
      // A copy, because the blob of the value counts once.
      var trial = self
      do { _ = try trial.passed(field.new, through: former) } catch { refused[key] = "\(error)" }
    }
  }

  /// The body of a change with converted values. `nil` if no value needs a conversion.
  ///
  /// - Parameter isNet: Whether it is a net change. Then an earlier value that cannot be converted becomes the default.
  private mutating func converted(
    _ step: WholeSteps.Step, isNet: Bool = false
  ) throws(MalformedBytes) -> [UInt8]? {
    var (fields, isConverted) = (step.fields, false)
    let object = step.change.object
    for (place, field) in fields.enumerated() {
      guard let former = former(object.entity, field.number),
        refused[TextTrack.Key(object: object.uuid, property: field.number)] == nil
      else { continue }
      isConverted = true
      if isNet {
        let entity = object.entity
        fields[place] = (former.number, orDefault(field.old, former, entity), orDefault(field.new, former, entity))
      } else {
        fields[place] = (former.number, try converted(field.old, former), try converted(field.new, former))
      }
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

  private mutating func orDefault(
    _ value: PropertyValue?, _ former: FormerAttribute, _ entity: UInt32
  ) -> PropertyValue? {
    do throws(MalformedBytes) { return try converted(value, former) } catch {
      let entity = map.map(number: entity)
      return entity?.slot(former.number).flatMap { entity?.defaults[$0] }
    }
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
    do { return try passed(value, through: former) } catch {
      throw MalformedBytes("a value of \(former.name) that the migration can convert (\(error))", at: 0)
    }
  }

  /// Throws the error of a conversion.
  private mutating func passed(_ value: PropertyValue?, through former: FormerAttribute) throws -> PropertyValue? {
    // If a deletion and an insertion were merged into an update, a value is null.
    guard var value, !value.isNull || former.isOptional else { return value }
    for step in former.steps {
      let content: [UInt8]?
      (value, content) = try step(value)
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
