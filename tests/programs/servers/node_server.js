// Node's own server. usage: node node_server.js PORT. Answers as replies.py says.
'use strict';

const fs = require('fs');
const http = require('http');

function readBody(request, done) {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => done(Buffer.concat(pieces)));
}

function answer(request, body, response) {
  const send = (status, content) => {
    response.statusCode = status;
    response.setHeader('Content-Length', Buffer.byteLength(content));
    response.end(content);
  };
  response.setHeader('Content-Type', 'application/octet-stream');
  response.setHeader('X-Method', request.method);
  response.setHeader('X-Length', body.length);
  response.setHeader('X-Peer', request.socket.remotePort);
  if (request.url === '/hello') return send(200, 'hello from a real server\n');
  if (request.url.startsWith('/status/')) return send(Number(request.url.split('/')[2]), 'as asked\n');
  if (request.url === '/chunked') {
    for (let number = 0; number < 10; ++number) response.write(`part ${number} of ten\n`);
    return response.end();
  }
  if (request.url === '/gated') {
    response.write('first\n');
    return fs.readFile(body.toString(), () => response.end('second\n'));
  }
  if (request.url === '/wait') {
    process.stderr.write('begun /wait\n');
    return fs.readFile(body.toString(), () => send(200, 'finished'));
  }
  return send(200, body);
}

http.createServer((request, response) => {
  readBody(request, (body) => answer(request, body, response));
}).listen(Number(process.argv[2]), '127.0.0.1');
