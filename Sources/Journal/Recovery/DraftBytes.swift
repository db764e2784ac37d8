import RepriseLog
import RepriseObjectModel

/// The bytes for replaying a draft: the bytes of one journal in place, and copies of all others.
package struct DraftBytes: Sendable {
  /// The journal whose bytes are not copied.
  private(set) var journal: JournalContent?
  private var copies: [UInt8] = []

  /// Leaves the bytes of the first journal in place. The bytes of any further one are copied.
  mutating func leave(_ journal: JournalContent) { self.journal = self.journal ?? journal }

  /// Copies some bytes. Returns where they are now.
  mutating func copy(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
    let start = LentBytes.copied + copies.count
    copies.append(contentsOf: bytes)
    return start..<start + bytes.count
  }

  /// - Parameter file: The bytes of the journal, if they are lent already.
  @inline(__always)
  package func lend<Result, Failure: Error>(
    _ file: UnsafeRawBufferPointer? = nil, _ body: (LentBytes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try copies.lend { (copies) throws(Failure) in
      if let file { return try body(LentBytes(file: file, copies: copies)) }
      guard let journal else { return try body(LentBytes(file: .noValue, copies: copies)) }
      return try journal.scan.bytes.lend { (file) throws(Failure) in
        try body(LentBytes(file: file, copies: copies))
      }
    }
  }
}
