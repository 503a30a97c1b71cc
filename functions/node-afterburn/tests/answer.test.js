'use strict';

const assert = require('node:assert');
const test = require('node:test');
const { render } = require('../answer.js');
const { Event } = require('../event.js');
const { Requests, BrokenStream } = require('../requests.js');

const table = [
  [undefined, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  [null, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['hé€', 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhé€'],
  [Buffer.from('x'), 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx'],
  [{ n: 1 }, 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"n":1}'],
  [[1], 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n[1]'],
  [7, 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n7'],
  [{ statusCode: 404, body: 'no' }, 'HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno'],
  [{ statusCode: 299 }, 'HTTP/1.1 299 Unknown\r\nContent-Length: 0\r\n\r\n'],
  [{ statusCode: 204, body: 'gone' }, 'HTTP/1.1 204 No Content\r\n\r\n'],
  [
    { body: 'a', headers: { 'Set-Cookie': ['a=1', 'b=2'], 'Content-Length': 9 } },
    'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 1\r\n\r\na',
  ],
  [
    { body: {}, headers: { 'content-type': 'text/x' } },
    'HTTP/1.1 200 OK\r\ncontent-type: text/x\r\nContent-Length: 2\r\n\r\n{}',
  ],
];

test('results become answers', () => {
  for (const [result, expected] of table) assert.strictEqual(render(result).toString(), expected);
});

test('binary results keep every byte', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
  assert.deepStrictEqual(render(bytes).subarray(-256), bytes);
});

test('head only keeps the length and leaves the body out', () => {
  assert.strictEqual(render('four', true).toString(), 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n');
});

test('impossible results are errors', () => {
  const wrong = [
    { statusCode: 99 }, { statusCode: '200' }, { statusCode: 600 }, { headers: { A: '1\r\nB: 2' } },
    { headers: { '': '1' } }, { headers: { A: '€' } }, () => 1,
  ];
  for (const result of wrong) assert.throws(() => render(result), TypeError);
});

test('parts of a request', () => {
  const event = new Event('PUT /a%20b?x=1&y=?z HTTP/1.1\r\nHost: h\r\nX-Two: 1\r\nx-two:  2 ', Buffer.from('é'));
  assert.deepStrictEqual([event.method, event.path, event.query], ['PUT', '/a%20b', 'x=1&y=?z']);
  assert.strictEqual(event.headers['x-two'], '1, 2');
  assert.strictEqual(event.headers.host, 'h');
  assert.strictEqual(event.text, 'é');
});

test('requests are cut out of any segmentation', () => {
  const data = Buffer.from('POST /1 HTTP/1.1\r\nContent-Length: 3\r\n\r\n\r\n\rGET /2 HTTP/1.1\r\ncontent-length:0\r\n\r\n');
  for (let size = 1; size <= data.length; size += 1) {
    const requests = new Requests();
    const found = [];
    for (let at = 0; at < data.length; at += size) {
      requests.push(data.subarray(at, at + size));
      for (let request = requests.next(); request !== null; request = requests.next()) {
        found.push(`${request.head.split(' ')[1]} ${request.body.length}`);
      }
    }
    assert.deepStrictEqual(found, ['/1 3', '/2 0']);
    assert.strictEqual(requests.started, false);
  }
});

test('a stream that cannot be cut is an error', () => {
  for (const head of ['Content-Length: 1x', 'Content-Length: -1', 'Content-Length:', 'Transfer-Encoding: chunked']) {
    const requests = new Requests();
    requests.push(Buffer.from(`POST / HTTP/1.1\r\n${head}\r\n\r\n`));
    assert.throws(() => requests.next(), BrokenStream, head);
  }
});
