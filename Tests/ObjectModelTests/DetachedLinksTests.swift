import RepriseTestSeeds
import XCTest

@testable import RepriseObjectModel

private final class Leaf: PersistentModel {
  static let entity = Entity(
    Leaf.self, name: "Leaf", properties: [.toOne("tree", Tree.self, inverse: "leaves")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(Leaf.entity) }
  struct Fields: FieldSet {
    typealias Model = Leaf
    init(_ path: FieldPath) {}
  }
  struct Snapshot: Hashable, Sendable {}
  var snapshot: Snapshot { Snapshot() }
  var tree: Tree? {
    get { _storage.toOne(0) }
    set { _storage.setToOne(0, newValue, of: self) }
  }
}

private final class Tree: PersistentModel {
  static let entity = Entity(Tree.self, name: "Tree", properties: [.toMany("leaves", Leaf.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  init() { _storage = ObjectStorage(Tree.entity) }
  struct Fields: FieldSet {
    typealias Model = Tree
    init(_ path: FieldPath) {}
  }
  struct Snapshot: Hashable, Sendable {}
  var snapshot: Snapshot { Snapshot() }
  var leaves: ToMany<Leaf> { ToMany(0, of: self) }
}

final class DetachedLinksTests: XCTestCase {
  func testRelationshipsOfDetachedObjectsStayRightThroughManyChanges() {
    var random = SeededGenerator(seed: testSeed())
    let trees = [Tree(), Tree()]
    var leaves = (0..<300).map { _ in Leaf() }
    var expected = [Set<ObjectIdentifier>](repeating: [], count: 2)
    for step in 0..<5_000 {
      let place = Int.random(in: leaves.indices, using: &random)
      let leaf = leaves[place]
      let id = ObjectIdentifier(leaf)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        leaf.tree = nil
        for tree in 0...1 { expected[tree].remove(id) }
      case 1...2:
        leaf.tree = trees[step % 2]
        expected[step % 2].insert(id)
        expected[1 - step % 2].remove(id)
      case 3...4:
        trees[step % 2].leaves.insert(leaf)
        expected[step % 2].insert(id)
        expected[1 - step % 2].remove(id)
      default:
        // What nobody holds is gone from the other end; what the tree holds stays.
        leaf.tree = nil
        for tree in 0...1 { expected[tree].remove(id) }
        leaves[place] = Leaf()
      }
      if step % 100 == 0 {
        for tree in 0...1 {
          XCTAssertEqual(Set(trees[tree].leaves.map { ObjectIdentifier($0) }), expected[tree], "step \(step)")
          XCTAssertEqual(trees[tree].leaves.count, expected[tree].count, "step \(step)")
        }
      }
    }
    for leaf in leaves {
      let place = (0...1).first { expected[$0].contains(ObjectIdentifier(leaf)) }
      XCTAssertTrue(leaf.tree === place.map { trees[$0] })
    }
  }

  func testWhatAnAssignmentHoldsLivesAndWhatItIsKnownByDoesNot() {
    let tree = Tree()
    var leaf: Leaf? = Leaf()
    weak let seen = leaf
    leaf?.tree = tree
    leaf = nil
    XCTAssertNil(seen)
    XCTAssertEqual(tree.leaves.count, 0)
    leaf = Leaf()
    weak let held = leaf
    if let leaf { tree.leaves.insert(leaf) }
    leaf = nil
    XCTAssertNotNil(held)
    XCTAssertEqual(tree.leaves.count, 1)
  }
}
