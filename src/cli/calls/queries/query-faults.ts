import { ApiError } from '@headgate/client'
import type { WireQueryError } from '../../../http/contract/query-checks.ts'
import type { Calling } from '../../connect/run-call.ts'
import type { Colours } from '../../terminal/colours.ts'
import { complain } from '../../terminal/complain.ts'
import { columnsOf, harmlessLine } from '../../terminal/harmless-text.ts'

/** How much of a long line is shown before the place that is meant. */
const BEFORE_MAX = 40

/** The most of a line that is shown: all of it on a usual terminal. */
const LINE_MAX = 72

/** Makes a call with a query; where the query is wrong, shows each mistake at its place. */
export async function withQueryFaults<T>(
  { client, terminal }: Calling,
  query: { text: string; network: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    const isOfQuery = thrown instanceof ApiError && thrown.locations.length > 0
    if (!isOfQuery) throw thrown
    const { text, network } = query
    const { data } = await client.call('checkQuery', { body: { graphql_query: text, network } })
    if (data.ok) throw thrown
    const lines = data.errors.flatMap((fault) => faultLines(text, fault, terminal.colours))
    return complain(lines.join('\n'), 'failed')
  }
}

export function faultLines(text: string, fault: WireQueryError, colours: Colours): string[] {
  const { message, line, column, length } = fault
  const source = line === null ? undefined : text.split(/\r\n|\n|\r/)[line - 1]
  const said = `${colours.red('error')}: ${message}`
  if (source === undefined || line === null || column === null) return [said]
  const begin = Math.max(0, column - 1 - BEFORE_MAX)
  const end = begin + LINE_MAX
  const before = harmlessLine(source.slice(begin, column - 1))
  const marked = harmlessLine(source.slice(column - 1, Math.min(end, column - 1 + (length ?? 1))))
  const after = harmlessLine(source.slice(column - 1 + (length ?? 1), end))
  const margin = ' '.repeat(String(line).length)
  const open = begin > 0 ? '…' : ''
  const close = end < source.length ? '…' : ''
  const indent = ' '.repeat(columnsOf(open + before))
  return [
    said,
    colours.dim(`${margin}--> line ${line}, column ${column}`),
    `${colours.dim(`${line} |`)} ${open}${before}${colours.red(marked)}${after}${close}`,
    `${colours.dim(`${margin} |`)} ${indent}${colours.red('^'.repeat(Math.max(1, columnsOf(marked))))}`,
  ]
}
