import Foundation
import RepriseQuery

@testable import RepriseJournal
@testable import RepriseObjectModel
@testable import RepriseRestoration

/// Nodes of a scene, as they stand in the archive.
struct FuzzArchives: FuzzTarget {
  func seeds() throws -> [[UInt8]] {
    let state = try StateEncoder.encode(FuzzStates.sample)
    let record = ArchiveRecord(
      name: "a/b", kind: "editor", order: 3, needs: ["settings"],
      context: .init(draft: "other", parent: .node("a")), state: state[...])
    let object = ArchiveRecord(name: "o", isObject: true, kind: "", order: 3, needs: ["settings"], state: state[...])
    var info = ArchiveInfo(schemaVersion: 2, appVersion: "1.0")
    info.missed = [7: MissedNode(launches: 2, since: 5)]
    info.leftDrafts = [LeftDraft(path: "a/b", draft: "other", key: "root", kind: "editor", title: "Chair")]
    info.parts = .init(nodeCount: 2, lastOrder: 9, selection: "a", marks: [OrderMark(order: 3, time: 4)])
    var note = LaunchNote(stage: .restoring, appVersion: "1.0", quarantine: ["a/b"])
    (note.making, note.undisplayed) = ("a", ["c"])
    return [
      record.encoded(), SharedRecord(scenes: ["one", "two"], object: object).encoded(),
      Array(info.encoded().dropFirst(4)), note.encoded(),
      ScenePreview.encoded([1, 2, 3], name: 7, at: 5, appVersion: "1.0"),
    ]
  }

  func run(_ bytes: [UInt8]) throws {
    let sealed = ArchiveSeal.seal(Array(bytes.dropFirst(4)), for: "a/b")
    for bytes in [bytes, sealed] {
      Array("a/b".utf8).withUnsafeBytes { key in
        bytes.withUnsafeBytes { bytes in
          var fields = ArchiveFields()
          if (try? fields.read(bytes, key: key)) == nil { return }
          try? FuzzStates().run(Array(bytes.suffix(fields.stateCount)))
        }
      }
    }
    _ = ArchiveInfo(of: SceneNodes(["/": ArchiveSeal.seal(bytes, for: "/")])).encoded()
    let shared = ArchiveSeal.seal(Array(bytes.dropFirst(4)), for: "/o")
    Array("/o".utf8).withUnsafeBytes { key in
      shared.withUnsafeBytes { bytes in
        guard let read = try? SharedRecord(bytes, key: key) else { return }
        _ = read.encoded()
      }
    }
    _ = ScenePreview(bytes, LaunchNote(bytes))
  }
}

/// The states of screens.
struct FuzzStates: FuzzTarget {
  struct Sample: Codable {
    var flag = true
    var small: Int8? = -3
    var large: UInt64 = .max
    var huge = Int128.min
    var ratio = 1.5
    var single: Float = 2
    var text = "it's übel"
    var bytes: [UInt8] = [0, 255]
    var list: [[String: Int]] = [["a": 1], [:]]
    var nested: [Sample] = []
  }

  static var sample: Sample {
    var sample = Sample()
    sample.nested = [Sample()]
    return sample
  }

  func seeds() throws -> [[UInt8]] { [try StateEncoder.encode(Self.sample)] }

  func run(_ bytes: [UInt8]) throws {
    let read = try StateDecoder.decode(Sample.self, from: bytes)
    _ = try StateEncoder.encode(read.state, keeping: read.unknown)
  }
}

/// The names of objects.
struct FuzzURIs: FuzzTarget {
  func seeds() throws -> [[UInt8]] {
    let uri = ObjectURI(log: LogFixture.logID, entity: "Bücher 100%", uuid: LogFixture.object(1))
    return [Array(uri.text.utf8)]
  }

  func run(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let uri = ObjectURI(text) else { return }
    // Each object has one text.
    precondition(uri.text == text)
  }
}

/// Fetches that somebody has archived.
struct FuzzFetches: FuzzTarget {
  private let schema: ResolvedSchema

  init() throws { schema = try ResolvedSchema(Schema(Item.self, Person.self)) }

  func seeds() throws -> [[UInt8]] {
    let fetch = Fetch<Item> { ($0.name == "Red chair" || $0.valueInDollars > 7) && !($0.owner.name >= "a") }
    let later = Fetch<Item> { item in
      .all([
        item.isInsured && item.id != nil, item.valueInDollars * 2 - item.owner.zip / 3 > item.owner.items.count,
        item.name.matches(#"(?:[a-c]+|\d{2,3}|\w?)*\b\u{41}$"#, .ignoringCase), item.name.like(#"?\**a"#),
        item.name.contains(words: "Übung 東京 a", .anyWord), item.name.contains(words: "re ki", .whileTyping),
        item.name.equals("e", .ignoringDiacritics), item.owner.items.any { $0.id.isIn([Item(name: "").id]) },
      ])
    }.sorted { [$0.weight.ascending(nils: .last), -$0.valueInDollars, $0.id.descending] }
    return [
      Array(try JSONEncoder().encode(fetch.sorted { $0.name.descending })), Array(try JSONEncoder().encode(later)),
    ]
  }

  func run(_ bytes: [UInt8]) throws {
    let fetch = try JSONDecoder().decode(Fetch<Item>.self, from: Data(bytes))
    _ = try JSONEncoder().encode(fetch)
    let compiled = try CompiledFetch(fetch, schema: schema)
    let id = AnyObjectID(Item.entity.interned, UniqueID(high: 1, low: 1))
    var values = Item.entity.defaults
    for name in ["", "Red chair", "aaaaaaaaaaaaaaaaaaaa 12 é"] {
      values[0] = .string(name)
      _ = compiled.matches(values, id: id, source: NoObjects())
      _ = compiled.sortKey(of: values, id: id, source: NoObjects())
    }
  }

  private struct NoObjects: FetchSource {
    func values(of id: AnyObjectID) -> ContiguousArray<PropertyValue>? { nil }
    func members(of id: AnyObjectID, slot: Int) -> [AnyObjectID] { [] }
  }
}
