extension EntityIndex.Kind {
  /// The keys of an object's rows, each once, from the values of the columns. Saves, pending changes, rebuilding and
  /// verification all use this function.
  package func rowKeys(of columns: [PropertyValue], _ uuid: UniqueID) -> [[UInt8]] {
    keys(of: columns, uuid) { RowKey.columns(columns, $0) }
  }

  /// The stored parts of these row keys.
  package func storedRowKeys(of columns: [PropertyValue], _ uuid: UniqueID) -> [[UInt8]] {
    keys(of: columns, uuid) { RowKey.storedColumns(columns, $0) }
  }

  private func keys(
    of columns: [PropertyValue], _ uuid: UniqueID, _ joined: ([Collation]) -> [UInt8]
  ) -> [[UInt8]] {
    switch self {
    case .columns(let collations):
      var key = joined(collations)
      RowKey.append(uuid, to: &key)
      return [key]
    case .words:
      guard case .string(let text)? = columns.first else { return [] }
      // Every word fits into a stored row.
      return SearchWords.keys(of: text).map { word in
        var key = word
        RowKey.append(uuid, to: &key)
        return key
      }
    }
  }
}

extension EntityIndex {
  /// The keys of the rows of an object with these values.
  package func rowKeys(_ values: ContiguousArray<PropertyValue>, _ uuid: UniqueID) -> [[UInt8]] {
    kind.rowKeys(of: self.values(values), uuid)
  }
}

extension Entity {
  /// The keys of an object's rows in the index over a slot: the attribute's or to-one's own value, or the columns of
  /// the index in the slot.
  package func rowKeys(
    _ slot: Int, _ values: ContiguousArray<PropertyValue>, _ uuid: UniqueID
  ) -> [[UInt8]] {
    guard properties[slot].isIndex else { return [RowKey.bytes(values[slot], uuid)] }
    return index(slot)?.rowKeys(values, uuid) ?? []
  }
}
