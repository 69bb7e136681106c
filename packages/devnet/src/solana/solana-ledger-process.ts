import { systemClock } from '../../../../src/system/machine/system-clock.ts'
import { type ChildSocket, liveWithParent, serveChild } from '../serve-child.ts'
import type { ServingNeeds } from './methods/solana-serve.ts'
import type { Listener } from './methods/solana-subscriptions.ts'
import { answerAsleep, FIRST_SLOT, SLOTS_AT_START } from './solana-asleep.ts'
import { setLedgerAside } from './state/ledger-file.ts'
import { type LedgerSaver, openLedgerSaver } from './state/ledger-saver.ts'

// The development ledger as a process of its own, started by solana-ledger.ts.

/** Controls may set thousands of accounts in one call. */
const LIMITS = { bodyBytesMax: 16 * 1_048_576, unreadBytesMax: 64 * 1_048_576 }

const [slotTimeMs = Number.NaN, tokenAccounts = 0, changesPerSlot = 0] = process.argv
  .slice(2, 5)
  .map(Number)
const folder = process.argv[5] ?? ''

type Ledger = ServingNeeds & { serveSolana: typeof import('./methods/solana-serve.ts').serveSolana }

let saver: LedgerSaver | null = null
const clock = systemClock()
liveWithParent(clock, () => saver?.close(slotNow()))
const startedAtMs = clock.monotonicMs()
if (folder !== '') saver = openLedgerSaver(clock, folder)
const firstSlot = Math.max(FIRST_SLOT, (saver?.slotReserved ?? 0) + 1) + SLOTS_AT_START
let awake: Promise<Ledger> | null = null
let opened: Ledger | null = null

const told = { isNew: saver?.isNew ?? true, setAside: saver?.setAside ?? null }
serveChild(LIMITS, { post: answerPost, message: answerMessage, closed: forgetSocket }, told)

/** Slots go by whether or not somebody looks. */
function slotAsleep(): number {
  const passed = slotTimeMs === 0 ? 0 : Math.floor((clock.monotonicMs() - startedAtMs) / slotTimeMs)
  const slot = firstSlot + passed
  saver?.reserve(slot)
  return slot
}

function slotNow(): number {
  return opened?.chain.slots.now ?? slotAsleep()
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
  const open = () => openSolanaChain(clock, slotAsleep(), { tokenAccounts, pace, saver })
  const chain = goOn(open) ?? open()
  opened = { clock, chain, subscriptions: openSubscriptions(chain), serveSolana }
  return opened
}

/** Opens the ledger; null when it could not go on from its file, which is now set aside. */
function goOn<T>(open: () => T): T | null {
  if (saver === null) return null
  try {
    return open()
  } catch (thrown) {
    const broken = setLedgerAside(folder, clock.nowMs())
    const why = thrown instanceof Error ? thrown.message : 'it is no ledger'
    console.error(`SOLANA_DEVNET begins anew: its file (${why}) was set aside as ${broken}`)
    saver = openLedgerSaver(clock, folder)
    return null
  }
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
