import { useState } from 'preact/hooks'
import { messageOf } from '../../../api/api-error.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { SelectField, TextField } from '../../../parts/forms/field.tsx'
import { middleCut } from '../../../parts/text/format.ts'
import { say } from '../../../shell/toasts.tsx'
import { send } from './devnet-actions.ts'

const KINDS = [
  { value: 'log', text: 'A token’s Transfer event' },
  { value: 'transfer', text: 'A transfer of ether' },
] as const

type Kind = (typeof KINDS)[number]['value']

/** Sends something for a filter to match. */
export function SendDialog({ onClose }: { onClose(): void }) {
  const [kind, setKind] = useState<Kind>('log')
  const [to, setTo] = useState('')
  const [value, setValue] = useState('')
  const [fault, setFault] = useState('')
  const go = async (event: Event) => {
    event.preventDefault()
    const body = { kind, ...(to && { to: to.trim() }), ...(value && { value: value.trim() }) }
    try {
      const sent = await send(body)
      say(`Sent ${middleCut(sent.transaction_hash)}; the next block has it`)
      onClose()
    } catch (thrown) {
      setFault(messageOf(thrown))
    }
  }
  return (
    <Dialog title="Send a transaction" onClose={onClose}>
      <form class="col g16" onSubmit={go}>
        <SelectField
          label="What"
          value={kind}
          options={KINDS}
          onChange={(chosen) => setKind(chosen === 'transfer' ? 'transfer' : 'log')}
          hint={
            kind === 'log'
              ? 'Emits Transfer(address,address,uint256), as a token does.'
              : 'From the first test account.'
          }
        />
        <TextField
          label="To"
          class="mono"
          placeholder="the second test account"
          value={to}
          onChange={setTo}
        />
        <TextField
          label="Value"
          class="mono"
          placeholder={kind === 'log' ? '1000000' : '1000000000000000000'}
          hint={kind === 'log' ? 'In units of the token.' : 'In wei.'}
          value={value}
          onChange={setValue}
        />
        {fault && (
          <p class="note bad" role="alert">
            {fault}
          </p>
        )}
        <div class="row">
          <span class="grow" />
          <button class="btn" type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="btn primary" type="submit">
            Send
          </button>
        </div>
      </form>
    </Dialog>
  )
}
