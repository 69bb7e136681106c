import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import type { VariablesDialog } from './variables-dialog.tsx'

type Dialog = ComponentType<Parameters<typeof VariablesDialog>[0]>

/** No variable can be called this. */
const ALL = '1'

/**
 * The dialog of variables where the address asks for it: `?variables=1` for all, or with the name
 * of one. Its code is loaded when it is first opened.
 */
export function VariablesFromAddress() {
  const shown = usePlace().query.get('variables')
  const [loaded, setLoaded] = useState<{ dialog: Dialog } | null>(null)
  useEffect(() => {
    if (shown === null || loaded) return
    void import('./variables-dialog.tsx').then(({ VariablesDialog: dialog }) =>
      setLoaded({ dialog }),
    )
  }, [shown, loaded])
  if (shown === null || !loaded) return null
  const Loaded = loaded.dialog
  return (
    <Loaded
      name={shown === ALL ? null : shown}
      onOpen={openVariables}
      onClose={() => changeQuery({ variables: null, items_after: null })}
    />
  )
}

/** Opens the dialog: for all variables, or for one. */
export function openVariables(name: string | null): void {
  changeQuery({ variables: name ?? ALL, items_after: null })
}
