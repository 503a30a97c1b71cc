'use strict';

const before = Buffer.from('You said: ');
const after = Buffer.from('. That was so fast!');

/** Answers one request. See ../../README.md for what `event` has and what may be returned. */
module.exports = (event) => Buffer.concat([before, event.body, after]);
