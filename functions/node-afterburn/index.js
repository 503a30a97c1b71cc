'use strict';

/**
 * Keeps one Node process hot: HTTP/1.1 requests from stdin, one answer after the other.
 *
 * Answers go to the descriptor in FWATCHDOG_RESPONSE_FD if the watchdog offers one, and then stdout is a log. Without
 * it they go to stdout, and what the handler logs is moved to stderr, where it cannot break the protocol.
 */

const fs = require('node:fs');
const { render } = require('./answer.js');
const { Event } = require('./event.js');
const { BrokenStream, Requests } = require('./requests.js');

const retryMilliseconds = 1; // only if somebody made the answers' pipe non-blocking and it is full

/** The descriptor for answers. Without one of our own, takes stdout away from the handler. */
function takeAnswerDescriptor() {
  const offered = process.env.FWATCHDOG_RESPONSE_FD;
  if (offered) return Number(offered);
  Object.defineProperty(process, 'stdout', { configurable: true, enumerable: true, get: () => process.stderr });
  return 1;
}

/** One write for head and body; more only when a pipe is non-blocking and full. */
function writeAnswer(descriptor, answer) {
  let written = 0;
  while (written < answer.length) {
    try {
      written += fs.writeSync(descriptor, answer, written);
    } catch (error) {
      if (error.code === 'EPIPE') process.exit(0); // the watchdog is gone
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMilliseconds);
    }
  }
}

/** Answers requests one at a time, in order; a handler may be async. */
class Server {
  #requests = new Requests();
  #answering = false;
  #stopping = false;
  #ended = false;

  constructor(descriptor, handle) {
    this.descriptor = descriptor;
    this.handle = handle;
  }

  receive(chunk) {
    this.#requests.push(chunk);
    this.#serve();
  }

  /** The input has ended: nothing can complete a request any more. */
  end() {
    this.#ended = true;
    this.#exitIfDone();
  }

  /** SIGTERM: a request that has begun to arrive is answered first. */
  stop() {
    this.#stopping = true;
    this.#exitIfDone();
  }

  #serve() {
    while (!this.#answering) {
      const request = this.#next();
      if (request === null) break;
      this.#answer(request);
    }
    this.#exitIfDone();
  }

  #exitIfDone() {
    if (this.#answering) return;
    if (this.#ended || (this.#stopping && !this.#requests.started)) process.exit(0);
  }

  #next() {
    try {
      return this.#requests.next();
    } catch (error) {
      if (!(error instanceof BrokenStream)) throw error;
      console.error(`Broken request: ${error.message}`);
      writeAnswer(this.descriptor, render({ statusCode: 400, body: 'Bad Request\n' }));
      process.exit(1);
    }
  }

  #answer({ head, body }) {
    const headOnly = head.startsWith('HEAD ');
    try {
      const result = this.handle(new Event(head, body));
      if (typeof result?.then === 'function') {
        this.#answering = true;
        result.then((value) => this.#finish(value, headOnly), (error) => this.#fail(error, headOnly));
      } else {
        writeAnswer(this.descriptor, render(result, headOnly));
      }
    } catch (error) {
      writeAnswer(this.descriptor, failure(error, headOnly));
    }
  }

  #finish(value, headOnly) {
    let answer;
    try {
      answer = render(value, headOnly);
    } catch (error) {
      answer = failure(error, headOnly);
    }
    this.#conclude(answer);
  }

  #fail(error, headOnly) {
    this.#conclude(failure(error, headOnly));
  }

  #conclude(answer) {
    writeAnswer(this.descriptor, answer);
    this.#answering = false;
    this.#serve();
  }
}

function failure(error, headOnly) {
  console.error(error);
  return render({ statusCode: 500, body: 'The function failed; its log says why.\n' }, headOnly);
}

const descriptor = takeAnswerDescriptor();
const handler = require('./function/handler.js'); // after the descriptor: loading it may log
const server = new Server(descriptor, handler.handle ?? handler);
process.on('SIGTERM', () => server.stop());
process.stdin.on('data', (chunk) => server.receive(chunk));
process.stdin.on('end', () => server.end());
