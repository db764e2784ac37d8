/// A folder that is followed, with its files and subfolders.
final class FolderNode {
  /// The path below the folder of the source.
  let place: PathBytes
  let file: FileIdentity
  /// The number of the system's watch on it.
  var watch: Int32?
  var rows: [PathBytes: DirectoryEntry] = [:]
  var folders: [PathBytes: FolderNode] = [:]

  init(_ place: PathBytes, _ file: FileIdentity) {
    self.place = place
    self.file = file
  }

  /// This folder and all below it.
  var all: [FolderNode] {
    var found = [self]
    var next = 0
    while next < found.count {
      found += found[next].folders.values
      next += 1
    }
    return found
  }
}
