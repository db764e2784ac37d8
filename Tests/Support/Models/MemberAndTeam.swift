import RepriseObjectModel
import RepriseQuery

// Models with unique properties, written by hand.

package final class Member: PersistentModel {
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

  package var email: String? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var handle: String? {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  package var number: Int? {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  package var visits: Int {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  package var team: Team? {
    get { _storage.toOne(4) }
    set { _storage.setToOne(4, newValue, of: self) }
  }

  package static var _keyPaths: [AnyKeyPath: String] {
    [
      \Member.id: "", \Member.email: "email", \Member.handle: "handle", \Member.number: "number",
      \Member.visits: "visits", \Member.team: "team",
    ]
  }

  package struct Fields: FieldSet {
    package typealias Model = Member
    package let email: Field<Member, String>
    package let handle: Field<Member, String>
    package let number: Field<Member, Int>
    package let visits: Field<Member, Int>
    package let team: ToOneField<Member, Team>

    package init(_ path: FieldPath) {
      email = Field(path.appending("email"))
      handle = Field(path.appending("handle"))
      number = Field(path.appending("number"))
      visits = Field(path.appending("visits"))
      team = ToOneField(path.appending("team"))
    }
  }

  package struct Snapshot: Hashable, Sendable {
    package let id: Member.ID
    package let email: String?
  }

  package var snapshot: Snapshot { Snapshot(id: id, email: email) }
}

package final class Team: PersistentModel {
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

  package var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var members: ToMany<Member> { ToMany(1, of: self) }

  package static var _keyPaths: [AnyKeyPath: String] {
    [\Team.id: "", \Team.name: "name", \Team.members: "members"]
  }

  package struct Fields: FieldSet {
    package typealias Model = Team
    package let name: Field<Team, String>
    package let members: ToManyField<Team, Member>

    package init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      members = ToManyField(path.appending("members"))
    }
  }

  package struct Snapshot: Hashable, Sendable {
    package let id: Team.ID
    package let name: String
  }

  package var snapshot: Snapshot { Snapshot(id: id, name: name) }
}
