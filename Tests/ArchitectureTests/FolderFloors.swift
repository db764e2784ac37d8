/// The folders within a target are floors too: a file refers to types of its own floor and of those below.
///
/// What a file refers to is told by names: a capitalised word that is the name of just one type at the top level of the
/// target. So a call of a function that stands in an extension higher up is not noticed.
struct FolderFloors {
  /// By folder of Sources its floors, lowest first. "." are the files beside the folders.
  var floors: [String: [String]] = [
    "LMDB": ["StorageError", "File", "Mapped", "AfterImages", "Structure", "Environment"],
    "ObjectModel": [
      ".", "Sequences", "Identity", "Coding", "Values", "Rules", "Changes", "Ordering", "Merging", "Models",
      "Relationships", "Words", "Rows", "Exchange",
    ],
    "Query": ["Conditions", "Patterns", "Fields", ".", "Compiling", "AccessPaths", "CompiledFetch", "Aggregates"],
    "Log": [
      "Bytes", ".", "Schema", "Records", "Changes", "Frames", "Tables", "Transactions", "Indexes", "Snapshot",
    ],
    "Journal": ["Drafts", "File", "Recovery", "Writer", "Checkpoint", "."],
    "EventStore": [
      "IndexDeltas", "Saving", "Relationships", "Relationships/DeleteRules", "Uniqueness", "IndexBuilding", "Deriving",
      "Migration", "LogProjections", "BlobCleaning", "Store", "Store/Drafts", "Blobs", "History", "Maintenance",
      "Maintenance/Salvage", "Maintenance/Erasing", "Retention",
    ],
    "ObjectGraph": [
      "ModelDeclarations", "Overlay", "Projection", "Context", "Relationships", "Names", "FetchPlanning",
      "FetchExecution", "History", "Aggregates", "SetOperations", "Exchange",
    ],
    "Sharing": ["Packets", "Transport", "Replica", "Agent"],
    "Dynamic": ["Text", "Objects"],
    "Lists": ["DataSource", "Following", "FetchedList"],
    "Restoration": [
      "Identity", "State", "Archive", "Launches", "Rows", "Report", "Needs", "TwoPhase", "Entries", "Objects", "Nodes",
      "Saving", "Factories", "Session",
    ],
    "Remote": ["Transport", "Mapping", "Records", "Outbox", "Cache", "Source"],
    "Directories": ["Files", "Following", ".", "Documents"],
    "Inspector": ["Values", "Requests", "Inspection", "."],
    "Tool": ["Text", ".", "Exchange", "Reports"],
    "Demonstration": ["System", "History", "Congress", "Loading", "Screens", "Terminal", "Phases", "."],
  ]

  /// The folders of files that have no floor in a target with folders, and targets that have folders and no floors.
  func unknownFolders(_ files: [SourceFile]) -> Set<String> {
    var unknown: Set<String> = []
    for file in files {
      if let floors = floors[file.folder] {
        if !floors.contains(file.subfolder) { unknown.insert(file.folder + "/" + file.subfolder) }
      } else if file.subfolder != "." {
        unknown.insert(file.folder)
      }
    }
    return unknown
  }

  /// References upward, among the files of one target.
  func breaches(_ files: [SourceFile]) -> [Breach] {
    guard let target = files.first?.folder, let floors = floors[target] else { return [] }
    var places: [String: [SourceFile]] = [:]
    for file in files { for name in file.declaredTypes(atTopLevel: true) { places[name, default: []].append(file) } }
    func floor(_ file: SourceFile) -> Int { floors.firstIndex(of: file.subfolder) ?? .max }
    return files.flatMap { file in
      let here = floor(file)
      let own = file.declaredTypes(atTopLevel: false)
      return file.breaches { index, line in
        guard file.isCode[index] else { return nil }
        for name in line.typeNames where !own.contains(name) {
          guard let there = places[name], there.count == 1, floor(there[0]) > here else { continue }
          return "\(file.subfolder) refers to \(name), which stands higher up, in \(there[0].subfolder)"
        }
        return nil
      }
    }
  }
}

extension SourceFile {
  /// The folders between that of the target and the file; "." for none.
  var subfolder: String {
    let parts = path.split(separator: "/").dropFirst(2).dropLast()
    return parts.isEmpty ? "." : parts.joined(separator: "/")
  }

  /// The types that it declares; at the top level those that other files can name.
  fileprivate func declaredTypes(atTopLevel: Bool) -> Set<String> {
    var names: Set<String> = []
    for (index, line) in lines.enumerated() where isCode[index] {
      if atTopLevel, line.hasPrefix(" ") || line.hasPrefix("private ") || line.hasPrefix("fileprivate ") { continue }
      var words = line.split { $0 == " " || $0 == "<" || $0 == ":" || $0 == "{" }[...]
      while let word = words.first, Self.beforeKinds.contains(word) || word.hasPrefix("@") { words.removeFirst() }
      if let kind = words.first, Self.kinds.contains(kind), let name = words.dropFirst().first {
        names.insert(String(name))
      }
    }
    return names
  }

  private static let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
  private static let beforeKinds: Set<Substring> = [
    "public", "package", "internal", "private", "fileprivate", "final", "indirect", "nonisolated",
  ]
}

extension String {
  /// The capitalised words of a line of code that are no members of anything, without its comment and its texts.
  fileprivate var typeNames: [String] {
    var names: [String] = []
    var word: [UInt8] = []
    var before: UInt8 = 0
    var inText = false
    // How deep in brackets each interpolation that is open is: what stands there is code.
    var interpolations: [Int] = []
    let bytes = Array(utf8) + [UInt8(ascii: " ")]
    for (place, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\""), before != UInt8(ascii: "\\") { inText.toggle() }
      if inText, byte == UInt8(ascii: "("), before == UInt8(ascii: "\\") {
        interpolations.append(0)
        inText = false
      } else if !inText, let depth = interpolations.last {
        if byte == UInt8(ascii: "(") { interpolations[interpolations.count - 1] = depth + 1 }
        if byte == UInt8(ascii: ")") { interpolations[interpolations.count - 1] = depth - 1 }
        if interpolations.last == -1 {
          interpolations.removeLast()
          inText = true
        }
      }
      if !inText, byte == UInt8(ascii: "/"), place + 1 < bytes.count, bytes[place + 1] == byte { break }
      let isLetter = byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
      if !inText, isLetter || byte == UInt8(ascii: "_") || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")) {
        if word.isEmpty, before == UInt8(ascii: ".") { word = [byte | 0x20] } else { word.append(byte) }
      } else if !word.isEmpty {
        if word[0] >= UInt8(ascii: "A"), word[0] <= UInt8(ascii: "Z") {
          names.append(String(decoding: word, as: UTF8.self))
        }
        word = []
      }
      before = byte
    }
    return names
  }
}
