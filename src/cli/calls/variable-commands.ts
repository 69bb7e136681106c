import { ApiError } from '@headgate/client'
import type { Command } from 'commander'
import type { Calling } from '../connect/run-call.ts'
import { complain } from '../terminal/complain.ts'
import { confirm } from '../terminal/confirm.ts'
import { countText, numberText } from '../terminal/formats.ts'
import { asking, type CommandWords, callCommand, told, wholeNumber } from './call-command.ts'
import { plainCommand } from './plain/plain-command.ts'
import { readText } from './queries/query-source.ts'
import { readPages } from './read-pages.ts'

type Change = 'add' | 'remove' | 'set'

type ItemsOptions = { file?: string; yes?: boolean }

/** Items of one call, as many as it takes. */
const CALL_ITEMS_MAX = 10_000

const NO_ITEMS = 'No items given. Pass them as arguments or with --file (- for standard input).'

const CHANGES: Readonly<Record<Change, CommandWords>> = {
  add: {
    does: 'add items; the first ones create the variable',
    examples: [
      ['variable add wallets 0xdac17f958d2ee523a2206206994597c13d831ec7', 'one'],
      ['variable add wallets --file more.txt', 'many'],
    ],
  },
  remove: {
    does: 'remove items',
    examples: [['variable remove wallets 0xdac17f958d2ee523a2206206994597c13d831ec7', 'one']],
  },
  set: {
    does: 'add and remove items until the variable has exactly these',
    examples: [
      ['variable set wallets --file wallets.txt --yes', 'from a file, in a script'],
      ['variable get a | headgate variable set b --file -', 'a copy'],
    ],
  },
}

export function addVariableCommands(group: Command): void {
  told(group, {
    examples: [
      ['variable add wallets 0xdac17f958d2ee523a2206206994597c13d831ec7', 'queries write $wallets'],
      ['variable set wallets --file wallets.txt', 'exactly those of a file'],
    ],
  })
  plainCommand(group, 'list', 'listVariables', {
    fields: ['name', 'kind', 'items', 'webhook_ids'],
  })
  callCommand(group, 'get', {
    does: 'print the items of a variable, one per line',
    examples: [['variable get wallets > wallets.txt', 'a file for variable set']],
  })
    .argument('<name>', 'as queries write it after $')
    .option('--limit <count>', 'at most this many (default: all)', wholeNumber(1))
    .action(asking(showVariable))

  changeCommand(group, 'add')
  changeCommand(group, 'remove')
  changeCommand(group, 'set').option('--yes', 'do not ask before items are removed')

  plainCommand(group, 'delete', 'deleteVariable', {
    does: 'delete a variable with all its items',
    arguments: { name: 'name' },
    asks: ({ id }) => `Delete the variable ${id} with all its items?`,
  })
}

function changeCommand(group: Command, change: Change): Command {
  return callCommand(group, change, CHANGES[change])
    .argument('<name>', 'as queries write it after $')
    .argument('[items...]', 'addresses, or values of 32 bytes')
    .option('--file <file>', 'more items from a file, or - for standard input')
    .action(
      asking((calling, name: string, items: string[], options: ItemsOptions) =>
        changeItems(calling, name, change, items, options),
      ),
    )
}

async function showVariable(
  calling: Calling,
  name: string,
  { limit = Number.MAX_SAFE_INTEGER }: { limit?: number },
): Promise<void> {
  const { terminal } = calling
  const items = await readItems(calling, name, limit)
  terminal.show(items, () => terminal.say(...items))
}

async function changeItems(
  calling: Calling,
  name: string,
  change: Change,
  given: readonly string[],
  options: ItemsOptions,
): Promise<void> {
  const { client, terminal } = calling
  const items = await itemsOf(given, options.file)
  const { add, remove } =
    change === 'set'
      ? await differences(calling, name, items, options)
      : { add: change === 'add' ? items : [], remove: change === 'remove' ? items : [] }
  const parameters = { name }
  // New items come first, so that no moment lacks both.
  for (const items of callsOf(add)) {
    await client.call('addVariableItems', { parameters, body: { items } })
  }
  for (const items of callsOf(remove)) {
    await client.call('changeVariableItems', { parameters, body: { delete: items } })
  }
  terminal.show({ name, added: add.length, removed: remove.length }, () => {
    const added = `${countText(add.length, 'item')} added`
    terminal.say(`${name}: ${added}, ${numberText(remove.length)} taken away.`)
  })
}

/** The items to add and to remove until a variable holds exactly these; asks before any goes. */
async function differences(
  calling: Calling,
  name: string,
  items: readonly string[],
  options: ItemsOptions,
): Promise<{ add: string[]; remove: string[] }> {
  const wanted = new Set(items.map((item) => item.toLowerCase()))
  const present = new Set(await presentItems(calling, name))
  const add = [...wanted.difference(present)]
  const remove = [...present.difference(wanted)]
  if (remove.length > 0) {
    const away = countText(remove.length, 'item')
    await confirm(`Take ${away} away from ${name}, and add ${numberText(add.length)}?`, options)
  }
  return { add, remove }
}

async function presentItems(calling: Calling, name: string): Promise<string[]> {
  try {
    return await readItems(calling, name, Number.MAX_SAFE_INTEGER)
  } catch (thrown) {
    // There is none yet: it is about to be made.
    if (thrown instanceof ApiError && thrown.status === 404) return []
    throw thrown
  }
}

function readItems({ client }: Calling, name: string, limit: number): Promise<string[]> {
  const parameters = { name, limit: Math.min(CALL_ITEMS_MAX, limit) }
  return readPages(client.pages('listVariableItems', { parameters }), limit)
}

function callsOf(items: readonly string[]): string[][] {
  const calls = Math.ceil(items.length / CALL_ITEMS_MAX)
  return Array.from({ length: calls }, (_, call) => {
    return items.slice(call * CALL_ITEMS_MAX, (call + 1) * CALL_ITEMS_MAX)
  })
}

/** Items of the command line, or of a file with spaces, commas or line ends between them. */
async function itemsOf(items: readonly string[], file: string | undefined): Promise<string[]> {
  const text = file === undefined ? '' : await readText(file)
  const all = [...items, ...text.split(/[\s,]+/).filter((item) => item !== '')]
  if (all.length > 0) return all
  return complain(NO_ITEMS, 'badInput')
}
