import Foundation

/// The lines of a file, one at a time.
final class LineReader {
  /// A longer line would not be an export, but a file without line ends.
  static let longest = 1 << 30
  private static let chunkSize = 1 << 18

  let path: String
  /// The number of the last line, from 1.
  private(set) var number = 0
  private let file: FileHandle
  private var chunk: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private let size: UInt64
  private var offset = 0

  /// The part of the file that is read, from 0 to 1. NaN for a pipe, because its size is unknown.
  var fraction: Double { size == 0 ? .nan : min(1, Double(offset - chunk.count + start) / Double(size)) }

  init(_ path: String) throws {
    self.path = path
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue,
      let file = FileHandle(forReadingAtPath: path)
    else { throw ImportError.unreadable(path) }
    self.file = file
    var status = stat()
    size = fstat(file.fileDescriptor, &status) == 0 ? UInt64(max(0, status.st_size)) : 0
  }

  deinit { try? file.close() }

  /// The place of the last line, for messages.
  var place: ImportError.Place { ImportError.Place(file: path, line: number) }

  /// The next line without its line feed, and at the beginning of the file without a byte order mark.
  func next() throws -> [UInt8]? {
    var line: [UInt8] = []
    var isThere = false
    while true {
      if start == chunk.count, try !readChunk() {
        if !isThere { return nil }
        break
      }
      isThere = true
      let end = chunk[start...].firstIndex(of: UInt8(ascii: "\n"))
      line.append(contentsOf: chunk[start..<(end ?? chunk.count)])
      start = end.map { $0 + 1 } ?? chunk.count
      if line.count > Self.longest {
        throw ImportError.tooLong(ImportError.Place(file: path, line: number + 1), limit: Self.longest)
      }
      if end != nil { break }
    }
    number += 1
    if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    return line
  }

  private func readChunk() throws -> Bool {
    if isAtEnd { return false }
    let data: Data?
    do { data = try file.read(upToCount: Self.chunkSize) } catch { throw ImportError.unreadable(path) }
    chunk = data.map { [UInt8]($0) } ?? []
    start = 0
    offset += chunk.count
    isAtEnd = chunk.isEmpty
    return !isAtEnd
  }
}
