import RepriseSystem
import RepriseObjectModel

/// The salts of a log's events: 16 bytes each, without which nobody can guess an erased event from its digest.
///
/// Drawn from a seed that the system gave, by hashing it with a counter: asking the system for each would cost a system
/// call an event. The seed is stored nowhere.
package struct SaltSource: Sendable {
  private let seed: Digest
  private var counter: UInt64 = 0
  private var spare: UniqueID?

  /// With a seed from the system.
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
