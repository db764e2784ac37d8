#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension DetachedLinks {
  /// Releases the links of a deinitialised object iteratively. Releasing a long chain recursively would overflow the
  /// stack.
  static func letGo(_ links: inout [Int: DetachedLinks]) {
    if let outer = pthread_getspecific(Waiting.key) {
      Unmanaged<Waiting>.fromOpaque(outer).takeUnretainedValue().take(&links)
      return
    }
    let waiting = Waiting()
    waiting.take(&links)
    pthread_setspecific(Waiting.key, Unmanaged.passUnretained(waiting).toOpaque())
    // A `deinit` that this causes adds to the waiting objects.
    while waiting.objects.popLast() != nil {}
    pthread_setspecific(Waiting.key, nil)
  }

  /// The objects that the outermost `deinit` of a thread has yet to release.
  private final class Waiting {
    static let key: pthread_key_t = {
      var key = pthread_key_t()
      pthread_key_create(&key, nil)
      return key
    }()
    var objects: [any PersistentModel] = []

    func take(_ links: inout [Int: DetachedLinks]) {
      for link in links.values { objects += link.strong }
      links = [:]
    }
  }
}
