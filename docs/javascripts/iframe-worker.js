// Browsers start no worker for a page that was opened from the disk. There, the site's search runs
// in a hidden frame with a worker's interface.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = []; // messages sent before the script is ready
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      const script = new URL(url, document.baseURI);
      this.frame.addEventListener("load", () => this.start(script), { once: true });
      document.body.appendChild(this.frame);
    }
    start(url) {
      const scope = this.frame.contentWindow;
      scope.postMessage = (data) => this.later(data, (event) => {
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      });
      const script = scope.document.createElement("script");
      script.src = url;
      script.onload = () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      };
      script.onerror = (event) => {
        if (this.onerror) this.onerror(event);
      };
      scope.document.head.appendChild(script);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.later(data, (event) => this.frame.contentWindow?.dispatchEvent(event));
    }
    // As between threads: a copy, and not before the sender has returned.
    later(data, deliver) {
      const event = new MessageEvent("message", { data: structuredClone(data) });
      setTimeout(() => deliver(event));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
