export type MethodAccess = 'all' | 'own_keys' | 'none'

/** A network's configured methods: names, or prefixes that end in `*`. */
export type MethodRules = { allow: readonly string[]; deny: readonly string[] }

/** Methods that control a node instead of asking it: peers, accounts, mining, files. */
const NODE_CONTROLS = [
  'admin_*',
  'personal_*',
  'miner_*',
  'engine_*',
  'debug_set*',
  'debug_start*',
  'debug_stop*',
  'debug_write*',
  'clique_*',
  'les_*',
  // How Headgate itself controls its development chains.
  'headgate_*',
]

/** Methods that change a development chain past all rules; a real node has none of them. */
const CHAIN_CONTROLS = ['evm_*', 'hardhat_*', 'anvil_*']

/**
 * Decides whom a method is for. Of all patterns that fit, the longest counts; of equally long
 * ones what is configured before what is built in, and `deny` before `allow`.
 */
export function methodAccess(name: string, rules: MethodRules, isLocal: boolean): MethodAccess {
  const ranked: readonly [patterns: readonly string[], access: MethodAccess][] = [
    [rules.deny, 'none'],
    [rules.allow, 'all'],
    [NODE_CONTROLS, 'none'],
    [CHAIN_CONTROLS, isLocal ? 'own_keys' : 'none'],
  ]
  let found: MethodAccess = 'all'
  let longest = -1
  for (const [patterns, access] of ranked) {
    // Some node may not tell ADMIN_ from admin_, so only what is allowed is spelled exactly.
    const spelled = access === 'all' ? name : name.toLowerCase()
    for (const pattern of patterns) {
      const rank = rankOf(access === 'all' ? pattern : pattern.toLowerCase(), spelled)
      if (rank <= longest) continue
      longest = rank
      found = access
    }
  }
  return found
}

export function matchesMethod(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => rankOf(pattern, name) >= 0)
}

/** A pattern's closeness of fit: -1 for none, and a whole name closer than any prefix. */
function rankOf(pattern: string, name: string): number {
  if (pattern === name) return Number.MAX_SAFE_INTEGER
  if (!pattern.endsWith('*') || !name.startsWith(pattern.slice(0, -1))) return -1
  return pattern.length
}
