'use strict';

const headLimitBytes = 1 << 20; // far above what a watchdog lets through; a longer head is a broken stream

/** The input cannot be cut into requests any more. */
class BrokenStream extends Error {}

/** Cuts bytes into requests, however they are segmented. */
class Requests {
  #chunks = [];
  #bytes = 0;
  #wanted = 0; // bytes without which looking again is useless; 0 = unknown

  /** True if a part of the next request has been read. */
  get started() {
    return this.#bytes > 0;
  }

  push(chunk) {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Takes the next request, {head, body} with the head as Latin-1 text, or null if it is not complete. */
  next() {
    if (this.#bytes === 0 || this.#bytes < this.#wanted) return null;
    const buffer = this.#joined();
    const headEnd = buffer.indexOf('\r\n\r\n', 0, 'latin1');
    if (headEnd < 0) {
      if (buffer.length > headLimitBytes) throw new BrokenStream('the head of a request does not end');
      return null;
    }
    const head = buffer.latin1Slice(0, headEnd);
    this.#wanted = headEnd + 4 + contentLength(head);
    return buffer.length < this.#wanted ? null : this.#take(buffer, head, headEnd + 4);
  }

  #take(buffer, head, bodyStart) {
    const body = buffer.subarray(bodyStart, this.#wanted);
    const rest = buffer.subarray(this.#wanted);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    this.#wanted = 0;
    return { head, body };
  }

  #joined() {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0];
  }
}

/** The length of the body; 0 without a Content-Length. */
function contentLength(head) {
  const found = /\r\ncontent-length:[ \t]*([^\r]*?)[ \t]*(?:\r|$)/i.exec(head);
  if (found === null) {
    if (/\r\ntransfer-encoding:/i.test(head)) {
      throw new BrokenStream('a request without Content-Length has a Transfer-Encoding');
    }
    return 0;
  }
  if (!/^[0-9]{1,15}$/.test(found[1])) throw new BrokenStream('a Content-Length is not a number');
  return Number(found[1]);
}

module.exports = { Requests, BrokenStream };
