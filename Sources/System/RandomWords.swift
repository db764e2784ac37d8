#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Random words from the system, of which it is asked for many at a time: a system call costs more than all else that
/// is done to make an ID.
package enum RandomWords {
  private static let count = 64

  private struct Stock {
    var words = [UInt64](repeating: 0, count: RandomWords.count)
    var left = 0
  }

  private static let stock = Guarded(Stock())

  /// A word that nobody was given before.
  package static func next() -> UInt64 {
    // A forked child has the parent's stock, and perhaps its lock in the hands of a thread that it has not.
    guard ForkGuard.current() == 0 else {
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
    return stock.withLock { stock in
      if stock.left == 0 { fill(&stock) }
      stock.left -= 1
      // What was given is left nowhere else.
      defer { stock.words[stock.left] = 0 }
      return stock.words[stock.left]
    }
  }

  private static func fill(_ stock: inout Stock) {
    stock.words.withUnsafeMutableBytes { bytes in
      // Both give up to 256 bytes whole.
      for start in stride(from: 0, to: bytes.count, by: 256) {
        let part = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<min(start + 256, bytes.count)])
        precondition(getentropy(part.baseAddress, part.count) == 0, "The system gives no random bytes.")
      }
    }
    stock.left = count
  }
}
