import RepriseLog
import RepriseObjectModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The entries of a scan by draft and scene, found in one pass that decodes nothing else.
struct JournalIndex: Sendable {
  private(set) var drafts = Topics()
  private(set) var scenes = Topics()
  /// The highest generation of any entry.
  private(set) var generation: UInt64 = 0
  private(set) var problems: [JournalProblem] = []

  struct Entry: Sendable {
    let kind: JournalEntryKind
    /// The index of its frame in the scan. 32 bits suffice: memory holds fewer frames.
    let frame: UInt32
    // 32 bits suffice, as they do for a frame's own length.
    private let count: UInt32
    private let start: Int

    init(_ kind: JournalEntryKind, frame: Int, body: Range<Int>) {
      self.kind = kind
      self.frame = UInt32(clamping: frame)
      start = body.lowerBound
      count = UInt32(clamping: body.count)
    }

    /// The range of the entry's body in the scan's bytes.
    var body: Range<Int> { start..<start + Int(count) }
  }

  /// The entries about each draft or scene, in file order.
  struct Topics: Sendable {
    private var list = NameList()
    private var entries: [[Entry]] = []

    var names: [String] { list.names }

    subscript(name: String) -> [Entry]? { list.place(of: name).map { entries[$0] } }

    fileprivate mutating func append(_ entry: Entry, about name: String, at place: inout Int) {
      if place < 0 {
        place = list.add(name)
        if place == entries.count { entries.append([]) }
      }
      entries[place].append(entry)
    }
  }

  /// Whether both have entries about one draft or scene.
  func sharesTopics(with other: JournalIndex) -> Bool {
    drafts.names.contains { other.drafts[$0] != nil } || scenes.names.contains { other.scenes[$0] != nil }
  }

  init(_ scan: JournalScan, file: String) {
    scan.bytes.lend { bytes in
      var pass = Pass(bytes: bytes)
      for (place, frame) in scan.frames.enumerated() {
        do throws(MalformedBytes) {
          try pass.read(frame, place)
        } catch {
          problems.append(.malformedEntry(file: file, frame: frame.number, reason: error.description))
        }
      }
      drafts = pass.drafts
      scenes = pass.scenes
      generation = pass.generation
    }
  }

  private struct Pass {
    let bytes: UnsafeRawBufferPointer
    var drafts = Topics()
    var scenes = Topics()
    var generation: UInt64 = 0
    /// The names of the previous frame and of this one, by their place in the frame.
    private var before: [Name] = []
    private var current: [Name] = []

    /// A name's range in the bytes, and its places among the topics once they are looked up.
    private struct Name {
      let range: Range<Int>
      let text: String
      var draft = -1
      var scene = -1
    }

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func read(_ frame: JournalScan.Frame, _ number: Int) throws(MalformedBytes) {
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[frame.content]))
      let base = frame.content.lowerBound
      swap(&before, &current)
      current.removeAll(keepingCapacity: true)
      for place in 0..<(try reader.count("a count of names")) {
        let length = try reader.count("the length of a name")
        let start = base + reader.offset
        _ = try reader.take(length)
        current.append(name(start..<start + length, place))
      }
      while !reader.isAtEnd {
        let length = try reader.count("the length of an entry")
        let end = reader.offset + length
        let code = try reader.byte("the kind of an entry")
        let place = Int(clamping: try reader.varint("the place of a name"))
        guard place < current.count, reader.offset <= end else { throw reader.fail("the place of a name") }
        // A kind from a later version is skipped.
        if let kind = JournalEntryKind(rawValue: code) {
          let entry = Entry(kind, frame: number, body: base + reader.offset..<base + end)
          if kind.isOfScene {
            scenes.append(entry, about: current[place].text, at: &current[place].scene)
          } else {
            drafts.append(entry, about: current[place].text, at: &current[place].draft)
          }
          if kind == .edited || kind == .began || kind == .emptied {
            generation = max(generation, try reader.varint("a generation"))
          }
        }
        reader.offset = end
      }
    }

    /// Most frames repeat the names of the previous one. Comparing the bytes then saves making a string.
    private func name(_ range: Range<Int>, _ place: Int) -> Name {
      let name = UnsafeRawBufferPointer(rebasing: bytes[range])
      if place < before.count, UnsafeRawBufferPointer(rebasing: bytes[before[place].range]).isSame(as: name) {
        return before[place]
      }
      return Name(range: range, text: String(decoding: name, as: UTF8.self))
    }
  }
}
