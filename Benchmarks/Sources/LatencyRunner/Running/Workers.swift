import Foundation

/// The workers' programs, below one folder for each way to link.
struct Workers {
  let folder: String

  func worker(of peer: Peer, _ linking: Linking) throws -> Worker {
    try worker(named: peer.worker, of: peer, linking)
  }

  func restoringWorker(of peer: Peer, _ linking: Linking) throws -> Worker {
    try worker(named: peer.restoringWorker, of: peer, linking)
  }

  /// Another of a peer's programs.
  func worker(named name: String, of peer: Peer, _ linking: Linking) throws -> Worker {
    let path = "\(folder)/\(linking.rawValue)/\(name)"
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw BenchmarkError.missing("\(name), built \(linking.rawValue)")
    }
    return Worker(peer: peer, path: path)
  }
}
