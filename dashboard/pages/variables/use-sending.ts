import { useEffect, useRef, useState } from 'preact/hooks'
import { callApi, messageOf } from '../../api/call-api.ts'
import { invalidate } from '../../api/use-call.ts'
import { plural } from '../../parts/text/format.ts'
import { type ItemsChange, type SendProgress, sendItems } from './send-items.ts'

export type Sending = ReturnType<typeof useSending>

/** Sends items, one list at a time. It ends when the part that asked for it goes away. */
export function useSending() {
  const [change, setChange] = useState<ItemsChange | null>(null)
  const [progress, setProgress] = useState<SendProgress | null>(null)
  /** Why it ended before all was sent. */
  const [fault, setFault] = useState('')
  /** What came of the last that was sent whole. */
  const [done, setDone] = useState('')
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])

  const start = async (source: Blob, wanted: ItemsChange) => {
    const controller = new AbortController()
    abort.current = controller
    setChange(wanted)
    setFault('')
    setDone('')
    const before = await countOf(wanted.name)
    let last: SendProgress | null = null
    const onProgress = (next: SendProgress) => {
      last = next
      setProgress(next)
    }
    try {
      const { signal } = controller
      last = await sendItems(source, wanted, { signal, onProgress })
      setDone(doneText(wanted, last.sent, (await countOf(wanted.name)) - before))
      return true
    } catch (thrown) {
      const sent = (last as SendProgress | null)?.sent ?? 0
      const verb = wanted.how === 'add' ? 'added' : 'taken away'
      const reason = controller.signal.aborted ? 'Stopped.' : messageOf(thrown)
      setFault(sent > 0 ? `${reason} ${plural(sent, 'item')} had been ${verb} before.` : reason)
      return false
    } finally {
      invalidate('listVariables', 'listVariableItems')
      setChange(null)
      setProgress(null)
    }
  }
  return { change, progress, fault, done, start, cancel: () => abort.current?.abort() }
}

/** Items that were sent and did not change how many there are stood there already, or did not. */
function doneText({ name, how }: ItemsChange, sent: number, difference: number): string {
  const moved = Math.abs(difference)
  const rest = sent - moved
  const [verb, known] = how === 'add' ? ['Added', 'already there'] : ['Took away', 'not there']
  const more = rest > 0 ? `, ${plural(rest, 'item')} ${rest === 1 ? 'was' : 'were'} ${known}` : ''
  return `${verb} ${plural(moved, 'item')} ${how === 'add' ? 'to' : 'from'} $${name}${more}`
}

async function countOf(name: string): Promise<number> {
  const { data } = await callApi('listVariables')
  return data.find((variable) => variable.name === name)?.items ?? 0
}
