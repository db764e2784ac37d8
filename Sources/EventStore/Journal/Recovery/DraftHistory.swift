import RepriseObjectModel

/// Undo and redo of a draft, with whole values before and after each edit.
package struct DraftHistory: Sendable {
  /// Oldest first.
  package private(set) var groups: [DraftGroup] = []
  /// The last is the next to be redone.
  package private(set) var redo: [DraftGroup] = []
  package private(set) var problems: [JournalProblem] = []

  /// Undo groups are decoded backwards from the draft's current state.
  init(_ state: DraftReplay, _ map: SchemaMap) {
    do throws(MalformedBytes) {
      var past = Decoder(state, map, isForward: false)
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
      var future = Decoder(state, map, isForward: true)
      var staged = state.layers.flatMap(\.groups)
      for place in state.redoPlaces {
        let group = state.layers[place.layer].redo[place.group]
        if group.isMark, let last = staged.popLast() { try future.walk.walkBack(last) }
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

  private struct Decoder {
    var walk: DraftWalk
    private let map: SchemaMap
    /// The texts decoded last: an edit begins with the one that its neighbour ended with.
    private var texts: [TextTrack.Key: (bytes: DraftValue, value: PropertyValue)] = [:]

    init(_ state: DraftReplay, _ map: SchemaMap, isForward: Bool) {
      walk = DraftWalk(state, isForward: isForward)
      self.map = map
    }

    mutating func edit(_ bytes: ArraySlice<UInt8>) throws(MalformedBytes) -> DraftEdit {
      let step = try EncodedEdit(bytes)
      let entity = try map.entity(step.object)
      let object = AnyObjectID(entity.entity.interned, step.object.uuid)
      var values: [(UInt32, DraftValue)] = []
      var changes: [PropertyChange] = []
      for field in step.fields {
        let slot = try entity.known(field.number)
        let (old, new) = try walk.values(field, of: step.object)
        if case .value = field.form {
          values.append((field.number, new))
        } else {
          changes.append(try change(of: slot, from: old, to: new, step, field))
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

    private mutating func change(
      of slot: Int, from old: DraftValue, to new: DraftValue, _ step: EncodedEdit, _ field: EncodedEdit.Field
    ) throws(MalformedBytes) -> PropertyChange {
      let key = TextTrack.Key(object: step.object.uuid, property: field.number)
      let near = try value(walk.isForward ? old : new, key)
      let far = try value(walk.isForward ? new : old, key)
      return PropertyChange(slot: slot, old: walk.isForward ? near : far, new: walk.isForward ? far : near)
    }

    private mutating func value(_ bytes: DraftValue, _ key: TextTrack.Key) throws(MalformedBytes) -> PropertyValue {
      guard bytes.isSpliceable else { return try bytes.propertyValue(map) }
      if let known = texts[key], known.bytes.isIdentical(to: bytes) { return known.value }
      let value = try bytes.propertyValue(map)
      texts[key] = (bytes, value)
      return value
    }
  }
}
