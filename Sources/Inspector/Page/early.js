// A classic script: it asks for the store and the first rows while the browser still reads the modules.
{
  const read = new URLSearchParams(location.hash.slice(1));
  const [at, tab] = [read.get("at"), read.get("tab") ?? "grid"];
  const address = (path, parameters) => {
    const query = new URLSearchParams(parameters).toString().replaceAll("+", "%20");
    return `api/${path}${query ? "?" + query : ""}`;
  };
  const begun = new Map();
  const begin = address => {
    const answer = fetch(address);
    // A failure belongs to the module that takes the answer.
    answer.catch(() => {});
    begun.set(address, answer);
    return answer;
  };
  const moment = at === null ? {} : { at };
  const readRows = text => {
    if (tab === "grid" && text) begin(address("rows", { fetch: text, ...moment, offset: 0, limit: 100 }));
  };

  /// The answer to a request that has begun already. Each answer is for one reader.
  window.takeEarly = address => {
    const answer = begun.get(address);
    begun.delete(address);
    return answer;
  };
  const store = begin(address("store", {}));
  if (read.has("fetch")) readRows(read.get("fetch"));
  else {
    store.then(answer => answer.clone().json()).then(({ entities: [first] }) => readRows(first?.fetch)).catch(() => {});
  }
}
