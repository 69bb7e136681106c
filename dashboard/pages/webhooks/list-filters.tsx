import type { Webhook } from '@headgate/client'
import { FilterSelect } from '../../parts/forms/field.tsx'
import { SearchField } from '../../parts/forms/search-field.tsx'
import { Segmented } from '../../parts/forms/segmented.tsx'
import { changeQuery } from '../../shell/routing/router.ts'

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

export function isListed(filters: ListFilters, webhook: Webhook): boolean {
  const { text, state, network } = filters
  if (state !== null && webhook.state !== state) return false
  if (network !== null && webhook.network !== network) return false
  const wanted = text.trim().toLowerCase()
  const told = [webhook.name, webhook.webhook_url, webhook.id]
  return told.some((one) => one.toLowerCase().includes(wanted))
}

type BarProps = { filters: ListFilters; webhooks: readonly Webhook[] }

export function ListFilterBar({ filters, webhooks }: BarProps) {
  const networks = [...new Set(webhooks.map(({ network }) => network))].toSorted()
  return (
    <search class="row wrap filters">
      <SearchField
        label="Filter webhooks"
        placeholder="Filter by name, URL or id"
        does="Filter"
        icon="find"
        value={filters.text}
        onChange={(q) => changeQuery({ q })}
      />
      <StateFilter filters={filters} webhooks={webhooks} />
      {networks.length > 1 && (
        <FilterSelect
          label="Network"
          isOn={filters.network !== null}
          value={filters.network}
          values={networks}
          onChange={(network) => changeQuery({ network })}
        />
      )}
    </search>
  )
}

function StateFilter({ filters, webhooks }: BarProps) {
  const active = webhooks.filter(({ is_active }) => is_active).length
  const choices = [
    { value: '', text: 'All', tally: webhooks.length },
    { value: 'active', text: 'Active', tally: active },
    { value: 'paused', text: 'Paused', tally: webhooks.length - active },
  ]
  return (
    <Segmented
      label="State"
      value={filters.state ?? ''}
      options={choices}
      onChange={(state) => changeQuery({ state })}
    />
  )
}
