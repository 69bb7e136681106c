import type { CompletedPlace } from './command-tree.ts'
import { pathPatterns, quotedWord, valuesBy } from './quoted-word.ts'

/** A completion script for bash, from version 3.2 on. */
export function bashCompletion(places: readonly CompletedPlace[]): string {
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
${valueCases(places)}
  esac
  case "$here" in
${places.map(placeCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$list" -- "$current"))
}
complete -o default -F _headgate headgate
`
}

/** Files are the shell's own business; of other values, few can be named. */
function valueCases(places: readonly CompletedPlace[]): string {
  const cases = valuesBy(places).map(({ patterns, choices, isFile }) => {
    const reply = `COMPREPLY=($(compgen -W ${quotedWord(choices.join(' '))} -- "$current"))`
    const none = 'compopt +o default 2>/dev/null'
    const deed = choices.length > 0 ? `${reply}; ` : isFile ? '' : `${none}; `
    return `    ${patterns}) ${deed}return ;;`
  })
  return cases.join('\n')
}

function placeCase({ path, commands, options }: CompletedPlace): string {
  const words = [...commands, ...options].map(({ word }) => word)
  return `    ${quotedWord(path)}) list=${quotedWord(words.join(' '))} ;;`
}
