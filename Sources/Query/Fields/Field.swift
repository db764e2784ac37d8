import RepriseObjectModel

/// An attribute in the closure of a ``Fetch``, of the fetched objects or of related ones.
///
/// For example, `$0.name` or `$0.owner.name`. Operators on fields make conditions. A field itself is not `Equatable`.
/// Optionals are flattened: the field of a `String?` is a `Field<Item, String>`.
public struct Field<Model: PersistentModel, Value: AttributeValue>: Sendable {
  package let term: Term

  /// Makes the attribute at the end of `path`. Use it only to write a ``FieldSet`` by hand, as `@Model` does.
  public init(_ path: FieldPath) { term = Term(path) }

  package init(_ term: Term) { self.term = term }

  /// Sorts by this property in ascending order, `nil` first: numbers by size, texts by the scalars of their composed
  /// form.
  ///
  /// Texts are compared in full.
  public var ascending: SortKey<Model> { SortKey(term: term, isAscending: true) }

  /// Sorts by this property in descending order, `nil` last.
  public var descending: SortKey<Model> { SortKey(term: term, isAscending: false) }

  /// Sorts in ascending order, with `nil` at the given end: `$0.dueDate.ascending(nils: .last)`.
  ///
  /// An index on the property serves `nil` first and `nil` last. With `nil` last, a fetch walks the rows with values
  /// and then the rows without. Ranks, pages by number, and lists that keep no rows in memory need `nil` first, or a
  /// condition that excludes `nil`.
  ///
  /// In a list with sections and `nil` last, the rows without a value are the last section, named "".
  public func ascending(nils: NilOrder) -> SortKey<Model> { SortKey(term: term, isAscending: true, nils: nils) }

  /// Sorts in descending order, with `nil` at the given end.
  ///
  /// An index on the property serves `nil` first and `nil` last. Ranks, pages by number, and lists that keep no rows in
  /// memory need `nil` last, or a condition that excludes `nil`.
  public func descending(nils: NilOrder) -> SortKey<Model> { SortKey(term: term, isAscending: false, nils: nils) }

  /// Makes a section for each value.
  ///
  /// `nil` and the empty text share one. Under a collation, values that compare equal share a section. Its name
  /// is in lower case if the collation ignores case. It has no diacritics if the collation ignores these, and no
  /// leading zeros under `natural`. Under a locale, sections by whole texts are impossible, and the fetch
  /// throws ``FetchError/unnamedSections(_:)`` when it runs.
  public var section: SectionKey<Model> { SectionKey(term: term, function: .value) }
}

extension Field where Value == String {
  /// Makes a section for each first character.
  ///
  /// `nil` and the empty text share the section named "". The first character is the first Unicode scalar of the
  /// composed form. "É" is therefore one section however it was typed, and differs from "E".
  ///
  /// Under a collation, it is the first character of the compared form, in upper case if case is ignored. For example,
  /// ignoring diacritics puts "élan" in "E". If numbers sort by size, they share the section "0-9".
  ///
  /// Under a locale, it is a letter of the locale's alphabet, as in dictionaries. For example, in Swedish, "É" is in
  /// "E", and "Å", "Ä" and "Ö" are letters after "Z". Texts that sort before the first letter are in "#". Texts that
  /// sort after the alphabet, such as other scripts, are in "…".
  public func firstCharacter() -> SectionKey<Model> { SectionKey(term: term, function: .firstCharacter) }
}
