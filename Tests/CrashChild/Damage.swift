import RepriseEventStore
import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestSeeds

/// Damages a small store in every way that its role names, and looks what can still be done with it. Runs in a process
/// of its own, so that a crash is a failure of one test.
struct Damage {
  private let path: String
  private var file: String { path + "/data.mdb" }
  private var random: SeededGenerator
  private var whole: [UInt8] = []
  private var reference: [String] = []

  init(_ arguments: Arguments) {
    path = arguments.path
    random = SeededGenerator(seed: UInt64(arguments.number("seed")))
  }

  private mutating func prepare(stamps: ClosedRange<Int>) async throws {
    try await makeStore(path, stamps: stamps)
    reference = try await withStore(path) { try contents(of: $0) }
    whole = try Disk.read(file)
  }

  // MARK: One byte

  /// Flips each byte of the values of a table, one at a time.
  mutating func flipValues(of table: String) async throws {
    try await prepare(stamps: 4...6)
    var flipped = 0
    var found = 0
    var refused = 0
    for (key, value) in try values(of: table) {
      for offset in value {
        let mask = UInt8.random(in: 1...255, using: &random)
        try Disk.patch([whole[offset] ^ mask], at: offset, of: file)
        let place = "\(table), byte \(offset - value.lowerBound) of '\(key)', mask \(mask)"
        switch try await inspect(place, readsAll: table == "log") {
        case .refused: refused += 1
        case .found: found += 1
        case .missed: problem("not found by verify: \(place)")
        }
        flipped += 1
        if flipped % 16 == 0 {
          try await saveAfterDamage(place)
          try Disk.write(whole, to: file)
        } else {
          try Disk.patch([whole[offset]], at: offset, of: file)
        }
      }
    }
    if try await withStore(path, { try contents(of: $0) }) != reference {
      problem("the store is not what it was after all bytes were put back")
    }
    say("flipped \(flipped) found \(found) refused \(refused)")
  }

  private enum Finding {
    case refused
    case found
    case missed
  }

  private func inspect(_ place: String, readsAll: Bool) async throws -> Finding {
    do {
      return try await withStore(path) { store in
        do {
          let contents = try contents(of: store)
          if readsAll && contents != reference { problem("other objects read differently: \(place)") }
        } catch {
          // What is damaged may be what is read: an error that says so is all that is asked.
          if readsAll { problem("objects cannot be read: \(place): \(error)") }
        }
        return try StoreMaintenance.verifyNow(store).isSound ? .missed : .found
      }
    } catch let error as StoreError {
      if error.description.isEmpty { problem("an error without a description: \(place)") }
      return .refused
    }
  }

  /// A save on top of the damage is done or refused, and then the damage is still there to be found.
  private func saveAfterDamage(_ place: String) async throws {
    do {
      try await withStore(path) { store in
        let context = RootContext(store, author: "ada", isolation: nil)
        let entry = context.insert(Entry(stamp: 99, previous: 98))
        do {
          try await context.save("After damage")
          if (try? RootContext(store, isolation: nil).object(entry.id).previous) != 98 {
            problem("saved and not there: \(place)")
          }
        } catch {
          if !context.hasChanges { problem("a refused save lost its changes: \(place)") }
        }
        if try StoreMaintenance.verifyNow(store).isSound { problem("a save hid the damage: \(place)") }
      }
    } catch is StoreError {
      // Refused to open: nothing to save into.
    }
  }

  /// Where the values of a table stand in the file, each behind its key. Pages that were freed hold copies of them: the
  /// ones that count are those through which a change shows.
  private func values(of table: String) throws -> [(key: String, place: Range<Int>)] {
    let environment = try Environment.open(directory: path, Environment.Options(tables: StoreTables.names))
    defer { environment.close() }
    let before = try rows(of: environment.table(table), environment)
    var found: [(key: String, place: Range<Int>)] = []
    for (number, row) in before.enumerated() where !row.value.isEmpty {
      let places = occurrences(of: row.key + row.value).map { $0 + row.key.count }
      let live = try places.filter { offset in
        try Disk.patch([row.value[0] ^ 0xFF], at: offset, of: file)
        defer { try? Disk.patch([row.value[0]], at: offset, of: file) }
        return try rows(of: environment.table(table), environment)[number].value != row.value
      }
      if live.count != 1 { problem("value \(number) of \(table) is in \(live.count) places") }
      found += live.map { (row.name, $0..<$0 + row.value.count) }
    }
    return found
  }

  private struct Row {
    let key: [UInt8]
    let value: [UInt8]
    var name: String { String(decoding: key.map { (33...126).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self) }
  }

  private func rows(of table: Table, _ environment: Environment) throws(StorageError) -> [Row] {
    let transaction = try environment.beginRead()
    let view = transaction.view
    var cursor = try view.cursor(table)
    var rows: [Row] = []
    while let entry = try cursor.next() {
      rows.append(
        Row(
          key: entry.key.withUnsafeBytes { [UInt8]($0) }, value: entry.value.withUnsafeBytes { [UInt8]($0) }))
    }
    return rows
  }

  private func occurrences(of bytes: [UInt8]) -> [Int] {
    let last = whole.count - bytes.count
    guard last >= 0 else { return [] }
    return whole.withUnsafeBytes { whole in
      (0...last).filter { start in
        whole[start] == bytes[0] && whole[start..<start + bytes.count].elementsEqual(bytes)
      }
    }
  }

  // MARK: The end

  /// Cuts the data file at each page, and within each.
  mutating func truncate() async throws {
    try await prepare(stamps: 1...8)
    let page = 4096
    var refused = 0
    var opened = 0
    for size in stride(from: 0, to: whole.count, by: page).flatMap({ [$0, $0 + 1, $0 + page / 2] }) {
      try Disk.write(whole[..<size], to: file)
      do {
        try await withStore(path) { store in
          opened += 1
          do {
            if try contents(of: store) != reference { problem("cut to \(size) bytes, less is there") }
          } catch {
            problem("cut to \(size) bytes, opened and not readable: \(error)")
          }
          let report = try StoreMaintenance.verifyNow(store)
          if !report.isSound { problem("cut to \(size) bytes: \(report)") }
        }
      } catch let error as StoreError {
        refused += 1
        switch error {
        case .fileTruncated, .notAStore: break
        default: problem("cut to \(size) bytes: \(error)")
        }
        if try Disk.read(file) != Array(whole[..<size]) { problem("a refused open changed a file of \(size) bytes") }
      }
    }
    try Disk.remove(file)
    do {
      try await withStore(path) { _ in problem("without its data file it opened") }
    } catch StoreError.notAStore {
      refused += 1
    }
    try Disk.write(whole, to: file)
    if try await withStore(path, { try contents(of: $0) }) != reference { problem("the whole file is not what it was") }
    say("cut refused \(refused) opened \(opened)")
  }
}
