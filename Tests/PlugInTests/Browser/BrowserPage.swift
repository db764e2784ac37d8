import Foundation
import XCTest

/// A page in a tab of Chromium.
///
/// The page sets `data-ready` of its body once it is shown, and `whenIdle()` waits for its requests.
@MainActor public final class BrowserPage {
  /// How long a condition is awaited. It only matters to a test that fails.
  private static let patience = Duration.seconds(30)
  private let browser: Chromium
  private let session: String
  private let target: String
  private let url: String
  private let isReady: String

  /// Opens the page, and waits until it is ready.
  ///
  /// - fragment: The part of the address that has the state, for example "tab=log".
  /// - user: Whose cookies the page has. By default, all pages have the same cookies.
  /// - script: A script to run before the scripts of the page.
  /// - isCached: Whether the browser may use files that it has kept.
  /// - isReady: A condition in JavaScript that holds once the page is ready.
  public init(
    _ url: String, _ fragment: String = "", isDark: Bool = false, user: BrowserUser? = nil, script: String? = nil,
    isCached: Bool = true, isReady: String = "document.body?.dataset.ready === 'true'"
  ) async throws {
    self.isReady = isReady
    browser = try Chromium.shared()
    self.url = url
    var wanted = ["url": "about:blank"]
    wanted["browserContextId"] = user?.context
    target = try await browser.send("Target.createTarget", wanted)["targetId"] as? String ?? ""
    let attached = try await browser.send("Target.attachToTarget", ["targetId": target, "flatten": true])
    session = attached["sessionId"] as? String ?? ""
    for domain in ["Page", "Runtime", "Log"] { _ = try await send("\(domain).enable") }
    // Several pages may have the focus at once, each in its window.
    _ = try await send("Emulation.setFocusEmulationEnabled", ["enabled": true])
    _ = try await send(
      "Emulation.setDeviceMetricsOverride", ["width": 1_280, "height": 800, "deviceScaleFactor": 1, "mobile": false])
    let features = [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]
    _ = try await send("Emulation.setEmulatedMedia", ["features": features])
    if !isCached { try await send("Network.setCacheDisabled", ["cacheDisabled": true]) }
    if let script { try await send("Page.addScriptToEvaluateOnNewDocument", ["source": script]) }
    try await go(fragment)
  }

  @discardableResult
  public func send(_ method: String, _ parameters: [String: Any] = [:]) async throws -> [String: Any] {
    try await browser.send(method, parameters, to: session)
  }

  /// Loads the page again, with another state.
  public func go(_ fragment: String) async throws {
    try await send("Page.navigate", ["url": "about:blank"])
    try await send("Page.navigate", ["url": fragment.isEmpty ? url : "\(url)#\(fragment)"])
    try await wait("the page is ready", isReady)
    try await rest()
  }

  /// Closes the tab, and fails if the page complained.
  ///
  /// - expecting: Complaints that the test provokes, such as the status of a refusal.
  public func close(expecting: String? = nil, file: StaticString = #filePath, line: UInt = #line) async throws {
    let complaints = browser.complaints(of: session).filter { expecting.map($0.contains) != true }
    XCTAssertEqual(complaints, [], file: file, line: line)
    _ = try await browser.send("Target.closeTarget", ["targetId": target])
  }

  // MARK: JavaScript

  /// The value of an expression. A promise is awaited.
  public func value(_ script: String) async throws -> Any? {
    let answer = try await send(
      "Runtime.evaluate", ["expression": script, "awaitPromise": true, "returnByValue": true])
    if let details = answer["exceptionDetails"] as? [String: Any] {
      let exception = details["exception"] as? [String: Any]
      throw Chromium.Failure(description: "\(script): \(exception?["description"] ?? details["text"] ?? "")")
    }
    return (answer["result"] as? [String: Any])?["value"]
  }

  /// The text of an element, or "" without one.
  public func text(_ selector: String) async throws -> String {
    try await value("document.querySelector(\(Self.quoted(selector)))?.innerText ?? ''") as? String ?? ""
  }

  public func number(_ script: String) async throws -> Double? {
    (try await value(script) as? NSNumber)?.doubleValue
  }

  /// Waits until the page has no requests and has painted.
  public func rest() async throws { _ = try await value("window.whenIdle?.()") }

  /// Waits for an expression. On a failure, the message has the path of a picture.
  public func wait(_ condition: String, _ script: String) async throws {
    let deadline = ContinuousClock.now + Self.patience
    while true {
      // During a navigation there is no page to ask.
      if (try? await value("Boolean(\(script))")) as? Bool == true { return }
      if ContinuousClock.now > deadline {
        let picture = NSTemporaryDirectory() + "reprise-inspector-\(UInt32.random(in: 0 ... .max)).png"
        try await photograph(picture)
        throw Chromium.Failure(
          description: "In vain waited until \(condition). Complaints: \(browser.complaints(of: session)). "
            + "The page: \(picture)")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Waits until an element has a text within.
  public func wait(for text: String, in selector: String) async throws {
    let element = "document.querySelector(\(Self.quoted(selector)))"
    try await wait("\(selector) has '\(text)'", "\(element)?.innerText.includes(\(Self.quoted(text)))")
  }

  public static func quoted(_ text: String) -> String {
    let data = try? JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "''"
  }

  // MARK: Input

  /// Presses a key: Enter, Escape, Tab, an arrow or a character. "Shift+Tab" also holds a modifier.
  public func press(_ keys: String) async throws {
    let codes = [
      "Enter": 13, "Escape": 27, "Tab": 9, "ArrowUp": 38, "ArrowDown": 40, "ArrowRight": 39, "ArrowLeft": 37,
      "Home": 36, "End": 35, "PageUp": 33, "PageDown": 34,
    ]
    let words = keys.count == 1 ? [keys] : keys.split(separator: "+").map(String.init)
    guard let key = words.last else { return }
    let modifiers = words.dropLast().map { ["Alt": 1, "Control": 2, "Shift": 8][$0] ?? 0 }.reduce(0, |)
    let isCharacter = key.count == 1 && modifiers & 3 == 0
    var event: [String: Any] = ["type": isCharacter || key == "Enter" ? "keyDown" : "rawKeyDown", "key": key]
    event["modifiers"] = modifiers
    event["windowsVirtualKeyCode"] = codes[key] ?? Int(key.uppercased().unicodeScalars.first?.value ?? 0)
    if isCharacter { event["text"] = key }
    if key == "Enter" { event["text"] = "\r" }
    try await send("Input.dispatchKeyEvent", event)
    try await send("Input.dispatchKeyEvent", event.merging(["type": "keyUp"]) { $1 })
  }

  /// Writes where the focus is, as one input.
  public func write(_ text: String) async throws { try await send("Input.insertText", ["text": text]) }

  /// Clicks in the middle of an element, with the mouse.
  ///
  /// - rests: Whether to wait for the requests that follow. A click that leads to another page has no such requests.
  public func click(_ selector: String, rests: Bool = true) async throws {
    let element = "document.querySelector(\(Self.quoted(selector)))"
    try await wait("\(selector) is there", element)
    let place = try await value(
      "(e => { e.scrollIntoView({ block: 'nearest' }); const r = e.getBoundingClientRect();"
        + " return [r.x + r.width / 2, r.y + r.height / 2] })(\(element))")
    let point = (place as? [NSNumber] ?? []).map(\.doubleValue)
    guard point.count == 2 else { throw Chromium.Failure(description: "\(selector) has no place.") }
    for type in ["mousePressed", "mouseReleased"] {
      let event: [String: Any] = ["type": type, "x": point[0], "y": point[1], "button": "left", "clickCount": 1]
      try await send("Input.dispatchMouseEvent", event)
    }
    if rests { try await rest() }
  }

  /// Replaces the text of a field, and presses Enter.
  public func enter(_ text: String, in selector: String) async throws {
    _ = try await value("(e => { e.focus(); e.select() })(document.querySelector(\(Self.quoted(selector))))")
    try await write(text)
    try await press("Enter")
    try await rest()
  }

  /// Writes what the page shows as a PNG.
  public func photograph(_ path: String) async throws {
    let data = try await send("Page.captureScreenshot", ["format": "png"])["data"] as? String ?? ""
    try Data(base64Encoded: data)?.write(to: URL(fileURLWithPath: path))
  }
}
