import { systemClock } from '../clock.ts'
import { type ChildSocket, liveWithParent, serveChild } from '../serve-child.ts'
import type { ServingParts } from './methods/solana-serve.ts'
import type { Listener } from './methods/solana-subscriptions.ts'
import { answerAsleep, FIRST_SLOT } from './solana-asleep.ts'

// The development ledger as a process of its own, started by solana-ledger.ts.

/** Controls may set thousands of accounts in one call. */
const LIMITS = { bodyBytesMax: 16 * 1_048_576, unreadBytesMax: 64 * 1_048_576 }

const [slotTimeMs = Number.NaN, tokenAccounts = 0, changesPerSlot = 0] = process.argv
  .slice(2, 5)
  .map(Number)

type Ledger = ServingParts & { serveSolana: typeof import('./methods/solana-serve.ts').serveSolana }

const clock = systemClock()
liveWithParent(clock, () => {})
const startedAtMs = clock.monotonicMs()
let awake: Promise<Ledger> | null = null

serveChild(LIMITS, { post: answerPost, message: answerMessage, closed: forgetSocket })

/** Slots go by whether or not somebody looks; one has ended before the first that is seen. */
function slotAsleep(): number {
  const passed = slotTimeMs === 0 ? 0 : Math.floor((clock.monotonicMs() - startedAtMs) / slotTimeMs)
  return FIRST_SLOT + 1 + passed
}

/** The machine costs time and memory, so it is made for the first who needs it. */
function ledger(): Promise<Ledger> {
  awake ??= openLedger()
  return awake
}

async function openLedger(): Promise<Ledger> {
  const [{ openSolanaChain }, { openSubscriptions }, { serveSolana }] = await Promise.all([
    import('./solana-chain.ts'),
    import('./methods/solana-subscriptions.ts'),
    import('./methods/solana-serve.ts'),
  ])
  const pace = { slotTimeMs, isHeld: false, changesPerSlot }
  const chain = openSolanaChain(clock, slotAsleep(), { tokenAccounts, pace })
  return { clock, chain, subscriptions: openSubscriptions(chain), serveSolana }
}

async function answerPost(text: string): Promise<string> {
  const early = awake === null ? answerAsleep(text, slotAsleep()) : null
  return early ?? (await answerAwake(text, null))
}

async function answerAwake(text: string, listener: Listener | null): Promise<string> {
  const open = await ledger()
  return open.serveSolana(open, text, listener)
}

async function answerMessage(socket: ChildSocket, text: string): Promise<void> {
  const answer = await answerAwake(text, socket)
  if (answer !== '') socket.send(answer)
}

async function forgetSocket(socket: ChildSocket): Promise<void> {
  if (awake !== null) (await awake).subscriptions.release(socket)
}
