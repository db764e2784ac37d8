import RepriseObjectModel

/// A change in the middle of a text or of bytes: at `offset`, so many bytes gave way to others.
///
/// Offsets count bytes, of UTF-8 in a text, and both ends lie between characters' scalars, so each part is a text
/// itself.
package struct Splice {
  package let isText: Bool
  package let offset: Int
  package let removed: UnsafeRawBufferPointer
  package let inserted: UnsafeRawBufferPointer

  package init(isText: Bool, offset: Int, removed: UnsafeRawBufferPointer, inserted: UnsafeRawBufferPointer) {
    self.isText = isText
    self.offset = offset
    self.removed = removed
    self.inserted = inserted
  }

  /// The shortest splice that makes `new` of `old`.
  package init(from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, isText: Bool) {
    var prefix = old.commonPrefix(with: new)
    if isText {
      while prefix > 0, old.isInsideScalar(prefix) || new.isInsideScalar(prefix) { prefix -= 1 }
    }
    var suffix = old.commonSuffix(with: new, atMost: min(old.count, new.count) - prefix)
    if isText {
      while suffix > 0, old.isInsideScalar(old.count - suffix) { suffix -= 1 }
    }
    self.init(
      isText: isText, offset: prefix,
      removed: UnsafeRawBufferPointer(rebasing: old[prefix..<old.count - suffix]),
      inserted: UnsafeRawBufferPointer(rebasing: new[prefix..<new.count - suffix]))
  }

  /// What takes it back.
  package var inverse: Splice { Splice(isText: isText, offset: offset, removed: inserted, inserted: removed) }

  /// The bytes after it; `nil` if what it removes is not there.
  package func applied(to bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard offset <= bytes.count, removed.count <= bytes.count - offset else { return nil }
    let rest = offset + removed.count
    guard UnsafeRawBufferPointer(rebasing: bytes[offset..<rest]).isSame(as: removed) else { return nil }
    return [UInt8](unsafeUninitializedCapacity: bytes.count - removed.count + inserted.count) { buffer, count in
      let target = UnsafeMutableRawBufferPointer(buffer)
      target.copyBytes(from: bytes[..<offset])
      UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyBytes(from: inserted)
      UnsafeMutableRawBufferPointer(rebasing: target[(offset + inserted.count)...]).copyBytes(from: bytes[rest...])
      count = target.count
    }
  }

  /// The value after it; `nil` if it does not fit.
  package func applied(to value: PropertyValue) -> PropertyValue? {
    switch value {
    case .string(var text) where isText:
      guard let bytes = text.withUTF8({ applied(to: UnsafeRawBufferPointer($0)) }) else { return nil }
      return String(validating: bytes, as: UTF8.self).map { .string($0) }
    case .bytes(let old) where !isText:
      return old.withUnsafeBytes { applied(to: $0) }.map { .bytes($0) }
    default: return nil
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the byte there goes on with what the byte before began. False at both ends.
  fileprivate func isInsideScalar(_ offset: Int) -> Bool {
    offset < count && self[offset] & 0xC0 == 0x80
  }
}

extension ByteWriter {
  mutating func splice(_ splice: Splice) {
    varint(splice.offset)
    varint(splice.removed.count)
    append(splice.removed)
    varint(splice.inserted.count)
    append(splice.inserted)
  }
}

extension ByteReader {
  mutating func splice(isText: Bool) throws(MalformedBytes) -> Splice {
    guard let offset = Int(exactly: try varint("an offset")) else { throw fail("an offset") }
    let removed = try sized("removed bytes")
    return Splice(isText: isText, offset: offset, removed: removed, inserted: try sized("inserted bytes"))
  }
}
