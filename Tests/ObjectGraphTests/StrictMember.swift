import RepriseObjectModel

// Members and teams as other versions of a program declare them.

struct NoFields<Model: PersistentModel>: FieldSet {
  init(_ path: FieldPath) {}
}

/// Nil equals nil in two of its rules.
final class StrictMember: PersistentModel {
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
  typealias Fields = NoFields<StrictMember>
  var snapshot: String { "" }
}

final class StrictTeam: PersistentModel {
  static let entity = Entity(
    StrictTeam.self, name: "Team", properties: [.attribute("name", String.self), .toMany("members", StrictMember.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  typealias Fields = NoFields<StrictTeam>
  var snapshot: String { "" }
}

/// Lacks its team, and every rule.
final class LoneMember: PersistentModel {
  static let entity = Entity(
    LoneMember.self, name: "Member",
    properties: [.attribute("handle", String?.self), .attribute("number", Int?.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  typealias Fields = NoFields<LoneMember>
  var snapshot: String { "" }
}

final class LoneTeam: PersistentModel {
  static let entity = Entity(LoneTeam.self, name: "Team", properties: [.attribute("name", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  typealias Fields = NoFields<LoneTeam>
  var snapshot: String { "" }
}
