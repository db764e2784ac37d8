import RepriseLMDB
import RepriseObjectModel

extension Journal {
  /// Takes over the journals of dead processes in the store's folder of journals, which need not exist. Reads those,
  /// and writes nothing.
  ///
  /// The one that was written last goes on as this process's own, if it is sound. The others wait, locked, for the next
  /// fold. `log` is the UUID of the store's log.
  package static func open(
    directory: String, log: UniqueID, map: SchemaMap, tables: StoreTables, view: View,
    options: JournalOptions = JournalOptions()
  ) throws(JournalError) -> Journal {
    let folder = JournalFolder(path: directory)
    let generations = GenerationCounter()
    var adoption = Adoption(folder: folder, log: log, wrap: options.file)
    var stamp: JournalFolder.Stamp?
    try folder.look(knowing: [], &stamp) { adoption.take($0) }
    if !adoption.taken.isEmpty {
      do throws(LMDBError) {
        let journals = adoption.taken.map(\.journal)
        generations.note(try JournalMarks.highestConsumed(of: journals, view, tables.journals))
      } catch {
        for journal in adoption.taken { journal.file.close() }
        throw .tables(error.description)
      }
    }
    var held = adoption.taken
    let own = adoption.newestSound.map { JournalDisk.Own(continuing: held.remove(at: $0)) }
    var disk = JournalDisk(own: own ?? JournalDisk.Own(UniqueID(), log: log), held: held)
    if adoption.isAlone { disk.quietStamp = stamp }
    // Nobody knows what of it the dead process had flushed.
    if own != nil { disk.unflushedSince = options.clock.now() }
    for journal in adoption.taken {
      generations.note(journal.index.generation)
      disk.lastTime = max(disk.lastTime, journal.scan.lastTime)
    }
    let core = JournalCore(
      log: log, folder: folder, options: options, generations: generations, disk: disk, map: map)
    return Journal(core, tables, problems: adoption.problems, tornBytes: adoption.tornBytes)
  }

  /// Sorts out what was found in the folder.
  struct Adoption: Sendable {
    let folder: JournalFolder
    let log: UniqueID
    let wrap: @Sendable (any JournalFile) -> any JournalFile
    private(set) var taken: [HeldJournal] = []
    private(set) var live: [UniqueID] = []
    private(set) var problems: [JournalProblem] = []
    private(set) var tornBytes = 0
    private var sound: [UniqueID] = []
    private var lookedAt = 0

    init(folder: JournalFolder, log: UniqueID, wrap: @escaping @Sendable (any JournalFile) -> any JournalFile) {
      self.folder = folder
      self.log = log
      self.wrap = wrap
    }

    /// Whether every journal that was found is this process's now.
    var isAlone: Bool { live.isEmpty && taken.count == lookedAt }

    var newestSound: Int? {
      let candidates = taken.indices.filter { sound.contains(taken[$0].journal) }
      return candidates.max { left, right in
        let (left, right) = (taken[left], taken[right])
        return left.scan.lastTime != right.scan.lastTime
          ? left.scan.lastTime < right.scan.lastTime : left.journal < right.journal
      }
    }

    mutating func take(_ found: JournalFolder.Found) {
      lookedAt += 1
      switch found {
      case .live(let journal): live.append(journal)
      case .problem(let problem): problems.append(problem)
      case .dead(let journal, let descriptor, let length):
        let file = wrap(PlainJournalFile(descriptor: descriptor))
        do throws(SystemFailure) {
          take(try file.contents(length), journal, file)
        } catch {
          file.close()
          problems.append(.unreadableFile(file: JournalFolder.name(journal), errno: error.errno))
        }
      }
    }

    private mutating func take(_ bytes: JournalBytes, _ journal: UniqueID, _ file: any JournalFile) {
      var name: String { JournalFolder.name(journal) }
      var isDamaged = false
      switch bytes.lend({ JournalFormat.parseHeader($0) }) {
      case .valid(let version, _, _) where version != JournalFormat.version:
        file.close()
        problems.append(.newerFormat(file: name, version: version))
        return
      case .valid(_, let log, _) where log != self.log:
        file.close()
        problems.append(.foreignLog(file: name, log: log))
        return
      case .valid(_, _, let its) where its != journal:
        file.close()
        problems.append(.misnamed(file: name, journal: its))
        return
      case .valid: sound.append(journal)
      case .damaged:
        isDamaged = true
        problems.append(.damagedHeader(file: name))
      case .missing: break
      }
      let scan = JournalScan(bytes, log: log, journal: journal)
      if !scan.damage.isEmpty {
        isDamaged = true
        sound.removeAll { $0 == journal }
        let count = scan.damage.reduce(0) { $0 + $1.count }
        problems.append(.damagedFrames(file: name, byteCount: count, ranges: scan.damage.count))
      } else if scan.frames.isEmpty, !isDamaged {
        problems.append(.empty(file: name))
      }
      tornBytes += scan.tornBytes
      taken.append(HeldJournal(JournalContent(scan), file, isDamaged: isDamaged))
    }
  }
}

extension JournalDisk.Own {
  /// Goes on behind the last whole frame of a dead process's journal.
  init(continuing held: HeldJournal) {
    journal = held.journal
    seed = held.scan.seed
    file = held.file
    end = held.scan.end
    // The tail may have held whole frames that were damaged later, and no number is ever given twice.
    nextNumber = held.scan.lastNumber + UInt64(held.scan.tornBytes) + 1
    hasTail = held.scan.tornBytes > 0
    known = held.content
  }
}
