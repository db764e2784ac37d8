#if os(Linux) && canImport(_FoundationICU)
package import RepriseObjectModel

/// Replaces the core's function, which knows no locale.
@_dynamicReplacement(for:makeLocaleCollator(_:_:))
package func makeCollatorOfICU(_ locale: String, _ rules: Collation.Rules) -> LocaleCollator? {
  guard let collator = ICUCollator(locale, rules), let letters = ICUCollator(locale, nil) else { return nil }
  return LocaleCollator(version: collator.version, letters: Alphabet(locale, letters).letters, key: collator.key)
}
#endif
