import Foundation

/// The workers' programs, below one folder for each way to link.
struct Workers {
  let folder: String

  func worker(of peer: Peer, _ linking: Linking) throws -> Worker {
    let path = "\(folder)/\(linking.rawValue)/\(peer.worker)"
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw BenchmarkError.missing("\(peer.worker), built \(linking.rawValue)")
    }
    return Worker(peer: peer, path: path)
  }
}
