import { Dialog } from '../../parts/dialog.tsx'
import { VariableDetail } from './variable-detail.tsx'
import { VariableList } from './variable-list.tsx'

/** The team's variables: all of them, or one with its items. `name` is null for all. */
export function VariablesDialog(props: {
  name: string | null
  onOpen(name: string | null): void
  onClose(): void
}) {
  const { name } = props
  return (
    <Dialog title="Variables" isWide onClose={props.onClose}>
      {name === null ? (
        <VariableList onOpen={props.onOpen} />
      ) : (
        <VariableDetail key={name} name={name} onBack={() => props.onOpen(null)} />
      )}
    </Dialog>
  )
}
