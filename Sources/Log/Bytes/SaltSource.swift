import RepriseSystem
import RepriseObjectModel

/// The salts of a log's events: 16 random bytes each, so that an erased event cannot be guessed from its digest.
///
/// They are derived from a random seed by hashing it with a counter, which saves a system call per event. The seed is
/// never stored.
package struct SaltSource: Sendable {
  private let seed: Digest
  private var counter: UInt64 = 0
  private var spare: UniqueID?

  /// Seeds from the system's random numbers.
  package init() {
    self.init(
      seed: Digest(words: (RandomWords.next(), RandomWords.next(), RandomWords.next(), RandomWords.next())))
  }

  /// For tests: the same seed gives the same salts.
  package init(seed: Digest) { self.seed = seed }

  package mutating func next() -> UniqueID {
    if let salt = spare.take() { return salt }
    var hash = SHA256()
    hash.update(seed)
    hash.update(UniqueID(high: 0, low: counter))
    counter += 1
    let words = hash.finish().words
    spare = UniqueID(high: words.2, low: words.3)
    return UniqueID(high: words.0, low: words.1)
  }
}
