import RepriseLog
import RepriseObjectModel

/// Finds digests in bytes, as they are or in hexadecimal digits.
struct DigestSearch {
  private(set) var found: Set<Digest> = []
  /// By the first byte.
  private var needles = [[(bytes: [UInt8], digest: Digest)]](repeating: [], count: 256)

  init(_ digests: some Sequence<Digest>) {
    for digest in digests {
      var writer = ByteWriter(reserving: Digest.size)
      writer.digest(digest)
      for bytes in [writer.bytes, Array(digest.description.utf8)] {
        needles[Int(bytes[0])].append((bytes, digest))
      }
    }
  }

  mutating func look(in bytes: UnsafeRawBufferPointer) {
    for place in bytes.indices {
      for needle in needles[Int(bytes[place])] where bytes.count - place >= needle.bytes.count {
        if bytes[place..<place + needle.bytes.count].elementsEqual(needle.bytes) { found.insert(needle.digest) }
      }
    }
  }
}
