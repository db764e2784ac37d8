import RepriseObjectModel

/// A text to look for, in the form in which it is compared.
struct TextPattern: Hashable, Sendable {
  let test: TextTest
  let options: TextOptions
  /// The composed form, in lower case if case is ignored.
  let bytes: [UInt8]

  init(_ test: TextTest, _ text: String, _ options: TextOptions) {
    self.test = test
    self.options = options
    bytes = ComposedText.bytes(of: options.contains(.ignoringCase) ? text.lowercased() : text)
  }

  func matches(_ text: String) -> Bool {
    if bytes.isEmpty { return true }
    var text = options.contains(.ignoringCase) ? text.lowercased() : text
    let quick = text.withUTF8 { utf8 in ComposedText.isComposed(utf8) ? matches(utf8) : nil }
    return quick ?? ComposedText.bytes(of: text).withUnsafeBufferPointer(matches)
  }

  private func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer { part in
      guard let first = part.first, part.count <= text.count else { return part.isEmpty }
      func stands(at offset: Int) -> Bool {
        for index in part.indices where text[offset + index] != part[index] { return false }
        return true
      }
      switch test {
      case .hasPrefix: return stands(at: 0)
      case .contains:
        // UTF-8 marks the first byte of each scalar, so a match of bytes is a match of scalars.
        for offset in 0...text.count - part.count where text[offset] == first && stands(at: offset) { return true }
        return false
      }
    }
  }
}
