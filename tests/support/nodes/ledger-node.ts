import { Failure } from '../../../src/core/errors.ts'
import type { Account } from '../../../src/core/solana/account.ts'
import { encodeKey } from '../../../src/core/solana/base58.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Outbound, OutboundAnswer } from '../../../src/ports/outbound.ts'
import type { SocketEnd, SocketListener, Sockets } from '../../../src/ports/sockets.ts'
import type { Chance } from '../basics/seeded-chance.ts'
import { clockText, newsText, recordsOf, type ScriptedLedger } from '../solana/scripted-ledger.ts'

/** A node on a scripted ledger, with faults to switch on. */
export type LedgerNode = {
  outbound: Outbound
  sockets: Sockets
  /** Methods that were asked, in order, with the scans told apart as `keys` and `full`. */
  asked: string[]
  /** How many blocks behind the ledger its answers are. */
  lagBlocks: number
  /** How long a scan takes to arrive, while the ledger goes on. */
  scanDelayMs: number
  /** How much later blocks are heard of than they can be asked for. */
  socketDelayMs: number
  /** Its scans end in the middle. */
  breaksOff: boolean
  /** It answers scans with this. */
  refusal: { code: number; message: string } | null
  /** Its records are in no order. */
  shuffles: boolean
  /** Notifications of blocks, or of single accounts, that get lost on the way. */
  losesBlock: (slot: number) => boolean
  losesChange: (account: Account) => boolean
  /** Sockets that are open. */
  listeners(): number
  /** Breaks all sockets, from the other side. */
  hangUp(): void
  /** Says a text on all sockets. */
  say(text: string): void
  /** It lets nobody in. */
  refusesSockets: boolean
  /** The subscription of the program, on every socket. */
  programSubscription: number
}

type Wire = {
  listener: SocketListener
  isOver: boolean
  /** One announcement waits for the other. */
  last: Promise<void>
  topics: Map<number, 'clock' | 'program'>
}

const CLOCK_SUBSCRIPTION = 11
const PROGRAM_SUBSCRIPTION = 22

export function ledgerNode(clock: Clock, ledger: ScriptedLedger, chance: Chance): LedgerNode {
  const wires = new Set<Wire>()
  const node: LedgerNode = {
    outbound: {
      post({ body }, { answered, lost }, context) {
        const { answer, cancel } = posted({ clock, node, ledger, chance }, body)
        answer.then(
          (given) => answered(given, context),
          (failure) => lost(failure, context),
        )
        return cancel
      },
    },
    sockets: { open: (_request, listener) => openWire(node, wires, listener) },
    asked: [],
    lagBlocks: 0,
    scanDelayMs: 0,
    socketDelayMs: 0,
    breaksOff: false,
    refusal: null,
    shuffles: false,
    losesBlock: () => false,
    losesChange: () => false,
    listeners: () => wires.size,
    hangUp() {
      for (const wire of [...wires]) end(wires, wire, 'lost')
    },
    say(text) {
      for (const { listener } of wires) listener.received(text)
    },
    refusesSockets: false,
    programSubscription: PROGRAM_SUBSCRIPTION,
  }
  ledger.onBlock((slot) => {
    if (node.losesBlock(slot)) return
    const delayMs = node.socketDelayMs
    for (const wire of [...wires]) {
      const texts = announcements(node, ledger, wire, slot, chance)
      // A message on its way when a socket breaks is lost.
      wire.last = wire.last.then(async () => {
        if (delayMs > 0) await clock.sleep(delayMs)
        for (const text of texts) if (!wire.isOver) wire.listener.received(text)
      })
    }
  })
  return node
}

function openWire(node: LedgerNode, wires: Set<Wire>, listener: SocketListener) {
  const wire: Wire = { listener, isOver: false, last: Promise.resolve(), topics: new Map() }
  queueMicrotask(() => {
    if (wire.isOver) return
    if (node.refusesSockets) return end(wires, wire, 'unreachable')
    wires.add(wire)
    listener.opened()
  })
  return {
    send(text: string) {
      const { id, method } = JSON.parse(text)
      const isClock = method === 'accountSubscribe'
      const subscription = isClock ? CLOCK_SUBSCRIPTION : PROGRAM_SUBSCRIPTION
      queueMicrotask(() => {
        wire.topics.set(subscription, isClock ? 'clock' : 'program')
        if (wires.has(wire))
          listener.received(`{"jsonrpc":"2.0","id":${id},"result":${subscription}}`)
      })
    },
    close: () => end(wires, wire, 'closed'),
  }
}

function end(wires: Set<Wire>, wire: Wire, reason: SocketEnd): void {
  wires.delete(wire)
  if (wire.isOver) return
  wire.isOver = true
  queueMicrotask(() => wire.listener.closed(reason))
}

/** Within a slot nodes tell in any order; one slot never overtakes another. */
function announcements(
  node: LedgerNode,
  ledger: ScriptedLedger,
  { topics }: Wire,
  slot: number,
  chance: Chance,
): string[] {
  const texts: string[] = []
  if (topics.has(CLOCK_SUBSCRIPTION)) {
    const clock = clockText(slot, ledger.timeAt(slot))
    texts.push(newsText(CLOCK_SUBSCRIPTION, slot, clock, 'accountNotification'))
  }
  for (const { account } of topics.has(PROGRAM_SUBSCRIPTION) ? ledger.changedIn(slot) : []) {
    // Nobody tells of an account that was closed.
    if (account === null || node.losesChange(account)) continue
    texts.push(newsText(PROGRAM_SUBSCRIPTION, slot, recordsOf([account]), 'programNotification'))
  }
  return texts
    .map((text) => ({ text, at: chance.fraction() }))
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
}

type Stage = { clock: Clock; node: LedgerNode; ledger: ScriptedLedger; chance: Chance }

function posted({ clock, node, ledger, chance }: Stage, body: string) {
  const { id, method, params } = JSON.parse(body)
  let cancelled = false
  const { promise, reject, resolve } = Promise.withResolvers<OutboundAnswer>()
  const text = answerText(node, ledger, method, params)
  const whole = `{"jsonrpc":"2.0","id":${id},${text}}`
  const isCut = method === 'getProgramAccounts' && node.breaksOff
  const sent = isCut ? whole.slice(0, Math.floor(whole.length * 0.7)) : whole
  const delayMs = method === 'getProgramAccounts' ? node.scanDelayMs : 0
  clock.after(delayMs, () => {
    if (!cancelled) resolve(streamed(sent, chance))
  })
  const cancel = () => {
    cancelled = true
    reject(new Failure('upstream_answered_badly'))
  }
  return { answer: promise, cancel }
}

function answerText(
  node: LedgerNode,
  ledger: ScriptedLedger,
  method: string,
  // biome-ignore lint/suspicious/noExplicitAny: whatever a client may send.
  params: any[],
): string {
  const slot = ledger.blocks().at(-1 - node.lagBlocks) ?? 0
  if (method === 'getGenesisHash') return '"result":"genesis"'
  if (method === 'getSlot') return `"result":${slot + 1}`
  if (method === 'getBlocks') {
    const [from, to, { commitment }] = params
    const end = Math.min(to, commitment === 'finalized' ? ledger.finalSlot : slot)
    node.asked.push(`blocks ${commitment}`)
    return `"result":[${ledger.blocks().filter((one) => one >= from && one <= end)}]`
  }
  if (method !== 'getProgramAccounts') return '"error":{"code":-32601,"message":"Method not found"}'
  return scanText(node, ledger, slot, params[1])
}

function scanText(
  node: LedgerNode,
  ledger: ScriptedLedger,
  slot: number,
  { dataSlice, minContextSlot }: { dataSlice?: object; minContextSlot: number },
): string {
  node.asked.push(dataSlice ? 'keys' : 'full')
  if (node.refusal) return `"error":${JSON.stringify(node.refusal)}`
  if (minContextSlot > slot) {
    return `"error":{"code":-32016,"message":"Minimum context slot has not been reached","data":{"contextSlot":${slot}}}`
  }
  const accounts = ledger.at(slot) ?? []
  if (node.shuffles) accounts.sort((a, b) => encodeKey(b.pubkey).localeCompare(encodeKey(a.pubkey)))
  const records = recordsOf(accounts, dataSlice ? { offset: 0, length: 0 } : null)
  return `"result":{"context":{"apiVersion":"4.2.0","slot":${slot}},"value":[${records}]}`
}

function streamed(text: string, chance: Chance): OutboundAnswer {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  const stream = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close()
        const to = at + chance.between(1, 5_000)
        controller.enqueue(bytes.slice(at, to))
        at = to
      },
    })
  return {
    status: 200,
    header: () => null,
    length: null,
    whole: null,
    text: async () => text,
    stream,
  }
}
