#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where `data.mdb` keeps the after-images of its last two commits.
///
/// They lie in the value of a table's only row. LMDB stores such a long value on separate pages, and does not move it
/// while nobody changes the row. So a commit writes its after-image into these pages directly. Commits with an even
/// number use the first place, and commits with an odd number the second place.
package struct ImagePlaces: Sendable {
  package static let table = "afterimages"
  package static let key = Array("places".utf8)
  /// The size of the value. With the header of its first page, the first place ends after 64 KiB. So for all sizes of
  /// pages, no page has bytes of both places: writing an after-image rewrites no byte of the other one.
  package static let size = 2 * room
  /// The size of a place. 64 KiB without a header of a page.
  static let room = 65_520

  /// Where in the file the value begins.
  let offset: Int

  init(offset: Int) { self.offset = offset }

  /// Where in the file the after-image of a commit begins.
  func place(of commit: Int) -> Int { offset + (commit & 1) * Self.room }

  // MARK: The file

  /// All bytes of the place of a commit.
  func read(_ commit: Int, _ descriptor: Int32, _ directory: String) throws(StorageError) -> [UInt8] {
    try DataFile.read(descriptor, directory, at: place(of: commit), count: Self.room)
  }

  /// Writes an after-image without flushing it. Returns 0 or an error number.
  func write(_ image: UnsafeRawBufferPointer, of commit: Int, _ descriptor: Int32) -> Int32 {
    Self.write(image, at: place(of: commit), descriptor)
  }

  /// Overwrites the beginning of an after-image without flushing it, so that nobody repeats its commit. Returns 0 or an
  /// error number.
  func withdraw(_ commit: Int, _ descriptor: Int32) -> Int32 {
    let nothing = [UInt8](repeating: 0, count: AfterImage.headerSize)
    return nothing.withUnsafeBytes { Self.write($0, at: place(of: commit), descriptor) }
  }

  /// Overwrites both places with zeros. Returns 0 or an error number.
  func empty(_ descriptor: Int32) -> Int32 {
    let nothing = [UInt8](repeating: 0, count: Self.size)
    return nothing.withUnsafeBytes { Self.write($0, at: offset, descriptor) }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, _ descriptor: Int32) -> Int32 {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: bytes)
      let written = pwrite(descriptor, part.baseAddress, part.count, off_t(offset + bytes.startIndex))
      if written < 0 && errno == EINTR { continue }
      if written <= 0 { return written < 0 ? errno : EIO }
      bytes = bytes.dropFirst(written)
    }
    return 0
  }
}
