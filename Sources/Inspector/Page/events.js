/// The events of the store, for all tabs of the browser. The module runs in a shared worker.
///
/// A browser opens at most six connections to a server. A stream for each tab would leave no connection for requests.
const ports = new Set();
let source = null;
let isOpen = false;
let isWaiting = false;
/// The last transaction, for tabs that open later.
let head = null;

const tell = message => { for (const port of ports) port.postMessage(message); };

function listen() {
  source?.close();
  isWaiting = false;
  source = new EventSource("api/events");
  source.addEventListener("open", () => {
    isOpen = true;
    tell({ kind: "open" });
  });
  source.addEventListener("head", event => {
    head = JSON.parse(event.data);
    tell({ kind: "head", moment: head });
  });
  source.addEventListener("drafts", () => tell({ kind: "drafts" }));
  source.addEventListener("error", () => {
    isOpen = false;
    isWaiting = true;
    tell({ kind: "error" });
    // Some browsers stop after an answer with an error, so the worker opens the source again itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => { if (isWaiting) listen(); }, 2000);
  });
}

/// Sends the events to a port. The port answers "again" to try a lost connection at once, and "end" when its tab ends.
export function connect(port) {
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data === "again" && isWaiting) listen();
    if (data === "end") ports.delete(port);
  };
  if (!source) return listen();
  if (isOpen) port.postMessage({ kind: "open" });
  if (head) port.postMessage({ kind: "head", moment: head });
}

if (typeof SharedWorkerGlobalScope !== "undefined") globalThis.onconnect = event => connect(event.ports[0]);
