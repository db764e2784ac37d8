import RepriseEventStore
import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Places where no store can be opened: each is refused with an error that says why, and left as it was.
struct Refusal {
  private let folder: String
  private var refused = 0

  init(_ arguments: Arguments) throws {
    folder = arguments.path
    if mkdir(folder, 0o755) != 0 { throw Disk.Failure(operation: "make", path: folder, code: errno) }
  }

  private mutating func expect(_ name: String, _ path: String) {
    let before = inventory(path)
    do throws(StoreError) {
      _ = try openStore(path)
      problem("\(path) was opened, not refused with \(name)")
    } catch {
      if error.name != name { problem("\(path): \(error.name), not \(name): \(error)") }
      if error.description.isEmpty { problem("\(path): no word about \(error.name)") }
      refused += 1
    }
    if inventory(path) != before { problem("\(path) was refused with \(name), and changed") }
  }

  /// Names, sizes and bytes of what is in a directory.
  private func inventory(_ path: String) -> [String] {
    Disk.names(in: path).filter { $0 != "lock.mdb" }.map { name in
      var status = stat()
      lstat("\(path)/\(name)", &status)
      let isFile = status.st_mode & S_IFMT == S_IFREG
      let bytes = isFile ? (try? Disk.read("\(path)/\(name)")) ?? [] : []
      return "\(name) \(status.st_mode) \(bytes.count) \(bytes.reduce(UInt64(0)) { $0 &* 31 &+ UInt64($1) })"
    }
  }

  /// A directory with these files in it.
  private func directory(_ name: String, _ files: [String: [UInt8]] = [:]) throws -> String {
    let path = "\(folder)/\(name)"
    mkdir(path, 0o755)
    for (name, bytes) in files { try Disk.write(bytes, to: "\(path)/\(name)") }
    return path
  }

  // MARK: Paths and files

  mutating func paths() async throws {
    let file = "\(folder)/file"
    try Disk.write(Array("text".utf8), to: file)
    symlink("\(folder)/nowhere", "\(folder)/dangling")
    symlink("\(folder)/loop", "\(folder)/loop")
    expect("notFound", "")
    expect("notFound", "\(folder)/a\0b")
    expect("notFound", "\(folder)/missing/store")
    expect("notFound", "\(folder)/dangling")
    expect("notADirectory", file)
    expect("notADirectory", "\(file)/store")
    expect("system", "\(folder)/loop")
    expect("system", "\(folder)/" + String(repeating: "x", count: 300))
    say("refused \(refused)")
  }

  mutating func files() async throws {
    let text = Array("A letter, not a store. ".utf8)
    let long = Array(repeatElement(text, count: 1000).joined())
    expect("notAStore", try directory("others", ["letter.txt": text]))
    expect("notAStore", try directory("letter", ["data.mdb": text]))
    expect("notAStore", try directory("letters", ["data.mdb": long]))
    expect("notAStore", try directory("zeros", ["data.mdb": [UInt8](repeating: 0, count: 40960)]))
    expect("fileTruncated", try directory("empty", ["data.mdb": []]))
    expect("notAStore", try directory("lock", ["lock.mdb": []]))

    let nested = try directory("nested")
    mkdir(nested + "/data.mdb", 0o755)
    expect("system", nested)
    let pipe = try directory("pipe")
    mkfifo(pipe + "/data.mdb", 0o644)
    expect("fileTruncated", pipe)
    let link = try directory("link")
    symlink("\(folder)/nowhere", link + "/data.mdb")
    expect("notAStore", link)

    try await makeStore("\(folder)/made", stamps: 1...2)
    let whole = try Disk.read("\(folder)/made/data.mdb")
    let lock = try directory("broken lock", ["data.mdb": whole])
    mkdir(lock + "/lock.mdb", 0o755)
    expect("system", lock)
    let journals = try directory("journals in the way", ["data.mdb": whole, "journals": text])
    expect("journal", journals)
    say("refused \(refused)")
  }

  /// Links that somebody else could have planted: what they lead to is neither made, nor read, nor written.
  mutating func links() async throws {
    try await makeStore("\(folder)/made", stamps: 1...2)
    let whole = try Disk.read("\(folder)/made/data.mdb")
    let victim = Array("Of somebody else.".utf8)
    for name in ["new", "data.mdb", "lock.mdb", "journals"] {
      let target = "\(folder)/target of \(name)"
      for kind in ["file", "nothing", "store"] {
        let isNew = name == "new" || name == "data.mdb" || kind == "store"
        let path = try directory("\(name) to \(kind)", isNew ? [:] : ["data.mdb": whole])
        let old = kind == "store" ? "\(folder)/made/\(name)" : "\(target) \(kind)"
        if kind == "file" { try Disk.write(victim, to: old) }
        symlink(old, "\(path)/\(name)")
        let before = try? Disk.read(old)
        expect(name == "journals" && kind != "store" ? "journal" : "notAStore", path)
        if try before != nil && Disk.read(old) != before! { problem("\(old) was changed through a link") }
        var status = stat()
        if before == nil && kind == "nothing" && stat(old, &status) == 0 { problem("\(old) was made through a link") }
      }
    }
    say("refused \(refused)")
  }

  // MARK: Other databases

  mutating func databases() async throws {
    let foreign = try directory("foreign")
    try put(foreign, ["people"], "people", key: Array("ada".utf8), Array("1815".utf8))
    expect("notAStore", foreign)
    // Someone else's that happens to have a table of the same name.
    let alike = try directory("alike")
    try put(alike, ["meta", "people"], "meta", key: Array("version".utf8), [7])
    expect("notAStore", alike)

    try await makeStore("\(folder)/made", stamps: 1...2)
    let whole = try Disk.read("\(folder)/made/data.mdb")
    for (name, key, value, expected) in [
      ("newer", MetaKey.format, Array("RPRS".utf8) + [3, 0, 0, 0], "newerFormat"),
      ("much newer", MetaKey.format, Array("RPRS".utf8) + [0xFF, 0xFF, 0xFF, 0xFF], "newerFormat"),
      ("prerelease", MetaKey.format, [3, 0, 0, 0], "prereleaseFormat"),
      ("none", MetaKey.format, nil, "notAStore"),
      ("odd", MetaKey.format, [1], "damaged"),
      ("nameless", MetaKey.log, [1, 2, 3], "damaged"),
      ("odd schema", MetaKey.schema, [9, 9, 9, 9], "damaged"),
      ("without schema", MetaKey.schema, nil, "damaged"),
      ("other order", MetaKey.order, [2, 0, 0, 0], "collationVersionMismatch"),
      ("odd order", MetaKey.order, [], "damaged"),
    ] as [(String, [UInt8], [UInt8]?, String)] {
      let path = try directory(name, ["data.mdb": whole])
      try put(path, StoreTables.names, "meta", key: key, value)
      expect(expected, path)
      guard key == MetaKey.order else { continue }
      try await StoreMaintenance.rebuild(path)
      let store = try openStore(path)
      if !(try await StoreMaintenance.verify(store)).isSound { problem("\(path) was rebuilt, and is not sound") }
      try await store.close()
    }
    say("refused \(refused)")
  }

  private func put(_ path: String, _ tables: [String], _ table: String, key: [UInt8], _ value: [UInt8]?) throws {
    let environment = try Environment.open(directory: path, Environment.Options(tables: tables))
    defer { environment.close() }
    try environment.write { transaction throws(StorageError) in
      if let value {
        try transaction.put(environment.table(table), key: key.span.bytes, value: value.span.bytes)
      } else {
        try transaction.delete(environment.table(table), key: key.span.bytes)
      }
    }
  }

  // MARK: Other users

  mutating func permissions() async throws {
    let closed = try directory("closed")
    try await makeStore("\(folder)/read-only", stamps: 1...2)
    try await makeStore("\(folder)/private", stamps: 1...2)
    let journals = try directory("others' journals")
    try await makeStore(journals, stamps: 1...2)
    mkdir(journals + "/journals", 0o700)
    for name in ["data.mdb", "lock.mdb"] {
      chmod("\(folder)/read-only/\(name)", 0o444)
      chmod("\(folder)/private/\(name)", 0o600)
      chmod("\(journals)/\(name)", 0o666)
    }
    chmod("\(folder)/private/data.mdb", 0o000)
    chmod(journals, 0o777)
    chmod(journals + "/journals", 0o000)
    chmod(closed, 0o000)
    chmod(folder, 0o555)
    // Root may do everything, so somebody else has to try.
    if geteuid() == 0, setgid(65534) != 0 || setuid(65534) != 0 { return say("refused 0") }
    expect("permissionDenied", closed)
    expect("permissionDenied", "\(closed)/store")
    expect("permissionDenied", "\(folder)/new")
    expect("permissionDenied", "\(folder)/read-only")
    expect("permissionDenied", "\(folder)/private")
    expect("journal", journals)
    say("refused \(refused)")
  }

  /// The folder is on a file system that cannot be written; there is a store in it. What only looks at it works, and
  /// so does to copy it elsewhere.
  mutating func readOnlyFileSystem(_ path: String) async throws {
    expect("readOnly", "\(path)/store")
    expect("readOnly", "\(path)/new")
    do {
      try await StoreMaintenance.rebuild("\(path)/store")
      problem("a store was rebuilt where nothing can be written")
    } catch StoreError.readOnly {
      refused += 1
    }
    do {
      try await StoreMaintenance.salvage("\(path)/store", to: "\(path)/salvaged")
      problem("a store was salvaged to where nothing can be written")
    } catch StoreError.readOnly {
      refused += 1
    }
    let report = try await StoreMaintenance.check("\(path)/store")
    if !report.isSound { problem("\(report)") }
    let salvaged = try await StoreMaintenance.salvage("\(path)/store", to: "\(folder)/salvaged")
    if !salvaged.isComplete { problem("\(salvaged)") }
    try await withStore("\(folder)/salvaged") { store in
      if try Lane.read(1, in: RootContext(store, isolation: nil)) != .whole(3) { problem("salvaged, and not whole") }
      let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
      if try Lane.read(2, in: desk) != .whole(3) { problem("the draft was not salvaged") }
    }
    say("refused \(refused)")
  }
}

extension StoreError {
  /// The name of the case.
  var name: String { Mirror(reflecting: self).children.first?.label ?? "none" }
}
