import type { App } from '@headgate/client'
import { useCall } from '../../../api/use-call.ts'
import { optionsOf, Select } from '../../../parts/forms/field.tsx'
import { CodeBlock } from '../../../parts/text/code-block.tsx'
import { changeQuery, usePlace } from '../../../shell/routing/router.ts'
import { addressWith } from './addresses.ts'
import { snippetsOf } from './snippets.ts'

export function AppSnippets({ app }: { app: App }) {
  const { query } = usePlace()
  const networks = useCall('listNetworks').data?.data
  if (!networks) return <div class="code wait" aria-hidden="true" />
  const served = networks.filter(({ id }) => app.networks.includes(id) && app.urls[id])
  const shown = served.find(({ id }) => id === query.get('network')) ?? served[0]
  const url = shown && app.urls[shown.id]
  if (!shown || !url) return null
  const snippets = snippetsOf({
    network: shown.id,
    kind: shown.kind,
    address: (key) => addressWith(url, app.key, key),
  })
  return (
    <CodeBlock
      snippets={snippets}
      what="the snippet"
      chosen={query.get('snippet') ?? ''}
      onChoose={(name) => changeQuery({ snippet: name === 'curl' ? null : name })}
      aside={
        <>
          <span class="tiny c-narrow">reads $HEADGATE_KEY</span>
          {served.length > 1 && (
            <Select
              class="code-select"
              aria-label="Network of the snippet"
              value={shown.id}
              options={optionsOf(served.map(({ id }) => id))}
              onChange={(network) => changeQuery({ network })}
            />
          )}
        </>
      }
    />
  )
}
