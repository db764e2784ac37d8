#if PostgreSQL && canImport(CReprisePostgreSQL)
/// Calls `body` with the texts as C strings, and a null pointer at the end.
func withTexts<Result>(
  _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
  // In C, a text ends at its first NUL, and PostgreSQL's texts have none.
  let copies = texts.map { text in
    text.map { text in
      let bytes = text.utf8.map { CChar(bitPattern: $0) } + [0]
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
      copy.initialize(from: bytes, count: bytes.count)
      return copy
    }
  }
  defer { for copy in copies { copy?.deallocate() } }
  let pointers = copies.map { $0.map { UnsafePointer($0) } } + [nil]
  return pointers.withUnsafeBufferPointer { buffer in
    // invariant: the array has the null pointer, at least.
    body(buffer.baseAddress!)
  }
}
#endif
