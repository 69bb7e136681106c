import { ApiError } from '@headgate/client'
import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'
import { confirm } from '../../terminal/confirm.ts'
import { countText, numberText } from '../../terminal/formats.ts'
import { progressBar } from '../../terminal/progress-bar.ts'
import { readText } from '../queries/query-source.ts'
import { readPages } from '../read-pages.ts'

type ItemsSource = { items: readonly string[]; file?: string }

/** Items of one call, as many as it takes. */
const CALL_ITEMS_MAX = 10_000

const BAR_COLUMNS = 30

/** Lists the team's variables. */
export async function listVariables({ client, terminal }: Calling): Promise<void> {
  const answer = await client.call('listVariables')
  terminal.show(answer.data, () => {
    if (answer.data.length === 0) {
      return terminal.say(
        'The team has no variables yet.',
        '`headgate variable add wallets 0x…` makes one.',
      )
    }
    terminal.table<(typeof answer.data)[number]>(
      [
        { title: 'name', of: ({ name }) => name },
        { title: 'kind', of: ({ kind }) => kind },
        { title: 'items', of: ({ items }) => numberText(items), align: 'right' },
        { title: 'webhooks', of: ({ webhook_ids }) => webhook_ids.join(' '), cut: 'end' },
      ],
      answer.data,
    )
    const { items, items_max } = answer
    terminal.note('', `${numberText(items)} of ${numberText(items_max)} items are used.`)
  })
}

/** Prints a variable's items, one a line. */
export async function showVariable(
  calling: Calling,
  name: string,
  { limit }: { limit: number },
): Promise<void> {
  const { terminal } = calling
  const items = await readItems(calling, name, limit)
  terminal.show(items, () => terminal.say(...items))
}

/** Adds items; the first make the variable. */
export async function addToVariable(
  calling: Calling,
  name: string,
  source: ItemsSource,
): Promise<void> {
  const items = await itemsOf(source)
  await changeItems(calling, name, { add: items, remove: [] })
}

/** Takes items away. */
export async function removeFromVariable(
  calling: Calling,
  name: string,
  source: ItemsSource,
): Promise<void> {
  const items = await itemsOf(source)
  await changeItems(calling, name, { add: [], remove: items })
}

/** Makes a variable hold exactly these items: adds what is missing, and takes the rest away. */
export async function setVariable(
  calling: Calling,
  name: string,
  source: ItemsSource & { yes?: boolean },
): Promise<void> {
  const wanted = new Set((await itemsOf(source)).map((item) => item.toLowerCase()))
  const present = new Set(await presentItems(calling, name))
  const add = [...wanted].filter((item) => !present.has(item))
  const remove = [...present].filter((item) => !wanted.has(item))
  if (remove.length > 0) {
    const away = countText(remove.length, 'item')
    await confirm(`Take ${away} away from ${name}, and add ${numberText(add.length)}?`, source)
  }
  await changeItems(calling, name, { add, remove })
}

/** Deletes a variable with all its items. */
export async function deleteVariable(
  { client, terminal }: Calling,
  name: string,
  options: { yes?: boolean },
): Promise<void> {
  await confirm(`Delete the variable ${name} with all its items?`, options)
  await client.call('deleteVariable', { parameters: { name } })
  terminal.show({ name, deleted: true }, () => terminal.say(`Deleted ${name}.`))
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
  return readPages(limit, CALL_ITEMS_MAX, async (size, after?: string) => {
    const page = await client.call('listVariableItems', {
      parameters: { name, limit: size, ...(after !== undefined && { after }) },
    })
    return { items: page.data, next: page.pagination.cursors.after }
  })
}

async function changeItems(
  { client, terminal }: Calling,
  name: string,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<void> {
  const all = add.length + remove.length
  let done = 0
  const step = async (items: readonly string[], send: (part: string[]) => Promise<unknown>) => {
    for (let at = 0; at < items.length; at += CALL_ITEMS_MAX) {
      if (all > CALL_ITEMS_MAX) terminal.progress(`${progressBar(done / all, BAR_COLUMNS)}  items`)
      const part = items.slice(at, at + CALL_ITEMS_MAX)
      await send(part)
      done += part.length
    }
  }
  const parameters = { name }
  // First what is new, so that nothing is missed in between.
  await step(add, (items) => client.call('addVariableItems', { parameters, body: { items } }))
  await step(remove, (part) =>
    client.call('changeVariableItems', { parameters, body: { delete: part } }),
  )
  terminal.progress(null)
  const result = { name, added: add.length, removed: remove.length }
  terminal.show(result, () => {
    const added = `${countText(add.length, 'item')} added`
    terminal.say(`${name}: ${added}, ${numberText(remove.length)} taken away.`)
  })
}

/** Items of the command line, or of a file with spaces, commas or line ends between them. */
async function itemsOf({ items, file }: ItemsSource): Promise<string[]> {
  const text = file === undefined ? '' : await readText(file)
  const all = [...items, ...text.split(/[\s,]+/).filter((item) => item !== '')]
  if (all.length > 0) return all
  return complain('Which items? Give them, or --file with a file or - .', EXIT_CODES.badInput)
}
