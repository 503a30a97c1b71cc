'use strict';

/**
 * Behaves as the published nodejs-afterburn template does.
 *
 * Kept as it is on purpose: the head has to come whole in the first data event; a request counts as complete when as
 * many bytes as its Content-Length have come, those of the head included; what lies behind it in the same event is
 * dropped; the length of the answer is in UTF-16 units; no Content-Length at all ends the process.
 */

let received = null; // all bytes of the request in work
let bodyStart = 0;
let body = null;

function handle(text, callback) {
  callback(undefined, text);
}

function reset() {
  received = null;
  body = null;
}

function writeAnswer(result) {
  const isText = typeof result !== 'object';
  const text = isText ? String(result) : JSON.stringify(result);
  const type = isText ? '' : 'Content-Type: application/json\r\n';
  process.stdout.write(`HTTP/1.1 200 OK\r\n${type}Content-Length: ${text.length}\r\n\r\n${text}`);
}

function begin(chunk) {
  const headEnd = chunk.indexOf('\r\n\r\n');
  if (headEnd < 0) {
    console.log('In body data, not finished request yet.');
    process.exit(1);
  }
  const fields = {};
  for (const line of chunk.toString('latin1', 0, headEnd).split('\r\n').slice(1)) {
    const [name, value] = line.split(': ');
    fields[name] = value;
  }
  bodyStart = headEnd + 4;
  body = Buffer.alloc(Number(fields['Content-Length'])); // without the field: RangeError, and nobody catches it
  received = chunk;
}

process.stdin.on('data', (chunk) => {
  if (received === null) begin(chunk);
  else received = Buffer.concat([received, chunk]);
  if (received.length < body.length) return;
  received.copy(body, 0, bodyStart);
  const text = body.toString();
  reset();
  handle(text, (error, result) => writeAnswer(error ?? result));
});
process.stdin.on('end', () => process.exit(0));
