import { describe, expect, test } from 'bun:test'
import { CONTRACT } from '../../../http/contract/contract.ts'
import { coloursFor } from '../../terminal/colours.ts'
import { readExactJson, readShownJson } from '../../terminal/exact-json.ts'
import { tableLines } from '../../terminal/table-lines.ts'
import { plainColumns, plainFacts, plainFields } from './plain-view.ts'

const NOW_MS = 1_763_164_800_000

const HUGE = '115792089237316195423570985008687907853269984665640564039457584007913129639935'

function table(fields: readonly string[], rows: readonly unknown[], isColoured = false): string[] {
  const layout = { colours: coloursFor(isColoured), columnsMax: 200 }
  return tableLines(plainColumns(fields, rows, NOW_MS), rows, layout)
}

describe('a table', () => {
  test('has a column for each field that fits a cell', () => {
    const { schema } = CONTRACT.listTeams.answer
    expect(plainFields(schema.properties?.data?.items ?? {})).toEqual([
      'id',
      'name',
      'tier',
      'autoscaling',
      'time_created',
    ])
  })

  test('shows no key or token of a list that does not name it', () => {
    for (const { answer } of [CONTRACT.listApps, CONTRACT.listWebhooks, CONTRACT.createTeam]) {
      const data = answer.schema.properties?.data ?? {}
      const fields = plainFields(data.items ?? data)
      expect(fields.filter((field) => /key|token$|urls/.test(field))).toEqual([])
      expect(fields).toContain('id')
    }
  })

  test('says times, spans, sizes, numbers and lists as people read them', () => {
    const row = {
      id: 'a',
      is_active: true,
      time_last: NOW_MS - 12_000,
      block_time_ms: 12_000,
      bytes: 4096,
      head: { number: 23_800_000 },
      networks: ['ETH', 'BASE'],
      upstreams: [{}],
      error: null,
    }
    const [titles, line] = table([...Object.keys(row).toSpliced(5, 1), 'head.number'], [row])
    const words = (text = '') => text.trim().split(/ {2,}/)
    expect(words(titles)).toEqual([
      ...['id', 'active', 'last', 'block time', 'bytes', 'networks', 'upstreams', 'error'],
      'head number',
    ])
    const cells = ['a', 'yes', '12 s ago', '12 s', '4.0 KiB', 'ETH BASE', '–', '–', '23,800,000']
    expect(words(line)).toEqual(cells)
  })

  test('leaves a chain id as people type it', () => {
    expect(table(['chain_id'], [{ chain_id: 31_337 }])[1]?.trim()).toBe('31337')
  })

  test('paints states, good ones and others', () => {
    const lines = table(['id', 'state'], [{ state: 'active' }, { state: 'failed' }, {}], true)
    expect(lines[1]).toContain('\u001b[32mactive')
    expect(lines[2]).toContain('\u001b[31mfailed')
    expect(lines[3]).not.toContain('\u001b[3')
  })

  test('keeps all digits, and takes rows of a shape that nobody expected', () => {
    const rows = [readExactJson(`{"next_block":${HUGE}}`), null, 'text', 7, [], { next_block: {} }]
    const lines = table(['next_block'], rows)
    expect(lines[1]?.replaceAll(',', '')).toBe(HUGE)
    expect(lines.slice(2).map((line) => line.trim())).toEqual(['–', '–', '–', '–', '–'])
  })

  test('shows text of others as one harmless line', () => {
    const row = readShownJson('{"name":"\\u001b[2Ja\\nb\\u202e","\\u009b":1}')
    expect(table(['name'], [row])[1]).toBe('\\x1b[2Ja b\\u{202e}')
  })
})

test('one thing is shown by its fields, and by those of the things in it', () => {
  const app = {
    id: 'app_1',
    description: '',
    is_active: false,
    allow: { origins: ['https://a.example'], ips: [] },
    urls: { ETH: 'http://localhost/eth' },
    upstreams: [{ name: 'a' }],
    time_created: NOW_MS,
    app_id: null,
  }
  expect(plainFacts(app)).toEqual([
    ['id', 'app_1'],
    ['description', null],
    ['active', 'no'],
    ['allow origins', 'https://a.example'],
    ['allow ips', null],
    ['urls ETH', 'http://localhost/eth'],
    ['upstreams', null],
    ['created', '2025-11-15 00:00:00 UTC'],
    ['app id', null],
  ])
  expect(plainFacts(app, ['id', 'nothing'])).toEqual([
    ['id', 'app_1'],
    ['nothing', null],
  ])
  for (const data of [null, undefined, 'text', 7]) expect(plainFacts(data)).toEqual([])
})

test('names that the service makes up are no paths, and stay as they are', () => {
  const urls = { ETH_MAINNET: 'x', 'a.b': 'y' }
  expect(plainFacts({ urls })).toEqual([
    ['urls ETH_MAINNET', 'x'],
    ['urls a b', 'y'],
  ])
})
