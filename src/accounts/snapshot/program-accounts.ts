import { Failure } from '../../core/errors.ts'
import type { PageKey } from '../../core/solana/request/page-key.ts'
import { pageKeyError } from '../../core/solana/request/page-key.ts'
import {
  type ProgramAccountsCall,
  type ProgramAccountsRules,
  readProgramAccountsCall,
} from '../../core/solana/request/program-accounts.ts'
import { invalidParams, isSolanaError, solanaError } from '../../core/solana/solana-error.ts'
import type { SpillFiles } from '../../ports/spill.ts'
import type { World } from '../../ports/world.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { type AccountIndex, serveIndexed } from './indexed-pages.ts'
import { type OwnAnswer, ownError } from './own-answer.ts'
import { fingerprintOf, openPageKeys, type PageKeys } from './page-keys.ts'
import type { SnapshotWalk } from './snapshot-walk.ts'
import { serveWalkPage } from './walk-page.ts'
import { type Asker, openWalkRegistry, type WalkRegistry } from './walk-registry.ts'

type Parts = {
  spill: SpillFiles
  indexOf(service: NetworkService): AccountIndex | null
}

type Rules = ProgramAccountsRules & {
  pageKeyMs: number
  scansMax: number
  /** Room on the disk for what later pages are read from. */
  spillBytesMax: number
}

/** getProgramAccounts and getProgramAccountsV2, over any node or from our own index. */
export type ProgramAccounts = ReturnType<typeof openProgramAccounts>

type Open = { indexOf: Parts['indexOf']; registry: WalkRegistry; keys: PageKeys }

const INTERNAL_ERROR = -32603

export function openProgramAccounts(world: World, { spill, indexOf }: Parts, rules: Rules) {
  const registry = openWalkRegistry(world, spill, rules)
  const secret = world.secrets.derive('page keys of getProgramAccounts')
  const keys = openPageKeys(world.clock, secret, rules.pageKeyMs)
  const open: Open = { indexOf, registry, keys }
  return {
    /** Throws a Failure when no node could answer, before a byte of an answer was given. */
    async serve(
      service: NetworkService,
      method: string,
      paramsText: string,
      teamId: string,
    ): Promise<OwnAnswer> {
      const version = method === 'getProgramAccountsV2' ? 2 : 1
      const call = readProgramAccountsCall(paramsText, rules, version)
      if (isSolanaError(call)) return ownError(call)

      const fingerprint = fingerprintOf(service.network.id, call)
      if (call.pageKey !== null) {
        const key = keys.read(call.pageKey, call, fingerprint)
        return isSolanaError(key) ? ownError(key) : serveNext(open, service, call, key, teamId)
      }
      return serveFirst(open, service, call, { fingerprint, teamId })
    },
    stop: () => registry.stop(),
  }
}

async function serveFirst(
  { indexOf, registry, keys }: Open,
  service: NetworkService,
  call: ProgramAccountsCall,
  asker: Asker,
): Promise<OwnAnswer> {
  const index = indexOf(service)
  const covered = index?.covers(call) ?? null
  // A node may be further; it also has the words for a slot that is still to come.
  const isFarEnough = call.minContextSlot === null || call.minContextSlot <= (covered?.slot ?? 0n)
  if (index && covered && isFarEnough) {
    const answer = await serveIndexed(index, keys, call, { ...covered, ...asker, after: null })
    if (answer !== 'gone') return answer
  }
  if (call.changedSinceSlot !== null) return ownError(needsIndex())

  const { walk, isJoined } = registry.enter(service, call, asker)
  return reading(registry, walk, async (left) => {
    const begun = await walk.begun
    if ('error' in begun) {
      left()
      return { kind: 'error', ...begun.error, upstream: begun.upstream }
    }
    const cache = isJoined ? 'coalesced' : 'miss'
    return serveWalkPage(keys, { call, walk, found: begun, after: null, cache }, left)
  })
}

async function serveNext(
  { indexOf, registry, keys }: Open,
  service: NetworkService,
  call: ProgramAccountsCall,
  { snapshot, slot, after, queryHash: fingerprint }: PageKey,
  teamId: string,
): Promise<OwnAnswer> {
  const gone = ownError(pageKeyError('expired', call.version))
  if (snapshot === '') {
    const index = indexOf(service)
    const place = { slot, after, fingerprint, teamId }
    const answer = index ? await serveIndexed(index, keys, call, place) : 'gone'
    return answer === 'gone' ? gone : answer
  }

  const walk = registry.enterKept(snapshot, { fingerprint, teamId })
  const found = walk?.found ?? null
  if (!walk || !found) return gone
  return reading(registry, walk, (left) =>
    serveWalkPage(keys, { call, walk, found, after, cache: 'hit' }, left),
  )
}

/** Has a walk read, and leaves it once, whatever comes of that. */
async function reading(
  registry: WalkRegistry,
  walk: SnapshotWalk,
  read: (left: () => void) => Promise<OwnAnswer>,
): Promise<OwnAnswer> {
  let isLeft = false
  const left = () => {
    if (isLeft) return
    isLeft = true
    registry.leave(walk)
  }
  try {
    return await read(left)
  } catch (thrown) {
    left()
    if (thrown instanceof Failure && thrown.code === 'spill_failed') return ownError(tooMuch())
    throw thrown
  }
}

function needsIndex() {
  const words = 'only served for programs that are indexed here'
  return invalidParams(`Invalid params: changedSinceSlot: ${words}.`)
}

function tooMuch() {
  const words = 'The accounts take more room than there is for them here; ask for fewer'
  return solanaError(INTERNAL_ERROR, `${words}, with filters or a dataSlice.`)
}
