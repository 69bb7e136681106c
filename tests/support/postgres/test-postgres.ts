import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

/** A database of its own on the server that all tests of this process share. */
export type TestDatabase = { url: string; drop(): Promise<void> }

/** The data is thrown away after the tests, and there is no replica. */
const SETTINGS = [
  'max_connections=300',
  'max_wal_size=128MB',
  'wal_level=minimal',
  'max_wal_senders=0',
  'full_page_writes=off',
  'autovacuum=off',
]

type Shared = { server: PostgresServer; made: number; templates: Map<string, Promise<string>> }

/** Test files may each have modules of their own, and still share the server. */
const KEY = Symbol.for('headgate.test-postgres')
const shared = globalThis as { [KEY]?: Promise<Shared> }

/** Makes an empty database, or a copy of one that was prepared once under that name. */
export async function testDatabase(template?: Template): Promise<TestDatabase> {
  shared[KEY] ??= startShared()
  const all = await shared[KEY]
  const from = template ? await templateOf(all, template) : 'template0'
  const name = `test_${process.pid}_${++all.made}`
  await run(all, `CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`)
  return {
    url: `${all.server.url}/${name}`,
    drop: () => run(all, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

export type Template = { name: string; prepare(url: string): Promise<void> }

function templateOf(all: Shared, { name, prepare }: Template): Promise<string> {
  const known = all.templates.get(name)
  if (known) return known
  const made = (async () => {
    const database = `template_${process.pid}_${name}`
    await run(all, `CREATE DATABASE ${database}`)
    await prepare(`${all.server.url}/${database}`)
    return database
  })()
  all.templates.set(name, made)
  return made
}

async function startShared(): Promise<Shared> {
  return {
    server: await startPostgresServer(SETTINGS),
    made: 0,
    templates: new Map(),
  }
}

async function run({ server }: Shared, text: string): Promise<void> {
  const client = new Bun.SQL(`${server.url}/postgres`, { max: 1 })
  try {
    await client.unsafe(text)
  } finally {
    await client.close()
  }
}
