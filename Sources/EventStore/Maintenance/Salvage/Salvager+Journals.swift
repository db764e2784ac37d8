import RepriseJournal
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension Salvager {
  /// Must be called first, because a journal has the UUID of its log.
  mutating func readJournals() throws(StoreError) {
    let folder = JournalFolder(path: path + "/journals")
    let found: [UniqueID]
    do throws(JournalError) {
      found = try folder.journals()
    } catch {
      if case .cannotList(_, let code) = error, SystemFailure(errno: code).isPassing {
        throw StoreError(error, path: path)
      }
      return report.found(.unlistedJournals(error))
    }
    for id in found {
      let bytes: [UInt8]
      do throws(SystemFailure) {
        bytes = try folder.readLive(id)
      } catch {
        let failure = JournalError.cannotRead(path: folder.path(JournalFolder.name(id)), errno: error.errno)
        if error.isPassing { throw StoreError(failure, path: path) }
        report.found(error.isRefusal ? .refusedJournal(JournalFolder.name(id)) : .unreadJournal(failure))
        continue
      }
      if bytes.count <= JournalFormat.headerSize { continue }
      guard case .valid(_, let log, id) = bytes.withUnsafeBytes(JournalFormat.parseHeader) else {
        report.found(.damagedJournal(id))
        continue
      }
      journals.append((id, log, bytes))
    }
  }

  /// Copies the journals, as durably as the rest. Returns the complete report.
  mutating func copyJournals(of log: UniqueID) throws(StoreError) -> SalvageReport {
    let folder = JournalFolder(path: newPath + "/journals")
    do throws(SystemFailure) {
      for journal in journals where journal.log == log {
        let frames = journal.bytes.dropFirst(JournalFormat.headerSize)
        try folder.create(journal.id, { $0 }, log: log, frames: frames).close()
        report.journals += 1
      }
      if report.journals > 0 { try folder.synchronize() }
      return report
    } catch {
      throw StoreDirectory.failure(error.errno, newPath, "copying the journals")
    }
  }
}
