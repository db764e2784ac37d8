import RepriseObjectModel
import RepriseTestModels
import RepriseTestSeeds
import XCTest

final class DetachedLinksTests: XCTestCase {
  func testRelationshipsOfDetachedObjectsStayRightThroughManyChanges() {
    var random = SeededGenerator(seed: testSeed())
    let locks = [Lock(code: 0), Lock(code: 0)]
    var keys = (0..<300).map { _ in Key() }
    var expected = [Set<ObjectIdentifier>](repeating: [], count: 2)
    for step in 0..<5_000 {
      let place = Int.random(in: keys.indices, using: &random)
      let key = keys[place]
      let id = ObjectIdentifier(key)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        key.lock = nil
        for lock in 0...1 { expected[lock].remove(id) }
      case 1...2:
        key.lock = locks[step % 2]
        expected[step % 2].insert(id)
        expected[1 - step % 2].remove(id)
      case 3...4:
        locks[step % 2].keys.insert(key)
        expected[step % 2].insert(id)
        expected[1 - step % 2].remove(id)
      default:
        // What nobody holds is gone from the other end; what the lock holds stays.
        key.lock = nil
        for lock in 0...1 { expected[lock].remove(id) }
        keys[place] = Key()
      }
      if step % 100 == 0 {
        for lock in 0...1 {
          XCTAssertEqual(Set(locks[lock].keys.map { ObjectIdentifier($0) }), expected[lock], "step \(step)")
          XCTAssertEqual(locks[lock].keys.count, expected[lock].count, "step \(step)")
        }
      }
    }
    for key in keys {
      let place = (0...1).first { expected[$0].contains(ObjectIdentifier(key)) }
      XCTAssertTrue(key.lock === place.map { locks[$0] })
    }
  }

  func testWhatAnAssignmentHoldsLivesAndWhatItIsKnownByDoesNot() {
    let lock = Lock(code: 0)
    var key: Key? = Key()
    weak let seen = key
    key?.lock = lock
    key = nil
    XCTAssertNil(seen)
    XCTAssertEqual(lock.keys.count, 0)
    key = Key()
    weak let held = key
    if let key { lock.keys.insert(key) }
    key = nil
    XCTAssertNotNil(held)
    XCTAssertEqual(lock.keys.count, 1)
  }
}
