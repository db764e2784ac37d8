import Foundation

/// Requests of any form, which a client of HTTP would refuse to send.
enum RawRequest {
  struct Failure: Error {
    let number = errno
  }

  /// Sends the text, and reads to the end of the connection.
  static func send(_ request: String, to port: UInt16) throws -> (status: Int, text: String) {
    let connection = try Connection(port)
    try connection.send(request)
    var text = ""
    while case let part = connection.receive(), !part.isEmpty { text += part }
    return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0, text)
  }

  /// A connection to the loopback address.
  final class Connection {
    private let descriptor: Int32

    init(_ port: UInt16) throws {
      #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
      #else
      let kind = SOCK_STREAM
      #endif
      descriptor = socket(AF_INET, kind, 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard status == 0 else { throw Failure() }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
      let bytes = Array(text.utf8)
      guard write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure() }
    }

    /// The next bytes, or "" at the end.
    func receive() -> String {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(descriptor, &buffer, buffer.count)
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
  }
}
