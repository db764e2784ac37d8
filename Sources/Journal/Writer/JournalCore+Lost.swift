import RepriseObjectModel
import RepriseSystem

extension JournalCore {
  /// Recreates journal files that were deleted while the process has them open, with all their frames, so that edits
  /// outlive the process. Files whose flush failed are recreated too: Linux drops the pages that it could not write,
  /// and the next flush succeeds without them.
  func restoreLost(_ disk: inout JournalDisk) throws(JournalError) {
    if let file = disk.own.file, disk.own.isForgotten || file.isDeleted {
      var frames: [UInt8]
      do throws(SystemFailure) {
        frames = try file.read(JournalFormat.headerSize..<disk.own.flushedEnd)
      } catch {
        throw .cannotRead(path: folder.path(JournalFolder.name(disk.own.journal)), errno: error.errno)
      }
      frames += disk.own.unflushed
      disk.own.file = try recreate(disk.own.journal, frames, &disk)
      disk.own.begin(with: frames)
      file.close()
    }
    for place in disk.held.indices where disk.held[place].isForgotten || disk.held[place].file.isDeleted {
      let held = disk.held[place]
      let frames = held.scan.bytes[JournalFormat.headerSize..<max(JournalFormat.headerSize, held.scan.end)]
      disk.held[place].file = try recreate(held.journal, frames, &disk)
      disk.held[place].isForgotten = false
      disk.heldIsUnflushed = true
      held.file.close()
    }
  }

  private func recreate(
    _ journal: UniqueID, _ frames: some Sequence<UInt8>, _ disk: inout JournalDisk
  ) throws(JournalError) -> any JournalFile {
    do throws(SystemFailure) {
      let file = try folder.create(journal, options.file, log: log, frames: frames)
      disk.namesAreUnflushed = true
      disk.unflushedSince = disk.unflushedSince ?? options.clock.now()
      return file
    } catch {
      throw .cannotCreate(path: folder.path(JournalFolder.name(journal)), errno: error.errno)
    }
  }
}
