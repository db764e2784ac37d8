import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension Journal {
  /// Takes over the journals of dead processes in the store's folder of journals, which need not exist. Reads those
  /// files, and writes none.
  ///
  /// They stay locked until they are checkpointed, which is soon: once in the tables, their content is available to
  /// every process.
  ///
  /// - Parameters:
  ///   - claims: The file whose locks claim drafts and scenes: the environment's.
  ///   - log: The UUID of the store's log.
  package static func open(
    directory: String, claims: String, log: UniqueID, map: SchemaMap, tables: StoreTables, view: View,
    options: JournalOptions = JournalOptions()
  ) throws(JournalError) -> Journal {
    let folder = JournalFolder(path: directory)
    let generations = GenerationCounter()
    var adoption = Adoption(folder: folder, log: log, wrap: options.file)
    var stamp: JournalFolder.Stamp?
    try folder.look(knowing: [], &stamp) { adoption.take($0) }
    if !adoption.taken.isEmpty {
      do throws(StorageError) {
        let journals = adoption.taken.map(\.journal)
        generations.note(try JournalMarks.highestConsumed(of: journals, view, tables.journals))
      } catch {
        for journal in adoption.taken { journal.file.close() }
        throw .tables(error.reason)
      }
    }
    var disk = JournalDisk(own: JournalDisk.Own(UniqueID(), log: log))
    adoption.enter(&disk)
    if adoption.isAlone { disk.quietStamp = stamp }
    let core = JournalCore(
      log: log, folder: folder, options: options, generations: generations,
      claims: Claims(path: claims, folder: directory), disk: disk, map: map)
    core.note(adoption.taken.map(\.content))
    if !adoption.taken.isEmpty { core.checkpointSoon() }
    return Journal(core, tables, tornBytes: adoption.tornBytes)
  }

  /// A journal without files, which refuses all entries.
  package static func closed(_ tables: StoreTables) -> Journal {
    let core = JournalCore(
      log: .zero, folder: JournalFolder(path: ""), options: JournalOptions(), generations: GenerationCounter(),
      claims: Claims(path: "", folder: ""),
      disk: JournalDisk(own: JournalDisk.Own(.zero, log: .zero), held: []), map: .none)
    core.queue.withLock { $0.isClosed = true }
    return Journal(core, tables, tornBytes: 0)
  }

  /// A journal without a file, which refuses all entries. It reads the journals of other processes, and takes over,
  /// locks and writes none.
  package static func reading(directory: String, claims: String, log: UniqueID, _ tables: StoreTables) -> Journal {
    let core = JournalCore(
      log: log, folder: JournalFolder(path: directory, isOnlyRead: true), options: JournalOptions(),
      generations: GenerationCounter(), claims: Claims(path: claims, folder: directory, isOnlyRead: true),
      disk: JournalDisk(own: JournalDisk.Own(.zero, log: log)), map: .none)
    core.queue.withLock { $0.isClosed = true }
    return Journal(core, tables, tornBytes: 0)
  }

  /// Classifies the journals found in the folder.
  struct Adoption: Sendable {
    let folder: JournalFolder
    let log: UniqueID
    let wrap: @Sendable (any JournalFile) -> any JournalFile
    private(set) var taken: [HeldJournal] = []
    private(set) var live: [UniqueID] = []
    /// Refused journals, with the drafts and scenes that they are about. Nothing else is known of them.
    private var refused: [JournalContent] = []
    /// The files that could not be read at all.
    private var unread: [JournalProblem] = []
    /// Problems of the journals taken.
    private var damage: [JournalProblem] = []
    private(set) var tornBytes = 0
    private var lookedAt = 0

    init(folder: JournalFolder, log: UniqueID, wrap: @escaping @Sendable (any JournalFile) -> any JournalFile) {
      self.folder = folder
      self.log = log
      self.wrap = wrap
    }

    /// Whether this process now holds every journal that was found.
    var isAlone: Bool { live.isEmpty && taken.count == lookedAt }

    mutating func take(_ found: JournalFolder.Found) {
      switch found {
      case .gone: return
      case .live(let journal): live.append(journal)
      case .problem(let problem): unread.append(problem)
      case .refused(let journal, let bytes):
        if let bytes, let content = topics(of: JournalBytes(bytes), journal) {
          refused.append(content)
        } else {
          unread.append(.notPrivate(file: JournalFolder.name(journal)))
        }
      case .dead(let journal, let descriptor, let length):
        let file = wrap(PlainJournalFile(descriptor: descriptor))
        do throws(SystemFailure) {
          take(try file.contents(length), journal, file)
        } catch {
          file.close()
          unread.append(.unreadableFile(file: JournalFolder.name(journal), errno: error.errno))
        }
      }
      lookedAt += 1
    }

    /// Replaces the findings of the last look at the folder.
    func enter(_ disk: inout JournalDisk) {
      disk.adopt(taken)
      // A journal that is only read is read again at the next look.
      disk.damage = folder.isOnlyRead ? damage : disk.damage + damage
      (disk.refused, disk.unread) = (refused, unread)
    }

    /// A refused journal. `nil` if it is not one of this store.
    private func topics(of bytes: JournalBytes, _ journal: UniqueID) -> JournalContent? {
      guard case .valid(JournalFormat.version, log, journal) = bytes.lend({ JournalFormat.parseHeader($0) }) else {
        return nil
      }
      return JournalContent(JournalScan(bytes, log: log, journal: journal))
    }

    private mutating func take(_ bytes: JournalBytes, _ journal: UniqueID, _ file: any JournalFile) {
      guard let (content, isDamaged) = content(of: bytes, journal) else { return file.close() }
      if content.scan.frames.isEmpty, !isDamaged { damage.append(.empty(file: content.file)) }
      tornBytes += content.scan.tornBytes
      taken.append(HeldJournal(content, file, isDamaged: isDamaged))
    }

    /// The content of a journal, and whether it is damaged. `nil` if this version of the library cannot read it, or it
    /// is not one of this store.
    ///
    /// - Parameter isOfLiving: Called for a journal that a power cut seems to have damaged: whether its process lives.
    mutating func content(
      of bytes: JournalBytes, _ journal: UniqueID, isOfLiving: (JournalContent) -> Bool = { _ in false }
    ) -> (content: JournalContent, isDamaged: Bool)? {
      var name: String { JournalFolder.name(journal) }
      var isDamaged = false
      switch bytes.lend({ JournalFormat.parseHeader($0) }) {
      case .valid(let version, _, _) where version != JournalFormat.version:
        unread.append(.newerFormat(file: name, version: version))
        return nil
      case .prerelease:
        unread.append(.prereleaseFormat(file: name))
        return nil
      case .valid(_, let log, _) where log != self.log:
        unread.append(.foreignLog(file: name, log: log))
        return nil
      case .valid(_, _, let its) where its != journal:
        unread.append(.misnamed(file: name, journal: its))
        return nil
      case .valid, .missing: break
      case .damaged:
        isDamaged = true
        damage.append(.damagedHeader(file: name))
      }
      var content = JournalContent(JournalScan(bytes, log: log, journal: journal))
      if content.scan.leftOut > 0, isOfLiving(content) {
        content = JournalContent(JournalScan(bytes, log: log, journal: journal, isOfLiving: true))
      }
      if let loss = content.damage {
        isDamaged = true
        damage.append(loss)
      }
      damage += content.index.problems
      return (content, isDamaged)
    }
  }
}
