import RepriseJournal
import RepriseLMDB
import RepriseLog

/// All recovered drafts and scenes.
struct JournalImage {
  var drafts: [String: DraftImage] = [:]
  /// The headers of drafts that the models cannot read.
  var unreadable: [String: DraftHeader] = [:]
  /// The nodes by key, by scene.
  var scenes: [String: [String: [UInt8]]] = [:]
  var problems: [JournalProblem] = []
}

extension JournalRecovery {
  func image(_ view: View, _ map: SchemaMap) throws(StorageError) -> JournalImage {
    var image = JournalImage()
    let (ids, damage) = try draftIDs(view)
    image.problems = problems + damage
    for id in ids.sorted() {
      guard let found = try draft(.draft(id), view, map) else { continue }
      image.problems += found.problems
      switch found.draft {
      case .readable(let it): image.drafts[id] = it
      case .unreadable(let header, _): image.unreadable[id] = header
      }
    }
    for scene in try scenes(view).sorted() {
      let archive = try self.scene(.scene(scene), view).all(view)
      image.problems += archive.problems
      if !archive.nodes.isEmpty { image.scenes[scene] = archive.nodes.byKey }
    }
    return image
  }
}
