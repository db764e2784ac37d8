/// A user of the browser, with cookies and a storage of their own.
@MainActor public final class BrowserUser {
  let context: String

  /// - cookies: By name. They are sent to this machine.
  public init(cookies: [String: String] = [:]) async throws {
    let browser = try Chromium.shared()
    context = try await browser.send("Target.createBrowserContext")["browserContextId"] as? String ?? ""
    if cookies.isEmpty { return }
    let all = cookies.map { ["name": $0, "value": $1, "domain": "127.0.0.1", "path": "/"] }
    _ = try await browser.send("Storage.setCookies", ["cookies": all, "browserContextId": context])
  }
}
