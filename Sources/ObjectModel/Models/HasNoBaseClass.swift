/// What the compiler takes a model for, to find that it has a base class: no class inherits from two. The properties of
/// a base class would not be stored. Nothing inherits from it: what `@Model` writes is only compiled.
public class _HasNoBaseClass {
  private init() {}
}
