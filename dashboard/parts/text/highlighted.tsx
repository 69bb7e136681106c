/** A text in quotes of any kind, or a word of its own. */
const TOKEN =
  /(?<s>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<v>\$\w+)|\b(?<k>import|from|const|async|await|new|return|if|def|query|fragment|curl|openssl|print)\b/g

/** A short program with its strings and keywords set apart. */
export function Highlighted({ text }: { text: string }) {
  const parts = []
  let end = 0
  for (const found of text.matchAll(TOKEN)) {
    if (found.index > end) parts.push(text.slice(end, found.index))
    parts.push(
      <span key={found.index} class={classOf(found.groups)}>
        {found[0]}
      </span>,
    )
    end = found.index + found[0].length
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  )
}

function classOf(groups: RegExpMatchArray['groups']): string {
  return groups?.s ? 's' : groups?.v ? 'v' : 'k'
}
