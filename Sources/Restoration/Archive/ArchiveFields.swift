import RepriseEventStore
import RepriseObjectModel

/// The fields of an ``ArchiveRecord``, borrowed from the archive's bytes.
struct ArchiveFields {
  private(set) var isObject = false
  private(set) var name = UnsafeRawBufferPointer(start: nil, count: 0)
  private(set) var kind = UnsafeRawBufferPointer(start: nil, count: 0)
  private(set) var order: UInt64 = 0
  private(set) var needs: [String] = []
  private(set) var context: ArchiveRecord.OwnContext?
  private(set) var identity = ""
  private(set) var place: [UInt8] = []
  private(set) var selection = ""
  /// The version of the state.
  private(set) var version = 1
  /// The length of the state, which ends the record.
  private(set) var stateCount = 0

  mutating func read(
    _ bytes: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
  ) throws(ArchiveRecordError) {
    guard let body = ArchiveSeal.body(of: bytes, for: key) else {
      throw .damaged(bytes.isEmpty ? "its archived state is empty" : "its checksum does not match")
    }
    if let version = body.first, version > ArchiveRecord.version { throw .newerFormat(version) }
    do throws(MalformedBytes) { try read(body: body, key: key) } catch { throw .damaged("\(error)") }
    guard isKey(key) else { throw .damaged("it is stored under the key of another screen") }
    if case .node(let parent)? = context?.parent, !String(decoding: name, as: UTF8.self).hasPrefix(parent + "/") {
      throw .damaged("its context is a child of the context of '\(parent)', which is not an ancestor of the screen")
    }
  }

  private mutating func read(body: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) throws(MalformedBytes) {
    typealias Flag = ArchiveRecord.Flag
    var reader = ByteReader(body)
    guard try reader.byte() == ArchiveRecord.version else { throw reader.fail("format 1") }
    let flags = try reader.byte("flags")
    guard flags & ~Flag.known == 0 else { throw reader.fail("known flags") }
    kind = try reader.text("a kind")
    order = try reader.varint("an order")
    let whole = ArchiveKey.isHashed(key) ? try reader.text("a key") : key
    isObject = ArchiveKey.isObject(whole)
    name = isObject ? UnsafeRawBufferPointer(rebasing: whole.dropFirst()) : whole
    for _ in 0..<(try reader.count(of: 1, "a count of needs")) {
      let need = try reader.string("a need")
      // Only a forged record lists a need twice.
      if !needs.contains(need) { needs.append(need) }
    }
    if flags & Flag.context != 0 { context = try readContext(&reader) }
    if flags & Flag.identity != 0 { identity = try reader.string("an identity") }
    if flags & Flag.place != 0 { place = [UInt8](try reader.sized("a place")) }
    if flags & Flag.selection != 0 { selection = try reader.string("a selection") }
    if flags & Flag.version != 0 {
      guard let version = Int(exactly: try reader.varint("a version")) else { throw reader.fail("a version") }
      self.version = version
    }
    stateCount = reader.remaining
  }

  private func readContext(_ reader: inout ByteReader) throws(MalformedBytes) -> ArchiveRecord.OwnContext {
    let draft = try reader.text("a draft's ID")
    let parent = try reader.text("a context's parent")
    return ArchiveRecord.OwnContext(
      draft: String(decoding: draft.isEmpty ? name : draft, as: UTF8.self),
      parent: ArchiveKey.isObject(parent)
        ? .registered(String(decoding: parent.dropFirst(), as: UTF8.self))
        : .node(String(decoding: parent, as: UTF8.self)))
  }

  /// The order in a record that is not checked yet. `nil` if it cannot be found.
  static func order(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
    guard bytes.count > ArchiveSeal.size else { return nil }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[ArchiveSeal.size...]))
    do throws(MalformedBytes) {
      _ = try reader.take(2, "a format and flags")
      try reader.skipSized("a kind")
      return try reader.varint("an order")
    } catch {
      return nil
    }
  }

  /// Sets `name` to the name of the kind. Allocates nothing if `name` is the same already.
  func nameKind(_ name: inout String) {
    if !name.withUTF8({ $0.elementsEqual(kind) }) { name = String(decoding: kind, as: UTF8.self) }
  }

  /// Whether the record is stored under the key of its name, and the name is valid.
  private func isKey(_ key: UnsafeRawBufferPointer) -> Bool {
    // Most records have their name as key.
    if !isObject, name.baseAddress == key.baseAddress, key.count <= ArchiveKey.longest, NodePath.isPlain(key) {
      return true
    }
    let name = String(decoding: name, as: UTF8.self)
    let own = isObject ? ArchiveKey.object(name) : ArchiveKey.node(name)
    return own.utf8.elementsEqual(key) && (isObject || NodePath(stored: name) != nil)
  }
}
