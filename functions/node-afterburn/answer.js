'use strict';

const responseKeys = new Set(['statusCode', 'body', 'headers']);
const ours = new Set(['content-length', 'transfer-encoding', 'connection']); // framing belongs to this file
const bodiless = new Set([204, 304]);

/**
 * Turns a handler's result into one answer, head and body in one Buffer.
 * Accepts nothing, strings, Buffers, {statusCode, body, headers}, and anything JSON can write. Content-Length is in
 * bytes. `headOnly` leaves the body out, as HEAD asks for. Throws TypeError if the result cannot be an answer.
 */
function render(result, headOnly = false) {
  const { body, statusCode, headers } = parts(result);
  const { payload, type } = toPayload(body);
  let head = statusLine(statusCode) + headerLines(headers, type);
  const bytes = bodiless.has(statusCode) ? Buffer.alloc(0) : payload;
  if (!bodiless.has(statusCode)) head += `Content-Length: ${bytes.length}\r\n`;
  head += '\r\n';
  if (headOnly || bytes.length === 0) return Buffer.from(head, 'latin1');
  const answer = Buffer.allocUnsafe(head.length + bytes.length);
  answer.latin1Write(head, 0);
  answer.set(bytes, head.length);
  return answer;
}

function parts(result) {
  if (isPlainObject(result)) {
    const keys = Object.keys(result);
    if (keys.length > 0 && keys.every((key) => responseKeys.has(key))) return { statusCode: 200, headers: {}, ...result };
  }
  return { body: result, statusCode: 200, headers: {} };
}

/** The body's bytes, and the media type if the kind of value implies one. */
function toPayload(body) {
  if (body === undefined || body === null) return { payload: Buffer.alloc(0) };
  if (typeof body === 'string') return { payload: Buffer.from(body) };
  if (body instanceof Uint8Array) return { payload: body };
  const text = JSON.stringify(body);
  if (text === undefined) throw new TypeError(`a ${typeof body} cannot be an answer`);
  return { payload: Buffer.from(text), type: 'application/json' };
}

function statusLine(status) {
  if (status === 200) return 'HTTP/1.1 200 OK\r\n';
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new TypeError(`statusCode must be a number from 200 to 599, not ${status}`);
  }
  const { STATUS_CODES } = require('node:http'); // late: loading it takes longer than starting without it
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n`;
}

function headerLines(headers, type) {
  const lines = [];
  let contentType = type;
  for (const [name, values] of Object.entries(headers ?? {})) {
    const lower = name.toLowerCase();
    if (ours.has(lower)) continue;
    if (lower === 'content-type') contentType = undefined;
    for (const value of Array.isArray(values) ? values : [values]) lines.push(headerLine(name, value));
  }
  if (contentType) lines.push(`Content-Type: ${contentType}\r\n`);
  return lines.join('');
}

function headerLine(name, value) {
  const line = `${name}: ${value}`;
  // The head is written as Latin-1, so that header bytes of the request can be sent back as they came.
  if (name === '' || /[\r\n\0]|[^\0-\xff]/.test(line)) {
    throw new TypeError(`header ${JSON.stringify(name)} has no name, a line break, or a character above U+00FF`);
  }
  return `${line}\r\n`;
}

function isPlainObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

module.exports = { render };
