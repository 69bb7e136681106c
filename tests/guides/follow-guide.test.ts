import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { followGuide } from './follow-guide.ts'
import { guideSteps } from './guide-steps.ts'
import { differenceOf } from './shown-output.ts'

/** Shells start quickly, unless the machine is busy with others. */
setDefaultTimeout(60_000)

const DOCS = new URL('../../docs/', import.meta.url)
const GUIDES = new URL('../../docs/guides/', import.meta.url)
const HERE = new URL('./', import.meta.url)

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`
const follow = (text: string) => followGuide('a guide', { text })

describe('following a guide', () => {
  test('runs each command in one shell, in a clean checkout', async () => {
    await follow(
      `Save this as \`deep/name.txt\`:\n\n${block('yaml', 'port: 8080')}
${block('sh', 'mkdir inner && cd inner\nNAME=$(cat ../deep/name.txt)')}
${block('sh', 'basename "$PWD"; test "$' + '{NAME#*: }" -ge 9999 && echo "$NAME"; ls ../package.json')}
${block('text', 'inner\nport: 1234\n../package.json')}`,
    )
  })

  test.each([
    ['a command that fails', block('sh', 'false\necho never')],
    ['a command in a pipe that fails', block('sh', 'false | cat')],
    ['another output', block('sh', 'echo one') + block('text', 'two')],
    ['more output than is shown', block('sh', 'echo one; echo two') + block('text', 'one')],
    ['less output than is shown', block('sh', 'echo one') + block('text', 'one\ntwo')],
    ['another member', block('sh', `echo '{"a":1}'`) + block('json', '{"b":1}')],
    ['a program that ends', `Leave it running:\n\n${block('sh', 'echo up')}${block('text', 'on')}`],
    ['nothing to wait for', `Leave it running:\n\n${block('sh', 'sleep 60')}`],
    ['a program that npx has not', block('sh', 'npx something-else')],
  ])('stops at %s', async (_what, text) => {
    await expect(follow(text)).rejects.toThrow('a guide:')
  })

  test('leaves a program running until Ctrl-C, and ends what is left in the end', async () => {
    await follow(
      `Leave it running:\n\n${block('sh', 'echo $$ > ../pid; echo up; sleep 600')}
${block('text', 'up')}
${block('sh', 'kill -0 $(cat ../pid) && echo alive')}${block('text', 'alive')}
Press Ctrl-C there.\n
After a moment it is gone:\n\n${block('sh', 'kill -0 $(cat ../pid) 2>/dev/null || echo gone')}
${block('text', 'gone')}
Leave it running:\n\n${block('sh', 'echo up; sleep 600')}${block('text', 'up')}`,
    )
  })

  test('needs commands, and blocks that end', async () => {
    await expect(follow('# Nothing to do')).rejects.toThrow('no commands')
    expect(() => guideSteps('```sh\necho')).toThrow('has no end')
    expect(guideSteps(`<!-- ${block('sh', 'rm -rf /')} -->`)).toEqual([])
  })
})

describe('what a guide shows', () => {
  const text = (shown: string) => ({ language: 'text' as const, text: shown })
  test.each([
    ['block 7: 0xab12 (1000000000001)', 'block 1,234: 0xffff (1000000000777)', true],
    ['made wh_h38j6j7te81p5vz2', 'made wh_0000000000000000', true],
    ['made wh_h38j6j7te81p5vz2', 'made app_h38j6j7te81p5vz2', false],
    ['at http://localhost:8080/x', 'at http://127.0.0.1:31999/x', true],
    ['a\n…\nz', 'a\nb\nc\nz', true],
    ['a\n…\nz', 'a\nz', true],
    ['a\n…\nz', 'a\nb', false],
    ['took … ms', 'took (1 a.b) ms', true],
    ['a.c', 'abc', false],
  ])('%j stands for %j: %p', (shown, output, isSame) => {
    expect(differenceOf(output, text(shown)) === null).toBe(isSame)
  })

  test.each([
    ['{"a":1,"b":"0x1"}', '{"a":2,"b":"0x22"}', true],
    ['{"a":1}', '{"a":"1"}', false],
    ['{"a":1}', '{"a":1,"b":2}', false],
    ['[{"a":1}]', '[]', false],
    ['{"a":true}', '{"a":false}', false],
  ])('the JSON %j stands for %j: %p', (shown, output, isSame) => {
    expect(differenceOf(output, { language: 'json', text: shown }) === null).toBe(isSame)
  })
})

test('every page of the manual begins with its title, and is plain Markdown', () => {
  const names = [...new Bun.Glob('**/*.md').scanSync(DOCS.pathname)]
  expect(names.length).toBeGreaterThan(12)
  for (const name of names) {
    const text = readFileSync(new URL(name, DOCS), 'utf8')
    expect({ name, begins: text.split('\n')[0] }).toEqual({
      name,
      begins: expect.stringMatching(/^# \S/),
    })
    const prose = text.replace(/```[\s\S]*?```|`[^`]*`|<!--[\s\S]*?-->|<https?:[^>]+>/g, '')
    expect({ name, html: prose.match(/<[a-z]\w*[\s>/]/gi) }).toEqual({ name, html: null })
  }
})

test('every guide is followed by a test', () => {
  const tests = readdirSync(HERE).filter((name) => /^(?!follow-guide).*\.test\.ts$/.test(name))
  const source = tests.map((name) => readFileSync(new URL(name, HERE), 'utf8')).join('\n')
  const guides = readdirSync(GUIDES).filter((name) => name.endsWith('.md'))
  expect(guides.length).toBeGreaterThan(1)
  for (const name of guides) expect(source).toContain(`followGuide('guides/${name}'`)
  expect(source).toContain("followGuide('receiving-webhooks.md'")
})
