#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `data.mdb` read with `pread`, not mapped. LMDB maps a file without checking its length, and a missing page then
/// kills the process with SIGBUS. Use it only while this process has no environment on the file.
package struct DataFile: ~Copyable {
  static let name = "data.mdb"
  static let word = MemoryLayout<UInt>.size
  static let pageHeaderSize = word + 8

  let descriptor: Int32
  let directory: String

  /// Nil if the file does not exist.
  package init?(directory: String) throws(StorageError) {
    let descriptor = open(directory + "/" + DataFile.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      if errno == ELOOP { throw .symbolicLink(name: DataFile.name, StorageError.Site(.checkFile, directory)) }
      throw StorageError(code: errno, .checkFile, path: directory)
    }
    self.descriptor = descriptor
    self.directory = directory
  }

  /// Reads an open file through another descriptor.
  init(sharing open: Int32, _ directory: String) throws(StorageError) {
    descriptor = fcntl(open, F_DUPFD_CLOEXEC, 0)
    self.directory = directory
    if descriptor < 0 { throw StorageError(code: errno, .checkFile, path: directory) }
  }

  deinit {
    close(descriptor)
  }

  var site: StorageError.Site { StorageError.Site(.checkFile, directory) }

  func size() throws(StorageError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw StorageError(code: errno, .checkFile, path: directory) }
    return Int(status.st_size)
  }

  /// The next part of the file from an offset on that is not a hole. `nil` if there is none. Where the file system
  /// knows of no holes, all of the rest is one part.
  func data(from offset: Int) throws(StorageError) -> Range<Int>? {
    let start = lseek(descriptor, off_t(offset), Self.seekData)
    if start < 0 {
      if errno == ENXIO { return nil }
      let end = try size()
      return offset < end ? offset..<end : nil
    }
    let end = lseek(descriptor, start, Self.seekHole)
    return Int(start)..<(end > start ? Int(end) : max(try size(), Int(start) + 1))
  }

  #if canImport(Darwin)
  private static let (seekHole, seekData): (Int32, Int32) = (3, 4)
  #else
  private static let (seekData, seekHole): (Int32, Int32) = (3, 4)
  #endif

  /// As many of `count` bytes as there are.
  package func read(at offset: Int, count: Int) throws(StorageError) -> [UInt8] {
    try Self.read(descriptor, directory, at: offset, count: count)
  }

  static func read(
    _ descriptor: Int32, _ directory: String, at offset: Int, count: Int
  ) throws(StorageError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let start = buffer.baseAddress.map { $0 + filled }
        let got = pread(descriptor, start, count - filled, off_t(offset + filled))
        if got < 0 && errno == EINTR { continue }
        if got < 0 { failure = errno }
        if got <= 0 { return }
        filled += got
      }
    }
    if failure != 0 { throw StorageError(code: failure, .checkFile, path: directory) }
    return bytes
  }
}
