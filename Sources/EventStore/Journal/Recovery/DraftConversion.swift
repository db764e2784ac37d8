import RepriseObjectModel

/// Leads a draft that was typed before a migration through the conversions of what it touches, so that it rests on the
/// objects as the migration left them.
///
/// All of the draft is converted at once, before anything is typed in it with the new models.
struct DraftConversion: Sendable {
  private let map: SchemaMap
  private let lookUp: @Sendable (EntityMap) -> [UInt32: FormerAttribute]
  private var formers: [UInt32: [UInt32: FormerAttribute]] = [:]
  /// What the edits refer to where an attribute became one of blobs.
  private(set) var blobs: [(blob: Blob, bytes: [UInt8])] = []

  /// - Parameter formers: What an entity's attributes were, by the numbers that they had then.
  init(_ map: SchemaMap, _ formers: @escaping @Sendable (EntityMap) -> [UInt32: FormerAttribute]) {
    self.map = map
    lookUp = formers
  }

  /// The draft after the migrations; `nil` if it touches nothing that they converted. Undo ends before an edit with a
  /// value that cannot be converted; throws if that is a value of the draft as it stands.
  mutating func converted(_ state: DraftReplay) throws(MalformedBytes) -> DraftReplay? {
    var result = state
    var isConverted = false
    for layer in state.layers.indices {
      if let net = try converted(state.layers[layer].net) {
        result.layers[layer].net = net
        isConverted = true
      }
    }
    guard isConverted else { return nil }
    convertUndo(of: state, &result)
    convertRedo(of: state, &result)
    return result
  }

  private mutating func converted(_ net: NetChanges) throws(MalformedBytes) -> NetChanges? {
    var result = NetChanges()
    var isConverted = false
    for change in net.changes {
      var change = change
      for (place, field) in change.fields.enumerated() {
        guard let former = former(change.object.entity, field.number) else { continue }
        isConverted = true
        var (old, new) = (field.old, field.new)
        // What stands for no value stays.
        if change.kind != .inserted { old = try converted(old, former) }
        if change.kind != .deleted { new = try converted(new, former) }
        change.fields[place] = NetChanges.Field(number: former.number, old: old, new: new)
      }
      result.put(change)
    }
    return isConverted ? result : nil
  }

  private mutating func convertUndo(of state: DraftReplay, _ result: inout DraftReplay) {
    var walk = DraftWalk(state, isForward: false)
    for layer in state.layers.indices.reversed() {
      for group in state.layers[layer].groups.indices.reversed() {
        do throws(MalformedBytes) {
          result.layers[layer].groups[group] = try converted(state.layers[layer].groups[group], &walk)
        } catch {
          result.problems.append(.undoCutShort(draft: state.header.id, reason: "expected \(error.expected)"))
          result.layers[layer].groups.removeSubrange(...group)
          for below in result.layers[..<layer].indices { result.layers[below].groups = [] }
          return
        }
      }
    }
  }

  private mutating func convertRedo(of state: DraftReplay, _ result: inout DraftReplay) {
    var walk = DraftWalk(state, isForward: true)
    var staged = state.layers.flatMap(\.groups)
    for layer in state.layers.indices { result.layers[layer].redo = [] }
    do throws(MalformedBytes) {
      for place in state.redoPlaces {
        let group = state.layers[place.layer].redo[place.group]
        if group.isMark {
          if let last = staged.popLast() { try walk.walkBack(last) }
        } else {
          staged.append(group)
        }
        // The next one is the last.
        result.layers[place.layer].redo.insert(try converted(group, &walk), at: 0)
      }
    } catch {
      result.problems.append(.undoCutShort(draft: state.header.id, reason: "expected \(error.expected)"))
    }
  }

  private mutating func converted(
    _ group: DraftReplay.Group, _ walk: inout DraftWalk
  ) throws(MalformedBytes) -> DraftReplay.Group {
    var steps: [ArraySlice<UInt8>] = []
    for bytes in walk.isForward ? group.steps : group.steps.reversed() {
      var step = try EncodedEdit(bytes)
      var isConverted = false
      for (place, field) in step.fields.enumerated() {
        guard let former = former(step.object.entity, field.number) else { continue }
        isConverted = true
        let (old, new) = try walk.values(field, of: step.object)
        if case .value = field.form {
          step.fields[place].form = .value(try converted(new, former))
        } else {
          step.fields[place].form = .set(old: try converted(old, former), new: try converted(new, former))
        }
        step.fields[place].number = former.number
      }
      steps.append(isConverted ? step.bytes[...] : bytes)
    }
    var result = DraftReplay.Group(name: group.name, reversal: group.reversal)
    for step in walk.isForward ? steps : steps.reversed() { result.append(step) }
    return result
  }

  private mutating func former(_ entity: UInt32, _ number: UInt32) -> FormerAttribute? {
    if let known = formers[entity] { return known[number] }
    let found = map.map(number: entity).map(lookUp) ?? [:]
    formers[entity] = found
    return found[number]
  }

  private mutating func converted(
    _ value: DraftValue, _ former: FormerAttribute
  ) throws(MalformedBytes) -> DraftValue {
    var property = try value.propertyValue(map)
    // Where deletion and insertion came to an update.
    if property.isNull, !former.isOptional { return value }
    for step in former.steps {
      let earlier = property
      do {
        property = try step.convert(earlier)
      } catch {
        throw MalformedBytes("a value of \(former.name) that the migration can convert (\(error))", at: 0)
      }
      if case .blob(let blob) = property, let bytes = step.blobContent(earlier) { blobs.append((blob, bytes)) }
    }
    var writer = ByteWriter()
    writer.value(property, map)
    return try SliceReader.reading(writer.bytes[...]) { (reader) throws(MalformedBytes) in try reader.value() }
  }
}

/// An attribute as it was before migrations converted it.
struct FormerAttribute: Sendable {
  /// What leads from one form to the next.
  struct Step: Sendable {
    let convert: @Sendable (PropertyValue) throws -> PropertyValue
    /// The bytes of the blob that a value becomes; `nil` if it becomes none.
    let blobContent: @Sendable (PropertyValue) -> [UInt8]?
  }

  /// Of the attribute that it became.
  let number: UInt32
  let name: String
  let isOptional: Bool
  let steps: [Step]
}
