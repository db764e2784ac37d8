import RepriseObjectModel
import RepriseTestModels

// Members and teams as other versions of a program declare them.

/// Nil equals nil in two of its rules.
final class StrictMember: TestModel {
  static let entity = Entity(
    StrictMember.self, name: "Member",
    properties: [
      .attribute("email", String?.self), .attribute("handle", String?.self), .attribute("number", Int?.self),
      .attribute("visits", Int.self), .toOne("team", StrictTeam.self, inverse: "members"), .unique(["email"]),
      .unique([IndexColumn("handle", .ignoringCase)], nilsAreEqual: true),
      .unique(["team", "number"], nilsAreEqual: true),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class StrictTeam: TestModel {
  static let entity = Entity(
    StrictTeam.self, name: "Team", properties: [.attribute("name", String.self), .toMany("members", StrictMember.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Lacks its team, and every rule.
final class LoneMember: TestModel {
  static let entity = Entity(
    LoneMember.self, name: "Member",
    properties: [.attribute("handle", String?.self), .attribute("number", Int?.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class LoneTeam: TestModel {
  static let entity = Entity(LoneTeam.self, name: "Team", properties: [.attribute("name", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
