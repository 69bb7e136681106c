import { assert } from '../../core/errors.ts'

/** Takes literals, quoted names and comments whole, since a semicolon in them splits nothing. */
const PIECE =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|;|[^'";/-]+|\/(?!\*)|-(?!-)/gy

/** Cuts a script into statements, without comments. It knows no dollar quotes or triggers. */
export function splitStatements(script: string): string[] {
  const statements: string[] = []
  let statement = ''
  let end = 0

  for (const [piece] of script.matchAll(PIECE)) {
    end += piece.length
    if (piece === ';') {
      statements.push(statement.trim())
      statement = ''
    } else if (piece.startsWith('--') || piece.startsWith('/*')) {
      statement += ' '
    } else {
      statement += piece
    }
  }
  assert(end === script.length, `a quote or comment of the script has no end (at ${end})`)

  statements.push(statement.trim())
  return statements.filter((text) => text !== '')
}
