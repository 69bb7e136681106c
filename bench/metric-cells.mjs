// npm install --no-save prom-client@15.1.3 && npx bun bench/metric-cells.mjs
//
// The cost of counting a call: our registry against prom-client, in one run. Plain JavaScript, and
// prom-client no dependency, because nothing else here needs it.
import { Counter, Histogram, Registry } from 'prom-client'
import { metricRegistry } from '../src/system/telemetry/metric-registry.ts'

const ROUNDS = 7
const TIMES = 200_000
const LABELS = { network: 'ETH_MAINNET', method: 'eth_call', outcome: 'ok' }
const NETWORK = { network: 'ETH_MAINNET' }
const BUCKETS_S = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60]

const ours = metricRegistry()
const cell = ours.counter('headgate_rpc_calls_total', LABELS)
const timeCell = ours.histogram('headgate_rpc_request_duration_seconds', NETWORK)

const registers = [new Registry()]
const labelNames = Object.keys(LABELS)
const counter = new Counter({ name: 'calls_total', help: 'Calls.', labelNames, registers })
const histogram = new Histogram({
  name: 'request_seconds',
  help: 'Time.',
  labelNames: ['network'],
  buckets: BUCKETS_S,
  registers,
})
const child = counter.labels(LABELS)
const timeChild = histogram.labels(NETWORK)

const CONTENDERS = {
  'ours, cells': (ms) => {
    cell(1)
    timeCell(ms)
  },
  'ours, labelled': (ms) => {
    ours.count('headgate_rpc_calls_total', LABELS)
    ours.observeMs('headgate_rpc_request_duration_seconds', NETWORK, ms)
  },
  'prom-client, pre-bound': (ms) => {
    child.inc(1)
    timeChild.observe(ms / 1000)
  },
  'prom-client, labelled': (ms) => {
    counter.inc(LABELS, 1)
    histogram.observe(NETWORK, ms / 1000)
  },
}

const took = Object.fromEntries(Object.keys(CONTENDERS).map((name) => [name, []]))
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, note] of Object.entries(CONTENDERS)) {
    const began = performance.now()
    for (let at = 0; at < TIMES; at++) note(at % 700)
    // The first round only warms up.
    if (round > 0) took[name].push(((performance.now() - began) * 1e6) / TIMES)
  }
}
for (const [name, rounds] of Object.entries(took)) {
  const sorted = rounds.toSorted((a, b) => a - b)
  const [low, middle, high] = [sorted[0], sorted[ROUNDS >> 1], sorted[ROUNDS - 1]]
  const figures = [middle, low, high].map((ns) => ns.toFixed(0).padStart(6)).join('')
  console.log(`${name.padEnd(24)}${figures} ns a call (median, low, high)`)
}
