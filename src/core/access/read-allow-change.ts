import type { AllowLists } from '../app.ts'
import { Rejection } from '../errors.ts'
import { ipRangeText, parseIpRange } from './ip-range.ts'
import { originRuleText, parseOriginRule } from './origin-rule.ts'

type AllowChange = { readonly [Name in keyof AllowLists]?: AllowLists[Name] | undefined }

/** Far more than a page or a backend needs; a call is compared with each entry. */
export const ALLOW_ENTRIES_MAX = 100

const METHOD = /^[A-Za-z][A-Za-z0-9_]{0,127}\*?$/

const CONTRACT = /^0x[0-9a-f]{40}$/

type Form = { usual(entry: string): string | null; words: string }

const FORMS: Readonly<Record<keyof AllowLists, Form>> = {
  origins: {
    usual(entry) {
      const rule = parseOriginRule(entry)
      return rule && originRuleText(rule)
    },
    words: 'an origin such as https://app.example.com, https://*.example.com or *.example.com',
  },
  ips: {
    usual(entry) {
      const range = parseIpRange(entry)
      return range && ipRangeText(range)
    },
    words: 'an IP address, or a range such as 203.0.113.0/24 or 2001:db8:40::/48',
  },
  methods: {
    usual: (entry) => (METHOD.test(entry) ? entry : null),
    words: 'the name of a method, or the beginning of names and a star, such as eth_get*',
  },
  contracts: {
    usual: (entry) => (CONTRACT.test(entry.toLowerCase()) ? entry.toLowerCase() : null),
    words: 'the address of a contract, 0x and 40 hexadecimal digits',
  },
}

/** Brings what is given of the lists to its usual form; a refusal names the entry. */
export function readAllowChange(change: AllowChange): Partial<AllowLists> | Rejection {
  const read: { [Name in keyof AllowLists]?: readonly string[] } = {}
  for (const name of Object.keys(FORMS) as (keyof AllowLists)[]) {
    const entries = change[name]
    if (entries === undefined) continue
    const list = readList(name, entries)
    if (list instanceof Rejection) return list
    read[name] = list
  }
  return read
}

function readList(name: keyof AllowLists, entries: readonly string[]): string[] | Rejection {
  const { usual, words } = FORMS[name]
  const found = new Set<string>()
  for (const [at, entry] of entries.entries()) {
    const text = usual(entry.trim())
    if (text === null) {
      return new Rejection('validation', `allow.${name}[${at}] must be ${words}.`)
    }
    found.add(text)
  }
  return [...found]
}
