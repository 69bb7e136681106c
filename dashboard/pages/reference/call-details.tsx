import { useMemo, useState } from 'preact/hooks'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { CallAnswers } from './document/call-answers.tsx'
import { FieldTable, RowTable } from './document/field-table.tsx'
import { Inline, Prose } from './document/prose.tsx'
import type { ReferenceCall, ReferenceDoc } from './document/reference-doc.ts'
import { firstInputs } from './try/call-request.ts'
import { callSnippets } from './try/call-snippets.ts'
import { TryIt } from './try/try-it.tsx'

const AUDIENCES = {
  team: 'Token: a team’s, or the operator’s with the header `X-Team-Id` or the query `team_id`.',
  operator: 'Token: the operator’s.',
  'any-token': 'Token: any.',
  session: 'The session itself: the cookie, not a token.',
  public: '',
} as const

/** These are said in words above, not in a table of each call. */
const TEAM_PARAMETERS: readonly string[] = ['X-Team-Id', 'team_id']

export function CallDetails(props: { call: ReferenceCall; schemas: ReferenceDoc['schemas'] }) {
  const { call, schemas } = props
  const { doc } = call
  const [inputs, setInputs] = useState(() => firstInputs(call))
  const snippets = useMemo(() => callSnippets(call, inputs), [call, inputs])
  const parameters = doc.parameters.filter(({ name }) => !TEAM_PARAMETERS.includes(name))
  const body = doc.requestBody?.content['application/json']
  const audience = AUDIENCES[doc['x-audience']]
  return (
    <div class="cb call-body">
      <div class="col call-told">
        <Prose text={doc.description} />
        {audience && (
          <p class="quiet small">
            <Inline text={audience} />
          </p>
        )}
        {parameters.length > 0 && (
          <>
            <h4>Parameters</h4>
            <RowTable heading="Parameter" rows={parameters} />
          </>
        )}
        {body && (
          <>
            <h4>{doc.requestBody?.required ? 'Body' : 'Body (may be left out)'}</h4>
            <FieldTable schema={body.schema} schemas={schemas} />
          </>
        )}
        <CallAnswers doc={doc} schemas={schemas} />
      </div>
      <div class="col call-try">
        <CodeBlock snippets={snippets} what="the snippet" />
        <h4>Try it</h4>
        <TryIt call={call} inputs={inputs} onChange={setInputs} />
      </div>
    </div>
  )
}
