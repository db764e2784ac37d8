import RepriseLog
import RepriseObjectModel

/// Finds the rows that a scene has lost, according to its other rows. A screen whose parent is lost cannot be restored.
package struct SceneRowCheck {
  private var scene: JournalTopic?
  /// The keys of all rows, also of the rows that cannot be read.
  private var keys: Set<[UInt8]> = []
  /// The keys of the rows of all screens below another screen, each with the key of that screen's row.
  private var above: [[UInt8]: [UInt8]] = [:]
  /// By the key of its row, each screen that has children, and the first of these.
  private var parents: [[UInt8]: (path: String, child: String)] = [:]
  private var unreadable = 0
  private var screens: UInt64 = 0
  /// The body of the scene's own record.
  private var info: [UInt8]?

  package init() {}

  /// Takes the next row of the scene. Returns the defect of the row, as part of a sentence. `nil` if there is none.
  package mutating func add(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> String? {
    let row = [UInt8](key)
    keys.insert(row)
    do throws(MalformedBytes) {
      var reader = try ByteReader(sealed: value)
      let scene = try reader.string("a scene's ID")
      let node = try reader.text("a node's key")
      let record = try reader.take(reader.remaining)
      guard try ArchiveRows.key(of: value) == row else {
        return defect("it is stored under the key of another screen")
      }
      if self.scene?.name != scene { self.scene = .scene(scene) }
      guard let body = ArchiveSeal.body(of: record, for: node) else {
        return defect("the checksum of the screen's state is wrong")
      }
      note(row, node, body)
      return nil
    } catch {
      return defect(error.description)
    }
  }

  private mutating func defect(_ text: String) -> String {
    unreadable += 1
    return text
  }

  private mutating func note(_ row: [UInt8], _ node: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) {
    if ArchiveKey.isInfo(node) { info = [UInt8](body) }
    if ArchiveKey.isNode(node) { screens += 1 }
    guard let scene, let (path, parent) = SceneRecord.screen(node, body) else { return }
    let key = Self.row(of: ArchiveKey.node(parent), in: scene)
    above[row] = key
    if path < parents[key]?.child ?? path + "/" { parents[key] = (parent, path) }
  }

  private static func row(of node: String, in scene: JournalTopic) -> [UInt8] {
    Array(node.utf8).lend { scene.hash + JournalRow.hash(ArchiveRows.group(of: $0)) + JournalRow.hash($0) }
  }

  /// The scene, if any of its records can be read and it is not the archive of shared objects.
  private var own: JournalTopic? {
    guard let scene, scene.name != SceneRecord.sharedScene, keys.count > unreadable else { return nil }
    return scene
  }

  private var hasInfo: Bool { own.map { keys.contains(Self.row(of: ArchiveKey.info, in: $0)) } ?? true }

  /// The lost rows, after all rows of the scene were added.
  package var problems: [JournalProblem] {
    guard let scene = own else { return [] }
    var problems: [JournalProblem] = hasInfo ? [] : [.sceneInfoMissing(scene: scene.name)]
    let found = screens + UInt64(unreadable)
    if let count = info.flatMap({ $0.lend { SceneRecord.screenCount($0)?.count } }), count > found {
      problems.append(.screensMissing(scene: scene.name, count: Int(clamping: count - found)))
    }
    let missing = parents.filter { !keys.contains($0.key) }.values.sorted { $0.path < $1.path }
    return problems + missing.map { .parentMissing(scene: scene.name, screen: $0.child, parent: $0.path) }
  }

  // MARK: Repair

  /// The rows of the screens without a parent, and of all screens below them.
  package var orphans: Set<[UInt8]> {
    var orphans: Set<[UInt8]> = []
    var isComplete = false
    while !isComplete {
      let more = above.filter { !orphans.contains($0.key) && (orphans.contains($0.value) || !keys.contains($0.value)) }
      orphans.formUnion(more.keys)
      isComplete = more.isEmpty
    }
    return orphans
  }

  /// The row of the scene's own record that fits the other rows, once the orphans are removed. `nil` if it need not
  /// change.
  package var repairedInfo: JournalRow? {
    guard let scene = own else { return nil }
    var body = info
    if !hasInfo { body = SceneRecord.emptyInfo }
    if let (count, place) = body.flatMap({ $0.lend { SceneRecord.screenCount($0) } }) {
      let present = screens - min(screens, UInt64(orphans.count))
      if count != present {
        var writer = ByteWriter()
        writer.varint(present)
        body?.replaceSubrange(place, with: writer.bytes)
      }
    }
    guard let body, body != info else { return nil }
    let record = ArchiveSeal.seal(body, for: ArchiveKey.info)
    return JournalRow(
      key: Self.row(of: ArchiveKey.info, in: scene),
      value: Array(ArchiveKey.info.utf8).lend { info in record.lend { ArchiveRows.value(scene.name, info, $0) } })
  }
}
