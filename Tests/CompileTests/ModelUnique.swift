// Unique attributes and properties that are unique together, however they are written out.
import Reprise

@Model final class Club {
  @Attribute(.unique) var name: String
  var memberships: ToMany<Membership>
  init(name: String) { self.name = name }
}

@Model final class Membership {
  #Unique<Membership>([\.club, \.number], [\Membership.code])
  #Unique<Membership>([\.club, \.email], [\.handle, \.number], nilsAreEqual: true)
  #Unique<Membership>([\.club, \.handle], nilsAreEqual: false, keepsHistory: true)
  #Unique<Membership>([\.number, \.handle], keepsHistory: true)
  #Index<Membership>([\.number, \.code])
  @Attribute(.unique(.ignoringCase), .indexed) var email: String?
  @Attribute(.indexed, .unique, .searchable) var handle: String?
  var number: Int?
  var code: String = ""
  @Relationship(inverse: \Club.memberships) var club: Club?
}

let names = Membership.entity.properties.map(\.name) + Club.entity.properties.map(\.name)
