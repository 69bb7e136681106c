import type { Chance } from '../basics/seeded-chance.ts'
import { bigQuantity, hex, type NodeJson, spelled } from './node-json.ts'

const KINDS = ['CALL', 'CALL', 'STATICCALL', 'DELEGATECALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']

/** Words that a careless writer of JSON or counter of bytes trips over. */
const REASONS = ['too "low"', 'back\\slash', 'línea\n2', '資金不足', 'moon 🚀', 'half \ud83d', '']

/** The callTracer's frames of one transaction, the calls below one another. */
export function makeCallTree(
  chance: Chance,
  transaction: NodeJson,
  receipt: NodeJson,
  addresses: readonly string[],
  framesMax: number,
): NodeJson {
  const creates = transaction.to === null
  const to = creates ? receipt.contractAddress : transaction.to
  const root = makeFrame(chance, creates ? 'CREATE' : 'CALL', transaction.from, to)
  if (receipt.status === '0x0') fail(chance, root)
  // A creation that failed has no address to call from.
  const frames = root.to === undefined ? [] : [root]
  for (let more = chance.between(0, framesMax - 1); more > 0 && frames.length > 0; more--) {
    const parent = chance.pick(frames)
    const frame = makeFrame(chance, chance.pick(KINDS), parent.to, chance.pick(addresses))
    if (chance.fraction() < 0.15) fail(chance, frame)
    parent.calls = [...(parent.calls ?? []), frame]
    if (frame.to !== undefined) frames.push(frame)
  }
  return root
}

function makeFrame(chance: Chance, type: string, from: string, to: string): NodeJson {
  const output = chance.pick([undefined, '0x', hex(chance, 32)])
  const valueless = type === 'STATICCALL' && chance.fraction() < 0.8
  return {
    // Not every node writes it in capitals.
    type: chance.fraction() < 0.1 ? type.toLowerCase() : type,
    from: spelled(chance, from.toLowerCase()),
    to: spelled(chance, to.toLowerCase()),
    ...(valueless ? {} : { value: chance.pick(['0x0', bigQuantity(chance)]) }),
    gas: bigQuantity(chance),
    gasUsed: bigQuantity(chance),
    input: chance.pick(['0x', hex(chance, 4), hex(chance, 68)]),
    ...(output === undefined ? {} : { output }),
  }
}

function fail(chance: Chance, frame: NodeJson): void {
  frame.error = chance.pick(['execution reverted', 'out of gas', 'invalid opcode: INVALID'])
  if (chance.fraction() < 0.6) frame.revertReason = chance.pick(REASONS)
  if (frame.type.toUpperCase().startsWith('CREATE') && chance.fraction() < 0.7) delete frame.to
}
