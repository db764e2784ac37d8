import RepriseEventStore

/// A node as it stands in an archive, without its screen.
public struct ArchivedNode: Hashable, Sendable {
  /// Where it stands.
  public let path: NodePath
  /// The name of its kind; empty if its record cannot be read.
  public let kind: String
  /// What is to be restored of it; `nil` if it cannot be read.
  public let state: StateValue?
  /// The version of the state, as its kind counts.
  public let version: Int
  /// How many bytes the state has.
  public let byteCount: Int
  /// The keys of the registered objects that it needs, as far as its kind names the same for all its nodes.
  public let needs: [String]
  /// The draft of its own context; `nil` if it has none. `Store.drafts` tells whether there are edits in it.
  public let draft: String?
  /// Why it cannot be read; `nil` if it can.
  public let problem: String?
}

/// A registered object's state as it stands in an archive.
public struct ArchivedObject: Hashable, Sendable {
  /// Under what it is registered.
  public let key: String
  /// What is to be restored of it; `nil` if it cannot be read.
  public let state: StateValue?
  /// When the state was set, in microseconds since 1970, if the clock never went back.
  public let changedAt: UInt64
}

/// What an archive has.
public struct ArchivedScene: Hashable, Sendable {
  /// The archive's account of itself.
  public internal(set) var archive: ArchiveInfo
  /// Its nodes, ordered by path, so that each stands behind the one above it.
  public let nodes: [ArchivedNode]
  /// The objects with a state that nodes refer to, ordered by key.
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
    self.nodes = nodes.sorted { $0.path.components.lexicographicallyPrecedes($1.path.components) }
    for record in shared {
      if let own = objects.firstIndex(where: { $0.key == record.name }) {
        if objects[own].changedAt >= record.order { continue }
        objects.remove(at: own)
      }
      objects.append(ArchivedObject(record))
    }
    self.objects = objects.sorted { $0.key < $1.key }
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
