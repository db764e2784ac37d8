/// The changes to write at the end of the turn.
final class TurnChanges {
  private var nodes: [NodeEntry] = []
  private var objects: [ObjectEntry] = []
  private var removedKeys: Set<String> = []
  /// Whether the archive's info must be written at once.
  private(set) var isInfoChanged = false
  /// Called whenever there is something to do at the end of the turn.
  var onChange: () -> Void = {}

  var isEmpty: Bool { nodes.isEmpty && objects.isEmpty && removedKeys.isEmpty && !isInfoChanged }
  var hasNodes: Bool { !nodes.isEmpty }

  func mark(_ entry: NodeEntry) {
    guard !entry.isMarked, entry.status != .closed else { return }
    entry.isMarked = true
    nodes.append(entry)
    onChange()
  }

  func mark(_ entry: ObjectEntry) {
    guard !entry.isMarked else { return }
    entry.isMarked = true
    objects.append(entry)
    onChange()
  }

  /// Marks the record under a key for removal.
  func remove(_ key: String) {
    removedKeys.insert(key)
    onChange()
  }

  /// Cancels the removal of a node's record. The record under its key may belong to another node, which has left.
  func keep(_ entry: NodeEntry) { if entry.recordPlace == .atPath { removedKeys.remove(entry.key) } }

  func changeInfo() {
    isInfoChanged = true
    onChange()
  }

  // MARK: Taking

  /// Gives every marked node to `body`, including nodes that are marked meanwhile.
  func takeNodes(_ body: (NodeEntry) -> Void) {
    var count = 0
    while count < nodes.count {
      let entry = nodes[count]
      count += 1
      entry.isMarked = false
      body(entry)
    }
    nodes = []
  }

  func takeObject() -> ObjectEntry? {
    let entry = objects.popLast()
    entry?.isMarked = false
    return entry
  }

  func takeRemovedKeys() -> Set<String> {
    let keys = removedKeys
    removedKeys = []
    return keys
  }

  func infoWasWritten() { isInfoChanged = false }
}
