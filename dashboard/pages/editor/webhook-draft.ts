import type { BodyOf, Webhook } from '@headgate/client'

export type Draft = {
  name: string
  network: string
  query: string
  url: string
  appId: string | null
  skipEmpty: boolean
  ordered: boolean
  notifyRemoved: boolean
}

/** The parts of the form that a refusal can be about. */
export type DraftField = 'name' | 'network' | 'query' | 'url' | 'app'

const STARTING_QUERY = `{
  block {
    number
    hash
    transactions {
      hash
      value
    }
  }
}
`

/** The API's names for the parts of the form. */
const FIELDS: Readonly<Record<string, DraftField>> = {
  name: 'name',
  network: 'network',
  graphql_query: 'query',
  webhook_url: 'url',
  app_id: 'app',
}

export function newDraft(network: string): Draft {
  return {
    name: '',
    network,
    query: STARTING_QUERY,
    url: '',
    appId: null,
    skipEmpty: true,
    ordered: false,
    notifyRemoved: false,
  }
}

export function draftOf(webhook: Webhook): Draft {
  return {
    name: webhook.name,
    network: webhook.network,
    query: webhook.graphql_query.query,
    url: webhook.webhook_url,
    appId: webhook.app_id,
    skipEmpty: webhook.graphql_query.skip_empty_messages ?? false,
    ordered: webhook.ordered,
    notifyRemoved: webhook.notify_removed,
  }
}

export function creationOf(draft: Draft): BodyOf<'createWebhook'> {
  return {
    network: draft.network,
    webhook_type: 'GRAPHQL',
    webhook_url: draft.url.trim(),
    graphql_query: { query: draft.query, skip_empty_messages: draft.skipEmpty },
    name: draft.name.trim(),
    app_id: draft.appId,
    ordered: draft.ordered,
    notify_removed: draft.notifyRemoved,
  }
}

export function changeOf(id: string, draft: Draft, saved: Draft): BodyOf<'updateWebhook'> {
  return {
    webhook_id: id,
    ...(draft.name !== saved.name && { name: draft.name.trim() }),
    ...(draft.url !== saved.url && { webhook_url: draft.url.trim() }),
    ...((draft.query !== saved.query || draft.skipEmpty !== saved.skipEmpty) && {
      graphql_query: {
        ...(draft.query !== saved.query && { query: draft.query }),
        skip_empty_messages: draft.skipEmpty,
      },
    }),
    ...(draft.ordered !== saved.ordered && { ordered: draft.ordered }),
    ...(draft.notifyRemoved !== saved.notifyRemoved && { notify_removed: draft.notifyRemoved }),
  }
}

export function isSameDraft(a: Draft, b: Draft): boolean {
  return (Object.keys(a) as (keyof Draft)[]).every((key) => a[key] === b[key])
}

/** The part of the form that a refusal names, and its words without that name. */
export function refusalOf(message: string): { field: DraftField | null; words: string } {
  const named = /^([a-z_]+)((?:\.[a-z_]+)*)(: )?/.exec(message)
  const field = FIELDS[named?.[1] ?? ''] ?? null
  const words = field && named?.[3] ? message.slice(named[0].length) : message
  return { field, words: words.charAt(0).toUpperCase() + words.slice(1) }
}
