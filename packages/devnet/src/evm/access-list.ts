/** A step of a call, as go-ethereum's own tracer tells it. */
export type TracedStep = { op: string; depth: number; stack?: readonly string[] }

export type AccessList = { address: string; storageKeys: string[] }[]

/** The last of the precompiled contracts that are counted through, and the one beside them. */
const PRECOMPILE_MAX = 0x11n
const P256_PRECOMPILE = 0x100n

const ADDRESS_MASK = (1n << 160n) - 1n

const READS_SLOT = new Set(['SLOAD', 'SSTORE'])
const READS_ADDRESS = new Set([
  'BALANCE',
  'EXTCODECOPY',
  'EXTCODEHASH',
  'EXTCODESIZE',
  'SELFDESTRUCT',
])
const CALLS = new Set(['CALL', 'STATICCALL'])
/** Code of another contract that runs in the caller's place. */
const BORROWS = new Set(['CALLCODE', 'DELEGATECALL'])
const CREATES = new Set(['CREATE', 'CREATE2'])

/**
 * All addresses and storage slots that a call touched, but for addresses that are known to it
 * anyway: its own two and the precompiled contracts. Slots of its own contract are listed.
 */
export function accessListOf(steps: readonly TracedStep[], from: string, to: string): AccessList {
  const touched = new Map<string, Set<string>>()
  const known = new Set([addressOf(BigInt(from)), addressOf(BigInt(to))])
  /** The contracts whose storage is read at each depth, the outermost first. */
  const places: string[] = [addressOf(BigInt(to))]

  const touch = (word: bigint) => {
    const isPrecompile = word !== 0n && (word <= PRECOMPILE_MAX || word === P256_PRECOMPILE)
    const address = addressOf(word)
    if (!isPrecompile && !known.has(address) && !touched.has(address)) {
      touched.set(address, new Set())
    }
  }

  for (const [at, { op, depth, stack = [] }] of steps.entries()) {
    places.length = Math.min(places.length, depth)
    const here = places[depth - 1] ?? ''
    const top = BigInt(stack.at(-1) ?? 0)
    if (READS_SLOT.has(op)) {
      const slots = touched.get(here) ?? new Set()
      touched.set(here, slots.add(`0x${top.toString(16).padStart(64, '0')}`))
    }
    if (READS_ADDRESS.has(op)) touch(top & ADDRESS_MASK)
    const callee = BigInt(stack.at(-2) ?? 0) & ADDRESS_MASK
    if (CALLS.has(op) || BORROWS.has(op)) touch(callee)
    if (CALLS.has(op)) places[depth] = addressOf(callee)
    if (BORROWS.has(op)) places[depth] = here
    if (CREATES.has(op)) places[depth] = addressOf(createdAt(steps, at))
  }
  return [...touched].map(([address, slots]) => ({ address, storageKeys: [...slots] }))
}

/** A creation leaves its address on the stack of its maker once it is done. */
function createdAt(steps: readonly TracedStep[], at: number): bigint {
  const depth = steps[at]?.depth ?? 0
  const after = steps.slice(at + 1).find((step) => step.depth <= depth)
  return BigInt(after?.stack?.at(-1) ?? 0) & ADDRESS_MASK
}

function addressOf(word: bigint): string {
  return `0x${(word & ADDRESS_MASK).toString(16).padStart(40, '0')}`
}
