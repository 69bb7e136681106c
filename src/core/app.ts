/** An app, which an API key belongs to. The key itself is stored elsewhere, encrypted. */
export type App = {
  id: string
  teamId: string
  name: string
  description: string
  networks: readonly string[]
  isActive: boolean
  allow: AllowLists
  createdAtMs: number
}

/** The limits of an app's callers, as texts; an empty list limits nothing. */
export type AllowLists = {
  origins: readonly string[]
  /** Addresses and ranges in CIDR form. */
  ips: readonly string[]
  /** Names, or prefixes that end in `*`. */
  methods: readonly string[]
  contracts: readonly string[]
}

export const NO_LISTS: AllowLists = { origins: [], ips: [], methods: [], contracts: [] }
