import { parseJson } from '../core/json/json-value.ts'

/** An amount that was taken of one limit; less than nothing was given back. */
export type Taken = {
  /** Hundredths of a CU, as they count against the rate. */
  throughputCentiCu: number
  /** Hundredths of a CU, as they count against the month. */
  billedCentiCu: number
  /** The rate of the limit, for those who have not met its owner yet; null where there is none. */
  cuPerSecond: number | null
}

export type TakenByKey = Map<string, Taken>

/** PostgreSQL carries 8,000 bytes at once; the rest is for the name of the sender. */
const FRAME_BYTES_MAX = 6800

/** Far longer than the id of a team or the address of a client. */
const KEY_CHARS_MAX = 128

/** A frame of this form; another form has another word, so that neither is taken for the other. */
const FORM = 'limits1'

export function addTaken(
  all: TakenByKey,
  key: string,
  throughputCentiCu: number,
  billedCentiCu: number,
  cuPerSecond: number | null,
): Taken {
  const known = all.get(key)
  if (!known) {
    const fresh = { throughputCentiCu, billedCentiCu, cuPerSecond }
    all.set(key, fresh)
    return fresh
  }
  known.throughputCentiCu += throughputCentiCu
  known.billedCentiCu += billedCentiCu
  known.cuPerSecond = cuPerSecond
  return known
}

/** The texts that tell of these amounts, each short enough for every carrier. */
export function writeTaken(all: TakenByKey): string[] {
  const frames: string[] = []
  let entries: string[] = []
  let bytes = 0
  const end = () => {
    if (entries.length > 0) frames.push(`["${FORM}",${entries.join(',')}]`)
    entries = []
    bytes = 0
  }
  for (const [key, { throughputCentiCu, billedCentiCu, cuPerSecond }] of all) {
    if (key.length > KEY_CHARS_MAX || (throughputCentiCu === 0 && billedCentiCu === 0)) continue
    const entry = JSON.stringify([key, throughputCentiCu, billedCentiCu, cuPerSecond])
    const length = Buffer.byteLength(entry) + 1
    if (bytes + length > FRAME_BYTES_MAX) end()
    entries.push(entry)
    bytes += length
  }
  end()
  return frames
}

/** The amounts that a frame tells of; null where it is none, or one of another version. */
export function readTaken(frame: string): TakenByKey | null {
  if (frame.length > FRAME_BYTES_MAX * 2) return null
  const list = parseJson(frame)
  if (!Array.isArray(list) || list[0] !== FORM) return null
  const all: TakenByKey = new Map()
  for (const entry of list.slice(1)) {
    if (!isEntry(entry)) return null
    addTaken(all, ...entry)
  }
  return all
}

type Entry = [key: string, throughput: number, billed: number, cuPerSecond: number | null]

function isEntry(entry: unknown): entry is Entry {
  if (!Array.isArray(entry) || entry.length !== 4) return false
  const [key, throughput, billed, rate] = entry
  if (typeof key !== 'string' || key === '' || key.length > KEY_CHARS_MAX) return false
  if (!Number.isSafeInteger(throughput) || !Number.isSafeInteger(billed)) return false
  return rate === null || (Number.isSafeInteger(rate) && rate > 0)
}
