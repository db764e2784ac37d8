// This folder is compiled in two ways: against swift-syntax (trait Macros), with this file as the entry point, and
// without this file against the toolchain's own modules (.ci/swift-without-syntax). There `Macros` is defined for the
// package's other targets while swift-syntax is absent: hence `canImport` beside it, here and in each other file.
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
