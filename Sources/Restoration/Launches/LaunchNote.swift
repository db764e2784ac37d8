import RepriseObjectModel

/// The note that a launch leaves for the next one.
struct LaunchNote: Equatable, Sendable {
  enum Stage: UInt8, Sendable {
    /// Everything was written, and nothing has changed since.
    case ended = 0
    case restoring = 1
    case restored = 2
  }

  var stage = Stage.ended
  /// The process ID, for other processes that want the scene. 0 if it is unknown.
  var process: Int32 = 0
  /// The key of the watched object that is being made. Empty for none.
  var making = ""
  /// The version of the program whose crashes put the keys into quarantine. Another version may have fixed them.
  var appVersion = ""
  /// The keys of nodes and registered objects that are not made.
  var quarantine: [String] = []
  /// The keys of nodes that this launch has made and not yet displayed, the lowest first. If the launch crashes,
  /// displaying one of these nodes may be the cause.
  var undisplayed: [String] = []
  /// The name of the preview that shows the present scene. 0 if there is none.
  var preview: UInt64 = 0
  /// The number of consecutive launches before this one that ended while restoring. 0 once this launch has succeeded.
  var deaths = 0

  /// Whether the launch ended while it was restoring.
  var diedRestoring: Bool { stage == .restoring }

  /// The process that has the scene, if one has.
  var holder: Int32? { process > 0 ? process : nil }

  var lastExit: ExitReason {
    switch stage {
    case .ended: .clean
    case .restoring: .crashedWhileRestoring
    case .restored: .crashed
    }
  }
}

// MARK: - Bytes

extension LaunchNote {
  private static let version: UInt8 = 1

  /// The most bytes of keys in quarantine, and of keys of undisplayed nodes. Both together fit into the file. Further
  /// keys can be blamed by a later launch, if that one dies too.
  private static let (longestQuarantine, longestUndisplayed) = (6 << 20, 1 << 20)

  /// Format (1), stage, process, the number of earlier launches that ended while restoring, name of the preview, app
  /// version, key of the object being made, keys in quarantine, and keys of undisplayed nodes. If the keys do not fit,
  /// only the first ones.
  func encoded() -> [UInt8] {
    var bytes = ByteWriter(reserving: 64)
    bytes.append(Self.version)
    bytes.append(stage.rawValue)
    bytes.varint(UInt64(UInt32(bitPattern: process)))
    bytes.varint(deaths)
    bytes.varint(preview)
    bytes.string(appVersion)
    bytes.string(making)
    Self.append(quarantine, upTo: Self.longestQuarantine, to: &bytes)
    Self.append(undisplayed, upTo: Self.longestUndisplayed, to: &bytes)
    return bytes.bytes
  }

  private static func append(_ keys: [String], upTo limit: Int, to bytes: inout ByteWriter) {
    var left = limit
    let fitting = keys.prefix { key in
      // Plus two bytes for its length, because a key has at most 255 bytes.
      left -= key.utf8.count + 2
      return left >= 0
    }
    bytes.varint(fitting.count)
    for key in fitting { bytes.string(key) }
  }

  /// `nil` if the bytes are another version's.
  init?(_ bytes: [UInt8]) {
    let note: LaunchNote? = bytes.withUnsafeBytes { all in
      var reader = ByteReader(all)
      do throws(MalformedBytes) { return try Self.read(&reader) } catch { return nil }
    }
    guard let note else { return nil }
    self = note
  }

  /// Later versions may add fields at the end.
  private static func read(_ reader: inout ByteReader) throws(MalformedBytes) -> LaunchNote? {
    guard try reader.byte() == version, let stage = Stage(rawValue: try reader.byte()) else { return nil }
    var note = LaunchNote(stage: stage)
    note.process = Int32(truncatingIfNeeded: try reader.varint("a process"))
    note.deaths = Int(clamping: try reader.varint("launches"))
    note.preview = try reader.varint("a preview")
    note.appVersion = try reader.string("a version")
    note.making = try reader.string("a key")
    for _ in 0..<(try reader.count(of: 1, "a count of keys")) { note.quarantine.append(try reader.string("a key")) }
    for _ in 0..<(try reader.count(of: 1, "a count of keys")) { note.undisplayed.append(try reader.string("a key")) }
    return note
  }
}
