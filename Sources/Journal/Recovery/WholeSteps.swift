import RepriseLog
import RepriseObjectModel

/// Reads steps of a draft with whole values. It goes from the draft's state backwards through undo groups, or forwards
/// through redo groups. A splice does not contain the whole text, but the walk has the text from the neighbouring step.
struct WholeSteps {
  /// A change with the whole values of its properties. `nil` where there is no field.
  typealias Step = (change: Change, fields: [(number: UInt32, old: PropertyValue?, new: PropertyValue?)])

  private let state: DraftReplay
  private let map: SchemaMap
  private let lent: LentBytes
  /// The latest long values on the walk.
  private var texts: [TextTrack.Key: PropertyValue] = [:]

  init(_ state: DraftReplay, _ map: SchemaMap, _ lent: LentBytes) {
    self.state = state
    self.map = map
    self.lent = lent
  }

  /// The steps of a group, in their order.
  fileprivate mutating func read(
    _ group: DraftReplay.Group, isForward: Bool
  ) throws(MalformedBytes) -> [Step] {
    var steps: [Step] = []
    for place in isForward ? group.steps : group.steps.reversed() {
      steps.append(try read(try DraftStep(lent[place]), isForward: isForward))
    }
    return isForward ? steps : steps.reversed()
  }

  mutating func read(_ step: DraftStep, isForward: Bool) throws(MalformedBytes) -> Step {
    var found: Step = (step.change, [])
    var bases = step.bases
    var fields = (isForward ? step.change : step.change.inverse).fields
    while let (number, field) = try fields.next() {
      let key = TextTrack.Key(object: step.change.object.uuid, property: number)
      let (near, far) = try values(field, try bases.base(of: field), key, step.change.object, isForward)
      remember(far ?? near, key)
      found.fields.append(isForward ? (number, near, far) : (number, far, near))
    }
    return found
  }

  /// The values of a property at the near end of a step and at the far one.
  private func values(
    _ field: Change.Field, _ base: DraftStep.Base?, _ key: TextTrack.Key, _ object: ObjectAddress, _ isForward: Bool
  ) throws(MalformedBytes) -> (near: PropertyValue?, far: PropertyValue?) {
    switch field {
    case .redacted: throw MalformedBytes("a value that was not erased", at: 0)
    case .set(let near, let far): return (try decoded(near, texts[key]), try decoded(far, nil))
    case .splice(let splice):
      if case .whole(let value)? = base {
        let first = try decoded(value, nil)
        let second = first.flatMap { (isForward ? splice : splice.inverse).applied(to: $0) }
        guard second != nil else { throw MalformedBytes("an edit that fits its text", at: 0) }
        return isForward ? (first, second) : (second, first)
      }
      guard let near = texts[key] ?? state.text(object, key.property, below: state.layers.count, lent)?.value else {
        throw MalformedBytes("the text that an edit changes", at: 0)
      }
      guard let far = splice.applied(to: near) else { throw MalformedBytes("a text that the edit fits", at: 0) }
      return (near, far)
    }
  }

  /// - Parameter known: A value that it may be: then both share their memory.
  private func decoded(
    _ value: UnsafeRawBufferPointer, _ known: PropertyValue?
  ) throws(MalformedBytes) -> PropertyValue? {
    if value.isEmpty { return nil }
    if let known, let content = value.longContent, known.isSame(as: content) { return known }
    var reader = ByteReader(value)
    return try reader.value(map)
  }

  /// Keeps a text that a splice may refer to. Short values are never spliced.
  private mutating func remember(_ value: PropertyValue?, _ key: TextTrack.Key) {
    if let value, value.isLong {
      texts[key] = value
    } else if !texts.isEmpty {
      texts[key] = nil
    }
  }
}

extension DraftStep.Bases {
  fileprivate mutating func base(of field: Change.Field) throws(MalformedBytes) -> DraftStep.Base? {
    if case .splice = field { try next() } else { nil }
  }
}

extension PropertyValue {
  /// Whether a splice may refer to it.
  fileprivate var isLong: Bool {
    switch self {
    case .string(let text): text.utf8.count >= TextTrack.threshold
    case .bytes(let bytes): bytes.count >= TextTrack.threshold
    default: false
    }
  }
}

extension DraftReplay {
  typealias GroupPlace = (layer: Int, group: Int)

  /// Calls `body` with each group that can be undone, the next one first, and with its steps.
  ///
  /// - Returns: Why it did not reach the end.
  func forEachGroup(
    _ map: SchemaMap, _ lent: LentBytes, _ body: (GroupPlace, Group, [WholeSteps.Step]) throws(MalformedBytes) -> Void
  ) -> [JournalProblem] {
    var walk = WholeSteps(self, map, lent)
    do throws(MalformedBytes) {
      for layer in layers.indices.reversed() {
        for place in layers[layer].groups.indices.reversed() {
          let group = layers[layer].groups[place]
          try body((layer, place), group, try walk.read(group, isForward: false))
        }
      }
      return []
    } catch {
      let reason = "the library looked for \(error.expected) in a step, and found something else"
      return [.undoCutShort(draft: header.id, reason: reason)]
    }
  }

  /// Calls `body` with each group that can be redone, the next one first, and with its steps.
  ///
  /// - Returns: Why it did not reach the end.
  func forEachUndone(
    _ map: SchemaMap, _ lent: LentBytes, _ body: (GroupPlace, Group, [WholeSteps.Step]) throws(MalformedBytes) -> Void
  ) -> [JournalProblem] {
    var walk = WholeSteps(self, map, lent)
    var staged = layers.flatMap(\.groups)
    do throws(MalformedBytes) {
      for place in redoPlaces {
        let group = layers[place.layer].redo[place.group]
        // A mark reverts the last staged group.
        if group.isMark, let last = staged.popLast() { _ = try walk.read(last, isForward: false) }
        try body(place, group, try walk.read(group, isForward: true))
        if !group.isMark { staged.append(group) }
      }
      return []
    } catch {
      let reason = "the library looked for \(error.expected) in a step, and found something else"
      return [.undoCutShort(draft: header.id, reason: reason)]
    }
  }
}
