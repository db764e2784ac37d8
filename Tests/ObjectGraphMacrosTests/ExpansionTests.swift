#if Macros && canImport(SwiftSyntaxMacrosTestSupport)
import SwiftSyntaxMacros
import SwiftSyntaxMacrosTestSupport
import XCTest

@testable import RepriseObjectGraphMacros

/// What the macros write, for a few shapes. That it also does what it should is in the tests of real models.
final class ExpansionTests: XCTestCase {
  func testAttributesAndRelationships() {
    assertMacroExpansion(
      """
      @Model final class Item {
        @Attribute(.indexed, .searchable) var name: String
        var price: Double? = 1.5
        var condition: Condition = .used
        @Relationship(deleteRule: .nullify, inverse: \\Person.items) var owner: Person?
        var parts: ToMany<Part>
        @Transient var isShown: Bool = false
        var title: String { name }
        static let all: Int = 1
        init(name: String) { self.name = name }
      }
      """,
      expandedSource: """
        final class Item {
          @Attribute(.indexed, .searchable)
          @RepriseObjectGraph._StoredAttribute(0) var name: String
          @RepriseObjectGraph._StoredAttribute(1)
          var price: Double? = 1.5
          @RepriseObjectGraph._StoredAttribute(2)
          var condition: Condition = .used
          @Relationship(deleteRule: .nullify, inverse: \\Person.items)
          @RepriseObjectGraph._StoredToOne(3) var owner: Person?
          @RepriseObjectGraph._StoredToMany(4)
          var parts: ToMany<Part>
          @Transient var isShown: Bool = false
          var title: String { name }
          static let all: Int = 1
          init(name: String) { self.name = name }

          typealias ID = RepriseObjectModel.ObjectID<Item>

          nonisolated static let entity = RepriseObjectModel.Entity(
            Item.self, name: "Item",
            properties: [
              .attribute("name", String.self, indexed: true),
              .attribute("price", Double?.self, default: 1.5),
              .attribute("condition", Condition.self, default: (.used) as Condition),
              .toOne("owner", Person.self, inverse: "items", deleteRule: .nullify),
              .toMany("parts", Part.self),
              .searchIndex("name"),
            ])

          var _storage = RepriseObjectModel.ObjectStorage(Item.entity)

          required init(_storage: RepriseObjectModel.ObjectStorage) {
            self._slot_name = RepriseObjectModel.PropertySlot()
            self._slot_price = RepriseObjectModel.PropertySlot()
            self._slot_condition = RepriseObjectModel.PropertySlot()
            self._storage = _storage
          }

          nonisolated struct Fields: RepriseObjectModel.FieldSet {
            typealias Model = Item
            private let _path: RepriseObjectModel.FieldPath
            init(_ path: RepriseObjectModel.FieldPath) {
              _path = path
            }
            var name: RepriseQuery.Field<Item, String> {
              RepriseQuery.Field<Item, String>(_path.appending("name"))
            }
            var price: RepriseQuery.Field<Item, Double> {
              RepriseQuery.Field<Item, Double>(_path.appending("price"))
            }
            var condition: RepriseQuery.Field<Item, Condition> {
              RepriseQuery.Field<Item, Condition>(_path.appending("condition"))
            }
            var owner: RepriseQuery.ToOneField<Item, Person> {
              RepriseQuery.ToOneField<Item, Person>(_path.appending("owner"))
            }
            var parts: RepriseQuery.ToManyField<Item, Part> {
              RepriseQuery.ToManyField<Item, Part>(_path.appending("parts"))
            }
          }

          nonisolated static var _keyPaths: [Swift.AnyKeyPath: Swift.String] {
            [
              \\Item.id: "",
              \\Item.name: "name",
              \\Item.price: "price",
              \\Item.condition: "condition",
              \\Item.owner: "owner",
              \\Item.parts: "parts",
            ]
          }

          nonisolated struct Snapshot: Swift.Sendable, Swift.Identifiable, Swift.Codable {
            let id: RepriseObjectModel.ObjectID<Item>
            let name: String
            let price: Double?
            let condition: Condition
            let owner: RepriseObjectModel.ObjectID<Person>?
            init(id: RepriseObjectModel.ObjectID<Item>, name: String, price: Double?, condition: Condition, \
        owner: RepriseObjectModel.ObjectID<Person>?) {
              self.id = id
              self.name = name
              self.price = price
              self.condition = condition
              self.owner = owner
            }
            init(from decoder: any Swift.Decoder) throws {
              let values = try RepriseObjectModel.SnapshotDecoder(decoder)
              self.id = try values.id()
              self.name = try values.attribute("name")
              self.price = try values.attribute("price")
              self.condition = try values.attribute("condition")
              self.owner = try values.reference("owner")
            }
            func encode(to encoder: any Swift.Encoder) throws {
              var values = RepriseObjectModel.SnapshotEncoder(encoder)
              try values.id(self.id)
              try values.attribute("name", self.name)
              try values.attribute("price", self.price)
              try values.attribute("condition", self.condition)
              try values.reference("owner", self.owner)
            }
          }

          nonisolated var snapshot: Snapshot {
            Snapshot(
              id: self.id,
              name: self.name,
              price: self.price,
              condition: self.condition,
              owner: _storage.toOneID(3))
          }

          private nonisolated static func _checkInverses() {
            #sourceLocation(file: "test.swift", line: 5)
            RepriseObjectModel._Inverse.leads(\\Person.items, from: Person.self, to: Item.self)
            #sourceLocation()
          }
        }
        """, macros: ["Model": ModelMacro.self], indentationWidth: .spaces(2))
  }

  func testAPublicClassHasPublicMembers() {
    assertMacroExpansion(
      """
      @Model("Human") public final class Person {
        public private(set) var `class`: String? = nil
        private var age: Int = -1
      }
      """,
      expandedSource: """
        public final class Person {
          @RepriseObjectGraph._StoredAttribute(0)
          public private(set) var `class`: String? = nil
          @RepriseObjectGraph._StoredAttribute(1)
          private var age: Int = -1

          public typealias ID = RepriseObjectModel.ObjectID<Person>

          public nonisolated static let entity = RepriseObjectModel.Entity(
            Person.self, name: "Human",
            properties: [
              .attribute("class", String?.self),
              .attribute("age", Int.self, default: -1),
            ])

          public var _storage = RepriseObjectModel.ObjectStorage(Person.entity)

          public required init(_storage: RepriseObjectModel.ObjectStorage) {
            self._slot_class = RepriseObjectModel.PropertySlot()
            self._slot_age = RepriseObjectModel.PropertySlot()
            self._storage = _storage
          }

          init() {
          }

          public nonisolated struct Fields: RepriseObjectModel.FieldSet {
            public typealias Model = Person
            private let _path: RepriseObjectModel.FieldPath
            public init(_ path: RepriseObjectModel.FieldPath) {
              _path = path
            }
            public var `class`: RepriseQuery.Field<Person, String> {
              RepriseQuery.Field<Person, String>(_path.appending("class"))
            }
            fileprivate var age: RepriseQuery.Field<Person, Int> {
              RepriseQuery.Field<Person, Int>(_path.appending("age"))
            }
          }

          public nonisolated static var _keyPaths: [Swift.AnyKeyPath: Swift.String] {
            [
              \\Person.id: "",
              \\Person.`class`: "class",
              \\Person.age: "age",
            ]
          }

          public nonisolated struct Snapshot: Swift.Sendable, Swift.Identifiable, Swift.Codable {
            public let id: RepriseObjectModel.ObjectID<Person>
            public let `class`: String?
            fileprivate let age: Int
            fileprivate init(id: RepriseObjectModel.ObjectID<Person>, class: String?, age: Int) {
              self.id = id
              self.`class` = `class`
              self.age = age
            }
            public init(from decoder: any Swift.Decoder) throws {
              let values = try RepriseObjectModel.SnapshotDecoder(decoder)
              self.id = try values.id()
              self.`class` = try values.attribute("class")
              self.age = try values.attribute("age")
            }
            public func encode(to encoder: any Swift.Encoder) throws {
              var values = RepriseObjectModel.SnapshotEncoder(encoder)
              try values.id(self.id)
              try values.attribute("class", self.`class`)
              try values.attribute("age", self.age)
            }
          }

          public nonisolated var snapshot: Snapshot {
            Snapshot(
              id: self.id,
              class: self.`class`,
              age: self.age)
          }
        }
        """, macros: ["Model": ModelMacro.self], indentationWidth: .spaces(2))
  }

  func testAccessors() {
    assertMacroExpansion(
      """
      final class Item {
        @_StoredAttribute(3) var `default`: String = "a"
        @_StoredToOne(4) var owner: Person?
        @_StoredToMany(5) var parts: ToMany<Part>
      }
      """,
      expandedSource: """
        final class Item {
          var `default`: String {
            @storageRestrictions(accesses: _storage, initializes: _slot_default)
            init(initialValue) {
              _slot_default = RepriseObjectModel.PropertySlot()
              _storage.initialize(3, initialValue)
            }
            get {
              _storage.get(3)
            }
            set {
              _storage.set(3, newValue)
            }
          }

          private var _slot_default: RepriseObjectModel.PropertySlot
          var owner: Person? {
            get {
              _storage.toOne(4)
            }
            set {
              _storage.setToOne(4, newValue, of: self)
            }
          }
          var parts: ToMany<Part> {
            get {
              RepriseObjectModel.ToMany(5, of: self)
            }
            set {
              _storage.setToMany(5, newValue, of: self)
            }
          }
        }
        """,
      macros: [
        "_StoredAttribute": StoredAttributeMacro.self, "_StoredToOne": StoredToOneMacro.self,
        "_StoredToMany": StoredToManyMacro.self,
      ], indentationWidth: .spaces(2))
  }
}
#endif
