import { useRef } from 'preact/hooks'
import type { WireWebhook } from '../../api/wire.ts'
import { Icon } from '../../parts/icon.tsx'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { changeQuery } from '../../shell/routing/router.ts'

/** The filters of the list, as they stand in the address. */
export type ListFilters = {
  text: string
  state: 'active' | 'paused' | null
  network: string | null
}

export function filtersIn(query: URLSearchParams): ListFilters {
  const state = query.get('state')
  return {
    text: query.get('q') ?? '',
    state: state === 'active' || state === 'paused' ? state : null,
    network: query.get('network'),
  }
}

export function isListed(filters: ListFilters, webhook: WireWebhook): boolean {
  const { text, state, network } = filters
  if (state !== null && webhook.state !== state) return false
  if (network !== null && webhook.network !== network) return false
  const wanted = text.trim().toLowerCase()
  const told = [webhook.name, webhook.webhook_url, webhook.id]
  return told.some((one) => one.toLowerCase().includes(wanted))
}

type BarProps = { filters: ListFilters; webhooks: readonly WireWebhook[] }

/** By name, state and network; what is chosen stands in the address. */
export function ListFilterBar({ filters, webhooks }: BarProps) {
  const input = useRef<HTMLInputElement>(null)
  useShortcuts([{ keys: '/', does: 'Filter', run: () => input.current?.focus() }])
  const networks = [...new Set(webhooks.map(({ network }) => network))].toSorted()
  return (
    <search class="row wrap filters">
      <div class="affix w240">
        <Icon name="find" />
        <input
          ref={input}
          class="in"
          type="search"
          placeholder="Filter by name, URL or id"
          aria-label="Filter webhooks"
          maxLength={200}
          value={filters.text}
          onInput={(event) => changeQuery({ q: event.currentTarget.value })}
        />
      </div>
      <StateFilter filters={filters} webhooks={webhooks} />
      {networks.length > 1 && (
        <label class={filters.network === null ? 'filter' : 'filter on'}>
          Network
          <select
            value={filters.network ?? ''}
            onChange={(event) => changeQuery({ network: event.currentTarget.value })}
          >
            <option value="">any</option>
            {networks.map((network) => (
              <option key={network} value={network}>
                {network}
              </option>
            ))}
          </select>
        </label>
      )}
    </search>
  )
}

function StateFilter({ filters, webhooks }: BarProps) {
  const active = webhooks.filter(({ is_active }) => is_active).length
  const choices = [
    { state: null, text: 'All', count: webhooks.length },
    { state: 'active', text: 'Active', count: active },
    { state: 'paused', text: 'Paused', count: webhooks.length - active },
  ]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend along.
    <div class="seg" role="group" aria-label="State">
      {choices.map(({ state, text, count }) => (
        <button
          key={text}
          type="button"
          aria-pressed={filters.state === state}
          onClick={() => changeQuery({ state })}
        >
          {text}
          <span class="faint">{count}</span>
        </button>
      ))}
    </div>
  )
}
