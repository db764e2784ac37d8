import RepriseObjectModel

/// What makes the sections of a list: a property, or a function of one: `$0.name.firstCharacter()`.
public struct SectionKey<Model: PersistentModel>: Hashable, Sendable, Codable {
  package let term: Term
  package let function: SectionFunction

  package init(term: Term, function: SectionFunction) {
    self.term = term
    self.function = function
  }
}
