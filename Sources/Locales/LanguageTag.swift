#if os(Linux) && canImport(_FoundationICU)
internal import _FoundationICU

/// The BCP 47 tag of a locale with only the parts that affect an order: the name of the locale in stores. An invalid
/// identifier stays as it is.
func languageTag(of identifier: String) -> String {
  // ICU would read only the part before it.
  if identifier.utf8.contains(0) { return identifier }
  let locale = localeIdentifier(of: identifier)
  guard var order = text({ swift_uloc_getBaseName(locale, $0, $1, &$2) }) else { return identifier }
  if let type = orderType(of: locale) { order += "@collation=\(type)" }
  let tag = text { swift_uloc_toLanguageTag(order, $0, $1, 1, &$2) }
  // ICU returns the root also for an invalid identifier.
  return tag.map { $0 == "und" && !["", "root"].contains(identifier) ? identifier : $0 } ?? identifier
}

/// ICU's own identifier of a locale that may be named by a BCP 47 tag.
func localeIdentifier(of identifier: String) -> String {
  var parsed: Int32 = 0
  let locale = text { swift_uloc_forLanguageTag(identifier, $0, $1, &parsed, &$2) }
  return parsed == identifier.utf8.count ? locale ?? identifier : identifier
}

/// Whether there is an order for a locale: its language is known, and has the type of order that it names. ICU itself
/// uses the root's order for an unknown language, and also for many known languages.
func isOrderKnown(_ tag: String) -> Bool {
  if tag == "und" { return true }
  if tag.utf8.contains(0) { return false }
  let locale = localeIdentifier(of: tag)
  guard let language = text({ swift_uloc_getLanguage(locale, $0, $1, &$2) }), !language.isEmpty,
    (0..<swift_uloc_countAvailable()).contains(where: { place in
      swift_uloc_getAvailable(place).map { String(cString: $0).split(separator: "_")[0] == language } ?? false
    })
  else { return false }
  guard let type = orderType(of: locale) else { return true }
  var status = U_ZERO_ERROR
  guard let types = swift_ucol_getKeywordValuesForLocale("collation", locale, 0, &status) else { return false }
  defer { swift_uenum_close(types) }
  while let next = swift_uenum_next(types, nil, &status) { if String(cString: next) == type { return true } }
  return false
}

/// The locale's type of order, such as "phonebook".
private func orderType(of locale: String) -> String? {
  let type = text { swift_uloc_getKeywordValue(locale, "collation", $0, $1, &$2) }
  return type?.isEmpty == true ? nil : type
}

/// The text that a function of ICU writes. `nil` if it fails.
private func text(_ body: (UnsafeMutablePointer<CChar>, Int32, inout UErrorCode) -> Int32) -> String? {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    buffer.initialize(repeating: 0)
    var status = U_ZERO_ERROR
    guard let start = buffer.baseAddress else { return nil }
    let length = Int(body(start, Int32(buffer.count), &status))
    guard status.rawValue <= U_ZERO_ERROR.rawValue, length >= 0, length < buffer.count else { return nil }
    return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
#else
func languageTag(of identifier: String) -> String { identifier }
#endif
