#!/usr/bin/env node
'use strict'

// Written in old words, so that an old Node says what it lacks instead of failing to read this.
var version = process.versions.node
if (Number(version.split('.')[0]) < 20) {
  console.error('Headgate needs Node 20 or newer, and this is Node ' + version + '.')
  process.exit(1)
}

var join = require('node:path').join
var spawn = require('node:child_process').spawn

var env = Object.assign({ BUN_CONFIG_MAX_HTTP_REQUESTS: '16384' }, process.env)
var main = join(__dirname, '..', 'src', 'main.ts')
var words = [main].concat(process.argv.slice(2))
var child = spawn(require.resolve('bun/bin/bun.exe'), words, { stdio: 'inherit', env: env })

// The terminal sends its signals to both; others send them to this process alone.
;['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => {
  process.on(signal, () => {
    if (signal !== 'SIGINT') child.kill(signal)
  })
})
child.on('exit', (code) => {
  process.exitCode = code === null ? 1 : code
})
