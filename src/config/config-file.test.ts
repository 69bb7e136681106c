import { describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConfigFile, parseConfigFile, readConfigFile } from './config-file.ts'

function parsed(text: string): ConfigFile {
  const file = parseConfigFile(Buffer.from(text))
  if (Array.isArray(file)) throw new Error(JSON.stringify(file))
  return file
}

function refused(content: string | Uint8Array): string[] {
  const file = parseConfigFile(Buffer.from(content))
  if (!Array.isArray(file)) throw new Error('the file was accepted')
  return file.map(({ line, message }) => (line === undefined ? message : `${line}: ${message}`))
}

describe('a file is read with the line of every option', () => {
  const file = parsed(
    [
      '# a comment',
      'listen: 127.0.0.1:8080',
      'networks:',
      '  - id: A',
      '    upstreams:',
      '      - { name: n1, url: x }',
      '      - name: n2',
      '        url: y',
    ].join('\n'),
  )

  test.each<[path: (string | number)[], line: number]>([
    [['listen'], 2],
    [['networks'], 3],
    [['networks', 0], 4],
    [['networks', 0, 'id'], 4],
    [['networks', 0, 'upstreams', 0], 6],
    [['networks', 0, 'upstreams', 0, 'url'], 6],
    [['networks', 0, 'upstreams', 1], 7],
    [['networks', 0, 'upstreams', 1, 'url'], 8],
    [['networks', 0, 'chainId'], 4],
    [['nothing'], 1],
    [[], 1],
  ])('%j is on line %d', (path, line) => {
    expect(file.lineOf(path)).toBe(line)
  })

  test('an empty file and one of comments hold no options', () => {
    expect(parsed('').value).toEqual({})
    expect(parsed('# nothing\n').value).toEqual({})
  })

  test('a byte order mark and Windows line ends do no harm', () => {
    expect(parsed('\uFEFFa: 1\r\nb: x\r\n').value).toEqual({ a: 1, b: 'x' })
  })

  test('an alias stands for the value of its anchor', () => {
    expect(parsed('a: &h { x: 1 }\nb: *h').value).toEqual({ a: { x: 1 }, b: { x: 1 } })
  })
})

describe('what is refused, and with which words', () => {
  test.each([
    ['a tab as indentation', 'a:\n\tb: 1', '2: tabs cannot indent; use spaces'],
    ['a doubled option', 'a: 1\nb: 2\na: 3', '3: a is given twice'],
    ['a doubled inner option', 'a:\n  b: 1\n  b: 1', '3: a.b is given twice'],
    ['a doubled option under another spelling', 'a: 1\n"a": 2', '2: a is given twice'],
    ['an unclosed bracket', 'a: [1, 2\nb: 3', '2: the indentation does not fit'],
    ['an unclosed quote', 'a: "x', '1: a colon, comma, quote or bracket is missing'],
    ['a missing space', 'n:\n  a: 1\n  url:http://x\n  b: 2', '3: an option is cut in two'],
    ['two documents', 'a: 1\n---\nb: 2', '2: only one document may be in the file'],
    ['a tag of another program', 'a: !vault x', '1: tags (words that start with !)'],
    ['a tag that makes bytes', 'a: !!binary aGk=', '1: tags (words that start with !)'],
    ['a list as a name', '? [a]\n: 1', '1: the name of an option must be plain text'],
    ['an unknown alias', 'a: *b', '1: an alias stands for an anchor that is not set before it'],
    ['a value that contains itself', 'a: &a [*a]', '1: an alias stands for an anchor'],
    ['a list', '- a', '1: the file must hold options'],
    ['a text', 'hello', '1: the file must hold options'],
  ])('%s', (_, text, message) => {
    expect(refused(text)[0]).toStartWith(message)
  })

  test.each([
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x80, 0x81]), 'not UTF-8'],
    ['a program', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]), 'not UTF-8'],
    ['UTF-16', Buffer.from('listen: x', 'utf16le'), 'not UTF-8'],
    ['two megabytes', Buffer.alloc(2_000_000, 'a: 1\n'), 'larger than 1 MiB'],
  ])('%s', (_, bytes, message) => {
    expect(refused(bytes)).toEqual([expect.stringContaining(message)])
  })

  test.each([
    ['brackets', '['.repeat(100_000)],
    ['closed brackets', `a: ${'['.repeat(1000)}${']'.repeat(1000)}`],
    ['braces', '{a: '.repeat(50_000)],
    ['dashes', `${'- '.repeat(50_000)}x`],
    ['questions', '? '.repeat(50_000)],
    ['sixty-six levels', `a: ${'['.repeat(66)}${']'.repeat(66)}`],
  ])('deep nesting of %s', (_, text) => {
    expect(refused(text).join()).toContain('nested too deeply')
  })

  test('an alias bomb', () => {
    const letters = 'abcdefghijklmnop'.split('')
    const bomb = letters.map((letter, at) => {
      const below = at === 0 ? 'x' : `*${letters[at - 1]}`
      return `${letter}: &${letter} [${Array(9).fill(below).join()}]`
    })
    expect(refused(bomb.join('\n'))).toContain('13: more than 100 aliases are in the file')
  })

  test('tens of thousands of options, without trying each against each', () => {
    const text = Array.from({ length: 30_000 }, (_, at) => `k${at}: 1\n`).join('')
    expect(refused(`${text}k7: 2`)).toEqual(['30001: k7 is given twice'])
  })

  test('at most twenty things at once', () => {
    expect(refused('a: 1\n'.repeat(1000))).toHaveLength(20)
  })

  test('__proto__ is a name like any other', () => {
    const { value } = parsed('__proto__: { admin: true }\nconstructor: 1')
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(value.admin).toBeUndefined()
  })

  test('never with a word of the file, which may be a password', () => {
    const mistakes = ['url:http://u:hunter2@x', 'a: "hunter2', '%hunter2', '!hunter2 x', '*hunter2']
    const more = [
      'a: @hunter2',
      'a: `hunter2',
      'a: hunter2: b: c',
      '- hunter2\nb: 1',
      '"\\hunter2"',
    ]
    for (const text of [...mistakes, ...more, '{ a: 1, url:http://hunter2 ', '&hunter2 &b c']) {
      expect(refused(`${text}\n`).join()).not.toContain('hunter2')
    }
  })
})

describe('readConfigFile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-'))

  test('says why a file cannot be read', () => {
    expect(readConfigFile(join(folder, 'absent.yaml'))).toBe(
      'the configuration file cannot be read (ENOENT)',
    )
    expect(readConfigFile(folder)).toBe('the configuration file cannot be read (EISDIR)')
  })

  test('stops reading what has no end', () => {
    expect(readConfigFile('/dev/zero')).toHaveLength(1_048_577)
  })

  test('reads a file to its end', () => {
    const file = join(folder, 'h.yaml')
    writeFileSync(file, 'listen: x')
    expect(readConfigFile(file)).toEqual(new Uint8Array(Buffer.from('listen: x')))
  })
})
