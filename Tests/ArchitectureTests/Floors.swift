/// Folders are floors: a target imports from lower floors only, never from its own.
///
/// The compiler does not see to it: an import that the manifest does not declare compiles as long as the module is
/// reachable through another one.
struct Floors {
  /// Folder of Sources to its floor.
  var levels = [
    "CLMDB": 0, "CPostgreSQL": 0, "CRuntime": 0, "Checksums": 0, "System": 0,
    "LMDB": 1, "ObjectModel": 1,
    "Query": 2, "RemoteError": 2, "Log": 2,
    "Journal": 3,
    "EventStore": 4,
    "ObjectGraph": 5, "Sharing": 5,
    "Lists": 6, "Foundation": 6, "Locales": 6, "Dynamic": 6,
    "Observation": 7, "Restoration": 7,
    "RepriseCore": 8, "Remote": 8,
    "Reprise": 9, "Testing": 9, "Directories": 9, "SQLite": 9, "PostgreSQL": 9, "HTTP": 9,
    "Demonstration": 10, "Tool": 10,
    "Demo": 11, "Inspector": 11,
    "Command": 12,
  ]

  /// The compiler plug-in stands outside: nothing imports it, and it imports nothing of ours.
  var plugIn = "ObjectGraphMacros"

  /// Modules that some folders alone may import.
  var reserved: [String: Set<String>] = [
    "CRepriseLMDB": ["LMDB"], "RepriseLMDB": ["Log", "Journal", "EventStore", "Sharing"],
    "CReprisePostgreSQL": ["PostgreSQL"],
    "CRepriseRuntime": ["ObjectGraph"],
    // Above them, all import the store, which exports both. A packet has frames of the log, and rows are made of it.
    "RepriseLog": ["Journal", "EventStore", "Sharing"], "RepriseJournal": ["EventStore", "Sharing"],
  ]

  var foundationFolders: Set = [
    "Foundation", "Reprise", "Testing", "HTTP", "Demonstration", "Tool", "Inspector", "Command",
  ]

  /// Modules of other packages, each behind a trait, and one of the toolchain's, and the folder that may import it.
  var foreign = [
    "AsyncHTTPClient": "HTTP", "GRDB": "SQLite", "_FoundationICU": "Locales", "ArgumentParser": "Command",
    "Hummingbird": "Inspector", "HTTPTypes": "Inspector", "Logging": "Inspector", "NIOCore": "Inspector",
  ]

  let manifest: Manifest

  func breaches(in file: SourceFile) -> [Breach] {
    file.breaches { index, line in
      guard file.isCode[index], let module = importedModule(line) else { return nil }
      return objection(to: module, from: file.folder)
    }
  }

  /// The folders of the given files that have no floor.
  func unknownFolders(_ files: [SourceFile]) -> Set<String> {
    Set(files.map(\.folder)).subtracting(levels.keys).subtracting([plugIn])
  }

  private func objection(to module: String, from folder: String) -> String? {
    if folder == plugIn {
      return module.hasPrefix("Swift") ? nil : "the compiler plug-in imports swift-syntax only, not \(module)"
    }
    if let imported = manifest.folder(ofModule: module) { return objection(to: module, in: imported, from: folder) }
    if module.hasPrefix("Foundation") {
      return foundationFolders.contains(folder)
        ? nil : "\(module) is for \(foundationFolders.sorted().joined(separator: ", ")) only; use Glibc or Darwin"
    }
    if let only = foreign[module] { return only == folder ? nil : "\(module) is for Sources/\(only) alone" }
    if systemModules.contains(module) { return nil }
    return "\(module) is neither a target of this package nor one of \(systemModules.sorted().joined(separator: ", "))"
  }

  private func objection(to module: String, in imported: String, from folder: String) -> String? {
    if let only = reserved[module], !only.contains(folder) {
      return "\(module) is for \(only.sorted().map { "Sources/" + $0 }.joined(separator: ", ")) alone"
    }
    guard let here = levels[folder] else { return "Sources/\(folder) has no floor; add it to Floors" }
    guard let there = levels[imported] else { return "Sources/\(imported) has no floor; add it to Floors" }
    if there >= here { return "floor \(here) (\(folder)) imports \(module) of floor \(there); only lower floors" }
    guard let target = manifest.target(inFolder: folder, of: "Sources") else {
      return "Package.swift has no target at Sources/\(folder)"
    }
    return target.dependencies.contains(module)
      ? nil : "\(module) is not among the dependencies of \(target.name) in Package.swift"
  }
}

private let systemModules: Set = [
  "Android", "CoreFoundation", "Darwin", "Dispatch", "Glibc", "Musl", "Observation", "Swift", "Synchronization",
]

/// The module that a line imports: `@_exported public import struct A.B` imports A.
func importedModule(_ line: String) -> String? {
  guard line.has("import") else { return nil }
  var words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })[...]
  let before: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
  while let word = words.first, word.hasPrefix("@") || before.contains(word) { words = words.dropFirst() }
  guard words.first == "import" else { return nil }
  words = words.dropFirst()
  let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"]
  if let word = words.first, kinds.contains(word) { words = words.dropFirst() }
  return words.first.map { String($0.prefix { $0 != "." && $0 != ";" }) }
}
