import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Recipe } from '../dashboard/pages/editor/cookbook/recipe.ts'
import { RECIPE_GROUPS, RECIPES } from '../dashboard/pages/editor/cookbook/recipes.ts'

/**
 * The page of the manual that has the templates of the dashboard's editor:
 *   bun scripts/cookbook-text.ts
 */

const PAGE = fileURLToPath(new URL('../docs/cookbook.md', import.meta.url))

const OPENING = `# Cookbook

Queries to start from. The dashboard's editor offers the same ones as templates, and tests run each of
them on a block of a real chain. Contracts are those of Ethereum's main network where a query names
some; a name such as \`$wallets\` is a [variable](api.md#variables), a list that your team keeps.
Everything a query can say is under [queries](concepts.md#queries), and how to try one, and make a webhook
of it, at the end of this page: [From the command line](#from-the-command-line).
`

/** The recipe that the commands below are about. */
const SHOWN = 'address-activity'

const FROM_THE_COMMAND_LINE = `## From the command line

In a checkout of Headgate, after \`npm ci\`, start local development in a terminal of its own, and leave it running;
or name a Headgate of yours with \`HEADGATE_URL\` and \`HEADGATE_TOKEN\`.

\`\`\`sh
npx headgate start
\`\`\`

\`\`\`text
…
Headgate is up at http://localhost:8080 (ETH_DEVNET, SOLANA_DEVNET)
…
\`\`\`

In another terminal, in the same folder, save a query, such as this one as \`activity.graphql\`:

\`\`\`graphql
QUERY\`\`\`

It names a variable: give it items. Then send something that it finds, and mine the block:

\`\`\`sh
npx headgate variable add wallets 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
npx headgate devnet send
npx headgate devnet mine
\`\`\`

Run it on the newest block. That is a dry run: it stores nothing and costs nothing.

\`\`\`sh
npx headgate query run activity.graphql --network ETH_DEVNET
\`\`\`

\`\`\`text
…
        "hash": "0x9398db5ad8ee5c84b2e9ae5f6d1a5e8b0d7c4f3a2b1e0d9c8b7a6f5e4d3c7d9f",
…
\`\`\`

What it would have cost on the last blocks, and the webhook:

\`\`\`sh
npx headgate query estimate activity.graphql --network ETH_DEVNET --skip-empty
npx headgate webhook create --name activity --query activity.graphql --network ETH_DEVNET --skip-empty --inbox activity
npx headgate devnet send
npx headgate devnet mine
\`\`\`

After a moment:

\`\`\`sh
npx headgate devnet inbox activity
\`\`\`

\`\`\`text
arrived    block       sequence  signature  answered  marks       delivery                    size
just now       3  1000000000004  valid      200       –           whevt_6i9wf4d2t6cx6cus     540 B
…
\`\`\`

To an app of your own it is \`--to http://localhost:3000/hook\` instead of an inbox:
[Receiving webhooks](receiving-webhooks.md).
`

export function cookbookText(): string {
  const groups = RECIPE_GROUPS.map(
    ({ title, recipes }) => `## ${title}\n\n${recipes.map(recipeText).join('\n')}`,
  )
  const shown = RECIPES.find(({ id }) => id === SHOWN)
  const commands = FROM_THE_COMMAND_LINE.replace('QUERY', () => shown?.query ?? '')
  return [OPENING, ...groups, commands].join('\n')
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
