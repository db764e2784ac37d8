import RepriseObjectModel

// The models of MemberAndTeam as other versions of a program declare them.

/// Nil equals nil in two of its rules.
package final class StrictMember: TestModel {
  package static let entity = Entity(
    StrictMember.self, name: "Member",
    properties: [
      .attribute("email", String?.self), .attribute("handle", String?.self), .attribute("number", Int?.self),
      .attribute("visits", Int.self), .toOne("team", StrictTeam.self, inverse: "members"), .unique(["email"]),
      .unique([IndexColumn("handle", .ignoringCase)], nilsAreEqual: true),
      .unique(["team", "number"], nilsAreEqual: true),
    ])
  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
}

package final class StrictTeam: TestModel {
  package static let entity = Entity(
    StrictTeam.self, name: "Team", properties: [.attribute("name", String.self), .toMany("members", StrictMember.self)])
  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Lacks the team and all rules.
package final class LoneMember: TestModel {
  package static let entity = Entity(
    LoneMember.self, name: "Member",
    properties: [.attribute("handle", String?.self), .attribute("number", Int?.self)])
  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
}

package final class LoneTeam: TestModel {
  package static let entity = Entity(LoneTeam.self, name: "Team", properties: [.attribute("name", String.self)])
  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
}
