import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

private enum OldParty: String, AttributeValue { case whig, tory, jacobite }

private enum Party: String, CaseAliasing {
  case liberal, tory, independent
  static var caseAliases: [String: Party] { ["whig": .liberal, "jacobite": .independent, "tory": .liberal] }
}

private func entity<Model: PersistentModel, Value: AttributeValue & Hashable>(
  _ model: Model.Type, _ party: Value.Type, _ value: Value
) -> Entity {
  Entity(
    model, name: "Member",
    properties: [
      .attribute("party", Value.self, default: value, indexed: true), .attribute("second", Value?.self),
      .attribute("all", Set<Value>.self),
    ])
}

private final class OldMember: TestModel {
  static let entity = RepriseObjectGraphTests.entity(OldMember.self, OldParty.self, .tory)
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(_ party: OldParty) {
    _storage = ObjectStorage(Self.entity)
    _storage.set(0, party)
    _storage.set(1, OldParty?.some(party))
    _storage.set(2, Set([party]))
  }
}

private final class Member: TestModel {
  static let entity = RepriseObjectGraphTests.entity(Member.self, Party.self, .tory)
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  @Stored(0) var party: Party
  var second: Party? { _storage.get(1) }
  var all: Set<Party> { _storage.get(2) }
  struct Fields: FieldSet {
    typealias Model = Member
    let path: FieldPath
    init(_ path: FieldPath) { self.path = path }
    var party: Field<Member, Party> { Field(path.appending("party")) }
    var second: Field<Member, Party> { Field(path.appending("second")) }
  }
}

/// An enum that lost or renamed cases, and says what became of them.
final class CaseAliasTests: XCTestCase {
  func testFormerCasesReadAndAreFoundAsWhatBecameOfThem() async throws {
    let test = try TestStore(Schema(OldMember.self))
    let before = RootContext(test.store, isolation: nil)
    for party in [OldParty.whig, .tory, .whig, .jacobite] { before.insert(OldMember(party)) }
    try await before.save()
    try await test.store.close()
    test.schema = Schema(Member.self)
    try test.open()
    let context = RootContext(test.store, isolation: nil)
    let members = try context.fetch(Fetch<Member>())
    XCTAssertEqual(members.map(\.party), [.liberal, .tory, .liberal, .independent])
    XCTAssertEqual(members.map(\.second), [.liberal, .tory, .liberal, .independent])
    XCTAssertEqual(members.map(\.all), [[.liberal], [.tory], [.liberal], [.independent]])
    XCTAssertEqual(context.readErrors.count, 0)
    func count(_ condition: (Member.Fields) -> Condition<Member>) throws -> Int {
      let fetched = try context.fetch(Fetch<Member>(condition)).count
      XCTAssertEqual(try context.count(Fetch<Member>(condition)), fetched)
      return fetched
    }
    func check() throws {
      XCTAssertEqual(try count { $0.party == .liberal }, 2)
      XCTAssertEqual(try count { $0.second == .liberal }, 2)
      XCTAssertEqual(try count { $0.party != .liberal }, 2)
      XCTAssertEqual(try count { $0.party == .tory }, 1)
      XCTAssertEqual(try count { $0.party.isIn([.liberal, .independent]) }, 3)
      XCTAssertEqual(try count { !$0.party.isIn([.liberal]) }, 2)
      XCTAssertEqual(try count { $0.second == nil }, 0)
    }
    try check()
    XCTAssertTrue(
      try context.explain(Fetch<Member> { $0.party == .liberal }).description.contains("party"))
    // Written once, they are as if they had never had another name.
    XCTAssertEqual(try context.update(Fetch<Member> { $0.party == .liberal }) { $0.party.set(to: .liberal) }, 2)
    try check()
    try await context.save()
    XCTAssertEqual(try context.update(Fetch<Member> { $0.party == .liberal }) { $0.party.set(to: .liberal) }, 0)
    try check()
    members[3].party = .tory
    try await context.save()
    XCTAssertEqual(try count { $0.party == .tory }, 2)
  }
}
