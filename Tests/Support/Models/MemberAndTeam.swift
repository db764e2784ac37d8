import RepriseObjectModel
import RepriseQuery

// Models with unique properties, written by hand.

package final class Member: TestModel {
  package static let entity = Entity(
    Member.self, name: "Member",
    properties: [
      .attribute("email", String?.self),
      .attribute("handle", String?.self),
      .attribute("number", Int?.self),
      .attribute("visits", Int.self),
      .toOne("team", Team.self, inverse: "members"),
      .unique(["email"]),
      .unique([IndexColumn("handle", .ignoringCase)]),
      .unique(["team", "number"]),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ email: String? = nil, handle: String? = nil, number: Int? = nil) {
    _storage = ObjectStorage(Member.entity)
    self.email = email
    self.handle = handle
    self.number = number
  }

  @Stored(0) package var email: String?
  @Stored(1) package var handle: String?
  @Stored(2) package var number: Int?
  @Stored(3) package var visits: Int
  @Linked(4) package var team: Team?

  package static var _keyPaths: [AnyKeyPath: String] {
    [
      \Member.id: "", \Member.email: "email", \Member.handle: "handle", \Member.number: "number",
      \Member.visits: "visits", \Member.team: "team",
    ]
  }

  package struct Fields: FieldSet {
    package typealias Model = Member
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var email: Field<Member, String> { Field(path.appending("email")) }
    package var handle: Field<Member, String> { Field(path.appending("handle")) }
    package var number: Field<Member, Int> { Field(path.appending("number")) }
    package var visits: Field<Member, Int> { Field(path.appending("visits")) }
    package var team: ToOneField<Member, Team> { ToOneField(path.appending("team")) }
  }
}

package final class Team: TestModel {
  package static let entity = Entity(
    Team.self, name: "Team",
    properties: [
      .attribute("name", String.self),
      .toMany("members", Member.self),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ name: String) {
    _storage = ObjectStorage(Team.entity)
    self.name = name
  }

  @Stored(0) package var name: String
  package var members: ToMany<Member> { ToMany(1, of: self) }

  package static var _keyPaths: [AnyKeyPath: String] {
    [\Team.id: "", \Team.name: "name", \Team.members: "members"]
  }

  package struct Fields: FieldSet {
    package typealias Model = Team
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var name: Field<Team, String> { Field(path.appending("name")) }
    package var members: ToManyField<Team, Member> { ToManyField(path.appending("members")) }
  }
}
