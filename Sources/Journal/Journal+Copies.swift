import RepriseSystem

/// The journals of a store, as far as they are written.
package struct CopiedJournals {
  /// By the names of their files.
  package var contents: [(name: String, bytes: [UInt8])] = []
  /// The names of the files that this process does not read: other users own them or may write them, or they are not
  /// plain files.
  package var missing: [String] = []

  package init() {}
}

extension Journal {
  /// The journals of all processes. A copy belongs to this user, so a journal that is not trusted is left out. Frames
  /// that are being written are torn off when they are read.
  package func copies() throws(JournalError) -> CopiedJournals {
    var found = CopiedJournals()
    for journal in try core.folder.journals() {
      let name = JournalFolder.name(journal)
      do throws(SystemFailure) {
        found.contents.append((name, try core.folder.readLive(journal)))
      } catch {
        if error.isRefusal {
          found.missing.append(name)
          continue
        }
        // A missing file was checkpointed, so its content is in the tables.
        if !core.folder.has(journal) { continue }
        throw .cannotRead(path: core.folder.path(name), errno: error.errno)
      }
    }
    return found
  }
}
