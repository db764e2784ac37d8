import Foundation

/// A child process that the system's `fork` makes. Swift hides `fork`, so it is called by its name.
package enum ForkedChild {
  /// The ID of the child in its parent, and 0 in the child.
  package static func fork() throws -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else { throw Failure("there is no function 'fork'") }
    return unsafeBitCast(symbol, to: Fork.self)()
  }

  /// Runs `body` while a forked child lives that has run `first`.
  package static func whileOneLives(running first: () -> Void = {}, _ body: () throws -> Void) throws {
    var (toChild, toParent): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&toChild) == 0, pipe(&toParent) == 0 else { throw Failure("pipe: error \(errno)") }
    var byte: UInt8 = 0
    let child = try fork()
    if child == 0 {
      close(toChild[1])
      first()
      write(toParent[1], &byte, 1)
      // Until the parent closes the pipe, or ends.
      read(toChild[0], &byte, 1)
      _exit(0)
    }
    defer {
      for end in toChild + toParent { close(end) }
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    var ready = pollfd(fd: toParent[0], events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 10_000) == 1 else { throw Failure("the child hangs") }
    try body()
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}
