import RepriseObjectModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Which entries of a scan are about which draft or scene, found in one pass that reads nothing else of them.
struct JournalIndex: Sendable {
  private(set) var drafts: [String: [Entry]] = [:]
  private(set) var scenes: [String: [Entry]] = [:]
  /// The highest in any entry.
  private(set) var generation: UInt64 = 0
  private(set) var problems: [JournalProblem] = []

  struct Entry: Sendable {
    let kind: JournalEntryKind
    let frame: UInt64
    let time: UInt64
    /// What the kind says, in the bytes of the scan.
    let body: Range<Int>
  }

  init(_ scan: JournalScan, file: String) {
    scan.bytes.withUnsafeBytes { bytes in
      var pass = Pass(bytes: bytes)
      for frame in scan.frames {
        do throws(MalformedBytes) {
          try pass.read(frame)
        } catch {
          problems.append(.malformedEntry(file: file, frame: frame.number, reason: error.description))
        }
      }
      for (index, name) in pass.names.enumerated() {
        if !pass.drafts[index].isEmpty { drafts[name] = pass.drafts[index] }
        if !pass.scenes[index].isEmpty { scenes[name] = pass.scenes[index] }
      }
      generation = pass.generation
    }
  }

  /// Drafts that the file's process has open.
  var openDrafts: [String] { drafts.compactMap { name, entries in entries.last?.kind == .ended ? nil : name } }

  private struct Pass {
    let bytes: UnsafeRawBufferPointer
    var names: [String] = []
    var places: [String: Int] = [:]
    var drafts: [[Entry]] = []
    var scenes: [[Entry]] = []
    var generation: UInt64 = 0
    /// Names of the frame before, by place there: where each stands in the bytes, and which it is.
    var before: [(range: Range<Int>, name: Int)] = []
    var current: [(range: Range<Int>, name: Int)] = []

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func read(_ frame: JournalScan.Frame) throws(MalformedBytes) {
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[frame.content]))
      let base = frame.content.lowerBound
      swap(&before, &current)
      current.removeAll(keepingCapacity: true)
      for place in 0..<(try reader.count("a count of names")) {
        let length = try reader.count("the length of a name")
        let start = base + reader.offset
        _ = try reader.take(length)
        let range = start..<start + length
        current.append((range, name(range, place)))
      }
      while !reader.isAtEnd {
        let length = try reader.count("the length of an entry")
        let end = reader.offset + length
        let code = try reader.byte("the kind of an entry")
        let place = Int(clamping: try reader.varint("the place of a name"))
        guard current.indices.contains(place), reader.offset <= end else { throw reader.fail("the place of a name") }
        // A kind that only later versions know is theirs to read.
        if let kind = JournalEntryKind(rawValue: code) {
          let entry = Entry(
            kind: kind, frame: frame.number, time: frame.time, body: base + reader.offset..<base + end)
          let known = current[place].name
          if kind.isOfScene { scenes[known].append(entry) } else { drafts[known].append(entry) }
          if kind == .edited || kind == .began || kind == .emptied {
            generation = max(generation, try reader.varint("a generation"))
          }
        }
        reader.offset = end
      }
    }

    /// Most frames name what the one before named: then the bytes are compared, and no string is made.
    private mutating func name(_ range: Range<Int>, _ place: Int) -> Int {
      if before.indices.contains(place), before[place].range.count == range.count {
        let other = before[place].range
        let isSame = UnsafeRawBufferPointer(rebasing: bytes[range]).isSame(
          as: UnsafeRawBufferPointer(rebasing: bytes[other]))
        if isSame { return before[place].name }
      }
      let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
      if let name = places[text] { return name }
      places[text] = names.count
      names.append(text)
      drafts.append([])
      scenes.append([])
      return names.count - 1
    }
  }
}
