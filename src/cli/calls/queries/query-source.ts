import { readFileSync } from 'node:fs'
import type { Calling } from '../../connect/run-call.ts'
import { complain } from '../../terminal/complain.ts'

/** Where a command finds its query: a file, `-` for standard input, or the words themselves. */
export type QuerySource = { query?: string | undefined; graphql?: string | undefined }

const STDIN = '-'

/** The text of the query, or null where none is given. */
export async function readQuery({ query: file, graphql }: QuerySource): Promise<string | null> {
  if (file !== undefined && graphql !== undefined) {
    complain('Give the query once: as a file, or as text with --graphql.', 'badInput')
  }
  if (graphql !== undefined) return graphql
  return file === undefined ? null : readText(file)
}

/** The text of a file, or of standard input where its name is `-`. */
export async function readText(file: string): Promise<string> {
  if (file === STDIN) return Bun.stdin.text()
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    const { code } = thrown as { code?: string }
    const why = code === 'ENOENT' ? 'there is no such file' : (code ?? 'unknown reason')
    return complain(`${file} cannot be read: ${why}.`, 'badInput')
  }
}

/** The network that is meant: the one given, or the only one that webhooks can be on. */
export async function networkFor({ client }: Calling, given: string | undefined): Promise<string> {
  if (given !== undefined) return given
  const { data } = await client.call('listNetworks')
  const ids = data.filter(({ kind }) => kind === 'evm').map(({ id }) => id)
  const [only] = ids
  if (only !== undefined && ids.length === 1) return only
  const choice = ids.length === 0 ? 'There is no EVM network here.' : `There are ${ids.join(', ')}.`
  return complain(`Which network? Give --network. ${choice}`, 'badInput')
}
