import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Pairs of many-to-manys, of which one object is deleted while another context changes the pair.
@MainActor
final class HalfPairTests: XCTestCase {
  /// How the first pair of the first route is moved, and when another context deletes one of its objects.
  private enum Way: CaseIterable {
    case beforeTheDeletion, seenBeforeTheSave, afterTheDeletion, undoneAndRedone, child, reverted, undoneSave
  }

  private struct Known {
    let route: Route.ID
    let stop: Stop.ID
    let isStopDeleted: Bool
    /// Whether the stops of the route are moved, or the routes of the stop.
    let movesStops: Bool

    @MainActor func move(_ context: EditingContext) throws {
      if movesStops {
        try context.object(route).stops.move(from: 0, to: 2)
      } else {
        try context.object(stop).routes.move(from: 0, to: 1)
      }
    }

    @MainActor func delete(_ context: EditingContext) throws {
      if isStopDeleted {
        context.delete(try context.object(stop))
      } else {
        context.delete(try context.object(route))
      }
    }
  }

  private func expectSound(_ store: Store, _ message: String = "", line: UInt = #line) async throws {
    let report = try await StoreMaintenance.verify(store)
    XCTAssertTrue(report.isSound, "\(message): \(report)", line: line)
  }

  private func links(_ store: Store) throws -> Int {
    try store.objects.count(of: try XCTUnwrap(store.map.all.first { $0.entity.isLink }))
  }

  /// Every pair is whole, seen from both ends.
  private func expectWhole(_ context: ObjectContext, _ message: String, line: UInt = #line) throws {
    let (routes, stops) = (try context.fetch(Fetch<Route>()), try context.fetch(Fetch<Stop>()))
    for route in routes {
      XCTAssertEqual(route.stops.count, route.stops.map { $0 }.count, message, line: line)
      for stop in route.stops {
        XCTAssertEqual(stop.state, .live, message, line: line)
        XCTAssertTrue(stop.routes.contains(route), message, line: line)
      }
    }
    for stop in stops {
      XCTAssertEqual(stop.routes.count, stop.routes.map { $0 }.count, message, line: line)
      for route in stop.routes {
        XCTAssertEqual(route.state, .live, message, line: line)
        XCTAssertTrue(route.stops.contains(stop), message, line: line)
      }
    }
    XCTAssertEqual(context.readErrors.count, 0, message, line: line)
  }

  func testAMovedPairWithoutAnEndIsDropped() async throws {
    for way in Way.allCases {
      for isStopDeleted in [true, false] {
        for movesStops in [true, false] { try await run(way, isStopDeleted, movesStops) }
      }
    }
  }

  private func run(_ way: Way, _ isStopDeleted: Bool, _ movesStops: Bool) async throws {
    let message = "\(way), \(isStopDeleted ? "stop" : "route") deleted, \(movesStops ? "stops" : "routes") moved"
    let test = try TestStore(Schema(Route.self, Stop.self))
    let mine = RootContext(test.store, author: "Ada", followsHead: false)
    (mine.undoesSaves, mine.mergePolicy) = (true, .mine)
    let stops = "abc".map { mine.insert(Stop(String($0))) }
    let routes = ["one", "two"].map { mine.insert(Route($0)) }
    for route in routes { route.stops = OrderedToMany(stops) }
    try await mine.save("Add")
    let known = Known(
      route: routes[0].id, stop: stops[0].id, isStopDeleted: isStopDeleted, movesStops: movesStops)
    let theirs = RootContext(test.store, author: "Bob", followsHead: false)
    switch way {
    case .beforeTheDeletion, .seenBeforeTheSave, .undoneAndRedone:
      try known.move(mine)
      try known.delete(theirs)
      try await theirs.save()
      if way != .beforeTheDeletion { try mine.refresh() }
      if way == .undoneAndRedone {
        mine.undo()
        try expectWhole(mine, message)
        mine.redo()
      }
      try expectWhole(RootContext(test.store), message)
    case .afterTheDeletion:
      try known.delete(theirs)
      try await theirs.save()
      try known.move(mine)
    case .child:
      let child = mine.makeChild()
      try known.move(child)
      try known.delete(mine)
      try expectWhole(child, message)
      try child.save(merging: .mine)
      try expectWhole(child, message)
    case .reverted, .undoneSave:
      try known.move(mine)
      let position = try await mine.save("Move")
      try theirs.refresh()
      try known.delete(theirs)
      try await theirs.save()
      try mine.refresh()
      if way == .reverted {
        XCTAssertFalse(try mine.revert(transactionAt: position, merging: .mine), message)
      } else {
        mine.undo()
      }
    }
    if way == .child || way == .reverted || way == .undoneSave { try expectWhole(mine, message) }
    try await mine.save()
    XCTAssertFalse(mine.hasChanges, message)
    // A save of nothing stays where it is.
    try mine.refresh()
    try expectWhole(mine, message)
    try expectWhole(RootContext(test.store), message)
    XCTAssertEqual(try links(test.store), isStopDeleted ? 4 : 3, message)
    try await expectSound(test.store, message)
  }

  func testAMovedPairThatWasRemovedComesBack() async throws {
    let test = try TestStore(Schema(Route.self, Stop.self))
    let (mine, theirs) = (RootContext(test.store, followsHead: false), RootContext(test.store, followsHead: false))
    let route = mine.insert(Route("one"))
    route.stops = OrderedToMany("abc".map { mine.insert(Stop(String($0))) })
    try await mine.save()
    try theirs.refresh()
    route.stops.move(from: 0, to: 2)
    let same = try theirs.object(route.id)
    same.stops.remove(same.stops[0])
    try await theirs.save()
    try await mine.save(merging: .mine)
    XCTAssertEqual(route.stops.map(\.name), ["b", "c", "a"])
    XCTAssertEqual(try RootContext(test.store).object(route.id).stops.map(\.name), ["b", "c", "a"])
    try await expectSound(test.store)
  }

  func testAMovedPairOfAMirrorIsInBothDirections() async throws {
    for isDeleted in [false, true] {
      let test = try TestStore(Schema(Peer.self))
      let (mine, theirs) = (RootContext(test.store, followsHead: false), RootContext(test.store, followsHead: false))
      let peers = ["ada", "ben", "cy"].map { mine.insert(Peer($0)) }
      peers[0].peers.append(contentsOf: peers.dropFirst())
      try await mine.save()
      try theirs.refresh()
      peers[0].peers.move(from: 0, to: 1)
      let ben = try theirs.object(peers[1].id)
      if isDeleted { theirs.delete(ben) } else { try theirs.object(peers[0].id).peers.remove(ben) }
      try await theirs.save()
      try await mine.save(merging: .mine)
      let fresh = RootContext(test.store)
      XCTAssertEqual(try fresh.object(peers[0].id).peers.map(\.name), isDeleted ? ["cy"] : ["cy", "ben"])
      XCTAssertEqual(fresh.find(peers[1].id)?.peers.map(\.name), isDeleted ? nil : ["ada"])
      XCTAssertEqual(try links(test.store), isDeleted ? 2 : 4)
      try await expectSound(test.store)
    }
  }

  /// A closure keeps one of two objects that were deleted here with their pair.
  func testAPairOfAKeptAndADeletedObjectIsDeleted() async throws {
    let test = try TestStore(Schema(Route.self, Stop.self))
    let (mine, theirs) = (RootContext(test.store, followsHead: false), RootContext(test.store, followsHead: false))
    let (route, stop) = (mine.insert(Route("one")), mine.insert(Stop("a")))
    route.stops.append(stop)
    try await mine.save()
    try theirs.refresh()
    mine.delete(route)
    mine.delete(stop)
    try theirs.object(stop.id).name = "theirs"
    try await theirs.save()
    try await mine.save(merging: .custom { $0.kind == .deletedByMe ? .theirs : .mine })
    let fresh = RootContext(test.store)
    XCTAssertEqual(try fresh.object(stop.id).name, "theirs")
    XCTAssertNil(fresh.find(route.id))
    try expectWhole(fresh, "")
    XCTAssertEqual(try links(test.store), 0)
    try await expectSound(test.store)
  }
}
