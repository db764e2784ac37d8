#if Macros
import RepriseCore

/// All models of the demonstration.
enum Congress {
  static var schema: Schema {
    Schema(Legislator.self, Term.self, SocialAccount.self, Committee.self, Membership.self)
  }

  /// The number of objects of each model.
  static func counts(in context: ObjectContext) throws -> [String: Int] {
    [
      "Committee": try context.count(Fetch<Committee>()), "Legislator": try context.count(Fetch<Legislator>()),
      "Membership": try context.count(Fetch<Membership>()), "SocialAccount": try context.count(Fetch<SocialAccount>()),
      "Term": try context.count(Fetch<Term>()),
    ]
  }

  static func count(in context: ObjectContext) throws -> Int { try counts(in: context).values.reduce(0, +) }
}
#endif
