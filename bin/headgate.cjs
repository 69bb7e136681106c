#!/usr/bin/env node
'use strict'

// Written in old words, so that an old Node says what it lacks instead of failing to read this.

var runtime = require('./runtime.cjs')()

var path = require('path')
var spawn = require('child_process').spawn

var env = Object.assign({ BUN_CONFIG_MAX_HTTP_REQUESTS: '16384' }, process.env)
var main = path.join(__dirname, '..', 'src', 'main.ts')
var words = [main].concat(process.argv.slice(2))
var child = spawn(runtime, words, { stdio: 'inherit', env: env })

// A terminal sends Ctrl-C to both of us, and the child is to hear it once.
var hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY

var passOn = {
  SIGINT: function () {
    if (!hasTerminal) child.kill('SIGINT')
  },
  SIGTERM: function () {
    child.kill('SIGTERM')
  },
  SIGHUP: function () {
    child.kill('SIGHUP')
  },
}
Object.keys(passOn).forEach(function (signal) {
  process.on(signal, passOn[signal])
})

child.on('error', function (error) {
  console.error('The runtime ' + runtime + ' cannot be run (' + error.code + ').')
  process.exit(1)
})

child.on('exit', function (code, signal) {
  if (signal === null) {
    process.exitCode = code
    return
  }
  // A child that a signal ended: we end alike, so that a shell sees what happened.
  Object.keys(passOn).forEach(function (name) {
    process.removeListener(name, passOn[name])
  })
  process.kill(process.pid, signal)
})
