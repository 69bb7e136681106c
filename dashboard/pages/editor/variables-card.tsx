import type { QueryCheck, Variable } from '@headgate/client'
import { useEffect, useRef } from 'preact/hooks'
import { useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Tag } from '../../parts/state.tsx'
import { plural, whole } from '../../parts/text/format.ts'
import { ItemsForm } from '../variables/items-form.tsx'
import { openVariables } from '../variables/variables-from-address.tsx'
import type { EditorModel } from './use-editor.ts'

type NamedVariable = QueryCheck['variables'][number]

export function VariablesCard({ model }: { model: EditorModel }) {
  const { check, again } = model.checked
  const all = useCall('listVariables').data?.data
  // While the query has a mistake, its variables are those of the last good version.
  const named = useRef<readonly NamedVariable[]>([])
  if (check?.ok) named.current = check.variables
  const counts = JSON.stringify(all?.map(({ name, items }) => [name, items]))
  useEffect(() => {
    if (counts !== undefined) again()
  }, [counts])
  return (
    <Card
      title="Variables"
      about="shared by the whole team, live from the next block"
      acts={
        <Button class="sm" onClick={() => openVariables(null)}>
          All variables
        </Button>
      }
      isLined
      body="cb pad col g16"
    >
      {named.current.map((variable) => (
        <VariableRow
          key={variable.name}
          variable={variable}
          others={otherUsers(all, variable.name, model.webhook?.id)}
        />
      ))}
      {named.current.length === 0 && <NoVariables />}
    </Card>
  )
}

function VariableRow({ variable, others }: { variable: NamedVariable; others: number }) {
  const { name, kind, items } = variable
  return (
    <div class="col">
      <div class="grid varrow">
        <div class="col g4">
          <span class="row wrap">
            <code class="strong">${name}</code>
            <Tag>{kind}</Tag>
            <span class="quiet small">
              {items ? plural(items, 'item') : 'no items yet, so it matches nothing'}
            </span>
          </span>
          {others > 0 && (
            <span class="hint">
              Used by {plural(others, 'other webhook')}. A change acts on{' '}
              {others === 1 ? 'it too' : 'all of them'}.
            </span>
          )}
        </div>
        {items !== null && (
          <div class="row">
            <Button class="sm" icon="edit" onClick={() => openVariables(name)}>
              Edit list
            </Button>
          </div>
        )}
      </div>
      <ItemsForm name={name} kind={kind} label={`Add items to $${name}`} rows={3} />
    </div>
  )
}

function NoVariables() {
  return (
    <p class="hint">
      The query names none. For lists that change, declare one:{' '}
      <code>query ($wallets: [Address!])</code> and write <code>$wallets</code> in a filter; up to{' '}
      {whole(10_000_000)} items each.
    </p>
  )
}

function otherUsers(
  all: readonly Variable[] | undefined,
  name: string,
  own: string | undefined,
): number {
  const ids = all?.find((variable) => variable.name === name)?.webhook_ids ?? []
  return ids.filter((id) => id !== own).length
}
