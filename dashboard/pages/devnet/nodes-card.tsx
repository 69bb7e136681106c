import type { AnswerOf } from '@headgate/client'
import { callApi } from '../../api/call-api.ts'
import { patchAnswers, useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Segmented } from '../../parts/forms/segmented.tsx'
import { attempt, say } from '../../shell/toasts.tsx'

type Node = AnswerOf<'listDevnetUpstreams'>['data'][number]
type Behaviour = Node['behaviour']

const STALL_S = 10

const BEHAVIOURS: readonly { value: Behaviour; text: string; said: string }[] = [
  { value: 'honest', text: 'Honest', said: 'answers truly' },
  { value: 'lag', text: 'Lags', said: 'lags five blocks behind' },
  { value: 'lie', text: 'Lies', said: 'leaves out every log, and shows wrong balances' },
  { value: 'fail', text: 'Fails', said: 'answers with 503' },
  { value: 'hang', text: 'Hangs', said: 'never answers' },
]

/** The nodes of the chain, to be broken one by one, so that failover can be watched. */
export function NodesCard() {
  const nodes = useCall('listDevnetUpstreams').data?.data ?? []
  return (
    <Card
      title="Nodes"
      acts={
        <>
          <a class="small" href="/networks">
            How Headgate sees them
          </a>
          <Button class="sm" onClick={stall}>
            Stall all for {STALL_S} s
          </Button>
        </>
      }
      label="Nodes of the chain"
    >
      <ul class="cb nodes" aria-label="Nodes">
        {nodes.map((node) => (
          <li key={node.name} data-node={node.name}>
            <code>{node.name}</code>
            <Segmented
              label={`How ${node.name} answers`}
              value={node.behaviour}
              options={BEHAVIOURS}
              onChange={(behaviour) => void change(node.name, behaviour)}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function change(name: string, behaviour: Behaviour): Promise<void> {
  return attempt(async () => {
    show(await callApi('changeDevnetUpstream', { parameters: { name }, body: { behaviour } }))
    say(`${name} ${BEHAVIOURS.find(({ value }) => value === behaviour)?.said}`)
  })
}

function stall(): Promise<void> {
  return attempt(async () => {
    show(await callApi('stallDevnet', { body: { seconds: STALL_S } }))
    say(`No node answers for ${STALL_S} seconds`)
  })
}

function show(answer: AnswerOf<'listDevnetUpstreams'>): void {
  patchAnswers('listDevnetUpstreams', () => answer)
}
