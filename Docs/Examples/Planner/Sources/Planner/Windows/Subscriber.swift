import Observation

/// A page that shows a window. It gets each region once it has changed, however slowly it reads.
@MainActor final class Subscriber {
  let page: String
  private weak var window: Window?
  private var pending = Set(Window.Region.allCases)
  private var sent: [Window.Region: String] = [:]
  /// Regions whose fields somebody else than this page has changed.
  private var foreign = Set(Window.Region.allCases)
  private var sentInput = -1
  private var sentSafe = -1
  private var isPingDue = false
  /// The number of the page's last input that is in the journal's file.
  var safe = 0 { didSet { if safe != oldValue { wake.yield() } } }
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(_ window: Window, page: String) {
    self.window = window
    self.page = page
    (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    safe = window.safeInput(of: page)
    wake.yield()
  }

  /// - Parameter author: The page whose input changed the regions, or `nil`.
  func changed(_ regions: [Window.Region], by author: String? = nil) {
    pending.formUnion(regions)
    if author != page { foreign.formUnion(regions) }
    wake.yield()
  }

  /// Sends something, so that a connection whose page is gone ends.
  func ping() {
    isPingDue = true
    wake.yield()
  }

  func end() { wake.finish() }

  func unsubscribe() { window?.unsubscribe(self) }

  /// The next messages, or `nil` at the end.
  func next() async -> [String]? {
    var iterator = wakes.makeAsyncIterator()
    while await iterator.next() != nil {
      guard let window else { return nil }
      let messages = messages(of: window)
      if !messages.isEmpty { return messages }
    }
    return nil
  }

  private func messages(of window: Window) -> [String] {
    var messages: [String] = []
    let applied = window.screen.lastInput(of: page)
    if sent.isEmpty { messages.append(ServerEvent.hello(applied: applied)) }
    for region in Window.Region.allCases where pending.remove(region) != nil {
      let html = withObservationTracking {
        PageRenderer(window).html(of: region)
      } onChange: { [weak self] in
        // The objects belong to the main actor, so their observers are called there.
        MainActor.assumeIsolated { self?.changed([region], by: self?.window?.author) }
      }
      // A page that types has the text of its fields already.
      let isOwnTyping = foreign.remove(region) == nil
      let shape = html.shape
      if isOwnTyping, sent[region] == shape { continue }
      sent[region] = shape
      messages.append(ServerEvent.region(region.rawValue, html: html.text, input: applied))
    }
    if applied != sentInput || safe != sentSafe {
      (sentInput, sentSafe) = (applied, safe)
      messages.append(ServerEvent.applied(applied, safe: safe))
    }
    if isPingDue, messages.isEmpty { messages.append(ServerEvent.ping) }
    isPingDue = false
    return messages
  }
}
