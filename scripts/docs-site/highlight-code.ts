/** A comment, a text in quotes, a variable, or a word that the language owns. */
const TOKEN =
  /(?<c>(?<=^|\s)#[^\n]*|\/\/[^\n]*)|(?<s>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<v>\$\w+|\$\{\w+\})|(?<![-\w.])(?<k>import|export|from|const|let|function|type|async|await|new|return|if|else|for|def|class|func|package|var|query|fragment|on|true|false|null|curl|npm|npx|docker|kubectl)\b/gm

/** Texts in which no word has a meaning of its own. */
const PLAIN = new Set(['', 'text', 'console'])

/** The HTML of a program with its comments, strings and keywords set apart. */
export function highlightCode(text: string, language: string): string {
  if (PLAIN.has(language)) return escapeHtml(text)
  let html = ''
  let end = 0
  for (const found of text.matchAll(TOKEN)) {
    html += escapeHtml(text.slice(end, found.index))
    html += `<span class="${classOf(found.groups)}">${escapeHtml(found[0])}</span>`
    end = found.index + found[0].length
  }
  return html + escapeHtml(text.slice(end))
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function classOf(groups: RegExpMatchArray['groups']): string {
  return groups?.c ? 'c' : groups?.s ? 's' : groups?.v ? 'v' : 'k'
}
