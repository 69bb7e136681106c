import { describe, expect, test } from 'bun:test'
import {
  joinLogTexts,
  keepLogs,
  mergeLogLists,
  missingIn,
  readLogList,
  sameLogs,
} from './log-list.ts'

const RANGE = { from: 0, to: 100 }

/** A log in the node's own text, with a number that no double has. */
function log(block: number, index: number, fork = 'aa'): string {
  const hash = `0x${fork}${block.toString(16).padStart(62, '0')}`
  return (
    `{"blockNumber": "0x${block.toString(16)}","logIndex":"0x${index.toString(16)}",` +
    `"blockHash":"${hash}","x":18446744073709551615,"data":"],[\\"{"}`
  )
}

function listOf(...logs: string[]) {
  const text = `[${logs.join()}]`
  const list = readLogList(text, JSON.parse(text), RANGE)
  if (!list) throw new Error('a list of logs')
  return list
}

describe('a list of logs', () => {
  test("keeps the node's own text", () => {
    const list = listOf(log(1, 0), log(1, 1), log(7, 0))
    expect(list.text).toBe([log(1, 0), log(1, 1), log(7, 0)].join())
    expect(list.marks.map(({ block, index }) => [block, index])).toEqual([
      [1, 0],
      [1, 1],
      [7, 0],
    ])
  })

  test('that a node gives in another order is put in order', () => {
    expect(listOf(log(7, 2), log(1, 1), log(7, 0))).toEqual(listOf(log(1, 1), log(7, 0), log(7, 2)))
  })

  test.each([
    ['no list', '{}'],
    ['null', 'null'],
    ['texts', '["0x1"]'],
    ['a null among them', `[${log(1, 0)},null]`],
    ['a block beyond the range', `[${log(101, 0)}]`],
    ['no block hash', '[{"blockNumber":"0x1","logIndex":"0x0"}]'],
    ['a pending log', '[{"blockNumber":null,"logIndex":null,"blockHash":null}]'],
    ['a number as height', `[${log(1, 0).replace('"0x1"', '1')}]`],
  ])('is not %s', (_what, text) => {
    expect(readLogList(text, JSON.parse(text), RANGE)).toBeNull()
  })

  test('is merged with others by block and index, each log once', () => {
    const merged = mergeLogLists([
      listOf(log(1, 2), log(3, 0)),
      listOf(),
      listOf(log(1, 0), log(1, 2), log(9, 1)),
      listOf(log(2, 5)),
    ])
    expect(merged).toEqual(listOf(log(1, 0), log(1, 2), log(2, 5), log(3, 0), log(9, 1)))
    expect(mergeLogLists([])).toEqual(listOf())
  })

  test('tells what another one lacks, forks told apart', () => {
    const one = listOf(log(1, 0), log(2, 0))
    const other = listOf(log(1, 0), log(2, 0, 'bb'))
    expect(sameLogs(one, listOf(log(1, 0), log(2, 0)))).toBe(true)
    expect(sameLogs(one, other)).toBe(false)
    expect(missingIn(other, one).map(({ block }) => block)).toEqual([2])
  })

  test('may be cut down to some blocks', () => {
    const some = keepLogs(listOf(log(1, 0), log(2, 0), log(3, 0)), ({ block }) => block !== 2)
    expect(some).toEqual(listOf(log(1, 0), log(3, 0)))
  })

  test('stands behind others without a comma too many', () => {
    expect(joinLogTexts(['', '1,2', '', '3', ''])).toBe('1,2,3')
  })
})
