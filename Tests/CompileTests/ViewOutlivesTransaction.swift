// access: package
// Bytes of the map are valid within their transaction only.
import RepriseLMDB

func read(_ transaction: consuming ReadTransaction) {  // error: 'transaction' used after consume
  let view = transaction.view
  _ = consume transaction  // error: overlapping accesses
  _ = view
}
