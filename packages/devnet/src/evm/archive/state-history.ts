import type { Database as Connection } from 'bun:sqlite'

export type StateKey = { address: string; part: 'balance' | 'nonce' | 'code' | { slot: string } }

/** `value` is hex; zero and nothing are the same. */
export type StateChange = StateKey & { value: string }

const PARTS = ['balance', 'nonce', 'code'] as const
const SLOT_PART = PARTS.length

const ADDRESS_BYTES = 20
const WORD_CHARS = 64

/** Every value of the state, with the blocks between which it held. */
export function openStateHistory(db: Connection) {
  const findKey = db.query<{ id: number }, [Uint8Array]>('SELECT id FROM state_keys WHERE name = ?')
  const addKey = db.query<{ id: number }, [Uint8Array]>(
    'INSERT INTO state_keys (name) VALUES (?) RETURNING id',
  )
  const valueAt = db.query<{ value: Uint8Array }, [Uint8Array, number]>(`
    SELECT value FROM state_values
    WHERE key = (SELECT id FROM state_keys WHERE name = ?) AND block <= ?
    ORDER BY block DESC LIMIT 1`)
  const setValue = db.query<unknown, [number, number, Uint8Array]>(
    'INSERT OR REPLACE INTO state_values (key, block, value) VALUES (?, ?, ?)',
  )
  const keysAt = db.query<{ name: Uint8Array }, [number]>(`
    SELECT name FROM state_values JOIN state_keys ON id = key WHERE block = ?`)
  const deleteAbove = db.query<unknown, [number]>('DELETE FROM state_values WHERE block > ?')
  const deleteBelow = db.query<unknown, [number, number]>(`
    DELETE FROM state_values WHERE block < ?1 AND EXISTS (
      SELECT 1 FROM state_values AS later
      WHERE later.key = state_values.key AND later.block > state_values.block
        AND later.block <= ?2)`)
  const idOf = (name: Uint8Array) => (findKey.get(name) ?? addKey.get(name))?.id ?? 0

  return {
    /** The value after that block, as hex without zeros in front; `0x` for none. */
    at: (key: StateKey, block: number) => hexOf(valueAt.get(nameOf(key), block)?.value),
    set(block: number, changes: Iterable<StateChange>) {
      for (const change of changes) {
        setValue.run(idOf(nameOf(change)), block, valueBytes(change))
      }
    },
    changedAt: (block: number): StateKey[] =>
      keysAt.all(block).map(({ name }) => keyOf(Buffer.from(name))),
    forgetAbove: (block: number) => void deleteAbove.run(block),
    /** Keeps what held at that block, and nothing of before it. */
    forgetBelow: (block: number) => void deleteBelow.run(block, block),
  }
}

function nameOf({ address, part }: StateKey): Uint8Array {
  const number = typeof part === 'object' ? SLOT_PART : PARTS.indexOf(part)
  const slot = typeof part === 'object' ? part.slot.slice(2).padStart(WORD_CHARS, '0') : ''
  return Buffer.from(`${address.slice(2)}0${number}${slot}`, 'hex')
}

function keyOf(name: Buffer): StateKey {
  const address = `0x${name.toString('hex', 0, ADDRESS_BYTES)}`
  const part = PARTS[name[ADDRESS_BYTES] ?? SLOT_PART]
  return { address, part: part ?? { slot: `0x${name.toString('hex', ADDRESS_BYTES + 1)}` } }
}

/** Numbers without the zeros in front; code as it is. */
function valueBytes({ part, value }: StateChange): Uint8Array {
  const digits = part === 'code' ? value.slice(2) : value.slice(2).replace(/^0+/, '')
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}

function hexOf(value: Uint8Array | undefined): string {
  return `0x${Buffer.from(value ?? []).toString('hex')}`
}
