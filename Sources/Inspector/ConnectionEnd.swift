#if Inspector
import Hummingbird
import NIOCore
import Synchronization

/// Cancels the work for a client that has closed its connection.
///
/// The page cancels a request if it no longer needs the answer. The browser then closes the connection.
final class ConnectionEnd: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = Any

  private struct State {
    var hasEnded = false
    var work: Task<PageAnswer, Never>?
  }

  private let state = Mutex(State())

  /// The result of the work. The end of the connection cancels the work.
  func result(of work: Task<PageAnswer, Never>) async -> PageAnswer {
    let hasEnded = state.withLock { state in
      state.work = work
      return state.hasEnded
    }
    if hasEnded { work.cancel() }
    defer { state.withLock { $0.work = nil } }
    return await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      work.cancel()
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent { end() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  private func end() {
    let work = state.withLock { state in
      state.hasEnded = true
      return state.work
    }
    work?.cancel()
  }
}

/// The connection of a request.
struct ConnectionContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}
#endif
