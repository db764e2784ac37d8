import RepriseObjectModel

/// What the sections of a list are made by: a property, or a function of one, as in `$0.name.firstCharacter()`.
public struct SectionKey<Model: PersistentModel>: Hashable, Sendable, Codable {
  package let term: Term
  package let function: SectionFunction

  package init(term: Term, function: SectionFunction) {
    self.term = term
    self.function = function
  }
}
