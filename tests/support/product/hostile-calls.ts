import { rpc } from './headgate.ts'

/** One kind of call that is meant to make a node look bad; `at` tells its calls apart. */
export type HostileKind = {
  title: string
  /** The status that we answer it with. */
  status: number
  /** Megabytes are read and written for it, so few are sent at once. */
  isLarge: boolean
  bodyOf(at: number): string
}

const TO = `0x${'aa'.repeat(20)}`
const LETTERS = 'a'.repeat(1_000_000)
const LONG_NAME = `eth_get${'a'.repeat(280_000)}`

/** PUSH3 200000, PUSH1 0, REVERT: as many zeros, which are twice as many characters. */
const REVERTS_200_KB = '0x62030d406000fd'

/** Answers that callers have made nodes give, or might, without owning more than a key. */
export const HOSTILE_KINDS: readonly HostileKind[] = [
  echoed('of a rate limit', 'rate limit exceeded: too many requests, quota used up'),
  echoed('of credentials', 'unauthorized: invalid project id, forbidden'),
  echoed('of an outage', 'internal error: server overloaded, request timed out'),
  {
    title: 'words of a rate limit in the name of a method',
    isLarge: false,
    status: 200,
    bodyOf: (at) => JSON.stringify(rpc(`eth_rate limit ${at}`, [], at)),
  },
  {
    title: 'a name of 280 KB',
    isLarge: true,
    status: 400,
    bodyOf: (at) => `{"jsonrpc":"2.0","id":${at},"method":"${LONG_NAME}","params":[]}`,
  },
  {
    title: 'a revert whose reason speaks of a rate limit',
    isLarge: false,
    status: 200,
    bodyOf: (at) => callOf(at, revertsWith('rate limit exceeded, unauthorized')),
  },
  {
    title: 'a revert with 200 KB',
    isLarge: true,
    status: 200,
    bodyOf: (at) => callOf(at, REVERTS_200_KB),
  },
  {
    title: 'a param of 1 MB that is echoed',
    isLarge: true,
    status: 200,
    bodyOf: (at) => JSON.stringify(rpc('eth_chainId', [`${at} ${LETTERS}`], at)),
  },
  {
    title: 'a batch of the like',
    isLarge: false,
    status: 200,
    bodyOf: (at) =>
      JSON.stringify([
        rpc('eth_getBalance', [`rate limit ${at}`, 'latest'], 1),
        rpc('eth_getLogs', [{ address: ['forbidden', `quota ${at}`] }], 2),
        JSON.parse(callOf(at, revertsWith('monthly credits'))),
      ]),
  },
]

function echoed(what: string, words: string): HostileKind {
  return {
    title: `params with the words ${what}`,
    isLarge: false,
    status: 200,
    bodyOf: (at) => JSON.stringify(rpc('eth_getBalance', [`${words} ${at}`, 'latest'], at)),
  }
}

/** A call of an account that has this code for as long as the call takes. */
function callOf(at: number, code: string): string {
  const data = `0x${at.toString(16).padStart(8, '0')}`
  return JSON.stringify(rpc('eth_call', [{ to: TO, data }, 'latest', { [TO]: { code } }], at))
}

/** Code that reverts with `Error(string)`. */
function revertsWith(reason: string): string {
  const text = Buffer.from(reason).toString('hex')
  const padded = text.padEnd(Math.ceil(text.length / 64) * 64, '0')
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const data = `08c379a0${word(32)}${word(reason.length)}${padded}`
  const size = (data.length / 2).toString(16).padStart(2, '0')
  // CODECOPY(0, 12, size), REVERT(0, size); what follows is the data.
  return `0x60${size}600c60003960${size}6000fd${data}`
}
