import type { ProgramAccountsCall } from './program-accounts.ts'

/** The moment that an answer shows; the slot is null where a node did not say it. */
export type PageContext = { slot: bigint | null; apiVersion: string | null }

/** The text around the records of one page. */
export type PageForm = {
  before: string
  /** Null when no more follows. May go on behind the result, with members of the reply. */
  after(pageKey: string | null): string
  /** The text that is put into the last record, before its closing bracket. */
  inLastRecord(pageKey: string): string
}

/**
 * The form that a caller asked for. Clients of the plain array know no place for a page key, so
 * it stands where none of them stumbles over it: in the last record, and beside the result.
 */
export function pageForm(call: ProgramAccountsCall, context: PageContext): PageForm {
  const { version, withContext } = call
  if (version === 2) {
    const [open, close] = withContext ? [`{${contextText(context)},"value":`, '}'] : ['', '']
    return {
      before: `${open}{"accounts":[`,
      after: (key) => `],"paginationKey":${key === null ? 'null' : `"${key}"`}}${close}`,
      inLastRecord: () => '',
    }
  }
  if (withContext) {
    return {
      before: `{${contextText(context)},"value":[`,
      after: (key) => (key === null ? ']}' : `],"pageKey":"${key}"}`),
      inLastRecord: () => '',
    }
  }
  return {
    before: '[',
    after: (key) => (key === null ? ']' : `],"pageKey":"${key}"`),
    inLastRecord: (key) => `,"pageKey":"${key}"`,
  }
}

function contextText({ slot, apiVersion }: PageContext): string {
  const version = apiVersion === null ? '' : `"apiVersion":${JSON.stringify(apiVersion)},`
  return `"context":{${version}"slot":${slot}}`
}
