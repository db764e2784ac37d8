import RepriseObjectModel

/// Follows the texts of a draft from edit to edit, backwards through its undo groups or forwards through what was
/// undone: a splice does not hold the whole text.
struct DraftWalk: Sendable {
  private let state: DraftReplay
  private(set) var isForward: Bool
  private var texts: [TextTrack.Key: DraftValue] = [:]

  /// Begins at the draft's state.
  init(_ state: DraftReplay, isForward: Bool) {
    self.state = state
    self.isForward = isForward
  }

  /// A property before and after the next edit; of an inserted or deleted object the same value twice.
  mutating func values(
    _ field: EncodedEdit.Field, of object: ObjectAddress
  ) throws(MalformedBytes) -> (old: DraftValue, new: DraftValue) {
    let key = TextTrack.Key(object: object.uuid, property: field.number)
    switch field.form {
    case .value(let value):
      if value.isLong { remember(value, key) }
      return (value, value)
    case .set(let old, let new):
      remember(isForward ? new : old, key)
      return (old, new)
    case .splicedFrom(let old, let splice):
      var new = old
      splice.apply(to: &new.content)
      remember(isForward ? new : old, key)
      return (old, new)
    case .spliced(let splice, _, _):
      let known = try text(object, field.number, key)
      let move = isForward ? splice : splice.inverse
      guard move.fits(known.content) else { throw MalformedBytes("a text that an edit fits", at: 0) }
      var next = known
      move.apply(to: &next.content)
      remember(next, key)
      return isForward ? (known, next) : (next, known)
    }
  }

  /// On the way forward: takes back a group that goes when its mark is redone.
  mutating func walkBack(_ group: DraftReplay.Group) throws(MalformedBytes) {
    isForward = false
    defer { isForward = true }
    for bytes in group.steps.reversed() {
      let step = try EncodedEdit(bytes)
      for field in step.fields { _ = try values(field, of: step.object) }
    }
  }

  /// Keeps a text that a splice may refer to. Short values are never spliced.
  private mutating func remember(_ value: DraftValue, _ key: TextTrack.Key) {
    if value.isSpliceable {
      texts[key] = value
    } else if !texts.isEmpty {
      texts[key] = nil
    }
  }

  private func text(
    _ object: ObjectAddress, _ number: UInt32, _ key: TextTrack.Key
  ) throws(MalformedBytes) -> DraftValue {
    if let known = texts[key] { return known }
    guard let value = state.value(object, number), value.isLong else {
      throw MalformedBytes("a text that an edit rests on", at: 0)
    }
    return value
  }
}

extension DraftValue {
  /// Whether a splice may refer to it.
  var isSpliceable: Bool { isLong && content.count >= TextTrack.threshold }
}
