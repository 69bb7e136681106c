import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Recipe } from '../dashboard/pages/editor/cookbook/recipe.ts'
import { RECIPE_GROUPS } from '../dashboard/pages/editor/cookbook/recipes.ts'

/**
 * The page of the manual that has the templates of the dashboard's editor:
 *   bun scripts/cookbook-text.ts
 */

const PAGE = fileURLToPath(new URL('../docs/cookbook.md', import.meta.url))

const OPENING = `# Cookbook

Queries to start from. The dashboard's editor offers the same ones as templates, and tests run each of
them on a block of a real chain. Contracts are those of Ethereum's main network where a query names
some; a name such as \`$wallets\` is a [variable](api.md#variables), a list that your team keeps.
Everything a query can say is under [queries](concepts.md#queries).
`

export function cookbookText(): string {
  const groups = RECIPE_GROUPS.map(
    ({ title, recipes }) => `## ${title}\n\n${recipes.map(recipeText).join('\n')}`,
  )
  return [OPENING, ...groups].join('\n')
}

function recipeText({ title, finds, note, variables, skipEmpty, query }: Recipe): string {
  const needed = variables.map(({ name, kind, of }) => `\`$${name}\` (\`[${kind}!]\`) has ${of}.`)
  const empty = skipEmpty ? ['Made for `skip_empty_messages: true`.'] : []
  const words = [`${finds}.`, note, ...needed, ...empty].filter(Boolean).join(' ')
  return `### ${title}\n\n${wrapped(words)}\n\n\`\`\`graphql\n${query}\`\`\`\n`
}

/** Lines of up to 100 columns. */
function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length + 1 > 100) lines.push(word)
    else lines[lines.length - 1] = line ? `${line} ${word}` : word
  }
  return lines.join('\n')
}

if (import.meta.main) writeFileSync(PAGE, cookbookText())
