import RepriseLMDB
import RepriseObjectModel

/// A scene at one moment: its rows, and the later entries of journals. It reads nodes on request, also later, when the
/// rows have received these entries.
package struct SceneImage: Sendable {
  let rows: ArchiveRows
  let uncheckpointed: UncheckpointedNodes

  /// Whether a part can be read without the rest, and would be less.
  package func hasParts(_ view: View) throws(StorageError) -> Bool {
    if uncheckpointed.isCleared { return false }
    return try !rows.isEmpty(view)
  }

  package func all(_ view: View) throws(StorageError) -> FoundNodes {
    var nodes = uncheckpointed.nodes
    var problems = uncheckpointed.problems
    if !uncheckpointed.isCleared {
      // No two rows have one key.
      let isPlain = nodes.isEmpty
      problems += try rows.read(view) { key, bytes in
        if isPlain { nodes.append(key, bytes) } else if !nodes.hasChange(of: key) { nodes.put(key, bytes) }
      }
    }
    nodes.settle()
    return FoundNodes(nodes: nodes, problems: problems)
  }

  /// The nodes of a group. O(uncheckpointed nodes + their number + log n).
  package func group(_ name: String, _ view: View) throws(StorageError) -> FoundNodes {
    try Array(name.utf8).span.bytes.withUnsafeBytes { group throws(StorageError) in
      var found = FoundNodes()
      if !uncheckpointed.isCleared {
        found.problems = try rows.read(view, group: group) { key, bytes in
          if !uncheckpointed.nodes.hasChange(of: key) { found.nodes.put(key, bytes) }
        }
      }
      uncheckpointed.nodes.buffer.withUnsafeBytes { all in
        for node in uncheckpointed.nodes.nodes where !node.isRemoved {
          let key = UnsafeRawBufferPointer(rebasing: all[node.key])
          guard ArchiveRows.group(of: key).elementsEqual(group) else { continue }
          found.nodes.put(key, UnsafeRawBufferPointer(rebasing: all[node.bytes]))
        }
      }
      return found
    }
  }

  /// One node, or none. O(log n).
  package func node(_ key: String, _ view: View) throws(StorageError) -> FoundNodes {
    try Array(key.utf8).span.bytes.withUnsafeBytes { key throws(StorageError) in
      var found = FoundNodes()
      if uncheckpointed.nodes.hasChange(of: key) {
        if let number = uncheckpointed.nodes.number(of: key) {
          uncheckpointed.nodes.buffer.withUnsafeBytes { all in
            found.nodes.put(key, UnsafeRawBufferPointer(rebasing: all[uncheckpointed.nodes.nodes[number].bytes]))
          }
        }
      } else if !uncheckpointed.isCleared {
        found.problems = try rows.read(view, node: key) { found.nodes.put($0, $1) }
      }
      return found
    }
  }
}

/// Nodes of a scene, and the damage that was met on the way.
package struct FoundNodes: Sendable {
  package var nodes = SceneNodes()
  package var problems: [JournalProblem] = []
}
