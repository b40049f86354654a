/** The connection to one game. It comes back by itself when it is lost. */

/** @typedef {{type: string, ref?: string, [key: string]: any}} Message */

const RETRY_SECONDS = [0.3, 0.6, 1, 2, 3];
const ANSWER_SECONDS = 180; // an engine may have to be compiled first
const NOT_FOUND = 4404;
// A little below the limits of docs/WEB_PROTOCOL.md: what comes faster waits here.
const PER_SECOND = 16;
const PER_MINUTE = 190;

export class GameSocket {
  /**
   * @param {string} id of the game
   * @param {(message: Message) => void} onMessage
   * @param {(state: "open" | "lost" | "gone") => void} onState
   */
  constructor(id, onMessage, onState) {
    this.id = id;
    this.onMessage = onMessage;
    this.onState = onState;
    this.isClosed = false;
    this.attempts = 0;
    this.lastRef = 0;
    /** @type {string[]} */
    this.outbox = [];
    /** @type {number[]} when the last messages were sent */
    this.sent = [];
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Map<string, {resolve: (message: Message) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/games/${encodeURIComponent(this.id)}/socket`);
    this.socket = socket;
    socket.onopen = () => {
      this.attempts = 0;
      this.onState("open");
    };
    socket.onmessage = (event) => this.receive(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (this.socket === socket && !this.isClosed) this.lost(event.code);
    };
  }

  /** @param {number} code */
  lost(code) {
    this.socket = null;
    this.outbox = [];
    for (const { reject } of this.waiting.values()) reject(new Error("The connection was lost."));
    this.waiting.clear();
    if (code === NOT_FOUND) {
      this.onState("gone");
      return;
    }
    this.onState("lost");
    const seconds = RETRY_SECONDS[Math.min(this.attempts, RETRY_SECONDS.length - 1)];
    this.attempts += 1;
    setTimeout(() => {
      if (!this.isClosed) this.connect();
    }, 1000 * seconds);
  }

  /** @param {Message} message */
  receive(message) {
    const waiter = message.ref === undefined ? undefined : this.waiting.get(message.ref);
    if (waiter && message.ref !== undefined) {
      this.waiting.delete(message.ref);
      if (message.type === "error") waiter.reject(new Error(message.message));
      else waiter.resolve(message);
      return;
    }
    this.onMessage(message);
  }

  /** True if messages can be sent now. */
  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /**
   * Send a message; without a connection it is dropped, and the person has been told.
   *
   * @param {Message} message
   */
  send(message) {
    if (!this.isOpen) return;
    this.outbox.push(JSON.stringify(message));
    if (this.outbox.length === 1) this.drain();
  }

  /** Send what waits, no faster than the server admits. */
  drain() {
    if (!this.isOpen) {
      this.outbox = [];
      return;
    }
    const now = performance.now();
    this.sent = this.sent.filter((time) => now - time < 60_000);
    const inASecond = this.sent.filter((time) => now - time < 1000).length;
    if (inASecond >= PER_SECOND || this.sent.length >= PER_MINUTE) {
      setTimeout(() => this.drain(), 60);
      return;
    }
    const text = this.outbox.shift();
    if (text === undefined) return;
    this.sent.push(now);
    this.socket?.send(text);
    if (this.outbox.length) this.drain();
  }

  /**
   * Send a message and wait for the answer with its `ref`.
   *
   * @param {Message} message
   * @returns {Promise<any>}
   */
  request(message) {
    if (!this.isOpen) return Promise.reject(new Error("There is no connection to the server."));
    this.lastRef += 1;
    const ref = `r${this.lastRef}`;
    return new Promise((resolve, reject) => {
      this.waiting.set(ref, { resolve, reject });
      setTimeout(() => {
        if (this.waiting.delete(ref)) reject(new Error("The server took too long to answer."));
      }, 1000 * ANSWER_SECONDS);
      this.send({ ...message, ref });
    });
  }

  close() {
    this.isClosed = true;
    this.socket?.close(1000);
  }
}

