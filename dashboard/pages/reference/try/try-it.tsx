import { useState } from 'preact/hooks'
import { messageOf } from '../../../api/call-api.ts'
import { useVisitor } from '../../../api/session.ts'
import { Button } from '../../../parts/button.tsx'
import { ConfirmDialog } from '../../../parts/dialog.tsx'
import { Note, Refusal } from '../../../parts/note.tsx'
import { Tag } from '../../../parts/state.tsx'
import { PlainCode } from '../../../parts/text/code-block.tsx'
import { ms, whole } from '../../../parts/text/format.ts'
import type { ReferenceCall } from '../document/reference-doc.ts'
import { CallInputFields, type NodeChoice } from './call-input-fields.tsx'
import { type CallInputs, faultOf, isNodeCall, isStream, targetOf } from './call-request.ts'
import { type CallOutcome, sendCall } from './send-call.ts'

type Props = { call: ReferenceCall; inputs: CallInputs; onChange(inputs: CallInputs): void }

/** Sends the call with the session, and shows what came; whoever changes something is asked. */
export function TryIt({ call, inputs, onChange }: Props) {
  const visitor = useVisitor()
  const [choice, choose] = useState<NodeChoice | null>(null)
  const [outcome, setOutcome] = useState<CallOutcome | null>(null)
  const [fault, setFault] = useState('')
  const [isAsking, ask] = useState(false)
  if (isStream(call.doc)) return <p class="note">A stream has no end to wait for: use curl.</p>
  if (visitor.kind !== 'signed-in') return <SignInFirst id={call.doc.operationId} />
  const team = visitor.session.kind === 'operator' ? visitor.team?.id : undefined
  const send = async () => {
    setFault('')
    setOutcome(await sendCall(call, inputs, { team, key: choice?.key ?? '' }))
  }
  const start = (event: Event) => {
    event.preventDefault()
    const wrong = isNodeCall(call) && !choice ? 'An app is missing.' : faultOf(call, inputs)
    setFault(wrong)
    if (wrong) return
    if (call.method === 'GET') send().catch((thrown) => setFault(messageOf(thrown)))
    else ask(true)
  }
  return (
    <form class="col" onSubmit={start}>
      <CallInputFields {...{ call, inputs, onChange, choice, choose }} />
      <Refusal>{fault}</Refusal>
      <div class="row">
        <Button icon="play" type="submit">
          Send {call.method}
        </Button>
      </div>
      {outcome && <CallOutcomeView outcome={outcome} />}
      {isAsking && (
        <ConfirmDialog
          title={`${call.doc.summary}?`}
          action={`Send ${call.method}`}
          onConfirm={send}
          onClose={() => ask(false)}
        >
          <p class="quiet wraps">
            <code class="ic">
              {call.method} {targetOf(call, inputs, '…')}
            </code>{' '}
            is sent for {visitor.team?.name ?? 'the operator'} and does what it says, here and now.
          </p>
        </ConfirmDialog>
      )}
    </form>
  )
}

function SignInFirst({ id }: { id: string }) {
  return (
    <Note icon="key">
      Trying it takes a session.{' '}
      <a href={`/sign-in?then=${encodeURIComponent(`/docs/reference#${id}`)}`}>Sign in</a>
    </Note>
  )
}

function CallOutcomeView({ outcome }: { outcome: CallOutcome }) {
  const isFine = outcome.status < 400
  return (
    <div class="col" role="status">
      <p class="row wrap small">
        <Tag tone={isFine ? 'ok' : 'bad'}>{outcome.status}</Tag>
        <span>{ms(outcome.tookMs)}</span>
        {outcome.headers.map(([name, value]) => (
          <span class="quiet" key={name}>
            <code>{name}</code> {value}
          </span>
        ))}
      </p>
      {outcome.text !== '' && <PlainCode name="Answer" text={outcome.text} what="the answer" />}
      {outcome.cutBytes > 0 && (
        <p class="hint">{whole(outcome.cutBytes)} more characters are not shown.</p>
      )}
    </div>
  )
}
