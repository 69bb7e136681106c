import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../../support/product/headgate.ts'
import { cleanUp, environment, newFolder } from '../../support/product/headgate-process.ts'

/** A process starts in a fraction of a second, unless the machine is busy with others. */
setDefaultTimeout(180_000)

const LAUNCHER = fileURLToPath(new URL('../../../bin/headgate.cjs', import.meta.url))

const STEPS = ['the store is open', 'its tables are up to date', 'the development chains run']

afterEach(cleanUp)

test('on a terminal each step of the start is ticked off, and Ctrl-C ends it well', async () => {
  const { shown, type, exited } = inTerminal(['start'], { NO_COLOR: '' })
  await until(() => shown().includes(' block '), 'a block is shown')
  const lines = linesOf(shown())
  const ticked = lines.filter((line) => line.includes('✓'))
  expect(ticked).toHaveLength(4)
  for (const [at, step] of STEPS.entries()) expect(ticked[at]).toContain(step)
  expect(ticked[3]).toMatch(/✓.+the networks answer .+\d m?s/)
  // What is under way is taken back when it is done.
  expect(lines.filter((line) => line.startsWith('  …'))).toEqual([])
  expect(shown()).toContain('\u001b[32m✓\u001b[39m')
  const prose = lines.slice(4).filter((line) => !/curl|sign-in|\d\d:\d\d:\d\d/.test(line))
  expect(prose.filter((line) => line.length > 80)).toEqual([])
  type('\u0003')
  expect(await exited).toBe(0)
})

test('a terminal that wants no colours gets none, of the start and of the help', async () => {
  for (const [words, env] of [
    [['start'], { NO_COLOR: '1' }],
    [['start'], { TERM: 'dumb', NO_COLOR: '' }],
    [['--help', '--no-color'], { NO_COLOR: '' }],
  ] as const) {
    const { shown, type, exited } = inTerminal(words, env)
    const isStart = words[0] === 'start'
    const sign = isStart ? ' block ' : 'Exit codes:'
    await until(() => shown().includes(sign), `${sign} is shown`)
    // The help has ended by itself.
    if (isStart) type('\u0003')
    expect(await exited).toBe(0)
    // Only the line of the step under way is taken back, where the terminal can do that.
    const isDumb = 'TERM' in env
    expect(isDumb ? shown() : shown().replaceAll('\u001b[K', '')).not.toContain('\u001b[')
  }
})

/** The program in a terminal of 80 columns. */
function inTerminal(words: readonly string[], env: Readonly<Record<string, string>>) {
  const folder = newFolder()
  let text = ''
  const decoder = new TextDecoder()
  const child = Bun.spawn(['node', LAUNCHER, ...words], {
    cwd: folder,
    env: { ...environment(), HEADGATE_LISTEN: '127.0.0.1:0', TERM: 'xterm-256color', ...env },
    terminal: {
      cols: 80,
      rows: 40,
      data: (_terminal, bytes) => {
        text += decoder.decode(bytes, { stream: true })
      },
    },
  })
  const exited = child.exited.then((code) => {
    child.terminal?.close()
    rmSync(join(folder, 'data'), { recursive: true, force: true })
    return code
  })
  return { shown: () => text, type: (keys: string) => child.terminal?.write(keys), exited }
}

/** The lines as they stand there in the end: a carriage return begins one again. */
function linesOf(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  return lines.map((line) => line.split('\r').at(-1)?.replace('\u001b[K', '') ?? '')
}
