import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The journals of a store, as far as they are written.
package struct CopiedJournals {
  /// By the names of their files.
  package var contents: [(name: String, bytes: [UInt8])] = []
  /// Those that belong to others.
  package var missing: [String] = []
}

extension Journal {
  /// The journals of all processes. Frames that are being written are torn off when they are read.
  package func copies() throws(JournalError) -> CopiedJournals {
    var found = CopiedJournals()
    for journal in try core.folder.journals() {
      let name = JournalFolder.name(journal)
      do throws(SystemFailure) {
        found.contents.append((name, try core.folder.readLive(journal)))
      } catch {
        switch error.errno {
        // It was checkpointed, and is in the tables.
        case ENOENT: break
        case EACCES, EPERM: found.missing.append(name)
        default: throw .cannotRead(path: core.folder.path(name), errno: error.errno)
        }
      }
    }
    return found
  }
}
