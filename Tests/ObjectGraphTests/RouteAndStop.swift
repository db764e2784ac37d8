import RepriseObjectModel
import RepriseTestModels

// A many-to-many with an order at both ends, and one that is its own inverse, written by hand.

final class Route: TestModel {
  static let entity = Entity(
    Route.self, name: "Route",
    properties: [
      .attribute("name", String.self), .toMany("stops", Stop.self, inverse: "routes", isOrdered: true),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(_ name: String) {
    _storage = ObjectStorage(Route.entity)
    self.name = name
  }
  @Stored(0) var name: String
  var stops: OrderedToMany<Stop> {
    get { OrderedToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }
}

final class Stop: TestModel {
  static let entity = Entity(
    Stop.self, name: "Stop",
    properties: [.attribute("name", String.self), .toMany("routes", Route.self, isOrdered: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(_ name: String) {
    _storage = ObjectStorage(Stop.entity)
    self.name = name
  }
  @Stored(0) var name: String
  var routes: OrderedToMany<Route> { OrderedToMany(1, of: self) }
}

final class Peer: TestModel {
  static let entity = Entity(
    Peer.self, name: "Peer",
    properties: [
      .attribute("name", String.self), .toMany("peers", Peer.self, inverse: "peers", isOrdered: true),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init(_ name: String) {
    _storage = ObjectStorage(Peer.entity)
    self.name = name
  }
  @Stored(0) var name: String
  var peers: OrderedToMany<Peer> { OrderedToMany(1, of: self) }
}
