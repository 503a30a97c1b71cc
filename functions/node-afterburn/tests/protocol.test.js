'use strict';

const assert = require('node:assert');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');

const template = path.dirname(__dirname);
const options = { timeout: 60_000 }; // a test that needs it has failed

function request(body = '', method = 'POST', head = '') {
  const bytes = Buffer.from(body);
  return Buffer.concat([
    Buffer.from(`${method} / HTTP/1.1\r\nHost: h\r\n${head}Content-Length: ${bytes.length}\r\n\r\n`), bytes,
  ]);
}

function answer(body) {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes]);
}

function said(body) {
  return answer(Buffer.concat([Buffer.from('You said: '), Buffer.from(body), Buffer.from('. That was so fast!')]));
}

/** index.js with its own pipes, on the shipped handler or on the source of another one. */
class Program {
  constructor(handler, responseFd = false) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'node-afterburn-'));
    for (const name of ['index.js', 'event.js', 'answer.js', 'requests.js']) {
      fs.copyFileSync(path.join(template, name), path.join(this.folder, name));
    }
    fs.cpSync(path.join(template, 'function'), path.join(this.folder, 'function'), { recursive: true });
    if (handler) fs.writeFileSync(path.join(this.folder, 'function', 'handler.js'), handler);
    const env = { ...process.env };
    delete env.FWATCHDOG_RESPONSE_FD;
    if (responseFd) env.FWATCHDOG_RESPONSE_FD = '3';
    const stdio = ['pipe', 'pipe', 'pipe'];
    if (responseFd) stdio.push('pipe');
    this.child = spawn(process.execPath, ['index.js'], { cwd: this.folder, env, stdio });
    this.closed = once(this.child, 'close');
    this.stdout = new Collector(this.child.stdout);
    this.stderr = new Collector(this.child.stderr);
    this.answers = responseFd ? new Collector(this.child.stdio[3]) : this.stdout;
  }

  send(data) {
    return new Promise((resolve) => { this.child.stdin.write(data, resolve); });
  }

  async exit() {
    const [code] = await this.closed;
    fs.rmSync(this.folder, { recursive: true });
    return code;
  }

  finish(data = '') {
    this.child.stdin.on('error', () => {}); // a program that gave up does not read what follows
    this.child.stdin.end(data);
    return this.exit();
  }
}

/** What a stream has given so far, and a way to wait for a part of it. */
class Collector {
  constructor(stream) {
    this.bytes = Buffer.alloc(0);
    this.stream = stream;
    stream.on('data', (chunk) => { this.bytes = Buffer.concat([this.bytes, chunk]); });
  }

  async until(expected) {
    while (!this.bytes.includes(expected)) await once(this.stream, 'data');
  }

  get text() {
    return this.bytes.toString();
  }
}

async function answersTo(data, handler) {
  const program = new Program(handler);
  assert.strictEqual(await program.finish(data), 0, program.stderr.text);
  return program.stdout.bytes;
}

test('the shipped handler answers 46 bytes to 17', options, async () => {
  const expected = 'HTTP/1.1 200 OK\r\nContent-Length: 46\r\n\r\nYou said: 12345678901234567. That was so fast!';
  assert.strictEqual((await answersTo(request('12345678901234567'))).toString(), expected);
});

test('every method with an empty body', options, async () => {
  const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
  const out = await answersTo(Buffer.concat(methods.map((method) => request('', method))));
  assert.deepStrictEqual(out, Buffer.concat(methods.map(() => said(''))));
  const head = await answersTo(request('', 'HEAD'));
  assert.strictEqual(head.toString(), 'HTTP/1.1 200 OK\r\nContent-Length: 29\r\n\r\n');
});

test('a request without length has no body', options, async () => {
  const out = await answersTo(Buffer.concat([Buffer.from('GET / HTTP/1.1\r\nHost: h\r\n\r\n'), request('x')]));
  assert.deepStrictEqual(out, Buffer.concat([said(''), said('x')]));
});

test('bytes come back as they were', options, async () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
  const bodies = ['hé€', all, '😀', '\r\n\r\n', Buffer.from([0xe2, 0x82])];
  const out = await answersTo(Buffer.concat(bodies.map((body) => request(body))));
  assert.deepStrictEqual(out, Buffer.concat(bodies.map(said)));
});

test('cut at every place', options, async () => {
  const data = request('ab', 'POST', 'X-A: b\r\n');
  const program = new Program();
  for (let cut = 1; cut < data.length; cut += 1) {
    await program.send(data.subarray(0, cut));
    await program.send(data.subarray(cut));
  }
  assert.strictEqual(await program.finish(), 0);
  assert.deepStrictEqual(program.stdout.bytes, Buffer.concat(Array(data.length - 1).fill(said('ab'))));
});

test('byte by byte', options, async () => {
  const data = Buffer.concat([request('one'), request(''), request('zwö\r\n\r\n')]);
  const program = new Program();
  for (const byte of data) await program.send(Buffer.from([byte]));
  assert.strictEqual(await program.finish(), 0);
  assert.deepStrictEqual(program.stdout.bytes, Buffer.concat([said('one'), said(''), said('zwö\r\n\r\n')]));
});

test('a large body and what follows it', options, async () => {
  const body = Buffer.alloc(5_000_000, 'äöü€');
  const out = await answersTo(Buffer.concat([request(body), request('next')]));
  assert.ok(out.equals(Buffer.concat([said(body), said('next')])));
});

test('an async handler answers in order', options, async () => {
  const handler = 'module.exports = async (event) => { await new Promise(setImmediate); return event.text; };';
  const out = await answersTo(Buffer.concat([request('a'), request('b')]), handler);
  assert.deepStrictEqual(out, Buffer.concat([answer('a'), answer('b')]));
});

test('logs go to stderr without a response descriptor', options, async () => {
  const program = new Program(`console.log('loading');
    module.exports = (event) => { console.log('handling'); process.stdout.write('raw'); return event.body; };`);
  assert.strictEqual(await program.finish(request('x')), 0);
  assert.deepStrictEqual(program.stdout.bytes, answer('x'));
  for (const line of ['loading', 'handling', 'raw']) assert.ok(program.stderr.text.includes(line), line);
});

test('stdout is a log with a response descriptor', options, async () => {
  const program = new Program("module.exports = (event) => { console.log('log line'); return event.body; };", true);
  assert.strictEqual(await program.finish(request('hi')), 0);
  assert.deepStrictEqual(program.answers.bytes, answer('hi'));
  assert.strictEqual(program.stdout.text, 'log line\n');
});

test('a failing handler gives 500 and the next request is served', options, async () => {
  const failing = [
    "module.exports = (event) => { if (event.text === 'bad') throw new Error('secret'); return event.body; };",
    "module.exports = async (event) => { if (event.text === 'bad') throw new Error('secret'); return event.body; };",
    "module.exports = async (event) => (event.text === 'bad' ? { statusCode: 'secret' } : event.body);",
  ];
  for (const handler of failing) {
    const program = new Program(handler);
    assert.strictEqual(await program.finish(Buffer.concat([request('bad'), request('good')])), 0);
    assert.match(program.stdout.text, /^HTTP\/1\.1 500 Internal Server Error\r\n/);
    assert.ok(program.stdout.text.endsWith(answer('good').toString()));
    assert.ok(!program.stdout.text.includes('secret'));
    assert.match(program.stderr.text, /secret/);
  }
});

test('a broken stream gives 400 and ends the program', options, async () => {
  const program = new Program();
  const data = Buffer.concat([Buffer.from('POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n'), request('never')]);
  assert.strictEqual(await program.finish(data), 1);
  assert.match(program.stdout.text, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.strictEqual(program.stdout.text.split('HTTP/1.1').length, 2);
});

test('the end of the input ends the program', options, async () => {
  for (const data of ['', request('x'), request('x').subarray(0, -1), 'POST / HT']) {
    assert.strictEqual(await new Program().finish(data), 0);
  }
});

test('SIGTERM ends an idle program', options, async () => {
  const program = new Program();
  await program.send(request('x'));
  await program.stdout.until(said('x'));
  program.child.kill('SIGTERM');
  assert.strictEqual(await program.exit(), 0);
});

test('SIGTERM lets the answer in flight finish', options, async () => {
  const program = new Program(`const { once } = require('node:events');
    module.exports = async () => {
      console.error('begun');
      await once(process, 'SIGUSR2');
      return 'finished';
    };
    process.on('SIGTERM', () => setImmediate(() => console.error('terminating')));`);
  await program.send(request('x'));
  await program.stderr.until('begun');
  program.child.kill('SIGTERM');
  await program.stderr.until('terminating');
  program.child.kill('SIGUSR2');
  assert.strictEqual(await program.exit(), 0);
  assert.deepStrictEqual(program.stdout.bytes, answer('finished'));
});
