import Foundation
import RepriseCore
import XCTest

/// The store in Data, and the program that made it.
@MainActor enum FirstReleaseStore {
  static let schema = Schema(Album.self, Artist.self, Biography.self)
  static let data = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Data")

  struct Row: Codable, Sendable, Equatable { var album: Album.ID? }

  final class Screen {
    static let kind = NodeKind<Row, Screen>("screen")
    let node: RestorationNode<Row>
    init(_ node: RestorationNode<Row>) { self.node = node }
  }

  /// A copy that a test may write to. The file has another name in Data, as no other tool takes it for a database then.
  static func copy(to path: String) throws {
    let files = FileManager.default
    try files.createDirectory(atPath: path + "/journals", withIntermediateDirectories: true)
    try files.copyItem(at: data.appendingPathComponent("data"), to: URL(fileURLWithPath: path + "/data.mdb"))
    for name in try files.contentsOfDirectory(atPath: data.path + "/journals") {
      try files.copyItem(atPath: "\(data.path)/journals/\(name)", toPath: "\(path)/journals/\(name)")
      try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(path)/journals/\(name)")
    }
    for (name, mode) in ["": 0o700, "/journals": 0o700, "/data.mdb": 0o600] {
      try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path + name)
    }
  }

  /// Made once, with the library as it was at the commit that README.md names.
  static func make(at path: String) async throws {
    var store = try await Store.open(path, for: schema)
    do {
      let context = RootContext(store, author: "ada", name: "maker")
      let teacher = context.insert(Artist("Teacher"))
      let pupil = context.insert(Artist("Pupil"))
      pupil.teacher = teacher
      teacher.biography = Biography("Taught.")
      for number in 0..<40 {
        let album = context.insert(Album("Album \(number)", year: 1960 + number % 7, code: UInt64(number)))
        album.medium = Medium.allCases[number % 3]
        album.isLive = number % 2 == 0
        album.rating = number % 5 == 0 ? nil : Double(number) / 8
        album.size = UInt64.max - UInt64(number)
        album.bought = number % 4 == 0 ? nil : Moment(seconds: Double(number) * 86_400.5)
        album.tags = number % 3 == 0 ? ["a", "b"] : []
        album.notes = number % 6 == 0 ? nil : "Heard in \(["Paris", "Łódź", "東京"][number % 3]), \(number) times"
        album.artist = [teacher, pupil, nil][number % 3]
      }
      try await context.save("Begin")
      let albums = try context.fetch(Fetch<Album>().sorted { $0.code.ascending })
      // Longer than a chunk, then changed in its middle.
      albums[1].notes = (0..<400).map { "word\($0)" }.joined(separator: " ")
      albums[2].cover = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      albums[3].plays += 5
      try await context.save("Long values")
      albums[1].notes?.replaceSubrange(albums[1].notes!.range(of: "word200")!, with: "changed")
      albums[3].plays += 2
      albums[4].title = "renamed"
      for album in albums[30...] { context.delete(album) }
      try await context.save("Change")
      let gone = context.insert(Artist("Gone"))
      gone.biography = Biography("Goes with its artist.")
      context.insert(Album("Goes too", year: 1, code: 99)).artist = gone
      try await context.save()
      context.delete(gone)
      try await context.save("Delete")
      let editor = try context.makeChild(draft: "checkpointed")
      try editor.object(albums[5].id).title = "typed and checkpointed"
    }
    try await store.close()

    store = try await Store.open(path, for: schema)
    let context = store.mainContext
    let albums = try context.fetch(Fetch<Album>().sorted { $0.code.ascending })
    let editor = try context.makeChild(draft: "journalled")
    try editor.object(albums[6].id).title = "typed"
    try editor.object(albums[6].id).year = 2000
    editor.insert(Album("typed and new", year: 2001, code: 1000))
    let run = Restoration(store)
    try run.define(Screen.kind) { Screen($0) }
    try await run.restore()
    _ = try run.open(Screen.kind, id: "list", under: nil, state: Row(album: nil))
    _ = try run.open(Screen.kind, id: "detail", under: NodePath(["list"]), state: Row(album: albums[6].id))
    try run.save()
    try await run.flush(durable: true)
    // As a kill leaves it: the journal is in its file.
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: path + "/data.mdb", toPath: data.path + "/data")
    try FileManager.default.copyItem(atPath: path + "/journals", toPath: data.path + "/journals")
    try contents(of: context).write(to: data.appendingPathComponent("contents.txt"), atomically: true, encoding: .utf8)
    try await store.close()
  }

  static func expectedContents() throws -> String {
    try String(contentsOf: data.appendingPathComponent("contents.txt"), encoding: .utf8)
  }

  /// What is saved, a line for each object.
  static func contents(of context: RootContext) throws -> String {
    var lines: [String] = []
    for artist in try context.fetch(Fetch<Artist>().sorted { $0.name.ascending }) {
      lines.append(
        "artist \(artist.name); teacher \(artist.teacher?.name ?? "-"); pupils \(artist.pupils.map(\.name).sorted()); "
          + "albums \(artist.albums.count); biography \(artist.biography?.text ?? "-")")
    }
    for album in try context.fetch(Fetch<Album>().sorted { $0.code.ascending }) {
      let notes = album.notes.map { "\($0.utf8.count) \($0.prefix(20)) \($0.contains("changed"))" } ?? "-"
      lines.append(
        "album \(album.code.low) \(album.title); \(album.year) \(album.medium) \(album.isLive) \(album.size); "
          + "rating \(album.rating.map { "\($0)" } ?? "-"); cover \(album.cover?.count ?? -1); "
          + "bought \(album.bought?.seconds ?? -1); plays \(album.plays); tags \(album.tags.sorted()); "
          + "notes \(notes); of \(album.artist?.name ?? "-")")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
