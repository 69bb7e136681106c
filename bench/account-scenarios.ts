import type { Scenario } from './compare.ts'
import { indexedPages } from './p12-indexed-pages.ts'
import { fullWalk } from './p13-full-walk.ts'

/** The scenarios of getProgramAccounts. */
export const ACCOUNT_SCENARIOS: Record<string, Scenario> = { p12: indexedPages, p13: fullWalk }
