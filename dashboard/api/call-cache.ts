type Entry = {
  data: unknown
  error: unknown
  isLoading: boolean
  isStale: boolean
  /** Counts what was asked: an answer that a later question overtook is dropped. */
  asked: number
  watchers: Set<() => void>
}

type Ask = (id: string, parameters: object) => Promise<unknown>

/** The answer is the same for everybody, and stays when somebody signs in or out. */
const OF_NOBODY = 'getOpenApi '

/** Keeps answers by call and parameters; `keptMax` of those that nobody watches any more. */
export function openCallCache(ask: Ask, keptMax: number) {
  const entries = new Map<string, Entry>()

  function entryOf(key: string): Entry {
    const known = entries.get(key)
    if (known) return known
    const watchers = new Set<() => void>()
    const entry = { data: undefined, error: undefined, isLoading: false, isStale: true, asked: 0 }
    entries.set(key, { ...entry, watchers })
    return entryOf(key)
  }

  const load = (key: string) => loadEntry(entryOf(key), key, ask)

  return {
    load,
    peek: (key: string): Entry | undefined => entries.get(key),

    /** Tells of changes until the returned function is called; an answer that is old is read. */
    watch(key: string, watcher: () => void): () => void {
      const entry = entryOf(key)
      entry.watchers.add(watcher)
      if (entry.isStale && !entry.isLoading) void load(key)
      return () => {
        entry.watchers.delete(watcher)
        for (const [other, { watchers }] of entries) {
          if (entries.size <= keptMax) return
          if (watchers.size === 0) entries.delete(other)
        }
      }
    },

    invalidate(ids: readonly string[]): void {
      for (const [key, entry] of entries) {
        if (!ids.some((id) => key.startsWith(`${id} `))) continue
        entry.isStale = true
        if (entry.watchers.size > 0) void load(key)
      }
    },

    patch(id: string, change: (answer: unknown, parameters: object) => unknown): void {
      for (const [key, entry] of entries) {
        if (!key.startsWith(`${id} `) || entry.data === undefined) continue
        entry.data = change(entry.data, JSON.parse(key.slice(id.length + 1)))
        tell(entry)
      }
    },

    forget(next: 'another team' | 'nobody'): void {
      for (const [key, entry] of entries) {
        if (key.startsWith(OF_NOBODY)) continue
        Object.assign(entry, { data: undefined, error: undefined, isStale: true })
        entry.asked++
        if (entry.watchers.size === 0) entries.delete(key)
        else if (next === 'another team') void load(key)
        tell(entry)
      }
    },
  }
}

async function loadEntry(entry: Entry, key: string, ask: Ask): Promise<void> {
  entry.isLoading = true
  entry.isStale = false
  const turn = ++entry.asked
  const at = key.indexOf(' ')
  try {
    const data = await ask(key.slice(0, at), JSON.parse(key.slice(at + 1)))
    if (turn !== entry.asked) return
    Object.assign(entry, { data, error: undefined })
  } catch (thrown) {
    if (turn !== entry.asked) return
    Object.assign(entry, { error: thrown, isStale: true })
  }
  entry.isLoading = false
  tell(entry)
}

/** The same for the same parameters, in whatever order they were given. */
export function keyOf(id: string, parameters: object): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return `${id} ${JSON.stringify(Object.fromEntries(given.toSorted()))}`
}

function tell(entry: Entry): void {
  for (const watch of entry.watchers) watch()
}
