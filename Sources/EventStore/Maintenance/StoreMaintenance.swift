/// Checks, repairs, copies, shrinks and erases stores, and previews their migrations.
///
/// A call that takes a ``Store`` works while contexts and other processes use it. A call that takes a path needs a
/// store that this process has not opened, and throws ``StoreError/inUse(path:)`` otherwise.
///
/// | call | what it does | this process | other processes |
/// |---|---|---|---|
/// | ``check(_:)`` | checks the structure of the file's pages | closed | may have it open |
/// | ``verify(_:against:)`` | proves the content from the log | open | may have it open |
/// | ``backup(_:to:progress:)`` | copies the store at one moment | open | may have it open |
/// | ``rebuild(_:acceptingLoss:)`` | makes objects and indexes again from the log | closed | should have it closed |
/// | ``salvage(_:to:)`` | makes a new store from a damaged one | closed | should have it closed |
/// | ``compact(_:progress:)`` | gives free pages back to the file system | closed | must have it closed |
/// | ``erase(_:in:)`` | removes past values of objects | closed | must have it closed |
/// | ``preview(_:of:for:)`` | tries a migration plan without writing | closed | may have it open |
public enum StoreMaintenance {}
