import type { QueryCheck, Webhook } from '@headgate/client'
import { useMemo, useRef, useState } from 'preact/hooks'
import { callApi, messageOf } from '../../api/call-api.ts'
import { invalidate, patchAnswers } from '../../api/use-call.ts'
import { navigate, useLeaveGuard } from '../../shell/routing/router.ts'
import { say } from '../../shell/toasts.tsx'
import type { QueryProblem } from './query/query-problem.ts'
import { useQueryCheck } from './query/use-query-check.ts'
import {
  changeOf,
  creationOf,
  type Draft,
  type DraftField,
  isSameDraft,
  refusalOf,
} from './webhook-draft.ts'

/** What is wrong with parts of the form; `other` is about none of them. */
export type DraftFaults = Partial<Record<DraftField | 'other', string>>

export type EditorModel = ReturnType<typeof useEditor>

const LEAVE = 'Leave without saving? The changes to this webhook are lost.'

/** `webhook` is the one that is changed; null for a new one. */
export function useEditor(initial: Draft, webhook: Webhook | null) {
  const [draft, setDraft] = useState(initial)
  const [faults, setFaults] = useState<DraftFaults>({})
  const [isSaving, setSaving] = useState(false)
  const isSaved = useRef(false)
  const checked = useQueryCheck(draft.query, draft.network)
  const isChanged = !isSameDraft(draft, initial)
  const mayLeave = useMemo(
    () => (isChanged ? () => isSaved.current || confirm(LEAVE) : null),
    [isChanged],
  )
  useLeaveGuard(mayLeave)

  const save = async () => {
    if (!draft.url.trim()) return setFaults({ url: 'Where should deliveries go?' })
    setSaving(true)
    setFaults({})
    try {
      const saved = await store(draft, initial, webhook)
      isSaved.current = true
      patchAnswers('listWebhooks', ({ data }) => ({ data: withSaved(data, saved) }))
      invalidate('listWebhooks', 'getWebhookStats', 'listVariables', 'getWebhookQuery')
      say(sayingOf(saved, webhook === null))
      navigate(`/webhooks/${saved.id}`)
    } catch (thrown) {
      const { field, words } = refusalOf(messageOf(thrown))
      setFaults({ [field ?? 'other']: words })
      checked.again()
      setSaving(false)
    }
  }

  const change = (part: Partial<Draft>) => {
    setDraft((old) => ({ ...old, ...part }))
    setFaults((old) => withoutParts(old, part))
  }
  const problems = problemsOf(draft, checked.check)
  return { webhook, draft, change, checked, problems, faults, isChanged, isSaving, save }
}

async function store(draft: Draft, saved: Draft, webhook: Webhook | null) {
  const { data } = webhook
    ? await callApi('updateWebhook', { body: changeOf(webhook.id, draft, saved) })
    : await callApi('createWebhook', { body: creationOf(draft) })
  return data
}

/** The list as it will be read anew; pages that show it need not wait for that. */
function withSaved(webhooks: readonly Webhook[], saved: Webhook): Webhook[] {
  const isThere = webhooks.some(({ id }) => id === saved.id)
  if (!isThere) return [...webhooks, saved]
  return webhooks.map((webhook) => (webhook.id === saved.id ? saved : webhook))
}

function sayingOf({ name, id, state, deactivation_reason }: Webhook, isNew: boolean): string {
  const what = `${isNew ? 'Created' : 'Saved'} ${name || id}`
  return isNew && state === 'paused' ? `${what}, paused: ${deactivation_reason}` : what
}

/** A check tells of the text that it was made of; an empty one needs none. */
function problemsOf({ query }: Draft, check: QueryCheck | null): readonly QueryProblem[] {
  if (!query.trim()) {
    return [{ message: 'The query is empty.', line: null, column: null, length: null }]
  }
  return check?.errors ?? []
}

/** A part that was changed is not wrong any more, as far as is known. */
function withoutParts(faults: DraftFaults, part: Partial<Draft>): DraftFaults {
  const { other: _, ...rest } = faults
  if ('appId' in part) delete rest.app
  for (const key of Object.keys(part)) delete rest[key as DraftField]
  return rest
}
