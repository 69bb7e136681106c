import type { Clock } from '../../clock.ts'
import type { ChainPast } from '../fork/checkpoints.ts'
import { ChainRefusal, openRawChain, type RawChain, rawChainOf } from '../fork/raw-chain.ts'
import { type ArchiveNode, archiveCall } from './archive-calls.ts'
import { type ArchiveForkNeeds, openArchiveForks } from './archive-forks.ts'
import type { ChainArchive } from './chain-archive.ts'
import { type ChainArchiver, openChainArchiver } from './chain-archiver.ts'
import { openProviderSwitch, type ProviderSwitch } from './provider-switch.ts'
import type { StateKey } from './state-history.ts'

/** A chain that goes on in the next run where it ended in this one. */
export type KeptChain = Awaited<ReturnType<typeof keepChain>>

export type KeptNeeds = ArchiveForkNeeds & {
  clock: Pick<Clock, 'nowMs'>
  /** Is told once from whom the events come. */
  listenTo(provider: Pick<ProviderSwitch, 'listenedId'>): void
  say(sentence: string): void
}

/** Methods after which there may be one more block. */
const MINE = new Set(['eth_sendRawTransaction', 'eth_sendTransaction', 'evm_mine', 'hardhat_mine'])

/** Calls whose effect lasts and is no part of the state, so that a fork needs them once more. */
type Standing = Map<string, readonly [method: string, ...params: unknown[]]>

type Asked = { chain: RawChain; archiver: ChainArchiver; standing: Standing }

const STANDING = new Set(['evm_setBlockGasLimit', 'hardhat_setCoinbase', 'hardhat_setMinGasPrice'])

/** About 400 MB with six transactions each. */
const BLOCKS_IN_MEMORY_MAX = 5_000

/** Opens the chain where its archive ends; that of nothing is the archive of a new chain. */
export async function keepChain(
  needs: KeptNeeds,
  archive: ChainArchive,
  options: { folder: string; chainId: number },
) {
  const forks = openArchiveForks(needs, archive, options)
  const head = archive.blocks.head()
  const first = head
    ? await forks.at(head.number, clockAheadS(needs.clock, archive, head.number))
    : await needs.open(null)
  const provider = openProviderSwitch(needs.clock, first)
  needs.listenTo(provider)
  const raw = openRawChain(provider)
  const gaveUp = (reason: string) => {
    const at = `ETH_DEVNET is kept only up to its block ${archive.blocks.head()?.number}`
    needs.say(`${at}, where the next start will go on: ${reason}`)
  }
  const archiver = openChainArchiver({ chain: raw, archive, gaveUp, wrote: forks.clearCache })
  /** The part of the archive that the chain in place goes on from. */
  const before: ArchiveNode = { archive, chainId: options.chainId, height: head?.number ?? -1 }
  const standing: Standing = new Map()
  const height = () => archive.blocks.head()?.number ?? 0

  return {
    provider,
    chain: rawChainOf(async (method, params) => {
      const archived = archivedAnswer(before, method, params)
      return archived ?? askKept({ chain: raw, archiver, standing }, method, params)
    }),
    past: {
      reaches: (at) => archiver.isKeeping() && at >= archive.blocks.lowest(),
      highest: archive.highest,
      signed: archive.signed,
      isRenewalDue: () =>
        archiver.isKeeping() &&
        height() - before.height > BLOCKS_IN_MEMORY_MAX &&
        !provider.hasFilters(),
      async forkAt(at) {
        await archiver.settled()
        if (height() < at) throw new ChainRefusal(`the chain is not kept up to block ${at}`)
        const aheadS = Number(await raw.result<string>('evm_increaseTime', 0))
        const next = await forks.at(at, aheadS)
        for (const [method, ...params] of standing.values()) {
          await openRawChain(next).ask(method, params)
        }
        await archiver.whileReturning(() => provider.switchTo(next))
        before.height = at
        // The runtime does not see how much memory goes with the chain of before.
        Bun.gc(true)
      },
    } satisfies ChainPast,
    /** Writes what is not written yet. */
    async close() {
      await archiver.settled()
      archive.keepPending(await raw.result('eth_pendingTransactions'))
      forks.close()
      archive.close()
    },
  }
}

async function askKept(
  { chain, archiver, standing }: Asked,
  method: string,
  params: unknown,
): Promise<string | null> {
  if (method === 'evm_revert') {
    return archiver.whileReturning(() => chain.ask(method, params))
  }
  const answer = await chain.ask(method, params)
  if (MINE.has(method)) archiver.mined()
  if (!answer?.startsWith('{"result":') || !Array.isArray(params)) return answer

  if (method === 'eth_sendRawTransaction') {
    archiver.signed(String(JSON.parse(answer).result), String(params[0]))
  }
  noteStanding(standing, method, params)
  const key = writtenKey(method, params)
  if (key !== null) await archiver.wrote(key)
  return answer
}

/** A chain whose time was moved on goes on from there: no block is older than its parent. */
function clockAheadS(clock: Pick<Clock, 'nowMs'>, archive: ChainArchive, height: number): number {
  const headS = Number(archive.blocks.block(height)?.timestamp ?? 0)
  return Math.max(0, headS - Math.floor(clock.nowMs() / 1000))
}

function noteStanding(standing: Standing, method: string, params: readonly unknown[]): void {
  const account = String(params[0]).toLowerCase()
  if (method === 'hardhat_impersonateAccount') standing.set(account, [method, ...params])
  if (method === 'hardhat_stopImpersonatingAccount') standing.delete(account)
  if (STANDING.has(method)) standing.set(method, [method, ...params])
}

/** The part of the state that a call sets by hand; null for a call that sets none. */
function writtenKey(method: string, params: readonly unknown[]): StateKey | null {
  const [address, second] = params.map(String)
  if (address === undefined) return null
  if (method === 'hardhat_setBalance') return { address, part: 'balance' }
  if (method === 'hardhat_setNonce') return { address, part: 'nonce' }
  if (method === 'hardhat_setCode') return { address, part: 'code' }
  if (method !== 'hardhat_setStorageAt' || second === undefined) return null
  return { address, part: { slot: second } }
}

const HASH = /^0x[0-9a-f]{64}$/
const NUMBER = /^0x(?:0|[1-9a-f][0-9a-f]{0,12})$/

type Check = (params: readonly unknown[]) => boolean

const isHash: Check = ([hash, ...more]) => HASH.test(String(hash)) && more.length === 0
const isBlock = (name: RegExp): Check => {
  return ([id, isWhole, ...more]) =>
    name.test(String(id)) && typeof isWhole === 'boolean' && more.length === 0
}

/** Calls that are answered at once; the chain would fetch the same and keep it in memory. */
const AT_ONCE: ReadonlyMap<string, Check> = new Map([
  ['eth_getBlockByHash', isBlock(HASH)],
  ['eth_getBlockByNumber', isBlock(NUMBER)],
  ['eth_getTransactionByHash', isHash],
  ['eth_getTransactionReceipt', isHash],
])

/** The answer about a block that the archive had before the chain went on; null for others. */
function archivedAnswer(node: ArchiveNode, method: string, params: unknown): string | null {
  if (!Array.isArray(params) || !AT_ONCE.get(method)?.(params)) return null
  const { result = null } = archiveCall(node, { method, params }) as { result?: unknown }
  return result === null ? null : JSON.stringify({ result })
}
