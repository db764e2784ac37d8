#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Random words from the system, fetched in batches, because one system call costs more than all other steps of making
/// an ID.
package enum RandomWords {
  private static let count = 64

  private struct Stock {
    var words = [UInt64](repeating: 0, count: RandomWords.count)
    var left = 0
  }

  private static let stock = Guarded(Stock())

  /// The next word. No word is returned twice.
  package static func next() -> UInt64 {
    // A forked child has a copy of the parent's stock, and perhaps a lock held by a thread that the child does not
    // have.
    guard ForkGuard.current() == 0 else {
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
    return stock.withLock { stock in
      if stock.left == 0 { fill(&stock) }
      stock.left -= 1
      // A used word is removed from the stock.
      defer { stock.words[stock.left] = 0 }
      return stock.words[stock.left]
    }
  }

  private static func fill(_ stock: inout Stock) {
    stock.words.withUnsafeMutableBytes { bytes in
      // On every platform, `getentropy` fills up to 256 bytes or fails.
      for start in stride(from: 0, to: bytes.count, by: 256) {
        let part = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<min(start + 256, bytes.count)])
        precondition(
          getentropy(part.baseAddress, part.count) == 0,
          "The system call `getentropy` failed. Allow it in the sandbox of the process.")
      }
    }
    stock.left = count
  }
}
