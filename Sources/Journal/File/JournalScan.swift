import CRepriseChecksums
import RepriseObjectModel

/// The frames of one journal file, found even if its bytes are damaged.
///
/// If the gap had been flushed, frames after it are used, because the disk damaged the gap, and the rest is sound. If
/// it had not been flushed, they are left out, because a power cut destroyed the frames of the gap and kept later ones.
/// With these, a draft would be recovered in a state that it never had.
struct JournalScan: Sendable {
  let journal: UniqueID
  let seed: UInt32
  let bytes: JournalBytes
  private(set) var frames: [Frame] = []
  /// The end of the last valid frame. Anything after it is a torn tail.
  private(set) var end: Int = JournalFormat.headerSize
  /// Gaps: ranges that are not valid frames although frames follow.
  private(set) var damage: [Range<Int>] = []
  /// How many valid frames were left out because a power cut took one before them.
  private(set) var leftOut = 0

  struct Frame: Sendable {
    let number: UInt64
    let time: UInt64
    /// The payload after its time.
    let content: Range<Int>
  }

  /// - Parameter isOfLiving: Whether the process that writes it is alive, so that no power cut can have come since.
  init(_ bytes: [UInt8], log: UniqueID, journal: UniqueID, isOfLiving: Bool = false) {
    self.init(JournalBytes(bytes), log: log, journal: journal, isOfLiving: isOfLiving)
  }

  init(_ bytes: JournalBytes, log: UniqueID, journal: UniqueID, isOfLiving: Bool = false) {
    self.journal = journal
    self.bytes = bytes
    seed = JournalFormat.seed(log: log, journal: journal)
    scan()
    if !isOfLiving && !damage.isEmpty { leaveOutWhatAPowerCutLeft() }
  }

  /// Whether the process had flushed the file and its name at least once: then the file has a durability watermark.
  var isNameFlushed: Bool {
    bytes.lend { all in
      // The last frames have the latest one.
      var place = frames.count
      while place > 0 {
        place -= 1
        let content = UnsafeRawBufferPointer(rebasing: all[frames[place].content])
        if JournalFormat.flushedNumber(content) != nil { return true }
      }
      return false
    }
  }

  var tornBytes: Int { max(0, bytes.count - end) }
  var lastNumber: UInt64 { frames.last?.number ?? 0 }
  var lastTime: UInt64 { frames.last?.time ?? 0 }

  private mutating func scan() {
    let found = bytes.lend { all in
      var search = Search(bytes: all, seed: seed, last: 0)
      return search.frames(from: end)
    }
    frames = found.frames
    damage = found.damage
    end = found.end
  }

  private mutating func leaveOutWhatAPowerCutLeft() {
    let flushed = bytes.lend { all in
      frames.reduce(0) { max($0, JournalFormat.flushedNumber(UnsafeRawBufferPointer(rebasing: all[$1.content])) ?? 0) }
    }
    for (place, gap) in damage.enumerated() {
      guard let next = frames.firstIndex(where: { $0.content.lowerBound > gap.lowerBound }) else { return }
      if frames[next].number - 1 <= flushed { continue }
      leftOut = frames.count - next
      frames.removeSubrange(next...)
      damage.removeSubrange(place...)
      end = gap.lowerBound
      return
    }
  }
}

extension JournalScan {
  /// Searches for frames. Lengths are checked against the bytes that exist, so a forged length allocates nothing.
  private struct Search {
    let bytes: UnsafeRawBufferPointer
    let seed: UInt32
    var last: UInt64
    /// How many more bytes may be checksummed in search of a frame after damage, so that crafted bytes cannot stall the
    /// scan.
    var budget: Int

    init(bytes: UnsafeRawBufferPointer, seed: UInt32, last: UInt64) {
      self.bytes = bytes
      self.seed = seed
      self.last = last
      budget = 1 << 24 + bytes.count * 8
    }

    mutating func frames(from start: Int) -> (frames: [Frame], damage: [Range<Int>], end: Int) {
      var frames: [Frame] = []
      var damage: [Range<Int>] = []
      var offset = start
      while true {
        if let frame = frame(at: offset) {
          frames.append(frame)
          last = frame.number
          offset = frame.content.upperBound
        } else if let next = nextFrame(behind: offset) {
          damage.append(offset..<next)
          offset = next
        } else {
          return (frames, damage, offset)
        }
      }
    }

    private func length(at offset: Int) -> Int? {
      guard offset <= bytes.count - JournalFormat.frameHeaderSize - JournalFormat.minimumPayload else { return nil }
      let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      guard length >= JournalFormat.minimumPayload,
        length <= bytes.count - offset - JournalFormat.frameHeaderSize
      else { return nil }
      return length
    }

    private func number(at offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
    }

    private func frame(at offset: Int) -> Frame? {
      guard let length = length(at: offset), let start = bytes.baseAddress else { return nil }
      let number = number(at: offset)
      // A frame with a lower number is a leftover of the file's earlier content.
      guard number > last, number <= JournalFormat.highestNumber else { return nil }
      let sum = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
      guard reprise_crc32c(seed, start + offset + 8, length + 8) == sum else { return nil }
      let payload = offset + JournalFormat.frameHeaderSize
      let time = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: payload, as: UInt64.self))
      guard time <= JournalFormat.highestNumber else { return nil }
      return Frame(number: number, time: time, content: payload + 8..<payload + length)
    }

    private mutating func nextFrame(behind bad: Int) -> Int? {
      // Most damage leaves the length intact.
      if let length = length(at: bad) {
        let next = bad + JournalFormat.frameHeaderSize + length
        if frame(at: next) != nil { return next }
      }
      var offset = bad + 1
      while offset <= bytes.count - JournalFormat.frameHeaderSize - JournalFormat.minimumPayload, budget > 0 {
        let number = number(at: offset)
        if number > last, number - last <= 1 << 32, let length = length(at: offset) {
          budget -= length
          if frame(at: offset) != nil { return offset }
        }
        offset += 1
      }
      return nil
    }
  }
}
