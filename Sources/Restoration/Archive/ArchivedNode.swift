import RepriseEventStore

/// A node as stored in an archive, without its screen.
public struct ArchivedNode: Equatable, Sendable {
  /// The path of the node.
  public let path: NodePath
  /// The name of the node's kind, or empty if the record cannot be read.
  public let kind: String
  /// The stored state, or `nil` if it cannot be read.
  public let state: StateValue?
  /// The version of the state, as its kind counts versions.
  public let version: Int
  /// The size of the encoded state, in bytes.
  public let byteCount: Int
  /// The keys of the registered objects that the node uses.
  ///
  /// They include keys that the node's path or state chose, and the references that a ``RestorableScreen`` encoded.
  public let needs: [String]
  /// The ID of the draft of the node's own context, or `nil` if it has none.
  ///
  /// Look the ID up in `Store.drafts` to see whether the draft has edits.
  public let draft: String?
  /// Why the record or the state cannot be read, or `nil` if both can.
  public let problem: String?
}

/// The state of a registered object, as stored in an archive.
public struct ArchivedObject: Equatable, Sendable {
  /// The key under which the object is registered.
  public let key: String
  /// The stored state, or `nil` if it cannot be read.
  public let state: StateValue?
  /// When the state was last set, in microseconds since 1970.
  ///
  /// Later states always have larger values. If the clock was set back, the value may be later than the actual time.
  public let changedAt: UInt64
}

/// The contents of a scene's archive.
public struct ArchivedScene: Equatable, Sendable {
  /// The metadata of the archive.
  public internal(set) var archive: ArchiveInfo
  /// The nodes, ordered by path, so that each parent precedes its children.
  public let nodes: [ArchivedNode]
  /// The states of the registered objects that nodes refer to, ordered by key.
  public let objects: [ArchivedObject]

  /// - Parameter shared: The objects that it shares with other scenes.
  init(_ records: SceneNodes, shared: [ArchiveRecord] = []) {
    archive = ArchiveInfo(of: records)
    var (nodes, objects): ([ArchivedNode], [ArchivedObject]) = ([], [])
    records.buffer.withUnsafeBytes { all in
      for record in records.nodes {
        let key = UnsafeRawBufferPointer(rebasing: all[record.key])
        if ArchiveKey.isInfo(key) { continue }
        var fields = ArchiveFields()
        do throws(ArchiveRecordError) {
          try fields.read(UnsafeRawBufferPointer(rebasing: all[record.bytes]), key: key)
        } catch {
          if ArchiveKey.isNode(key) { nodes.append(ArchivedNode(unreadable: key, error)) }
          continue
        }
        let bytes = records.buffer[(record.bytes.upperBound - fields.stateCount)..<record.bytes.upperBound]
        if fields.isObject { objects.append(ArchivedObject(fields, bytes)) } else { nodes.append(.init(fields, bytes)) }
      }
    }
    self.nodes = nodes.heapSorted { $0.path.components.lexicographicallyPrecedes($1.path.components) }
    for record in shared {
      if let own = objects.firstIndex(where: { $0.key == record.name }) {
        if objects[own].changedAt >= record.order { continue }
        objects.remove(at: own)
      }
      objects.append(ArchivedObject(record))
    }
    self.objects = objects.heapSorted { $0.key < $1.key }
  }
}

extension ArchivedNode {
  fileprivate init(_ fields: ArchiveFields, _ bytes: ArraySlice<UInt8>) {
    path = NodePath(unchecked: String(decoding: fields.name, as: UTF8.self))
    kind = String(decoding: fields.kind, as: UTF8.self)
    version = fields.version
    byteCount = bytes.count
    needs = fields.needs
    draft = fields.context?.draft
    do throws(StateCodingError) {
      state = try StateValue(bytes: bytes)
      problem = nil
    } catch {
      state = nil
      problem = error.description
    }
  }

  fileprivate init(unreadable key: UnsafeRawBufferPointer, _ error: ArchiveRecordError) {
    path = NodePath(unchecked: String(decoding: key, as: UTF8.self))
    (kind, state, version, byteCount, needs, draft) = ("", nil, 1, 0, [], nil)
    problem = error.reason
  }
}

extension ArchivedObject {
  fileprivate init(_ fields: ArchiveFields, _ bytes: ArraySlice<UInt8>) {
    key = String(decoding: fields.name, as: UTF8.self)
    state = try? StateValue(bytes: bytes)
    changedAt = fields.order
  }

  fileprivate init(_ record: ArchiveRecord) {
    key = record.name
    state = try? StateValue(bytes: record.state)
    changedAt = record.order
  }
}
