import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountIndex } from '../../../src/accounts/snapshot/indexed-pages.ts'
import {
  openProgramAccounts,
  type ProgramAccounts,
} from '../../../src/accounts/snapshot/program-accounts.ts'
import type { UpstreamSpec } from '../../../src/core/network.ts'
import { openSecrets } from '../../../src/system/machine/secrets.ts'
import { openSpillFiles } from '../../../src/system/machine/spill-files.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'
import { systemEntropy } from '../../../src/system/machine/system-entropy.ts'
import { type QuietTelemetry, quietTelemetry } from '../basics/quiet-telemetry.ts'
import { testWorld } from '../basics/test-world.ts'
import { type AccountNode, PROGRAM } from '../nodes/account-node.ts'
import { openSolanaNetwork } from '../nodes/http-network.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

export type AccountStage = {
  accounts: ProgramAccounts
  telemetry: QuietTelemetry
  /** The reply of a call, with its own text and where it came from. */
  ask(config?: object, method?: string, teamId?: string): Promise<Asked>
  /** The stream of a big answer, still to be read. */
  askStream(config?: object): Promise<ReadableStream<Uint8Array>>
  /** The keys of all pages, in the order they came; fails when a page shows another slot. */
  walk(config?: object): Promise<{ keys: string[]; pages: number; slot: number }>
  /** Has the first upstream prove that it sorts. */
  warmUp(): Promise<void>
  /** Files on the disk. */
  files(): string[]
  stop(): Promise<void>
}

export type Asked = { reply: Json; text: string; cache: string; upstream: string | null }

type Options = {
  upstreams?: readonly Partial<UpstreamSpec>[]
  rules?: Partial<Parameters<typeof openProgramAccounts>[2]>
  index?: AccountIndex
  clock?: ReturnType<typeof systemClock>
}

const RULES = {
  defaultEncoding: 'json',
  pageLimit: 10_000,
  pageKeyMs: 600_000,
  scansMax: 4,
  spillBytesMax: 1024 ** 3,
} as const

/** The engine over real HTTP, on nodes that do as they are told. */
export async function openAccountStage(
  nodes: readonly AccountNode[],
  { upstreams = [], rules = {}, index, clock = systemClock() }: Options = {},
): Promise<AccountStage> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-accounts-'))
  const telemetry = quietTelemetry()
  const specs = nodes.map(({ name, url }, at) => ({ name, url, ...upstreams[at] }))
  const service = await openSolanaNetwork({ clock, telemetry }, specs)
  const spill = openSpillFiles(join(folder, 'spill'))
  const entropy = systemEntropy()
  const secrets = openSecrets(new Uint8Array(32).fill(3), entropy)
  const accounts = openProgramAccounts(
    testWorld({ clock, entropy, telemetry, secrets }),
    { spill, indexOf: () => index ?? null },
    { ...RULES, ...rules },
  )
  const serve = (config: object, method: string, teamId = 'team_one') =>
    accounts.serve(service, method, JSON.stringify([PROGRAM, config]), teamId)

  const ask = async (
    config: object = {},
    method = 'getProgramAccounts',
    teamId?: string,
  ): Promise<Asked> => {
    const answer = await serve(config, method, teamId)
    if (answer.kind === 'error') {
      const text = `{"error":${answer.text}}`
      return { reply: JSON.parse(text), text, cache: 'miss', upstream: answer.upstream }
    }
    const { cache, upstream } = answer
    const body = await bodyOf(answer)
    const text = `{"result":${body}}`
    return { reply: JSON.parse(text), text, cache, upstream }
  }

  return {
    accounts,
    telemetry,
    ask,
    async askStream(config = {}) {
      const answer = await serve(config, 'getProgramAccounts')
      if (answer.kind !== 'stream') throw new Error(`it is no stream but ${JSON.stringify(answer)}`)
      return answer.stream
    },
    walk: (config = {}) => walkAll(ask, config),
    // Nobody who names no slot shares what was asked for with one.
    warmUp: async () => void (await ask({ minContextSlot: 1 })),
    files: () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isFile),
    async stop() {
      await accounts.stop()
      service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isFile(name: string): boolean {
  return name.includes('spill-')
}

async function walkAll(ask: AccountStage['ask'], config: object) {
  const keys: string[] = []
  const slots = new Set<number>()
  let pageKey: string | undefined
  let pages = 0
  do {
    const asked = await ask({ ...config, withContext: true, ...(pageKey ? { pageKey } : {}) })
    const { result, error } = asked.reply
    if (error) throw new Error(JSON.stringify(error))
    slots.add(result.context.slot)
    keys.push(...result.value.map((record: Json) => record.pubkey))
    pageKey = result.pageKey
    pages++
  } while (pageKey !== undefined && pages < 1000)
  if (slots.size !== 1) throw new Error(`pages of different slots: ${[...slots].join()}`)
  return { keys, pages, slot: [...slots][0] as number }
}

type Answer = Awaited<ReturnType<ProgramAccounts['serve']>>

function bodyOf(answer: Exclude<Answer, { kind: 'error' }>): Promise<string> {
  if (answer.kind === 'result') return Promise.resolve(answer.text)
  if (answer.kind === 'stream') return new Response(answer.stream).text()
  return Promise.resolve(Buffer.concat(answer.pieces).toString())
}
