import Foundation

#if canImport(Glibc)
import Glibc
private let stream = Int32(SOCK_STREAM.rawValue)
private let noSignal = Int32(MSG_NOSIGNAL)
#elseif canImport(Musl)
import Musl
private let stream = SOCK_STREAM
private let noSignal = Int32(MSG_NOSIGNAL)
#else
import Darwin
private let stream = SOCK_STREAM
private let noSignal: Int32 = 0
#endif

private func makeSocket() -> Int32 { socket(AF_INET, stream, 0) }

/// An HTTP server on the loopback address: real sockets, one request for each connection, and a thread for each.
final class LoopbackServer: Sendable {
  struct Request: Sendable {
    let method: String
    let path: String
    let query: [String: String]
    /// By names in lower case.
    let headers: [String: String]
    let body: Data
  }

  struct Response: Sendable {
    var status = 200
    var headers: [String: String] = [:]
    var body = Data()
  }

  struct Failure: Error {
    let what: String
    let code = errno
  }

  let port: UInt16
  private let socket: Int32

  /// - Parameter handler: Answers a request; `nil` closes the connection instead.
  init(_ handler: @escaping @Sendable (Request) -> Response?) throws {
    let socket = makeSocket()
    guard socket >= 0 else { throw Failure(what: "socket") }
    self.socket = socket
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(socket, pointer, size) == 0 && listen(socket, 16) == 0 && getsockname(socket, pointer, &size) == 0
      }
    }
    guard isBound else { throw Failure(what: "bind") }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread {
      while true {
        let connection = accept(socket, nil, nil)
        // Closed by `deinit`.
        if connection < 0 { return }
        Thread.detachNewThread { Self.serve(connection, handler) }
      }
    }
  }

  deinit {
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }

  var url: String { "http://127.0.0.1:\(port)" }

  private static func serve(_ connection: Int32, _ handler: (Request) -> Response?) {
    defer { close(connection) }
    guard let request = receive(connection), let response = handler(request) else { return }
    var head = "HTTP/1.1 \(response.status) Status\r\nConnection: close\r\n"
    if response.status != 304, response.status != 204 { head += "Content-Length: \(response.body.count)\r\n" }
    for (name, value) in response.headers { head += "\(name): \(value)\r\n" }
    let bytes = Data((head + "\r\n").utf8) + response.body
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = send(connection, bytes.baseAddress! + sent, bytes.count - sent, noSignal)
        if count <= 0 { return }
        sent += count
      }
    }
  }

  private static func receive(_ connection: Int32) -> Request? {
    var data = Data()
    let end = Data("\r\n\r\n".utf8)
    while data.range(of: end) == nil { if !receive(connection, &data) { return nil } }
    guard let headEnd = data.range(of: end) else { return nil }
    let lines = String(decoding: data[..<headEnd.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count == 3, let target = URLComponents(string: String(words[1])) else { return nil }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
    }
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    while data.count - headEnd.upperBound < length { if !receive(connection, &data) { return nil } }
    let query = Dictionary((target.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    return Request(
      method: String(words[0]), path: target.path, query: query, headers: headers,
      body: data[headEnd.upperBound..<headEnd.upperBound + length])
  }

  private static func receive(_ connection: Int32, _ data: inout Data) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(connection, &buffer, buffer.count, 0)
    if count > 0 { data.append(contentsOf: buffer[..<count]) }
    return count > 0
  }
}
