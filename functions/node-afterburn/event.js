'use strict';

/**
 * One request as a handler sees it: `method`, `path`, `query`, `headers`, `body` (Buffer), `text` (body as string).
 * Only the body is taken apart in advance; the head is parsed when a handler asks for a part of it.
 */
class Event {
  #head;
  #headers = null;

  /** `head` is the request's head as Latin-1 text, without its last empty line. */
  constructor(head, body) {
    this.#head = head;
    this.body = body;
  }

  get method() {
    return this.#requestLine()[0];
  }

  /** The target up to the first '?', still percent-encoded. */
  get path() {
    return this.#target().split('?', 1)[0];
  }

  /** What follows the first '?', raw; empty if there is none. */
  get query() {
    const target = this.#target();
    const mark = target.indexOf('?');
    return mark < 0 ? '' : target.slice(mark + 1);
  }

  /** The body as UTF-8; bytes that are not become U+FFFD. */
  get text() {
    return this.body.toString();
  }

  /** Header fields by lower-case name; repeated fields are joined by a comma, header bytes are Latin-1 characters. */
  get headers() {
    this.#headers ??= parseHeaders(this.#head);
    return this.#headers;
  }

  #requestLine() {
    return this.#head.split('\r\n', 1)[0].split(' ');
  }

  #target() {
    return this.#requestLine()[1] ?? '';
  }
}

function parseHeaders(head) {
  const headers = Object.create(null);
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

module.exports = { Event };
