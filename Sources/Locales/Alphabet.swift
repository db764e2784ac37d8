#if os(Linux) && canImport(_FoundationICU)
internal import _FoundationICU

/// The letters that divide a language's dictionaries and lists: CLDR's index characters. In languages with Latin
/// letters, also all of "A" to "Z".
struct Alphabet {
  /// The letters with their keys. After them, "…" stands for the beginning of the next script.
  private(set) var letters: [(name: String, key: [UInt8])] = []

  /// - Parameter collator: A collator that distinguishes only letters.
  init(_ tag: String, _ collator: ICUCollator) {
    var names = Self.indexCharacters(of: tag)
    let latin = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(Unicode.Scalar($0)) }
    if names.isEmpty || names.contains("A") { names += latin.filter { !names.contains($0) } }
    for name in names {
      let key = collator.key(of: name)
      // If the order treats several letters as the same, the first one names the section.
      if !letters.contains(where: { $0.key == key }) { letters.append((name, key)) }
    }
    let last = letters.map(\.key).max { $0.lexicographicallyPrecedes($1) } ?? []
    let behind = ICUCollator.scriptBoundaries.map { collator.key(of: $0) }.filter { last.lexicographicallyPrecedes($0) }
    if let end = behind.min(by: { $0.lexicographicallyPrecedes($1) }) { letters.append(("…", end)) }
  }

  private static func indexCharacters(of tag: String) -> [String] {
    var status = U_ZERO_ERROR
    guard let data = swift_ulocdata_open(localeIdentifier(of: tag), &status), let set = swift_uset_openEmpty() else {
      return []
    }
    defer {
      swift_uset_close(set)
      swift_ulocdata_close(data)
    }
    swift_ulocdata_getExemplarSet(data, set, 0, ULOCDATA_ES_INDEX, &status)
    return status.rawValue <= U_ZERO_ERROR.rawValue ? ICUCollator.texts(in: set) : []
  }
}
#endif
