import { useCallback, useEffect, useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import type { OpenApi } from './open-api.ts'
import { type ReferenceDoc, referenceDoc } from './reference-doc.ts'

type Read = { doc: ReferenceDoc | null; error: unknown; reload(): void }

/** It belongs to nobody, so that it stays when somebody signs in or out. */
let kept: ReferenceDoc | null = null

export function useReferenceDoc(): Read {
  const [doc, setDoc] = useState(kept)
  const [error, setError] = useState<unknown>(null)
  const reload = useCallback(() => {
    setError(null)
    callApi('getOpenApi')
      .then((answer) => {
        kept = referenceDoc(answer as OpenApi)
        setDoc(kept)
      })
      .catch(setError)
  }, [])
  useEffect(() => {
    if (!kept) reload()
  }, [reload])
  return { doc, error, reload }
}
