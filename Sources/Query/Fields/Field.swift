import RepriseObjectModel

/// An attribute as a fetch names it: of the fetched objects, or of what they are related to.
///
/// Fields appear in the closures of a ``Fetch``, as `$0.name` or `$0.owner.name`. Operators on them make conditions; a
/// field itself is not `Equatable`. Optionals are flattened: the field of a `String?` is a `Field<Item, String>`.
public struct Field<Model: PersistentModel, Value: AttributeValue>: Sendable {
  package let term: Term

  /// The attribute at the end of `path`. For ``FieldSet``s, those that `@Model` writes and those by hand.
  public init(_ path: FieldPath) { term = Term(path) }

  package init(_ term: Term) { self.term = term }

  /// In the order of this property: numbers by size, texts by the scalars of their composed form, nil first. Texts are
  /// compared to their ends.
  public var ascending: SortKey<Model> { SortKey(term: term, isAscending: true) }

  /// The reverse of ``ascending``, nil last.
  public var descending: SortKey<Model> { SortKey(term: term, isAscending: false) }

  /// ``ascending``, with nil where `nils` says: `$0.dueDate.ascending(nils: .last)`. An index has the order in either
  /// case: with nil last, a fetch walks its rows with values, then those without. Ranks, pages by their number and
  /// lists without rows in memory need nil first, or a condition that excludes nil.
  ///
  /// In a list with sections, nil behind all values has a section of its own there, also named "".
  public func ascending(nils: NilOrder) -> SortKey<Model> { SortKey(term: term, isAscending: true, nils: nils) }

  /// ``descending``, with nil where `nils` says. An index has the order in either case, and for ranks, pages by their
  /// number and lists without rows in memory with nil last, or where the condition excludes nil.
  public func descending(nils: NilOrder) -> SortKey<Model> { SortKey(term: term, isAscending: false, nils: nils) }

  /// A section for each value; nil and the empty text share one. Under a collation, a section for all that count as the
  /// same, named by the plainest of them: in lower case, without diacritics, without leading zeros. Under a locale
  /// there are none: ``FetchError/unnamedSections(_:)`` when the fetch runs.
  public var section: SectionKey<Model> { SectionKey(term: term, function: .value) }
}

extension Field where Value == String {
  /// A section for each first character: the first Unicode scalar of the composed form, so "É" is one however it was
  /// typed, and is not "E". nil and the empty text share the section named "".
  ///
  /// Under a collation, it is the first character of what is compared, in upper case where case is ignored: "E" for
  /// "élan" as well. Numbers share the section "0-9" where they sort by size.
  ///
  /// Under a locale, it is the letter of its alphabet, as dictionaries have it: in Swedish "É" is in "E", and "Å", "Ä"
  /// and "Ö" are letters behind "Z". What sorts before the first letter is in "#", what sorts behind the alphabet,
  /// such as other scripts, in "…".
  public func firstCharacter() -> SectionKey<Model> { SectionKey(term: term, function: .firstCharacter) }
}
