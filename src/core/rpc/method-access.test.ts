import { describe, expect, test } from 'bun:test'
import { methodAccess } from './method-access.ts'

const NO_RULES = { allow: [], deny: [] }

describe('without rules of the operator', () => {
  test.each([
    'admin_addPeer',
    'personal_unlockAccount',
    'miner_start',
    'engine_forkchoiceUpdatedV3',
    'debug_setHead',
    'debug_startCPUProfile',
    'debug_stopGoTrace',
    'debug_writeMemProfile',
    'clique_propose',
    'les_addBalance',
    'headgate_mine',
    'headgate_setAccounts',
    'ADMIN_addPeer',
    'Debug_SetHead',
    'admin_',
  ])('%s, which controls a node, is for nobody', (name) => {
    expect(methodAccess(name, NO_RULES, false)).toBe('none')
    expect(methodAccess(name, NO_RULES, true)).toBe('none')
  })

  test.each(['evm_mine', 'hardhat_setBalance', 'anvil_impersonateAccount', 'EVM_mine'])(
    '%s is for keys of one’s own in local development, and else for nobody',
    (name) => {
      expect(methodAccess(name, NO_RULES, false)).toBe('none')
      expect(methodAccess(name, NO_RULES, true)).toBe('own_keys')
    },
  )

  test.each([
    'eth_call',
    'debug_traceCall',
    'debug_getRawBlock',
    'trace_block',
    'getSlot',
    'administrate',
    'admin',
    '*',
    '',
  ])('%p is for everybody', (name) => {
    expect(methodAccess(name, NO_RULES, false)).toBe('all')
  })
})

describe('rules of the operator', () => {
  test.each<[what: string, name: string, allow: string[], deny: string[], access: string]>([
    ['may allow what is built in as refused', 'admin_peers', ['admin_*'], [], 'all'],
    ['may allow one of them', 'admin_peers', ['admin_peers'], [], 'all'],
    ['leave its neighbours refused', 'admin_addPeer', ['admin_peers'], [], 'none'],
    ['are weaker than a longer built-in prefix', 'debug_setHead', ['debug_*'], [], 'none'],
    ['are weaker than any built-in one when they are `*`', 'admin_peers', ['*'], [], 'none'],
    ['may refuse what else is served', 'eth_accounts', [], ['eth_accounts'], 'none'],
    ['may refuse a whole family', 'trace_block', [], ['trace_*'], 'none'],
    ['may refuse a family but for one', 'trace_block', ['trace_block'], ['trace_*'], 'all'],
    ['go by the longer prefix', 'debug_traceCall', ['debug_trace*'], ['debug_*'], 'all'],
    ['go by the longer prefix, either way', 'debug_traceCall', ['debug_*'], ['debug_t*'], 'none'],
    ['refuse what is both', 'eth_call', ['eth_call'], ['eth_call'], 'none'],
    ['may refuse everything but a list', 'eth_call', ['eth_call'], ['*'], 'all'],
    ['and then all others', 'eth_gasPrice', ['eth_call'], ['*'], 'none'],
    ['are not passed by in capitals', 'TRACE_block', [], ['trace_*'], 'none'],
    ['allow only what is spelled like them', 'ETH_call', ['eth_call'], ['*'], 'none'],
    ['know a name from the prefix of another', 'eth_callMany', ['eth_call'], ['*'], 'none'],
  ])('%s', (_what, name, allow, deny, access) => {
    expect(methodAccess(name, { allow, deny }, false)).toBe(access as 'all')
  })
})
