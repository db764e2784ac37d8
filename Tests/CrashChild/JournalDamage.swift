import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestSeeds

/// A store whose journal was damaged: what was saved is all there, and a draft is what it was at some tick, or an
/// error.
struct JournalDamage {
  private let path: String
  private var random: SeededGenerator
  private var file = ""
  private var whole: [UInt8] = []
  private var reference: [String] = []
  private let stamps = [4, 5, 6, 7, 8]

  init(_ arguments: Arguments) {
    path = arguments.path
    random = SeededGenerator(seed: UInt64(arguments.number("seed")))
  }

  mutating func run() async throws {
    try await makeStore(path, stamps: 1...2)
    var options = options()
    // A machine under load may take longer for an edit than a turn is kept together.
    options.journal.turnLimit = 60_000_000_000
    let store = try Store.openNow(path, for: schema, options)
    reference = try contents(of: store)
    do {
      let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
      let sheet = try desk.makeChild(draft: "desk/sheet")
      for stamp in stamps {
        try Lane.edit(2, to: stamp, renewing: false, in: desk)
        try store.journal.flush()
        try Lane.edit(3, to: stamp, renewing: false, in: sheet)
        try store.journal.flush()
      }
    }
    await store.abandon()
    let names = Disk.names(in: path + "/journals")
    guard names.count == 1 else { return problem("journals: \(names)") }
    file = "\(path)/journals/\(names[0])"
    whole = try Disk.read(file)
    var tried = 0
    var short = 0
    var refused = 0
    var offset = Int.random(in: 0..<5, using: &random)
    while offset < whole.count {
      let mask = UInt8.random(in: 1...255, using: &random)
      var flipped = whole
      flipped[offset] ^= mask
      for (bytes, what) in [
        (Array(whole[..<offset]), "cut to \(offset)"), (flipped, "byte \(offset) flipped by \(mask)"),
      ] {
        switch try await look(bytes, "the journal, \(what)") {
        case .none: refused += 1
        case .some(let stamp) where stamp < stamps.last ?? 0: short += 1
        case .some: break
        }
        tried += 1
      }
      offset += Int.random(in: 1...50, using: &random)
    }
    if try await look(whole, "the whole journal") != stamps.last { problem("the whole journal lost something") }
    say("tried \(tried) short \(short) refused \(refused)")
  }

  /// The stamp on the desk; `nil` if an error said that it cannot be read.
  private func look(_ bytes: [UInt8], _ what: String) async throws -> Int? {
    for name in Disk.names(in: path + "/journals") { try Disk.remove("\(path)/journals/\(name)") }
    try Disk.write(bytes, to: file, mode: 0o600)
    do {
      let store = try openStore(path)
      let stamp = Self.stamp(store, [0] + stamps, what)
      for draft in try store.drafts.all() where draft.unreadableReason?.isEmpty == true {
        problem("\(what): a draft without a word")
      }
      if try contents(of: store) != reference { problem("\(what): what was saved reads differently") }
      await store.abandon()
      return stamp
    } catch let error as StoreError {
      problem("\(what): not even what was saved can be read: \(error)")
      return nil
    }
  }

  private static func stamp(_ store: Store, _ stamps: [Int], _ what: String) -> Int? {
    do {
      let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
      let sheet = try desk.makeChild(draft: "desk/sheet")
      for (lane, context) in [(2, desk), (3, sheet)] as [(Int, EditingContext)] {
        guard case .whole(let stamp) = try Lane.read(lane, in: context), stamps.contains(stamp) else {
          problem("\(what): lane \(lane) is \(try Lane.read(lane, in: context))")
          return nil
        }
      }
      guard case .whole(let stamp) = try Lane.read(2, in: desk) else { return nil }
      return stamp
    } catch let error as DraftError {
      if error.description.isEmpty { problem("\(what): an error without a word") }
      return nil
    } catch {
      problem("\(what): \(error)")
      return nil
    }
  }
}
