import { useMemo } from 'preact/hooks'
import { useCall } from '../../api/use-call.ts'
import { SearchField } from '../../parts/forms/search-field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PlainCode } from '../../parts/text/code-block.tsx'
import { PageFrame } from '../../shell/page-frame.tsx'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import type { OpenApi } from './document/open-api.ts'
import { Prose } from './document/prose.tsx'
import {
  type FoundReference,
  findReference,
  type ReferenceDoc,
  referenceDoc,
} from './document/reference-doc.ts'
import { ReferenceList } from './reference-list.tsx'

export default function ReferencePage() {
  const { data, error, reload } = useCall('getOpenApi')
  const doc = useMemo(() => data && referenceDoc(data as OpenApi), [data])
  return (
    <PageFrame title="API reference">
      <div class="head">
        <h1>API reference</h1>
        {doc && <span class="tag">{doc.version}</span>}
        <div class="acts">
          <SearchField
            class="refsearch"
            label="Search the reference"
            placeholder="Path, summary or field"
            does="Search the reference"
            icon="find"
            isIconSmall
            value={usePlace().query.get('q') ?? ''}
            onChange={(q) => changeQuery({ q })}
          >
            <kbd class="end c-narrow">/</kbd>
          </SearchField>
          <a class="btn" href="/api/openapi.json" target="_blank" rel="noreferrer">
            <Icon name="dl" />
            OpenAPI
          </a>
        </div>
      </div>
      <Loaded call={{ data: doc && { data: doc }, error, reload }} rows={12} isAlone>
        {(read) => <Reference doc={read} />}
      </Loaded>
    </PageFrame>
  )
}

function Reference({ doc }: { doc: ReferenceDoc }) {
  const { query, hash } = usePlace()
  const text = query.get('q') ?? ''
  const target = decodeURIComponent(hash.slice(1))
  const found = useMemo(() => findReference(doc, text, target), [doc, text, target])
  return (
    <div class="reference">
      <SideList found={found} />
      <div class="col g16">
        {text.trim() === '' && <Start doc={doc} />}
        <ReferenceList found={found} doc={doc} />
      </div>
    </div>
  )
}

function Start({ doc }: { doc: ReferenceDoc }) {
  const setup = `export HEADGATE_URL=${doc.url}\nexport HEADGATE_TOKEN=… HEADGATE_KEY=…`
  return (
    <section class="card">
      <div class="cb pad col">
        <Prose text={doc.description} />
        <p class="small">Snippets read your own address, token and key from the shell:</p>
        <PlainCode name="Shell" text={setup} what="the lines" />
      </div>
    </section>
  )
}

function SideList({ found }: { found: FoundReference }) {
  return (
    <nav class="sidelist" aria-label="Calls">
      {found.groups.map(({ name, calls }) => (
        <div key={name}>
          <p class="nav-label">{name}</p>
          <ul>
            {calls.map(({ doc }) => (
              <li key={doc.operationId}>
                <a href={`#${doc.operationId}`}>{doc.summary}</a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
