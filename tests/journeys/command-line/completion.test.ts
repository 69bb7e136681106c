import { expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newFolder, runToEnd } from '../../support/product/headgate-process.ts'

/** A process starts in a fraction of a second, unless the machine is busy with others. */
setDefaultTimeout(180_000)

/** The words so far, the last of them unfinished, and some of what a shell has to offer. */
const LINES: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [
    ['headgate', ''],
    ['start', 'check', 'migrate', 'completion', 'help'],
  ],
  [['headgate', 'sta'], ['start']],
  [['headgate', '--fr'], ['--fresh']],
  [['headgate', 'check', '--js'], ['--json']],
  [['headgate', 'migrate', '--fr'], ['--from']],
  [['headgate', '--no-color', 'check', '--conf'], ['--config']],
  [['headgate', 'completion', 'z'], ['zsh']],
  [['headgate', 'check', '--json', '--con'], ['--config']],
]

const BASH = `
source "$1"
ask() {
  COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _headgate; printf '%s ' "\${COMPREPLY[@]}"; echo
}`

const ZSH = `
compdef() { : }
source "$1"
last=''
offer() { local word; for word in "$@"; do [[ $word = $last* ]] && printf '%s ' "\${word%%:*}"; done }
_describe() { [[ $1 = -o ]] && shift; offer "\${(@P)2}" }
compadd() { shift; offer "$@" }
_files() { }
ask() { words=("$@"); CURRENT=$#; last="$words[-1]"; _headgate; echo }`

const FISH = `
source $argv[1]
function ask
  for line in (complete -C (string join ' ' -- $argv))
    echo -n (string split \\t -- $line)[1]' '
  end
  echo
end`

const SHELLS = [
  ['bash', BASH, []],
  ['zsh', ZSH, ['-f']],
  ['fish', FISH, ['--no-config']],
] as const

const isHere = ([name]: (typeof SHELLS)[number]) => Bun.which(name) !== null

test.each(SHELLS.filter(isHere))('%s completes with the script', async (name, prelude, flags) => {
  const script = await scriptFor(name)
  const calls = LINES.map(([words]) => `ask ${words.map((word) => `'${word}'`).join(' ')}`)
  const [file, asking] = [written(script), written([prelude, ...calls].join('\n'))]
  const { stdout, stderr } = Bun.spawnSync([name, ...flags, asking, file])
  rmSync(file)
  rmSync(asking)
  const offered = `${stdout}`.split('\n').map((line) => line.trim().split(/\s+/))
  expect(`${stderr}`).toBe('')
  for (const [at, [words, expected]] of LINES.entries()) {
    const last = words.at(-1) ?? ''
    expect(offered[at]?.filter((word) => !word.startsWith(last))).toEqual([])
    expect(offered[at]).toEqual(expect.arrayContaining([...expected]))
  }
})

test.skip.each(SHELLS.filter((shell) => !isHere(shell)))(
  '%s completes with the script (skipped, as it is not here)',
  () => {},
)

test.each(SHELLS.filter((shell) => !isHere(shell)))('%s is given a script', async (name) => {
  expect(await scriptFor(name)).toContain('headgate')
})

async function scriptFor(shell: string): Promise<string> {
  const args = ['completion', shell]
  const { exitCode, stdout } = await runToEnd({ folder: newFolder(), args })
  expect(exitCode).toBe(0)
  return stdout
}

function written(text: string): string {
  const file = join(tmpdir(), `headgate-completion-${Bun.randomUUIDv7()}`)
  writeFileSync(file, text)
  return file
}
