import { Failure } from '../../src/core/errors.ts'
import { encodeKey } from '../../src/core/solana/base58.ts'
import { openRecordWriter } from '../../src/core/solana/encodings.ts'
import type { Outbound, OutboundAnswer } from '../../src/ports/outbound.ts'
import type { SocketHearer, Sockets } from '../../src/ports/sockets.ts'
import { clockText, newsText, recordsOf, type ScriptedLedger } from './scripted-ledger.ts'
import type { Chance } from './seeded-chance.ts'

/** A node on a scripted ledger, with faults to switch on. */
export type LedgerNode = {
  outbound: Outbound
  sockets: Sockets
  /** Methods that were asked, in order, with the scans told apart as `keys` and `full`. */
  asked: string[]
  /** How many blocks behind the ledger its answers are. */
  lagBlocks: number
  /** Its scans end in the middle. */
  breaksOff: boolean
  /** It answers scans with this. */
  refusal: { code: number; message: string } | null
  /** Its records are in no order. */
  shuffles: boolean
  /** Notifications of blocks, or of single accounts, that get lost on the way. */
  losesBlock: (slot: number) => boolean
  losesChange: (slot: number, pubkey: Uint8Array) => boolean
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

type Wire = { hearer: SocketHearer; isOpen: boolean; topics: Map<number, 'clock' | 'program'> }

const CLOCK_SUBSCRIPTION = 11
const PROGRAM_SUBSCRIPTION = 22

export function ledgerNode(ledger: ScriptedLedger, chance: Chance): LedgerNode {
  const wires = new Set<Wire>()
  const node: LedgerNode = {
    outbound: { post: ({ body }) => posted(node, ledger, chance, body) },
    sockets: { open: (_request, hearer) => openWire(node, wires, hearer) },
    asked: [],
    lagBlocks: 0,
    breaksOff: false,
    refusal: null,
    shuffles: false,
    losesBlock: () => false,
    losesChange: () => false,
    listeners: () => wires.size,
    hangUp() {
      for (const wire of [...wires]) hangUp(wires, wire)
    },
    say(text) {
      for (const { hearer } of wires) hearer.heard(text)
    },
    refusesSockets: false,
    programSubscription: PROGRAM_SUBSCRIPTION,
  }
  ledger.onBlock((slot) => {
    if (node.losesBlock(slot)) return
    for (const wire of [...wires]) announce(node, ledger, wire, slot, chance)
  })
  return node
}

function openWire(node: LedgerNode, wires: Set<Wire>, hearer: SocketHearer) {
  const wire: Wire = { hearer, isOpen: false, topics: new Map() }
  queueMicrotask(() => {
    if (node.refusesSockets) return hearer.closed('unreachable')
    wire.isOpen = true
    wires.add(wire)
    hearer.opened()
  })
  return {
    send(text: string) {
      const { id, method } = JSON.parse(text)
      const isClock = method === 'accountSubscribe'
      const subscription = isClock ? CLOCK_SUBSCRIPTION : PROGRAM_SUBSCRIPTION
      queueMicrotask(() => {
        wire.topics.set(subscription, isClock ? 'clock' : 'program')
        if (wires.has(wire)) hearer.heard(`{"jsonrpc":"2.0","id":${id},"result":${subscription}}`)
      })
    },
    close() {
      if (!wires.delete(wire)) return
      queueMicrotask(() => hearer.closed('closed'))
    },
  }
}

function hangUp(wires: Set<Wire>, wire: Wire): void {
  wires.delete(wire)
  wire.hearer.closed('lost')
}

/** Within a slot nodes tell in any order; one slot never overtakes another. */
function announce(
  node: LedgerNode,
  ledger: ScriptedLedger,
  { hearer, topics }: Wire,
  slot: number,
  chance: Chance,
): void {
  const texts: string[] = []
  if (topics.has(CLOCK_SUBSCRIPTION)) {
    const clock = clockText(slot, ledger.timeAt(slot))
    texts.push(newsText(CLOCK_SUBSCRIPTION, slot, clock, 'accountNotification'))
  }
  for (const { pubkey, account } of topics.has(PROGRAM_SUBSCRIPTION)
    ? ledger.changedIn(slot)
    : []) {
    // Nobody tells of an account that was closed.
    if (account === null || node.losesChange(slot, pubkey)) continue
    texts.push(newsText(PROGRAM_SUBSCRIPTION, slot, recordsOf([account]), 'programNotification'))
  }
  while (texts.length > 0)
    hearer.heard(texts.splice(chance.between(0, texts.length - 1), 1)[0] ?? '')
}

function posted(node: LedgerNode, ledger: ScriptedLedger, chance: Chance, body: string) {
  const { id, method, params } = JSON.parse(body)
  let cancelled = false
  const { promise, reject, resolve } = Promise.withResolvers<OutboundAnswer>()
  const text = answerText(node, ledger, method, params)
  const whole = `{"jsonrpc":"2.0","id":${id},${text}}`
  const isCut = method === 'getProgramAccounts' && node.breaksOff
  const sent = isCut ? whole.slice(0, Math.floor(whole.length * 0.7)) : whole
  queueMicrotask(() => {
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
  const writer = openRecordWriter({
    encoding: 'base64',
    dataSlice: dataSlice ? { offset: 0, length: 0 } : null,
  })
  const accounts = ledger.at(slot) ?? []
  if (node.shuffles) accounts.sort((a, b) => encodeKey(b.pubkey).localeCompare(encodeKey(a.pubkey)))
  for (const account of accounts) writer.write(account)
  const records = Buffer.from(writer.take()).toString()
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
