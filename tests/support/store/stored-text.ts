import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Where = { data: string; database?: string | undefined }

/** All that the store holds, as one who has got hold of it could read it. */
export function storedText({ data, database }: Where): Promise<string> {
  return database === undefined ? Promise.resolve(filesText(data)) : tablesText(database)
}

function filesText(folder: string): string {
  const files = readdirSync(folder).filter((name) => name.startsWith('headgate.sqlite'))
  return files.map((name) => readFileSync(join(folder, name), 'latin1')).join('')
}

/** Bytes are shown as text where they are text. */
async function tablesText(database: string): Promise<string> {
  const client = new Bun.SQL(database, { max: 1, connection: { bytea_output: 'escape' } })
  try {
    const tables: { name: string }[] = await client`
      SELECT CAST(oid AS regclass)::text AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = CAST('public' AS regnamespace)`
    const texts: string[] = []
    for (const { name } of tables) {
      const rows: { text: string }[] = await client.unsafe(
        `SELECT CAST(one AS TEXT) AS text FROM ${name} AS one`,
      )
      texts.push(...rows.map(({ text }) => text))
    }
    return texts.join('\n')
  } finally {
    await client.close()
  }
}
