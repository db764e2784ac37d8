import CRepriseFaults

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A defect in the way that commits are made durable, planted in a recording. A test must find each.
enum PlantedBug: String {
  case noImage = "no image"
  /// An after-image is written after the flush of its commit.
  case lateImage = "late image"
  /// All commits use one place.
  case onePlace = "one place"
  /// A withdrawn after-image stays.
  case keptImage = "kept image"
  /// A commit without an after-image does not flush its meta page.
  case lateMeta = "late meta"
  /// LMDB commits with `MDB_NOSYNC`.
  case noFlush = "no flush"
  /// An opening repeats nothing.
  case noRepetition = "no repetition"

  private static let placeSize = 65_520

  func apply(to recording: inout Recording) {
    for place in recording.changes.indices { apply(to: &recording.changes[place]) }
  }

  private func apply(to change: inout Recording.Change) {
    guard change.path.hasSuffix("data.mdb") else { return }
    switch self {
    case .noImage: if change.isImage { change.kind = 0 }
    case .lateImage: if change.isImage { change.isLate = true }
    case .onePlace: if change.isImage, change.bytes[8] & 1 == 1 { change.offset -= Self.placeSize }
    case .keptImage: if change.isWithdrawal { change.kind = 0 }
    case .lateMeta: change.flags &= ~2
    case .noFlush:
      if change.is(REPRISE_FLUSH) { change.kind = 0 }
      change.flags &= ~2
    case .noRepetition: break
    }
  }

  /// Removes the after-images from a file, so that an opening finds none.
  func apply(to file: inout [UInt8]) {
    guard self == .noRepetition else { return }
    let pageSize = Int(getpagesize())
    for page in stride(from: 2 * pageSize, to: file.count, by: pageSize) {
      let isFirst = file.withUnsafeBytes { bytes in
        bytes.loadUnaligned(fromByteOffset: page, as: UInt64.self) == UInt64(page / pageSize)
          && bytes.loadUnaligned(fromByteOffset: page + 10, as: UInt16.self) == 4
          && bytes.loadUnaligned(fromByteOffset: page + 12, as: UInt32.self) == UInt32(128 * 1024 / pageSize)
      }
      guard isFirst, file.count >= page + 16 + 2 * Self.placeSize else { continue }
      for place in [page + 16, page + 16 + Self.placeSize] {
        file.replaceSubrange(place..<place + 44, with: [UInt8](repeating: 0, count: 44))
      }
    }
  }
}

extension Recording.Change {
  /// Whether it writes an after-image, which has its own length behind its checksum.
  fileprivate var isImage: Bool {
    guard self.is(REPRISE_WRITE), bytes.count > 44 else { return false }
    return bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 4, as: UInt32.self)) == bytes.count }
  }

  fileprivate var isWithdrawal: Bool { self.is(REPRISE_WRITE) && bytes.count == 44 && bytes.allSatisfy { $0 == 0 } }
}
