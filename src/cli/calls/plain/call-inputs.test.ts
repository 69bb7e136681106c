import { describe, expect, test } from 'bun:test'
import { CONTRACT } from '../../../http/contract/contract.ts'
import type { Operation } from '../../../http/contract/operation.ts'
import { callInputs, exampleLine, type InputWords, requestOf } from './call-inputs.ts'

const FLAGS = { transactions_per_block: '--traffic <count>' }

function inputsOf(operation: Operation, words: InputWords = {}) {
  return callInputs(operation, words)
}

function flagsOf(operation: Operation, words?: InputWords): string[] {
  return inputsOf(operation, words).options.map(({ option }) => option.flags)
}

/** The value that an option or an argument reads from a text. */
function read(operation: Operation, flag: string, text: string, before?: unknown): unknown {
  const found = inputsOf(operation).options.find(({ option }) => option.long === flag)
  return found?.option.parseArg?.(text, before as never)
}

describe('options', () => {
  test('are made of the members of the body, nested ones too', () => {
    expect(flagsOf(CONTRACT.changeApp)).toEqual([
      '--name <text>',
      '--description <text>',
      '--networks <list>',
      '--active <on-or-off>',
      '--allow-origins <list>',
      '--allow-ips <list>',
      '--allow-methods <list>',
      '--allow-contracts <list>',
    ])
    expect(flagsOf(CONTRACT.changeSolanaDevnet)).toEqual([
      '--slot-time <ms>',
      '--held <on-or-off>',
      '--changes-per-slot <number>',
    ])
    expect(flagsOf(CONTRACT.sendDevnetTransaction)[0]).toBe('--kind <kind>')
  })

  test('may have other flags, or none where the value is given in another way', () => {
    expect(flagsOf(CONTRACT.changeDevnet, { fixed: { is_held: true }, flags: FLAGS })).toEqual([
      '--block-time <ms>',
      '--traffic <count>',
    ])
    expect(flagsOf(CONTRACT.changeDevnet, { members: [] })).toEqual([])
    const argumentsOf = { name: 'name', behaviour: 'behaviour' }
    expect(flagsOf(CONTRACT.changeInbox, { arguments: argumentsOf })).toEqual([
      '--status <number>',
      '--delay <ms>',
    ])
  })

  test('are required where the body needs them, unless the command finds them out', () => {
    const required = (words?: InputWords) =>
      inputsOf(CONTRACT.createApp, words)
        .options.filter(({ option }) => option.mandatory)
        .map(({ option }) => option.long)
    expect(required()).toEqual(['--name', '--networks'])
    expect(required({ found: ['networks'] })).toEqual(['--name'])
  })

  test('have a help of one plain sentence, with the default', () => {
    const [kind, to] = inputsOf(CONTRACT.sendDevnetTransaction).options
    expect(kind?.option.description).toEndWith('as a token does (default: transfer)')
    expect(to?.option.description).toBe('without it, the second test account')
    for (const operation of Object.values<Operation>(CONTRACT)) {
      const texts = inputsOf(operation).options.map(({ option }) => option.description)
      for (const text of texts) expect(text).not.toMatch(/`|^[A-Z][a-z]|\.$/)
    }
  })

  test('refuse what the schema refuses, before anything is sent', () => {
    expect(read(CONTRACT.changeApp, '--active', 'off')).toBe(false)
    expect(() => read(CONTRACT.changeApp, '--active', 'yes')).toThrow('It takes on or off.')
    const limits = 'It takes a whole number from 0 to 60000.'
    expect(read(CONTRACT.changeInbox, '--delay', '60000')).toBe(60_000)
    for (const text of ['60001', '-1', '1.5', '1e3', ' 1', '', '0x10', '９']) {
      expect(() => read(CONTRACT.changeInbox, '--delay', text)).toThrow(limits)
    }
    expect(() => read(CONTRACT.sendDevnetTransaction, '--kind', 'gift')).toThrow('transfer, log')
  })

  test('collect lists, and empty one that may be empty with any', () => {
    const origins = read(CONTRACT.changeApp, '--allow-origins', 'https://a.example, ,b')
    expect(origins).toEqual(['https://a.example', 'b'])
    expect(read(CONTRACT.changeApp, '--allow-origins', 'c', origins)).toEqual([
      'https://a.example',
      'b',
      'c',
    ])
    expect(read(CONTRACT.changeApp, '--allow-origins', 'any')).toEqual([])
    expect(read(CONTRACT.changeApp, '--networks', 'any')).toEqual(['any'])
  })
})

describe('a request', () => {
  test('has what is given and nothing else', () => {
    const inputs = inputsOf(CONTRACT.changeApp, { arguments: { app: 'id' } })
    const given = { name: 'Shop', active: false, allowOrigins: [], json: true, team: 'x' }
    expect(requestOf(inputs, ['app_1'], given)).toEqual({
      parameters: { id: 'app_1' },
      body: { name: 'Shop', is_active: false, allow: { origins: [] } },
    })
    expect(requestOf(inputs, ['app_1'], {}).body).toEqual({})
  })

  test('takes arguments into the path or the body, and fixed members as they are', () => {
    const words = { name: 'name', behaviour: 'behaviour' }
    const answer = inputsOf(CONTRACT.changeInbox, { arguments: words })
    expect(requestOf(answer, ['demo', 'fail'], { status: 503 })).toEqual({
      parameters: { name: 'demo' },
      body: { behaviour: 'fail', status: 503 },
    })
    const pause = inputsOf(CONTRACT.updateWebhook, {
      arguments: { webhook: 'webhook_id' },
      members: [],
      fixed: { is_active: false },
    })
    const paused = { webhook_id: 'wh_1', is_active: false }
    expect(requestOf(pause, ['wh_1'], {})).toEqual({ parameters: {}, body: paused })
    expect(requestOf(inputsOf(CONTRACT.mineDevnetBlocks), [], {}).body).toEqual({})
  })

  test('leaves hostile values to the service as they are', () => {
    const hostile = '__proto__\u001b[2J"; rm -rf /'
    const { body } = requestOf(inputsOf(CONTRACT.createTeamToken), [], { name: hostile })
    expect(body).toEqual({ name: hostile })
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
  })
})

test('an example is a line that works when pasted', () => {
  const line = (name: string, operation: Operation, words?: InputWords) =>
    exampleLine(name, inputsOf(operation, words), operation)
  expect(line('app create', CONTRACT.createApp)).toBe(
    'app create --name "Wallet backend" --networks ETH_MAINNET',
  )
  expect(line('app change', CONTRACT.changeApp, { arguments: { app: 'id' } })).toBe(
    'app change app_4k2m9x7q1w8e5r3t --active off',
  )
  expect(line('x', CONTRACT.mineDevnetBlocks, { arguments: { blocks: 'blocks' } })).toBe('x 1')
})

test('an argument that the contract does not have is a mistake of ours', () => {
  expect(() => inputsOf(CONTRACT.getApp, { arguments: { app: 'app_id' } })).toThrow('broken')
})
