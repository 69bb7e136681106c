import { describe, expect, test } from 'bun:test'
import {
  classifyError,
  type ErrorClass,
  saysAlreadyKnown,
  saysNonceTooLow,
} from './error-classes.ts'

type Row = [who: string, code: number, message: string, verdict: ErrorClass]

describe('an error of an EVM node in answer to a call of our own', () => {
  const theCallers: Row[] = [
    ['geth', 3, 'execution reverted: rate limit exceeded', 'caller'],
    ['geth', -32000, 'execution reverted', 'caller'],
    ['geth', -32000, 'execution reverted: header not found', 'caller'],
    ['geth', -32000, 'out of gas', 'caller'],
    ['geth', -32000, 'invalid opcode: INVALID', 'caller'],
    ['geth', -32000, 'nonce too low: next nonce 7, tx nonce 5', 'caller'],
    ['geth', -32000, 'nonce too high', 'caller'],
    ['geth', -32000, 'already known', 'caller'],
    ['geth', -32000, 'replacement transaction underpriced', 'caller'],
    ['geth', -32000, 'insufficient funds for gas * price + value: balance 0', 'caller'],
    ['geth', -32000, 'intrinsic gas too low: gas 20000, minimum needed 21000', 'caller'],
    ['geth', -32000, 'exceeds block gas limit', 'caller'],
    ['geth', -32000, 'invalid sender', 'caller'],
    ['geth', -32000, 'gas required exceeds allowance (30000000)', 'caller'],
    ['geth', -32000, 'max fee per gas less than block base fee', 'caller'],
    ['geth', -32602, 'invalid argument 0: hex string without 0x prefix', 'caller'],
    ['geth', -32602, 'missing value for required argument 0', 'caller'],
    ['geth', -32000, 'filter not found', 'caller'],
    ['besu', -32001, 'Nonce too low', 'caller'],
    ['besu', -32000, 'Known transaction', 'caller'],
    ['nethermind', -32010, 'AlreadyKnown', 'caller'],
    ['nethermind', -32010, 'OldNonce, Current nonce: 9, nonce of rejected tx: 5', 'caller'],
    ['nethermind', -32015, 'VM execution error.', 'caller'],
    ['ganache', -32000, 'VM Exception while processing transaction: revert forbidden', 'caller'],
    ['hardhat', 3, "Error: VM Exception: reverted with reason string 'quota'", 'caller'],
  ]
  const anothersCure: Row[] = [
    ['geth behind', -32000, 'header not found', 'elsewhere'],
    ['geth by hash', -32000, 'header for hash not found', 'elsewhere'],
    ['geth', -32000, 'unknown block', 'elsewhere'],
    [
      'geth pruned',
      -32000,
      'missing trie node 4b3f (path ) state 0x4b3f is not available',
      'elsewhere',
    ],
    ['geth pruned', -32000, 'required historical state unavailable (reexec=128)', 'elsewhere'],
    ['geth path', -32000, 'historical state not available in path scheme yet', 'elsewhere'],
    ['geth', 4444, 'pruned history unavailable', 'elsewhere'],
    ['geth', -32000, 'transaction indexing is in progress', 'elsewhere'],
    ['geth', -32000, 'txpool is full', 'elsewhere'],
    ['geth', -32003, 'response too large', 'elsewhere'],
    ['erigon', -32000, 'old data not available due to pruning', 'elsewhere'],
    ['erigon', -32000, 'block not found: 19000000', 'elsewhere'],
    [
      'erigon',
      -32000,
      'query block range exceeds server limit, narrow your filter: 1000',
      'elsewhere',
    ],
    ['reth', -32001, 'block not found: hash 0xab', 'elsewhere'],
    ['reth', -32602, 'query exceeds max block range 100000', 'elsewhere'],
    ['besu', -32000, 'World state unavailable', 'elsewhere'],
    ['besu', -32000, 'Block not found', 'elsewhere'],
    ['nethermind', -32002, 'No state available for block 0xab', 'elsewhere'],
    ['nethermind', -32001, 'ab could not be found', 'elsewhere'],
    ['infura', -32005, 'query returned more than 10000 results', 'elsewhere'],
    ['infura', -32602, 'range 1000000 exceeds limit of 10000', 'elsewhere'],
    ['infura', -32002, 'project ID does not have access to archive state', 'elsewhere'],
    [
      'alchemy',
      -32602,
      'Log response size exceeded. this block range should work: [0x1, 0x2]',
      'elsewhere',
    ],
    ['quicknode', -32614, 'eth_getLogs is limited to a 10,000 range', 'elsewhere'],
    [
      'chainstack',
      -32000,
      'Archive, Debug and Trace requests are not available on your plan',
      'elsewhere',
    ],
    ['a node that syncs', -32000, 'node is still syncing', 'elsewhere'],
    ['eip-1474', -32001, 'Resource not found', 'elsewhere'],
  ]
  const missingMethods: Row[] = [
    ['geth', -32601, 'the method debug_traceCall does not exist/is not available', 'unsupported'],
    ['besu', -32601, 'Method not found', 'unsupported'],
    ['besu', -32604, 'Method not enabled', 'unsupported'],
    ['hardhat', -32004, 'Method eth_getBlockReceipts is not supported', 'unsupported'],
    ['ganache', -32700, 'The method trace_block does not exist/is not available', 'unsupported'],
    ['proxyd', -32001, 'rpc method is not whitelisted', 'unsupported'],
    ['alchemy', -32600, 'trace_block is not available on the Free tier - upgrade', 'unsupported'],
    ['alchemy', -32600, 'Unsupported method: erigon_forks on ETH_MAINNET', 'unsupported'],
  ]
  const limitsOfOurs: Row[] = [
    ['alchemy', 429, 'Your app has exceeded its compute units per second capacity.', 'throttled'],
    ['alchemy', -32600, 'Monthly capacity limit exceeded.', 'throttled'],
    ['infura', -32005, 'daily request count exceeded, request rate limited', 'throttled'],
    ['infura', 402, 'daily credits used up', 'throttled'],
    ['quicknode', -32007, '50/second request limit reached', 'throttled'],
    ['quicknode', -32003, 'daily request limit reached - upgrade your account', 'throttled'],
    ['proxyd', -32016, 'over rate limit', 'throttled'],
    ['eip-1474', -32005, 'limit exceeded', 'throttled'],
    ['some', -32029, 'Too Many Requests', 'throttled'],
    ['some', -32000, 'rate-limited', 'throttled'],
    ['some', -32000, 'You have exceeded your quota', 'throttled'],
  ]
  const credentials: Row[] = [
    ['alchemy', -32600, 'Must be authenticated!', 'refused'],
    ['infura', -32000, 'invalid project id', 'refused'],
    ['some', -32000, 'Unauthorized', 'refused'],
    ['some', -32052, 'API key is not allowed to access blockchain', 'refused'],
    ['some', -32000, 'App is inactive', 'refused'],
    ['some', -32000, 'Invalid API key', 'refused'],
  ]
  const inside: Row[] = [
    ['geth', -32603, 'internal error', 'internal'],
    ['geth', -32002, 'request timed out', 'internal'],
    ['geth', -32000, 'execution aborted (timeout = 5s)', 'internal'],
    ['erigon', -32000, 'context deadline exceeded', 'internal'],
    ['erigon', -32000, 'method handler crashed', 'internal'],
    ['proxyd', -32011, 'no backends available for method', 'internal'],
    ['proxyd', -32011, 'no backend is currently healthy to serve traffic', 'internal'],
    ['some', -32000, 'Service temporarily unavailable', 'internal'],
    ['some', -32000, 'server is overloaded, try again later', 'internal'],
  ]

  test.each([
    ...theCallers,
    ...anothersCure,
    ...missingMethods,
    ...limitsOfOurs,
    ...credentials,
    ...inside,
  ])('%s %d %s: %s', (_who, code, message, verdict) => {
    expect(classifyError('evm', code, message)).toBe(verdict)
  })

  test("is the caller's when nobody knows it", () => {
    expect(classifyError('evm', -32000, 'something new')).toBe('caller')
    expect(classifyError('evm', 12345, '')).toBe('caller')
  })
})

describe("an error of a Solana node, by the node's own codes", () => {
  test.each([
    [-32001, 'Block 5 cleaned up, does not exist on node', 'elsewhere'],
    [-32002, 'Transaction simulation failed: Blockhash not found', 'caller'],
    [-32003, 'Transaction signature verification failure', 'caller'],
    [-32004, 'Block not available for slot 5', 'elsewhere'],
    [-32005, 'Node is behind by 42 slots', 'elsewhere'],
    [-32006, 'Transaction precompile verification failure', 'caller'],
    [-32007, 'Slot 5 was skipped, or missing due to ledger jump', 'elsewhere'],
    [-32008, 'No snapshot', 'elsewhere'],
    [-32009, 'Slot 5 was skipped, or missing in long-term storage', 'elsewhere'],
    [-32010, 'excluded from account secondary indexes', 'elsewhere'],
    [-32011, 'Transaction history is not available from this node', 'elsewhere'],
    [-32012, 'scan aborted', 'elsewhere'],
    [-32013, 'Transaction signature length mismatch', 'caller'],
    [-32014, 'Block status not yet available for slot 5', 'elsewhere'],
    [-32015, 'Transaction version (0) is not supported', 'caller'],
    [-32016, 'Minimum context slot has not been reached', 'elsewhere'],
    [-32017, 'Epoch rewards period still active at slot 5', 'caller'],
    [-32018, 'Rewards cannot be found: slot is no epoch boundary', 'caller'],
    [-32019, 'Failed to query long-term storage; please try again', 'elsewhere'],
    [-32021, 'No slot history', 'elsewhere'],
    [-32601, 'Method not found', 'unsupported'],
    [-32602, 'Invalid param: WrongSize', 'caller'],
    [-32603, 'Internal error', 'internal'],
    [429, 'Too many requests for a specific RPC call', 'throttled'],
    [-32429, 'max usage reached', 'throttled'],
    [-32000, 'rate limited', 'throttled'],
    [-32005, 'Too many requests', 'throttled'],
    [-32007, '15/second request limit reached', 'throttled'],
    [429, 'You have reached your airdrop limit today', 'elsewhere'],
    [-32603, 'Internal error: the airdrop faucet has run dry', 'internal'],
    [-32603, 'rate limit exceeded', 'internal'],
    [-32000, 'request timed out', 'unclear'],
    [-32002, 'Transaction simulation failed: request timed out', 'caller'],
    [-32602, 'Invalid params: unknown variant `rate limit`, expected one of `binary`', 'caller'],
    [-32602, 'Invalid params: unknown variant `faucet`, expected one of `binary`', 'caller'],
    [-32003, 'Transaction signature verification failure: credits', 'caller'],
    [-32020, 'Transaction 5 not found', 'elsewhere'],
    [-32700, 'Parse error', 'caller'],
    [401, 'invalid api key provided', 'refused'],
    [403, 'Access forbidden', 'refused'],
    [410, 'RPC call or parameters have been disabled.', 'elsewhere'],
    [-32600, 'something new', 'caller'],
  ] as const)('%d %s: %s', (code, message, verdict) => {
    expect(classifyError('solana', code, message)).toBe(verdict)
  })
})

describe('a transaction that a node has already', () => {
  test.each([
    ['already known', true],
    ['AlreadyKnown', true],
    ['ALREADY_EXISTS: already known', true],
    ['Known transaction', true],
    ['Transaction with the same hash was already imported.', true],
    ['already in mempool', true],
    ['nonce too low', false],
    ['unknown transaction type', false],
    ['replacement transaction underpriced', false],
  ])('%s: %p', (message, known) => {
    expect(saysAlreadyKnown(message)).toBe(known)
  })

  test.each([
    ['nonce too low: next nonce 7, tx nonce 5', true],
    ['Nonce too low', true],
    ['OldNonce, Current nonce: 9, nonce of rejected tx: 5', true],
    ['nonce has already been used', true],
    ['nonce too high', false],
    ['NonceGap, Future nonce. Expected nonce: 62', false],
  ])('or whose nonce is used up. %s: %p', (message, low) => {
    expect(saysNonceTooLow(message)).toBe(low)
  })
})
