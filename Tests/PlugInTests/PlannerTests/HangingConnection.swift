import Foundation

/// A connection whose request never ends.
final class HangingConnection {
  private let socket: Int32

  init(port: Int) throws {
    #if canImport(Darwin)
    socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
    #else
    socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    let head = "POST /w/main/inputs HTTP/1.1\r\nHost: planner\r\nCookie: user=Ada\r\nContent-Length: 1000\r\n\r\n{"
    _ = head.withCString { write(socket, $0, strlen($0)) }
  }

  deinit { close(socket) }
}
