import { rawElements, rawMembers } from '../../../core/json/json-scan.ts'
import type { Subscriber } from '../../../core/rpc/subscription-source.ts'
import { upstreamParams } from '../../../core/solana/request/query-hash.ts'
import type { ProgramTopic } from '../../../core/solana/subscriptions/read-topic.ts'
import { readSlotValue } from '../../../core/solana/subscriptions/subscription-message.ts'
import { digestOf } from './account-feed.ts'
import {
  believable,
  type Feed,
  type FeedSource,
  inSlot,
  isPlausible,
  LOST_WHILE_RECONNECTING,
} from './feed.ts'
import { readAnew } from './read-anew.ts'

type Shown = { slot: number; digest: string }

type State = FeedSource & {
  out: Subscriber
  topic: ProgramTopic
  /** How accounts were when they were last told, by public key. */
  shown: Map<string, Shown>
  /** The slot of the last scan; everything up to it was told. */
  scannedAt: number
  isWhole: boolean
  /** Counts what makes a read under way useless. */
  epoch: number
}

/** The most accounts that are told again after a loss; more are better read by their readers. */
const RECORDS_MAX = 1_000
const SCAN_BYTES_MAX = 8 * 1024 * 1024

/** Accounts whose last notification is remembered; others are told again after a loss. */
const SHOWN_MAX = 10_000

/**
 * The accounts of a program that match filters. After a loss a scan tells which have changed; a
 * program without filters may have millions of accounts, and is lost.
 */
export function openProgramFeed(source: FeedSource, out: Subscriber, topic: ProgramTopic): Feed {
  const state: State = {
    ...source,
    out,
    topic,
    shown: new Map(),
    scannedAt: -1,
    isWhole: true,
    epoch: 0,
  }
  return {
    heard(resultText) {
      const said = readSlotValue(resultText)
      if (said === null || !isPlausible(state.service, said.slot)) return false
      const record = readRecord(said.valueText)
      if (record === null) return false
      const before = state.shown.get(record.pubkey)
      const digest = digestOf(record.accountText)
      const isOld = said.slot < Math.max(before?.slot ?? -1, state.scannedAt)
      const isRepeated = said.slot === before?.slot && digest === before.digest
      if (!isOld && !isRepeated) show(state, record.pubkey, { slot: said.slot, digest }, resultText)
      return true
    },
    interrupted() {
      state.isWhole = false
      state.epoch++
      state.scannedAt = believable(state.service, state.scannedAt)
      if (topic.call.filters.length === 0) state.out.lost(LOST_WHILE_RECONNECTING)
    },
    resumed: (slot) => scan(state, slot),
  }
}

function show(state: State, pubkey: string, shown: Shown, resultText: string): void {
  // The ones told longest ago stand first.
  state.shown.delete(pubkey)
  state.shown.set(pubkey, shown)
  const [oldest] = state.shown.keys()
  if (state.shown.size > SHOWN_MAX && oldest !== undefined) state.shown.delete(oldest)
  state.out.notify(resultText)
}

function scan(state: State, slotMin: number): void {
  const { epoch, topic } = state
  const minContextSlot = BigInt(Math.max(0, slotMin, state.scannedAt))
  void readAnew(state, {
    method: 'getProgramAccounts',
    paramsText: () => upstreamParams(topic.call, { minContextSlot }),
    bytesMax: SCAN_BYTES_MAX,
    isWanted: () => !state.isWhole && state.epoch === epoch,
    take: (text) => takeScan(state, text, Number(minContextSlot)),
  })
}

function takeScan(state: State, text: string, slotMin: number): boolean {
  const read = readSlotValue(text)
  if (!read?.valueText.startsWith('[') || read.slot < slotMin) return false
  if (!isPlausible(state.service, read.slot)) return false
  const { slot } = read
  const texts = rawElements(read.valueText)
  const records = texts.map(readRecord)
  if (records.includes(null)) return false
  state.isWhole = true
  if (records.length > RECORDS_MAX) {
    state.out.lost(LOST_WHILE_RECONNECTING)
    return true
  }
  for (const [at, record] of records.entries()) {
    if (record === null) continue
    const before = state.shown.get(record.pubkey)
    const digest = digestOf(record.accountText)
    if (before !== undefined && (before.slot > slot || before.digest === digest)) continue
    show(state, record.pubkey, { slot, digest }, inSlot(slot, texts[at] ?? ''))
  }
  state.scannedAt = slot
  return true
}

function readRecord(text: string): { pubkey: string; accountText: string } | null {
  if (!text.startsWith('{')) return null
  const members = rawMembers(text)
  const pubkey = members.get('pubkey')
  const accountText = members.get('account')
  if (!pubkey?.startsWith('"') || !accountText?.startsWith('{')) return null
  return { pubkey, accountText }
}
