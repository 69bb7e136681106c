import type { CompletedPlace, CompletedWord } from './command-tree.ts'
import { pathPatterns, quotedWord, valuesBy } from './quoted-word.ts'

/** A completion script for zsh. */
export function zshCompletion(places: readonly CompletedPlace[]): string {
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
${valueCases(places)}
  esac
  case "$here" in
${places.map(placeCase).join('\n')}
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

function valueCases(places: readonly CompletedPlace[]): string {
  const cases = valuesBy(places).map(({ patterns, choices, isFile }) => {
    const listed = `compadd -- ${choices.map(quotedWord).join(' ')}; `
    const deed = choices.length > 0 ? listed : isFile ? '_files; ' : ''
    return `    ${patterns}) ${deed}return ;;`
  })
  return cases.join('\n')
}

function placeCase({ path, commands, options }: CompletedPlace): string {
  return `    ${quotedWord(path)})
      names=(${commands.map(described).join(' ')})
      options=(${options.map(described).join(' ')}) ;;`
}

/** A colon stands between a word and its description. */
function described({ word, description }: CompletedWord): string {
  return quotedWord(`${word.replaceAll(':', '\\:')}:${description}`)
}
