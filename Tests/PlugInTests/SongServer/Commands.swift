import Foundation

/// The lines of the test. They end if the test does, so no server outlives its test.
enum Commands {
  static func all() -> AsyncStream<String> {
    AsyncStream { lines in
      // A thread of its own: the pool's threads may all be busy with saves.
      Thread.detachNewThread {
        while let line = readLine() { lines.yield(line) }
        lines.finish()
      }
    }
  }

  static func answer(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
