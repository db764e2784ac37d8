import RepriseLog
import RepriseObjectModel

/// Collects the entries of a frame. Each frame has its own list of names, so that it can be read without any other.
struct JournalFrame: Sendable {
  private var list = NameList()
  private var names = ByteWriter()
  private var entries = ByteWriter()
  private var scratch = ByteWriter()
  private let limit: Int

  /// - Parameter limit: The greatest size of an entry in bytes.
  init(limit: Int = .max) { self.limit = limit }

  var isEmpty: Bool { entries.count == 0 }
  var isFull: Bool { entries.count >= limit }

  /// The bytes after the frame's header.
  func payload(time: UInt64) -> [UInt8] {
    var writer = ByteWriter(reserving: names.count + entries.count + 18)
    writer.fixed(time)
    writer.varint(list.count)
    writer.append(names.bytes)
    writer.append(entries.bytes)
    return writer.bytes
  }

  mutating func append(_ entry: JournalEntry, _ map: SchemaMap, _ track: inout TextTrack) throws(JournalError) {
    switch entry {
    case .draftBegan(let header, let generation):
      begin(.began, header.id)
      scratch.draftHeader(header, generation: generation)
    case .draftEdited(let draft, let generation, let startsGroup, let groupName, let reversal, let edit):
      begin(.edited, draft)
      scratch.varint(generation)
      scratch.groupHead(startsGroup: startsGroup, name: groupName, reversal: reversal)
      // Undone changes stay for redo, in an order that the track does not know.
      if reversal?.origin == .undo { track.forget() }
      track.begin(generation, startsGroup: startsGroup)
      let start = scratch.count
      guard scratch.step(edit, map, &track) else {
        throw .notInSchema(draft: draft, entity: edit.object.entity)
      }
      if scratch.count > limit {
        // An empty edit takes its place, so that undo still finds the right group.
        scratch.bytes.removeSubrange(start...)
        _ = scratch.step(DraftEdit(object: edit.object, change: .updated([])), map, &track)
        track.forget()
        finish()
        throw .tooLong(name: draft, limit: limit)
      }
    case .draftUndone(let draft):
      begin(.undone, draft)
      track.undo()
    case .draftRedone(let draft):
      begin(.redone, draft)
      track.redoLast()
    case .draftEmptied(let draft, let generation):
      begin(.emptied, draft)
      scratch.varint(generation)
      track.forget()
    case .draftEnded(let draft):
      begin(.ended, draft)
      track.forget()
    case .draftRebased(let draft, let base, let hash):
      begin(.rebased, draft)
      scratch.draftBase(base, hash)
    case .nodePut(let scene, let key, let bytes):
      guard bytes.count <= limit else { throw .tooLong(name: key, limit: limit) }
      begin(.nodePut, scene)
      scratch.string(key)
      scratch.sized(bytes)
    case .nodeRemoved(let scene, let key):
      begin(.nodeRemoved, scene)
      scratch.string(key)
    case .sceneCleared(let scene):
      begin(.sceneCleared, scene)
    }
    finish()
  }

  private mutating func begin(_ kind: JournalEntryKind, _ name: String) {
    scratch.bytes.removeAll(keepingCapacity: true)
    scratch.append(kind.rawValue)
    let known = list.count
    let place = list.add(name)
    scratch.varint(place)
    if place == known { names.string(name) }
  }

  private mutating func finish() { entries.sized(scratch.bytes) }
}

extension JournalEntry {
  /// The draft that the entry is about. `nil` if it is about a scene.
  var draft: String? {
    switch self {
    case .draftBegan(let header, _): header.id
    case .draftEdited(let draft, _, _, _, _, _), .draftUndone(let draft), .draftRedone(let draft),
      .draftEmptied(let draft, _), .draftEnded(let draft), .draftRebased(let draft, _, _):
      draft
    case .nodePut, .nodeRemoved, .sceneCleared: nil
    }
  }
}
