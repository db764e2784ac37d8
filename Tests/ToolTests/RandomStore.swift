import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestModels
import RepriseTestSeeds

/// Stores with random objects of the test models, and with values that are hard to write.
@MainActor
enum RandomStore {
  static let schemas: [Schema] = [
    Schema(Student.self, Course.self, Diary.self), Schema(Album.self, Song.self, Playlist.self),
    Schema(Route.self, Stop.self, Peer.self), Schema(Parcel.self, Depot.self), Schema(Item.self, Person.self),
    Schema(Bicycle.self, Lock.self, Key.self, Shed.self), Schema(Book.self, Author.self),
    Schema(Note.self, Notebook.self), Schema(Member.self, Team.self), Schema(Seat.self, Hall.self, Ticket.self),
    Schema(Sale.self, Shop.self), Schema(Photo.self), Schema(Sorted.self),
  ]

  static func make(_ path: String, _ schema: Schema, _ random: inout SeededGenerator) async throws {
    let store = try Store.openNow(path, for: schema, StoreOptions())
    let context = RootContext(store)
    var objects: [any PersistentModel] = []
    for _ in 0..<20 {
      guard let entity = store.entities.randomElement(using: &random) else { break }
      let unique = entity.uniqueNames
      var values: [String: PropertyValue] = [:]
      for property in entity.attributes where !property.isDerived && property.rules.isEmpty {
        guard case .attribute(let kind) = property.kind else { continue }
        let isUnique = unique.contains(property.name)
        if property.isOptional, !isUnique, Int.random(in: 0..<4, using: &random) == 0 { continue }
        var value = value(kind, isUnique: isUnique, &random)
        if kind == .blob { value = .blob(try await blob(in: store, &random)) }
        if property.objection(to: value) == nil { values[property.name] = value }
      }
      objects.append(try context.insert(entity, values))
    }
    for object in objects {
      let entity = type(of: object).entity
      for property in entity.relationships {
        let others = objects.filter { type(of: $0).entity === property.target }.map(\._storage.id)
        for _ in 0..<3 {
          guard let other = others.randomElement(using: &random) else { continue }
          if property.kind == .toOne {
            try object.set(property.name, to: .reference(other))
          } else {
            try object.insert(other, into: property.name, at: property.isOrdered ? 0 : nil)
          }
        }
      }
    }
    try await context.save()
    try await store.close()
  }

  private static func blob(in store: Store, _ random: inout SeededGenerator) async throws -> Blob {
    let count = [0, 1, 3, 70_000].randomElement(using: &random) ?? 0
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    return try await Blob(bytes, in: store)
  }

  private static let texts = [
    "", "tea", "te\u{301}", "té", "a \"b\"\n", "\\", "\u{202E}x", "\0\u{1b}[1m", "\r\n", "👩‍👩‍👧", "\u{2028}", "=1+1",
    " x ", "a,b", "\u{FEFF}", "\u{10FFFF}", "\r", "\u{D7FF}\u{E000}",
  ]
  private static let numbers: [Double] = [
    0, -0.0, 1, 0.1, 1e300, 5e-324, .infinity, -.infinity, .nan, -.nan, .greatestFiniteMagnitude, 86_400,
    -62_135_596_800,
    Double(bitPattern: 0x7ff8_0000_0000_0123), Double(bitPattern: 0x7ff0_0000_0000_0001), 123_456_789.123_456_7,
  ]

  private static func value(
    _ kind: AttributeKind, isUnique: Bool, _ random: inout SeededGenerator
  ) -> PropertyValue {
    let isHard = !isUnique && Bool.random(using: &random)
    let number = isHard ? numbers.randomElement(using: &random)! : Double(bitPattern: random.next())
    switch kind {
    case .bool: return .bool(.random(using: &random))
    case .int: return .int(isHard ? [0, .min, .max].randomElement(using: &random)! : Int64(bitPattern: random.next()))
    case .unsigned: return .unsigned(isHard ? .max : random.next())
    case .double: return .double(number)
    case .string: return .string(isHard ? texts.randomElement(using: &random)! : "text \(random.next())")
    case .bytes:
      return .bytes((0..<Int.random(in: 0..<5, using: &random)).map { _ in .random(in: 0...255, using: &random) })
    case .date: return .date(isHard ? number : .random(in: -9e9...9e9, using: &random))
    case .uuid: return .uuid(UniqueID(high: random.next(), low: random.next()))
    case .blob: return .blob(.empty)
    }
  }
}

extension Entity {
  /// The attributes that no two objects may share.
  fileprivate var uniqueNames: Set<String> {
    var names: Set<String> = []
    for property in declaredProperties {
      if case .index(.columns(let columns, let uniqueness, _)) = property.role, uniqueness != .none {
        names.formUnion(columns.map(\.name))
      }
    }
    return names
  }
}
