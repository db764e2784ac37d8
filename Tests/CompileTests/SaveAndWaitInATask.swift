// A save that blocks its thread is not for asynchronous code.
import Reprise

func save(_ context: RootContext) async throws {
  try context.saveAndWait()  // error: Use save, which does not block the thread.
}
