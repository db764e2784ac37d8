import RepriseObjectModel

/// The changes of a scene's nodes in journal entries that are not checkpointed yet.
struct UncheckpointedNodes: Sendable {
  /// The nodes that were put or removed since.
  private(set) var nodes = SceneNodes()
  /// Whether the scene was cleared: then its rows count no more.
  private(set) var isCleared = false
  private(set) var problems: [JournalProblem] = []

  init(_ runs: [JournalRun]) {
    nodes.reserve(
      runs.reduce(0) { $0 + $1.entries.count },
      byteCount: runs.reduce(0) { $1.entries.reduce($0) { $0 + $1.body.count } })
    for run in runs {
      for entry in run.entries {
        let problem = run.journal.scan.bytes.lend { bytes in
          apply(entry.kind, UnsafeRawBufferPointer(rebasing: bytes[entry.body]))
        }
        guard let problem else { continue }
        problems.append(
          .malformedEntry(file: run.journal.file, frame: run.journal.number(of: entry), reason: problem.description))
      }
    }
  }

  /// - Returns: Why the entry cannot be read. `nil` if it can.
  private mutating func apply(_ kind: JournalEntryKind, _ body: UnsafeRawBufferPointer) -> MalformedBytes? {
    var reader = ByteReader(body)
    do throws(MalformedBytes) {
      switch kind {
      case .nodePut: nodes.put(try reader.text("a node's key"), try reader.sized("a node's state"))
      case .nodeRemoved: nodes.remove(try reader.text("a node's key"))
      case .sceneCleared:
        nodes.removeAll()
        isCleared = true
      default: break
      }
      return nil
    } catch {
      return error
    }
  }
}
