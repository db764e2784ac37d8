import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

private func text(_ value: PropertyValue) -> String { if case .string(let text) = value { text } else { "" } }

private let attributes: [Property] = [.attribute("email", String.self), .attribute("city", String.self)]

/// A program that does not derive anything.
private final class BareMember: Version {
  static let entity = Entity(BareMember.self, name: "Member", properties: attributes)
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// A program that derives a text, its words and its order from an attribute.
private final class NamedMember: Version {
  static let entity = Entity(
    NamedMember.self, name: "Member",
    properties: attributes + [
      .derived("label", String.self, of: NamedMember.self, indexed: true) {
        "\(text($0["email"])) of \(text($0["city"]))"
      },
      .searchIndex("label"),
      .index(["city", "label"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The derived attribute is an ordinary one by now.
private final class PlainMember: Version {
  static let entity = Entity(
    PlainMember.self, name: "Member", properties: attributes + [.attribute("label", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// An erased value is also gone from the attributes that were computed from it.
final class DerivedErasureTests: XCTestCase {
  private static let secret = "hushhush"
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(_ model: any PersistentModel.Type, _ keyframes: KeyframeSpacing? = nil) throws -> Store {
    var options = StoreOptions()
    options.isUnflushed = true
    if let keyframes { options.keyframes = keyframes }
    return try Store.openNow(path, for: Schema([model]), options)
  }

  /// The files that have the secret, in any case: the rows of some indexes are folded.
  private func holders(file: StaticString = #filePath, line: UInt = #line) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
      guard let data = FileManager.default.contents(atPath: path + "/" + name) else { return false }
      return [Self.secret, Self.secret.uppercased()].contains { data.range(of: Data($0.utf8)) != nil }
    }
  }

  private func error(_ erasure: Erasure) async -> ErasureError? {
    do {
      try await StoreMaintenance.erase([erasure], in: path)
      return nil
    } catch { return error as? ErasureError }
  }

  private func saveMember() async throws -> AnyObjectID {
    let store = try open(NamedMember.self)
    let context = RootContext(store)
    let member = context.insert(NamedMember(["email": Self.secret, "city": "Rome"]))
    try await context.save()
    try await store.close()
    return member.id.any
  }

  func testNoByteStaysInADerivedAttribute() async throws {
    var frequent = KeyframeSpacing()
    (frequent.versions, frequent.bytes) = (1, .max)
    for keyframes in [KeyframeSpacing(), frequent] {
      for isDropped in [false, true] {
        let store = try open(NamedMember.self, keyframes)
        let context = RootContext(store)
        let member = context.insert(NamedMember(["email": Self.secret, "city": "Rome"]))
        let gone = context.insert(NamedMember(["email": "gone " + Self.secret, "city": "Rome"]))
        let other = context.insert(NamedMember(["email": "other", "city": "Rome"]))
        let first = try await context.save()
        member["email"] = .string(String(repeating: "long ", count: 200) + Self.secret)
        try await context.save()
        member["email"] = .string("open")
        context.delete(gone)
        other["city"] = .string("Oslo")
        let last = try await context.save()
        if isDropped { try await store.log.retain(.from(first + 1)) }
        let hash = try store.log.headToken()
        try await store.close()
        XCTAssertEqual(try holders(), ["data.mdb"])

        try await StoreMaintenance.erase([Erasure(of: member.id.any, ["email"]), Erasure(of: gone.id.any)], in: path)
        XCTAssertEqual(try holders(), [])

        let again = try open(NamedMember.self)
        let report = try await StoreMaintenance.verify(again, against: hash)
        XCTAssertEqual(report.problems, [])
        let reader = RootContext(again)
        XCTAssertEqual(try reader.object(member.id)["label"], .string("open of Rome"))
        let past = try again.context(at: last - 1)
        XCTAssertEqual(try past.object(member.id)["city"], .string("Rome"))
        XCTAssertEqual(try past.object(other.id)["email"], .string("other"))
        try await again.close()
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }

  /// The program that derives the attribute is needed, because nobody else can compute it.
  func testAnOutdatedDerivedAttributeIsNotErased() async throws {
    let id = try await saveMember()
    let bare = try open(BareMember.self)
    let context = RootContext(bare)
    try XCTUnwrap(try context.fetch(Fetch<BareMember>()).first)["email"] = .string("open")
    try await context.save()
    try await bare.close()
    for erasure in [Erasure(of: id, ["email"]), Erasure(of: id)] {
      let refusal = await error(erasure)
      XCTAssertEqual(refusal, .outdatedDerivations(["Member.label"]))
    }
    try await open(NamedMember.self).close()
    let refusal = await error(Erasure(of: id, ["email"]))
    XCTAssertNil(refusal)
    XCTAssertEqual(try holders(), [])
  }

  func testPastValuesOfAFormerlyDerivedAttribute() async throws {
    let id = try await saveMember()
    let plain = try open(PlainMember.self)
    let context = RootContext(plain)
    let member = try XCTUnwrap(try context.fetch(Fetch<PlainMember>()).first)
    (member["email"], member["label"]) = (.string("open"), .string("free"))
    try await context.save()
    try await plain.close()
    let refusal = await error(Erasure(of: id, ["email"]))
    XCTAssertNil(refusal)
    XCTAssertEqual(try holders(), [])
    let again = try open(PlainMember.self)
    let problems = try await StoreMaintenance.verify(again).problems
    XCTAssertEqual(problems, [])
    XCTAssertEqual(try RootContext(again).fetch(Fetch<PlainMember>()).map { $0["label"] }, [.string("free")])
    try await again.close()
  }

  /// A salvage also keeps the knowledge which attributes are derived.
  func testNoByteStaysAfterASalvage() async throws {
    let store = try open(NamedMember.self)
    let context = RootContext(store)
    let member = context.insert(NamedMember(["email": Self.secret, "city": "Rome"]))
    try await context.save()
    member["email"] = .string("open")
    try await context.save()
    try await store.close()
    let copy = path + "-salvaged"
    try await StoreMaintenance.salvage(path, to: copy)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: copy, toPath: path)
    let refusal = await error(Erasure(of: member.id.any, ["email"]))
    XCTAssertNil(refusal)
    XCTAssertEqual(try holders(), [])
  }
}
