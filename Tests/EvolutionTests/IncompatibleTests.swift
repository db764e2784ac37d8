import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

private final class Mail: Version {
  static let entity = Entity(
    Mail.self, name: "Mail",
    properties: [
      .attribute("subject", String?.self), .attribute("size", Int.self), .toOne("box", Box.self, inverse: "mails"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Box: Version {
  static let entity = Entity(Box.self, name: "Box", properties: [.toMany("mails", Mail.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// A subject is required.
private final class TitledMail: Version {
  static let entity = Entity(
    TitledMail.self, name: "Mail",
    properties: [
      .attribute("subject", String.self, default: "?"), .attribute("size", Int.self),
      .toOne("box", TitledMailBox.self, inverse: "mails"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class TitledMailBox: Version {
  static let entity = Entity(TitledMailBox.self, name: "Box", properties: [.toMany("mails", TitledMail.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// A size is a text.
private final class TextMail: Version {
  static let entity = Entity(
    TextMail.self, name: "Mail",
    properties: [
      .attribute("subject", String?.self), .attribute("size", String.self),
      .toOne("box", TextMailBox.self, inverse: "mails"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class TextMailBox: Version {
  static let entity = Entity(TextMailBox.self, name: "Box", properties: [.toMany("mails", TextMail.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// A mail may lie in several boxes.
private final class SharedMail: Version {
  static let entity = Entity(
    SharedMail.self, name: "Mail",
    properties: [
      .attribute("subject", String?.self), .attribute("size", Int.self), .toMany("boxes", SharedBox.self, was: "box"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class SharedBox: Version {
  static let entity = Entity(
    SharedBox.self, name: "Box", properties: [.toMany("mails", SharedMail.self, inverse: "boxes")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// What the models say otherwise than the store is refused with what to do about it.
final class IncompatibleTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(_ models: any PersistentModel.Type..., plan: MigrationPlan? = nil) async throws -> Store {
    try await Store.open(path, for: Schema(models), migrations: plan)
  }

  private func fill() async throws {
    let store = try await open(Mail.self, Box.self)
    let context = RootContext(store)
    context.insert(Mail(["subject": "Hello", "size": 3]))
    context.insert(Mail(["size": 4]))
    try await context.save()
    try await store.close()
  }

  private func refusal(_ models: any PersistentModel.Type...) async throws -> StoreError? {
    do {
      try await Store.open(path, for: Schema(models)).close()
    } catch let error as StoreError {
      return error
    }
    return nil
  }

  func testTheRefusalOfAnotherTypeNamesTheConversion() async throws {
    try await fill()
    let required = try await refusal(TitledMail.self, TitledMailBox.self)
    guard case .incompatible("Mail", "subject", "optional String", "String")? = required else {
      return XCTFail("\(String(describing: required))")
    }
    let text = try await refusal(TextMail.self, TextMailBox.self)
    guard case .incompatible("Mail", "size", "integer", "String")? = text else {
      return XCTFail("\(String(describing: text))")
    }
    for error in [required, text] {
      XCTAssertTrue(error?.description.contains("Let a migration convert") ?? false, "\(String(describing: error))")
    }
  }

  func testAnOptionalIsConvertedToARequiredAttribute() async throws {
    try await fill()
    let plan = MigrationPlan(
      Migration(
        to: 1, "Every mail has a subject",
        AttributeConversion("subject", of: "Mail", from: String?.self, to: String.self) { $0 ?? "(none)" }))
    let preview = try await StoreMaintenance.preview(plan, of: path, for: Schema(TitledMail.self, TitledMailBox.self))
    XCTAssertEqual(preview.conversions.map(\.objects), [2])
    let store = try await open(TitledMail.self, TitledMailBox.self, plan: plan)
    XCTAssertEqual(
      try RootContext(store).fetch(Fetch<TitledMail>()).map { $0["subject"] }, [.string("Hello"), .string("(none)")])
    try await assertSound(store)
    try await store.close()
    do {
      _ = try await open(Mail.self, Box.self)
      XCTFail("an older program")
    } catch StoreError.migration(.outdatedProgram) {}
  }

  func testTheRefusalOfAnotherKindOfRelationshipTellsBothKindsApart() async throws {
    try await fill()
    let error = try await refusal(SharedMail.self, SharedBox.self)
    guard case .incompatible(_, _, let stored, let model)? = error else {
      return XCTFail("\(String(describing: error))")
    }
    XCTAssertNotEqual(stored, model)
    XCTAssertTrue(
      [
        "a to-one relationship to Box whose inverse is the to-many 'mails'",
        "a to-many relationship to Mail whose inverse is the to-one 'box'",
      ].contains(stored), stored)
    XCTAssertTrue(
      [
        "a to-many relationship to Box whose inverse is the to-many 'mails'",
        "a to-many relationship to Mail whose inverse is the to-many 'boxes'",
      ].contains(model), model)
    // And back.
    try FileManager.default.removeItem(atPath: path)
    try await open(SharedMail.self, SharedBox.self).close()
    let back = try await refusal(Mail.self, Box.self)
    guard case .incompatible("Box", "mails", let stored, let model)? = back else {
      return XCTFail("\(String(describing: back))")
    }
    XCTAssertEqual(stored, "a to-many relationship to Mail whose inverse is the to-many 'boxes'")
    XCTAssertEqual(model, "a to-many relationship to Mail whose inverse is the to-one 'box'")
  }
}
