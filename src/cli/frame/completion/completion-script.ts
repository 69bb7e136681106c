import type { Command } from 'commander'
import { type CompletedPlace, type CompletedWord, commandTree } from './command-tree.ts'

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

export function completionScript(program: Command, shell: keyof typeof SCRIPTS): string {
  return SCRIPTS[shell](commandTree(program))
}

/** A completion script for bash, from version 3.2 on. */
function bashCompletion(places: readonly CompletedPlace[]): string {
  return `# Completion of headgate for bash. In ~/.bashrc:
#   eval "$(headgate completion bash)"
_headgate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local here='' list='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$here \${COMP_WORDS[i]}" in
      ${pathPatterns(places)}) here="$here \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$here $previous" in
${bashValues(places)}
  esac
  case "$here" in
${places.map(bashPlace).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$list" -- "$current"))
}
complete -o default -F _headgate headgate
`
}

/** Files are the shell's own business; of other values, few can be named. */
function bashValues(places: readonly CompletedPlace[]): string {
  const cases = valuesBy(places).map(({ patterns, choices, isFile }) => {
    const reply = `COMPREPLY=($(compgen -W ${quotedWord(choices.join(' '))} -- "$current"))`
    const none = 'compopt +o default 2>/dev/null'
    const deed = choices.length > 0 ? `${reply}; ` : isFile ? '' : `${none}; `
    return `    ${patterns}) ${deed}return ;;`
  })
  return cases.join('\n')
}

function bashPlace({ path, commands, options }: CompletedPlace): string {
  const words = [...commands, ...options].map(({ word }) => word)
  return `    ${quotedWord(path)}) list=${quotedWord(words.join(' '))} ;;`
}

function zshCompletion(places: readonly CompletedPlace[]): string {
  return `#compdef headgate
# Completion of headgate for zsh. In ~/.zshrc, below compinit:
#   eval "$(headgate completion zsh)"
_headgate() {
  local here='' i
  local -a names options
  for ((i = 2; i < CURRENT; i++)); do
    case "$here \${words[i]}" in
      ${pathPatterns(places)}) here="$here \${words[i]}" ;;
    esac
  done
  case "$here \${words[CURRENT - 1]}" in
${zshValues(places)}
  esac
  case "$here" in
${places.map(zshPlace).join('\n')}
  esac
  (( \${#names} )) && _describe command names
  _describe -o option options
}
if [[ "\${funcstack[1]}" = _headgate ]]; then
  _headgate "$@"
else
  compdef _headgate headgate
fi
`
}

function zshValues(places: readonly CompletedPlace[]): string {
  const cases = valuesBy(places).map(({ patterns, choices, isFile }) => {
    const listed = `compadd -- ${choices.map(quotedWord).join(' ')}; `
    const deed = choices.length > 0 ? listed : isFile ? '_files; ' : ''
    return `    ${patterns}) ${deed}return ;;`
  })
  return cases.join('\n')
}

function zshPlace({ path, commands, options }: CompletedPlace): string {
  return `    ${quotedWord(path)})
      names=(${commands.map(described).join(' ')})
      options=(${options.map(described).join(' ')}) ;;`
}

/** A colon stands between a word and its description. */
function described({ word, description }: CompletedWord): string {
  return quotedWord(`${word.replaceAll(':', '\\:')}:${description}`)
}

function fishCompletion(places: readonly CompletedPlace[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quotedWord(path))
  return `# Completion of headgate for fish. Once:
#   headgate completion fish > ~/.config/fish/completions/headgate.fish
function __headgate_at
    set -l here ''
    set -l typed (commandline -opc)
    for word in $typed[2..-1]
        switch "$here $word"
            case ${paths.join(' ')}
                set here "$here $word"
        end
    end
    test "$here" = "$argv[1]"
end
complete -c headgate -f
${places.flatMap(fishPlace).join('\n')}
`
}

function fishPlace({ path, commands, options }: CompletedPlace): string[] {
  const start = `complete -c headgate -n ${fishQuoted(`__headgate_at ${fishQuoted(path)}`)}`
  return [
    ...commands.map(({ word, description }) => {
      return `${start} -a ${fishQuoted(word)} -d ${fishQuoted(description)}`
    }),
    ...options.map(({ word, description, value }) => {
      const choices = value?.choices ?? []
      const listed = `-x -a ${fishQuoted(choices.join(' '))}`
      const taken = value?.isFile ? '-r -F' : '-x'
      const argument = value === null ? '' : ` ${choices.length > 0 ? listed : taken}`
      return `${start} -l ${word.slice(2)}${argument} -d ${fishQuoted(description)}`
    }),
  ]
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function quotedWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function pathPatterns(places: readonly CompletedPlace[]): string {
  const paths = places.map(({ path }) => path).filter((path) => path !== '')
  return paths.map(quotedWord).join(' | ')
}

/** Options that take the same values, as the pattern of a case. */
function valuesBy(places: readonly CompletedPlace[]) {
  const all = places.flatMap(({ path, options }) =>
    options.flatMap(({ value }) => (value === null ? [] : [{ path, ...value }])),
  )
  const alike = Map.groupBy(all, ({ choices, isFile }) => JSON.stringify([choices, isFile]))
  return [...alike.values()].map((group) => ({
    patterns: group.map(({ path, flag }) => quotedWord(`${path} ${flag}`)).join(' | '),
    choices: group[0]?.choices ?? [],
    isFile: group[0]?.isFile ?? false,
  }))
}
