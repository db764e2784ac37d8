import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The last position that a remote source has processed. The source keeps it in an object of the store.
struct StoredMark {
  let source: String
  let position: Position

  /// The positions of all sources that the store has ever had. There are few sources.
  static func all(_ tables: StoreTables, _ view: View) throws(StorageError) -> [StoredMark] {
    let schema = try MetaTable(tables.meta).schema(view)
    guard let entity = schema.entities.first(where: { $0.name == SourceNames.State.entity }),
      let source = entity.property(named: SourceNames.State.source)?.number,
      let position = entity.property(named: SourceNames.State.position)?.number
    else { return [] }
    var found: [StoredMark] = []
    try ObjectTable(tables).forEachRecord(entity.number, entity.name, view) {
      (_, record) throws(MalformedBytes) in
      func value(_ number: UInt32) throws(MalformedBytes) -> PropertyValue {
        guard let raw = try record.fields.raw(number) else { return .null }
        var reader = ByteReader(raw)
        return try reader.scalar()
      }
      guard case .string(let name) = try value(source), case .int(let number) = try value(position) else { return }
      found.append(StoredMark(source: name, position: Position(UInt64(max(0, number)))))
    }
    return found
  }
}
