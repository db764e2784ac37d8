import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension IndexReader {
  /// Visits the objects that have a row in each of several ranges of a search index, in order of creation, until `body`
  /// returns false.
  ///
  /// The streams of the ranges take turns. Each one skips to the object that the previous one found, so the rarest word
  /// leads. Costs a fraction of a step for each row of the rarest range, up to the last object visited, and all rows of
  /// each range that is the beginning of a word.
  func forEachObject(
    _ map: EntityMap, _ slot: Int, with words: [WordRange], _ view: View,
    _ body: (UniqueID) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard let number = map.indexes[slot], !words.isEmpty else { return }
    let index = CountedIndex(number: number, table: store.tables.indexes)
    var streams: [WordRows] = []
    for range in words { streams.append(try WordRows(range, of: index, in: view)) }
    var cursor = try view.cursor(store.tables.indexes)
    var wanted = UniqueID.zero
    // The number of streams in a row that have the wanted object.
    var agreed = 0
    var turn = 0
    while true {
      guard let found = try streams[turn].first(from: wanted, &cursor) else { return }
      agreed = found == wanted ? agreed + 1 : 1
      wanted = found
      if agreed == streams.count {
        guard try body(found), let next = found.next else { return }
        wanted = next
        agreed = 0
      }
      turn = turn + 1 == streams.count ? 0 : turn + 1
    }
  }

  /// The objects at the head that have a row in each of several ranges of a search index, in order of creation.
  package func objects(_ map: EntityMap, slot: Int, with words: [WordRange]) throws(StoreError) -> [UniqueID] {
    try store.read { (view, _) throws(StorageError) in
      var uuids: [UniqueID] = []
      try forEachObject(map, slot, with: words, view) { uuid in
        uuids.append(uuid)
        return true
      }
      return uuids
    }
  }
}
