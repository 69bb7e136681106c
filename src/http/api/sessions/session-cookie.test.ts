import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { managementApi } from '../../../../tests/management-api.ts'
import { type RawAnswer, sendRaw } from '../../../../tests/support/nodes/raw-http.ts'
import { type Browser, signedIn } from '../../../../tests/support/product/signed-in.ts'

let api: Awaited<ReturnType<typeof managementApi>>
let browser: Browser
beforeAll(async () => {
  api = await managementApi()
  browser = await signedIn(api, api.teamToken)
})
afterAll(() => api.close())

/** Sends lines of Cookie headers as they are; `@` stands for the good cookie. */
function answerTo(lines: readonly string[]): Promise<RawAnswer> {
  // The last window is over: none is refused for the number of those before.
  api.time.nowMs += 10_000
  const cookies = lines.map((line) => `cookie: ${line.replaceAll('@', browser.cookie)}\r\n`)
  const head = `GET /api/session HTTP/1.1\r\nhost: x\r\nconnection: close\r\n`
  return sendRaw(api.url, Buffer.from(`${head}${cookies.join('')}\r\n`, 'latin1'))
}

const OTHER = `headgate_session=${'o'.repeat(32)}`

describe('the cookie is found', () => {
  test.each([
    ['alone', ['@']],
    ['among others', ['a=1; @; b=2']],
    ['without blanks', ['a=1;@;b=2']],
    ['with many blanks and tabs', [' \t  a=1 ;  \t@   ;']],
    ['twice, both the same', ['@; @']],
    ['behind empty ones', [';;;=;;; =x;@']],
    ['beside one whose name begins like it', [`headgate_session2=x; x${OTHER}; @`]],
    ['beside one in capitals, which is another', [`${OTHER.toUpperCase()}; @`]],
    ['beside odd bytes', ['a=\xff\xfe\x80; b="\\"; @; c={}']],
    ['among five hundred', [`${'x=1; '.repeat(500)}@`]],
    ['in the second of two headers', ['a=1', '@']],
  ])('%s', async (_title, lines) => {
    expect((await answerTo(lines)).status).toBe(200)
  })
})

describe('the cookie is refused and cleared', () => {
  test.each([
    ['when it is empty', ['headgate_session=']],
    ['when it is unknown', [OTHER]],
    ['beside another of its name', [`@; ${OTHER}`]],
    ['behind another of its name', [`${OTHER}; @`]],
    ['beside an empty one of its name', ['headgate_session=; @']],
    ['with something behind it', ['@x']],
    ['in quotes', [`headgate_session="${'o'.repeat(32)}"`]],
    ['in capitals', [`headgate_session=${'O'.repeat(32)}`]],
    ['with an escape', ['headgate_session=%61%62']],
    ['when it is very long', [`headgate_session=${'o'.repeat(8000)}`]],
    ['with odd bytes', ['headgate_session=\xff\xfe\x80']],
    ['with an equals sign', ['headgate_session==']],
  ])('%s', async (_title, lines) => {
    const { status, head } = await answerTo(lines)
    expect(status).toBe(401)
    expect(head.toLowerCase()).toContain('set-cookie: headgate_session=; httponly')
  })
})

describe('there is no cookie', () => {
  test.each([
    ['where its name stands in a value', ['a=headgate_session']],
    ['where it has no value', ['headgate_session']],
    ['where the name has something in it', ['headgate session=x; headgate_sessio=x']],
    ['in a header that is empty', ['']],
    ['in one of semicolons', [';'.repeat(5000)]],
    ['in one of equals signs', ['='.repeat(5000)]],
    ['as a name of the language', ['__proto__=x; constructor=y; toString=z']],
  ])('%s', async (_title, lines) => {
    const { status, head } = await answerTo(lines)
    expect(status).toBe(401)
    expect(head.toLowerCase()).not.toContain('set-cookie')
  })
})

test('bytes that are no header, or too many, are refused before anybody reads a cookie', async () => {
  for (const line of ['a=\0', '@\0', `x=${'o'.repeat(100_000)}; @`]) {
    const { status } = await answerTo([line])
    expect([400, 431], line.slice(0, 9)).toContain(status)
  }
  expect((await answerTo(['@'])).status).toBe(200)
})
