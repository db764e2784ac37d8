import Reprise
import RepriseTesting

print("client: linked")

// After the first suspension of such a program, the main actor has other threads than the main one on Linux.
@MainActor func checkConformance() async throws {
  try await DataSourceConformance(
    makeSource: { ArraySource(["a", "b"], identifiedBy: { ModelIdentifier($0) }) },
    change: { source, numbers in source.setElements(["a", "b", "c"].shuffled(using: &numbers)) },
    content: { $0 }, rounds: 20
  ).run()
}
try await Task.sleep(for: .milliseconds(10))
try await checkConformance()
print("client: a source of the main actor conforms")
