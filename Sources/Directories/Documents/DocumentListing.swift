/// The content of the folder when it was last listed.
struct DocumentListing {
  let cursor: String
  /// The version of each document, by path. After a document was read, the version that was read.
  var versions: [String: String]
  /// The paths of the documents to read, in order.
  let places: [String]
  /// The earlier listing, compared with this one. Another request needs it if the pages are not read to the end.
  let base: Base?

  struct Base {
    let cursor: String
    let versions: [String: String]
  }

  /// The content of the folder at a cursor.
  func base(at since: String) -> Base? {
    since == cursor ? Base(cursor: cursor, versions: versions) : base?.cursor == since ? base : nil
  }

  /// The versions of the documents that a folder has now, by path.
  static func versions(in path: String, _ filter: DirectoryFilter) throws(SystemError) -> [String: String] {
    var versions: [String: String] = [:]
    var folders = [PathBytes.root]
    while let folder = folders.popLast() {
      let names: [PathBytes]
      do throws(SystemError) {
        names = try FolderListing.names(Array((path + "/" + folder.text).utf8))
      } catch {
        // A subfolder may be deleted by now.
        if folder != .root, error.isAbsence { continue }
        throw error
      }
      for name in names where !DocumentFile.isTemporary(name) {
        let place = folder.appending(name)
        guard place.text.utf8.elementsEqual(place.bytes) else { continue }
        guard let status = try DocumentFile(in: path, place.text).status() else { continue }
        if status.kind == .directory, filter.looksInto(name) { folders.append(place) }
        if status.kind == .file, filter.shows(name, .file), status.size <= Int64(DirectoryTransport.sizeLimit) {
          versions[place.text] = DocumentFile.Version(status).text
        }
      }
    }
    return versions
  }

  /// Two FNV-1a hashes of paths and versions. They need not resist attacks, because nobody gains from two folders with
  /// the same cursor.
  static func cursor(of versions: [String: String]) -> String {
    var (one, other): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142)
    for place in versions.keys.sorted() {
      for byte in place.utf8 + [0] + Array((versions[place] ?? "").utf8) + [0] {
        one = (one ^ UInt64(byte)) &* 0x100_0000_01B3
        other = (other ^ UInt64(byte) ^ 0x5A) &* 0x100_0000_01B3
      }
    }
    return "\(versions.count)-\(String(one, radix: 16))-\(String(other, radix: 16))"
  }
}
