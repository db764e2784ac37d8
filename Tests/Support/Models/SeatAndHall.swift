import RepriseObjectModel
import RepriseQuery

// Models with unique properties of which nil equals nil, written by hand.

package final class Seat: TestModel {
  package static let entity = Entity(
    Seat.self, name: "Seat",
    properties: [
      .attribute("row", Int?.self),
      .attribute("price", Int.self),
      .toOne("hall", Hall.self, inverse: "seats"),
      .unique(["hall", "row"], nilsAreEqual: true),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ hall: Hall?, row: Int?) {
    _storage = ObjectStorage(Seat.entity)
    self.hall = hall
    self.row = row
  }

  @Stored(0) package var row: Int?
  @Stored(1) package var price: Int
  @Linked(2) package var hall: Hall?

  package static var _keyPaths: [AnyKeyPath: String] {
    [\Seat.id: "", \Seat.row: "row", \Seat.price: "price", \Seat.hall: "hall"]
  }

  package struct Fields: FieldSet {
    package typealias Model = Seat
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var row: Field<Seat, Int> { Field(path.appending("row")) }
    package var price: Field<Seat, Int> { Field(path.appending("price")) }
    package var hall: ToOneField<Seat, Hall> { ToOneField(path.appending("hall")) }
  }
}

package final class Hall: TestModel {
  package static let entity = Entity(
    Hall.self, name: "Hall", properties: [.attribute("name", String.self), .toMany("seats", Seat.self)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ name: String) {
    _storage = ObjectStorage(Hall.entity)
    self.name = name
  }

  @Stored(0) package var name: String
  package var seats: ToMany<Seat> { ToMany(1, of: self) }

  package static var _keyPaths: [AnyKeyPath: String] {
    [\Hall.id: "", \Hall.name: "name", \Hall.seats: "seats"]
  }

  package struct Fields: FieldSet {
    package typealias Model = Hall
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var name: Field<Hall, String> { Field(path.appending("name")) }
    package var seats: ToManyField<Hall, Seat> { ToManyField(path.appending("seats")) }
  }
}

/// With a text under a collation beside a number.
package final class Ticket: TestModel {
  package static let entity = Entity(
    Ticket.self, name: "Ticket",
    properties: [
      .attribute("holder", String?.self),
      .attribute("day", Int?.self),
      .unique([IndexColumn("holder", .ignoringCase), "day"], nilsAreEqual: true),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ holder: String?, day: Int?) {
    _storage = ObjectStorage(Ticket.entity)
    self.holder = holder
    self.day = day
  }

  @Stored(0) package var holder: String?
  @Stored(1) package var day: Int?

  package static var _keyPaths: [AnyKeyPath: String] {
    [\Ticket.id: "", \Ticket.holder: "holder", \Ticket.day: "day"]
  }

  package struct Fields: FieldSet {
    package typealias Model = Ticket
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var holder: Field<Ticket, String> { Field(path.appending("holder")) }
    package var day: Field<Ticket, Int> { Field(path.appending("day")) }
  }
}
