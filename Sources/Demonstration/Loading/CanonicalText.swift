#if Macros
import CRepriseChecksums
import RepriseCore

/// All objects of a store as one text, of which the data's checkpoints have digests.
@MainActor struct CanonicalText {
  private var hash = reprise_sha256()

  /// The digest of what a context sees: SHA-256, lower-case hexadecimal.
  static func digest(of context: ObjectContext) throws -> String {
    var text = CanonicalText()
    reprise_sha256_init(&text.hash)
    // By entity, then by key, as the format requires.
    try text.add(Committee.self, context)
    try text.add(Legislator.self, context)
    try text.add(Membership.self, context)
    try text.add(SocialAccount.self, context)
    try text.add(Term.self, context)
    var digest = [UInt8](repeating: 0, count: 32)
    reprise_sha256_final(&text.hash, &digest)
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private mutating func add<Model: HistoryModel>(_ model: Model.Type, _ context: ObjectContext) throws {
    let attributes = AttributeTable<Model>()
    for object in try context.fetch(Fetch<Model>()).sorted(by: { $0.key.precedes($1.key) }) {
      var lines = "\(model)\t\(Escaped.text(object.key))\n"
      for (name, value) in attributes.canonical(object).sorted(by: { $0.name.precedes($1.name) }) {
        lines += "\t\(Escaped.text(name))\t\(value)\n"
      }
      lines.withUTF8 { reprise_sha256_update(&hash, $0.baseAddress, $0.count) }
    }
  }
}

extension String {
  /// By UTF-8 bytes: Swift's own order differs for texts with accents.
  fileprivate func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
#endif
