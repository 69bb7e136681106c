import { messageOf } from '../../../api/api-error.ts'
import type { WireApp } from '../../../api/wire.ts'
import { changeAtOnce } from '../../../shell/change-at-once.ts'
import { say, sayRefused } from '../../../shell/toasts.tsx'
import { sendChange, showApp } from '../app-changes.ts'

type ListName = keyof WireApp['allow']

/** How the entries of a list are called. */
const MANY: Readonly<Record<ListName, string>> = {
  methods: 'methods',
  origins: 'origins',
  ips: 'addresses',
  contracts: 'contracts',
}

/** Adds entries to a list at once; why not, where the service refuses one, and else nothing. */
export async function addAllowed(
  app: WireApp,
  name: ListName,
  entries: readonly string[],
): Promise<string> {
  const before = app.allow[name]
  const added = entries.filter((entry) => !before.includes(entry))
  if (added.length === 0) return ''
  try {
    await put(app, name, [...before, ...added])
  } catch (thrown) {
    show(app, name, before)
    // The message names the entry by its place in the list, and here it stands in the field.
    return messageOf(thrown).replace(/^allow\.\w+\[\d+\] must/, 'It must')
  }
  const what = added.length === 1 ? added.join() : `${added.length} ${MANY[name]}`
  say(`Allowed ${what} for ${app.name}`, () => void put(app, name, before).catch(sayRefused))
  return ''
}

/** Takes an entry off a list; it can be taken back. */
export function removeAllowed(app: WireApp, name: ListName, entry: string): Promise<void> {
  const from = app.allow[name]
  const to = from.filter((one) => one !== entry)
  const left = to.length === 0 ? `. All ${MANY[name]} are allowed now` : ''
  return changeAtOnce({
    from,
    to,
    show: (value) => show(app, name, value),
    send: (value) => sendChange(app.id, { allow: { [name]: value } }),
    said: `Removed ${entry} from ${app.name}${left}`,
  })
}

function put(app: WireApp, name: ListName, value: readonly string[]): Promise<void> {
  show(app, name, value)
  return sendChange(app.id, { allow: { [name]: value } })
}

function show(app: WireApp, name: ListName, value: readonly string[]): void {
  showApp({ ...app, allow: { ...app.allow, [name]: value } })
}
