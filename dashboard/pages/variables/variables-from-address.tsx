import { useLazyPart } from '../../parts/use-lazy-part.ts'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'

/** No variable can be called this. */
const ALL = '1'

/**
 * The dialog of variables where the address asks for it: `?variables=1` for all, or with the name
 * of one. Its code is loaded when it is first opened.
 */
export function VariablesFromAddress() {
  const shown = usePlace().query.get('variables')
  const Variables = useLazyPart(shown !== null, async () => {
    return (await import('./variables-dialog.tsx')).VariablesDialog
  })
  if (!Variables) return null
  return (
    <Variables
      name={shown === ALL ? null : shown}
      onOpen={openVariables}
      onClose={() => changeQuery({ variables: null, items_after: null })}
    />
  )
}

export function openVariables(name: string | null): void {
  changeQuery({ variables: name ?? ALL, items_after: null })
}
