import RepriseCore
import RepriseRemote
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A transport for a `RemoteSource` whose server is a folder. Each file of the folder becomes an object of the store.
///
/// ```swift
/// var options = RemoteOptions()
/// options.readsAllPages = true
/// let notes = try RemoteSource(
///   "notes", Fetch<Note>().sorted { $0.path }, in: store.mainContext, from: DirectoryTransport("notes"),
///   mapping: RemoteMapping(
///     key: { $0.path }, id: { $0.path },
///     apply: { file, note, _ in (note.text, note.version) = (file.text ?? "", file.version) },
///     record: { DirectoryDocument($0.path, text: $0.text, version: $0.version) }),
///   options: options)
/// let files = DirectorySource("notes")
/// observation = files.observe { _ in Task { try await notes.synchronize() } }
/// ```
///
/// You edit a document like any object: in a child context, with a draft that survives a kill, with undo and with
/// conflicts. The documents are available even while the folder is not, and the log has their history. The source's
/// `send()`, `synchronize()` or `run(every:)` writes saved changes to the files.
///
/// A write makes a temporary file in the document's folder. Once that file is on the disk, it replaces the document. A
/// file that another program has changed in the meantime is not overwritten. Changes of different properties are
/// merged. Changes of the same property become a `RemoteConflict`.
///
/// The model needs a unique attribute for the path, and an attribute for ``DirectoryDocument/version``. The path of an
/// object must not change. To rename a document, insert a new object and delete the old one.
///
/// If the folder is missing, the disk is full, or permissions are missing, the request throws a `RemoteError`. Saved
/// changes then wait. If an earlier run of the program saved a deletion, the transport deletes the file even if it has
/// changed since.
///
/// A document is a file with a name in UTF-8. Links, and files larger than ``sizeLimit``, are left out. Documents are
/// read in pages of at most about 16 MiB, so a large folder takes the memory of a page and of all paths.
///
/// Each reading looks at all files, but opens only some:
///
/// - If nothing has changed since the last reading, it opens no file. This also holds for a reading by an earlier run.
/// - If this run made the last reading, it opens the changed files.
/// - If an earlier run made the last reading, it opens all files.
public final class DirectoryTransport: RemoteTransport {
  /// The absolute path of the folder.
  public let path: String
  /// The largest size of a document, in bytes.
  ///
  /// A larger file is not a document, because a `RemoteSource` sends only records of up to 1 MiB.
  public static var sizeLimit: Int { 900_000 }
  private let filter: DirectoryFilter
  private let pageSize: Int
  /// A page ends with the document that reaches this number of bytes.
  private static var pageBytes: Int { 16 << 20 }
  private let listing = Mutex<DocumentListing?>(nil)

  /// Makes a transport for a folder.
  ///
  /// - Parameters:
  ///   - path: The folder, relative to the current folder unless the path begins with a slash.
  ///   - filter: The files that are documents. Only regular files are documents, even if the filter also shows folders
  ///     or links.
  ///   - pageSize: The maximum number of documents in a page. Pages of large documents have fewer.
  public init(_ path: String, showing filter: DirectoryFilter = DirectoryFilter(), pageSize: Int = 10_000) {
    self.path = DirectorySource.absolute(path)
    self.filter = filter
    self.pageSize = max(1, pageSize)
  }

  // MARK: Reading

  /// Reads all documents, or only the documents that changed since the request's cursor.
  ///
  /// A cursor identifies the paths and versions of all files. A cursor of an earlier run is known only if nothing has
  /// changed since then, and otherwise the answer is `expired`.
  ///
  /// - Throws: `RemoteError` if the folder or a file in it cannot be read.
  public func read(_ request: RemoteRequest) async throws -> RemoteReading<DirectoryDocument> {
    if let place = request.page { return try await readOn(after: place, request.cursor) }
    let present = try present()
    let cursor = DocumentListing.cursor(of: present)
    guard let since = request.cursor else {
      let listing = list(present, cursor, present.keys.sorted())
      return .page(try await page(listing, from: 0, deleted: [], isFirst: true))
    }
    if since == cursor {
      _ = list(present, cursor, [])
      return .unmodified
    }
    guard let base = listing.withLock({ $0?.base(at: since) }) else { return .expired }
    let listing = list(present, cursor, present.keys.filter { base.versions[$0] != present[$0] }.sorted(), since: base)
    let gone = base.versions.keys.filter { present[$0] == nil }.sorted()
    return .page(try await page(listing, from: 0, deleted: gone, isFirst: true))
  }

  /// The documents after a path. An earlier run may have made the listing.
  private func readOn(after place: String, _ cursor: String?) async throws -> RemoteReading<DirectoryDocument> {
    var known = listing.withLock(\.self)
    if known == nil {
      // Only the earlier run knew which documents had changed.
      if cursor != nil { return .expired }
      let present = try present()
      known = list(present, DocumentListing.cursor(of: present), present.keys.sorted())
    }
    guard let known else { return .expired }
    var (low, high) = (0, known.places.count)
    while low < high {
      let middle = (low + high) / 2
      if known.places[middle] <= place { low = middle + 1 } else { high = middle }
    }
    return .page(try await page(known, from: low, deleted: [], isFirst: false))
  }

  private func list(
    _ present: [String: String], _ cursor: String, _ places: [String], since base: DocumentListing.Base? = nil
  ) -> DocumentListing {
    let new = DocumentListing(cursor: cursor, versions: present, places: places, base: base)
    listing.withLock { $0 = new }
    return new
  }

  private func page(
    _ listing: DocumentListing, from start: Int, deleted: [String], isFirst: Bool
  ) async throws -> RemotePage<DirectoryDocument> {
    // The first page has the cursor, so the next answer also has changes from now on.
    var page = RemotePage<DirectoryDocument>(
      records: [], deletedIDs: deleted, cursor: isFirst ? listing.cursor : nil)
    var size = 0
    for place in listing.places[start...] {
      try Task.checkCancellation()
      if page.records.count == pageSize || size >= Self.pageBytes {
        page.nextPage = page.records.last?.path
        break
      }
      let document = try await document(at: place)
      self.listing.withLock { $0?.versions[place] = document?.version }
      if let document {
        page.records.append(document)
        size += document.content.count
      } else {
        page.deletedIDs.append(place)
      }
    }
    // If the whole folder is missing, its files do not count as deleted.
    if page.deletedIDs.count > deleted.count { try requireFolder() }
    return page
  }

  private func requireFolder() throws {
    do throws(SystemError) {
      guard try FileStatus(Array(path.utf8), followingLinks: true).kind == .directory else {
        throw SystemError.notADirectory
      }
    } catch {
      throw error.remoteError(path)
    }
  }

  private func present() throws -> [String: String] {
    do throws(SystemError) { return try DocumentListing.versions(in: path, filter) } catch {
      throw error.remoteError(path)
    }
  }

  /// The document at a path. Waits until the file no longer changes. `nil` if there is no document.
  private func document(at place: String) async throws -> DirectoryDocument? {
    let file = DocumentFile(in: path, place)
    for _ in 0..<20 {
      do throws(SystemError) {
        guard let before = try file.version(), before.size <= Int64(Self.sizeLimit) else { return nil }
        // A file that is written twice within a tick of the system's clock has the same time.
        if file.isOlderThanATick(before) {
          let content = try file.content(atMost: Self.sizeLimit)
          if let content, try file.version()?.text == before.text {
            return DirectoryDocument(place, content: content, version: before.text)
          }
        }
      } catch {
        throw error.remoteError(path)
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw RemoteError.unavailable(reason: "another program keeps writing '\(place)'", retryAfter: nil, source: path)
  }

  // MARK: Writing

  /// Writes or deletes a file.
  ///
  /// If another program has changed the file, the transport leaves it unchanged and answers `changed`, with the present
  /// file. If another program has deleted the file, the answer is `gone`. If the path is not the path of a document, or
  /// the content is too large, the answer is `refused`.
  ///
  /// - Throws: `RemoteError` if the file cannot be written now.
  public func send(_ change: RemoteChange<DirectoryDocument>) async throws -> RemoteAnswer<DirectoryDocument> {
    let place = change.id ?? change.record?.path ?? ""
    guard isPlace(place) else {
      return .refused(
        reason: "'\(place)' is not the path of a document: the folder's filter excludes it, or a part of it is not a "
          + "valid file name")
    }
    let file = DocumentFile(in: path, place)
    try requireFolder()
    do throws(SystemError) {
      if let status = try file.status(), status.kind != .file {
        return .refused(reason: "'\(place)', the path of its file, is not a plain file")
      }
    } catch {
      throw error.remoteError(path)
    }
    let present = try await document(at: place)
    guard let record = change.record else {
      guard let present else { return .accepted(nil) }
      if let last = listing.withLock({ $0?.versions[place] }), last != present.version { return .changed(present) }
      do throws(SystemError) { try file.remove() } catch { throw error.remoteError(path) }
      return .accepted(nil)
    }
    guard record.content.count <= Self.sizeLimit else {
      return .refused(reason: "the file would have more than \(Self.sizeLimit) bytes")
    }
    if let present {
      // The change was already written, and its answer was lost.
      if present.content == record.content { return .accepted(present) }
      if change.kind == .create || present.version != record.version { return .changed(present) }
    } else if change.kind == .update {
      return .gone
    }
    var isWritten = false
    do throws(SystemError) {
      isWritten = try file.write(record.content, replacing: present != nil)
    } catch {
      if error.code == ENAMETOOLONG {
        return .refused(reason: "\(error.operation): \(String(cString: strerror(error.code)))")
      }
      throw error.remoteError(path)
    }
    guard let written = try await document(at: place) else { return .gone }
    // Another program may have written the file first.
    return isWritten ? .accepted(written) : .changed(written)
  }

  /// Whether a path names a file that the filter shows.
  private func isPlace(_ place: String) -> Bool {
    let parts = place.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !place.utf8.contains(0),
      parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
    else { return false }
    let folders = parts.dropLast().allSatisfy { filter.looksInto(PathBytes(Array($0.utf8))) }
    let bytes = PathBytes(Array(name.utf8))
    return folders && filter.shows(bytes, .file) && !DocumentFile.isTemporary(bytes)
  }
}
