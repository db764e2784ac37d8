// This folder is compiled in two ways: against swift-syntax (trait Macros), with this file as the entry point, and
// without this file against the toolchain's own modules (.ci/swift-without-syntax). In the second way, `Macros` is
// defined for the package's other targets, although swift-syntax is absent. So each file here also checks `canImport`.
#if Macros && canImport(SwiftCompilerPlugin)
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ModelMacro.self,
    AttributeMacro.self, RelationshipMacro.self, TransientMacro.self, IndexMacro.self,
    StoredAttributeMacro.self, StoredToOneMacro.self, StoredToManyMacro.self,
  ]
}
#else
@main struct Plugin { static func main() {} }
#endif
