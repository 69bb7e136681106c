import { useState } from 'preact/hooks'
import { messageOf } from '../../api/call-api.ts'

/** Sends a form once at a time; a refusal is kept to be shown, until the next attempt. */
export function useSubmit(send: () => Promise<unknown>) {
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const submit = async (event?: Event) => {
    event?.preventDefault()
    if (isBusy) return
    setBusy(true)
    setFault('')
    try {
      await send()
    } catch (thrown) {
      setFault(messageOf(thrown))
    }
    setBusy(false)
  }
  return { fault, isBusy, submit }
}
