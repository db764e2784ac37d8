import Foundation
import RepriseCore
import RepriseEventStore
import RepriseLog
import RepriseObjectModel
import XCTest

/// The reasons why a mapping cannot be carried out, in full.
final class MappingTextTests: XCTestCase {
  /// Cats, with their owners and their vets.
  private func stored(_ more: any PersistentModel.Type...) throws -> StoredSchema {
    let cat = ShapeA.named(
      "Cat", .attribute("name", String.self), .attribute("lives", Int.self),
      .toOne("owner", ShapeB.self, inverse: "cats"), .toMany("vets", ShapeC.self, inverse: "cats"))
    let owner = ShapeB.named("Owner", .attribute("name", String.self), .toMany("cats", ShapeA.self))
    let vet = ShapeC.named("Vet", .toMany("cats", ShapeA.self, inverse: "vets"))
    let models = try ResolvedSchema(Schema([cat, owner, vet] + more))
    return try SchemaReconciliation(models, StoredSchema()).schema
  }

  private func expect(
    _ text: String, _ mapping: EntityMapping, converting conversion: AttributeConversion? = nil,
    to models: any PersistentModel.Type..., from stored: StoredSchema? = nil, line: UInt = #line
  ) throws {
    let stored = try stored ?? self.stored()
    let migration = conversion.map { Migration(to: 1, "Pets", $0, mapping: [mapping]) }
    let plan = migration ?? Migration(to: 1, "Pets", mapping: [mapping])
    var arrangement = MappingArrangement(
      plan, of: MigrationPlan(plan), try ResolvedSchema(Schema(models)), stored, taken: [])
    XCTAssertThrowsError(try arrangement.arrange(), line: line) {
      XCTAssertEqual(
        "\($0)", "The migration 'Pets' cannot map \(text). Correct the migration or the models.", line: line)
    }
  }

  func testAMoveToNowhere() throws {
    try expect("Cat to Cat: both names belong to the same entity", .move("Cat", to: "Cat"))
    try expect(
      "Cat to Ghost: the relationship 'owner' cannot move, because the models lack the entity Ghost",
      .move("Cat", to: "Ghost"))
  }

  func testAttributesOfAnotherKind() throws {
    let lives = AttributeConversion("lives", of: "Cat", from: Int.self, to: String.self) { "\($0)" }
    try expect(
      "Cat: the migration also converts lives. Convert it in a migration to an earlier version",
      .move("Cat", to: "Pet"),
      converting: lives)
    let pet = ShapeD.named("Pet", .attribute("lives", String.self))
    try expect(
      """
      Pet.lives: its values have the kind integer in the store and String in the models, so an earlier migration of \
      the plan must convert them
      """, .move("Cat", to: "Pet"), to: pet)
    try expect(
      "Pet.lives: it must hold values of the kind integer, but it is String in the store", .move("Cat", to: "Pet"),
      to: pet,
      from: stored(pet))
    let owned = ShapeD.named("Pet", .toOne("lives", ShapeE.self, inverse: "pets"))
    let stage = ShapeE.named("Stage", .toMany("pets", ShapeD.self))
    try expect(
      """
      Pet.lives: it must hold values of the kind integer, but it is a to-one relationship to Stage whose inverse is \
      the to-many 'pets' in the store
      """, .move("Cat", to: "Pet"), to: owned, stage, from: stored(owned, stage))
  }

  func testRelationshipsThatLeadElsewhere() throws {
    var pet = ShapeD.named("Pet", .toOne("owner", ShapeE.self, inverse: "pets"))
    try expect(
      "Cat to Pet: 'owner' leads to Shelter in the models, but to Owner in the store", .move("Cat", to: "Pet"),
      to: pet, ShapeE.named("Shelter", .toMany("pets", ShapeD.self)))
    pet = ShapeD.named("Pet", .toMany("owner", ShapeE.self))
    try expect(
      "Cat to Pet: the store keeps the references of 'owner' in Cat, but the models keep them in Keeper",
      .move("Cat", to: "Pet"),
      to: pet, ShapeE.named("Keeper", .toOne("pet", ShapeD.self, inverse: "owner")))
    pet = ShapeD.named("Pet", .toOne("vets", ShapeE.self, inverse: "pets"))
    try expect(
      "Cat to Pet: the relationship 'vets' is many-to-many in the store, but not in the models",
      .move("Cat", to: "Pet"), to: pet, ShapeE.named("Clinic", .toMany("pets", ShapeD.self)))
  }

  func testPartsWithoutARelationship() throws {
    try expect(
      "Address from Cat: no model has a relationship 'address' of Cat to Address",
      .extract("Address", from: "Cat", as: "address", moving: []))
    let cat = ShapeD.named("Cat", .toOne("home", ShapeE.self, inverse: "cats"))
    try expect(
      """
      Home from Cat: the store has no attribute Cat.owner. If it was renamed, list the rename in the migration \
      (`renaming:`)
      """, .extract("Home", from: "Cat", as: "home", moving: ["owner"]), to: cat,
      ShapeE.named("Home", .toMany("cats", ShapeD.self)))
    try expect(
      "Owner into Cat: 'name' is not a to-one relationship of Cat to Owner",
      .inline("Owner", into: "Cat", through: "name"))
  }
}
