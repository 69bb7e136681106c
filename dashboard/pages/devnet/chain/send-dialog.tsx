import { useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { FormDialog } from '../../../parts/dialog.tsx'
import { SelectField, TextField } from '../../../parts/forms/field.tsx'
import { middleCut } from '../../../parts/text/format.ts'
import { say } from '../../../shell/toasts.tsx'
import { showChain } from './devnet-actions.ts'

const KINDS = [
  { value: 'log', text: 'A token’s Transfer event' },
  { value: 'transfer', text: 'A transfer of ether' },
] as const

/** Sends something for a filter to match. */
export function SendDialog({ onClose }: { onClose(): void }) {
  const [kind, setKind] = useState<'log' | 'transfer'>('log')
  const [to, setTo] = useState('')
  const [value, setValue] = useState('')
  const isLog = kind === 'log'
  const go = async () => {
    const body = { kind, ...(to && { to: to.trim() }), ...(value && { value: value.trim() }) }
    const { data } = await callApi('sendDevnetTransaction', { body })
    showChain(data.devnet)
    say(`Sent ${middleCut(data.transaction_hash)}; the next block has it`)
    onClose()
  }
  return (
    <FormDialog title="Send a transaction" action="Send" onSend={go} onClose={onClose}>
      <SelectField
        label="What"
        value={kind}
        options={KINDS}
        onChange={(chosen) => setKind(chosen === 'transfer' ? 'transfer' : 'log')}
        hint={
          isLog
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
        placeholder={isLog ? '1000000' : '1000000000000000000'}
        hint={isLog ? 'In units of the token.' : 'In wei.'}
        value={value}
        onChange={setValue}
      />
    </FormDialog>
  )
}
