import RepriseEventStore
import RepriseObjectModel

/// The stored record of an object that several scenes have registered.
struct SharedRecord: Equatable {
  /// The scenes that refer to the object. If there are none, the record is removed.
  var scenes: Set<String>
  var object: ArchiveRecord

  /// Replaces the state by another one, if that is newer.
  mutating func update(_ other: ArchiveRecord) {
    if other.state != object.state, other.order > object.order { object = other }
  }
}

extension SharedRecord {
  private static let version: UInt8 = 1

  /// Format (1), number of scenes, their names, the object's record; preceded by their CRC-32C.
  func encoded() -> [UInt8] {
    var bytes = ByteWriter()
    bytes.append(Self.version)
    bytes.varint(scenes.count)
    for scene in scenes.heapSorted(by: <) { bytes.string(scene) }
    bytes.append(object.encoded())
    return ArchiveSeal.seal(bytes.bytes, for: object.key)
  }

  init(_ bytes: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) throws(ArchiveRecordError) {
    guard let body = ArchiveSeal.body(of: bytes, for: key) else { throw .damaged("its checksum does not match") }
    if let version = body.first, version > Self.version { throw .newerFormat(version) }
    var reader = ByteReader(body)
    var scenes: Set<String> = []
    do throws(MalformedBytes) {
      guard try reader.byte() == Self.version else { throw reader.fail("format 1") }
      for _ in 0..<(try reader.count(of: 1, "a count of scenes")) { scenes.insert(try reader.string("a scene")) }
    } catch {
      throw .damaged("\(error)")
    }
    let record = UnsafeRawBufferPointer(rebasing: body.suffix(reader.remaining))
    var fields = ArchiveFields()
    try fields.read(record, key: key)
    guard fields.isObject else {
      throw .damaged(
        "the archive has the state of a screen in the place of the object's state")
    }
    self.scenes = scenes
    object = ArchiveRecord(
      name: String(decoding: fields.name, as: UTF8.self), isObject: true, kind: "", order: fields.order,
      needs: fields.needs, version: fields.version, state: [UInt8](record.suffix(fields.stateCount))[...])
  }
}
