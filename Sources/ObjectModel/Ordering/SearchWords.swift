/// The words of a text as a full-text index has them.
package enum SearchWords {
  /// Changes when a text would have other words; indexes of another version are built anew.
  package static let version: UInt32 = 1

  /// The order keys of the different words.
  package static func keys(of text: String) -> [[UInt8]] {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    return Set(words).sorted().map { OrderKey.bytes(of: .string(String($0))) }
  }
}
