import RepriseObjectModel

/// A ``Splice`` that owns its bytes. It need not respect scalar boundaries, because only whole values are decoded.
struct OwnedSplice: Sendable {
  var offset: Int
  var removed: ArraySlice<UInt8>
  var inserted: ArraySlice<UInt8>

  var growth: Int { inserted.count - removed.count }
  var inverse: OwnedSplice { OwnedSplice(offset: offset, removed: inserted, inserted: removed) }

  func fits(_ content: ArraySlice<UInt8>) -> Bool { fits(content, at: offset) }

  func fits(_ content: ArraySlice<UInt8>, at offset: Int) -> Bool {
    guard offset >= 0, offset <= content.count, removed.count <= content.count - offset else { return false }
    if removed.isEmpty { return true }
    let start = content.startIndex + offset
    return content[start..<start + removed.count].elementsEqual(removed)
  }

  /// Applies the splice, which must fit.
  func apply(to content: inout ArraySlice<UInt8>) {
    let start = content.startIndex + offset
    content.replaceSubrange(start..<start + removed.count, with: inserted)
  }

  /// Lends the splice in the form that is encoded.
  func lend(_ body: (Splice) -> Void) {
    removed.withUnsafeBytes { removed in
      inserted.withUnsafeBytes { inserted in
        body(Splice(isText: false, offset: offset, removed: removed, inserted: inserted))
      }
    }
  }
}

extension SliceReader {
  mutating func splice() throws(MalformedBytes) -> OwnedSplice {
    guard let offset = Int(exactly: try reader.varint("an offset")) else { throw reader.fail("an offset") }
    let removed = try sized("removed bytes")
    return OwnedSplice(offset: offset, removed: removed, inserted: try sized("inserted bytes"))
  }
}
