import RepriseObjectModel

/// Undo and redo of a draft, with whole values before and after each edit.
package struct DraftHistory: Sendable {
  /// Oldest first.
  package private(set) var groups: [DraftGroup] = []
  /// The last is the next to be redone.
  package private(set) var redo: [DraftGroup] = []
  package private(set) var problems: [JournalProblem] = []

  /// Undo groups are decoded backwards from the draft's current state, because a splice does not hold the whole text.
  init(_ state: DraftReplay, _ map: SchemaMap) {
    do throws(MalformedBytes) {
      var past = Walk(state, map, isForward: false)
      for layer in state.layers.reversed() {
        for group in layer.groups.reversed() {
          var edits: [DraftEdit] = []
          for bytes in group.steps.reversed() { edits.append(try past.edit(bytes)) }
          groups.append(DraftGroup(name: group.name, edits: edits.reversed(), reversal: group.reversal))
        }
      }
    } catch {
      problems.append(.undoCutShort(draft: state.header.id, reason: error.description))
    }
    groups.reverse()
    do throws(MalformedBytes) {
      var future = Walk(state, map, isForward: true)
      var staged = state.layers.flatMap(\.groups)
      for group in state.redoInOrder {
        if group.isMark, let last = staged.popLast() { try future.walkBack(last) }
        var edits: [DraftEdit] = []
        for bytes in group.steps { edits.append(try future.edit(bytes)) }
        redo.append(DraftGroup(name: group.name, edits: edits, reversal: group.reversal))
        if !group.isMark { staged.append(group) }
      }
    } catch {
      problems.append(.undoCutShort(draft: state.header.id, reason: error.description))
    }
    redo.reverse()
  }

  /// Tracks the texts of a draft step by step, backwards through undo or forwards through redo.
  private struct Walk {
    let state: DraftReplay
    let map: SchemaMap
    private var isForward: Bool
    private var texts: [TextTrack.Key: (bytes: DraftValue, value: PropertyValue)] = [:]

    init(_ state: DraftReplay, _ map: SchemaMap, isForward: Bool) {
      self.state = state
      self.map = map
      self.isForward = isForward
    }

    /// On the way forward: takes back a group that goes when its mark is redone.
    mutating func walkBack(_ group: DraftReplay.Group) throws(MalformedBytes) {
      isForward = false
      defer { isForward = true }
      for bytes in group.steps.reversed() { _ = try edit(bytes) }
    }

    mutating func edit(_ bytes: ArraySlice<UInt8>) throws(MalformedBytes) -> DraftEdit {
      let step = try EncodedEdit(bytes)
      let entity = try map.entity(step.object)
      let object = AnyObjectID(entity.entity.interned, step.object.uuid)
      var values: [(UInt32, DraftValue)] = []
      var changes: [PropertyChange] = []
      for field in step.fields {
        let slot = try entity.known(field.number)
        if case .value(let value) = field.form {
          values.append((field.number, value))
          if value.isLong { remember(value, try value.propertyValue(map), key(step, field)) }
        } else {
          let (old, new) = try change(field, step)
          changes.append(PropertyChange(slot: slot, old: old, new: new))
        }
      }
      switch step.kind {
      case .inserted: return DraftEdit(object: object, change: .inserted(try entity.values(values, map)))
      case .deleted: return DraftEdit(object: object, change: .deleted(try entity.values(values, map)))
      case .updated:
        changes.sort { $0.slot < $1.slot }
        return DraftEdit(object: object, change: .updated(changes))
      }
    }

    private func key(_ step: EncodedEdit, _ field: EncodedEdit.Field) -> TextTrack.Key {
      TextTrack.Key(object: step.object.uuid, property: field.number)
    }

    private mutating func change(
      _ field: EncodedEdit.Field, _ step: EncodedEdit
    ) throws(MalformedBytes) -> (old: PropertyValue, new: PropertyValue) {
      switch field.form {
      case .value(let value): return try whole(value, value, key(step, field))
      case .set(let old, let new): return try whole(old, new, key(step, field))
      case .splicedFrom(let old, let splice):
        var new = old
        splice.apply(to: &new.content)
        return try whole(old, new, key(step, field))
      case .spliced(let splice, _, _):
        let place = key(step, field)
        let known = try text(step, field)
        let move = isForward ? splice : splice.inverse
        guard move.fits(known.bytes.content) else { throw MalformedBytes("a text that an edit fits", at: 0) }
        var bytes = known.bytes
        move.apply(to: &bytes.content)
        let value = try bytes.propertyValue(map)
        remember(bytes, value, place)
        return isForward ? (known.value, value) : (value, known.value)
      }
    }

    private mutating func whole(
      _ old: DraftValue, _ new: DraftValue, _ key: TextTrack.Key
    ) throws(MalformedBytes) -> (old: PropertyValue, new: PropertyValue) {
      let values = (old: try old.propertyValue(map), new: try new.propertyValue(map))
      if isForward { remember(new, values.new, key) } else { remember(old, values.old, key) }
      return values
    }

    /// Keeps a text that a splice may refer to. Short values are never spliced.
    private mutating func remember(_ bytes: DraftValue, _ value: PropertyValue, _ key: TextTrack.Key) {
      if bytes.isLong && bytes.content.count >= TextTrack.threshold {
        texts[key] = (bytes, value)
      } else if !texts.isEmpty {
        texts[key] = nil
      }
    }

    private func text(
      _ step: EncodedEdit, _ field: EncodedEdit.Field
    ) throws(MalformedBytes) -> (bytes: DraftValue, value: PropertyValue) {
      if let known = texts[key(step, field)] { return known }
      guard let value = state.value(step.object, field.number), value.isLong else {
        throw MalformedBytes("a text that an edit rests on", at: 0)
      }
      return (value, try value.propertyValue(map))
    }
  }
}
