import type { CompletedPlace } from './command-tree.ts'
import { quotedWord } from './quoted-word.ts'

/** A completion script for fish. */
export function fishCompletion(places: readonly CompletedPlace[]): string {
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
${places.flatMap(placeLines).join('\n')}
`
}

function placeLines({ path, commands, options }: CompletedPlace): string[] {
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
