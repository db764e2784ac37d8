import Foundation
import RepriseEventStore
import RepriseSystem

/// The journals of a store as a power cut would leave them: with what was flushed last, and nothing since.
// Safe: nothing changes; the files are the system's.
final class FlushedJournals: @unchecked Sendable {
  private let journals: String
  private let flushed: String

  init(of store: String) {
    journals = store + "/journals"
    flushed = store + "-flushed"
  }

  deinit { try? FileManager.default.removeItem(atPath: flushed) }

  /// To be put around each journal file of the store.
  func watch(_ file: any JournalFile) -> any JournalFile { WatchedFile(file: file, journals: self) }

  /// Cuts the power: the store must not be open.
  func cutPower() throws {
    try FileManager.default.removeItem(atPath: journals)
    try FileManager.default.copyItem(atPath: flushed, toPath: journals)
  }

  fileprivate func keep() {
    try? FileManager.default.removeItem(atPath: flushed)
    try? FileManager.default.copyItem(atPath: journals, toPath: flushed)
  }

  private final class WatchedFile: JournalFile {
    private let file: any JournalFile
    private let journals: FlushedJournals

    init(file: any JournalFile, journals: FlushedJournals) {
      self.file = file
      self.journals = journals
    }

    func synchronize() throws(SystemFailure) {
      try file.synchronize()
      journals.keep()
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemFailure) {
      try file.write(bytes, at: offset)
    }
    func truncate(to length: Int) throws(SystemFailure) { try file.truncate(to: length) }
    func read(_ range: Range<Int>) throws(SystemFailure) -> [UInt8] { try file.read(range) }
    func contents(_ count: Int) throws(SystemFailure) -> JournalBytes { try file.contents(count) }
    var isDeleted: Bool { file.isDeleted }
    func close() { file.close() }
  }
}
