// Browsers start no worker for a page that was opened from the disk. There, the site's search runs
// in a hidden frame with a worker's interface.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];  // messages sent before the script is ready
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.head.appendChild(this.frame);
      const scope = this.frame.contentWindow;
      scope.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      const script = scope.document.createElement("script");
      script.src = new URL(url, document.baseURI);
      script.onload = () => {
        this.waiting.forEach((data) => this.deliver(data));
        this.waiting = null;
      };
      script.onerror = () => this.dispatchEvent(new ErrorEvent("error"));
      scope.document.head.appendChild(script);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.deliver(data);
    }
    deliver(data) {
      const scope = this.frame.contentWindow;
      scope.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
