import { useState } from 'preact/hooks'
import { useCall } from '../../api/use-call.ts'
import { Empty, LoadFault, SkeletonRows } from '../../parts/empty.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { Tag } from '../../parts/state.tsx'
import { plural, whole } from '../../parts/text/format.ts'
import { ItemsForm } from './items-form.tsx'
import type { TeamVariable } from './team-variable.ts'

const NAME = /^[_A-Za-z]\w{0,63}$/

/** All variables of the team, and the way to make one. */
export function VariableList({ onOpen }: { onOpen(name: string): void }) {
  const { data, error, reload } = useCall('listVariables')
  if (error && !data) return <LoadFault error={error} retry={reload} />
  return (
    <div class="col g16">
      <p>
        Lists that queries use by name. A change acts from the next block on, in every webhook that
        names it.
      </p>
      {!data && <SkeletonRows rows={3} />}
      {data?.data.length === 0 && (
        <Empty icon="filter" title="No variables yet">
          A query that names <code>$wallets</code> matches nothing until the list has items.
        </Empty>
      )}
      {data && data.data.length > 0 && (
        <>
          <VariableTable variables={data.data} onOpen={onOpen} />
          <p class="hint">
            {whole(data.items)} of {whole(data.items_max)} items that the plan allows over all of
            them.
          </p>
        </>
      )}
      {data && <NewVariable taken={data.data.map(({ name }) => name)} onOpen={onOpen} />}
    </div>
  )
}

function VariableTable(props: { variables: readonly TeamVariable[]; onOpen(name: string): void }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
    <section class="tw boxed variables" tabIndex={0} aria-label="Variables">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Holds</th>
            <th scope="col" class="num">
              Items
            </th>
            <th scope="col" class="num">
              Used by
            </th>
          </tr>
        </thead>
        <tbody>
          {props.variables.map(({ name, kind, items, webhook_ids }) => (
            <tr class="go" key={name} onClick={() => props.onOpen(name)}>
              <td>
                <button class="link strong mono" type="button">
                  ${name}
                </button>
              </td>
              <td>
                <Tag>{kind}</Tag>
              </td>
              <td class="num">{whole(items)}</td>
              <td class="num quiet">
                {webhook_ids.length > 0 ? plural(webhook_ids.length, 'webhook') : 'nobody'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The first items of a name make the variable. */
function NewVariable(props: { taken: readonly string[]; onOpen(name: string): void }) {
  const [typed, setTyped] = useState('')
  const name = typed.trim().replace(/^\$/, '')
  const fault =
    name && !NAME.test(name)
      ? 'Letters, digits and underscores, no digit first, up to 64'
      : props.taken.includes(name)
        ? 'There is one of this name: open it to change it'
        : undefined
  const lacks = name ? fault : 'It needs a name'
  return (
    <details class="new-variable">
      <summary>New variable</summary>
      <div class="col g12">
        <TextField
          label="Name"
          class="mono"
          placeholder="wallets"
          maxLength={65}
          fault={fault}
          value={typed}
          onChange={setTyped}
        />
        <ItemsForm
          name={name}
          kind={null}
          label="Its first items"
          lacks={lacks}
          isMain
          onDone={() => props.onOpen(name)}
        />
      </div>
    </details>
  )
}
