import { Failure } from '../../../src/core/errors.ts'
import { encodeBase58, encodeKey } from '../../../src/core/solana/base58.ts'
import type { Outbound } from '../../../src/ports/outbound.ts'
import type { SocketListener, Sockets } from '../../../src/ports/sockets.ts'
import { answerText, type Block, DEPTHS, type Level, notifiedText } from './pubsub-answers.ts'

type Subscribed = { method: string; params: Json[]; commitment: Level }

type Wire = {
  url: string
  listener: SocketListener
  isOver: boolean
  subscribed: Map<number, Subscribed>
  /** Work that waits until its node hangs no more. */
  waiting: (() => void)[]
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a client may send.
type Json = any

/** A node of the cluster, with faults to switch on. */
export type PubsubNode = {
  name: string
  /** Neither answers nor lets anybody in. */
  isDead: boolean
  /** Lets everybody in and answers HTTP; on its sockets it says all it has to say later. */
  isHung: boolean
  /** How many blocks behind the ledger it is. */
  lag: number
  /** Answers as of its own slot, whatever least slot it is asked for. */
  ignoresMinimum: boolean
  /** Subscriptions that are refused, or not answered at all. */
  refuses: (method: string) => { code: number; message: string } | 'silence' | null
  wires: Set<Wire>
  /** Calls that came over its sockets, and over HTTP. */
  asked: { method: string; params: Json[] }[]
  posted: string[]
  /** Breaks its sockets. */
  hangUp(): void
  /** Says a text on all sockets. */
  say(text: string): void
}

export type PubsubCluster = {
  outbound: Outbound
  sockets: Sockets
  nodes: PubsubNode[]
  node(name: string): PubsubNode
  /** Makes the next block, after so many slots without one, and tells of it. */
  mine(
    changes?: { accounts?: readonly string[]; landed?: readonly string[] },
    skipped?: number,
  ): void
  /** Lets nodes tell what they have come to, as after a change of their lag. */
  settle(): void
  /** Slots of all blocks. */
  slots(): number[]
  slotAt(level: Level): number
  /** The data of an account at that level; null where it is closed or never was. */
  valueAt(pubkey: string, level: Level): number | null
}

const FIRST_SLOT = 1_000

/** An account of the cluster that the data of zero closes. */
export function pubkeyOf(number: number): string {
  return encodeKey(new Uint8Array(32).fill(100 + number))
}

export function signatureOf(number: number): string {
  const bytes = new Uint8Array(64).fill(7)
  new DataView(bytes.buffer).setUint32(0, number + 1)
  return encodeBase58(bytes)
}

/** Nodes on one ledger, played by hand. */
export function pubsubCluster(names: readonly string[]): PubsubCluster {
  const first: Block = { slot: FIRST_SLOT, accounts: new Map(), changed: new Set(), landed: [] }
  const blocks: Block[] = [first]
  const nodes = names.map((name) => newNode(name))
  const told = new Map(nodes.map((node) => [node, 0]))
  let changes = 0
  let subscriptions = 0

  const settle = () => {
    for (const node of nodes) {
      let at = told.get(node) ?? 0
      while (at < blocks.length - 1 - node.lag) {
        at++
        const to = at
        for (const wire of node.wires) work(node, wire, () => tell(wire, blocks, to))
      }
      told.set(node, at)
      for (const wire of node.wires) work(node, wire, () => {})
    }
  }
  const nodeAt = (url: string) =>
    nodes.find(({ name }) => name === new URL(url).hostname) as PubsubNode
  const tipOf = (node: PubsubNode) => told.get(node) ?? 0
  const blockAt = (level: Level) => blocks[Math.max(0, blocks.length - 1 - DEPTHS[level])] as Block

  return {
    nodes,
    node: (name) => nodes.find((node) => node.name === name) as PubsubNode,
    outbound: {
      post({ url, body }, { answered, lost }, context) {
        const node = nodeAt(url)
        queueMicrotask(() => {
          if (node.isDead) return lost(new Failure('upstream_unreachable'), context)
          const { id, method, params } = JSON.parse(body)
          node.posted.push(method)
          const text = answerText(blocks, tipOf(node), method, params, node.ignoresMinimum)
          answered(answerOf(`{"jsonrpc":"2.0","id":${id},${text}}`), context)
        })
        return () => {}
      },
    },
    sockets: {
      open({ url }, listener) {
        return openWire(
          nodeAt(url),
          { url, listener, isOver: false, subscribed: new Map(), waiting: [] },
          () => {
            subscriptions++
            return subscriptions
          },
        )
      },
    },
    mine({ accounts: changed = [], landed = [] } = {}, skipped = 0) {
      const last = blocks.at(-1) as Block
      const accounts = new Map(last.accounts)
      for (const pubkey of changed) {
        changes++
        // Now and then one is closed.
        accounts.set(pubkey, changes % 7 === 0 ? 0 : changes)
      }
      blocks.push({ slot: last.slot + 1 + skipped, accounts, changed: new Set(changed), landed })
      settle()
    },
    settle,
    slots: () => blocks.map(({ slot }) => slot),
    slotAt: (level) => blockAt(level).slot,
    valueAt: (pubkey, level) => blockAt(level).accounts.get(pubkey) || null,
  }
}

function newNode(name: string): PubsubNode {
  const node: PubsubNode = {
    name,
    isDead: false,
    isHung: false,
    lag: 0,
    ignoresMinimum: false,
    refuses: () => null,
    wires: new Set(),
    asked: [],
    posted: [],
    hangUp() {
      for (const wire of [...node.wires]) end(node, wire, 'lost')
    },
    say(text) {
      for (const { listener } of node.wires) listener.received(text)
    },
  }
  return node
}

function openWire(node: PubsubNode, wire: Wire, nextId: () => number) {
  queueMicrotask(() => {
    if (wire.isOver) return
    if (node.isDead) return end(node, wire, 'unreachable')
    node.wires.add(wire)
    wire.listener.opened()
  })
  return {
    send(text: string) {
      if (!node.wires.has(wire)) return
      const { id, method, params } = JSON.parse(text)
      node.asked.push({ method, params })
      queueMicrotask(() =>
        work(node, wire, () => answer(node, wire, { id, method, params }, nextId)),
      )
    },
    close: () => end(node, wire, 'closed'),
  }
}

/** Does it now, after all that waits; or later, while the node hangs. */
function work(node: PubsubNode, wire: Wire, one: () => void): void {
  wire.waiting.push(one)
  while (!node.isHung && wire.waiting.length > 0) {
    const next = wire.waiting.shift()
    if (!wire.isOver && !node.isDead) next?.()
  }
}

function answer(
  node: PubsubNode,
  wire: Wire,
  { id, method, params }: { id: number; method: string; params: Json[] },
  nextId: () => number,
): void {
  const refusal = node.refuses(method)
  if (refusal === 'silence') return
  const said =
    refusal === null
      ? `"result":${take(wire, method, params, nextId)}`
      : `"error":${JSON.stringify(refusal)}`
  wire.listener.received(`{"jsonrpc":"2.0","id":${id},${said}}`)
}

function take({ subscribed }: Wire, method: string, params: Json[], nextId: () => number) {
  if (method.endsWith('Unsubscribe')) return subscribed.delete(params[0])
  const id = nextId()
  subscribed.set(id, { method, params, commitment: params[1]?.commitment ?? 'processed' })
  return id
}

function end(node: PubsubNode, wire: Wire, reason: 'lost' | 'unreachable' | 'closed'): void {
  node.wires.delete(wire)
  if (wire.isOver) return
  wire.isOver = true
  queueMicrotask(() => wire.listener.closed(reason))
}

/** Tells everything that a node tells when it has come to a block. */
function tell(wire: Wire, blocks: readonly Block[], at: number): void {
  for (const [id, one] of [...wire.subscribed]) {
    const kind = one.method.replace('Subscribe', '')
    for (const result of resultsOf(one, kind, blocks, at)) {
      const params = `{"result":${result},"subscription":${id}}`
      wire.listener.received(`{"jsonrpc":"2.0","method":"${kind}Notification","params":${params}}`)
      if (kind === 'signature') wire.subscribed.delete(id)
    }
  }
}

function resultsOf(one: Subscribed, kind: string, blocks: readonly Block[], at: number): string[] {
  const rootAt = at - DEPTHS.finalized
  const tip = blocks[at] as Block
  const root = blocks[Math.max(0, rootAt)]?.slot
  if (kind === 'slot')
    return [`{"slot":${tip.slot},"parent":${blocks[at - 1]?.slot},"root":${root}}`]
  if (kind === 'root') return rootAt < 1 ? [] : [`${root}`]
  const blockAt = at - DEPTHS[one.commitment]
  const block = blocks[blockAt]
  if (block === undefined) return []
  const [subject] = one.params
  if (kind === 'account') {
    return block.changed.has(subject) ? [inSlot(block, notifiedText(block, subject))] : []
  }
  if (kind === 'signature') {
    const isThere = blocks.slice(0, blockAt + 1).some(({ landed }) => landed.includes(subject))
    return isThere ? [inSlot(block, '{"err":null}')] : []
  }
  if (kind === 'logs') {
    return block.landed.map((signature) =>
      inSlot(block, `{"signature":"${signature}","err":null,"logs":[]}`),
    )
  }
  // Nobody tells of an account that was closed.
  const changed = [...block.changed].filter((pubkey) => block.accounts.get(pubkey))
  return changed.map((pubkey) =>
    inSlot(block, `{"pubkey":"${pubkey}","account":${notifiedText(block, pubkey)}}`),
  )
}

function inSlot({ slot }: Block, valueText: string): string {
  return `{"context":{"slot":${slot}},"value":${valueText}}`
}

function answerOf(text: string) {
  return {
    status: 200,
    header: () => null,
    length: text.length,
    whole: null,
    text: async () => text,
    stream: () => new Response(text).body ?? new ReadableStream(),
  }
}
