import RepriseObjectModel

/// A change within a text or bytes: at `offset`, `removed` is replaced by `inserted`.
///
/// Offsets count bytes (of a text, UTF-8). In a text, both ends lie on scalar boundaries, so each part is valid text.
@frozen
@usableFromInline
package struct Splice {
  @usableFromInline package let isText: Bool
  @usableFromInline package let offset: Int
  @usableFromInline package let removed: UnsafeRawBufferPointer
  @usableFromInline package let inserted: UnsafeRawBufferPointer

  @inlinable package init(isText: Bool, offset: Int, removed: UnsafeRawBufferPointer, inserted: UnsafeRawBufferPointer)
  {
    self.isText = isText
    self.offset = offset
    self.removed = removed
    self.inserted = inserted
  }

  /// The shortest splice that turns `old` into `new`.
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

  /// The splice between two values with their tags. `nil` unless both are texts, or both bytes.
  init?(fromValue old: UnsafeRawBufferPointer, toValue new: UnsafeRawBufferPointer) {
    guard let before = old.longContent, let after = new.longContent, before.isText == after.isText else { return nil }
    self.init(from: before.bytes, to: after.bytes, isText: before.isText)
  }

  /// The splice that reverts this one.
  @inlinable package var inverse: Splice {
    Splice(isText: isText, offset: offset, removed: inserted, inserted: removed)
  }

  /// The bytes after the splice. `nil` if they do not contain `removed` at `offset`.
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

  /// The value after the splice. `nil` if it does not fit.
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

  /// The value with its tag after the splice. `nil` if it does not fit.
  func applied(toValue value: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let content = value.longContent, content.isText == isText, let bytes = applied(to: content.bytes) else {
      return nil
    }
    var writer = ByteWriter(reserving: bytes.count + 6)
    writer.append(value[0])
    writer.sized(bytes)
    return writer.bytes
  }
}

extension PropertyValue {
  /// Whether it is this text or these bytes, which are not decoded.
  package func isSame(as content: (bytes: UnsafeRawBufferPointer, isText: Bool)) -> Bool {
    switch self {
    case .string(var text) where content.isText:
      text.withUTF8 { UnsafeRawBufferPointer($0).isSame(as: content.bytes) }
    case .bytes(let bytes) where !content.isText: bytes.withUnsafeBytes { $0.isSame(as: content.bytes) }
    default: false
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the offset is inside a scalar, on a UTF-8 continuation byte. False at both ends.
  func isInsideScalar(_ offset: Int) -> Bool { offset < count && self[offset] & 0xC0 == 0x80 }
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
  @inlinable mutating func splice(isText: Bool) throws(MalformedBytes) -> Splice {
    guard let offset = Int(exactly: try varint("an offset")) else { throw fail("an offset") }
    let removed = try sized("removed bytes")
    return Splice(isText: isText, offset: offset, removed: removed, inserted: try sized("inserted bytes"))
  }
}
