'use strict'

// Written in old words, so that an old Node says what it lacks instead of failing to read this.

var NODE_MAJOR_MIN = 20

// The runtime is about a hundred megabytes; its package comes with a short stand-in for it.
var RUNTIME_BYTES_MIN = 1000000

/** The path of the runtime that the program runs on. Ends this process where there is none. */
module.exports = function findRuntime() {
  var version = process.versions.node
  if (Number(version.split('.')[0]) < NODE_MAJOR_MIN) {
    complain(
      'Headgate needs Node ' + NODE_MAJOR_MIN + ' or newer, and this is Node ' + version + '. ' +
        'Install a newer one from https://nodejs.org and run this again.',
    )
  }
  var path = require('path')
  var home
  try {
    home = path.dirname(require.resolve('bun/package.json'))
  } catch (_) {
    complain('The runtime is not installed. Run npm install (in a checkout: npm ci) first.')
  }
  var runtime = path.join(home, 'bin', 'bun.exe')
  if (sizeOf(runtime) < RUNTIME_BYTES_MIN) {
    var script = path.relative(process.cwd(), path.join(home, 'install.js'))
    complain(
      'The runtime is not in place: npm was told to run no install scripts. ' +
        'Put it in place with: node ' + script,
    )
  }
  return runtime
}

// By `npm start`, before the runtime itself is run.
if (require.main === module) module.exports()

function sizeOf(file) {
  try {
    return require('fs').statSync(file).size
  } catch (_) {
    return 0
  }
}

function complain(text) {
  console.error(text)
  process.exit(1)
}
