import { describe, expect, test } from 'bun:test'
import { lastingOf, sumExpositions } from './sum-expositions.ts'

const MAIN = `# HELP headgate_bugs_total Requests that hit a bug of ours.
# TYPE headgate_bugs_total counter
headgate_bugs_total 1
# HELP headgate_network_head Height of the agreed head; 0 while unknown.
# TYPE headgate_network_head gauge
headgate_network_head{network="A"} 7
process_start_time_seconds 100
headgate_accepting_connections 1
nodejs_eventloop_lag_max_seconds 0.5
process_resident_memory_bytes 10
`

const WORKER = `# HELP headgate_bugs_total Requests that hit a bug of ours.
# TYPE headgate_bugs_total counter
headgate_bugs_total 2
headgate_network_head{network="A"} 6
headgate_network_head{network="B, } and \\"more\\""} 3
process_start_time_seconds 200
headgate_accepting_connections 0
nodejs_eventloop_lag_max_seconds 0.7
process_resident_memory_bytes 5
headgate_rpc_request_duration_seconds_bucket{network="A",le="0.001"} 1
headgate_rpc_request_duration_seconds_bucket{network="A",le="+Inf"} 2
headgate_rpc_request_duration_seconds_sum{network="A"} 0.25
headgate_rpc_request_duration_seconds_count{network="A"} 2
`

describe('the metrics of several processes', () => {
  test('are those of one: counters and histograms summed, gauges as each is to be', () => {
    const lines = sumExpositions([MAIN, WORKER, WORKER]).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        'headgate_bugs_total 5',
        'headgate_network_head{network="A"} 7',
        'headgate_network_head{network="B, } and \\"more\\""} 3',
        'process_start_time_seconds 100',
        'headgate_accepting_connections 0',
        'nodejs_eventloop_lag_max_seconds 0.7',
        'process_resident_memory_bytes 20',
        'headgate_rpc_request_duration_seconds_bucket{network="A",le="0.001"} 2',
        'headgate_rpc_request_duration_seconds_bucket{network="A",le="+Inf"} 4',
        'headgate_rpc_request_duration_seconds_sum{network="A"} 0.5',
        'headgate_rpc_request_duration_seconds_count{network="A"} 4',
      ]),
    )
    expect(lines.filter((line) => line === '# TYPE headgate_bugs_total counter')).toHaveLength(1)
  })

  test('of one alone are as they are', () => {
    const text =
      '# HELP headgate_bugs_total x\n# TYPE headgate_bugs_total counter\nheadgate_bugs_total 1\n'
    expect(sumExpositions([text])).toBe(text)
    expect(sumExpositions([text, ''])).toBe(text)
    expect(sumExpositions([])).toBe('')
  })

  test('leave out what is none of ours, and lose nothing else over it', () => {
    const garbage = [
      'headgate_bugs_total one',
      'headgate_bugs_total NaN',
      'headgate_bugs_total{',
      'of_another_version_total 5',
      'constructor 1',
      '__proto__ 1',
      '# HELP',
      '\u0000'.repeat(100),
      `headgate_bugs_total ${'9'.repeat(400)}x`,
    ]
    expect(sumExpositions(['headgate_bugs_total 1\n', garbage.join('\n')])).toBe(
      'headgate_bugs_total 1\n',
    )
  })

  test('of a process that is gone keep what only goes up', () => {
    const lasting = lastingOf(WORKER)
    expect(lasting).toContain('headgate_bugs_total 2')
    expect(lasting).toContain('headgate_rpc_request_duration_seconds_count{network="A"} 2')
    expect(lasting).not.toContain('head{')
    expect(lasting).not.toContain('process_resident')
  })
})
